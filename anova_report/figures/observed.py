"""Observed target against predictions in cells of rows: by the size of the prediction (calibration), by a feature."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anova_report.core.input.features import Feature
from anova_report.figures.axes import level_axis, rounded, value_axis
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import below, frame_within, legend_height
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Box, Dot, Entry, Legend, Line, Primitive, Rule, Ruler, Scene, Text
from anova_report.figures.style import NOTE
from anova_report.figures.ticks import axis_text
from anova_report.measures.judged_claims import cells_claims
from anova_report.measures.observed import Cell, Cells, along, calibration
from anova_report.measures.sentences.accuracy import cells_words
from anova_report.measures.truths import Truth
from anova_report.measures.values import value_text
from anova_report.measures.wording import counted, number, signed

WIDE, HIGH = 440.0, 300.0
DEEP = 40.0  # pixels that names of cells add
STRIP = 40.0  # pixels for counts of rows below
BAR = 9.0  # pixels of half a bar among numbers
HALF = 0.36  # of a bar among levels, in levels
ASIDE = 0.12  # by which truth and prediction of a level stand beside each other, in levels
COUNT_ROOM = 38.0  # pixels that a count of rows needs
STRIP_PANEL = 1


@dataclass(frozen=True)
class Observed:
    """Observed and predicted means in cells of rows; without predictions these are where the cells stand."""

    x: Axis
    y: Axis
    at: Numbers
    predicted: Numbers
    # the truth, with its interval
    observed: Numbers
    lower: Numbers
    upper: Numbers
    rows: tuple[int, ...]

    def scene(self) -> Scene:
        """Lay the cells out, below them how many rows each has."""
        entries = self._entries()
        high = HIGH + (DEEP if self.x.levels else 0.0)
        whole = frame_within(self.x, self.y, Frame(0, legend_height(entries, WIDE) + 2, WIDE - 8, high))
        strip = replace(whole, top=whole.bottom - STRIP)
        main = Panel.of(replace(whole, bottom=strip.top), self.x, self.y)
        low = Panel(strip, main.x, (0.0, 1.0))
        ends = ((max(main.x[0], main.y[0]), min(main.x[1], main.y[1])),) if not self.predicted and self.at else ()
        return Scene(
            "observed",
            (WIDE, high),
            (main, low),
            (
                *self._counts(low),
                Ruler(self.y, "left", grid=True, room=WIDE - 8),
                below(self.x, strip, panel=STRIP_PANEL),
                Line("identity", ends, ends, ("axis",) * len(ends), width=1.0, dash="4 3"),
                *self._marks(main),
                Legend(entries, room=WIDE, switches=True),
            ),
            zooms="xy",
        )

    def _entries(self) -> tuple[Entry, ...]:
        seen = Entry("observed mean, 95% interval", "dot", "accent", marks=("observed", "intervals"))
        if self.predicted:
            return seen, Entry("predicted mean", "diamond", "overlay-1", marks=("predicted",))
        return seen, Entry("both equal", "line", "axis", "4 3", marks=("identity",))

    def _counts(self, low: Panel) -> tuple[Primitive, ...]:
        """Draw the rows of each cell, the largest as high as the strip allows, and write them where there is room."""
        half = HALF if self.x.levels else low.units_across(BAR)
        most, room = max(self.rows, default=0) or 1, 1 - 16 / low.frame.height
        left, right = (tuple(low.held_x(at + side * half) for at in self.at) for side in (-1, 1))
        top = tuple(room * count / most for count in self.rows)
        has_room = bool(self.x.levels) and low.frame.width / max(len(self.x.levels), 1) >= COUNT_ROOM
        kept = len(self.rows) if has_room else 0
        words = tuple(f"{count:,}" for count in self.rows[:kept])
        look: dict[str, Any] = {"panel": STRIP_PANEL, "anchor": "middle", "dy": -7.0, "inside": True}
        return (
            Box("rows", left, right, 0.0, top, "density", panel=STRIP_PANEL, under=True, tips=self._tips()),
            Text("counts", self.at[:kept], top[:kept], words, **look, **NOTE),
        )

    def _marks(self, main: Panel) -> tuple[Primitive, ...]:
        """Draw truth with whiskers, and predictions beside it."""
        aside = ASIDE if self.x.levels else 0.0
        left, right = (tuple(at + side * aside for at in self.at) for side in (-1, 1))
        lower, upper, seen = (tuple(map(main.held_y, ends)) for ends in (self.lower, self.upper, self.observed))
        asked = tuple(map(main.held_y, self.predicted))
        tips = self._tips()
        return (
            Rule("intervals", left, lower, left, upper, "accent", width=1.5),
            Dot("predicted", right[: len(asked)], asked, "overlay-1", shape="diamond", tips=tips[: len(asked)]),
            Dot("observed", left, seen, "accent", tips=tips),
        )

    def _tips(self) -> Words:
        return tuple(map(self._tip, range(len(self.at))))

    def _tip(self, cell: int) -> str:
        expected = self.predicted[cell] if self.predicted else self.at[cell]
        place = f"{self.x.label} {axis_text(self.x, self.at[cell])}\n" if self.x.levels else ""
        ends = f"{axis_text(self.y, self.lower[cell])} to {axis_text(self.y, self.upper[cell])}"
        return (
            f"{place}observed {axis_text(self.y, self.observed[cell])}, 95% interval {ends}\npredicted "
            f"{axis_text(self.y, expected)}\n{counted(self.rows[cell], 'row', 'rows')}"
        )


def calibration_figure(rows: Rows, truth: Truth, output: int) -> Figure:
    """Draw the observed mean of tenths of the rows, by the size of their prediction."""
    found = calibration(truth)
    spread = Feature("prediction", "numeric")
    names = tuple(_range(spread, cell, found.shown) for cell in found.shown)
    expected = np.array([cell.predicted for cell in found.shown])
    y = _truth_axis(truth, rows, found)
    x = value_axis("predicted mean", expected) if len(expected) else Axis("predicted mean", 0.0, 1.0)
    data = _data(x, y, rounded(expected, y.high - y.low), (), found)
    return _figure(
        f"o{output}-calibration", "Calibration: observed against predicted", data, "Prediction", names, found, output
    )


def along_figure(rows: Rows, truth: Truth, index: int, output: int) -> Figure:
    """Draw observed and predicted means along a feature."""
    feature = rows.dec.features[index]
    found = along(truth, feature, rows.values[:, index])
    names = tuple(_range(feature, cell, found.shown) for cell in found.shown)
    y = _truth_axis(truth, rows, found)
    expected = rounded(np.array([cell.predicted for cell in found.shown]), y.high - y.low)
    at = tuple(map(float, range(len(names))))
    data = _data(level_axis(feature.heading, names), y, at, expected, found)
    title = f"Observed and predicted by {feature.title}"
    return _figure(f"o{output}-observed-{index}", title, data, feature.heading, names, found, output, index)


def _data(x: Axis, y: Axis, at: Numbers, expected: Numbers, found: Cells) -> Observed:
    span = y.high - y.low
    seen, lower, upper = (
        rounded(np.array(column), span)
        for column in (
            [cell.observed for cell in found.shown],
            [cell.observed_interval.low for cell in found.shown],
            [cell.observed_interval.high for cell in found.shown],
        )
    )
    return Observed(x, y, at, expected, seen, lower, upper, tuple(cell.n_rows for cell in found.shown))


def _truth_axis(truth: Truth, rows: Rows, found: Cells) -> Axis:
    """Make the axis of truth and predictions, which holds all means and their intervals."""
    held = [
        value
        for cell in found.shown
        for value in (cell.predicted, cell.observed, cell.observed_interval.low, cell.observed_interval.high)
    ]
    label = f"mean of {truth.target}"
    if truth.task in ("binary", "ranking"):
        label = (
            f"share of {rows.dec.output_names[truth.output or 0]}" if _is_class(rows) else f"share of {truth.target}"
        )
    return value_axis(label, np.array(held or [0.0, 1.0]))


def _is_class(rows: Rows) -> bool:
    """Whether an output is called by a class rather than by a column of numbers."""
    return len(rows.dec.output_names) > 1


def _range(feature: Feature, cell: Cell, every: Sequence[Cell]) -> str:
    """Name a cell by the values it holds."""
    known = [end for one in every for end in (one.low, one.high) if not np.isnan(end)]
    span = max(known) - min(known) if known else 0.0
    low, high = (value_text(feature, end, span) for end in (cell.low, cell.high))
    return low if low == high else f"{low} to {high}"


def _figure(
    key: str,
    title: str,
    data: Observed,
    head: str,
    names: Words,
    found: Cells,
    output: int,
    index: int | None = None,
) -> Figure:
    claims = cells_claims(found, names, output, index)
    lines = tuple(
        (
            name,
            f"{cell.n_rows:,}",
            number(cell.predicted),
            number(cell.observed),
            f"{number(cell.observed_interval.low)} to {number(cell.observed_interval.high)}",
            signed(cell.difference),
            f"{signed(cell.difference_interval.low)} to {signed(cell.difference_interval.high)}",
        )
        for name, cell in zip(names, found.shown, strict=True)
    )
    columns = ("Rows", "Predicted mean", "Observed mean", "95% interval", "Observed minus predicted", "95% interval")
    return Figure(key, title, cells_words(claims), data, Table((head, *columns), lines), claims)
