"""How the prediction of one row comes about: step by step, or as forces up and down."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from anova_report.core.result.terms import Term
from anova_report.figures.axes import prediction_axis
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Panel, Words
from anova_report.figures.layout import BELOW
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Anchor, Box, Dot, Line, Primitive, Rule, Ruler, Scene, Text, unzip
from anova_report.figures.style import NOTE, SMALL, TEXT
from anova_report.figures.text import clean, shorten, width
from anova_report.figures.ticks import effect_text
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.local import Contribution, RowExplanation
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import way_words
from anova_report.measures.values import shown_range, value_text
from anova_report.measures.wording import exponential, factor, number, signed

MOST_STEPS = 10
NAMED = 3
TAIL = 0.01
RESIDUAL = ("residual", "not explained")
VEIL = 0.25  # opacity of the residual below its hatching

# A waterfall: pixels above the rows and of a row, for words at the left, and beside bars for their numbers.
TOP, ROW, WORDS, VALUES = 8.0, 26.0, 216.0, 52.0
BESIDE = 14.0  # pixels from a bar to its number, and beyond that
HALF = 7 / ROW  # of the height of a bar
LABELS = 0.62  # of the room for words may be taken by a label

# A force plot: top and bottom of the bar, the axis below one row of names, and a second row of them.
BAR, LINE, SECOND = (28.0, 54.0), 104.0, 30.0
EDGE, POINT = 20.0, 5.0  # pixels left and right of the axis, and by which a push points to where it goes
SEEN = 4.0  # pixels; what is shorter is not named
LONGEST, CLEAR = 230.0, 8.0  # pixels of the longest name, and between two
NARROW = 0.63  # of its own width; a live plot so narrow still has all names apart and inside


@dataclass(frozen=True)
class Step:
    """One contribution to a prediction."""

    label: str
    detail: str  # the row's values with the names of their features
    value: float  # how much it adds
    term: tuple[int, ...] = ()  # empty where terms are taken together, and in older documents
    values: str = ""  # the row's values alone


@dataclass(frozen=True)
class Waterfall:
    """How one prediction comes about: base + steps + remainder = prediction, drawn as one bar below the other."""

    axis: Axis  # of the prediction; holds every sum on the way
    base: float  # the mean
    steps: tuple[Step, ...]  # largest first; small ones are taken together in the last
    remainder: float  # prediction minus explanation
    prediction: float

    def scene(self) -> Scene:
        """Lay out the mean, the steps, the residual and the prediction, one row each."""
        wide, n_rows = 560.0, len(self.steps) + 3
        added = (*(step.value for step in self.steps), self.remainder)
        texts = (self._whole(self.base), *map(self._part, added), self._whole(self.prediction))
        room = max(VALUES, *(width(text, TEXT) + BESIDE for text in texts))  # of a number, beside the last of the bars
        frame = Frame(WORDS + room, TOP, wide - room, TOP + ROW * n_rows)
        panel = Panel.of_rows(frame, self.axis.span, n_rows)
        sums = tuple(map(panel.held_x, accumulate(added, initial=self.base)))
        rows = tuple(map(float, range(n_rows)))
        falls = (False, *(value < 0 for value in added), False)
        items = (
            Ruler(self.axis, "below", grid=True, room=frame.width + 2 * room),
            Rule("links", sums, rows[:-1], sums, rows[1:]),
            *self._bars(sums),
            Dot("ends", (sums[0], panel.held_x(self.prediction)), (0.0, rows[-1]), "fg", radius=4.5, tips=self._ends()),
            Text(
                "numbers",
                (*sums, panel.held_x(self.prediction)),
                rows,
                texts,
                dx=tuple(-6.0 if fall else 10.0 if at in (0, n_rows - 1) else 6.0 for at, fall in enumerate(falls)),
                anchor=tuple("end" if fall else "start" for fall in falls),
                bold=tuple(at == n_rows - 1 for at in range(n_rows)),
            ),
            *self._words(panel),
            self._rows(panel, room),
        )
        return Scene("waterfall", (wide, frame.bottom + BELOW + 6), (panel,), items)

    def _ends(self) -> Words:
        return f"{self._mean} {self._whole(self.base)}", f"prediction {self._whole(self.prediction)}"

    @property
    def _mean(self) -> str:
        return "base rate" if self.axis.log else "mean"

    def _whole(self, value: float) -> str:
        """Write a prediction."""
        return number(exponential(value) if self.axis.log else value)

    def _part(self, value: float) -> str:
        """Write what is added, or the factor that it is."""
        return factor(value) if self.axis.log else signed(value)

    def _bars(self, sums: Sequence[float]) -> tuple[Primitive, ...]:
        """Draw each step from one sum to the next."""
        ends = list(pairwise(sums))
        before, after = unzip(ends[:-1], 2)
        top = tuple(row + 1 - HALF for row in range(len(self.steps)))
        bottom = tuple(row + 2 * HALF for row in top)
        color = tuple("negative" if step.value < 0 else "positive" for step in self.steps)
        tips = tuple(
            f"{step.label}\n{step.values or step.detail}\n{effect_text(self.axis, step.value)}" for step in self.steps
        )
        last = len(self.steps) + 1.0
        return (
            Box("steps", before, after, bottom, top, color, least=1.0, tips=tips),
            _residual(ends[-1:], last + HALF, last - HALF, self.remainder, self.axis),
        )

    def _words(self, panel: Panel) -> tuple[Primitive, ...]:
        """Write labels and, as far as there is room, the row's values."""
        room = WORDS - 14
        words = [
            (self._mean, ""),
            *((step.label, step.values or step.detail) for step in self.steps),
            RESIDUAL,
            ("prediction", ""),
        ]
        labels, details = unzip(words, 2)
        rooms = tuple(max(room * LABELS, room - width(clean(detail), SMALL) - 8 * bool(detail)) for detail in details)
        drawn = [shorten(clean(label), most, TEXT) for label, most in zip(labels, rooms, strict=True)]
        left = [room - width(label, TEXT) - 8 for label in drawn]
        notes = [(float(row), details[row], left[row]) for row in range(len(words)) if details[row] and left[row] > 24]
        rows, texts, notes_room = unzip(notes, 3)
        bold = tuple(row == len(words) - 1 for row in range(len(words)))
        start, dx = panel.x[0], -panel.frame.left
        at = tuple(map(float, range(len(words))))
        return (
            # Shifts are columns: numbers of another prediction may need more room.
            Text("labels", start, at, labels, dx=(dx,) * len(at), room=rooms, bold=bold),
            Text("values", start, rows, texts, dx=(dx + room,) * len(rows), anchor="end", room=notes_room, **NOTE),
        )

    def _rows(self, panel: Panel, room: float) -> Box:
        """Let a click on a row go to its term."""
        known = [(row + 1.5, row + 0.5, step.term) for row, step in enumerate(self.steps) if step.term]
        bottom, top, keys = unzip(known, 3)
        left, right = panel.units_across(panel.frame.left), panel.units_across(room)
        return Box("rows", panel.x[0] - left, panel.x[1] + right, bottom, top, None, keys=keys)


