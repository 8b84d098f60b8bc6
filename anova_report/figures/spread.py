"""How rows are spread: predictions against their explanations row by row, and counts of rows over one axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.axes import (
    along,
    level_axis,
    number_axis,
    prediction_axis,
    rounded,
)
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, LogAxis, Numbers, Panel, Words
from anova_report.figures.layout import below, frame_within, legend_height
from anova_report.figures.level_scales import MOST_LEVELS, LevelScale, column_levels
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Box, Dot, Entry, Legend, Line, Rule, Ruler, Scene, Text
from anova_report.figures.style import NOTE, SLICES, SMALL, spread
from anova_report.figures.text import clean, shorten, width
from anova_report.figures.ticks import axis_text
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names, prediction_name
from anova_report.measures.sentences.rows import histogram_words, scatter_words
from anova_report.measures.values import quantiles, shown_range, value_text
from anova_report.measures.wording import percent

SCATTER_ROWS = 800
TABLE_PARTS = 8
FAR = 0.5  # standard deviations of the predictions: residuals beyond are called large
BINS = 24
TAIL = 0.005
LABEL = 380.0  # pixels of the longest name of a group
DEEPEST = 44.0  # of slanted level names below a histogram: the picture is low
HALF = 0.36  # of the bar of a level, in levels


@dataclass(frozen=True)
class Scatter:
    """Rows as points."""

    x: Axis
    y: Axis
    at: Numbers
    value: Numbers
    rows: tuple[int, ...]  # which row each point is
    n_rows: int  # of how many rows these are a sample
    identity: bool = True  # draw the line on which both are equal
    marked: int | None = None  # position, among the points, of one that is looked at
    # which group each point is in; empty where all look alike, and points without one are not drawn
    group: tuple[int, ...] = ()
    group_names: Words = ()
    grouped_by: str = ""  # what tells the groups apart
    names: Words = ()  # what the rows are called; empty where a row is its position, and in older documents

    def scene(self) -> Scene:
        """Lay the points out, darker where they are many; groups are named below."""
        wide, high = 420.0, 420.0
        entries = self._entries()
        panel = Panel.of(frame_within(self.x, self.y, Frame(0, 0, wide - 8, high)), self.x, self.y)
        note = self._note()
        low, high_end = min(self.x.low, self.y.low), max(self.x.high, self.y.high)
        equal = ((low, high_end),) if self.identity else ()
        return Scene(
            "scatter",
            (wide, high + (legend_height(entries, wide) + 6 if entries else 0.0)),
            (panel,),
            (
                Ruler(self.y, "left", grid=True, room=wide - 16 - width(note, SMALL)),
                replace(below(self.x, panel.frame), grid=True),
                Text("note", panel.x[1], panel.y[1], (note,), dx=8.0, dy=-15.0, anchor="end", **NOTE),
                Line("identity", equal, equal, "axis", width=1.0, dash="4 3"),
                *self._points(panel),
                Legend(entries, top=high + 4, room=wide),
            ),
            zooms="xy",
        )

    def _note(self) -> str:
        rows = f"{len(self.at):,} of {self.n_rows:,} rows" if len(self.at) < self.n_rows else ""
        return " · ".join(filter(None, (rows, "dashed: both equal" if self.identity else "")))

    def _entries(self) -> tuple[Entry, ...]:
        colors, labels = spread(SLICES, len(self.group_names)), self._labels()
        found = [(labels[position], colors[position]) for position in sorted(labels)]
        return tuple(Entry(words, "bar", color, marks=("groups",)) for words, color in found)

    def _labels(self) -> dict[int, str]:
        """Name the groups that have points; the first name also says what tells them apart."""
        held = sorted({group for group in self.group if 0 <= group < len(self.group_names)})
        words = [self.group_names[group] for group in held]
        if words and self.grouped_by:
            words[0] = f"{self.grouped_by}: {words[0]}"
        return {group: shorten(clean(name), LABEL, SMALL) for group, name in zip(held, words, strict=True)}

    def _points(self, panel: Panel) -> tuple[Dot, ...]:
        """Draw all points alike, or those of each group in its color, group by group as the legend has them."""
        labels, colors = self._labels(), spread(SLICES, len(self.group_names))
        in_group = [(group, point) for point, group in enumerate(self.group[: len(self.at)]) if group in labels]
        order = sorted(in_group)
        marked = [] if self.marked is None or self.marked >= len(self.at) else [self.marked]
        grouped: dict[str, Any] = {
            "color": tuple(colors[group] for group, _ in order),
            "labels": tuple(labels[group] for group, _ in order),
        }
        every = [] if self.group else list(range(len(self.at)))
        small: dict[str, Any] = {"radius": 2.5, "rimmed": False}
        spot = self._items(marked)
        spot |= {"x": tuple(map(panel.held_x, spot["x"])), "y": tuple(map(panel.held_y, spot["y"]))}
        return (
            Dot("points", **self._items(every), color="accent", opacity=0.5, **small),
            Dot("groups", **self._items([point for _, point in order]), **grouped, opacity=0.9, **small),
            Dot("marked", **spot, color="positive", radius=5.5),
        )

    def _items(self, points: Sequence[int]) -> dict[str, Any]:
        names = self.names or tuple(f"row {row:,}" for row in self.rows)
        tips = (
            f"{names[point]}\n{self.x.label} {axis_text(self.x, self.at[point])}\n"
            f"{self.y.label} {axis_text(self.y, self.value[point])}"
            for point in points
        )
        return {
            "x": tuple(self.at[point] for point in points),
            "y": tuple(self.value[point] for point in points),
            "keys": tuple(self.rows[point] for point in points),
            "tips": tuple(tips),
        }


@dataclass(frozen=True)
class Histogram:
    """How rows are spread over one axis: counts between edges, or of each level where there are no edges."""

    x: Axis
    edges: Numbers
    count: tuple[int, ...]

    def scene(self) -> Scene:
        """Lay bars out over a labelled axis."""
        wide, high = 440.0, 180.0
        y = Axis("rows", 0.0, 1.06 * max(self.count, default=0) or 1.0)
        panel = Panel.of(frame_within(self.x, y, Frame(0, 0, wide - 8, high), DEEPEST), self.x, y)
        axis = below(self.x, panel.frame, deepest=DEEPEST)
        items = (Ruler(y, "left", grid=True), self._bars(panel, 1.0), axis)
        return Scene("histogram", (wide, high), (panel,), items, zooms="x")

    def small_scene(self) -> Scene:
        """Lay bars out alone, to stand in a table."""
        wide, high = 150.0, 36.0
        panel = Panel.of(Frame(0, 2, wide, high - 1), self.x, Axis("", 0.0, max(self.count, default=0) or 1.0))
        base = panel.y[0] - panel.units_up(0.5)
        items = (self._bars(panel, 0.5), Rule("base", panel.x[0], base, panel.x[1], base))
        return Scene("histogram small", (wide, high), (panel,), items)

    def _bars(self, panel: Panel, gap: float) -> Box:
        """Draw bars with a gap of some pixels between them; a bar of any row at all is at least a pixel high."""
        sides = list(pairwise(self.edges)) or [(at - HALF, at + HALF) for at in range(len(self.count))]
        left, right, top, tips = [], [], [], []
        for position, (ends, count) in enumerate(zip(sides, self.count, strict=False)):
            if count:
                low, high = map(panel.held_x, ends)
                inset = min(panel.units_across(gap), (high - low) / 4) / 2
                left.append(low + inset)
                right.append(high - inset)
                top.append(max(float(count), panel.units_up(1.0)))
                words = [axis_text(self.x, end) for end in (ends if self.edges else (position,))]
                tips.append(f"{self.x.label} {' to '.join(words)}\n{count:,} row{'s' * (count > 1)}")
        return Box("bars", tuple(left), tuple(right), 0.0, tuple(top), "unexplained", tips=tuple(tips))


def scatter_figure(rows: Rows, output: str | int = 0, *, row: int | None = None, key: str | None = None) -> Figure:
    """Draw the predictions of some rows against their explanations, and mark one if wanted."""
    chosen = rows.dec.output_index(output)
    drawn, explained = _drawn(rows, chosen, row)
    predictions = rows.predictions_of(chosen)[drawn]
    axis = prediction_axis(rows.dec, chosen, explained, predictions)
    span = axis.high - axis.low
    data = Scatter(
        replace(axis, label=f"explained {axis.label}"),
        axis,
        at=rounded(explained, span),
        value=rounded(predictions, span),
        rows=tuple(drawn.tolist()),
        n_rows=len(rows),
        marked=None if row is None else drawn.tolist().index(row),
        names=() if rows.names is None else tuple(map(rows.name, drawn.tolist())),
    )
    names = Names.of(rows.dec, chosen)
    claim, table = _scatter_claim(rows, chosen, predictions, explained), _scatter_table(predictions, explained, names)
    title = "Predictions against explained values"
    return Figure(key or f"o{chosen}-scatter", title, scatter_words(claim, names), data, table, (claim,))


def _drawn(rows: Rows, output: int, row: int | None) -> tuple[NDArray[np.intp], Floats]:
    """Rows to draw, and their explanations; a marked row is the last where it is not one of them anyway."""
    thinned = np.linspace(0, len(rows.sample) - 1, min(len(rows.sample), SCATTER_ROWS)).astype(np.intp)
    drawn, explained = rows.sample[thinned], rows.explained[thinned, output]
    if row is None or rows.position(row) in drawn:
        return drawn, explained
    return np.append(drawn, row), np.append(explained, rows.explanation(row, output).explained)


def _scatter_claim(rows: Rows, output: int, predictions: Floats, explained: Floats) -> Claim:
    residual, deviation = predictions - explained, float(rows.predictions_of(output).std())
    numbers = {"n_drawn": float(len(residual)), "n_rows": float(len(rows)), "deviation": deviation}
    numbers["residual"] = float(np.sqrt((residual**2).mean()))
    if deviation:
        numbers["far"] = float((np.abs(residual) > FAR * deviation).mean())
    return Claim("typical residual", numbers, output=output, over="drawn rows")


def _scatter_table(predictions: Floats, explained: Floats, names: Names) -> Table:
    """Average predictions and explanations, and the size of the residual, in parts of the range of explanations."""
    edges = np.unique(quantiles(explained, np.linspace(0, 1, TABLE_PARTS + 1)[1:-1]))
    part = np.searchsorted(edges, explained, side="right")
    lines = []
    for number_of in np.unique(part):
        inside = part == number_of
        residual = predictions[inside] - explained[inside]
        means = (names.value(float(values[inside].mean())) for values in (explained, predictions))
        lines.append((f"{inside.sum():,}", *means, names.size(float(np.sqrt((residual**2).mean())))))
    mean = "geometric mean of" if names.scale.factors else "mean"
    head = ("rows", f"{mean} explained value", f"{mean} prediction", "root mean square residual")
    return Table(head, tuple(lines))


def histogram_figure(rows: Rows, feature: str | int, *, key: str | None = None) -> Figure:
    """Draw how the rows are spread over one feature."""
    index = rows.feature(feature)
    kind = rows.dec.features[index]
    return _histogram(key or f"feature-{index}", kind, rows.values[:, index], features=(index,))


def predictions_histogram(rows: Rows, output: str | int = 0, *, key: str | None = None) -> Figure:
    """Draw how the predictions are spread."""
    chosen = rows.dec.output_index(output)
    log = prediction_axis(rows.dec, chosen, np.zeros(1)).log
    kind = Feature(prediction_name(rows.dec, chosen), "numeric", unit=Names.of(rows.dec, chosen).unit)
    return _histogram(key or f"o{chosen}-predictions", kind, rows.predictions_of(chosen), log, output=chosen)


def _histogram(key: str, feature: Feature, column: Floats, log: LogAxis = "", **of: Any) -> Figure:
    """Draw a histogram of a column; `of` says in its claim whose column it is, `log` how logarithms are written."""
    listed = np.exp(column) if log else column
    scale = column_levels(feature, listed)
    if scale is None:
        data, claim, table = _of_numbers(feature, column, log, of)
    else:
        if scale.n_left_out:
            scale = column_levels(feature, listed, MOST_LEVELS - 1) or scale
        data, claim, table = _of_levels(feature, scale, of)
    return Figure(
        key, f"Rows by {feature.title}", histogram_words(claim, feature.title, feature.unit), data, table, (claim,)
    )


def _of_levels(feature: Feature, scale: LevelScale, of: dict[str, Any]) -> tuple[Histogram, Claim, Table]:
    if feature.kind == "nominal":
        scale = scale.reordered(np.lexsort((-scale.count, np.isnan(scale.codes))))
    names, count = list(scale.names), scale.count.tolist()
    if scale.n_left_out:
        names.append(f"({scale.n_left_out:,} others)")
        count.append(scale.rows_left_out)
    total, most = sum(count), int(np.argmax(scale.count))
    numbers = {"n_rows": float(total), "rows": float(count[most]), "n_values": float(len(names))}
    claim = Claim("most frequent value", numbers, places=(names[most],), **of)
    data = Histogram(level_axis(feature.heading, tuple(names)), (), tuple(count))
    return data, claim, _histogram_table(feature, names, count, total)


def _of_numbers(feature: Feature, column: Floats, log: LogAxis, of: dict[str, Any]) -> tuple[Histogram, Claim, Table]:
    known = column[~np.isnan(column)]
    axis = replace(number_axis(feature, *shown_range(known, TAIL)), log=log)
    written = partial(axis_text, axis) if log else partial(value_text, feature, span=axis.high - axis.low)
    edges = np.linspace(axis.low, axis.high, BINS + 1)
    count = np.histogram(known, edges)[0].tolist()
    others = {"beyond": len(known) - sum(count), "missing": len(column) - len(known)}
    kept = {name: rows for name, rows in others.items() if rows}
    ends = list(map(written, edges.tolist()))
    brackets = {"beyond": "(beyond what is drawn)", "missing": "(missing)"}
    names = [*(f"{low} to {high}" for low, high in pairwise(ends)), *(brackets[name] for name in kept)]
    table = _histogram_table(feature, names, [*count, *kept.values()], len(column))
    quartiles = dict(
        zip(("quarter", "median", "three_quarters"), np.quantile(known, [0.25, 0.5, 0.75]).tolist(), strict=True)
    )
    places = tuple(map(written, quartiles.values()))
    shares = {name: rows / len(column) for name, rows in kept.items()}
    claim = Claim("middle half", {"n_rows": float(len(column))} | quartiles | shares, places=places, **of)
    return Histogram(axis, along(axis, edges), tuple(count)), claim, table


def _histogram_table(feature: Feature, names: Sequence[str], count: Sequence[int], total: int) -> Table:
    cells = ((name, f"{rows:,}", percent(rows / total)) for name, rows in zip(names, count, strict=True))
    return Table((feature.heading, "rows", "share of rows"), tuple(cells))
