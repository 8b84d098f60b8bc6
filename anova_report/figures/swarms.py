"""All rows at a glance: what each feature, or each term, adds to the predictions of rows, as points along a line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.terms import CARRIES, Term
from anova_report.figures.axes import effects_axis, rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import BELOW, below, legend_height, longest
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Dot, Entry, Legend, Rule, Scene, Text, unzip
from anova_report.figures.shades import MISSING_VALUE, Shades, shaded
from anova_report.figures.shares import largest_features
from anova_report.figures.style import NOTE, SLICES, SMALL, TEXT
from anova_report.figures.text import clean, shorten, width
from anova_report.figures.ticks import effect_text
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.sentences.glance import swarm_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.variance import variance_shares

MOST_LINES, MOST_TERMS = 12, 5
POINTS, TERM_POINTS = 5000, 1250  # over the lines, squared: pages of many features stay small
SWARM_ROWS = 240  # in a line: more would lie on each other
LINE_HEIGHT, NAMES, KEYS, WIDTH = 34.0, 128.0, 116.0, 560.0
LEAST_TERMS = 3  # that are drawn however small they are
RADIUS, STEP, REACH = 2.0, 3.4, 13.0  # pixels of a point, between points side by side, and of a swarm to each side
OWN = ("lowest fifth of the values", "second", "third", "fourth", "highest fifth")


@dataclass(frozen=True)
class Swarm:
    """Contributions to the predictions of some rows, one line of points for each feature or term.

    Parameters
    ----------
    x : Axis
        Of contributions.
    labels : tuple of str
        Names of the lines, the largest share first.
    terms : tuple of Term
        What the lines stand for.
    value : tuple of Numbers
        The contributions of each line, row by row.
    shade : tuple of tuple of int
        The colors of its points: places among the words of its `shades`, −1 where the value is missing.
    shades : tuple of Shades
        What colors stand for, line by line; alike where all lines are colored by one feature.
    rows : tuple of int
        Which rows these are.
    n_rows : int
        Of how many they are a sample.
    marked : int or None
        Position, among the rows, of one that is looked at.
    names : tuple of str
        What the rows are called; empty where a row is its position.
    by : str
        The feature by which all lines are colored; empty where each has its own colors.
    """

    x: Axis
    labels: Words
    terms: tuple[Term, ...]
    value: tuple[Numbers, ...]
    shade: tuple[tuple[int, ...], ...]
    shades: tuple[Shades, ...]
    rows: tuple[int, ...]
    n_rows: int
    marked: int | None = None
    names: Words = ()
    by: str = ""

    def scene(self) -> Scene:
        """Lay a line of points out for each feature, with the values of its colors beside it."""
        n_lines = max(len(self.labels), 1)
        left = longest(self.labels, TEXT, NAMES) + 12
        right = 8.0 if self.by else KEYS
        frame = Frame(left, 22, WIDTH - right, 22 + LINE_HEIGHT * n_lines)
        panel = Panel(frame, self.x.span, (n_lines - 0.5, -0.5))
        entries = self._entries()
        top = frame.bottom + BELOW + 6
        lines, last = tuple(range(len(self.labels))), panel.x[1]
        keys = [] if self.by else [(line, *key) for line in lines for key in self._key(line, right - 12)]
        at, aside, words, colors = unzip(keys, 4)
        note = f"{len(self.rows):,} of {self.n_rows:,} rows" if len(self.rows) < self.n_rows else ""
        zero = panel.held_x(0.0)
        return Scene(
            "swarm",
            (WIDTH, top + legend_height(entries, WIDTH)),
            (panel,),
            (
                replace(below(self.x, frame), grid=True),
                Rule("zero", zero, panel.y[0], zero, panel.y[1]),
                Text("labels", panel.x[0], lines, self.labels, dx=-10.0, anchor="end", room=left - 12, keys=self.terms),
                Text("note", last, panel.y[1], (note,), dy=-11.0, anchor="end", **NOTE),
                Text(
                    "keys-head", last, (panel.y[1],) * bool(keys), ("colors",) * bool(keys), dx=10.0, dy=-11.0, **NOTE
                ),
                Text("keys", last, at, words, dx=aside, color=colors, size=SMALL),
                *self._points(panel),
                Legend(entries, top=top, room=WIDTH),
            ),
            zooms="x",
        )

    def _entries(self) -> tuple[Entry, ...]:
        held = {shade for line in self.shade for shade in line}
        if self.by and self.shades:
            entries = self.shades[0].entries(("points",))
        else:
            entries = tuple(
                Entry(words, "bar", color, marks=("points",)) for words, color in zip(OWN, SLICES, strict=True)
            )
        absent = (Entry("value is missing", "cross", "muted", marks=("absent",)),) if MISSING_VALUE in held else ()
        return entries + absent

    def _points(self, panel: Panel) -> tuple[Dot, ...]:
        """Place points side by side where they would lie on each other; crosses are rows without the value."""
        found: list[tuple[float, float, str, int, int, str]] = []
        for line, (values, shade, shades) in enumerate(zip(self.value, self.shade, self.shades, strict=True)):
            aside = _side_by_side([panel.across(panel.held_x(value)) for value in values])
            for at, (value, away, own) in enumerate(zip(values, aside, shade, strict=True)):
                color = shades.colors[own] if 0 <= own < len(shades.words) else "muted"
                spot = panel.held_x(value), line + away / LINE_HEIGHT
                found.append((*spot, color, self.rows[at], at, self._tip(line, at)))
        known = [item for item in found if item[2] != "muted"]
        absent = [item for item in found if item[2] == "muted"]
        spots = [item for item in found if item[4] == self.marked]
        return (
            Dot(
                "points",
                **_items(known),
                color=tuple(item[2] for item in known),
                radius=RADIUS,
                rimmed=False,
                opacity=0.8,
            ),
            Dot("absent", **_items(absent), color="muted", radius=RADIUS, shape="cross"),
            Dot("marked", **_items(spots), color="fg", radius=5.0, shape="diamond"),
        )

    def _key(self, line: int, room: float) -> list[tuple[float, str, str]]:
        """Say what the colors of a line stand for, and of an interaction whose values these are."""
        shades = self.shades[line]
        if len(self.terms[line]) == 1:
            return _key(shades, room)
        return [(10.0, shorten(clean(f"{shades.by}: {_ends(shades)}"), room, SMALL), "muted")]

    def _tip(self, line: int, at: int) -> str:
        name = self.names[at] if self.names else f"row {self.rows[at]:,}"
        return f"{name}\n{effect_text(self.x, self.value[line][at])}"


def _items(items: Sequence[tuple[float, float, str, int, int, str]]) -> dict[str, Any]:
    return {
        "x": tuple(item[0] for item in items),
        "y": tuple(item[1] for item in items),
        "keys": tuple(item[3] for item in items),
        "tips": tuple(item[5] for item in items),
    }


def _key(shades: Shades, room: float) -> list[tuple[float, str, str]]:
    """Say beside a line what its colors stand for: ends of numbers, or levels, each in its color, while there is room.

    Returned are pixels to the right, words and the name of a color.
    """
    if shades.ordered or not shades.words:
        return [(10.0, shorten(clean(_ends(shades)), room, SMALL), "muted")]
    found, at = [], 0.0
    for words, color in zip(shades.words, shades.colors, strict=True):
        shown = shorten(clean(words), max(room - at, 0.0), SMALL)
        if at and shown != clean(words):
            found.append((10.0 + at, "…", "muted"))
            break
        found.append((10.0 + at, shown, color))
        at += width(shown, SMALL) + 6
    return found


def _ends(shades: Shades) -> str:
    if not shades.ordered or not shades.words:
        return ", ".join(shades.words)
    return f"{shades.words[0].split(' to ')[0]} to {shades.words[-1].split(' to ')[-1]}"


def _side_by_side(pixels: Sequence[float]) -> list[float]:
    """Say how far each point moves up or down, so that those at about the same place lie side by side.

    Examples
    --------
    >>> _side_by_side([10.0, 10.2, 50.0, 9.9])
    [0.0, 3.4, 0.0, -3.4]
    """
    members: dict[int, list[int]] = {}
    for at, pixel in enumerate(pixels):
        members.setdefault(round(pixel / STEP), []).append(at)
    moved = [0.0] * len(pixels)
    for held in members.values():
        step = min(STEP, 2 * REACH / max(len(held) - 1, 1))
        for place, at in enumerate(held):
            moved[at] = step * ((place + 1) // 2) * (1 if place % 2 else -1) + 0.0
    return moved


def feature_swarm(rows: Rows, output: str | int = 0, *, by: str | int | None = None, key: str | None = None) -> Figure:
    """Draw what each feature contributes to the predictions of rows: ANOVA-Shapley values.

    Points are colored by the value of the feature itself, or all by that of one feature.
    """
    chosen = rows.dec.output_index(output)
    found = largest_features(rows.dec, chosen, MOST_LINES)
    lines = [SwarmLine((index,), rows.dec.feature_titles[index], index) for index in found]
    drawn = swarm_rows(rows, len(lines))
    values = contributions(rows, drawn, chosen)[:, found]
    data, widest = _swarm(rows, drawn, values, lines, chosen, by), _widest(rows, values)
    claims = tuple(
        Claim("widest contributions of a feature", numbers, features=lines[at].term, output=chosen, over="drawn rows")
        for at, numbers in widest
    )
    return _figure(rows, data, values, claims, (key or f"o{chosen}-swarm", "What each feature contributes, row by row"))


def term_swarm(rows: Rows, output: str | int = 0, *, by: str | int | None = None, key: str | None = None) -> Figure:
    """Draw what each term contributes; the colors of an interaction are those of its feature with more main effect."""
    chosen = rows.dec.output_index(output)
    shares = {share.term: share.structural for share in variance_shares(rows.dec, chosen).terms}
    ranked = sorted(shares, key=lambda term: -shares[term])
    found = ranked[: max(LEAST_TERMS, min(MOST_TERMS, sum(share >= CARRIES for share in shares.values())))]
    lines = [
        SwarmLine(term, rows.dec.label(term), max(term, key=lambda at: (shares.get((at,), 0.0), -at))) for term in found
    ]
    drawn = swarm_rows(rows, len(lines), TERM_POINTS)
    values = rows.dec.expansion.evaluate(rows.values[drawn], found)[:, :, chosen]
    data, widest = _swarm(rows, drawn, values, lines, chosen, by), _widest(rows, values)
    claims = tuple(
        Claim("widest contributions of a term", numbers, (lines[at].term,), output=chosen, over="drawn rows")
        for at, numbers in widest
    )
    name = key or f"o{chosen}-swarm-terms", "What each term contributes, row by row"
    return _figure(rows, data, values, claims, name)


def swarm_rows(rows: Rows, n_lines: int, points: int = POINTS) -> Any:
    """Choose the rows that are drawn in so many lines: fewer of more lines."""
    most = min(SWARM_ROWS, points // max(n_lines, 1) ** 2, len(rows.sample))
    return rows.sample[np.linspace(0, len(rows.sample) - 1, most).astype(np.intp)]


def contributions(rows: Rows, drawn: Any, output: int) -> Floats:
    """Share the components of rows equally among their features, shape (n_drawn, n_features)."""
    components = rows.dec.expansion.evaluate(rows.values[drawn])[:, :, output]
    return np.asarray(components @ rows.dec.membership)


@dataclass(frozen=True)
class SwarmLine:
    """A line of points: what it stands for, its name, and the feature whose values its colors are."""

    term: Term
    label: str
    colored_by: int


def _swarm(
    rows: Rows, drawn: Any, values: Floats, lines: Sequence[SwarmLine], output: int, by: str | int | None
) -> Swarm:
    one = None if by is None else rows.feature(by)
    colored = [shaded(rows, line.colored_by if one is None else one, drawn) for line in lines]
    x = effects_axis(rows.dec, output, values.ravel())
    return Swarm(
        x=x,
        labels=tuple(line.label for line in lines),
        terms=tuple(line.term for line in lines),
        value=tuple(rounded(column, x.high - x.low) for column in values.T),
        shade=tuple(shade for _, shade in colored),
        shades=tuple(shades for shades, _ in colored),
        rows=tuple(drawn.tolist()),
        n_rows=len(rows),
        names=() if rows.names is None else tuple(map(rows.name, drawn.tolist())),
        by="" if one is None else rows.dec.feature_titles[one],
    )


def _widest(rows: Rows, values: Floats) -> list[tuple[int, dict[str, float]]]:
    """Find the line whose contributions reach farthest, how far, and in which rows; none where there is no line."""
    if not values.size:
        return []
    at = int(np.ptp(values, axis=0).argmax())
    counts = {"n_drawn": float(len(values)), "n_rows": float(len(rows))}
    return [(at, counts | {"low": float(values[:, at].min()), "high": float(values[:, at].max())})]


def _figure(rows: Rows, data: Swarm, values: Floats, claims: Claims, name: tuple[str, str]) -> Figure:
    output = next((claim.output for claim in claims), 0) or 0
    return Figure(*name, swarm_words(claims, Names.of(rows.dec, output)), data, _table(data, values), claims)


def _table(data: Swarm, values: Floats) -> Table:
    """Write for each line how its contributions are spread, and their means where the value is low and high."""
    head = ("", "lowest", "median", "highest", "colored by", "mean of the first color", "mean of the last color")
    lines = []
    for label, column, shade, shades in zip(data.labels, values.T, data.shade, data.shades, strict=True):
        spots = (column.min(), np.median(column), column.max())
        codes = np.array(shade)
        means = []
        for at in (0, len(shades.words) - 1):
            inside = column[codes == at]
            mean = effect_text(data.x, float(inside.mean())) if len(inside) else "–"
            means.append(f"{mean} ({shades.words[at]})" if shades.words else "–")
        lines.append((label, *(effect_text(data.x, float(spot)) for spot in spots), shades.by, *means))
    return Table(head, tuple(lines))