@dataclass(frozen=True)
class _Push:
    """One segment of a force plot: its words, what it adds, and between which values it lies."""

    label: str
    detail: str
    value: float
    low: float
    high: float
    text: str = ""  # what it adds, as it is written


@dataclass(frozen=True)
class _Name:
    """A name below a push: the middle of the push and where the name stands, in pixels, and in which row of names."""

    push: _Push
    middle: float
    at: float
    anchor: Anchor
    half: float
    row: int = 0

    def extents(self) -> list[tuple[float, float]]:
        """Return from where to where it reaches, at its own width and in a narrow plot."""
        back = {"start": 0.0, "middle": self.half, "end": 2 * self.half}[self.anchor]
        lefts = [self.at * scale - back for scale in (1.0, NARROW)]
        return [(left, left + 2 * self.half) for left in lefts]

    def touches(self, other: "_Name") -> bool:
        """Whether two names touch, at either width, or the line that leads to the lower one the upper one."""
        upper, lower = sorted((self, other), key=lambda name: name.row)
        reach = lower.extents() if upper.row == lower.row else [(lower.middle * scale,) * 2 for scale in (1.0, NARROW)]
        return any(
            first[0] < second[1] + CLEAR and second[0] < first[1] + CLEAR
            for first, second in zip(upper.extents(), reach, strict=True)
        )


