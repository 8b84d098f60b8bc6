"""How large the gap is in regions of each feature, live; twin of `svg.regions`."""

from dataclasses import replace
from typing import Any

from bokeh.models import Plot
from bokeh.transform import transform

from anova_report.figures.kinds import Regions
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name, repaint, scale
from anova_report.figures.live.frame import Frame, Side, listed, rounded
from anova_report.figures.live.stage import Columns, Sources, Table, hide_grid, hover
from anova_report.figures.live.words import brief, lines, plain
from anova_report.figures.style import SEQUENTIAL_DARK, SEQUENTIAL_LIGHT, SIZES, SMALL, TEXT, size
from anova_report.figures.svg import heat
from anova_report.figures.svg.regions import CELL, COLUMNS, NAMES, TOP
from anova_report.figures.svg.text import clean, shorten, width
from anova_report.measures.wording import number

NO_ROWS = -1.0  # below the scale of colours, so it has a colour of its own
ASIDE = 14.0  # pixels between the cells and the name of the worst region
INKS = ("on-pale", "on-strong")


def columns(data: Regions) -> Columns:
    """Return the columns of regions: one row for each, and the largest gap of each feature in words."""
    return {"cells": _cells(data), "largest": _largest(data), "places": _places(data)}


def frame(data: Regions) -> Frame:
    """Return what stands around regions: names of features at the left, of their worst regions at the right."""
    wide, high = size(data)
    left = _left(data)
    end = (wide - left) / CELL - 0.5
    words = f"typical gap in a region, in standard deviations of the answers; colours: 0 to {number(data.limit)}"
    below = "regions of each feature, in order; right: where its gap is largest"
    rows = SIZES["regions"].row * len(data.features)
    return Frame(
        x=Side(below, -0.5, COLUMNS - 0.5, -0.5, end, ()),
        y=replace(listed(data.features, left - 12), label=words),
        size=(wide, high),
        borders=(left, TOP, 0.0, high - TOP - rows),
        limits=(0.0, data.limit or 1.0),
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of regions."""
    shades = scale(SEQUENTIAL_LIGHT, SEQUENTIAL_DARK)
    repaint(shades, low_color="shade")
    hide_grid(plot)
    looks: dict[str, Any] = {"line_color": "surface", "line_width": 1.5}
    cells = marks.boxes(plot, sources["cells"], fill_color=transform("gap", shades), **looks)
    marks.texts(plot, sources["largest"], text_color=by_name("ink", INKS), text_align="center")
    marks.texts(plot, sources["places"], x_offset=ASIDE)
    hover(plot, cells)


def _left(data: Regions) -> float:
    return min(NAMES, max((width(clean(name), TEXT) for name in data.features), default=0.0)) + 12


def _cells(data: Regions) -> Table:
    found = [
        (row, column, gap if count else NO_ROWS, _tip(data, row, column))
        for row, (gaps, counts) in enumerate(zip(data.gap, data.count, strict=True))
        for column, (gap, count) in enumerate(zip(gaps[:COLUMNS], counts, strict=False))
    ]
    return {
        "left": [column - 0.5 for _, column, _, _ in found],
        "right": [column + 0.5 for _, column, _, _ in found],
        "bottom": [row + 0.5 for row, _, _, _ in found],
        "top": [row - 0.5 for row, _, _, _ in found],
        "gap": rounded([gap for _, _, gap, _ in found], data.limit),
        "tip": [tip for _, _, _, tip in found],
    }


def _tip(data: Regions, row: int, column: int) -> str:
    count = data.count[row][column]
    name = f"{brief(data.features[row])}: {brief(data.bins[row][column])}"
    return lines(name, f"gap {number(data.gap[row][column])}" if count else "", f"{count:,} rows")


def _worst(data: Regions, row: int) -> int | None:
    """Return the region with the largest gap of a feature, the first of equal ones."""
    seen = [(gap, -column) for column, gap in enumerate(data.gap[row][:COLUMNS]) if data.count[row][column]]
    return -max(seen)[1] if seen else None


def _largest(data: Regions) -> Table:
    worst = [(row, _worst(data, row)) for row in range(len(data.features))]
    found = [(row, column, data.gap[row][column]) for row, column in worst if column is not None]
    return {
        "x": [float(column) for _, column, _ in found],
        "y": [float(row) for row, _, _ in found],
        "text": [number(float(f"{gap:.2g}")) for _, _, gap in found],
        "ink": [heat.ink(heat.signed_position(gap, data.limit)) for _, _, gap in found],
    }


def _places(data: Regions) -> Table:
    room = size(data)[0] - _left(data) - CELL * COLUMNS - ASIDE
    worst = [_worst(data, row) for row in range(len(data.features))]
    names = ["no rows" if column is None else data.bins[row][column] for row, column in enumerate(worst)]
    return {
        "x": [COLUMNS - 0.5] * len(names),
        "y": [float(row) for row in range(len(names))],
        "text": [plain(shorten(clean(name), room, SMALL)) for name in names],
    }