@dataclass(frozen=True)
class Force(Waterfall):
    """The same as a `Waterfall`, drawn as one line: what pushes the prediction up meets what pushes it down."""

    def scene(self) -> Scene:
        """Lay out pushes, the largest next to the prediction, the residual outermost."""
        wide = 760.0
        *pushes, residual = self._pushes()
        drawn = [push for push in pushes if push.value]
        ends = [self.axis.low, self.axis.high, *(end for push in (*drawn, residual) for end in (push.low, push.high))]
        axis = replace(self.axis, low=min(ends), high=max(ends))
        panel = Panel(Frame(EDGE, 0.0, wide - EDGE, LINE), axis.span, (LINE, 0.0))
        names = _names(
            [replace(push, text=self._part(push.value)) for push in (*drawn, residual) if push.value], panel, wide
        )
        if any(name.row for name in names):
            panel = replace(panel, frame=replace(panel.frame, bottom=LINE + SECOND), y=(LINE + SECOND, 0.0))
        low, high, color, tips = unzip([(push.low, push.high, _color(push), _tip(push, axis)) for push in drawn], 4)
        spots = ((self.base,), (self.prediction,))
        items = (
            Ruler(axis, "below", most=9, room=wide - 16),
            Box("pushes", low, high, BAR[1], BAR[0], color, tips=tips),
            _residual(
                [(push.low, push.high) for push in (residual,) if push.value], BAR[1], BAR[0], self.remainder, axis
            ),
            _points(drawn, panel),
            Rule("mean", spots[0], BAR[0] - 8, spots[0], BAR[1], "fg", dash="2 2"),
            Rule("prediction", spots[1], BAR[0] - 8, spots[1], BAR[1] + 3, "fg", width=2.5),
            self._end_words(panel, wide),
            *_name_marks(names, panel),
        )
        return Scene("force", (wide, panel.frame.bottom + 44), (panel,), items)

    def _pushes(self) -> list[_Push]:
        """Lay pushes end to end, away from the prediction: left of it what raises it, right of it what lowers it."""
        steps = sorted(self.steps, key=lambda step: -abs(step.value))
        left = right = self.prediction
        found = []
        for label, detail, value in (
            *((step.label, step.detail, step.value) for step in steps),
            (*RESIDUAL, self.remainder),
        ):
            ends = (left - value, left) if value > 0 else (right, right - value)
            left, right = (ends[0], right) if value > 0 else (left, ends[1])
            found.append(_Push(label, detail, value, *ends))
        return found

    def _end_words(self, panel: Panel, wide: float) -> Text:
        """Name the mean and the prediction above the bar, on different sides where they are near each other."""
        texts, ends = self._ends(), (self.base, self.prediction)
        spots = [panel.across(end) for end in ends]
        halves = [width(text, TEXT) * 0.53 for text in texts]
        is_near = abs(spots[0] - spots[1]) * NARROW < sum(halves) + CLEAR
        sides: tuple[Anchor, Anchor] = ("end", "start") if spots[0] <= spots[1] else ("start", "end")
        anchors = sides if is_near else ("middle", "middle")
        held = tuple(_held_anchor(*each, wide) for each in zip(spots, halves, anchors, strict=True))
        return Text("end-words", ends, 10.0, texts, anchor=held, bold=(False, True))


def _residual(ends: Sequence[tuple[float, float]], bottom: float, top: float, value: float, axis: Axis) -> Box:
    """Draw what is not explained."""
    left, right = unzip(ends, 2)
    tips = ("\n".join((*RESIDUAL, effect_text(axis, value))),) * len(ends)
    looks: dict[str, Any] = {"opacity": VEIL, "edge": "muted", "hatched": True, "least": 1.0}
    return Box("residual", left, right, bottom, top, "rest", tips=tips, **looks)


def _color(push: _Push) -> str:
    return "positive" if push.value > 0 else "negative"


def _tip(push: _Push, axis: Axis) -> str:
    return f"{push.label}\n{push.detail}\n{effect_text(axis, push.value)}"


def _points(pushes: Sequence[_Push], panel: Panel) -> Line:
    """Draw, at the end where each push begins, a tip that points to the prediction."""
    xs = []
    for push in pushes:
        length = push.high - push.low
        if length > panel.units_across(2.0):
            point = min(panel.units_across(POINT), length / 2)
            start, turn = (push.low, push.low + point) if push.value > 0 else (push.high, push.high - point)
            xs.append((start, turn, start))
    return Line("points", tuple(xs), ((BAR[0], sum(BAR) / 2, BAR[1]),) * len(xs), "surface", width=1.5)


def _held_anchor(spot: float, half: float, anchor: Anchor, wide: float) -> Anchor:
    """Choose the side on which words stay inside of a plot, a narrow one too."""
    left, right = {"start": (0.0, 2 * half), "middle": (half, half), "end": (2 * half, 0.0)}[anchor]
    if spot * NARROW < left:
        return "start"
    return "end" if (wide - spot) * NARROW < right else anchor


def _names(pushes: Sequence[_Push], panel: Panel, wide: float) -> list[_Name]:
    """Name the largest pushes in two rows, as many as do not touch; of those that cannot be seen only the largest."""
    found: list[_Name] = []
    for push in sorted(pushes, key=lambda push: -abs(push.value)):
        if found and panel.across(push.high) - panel.across(push.low) < SEEN:
            break
        name = shorten(clean(push.label), LONGEST, TEXT)
        half = max(width(name, TEXT), width(push.text, SMALL)) / 2
        middle = panel.across((push.low + push.high) / 2)
        anchor = _held_anchor(middle, half + 2, "middle", wide)
        at = {"start": max(middle - half, 2.0), "middle": middle, "end": min(middle + half, wide - 2)}[anchor]
        tries = (_Name(push, middle, at, anchor, half, row) for row in range(2))
        free = (name for name in tries if not any(name.touches(other) for other in found))
        found += list(free)[:1]
    return found


def _name_marks(names: Sequence[_Name], panel: Panel) -> tuple[Primitive, ...]:
    """Write names and what they add below the bar, each with a line that leads to it."""
    middles = tuple((name.push.low + name.push.high) / 2 for name in names)
    # Beside the axis a place is counted in pixels from its end: a live plot is stretched between the ends only.
    inside = [min(max(name.at, panel.frame.left), panel.frame.right) for name in names]
    at = tuple(panel.x[0] + panel.units_across(spot - panel.frame.left) for spot in inside)
    dx = tuple(name.at - spot for name, spot in zip(names, inside, strict=True))
    top = tuple(BAR[1] + SECOND * name.row for name in names)
    words = tuple(name.push.label for name in names)
    numbers = tuple(name.push.text for name in names)
    anchor = tuple(name.anchor for name in names)
    return (
        Rule("name-lines", middles, BAR[1], middles, tuple(height + 5 for height in top), "muted"),
        Text("names", at, top, words, dx=dx, dy=14.0, anchor=anchor, room=LONGEST, rimmed=True),
        Text("name-numbers", at, top, numbers, dx=dx, dy=28.0, anchor=anchor, rimmed=True, **NOTE),
    )


def waterfall(rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_STEPS, key: str | None = None) -> Figure:
    """Draw the contributions to the prediction of one row, one below the other."""
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    data = _waterfall(rows, row, chosen, found, top)
    title = f"How the prediction of {rows.name(row)} comes about"
    return _figure(
        key or f"o{chosen}-row-{row}-waterfall", title, data, found, rows, {"rows": (row,), "output": chosen}
    )


def force(rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_STEPS, key: str | None = None) -> Figure:
    """Draw the contributions to the prediction of one row as forces that push it up and down."""
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    data = _waterfall(rows, row, chosen, found, top)
    forces = Force(data.axis, data.base, data.steps, data.remainder, data.prediction)
    title = f"What pushes the prediction of {rows.name(row)} up and down"
    return _figure(key or f"o{chosen}-row-{row}-force", title, forces, found, rows, {"rows": (row,), "output": chosen})


def row_values(rows: Rows, row: int, term: Term | None = None) -> tuple[tuple[str, str], ...]:
    """Write the values of a row, of all features or those of a term, as pairs of name and text."""
    at = rows.position(row)
    features = range(len(rows.dec.features)) if term is None else term
    return tuple((rows.dec.features[index].title, _value(rows, at, index)) for index in features)


def _value(rows: Rows, row: int, index: int, *, with_unit: bool = True) -> str:
    column = rows.values[:, index]
    known = column[~np.isnan(column)]
    low, high = shown_range(known, TAIL) if len(known) else (0.0, 0.0)
    text = value_text(rows.dec.features[index], float(column[row]), high - low)
    return Names.of(rows.dec).at(index, text) if with_unit else text


def _waterfall(rows: Rows, row: int, output: int, found: RowExplanation, top: int) -> Waterfall:
    steps = _steps(rows, row, found, top)
    prediction = found.explained if found.prediction is None else found.prediction
    remainder = found.remainder or 0.0
    sums = np.array([*accumulate((step.value for step in steps), initial=found.mean), prediction])
    return Waterfall(prediction_axis(rows.dec, output, sums), found.mean, steps, remainder, prediction)


def _steps(rows: Rows, row: int, found: RowExplanation, top: int) -> tuple[Step, ...]:
    """Largest first; small ones are taken together, unless there is only one."""
    ranked = [item for item in found.ranked() if item.value]
    shown = len(ranked) if len(ranked) <= top else top - 1
    steps = [_step(rows, row, item) for item in ranked[:shown]]
    if ranked[shown:]:
        rest = math.fsum(item.value for item in ranked[shown:])
        steps.append(Step(f"{len(ranked) - shown:,} further terms", "", rest))
    return tuple(steps)


def _step(rows: Rows, row: int, item: Contribution) -> Step:
    values = row_values(rows, row, item.term)
    detail = ", ".join(f"{name} = {text}" for name, text in values)
    # Beside a bar there is room for one unit only.
    short = (_value(rows, rows.position(row), index, with_unit=len(values) == 1) for index in item.term)
    return Step(item.label, detail, item.value, item.term, ", ".join(short))


def _figure(key: str, title: str, data: Waterfall, found: RowExplanation, rows: Rows, of: dict[str, Any]) -> Figure:
    names, part = Names.of(rows.dec, of["output"]), partial(effect_text, data.axis)
    closing = [("explained value", "", names.value(found.explained))]
    if found.prediction is not None:
        closing += [("residual", "", part(data.remainder)), ("prediction", "", names.value(data.prediction))]
    steps = ((step.label, step.detail, part(step.value)) for step in data.steps)
    first = (names.scale.mean, "", names.value(data.base))
    table = Table(("term", "values", "contribution"), (first, *steps, *closing))
    claims = _claims(data, found, of)
    return Figure(key, title, way_words(claims, names), data, table, claims)


def _claims(data: Waterfall, found: RowExplanation, of: dict[str, Any]) -> Claims:
    """State the way from the mean to the prediction, and its largest steps."""
    way = {"mean": data.base, "explained": found.explained}
    if found.prediction is not None:
        way |= {"prediction": data.prediction, "residual": data.remainder}
    named = [step for step in data.steps[:NAMED] if step.term]
    left = len(data.steps) - len(named)
    return (
        Claim("way from the mean", way, **of),
        *(Claim("contribution", {"value": step.value}, (step.term,), **of) for step in named),
        *(Claim("further contributions", {"n_steps": float(left)}, **of) for _ in range(min(left, 1))),
    )
