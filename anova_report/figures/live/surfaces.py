"""A pair as colours over the plane of its two features, live; twin of `svg.surfaces`."""

from dataclasses import replace
from itertools import groupby
from typing import Any

from bokeh.models import BasicTicker, Image, Plot, Scatter
from bokeh.models.annotations import ColorBar

from anova_report.figures.kinds import Axis, Surface
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name, painted, scale
from anova_report.figures.live.frame import Frame, along, rounded, side
from anova_report.figures.live.stage import Columns, Sources, Table, hide_grid, hover
from anova_report.figures.live.words import Tip, brief, placeholder, plain, tip, value_text
from anova_report.figures.style import DIVERGING_DARK, DIVERGING_LIGHT, FONT, SMALL, size
from anova_report.figures.svg import axes, heat, scales
from anova_report.figures.svg.surfaces import BAR, NUMBERS
from anova_report.figures.svg.text import width
from anova_report.measures.wording import number, signed

INKS = ("on-pale", "on-strong", "fg")


def columns(data: Surface) -> Columns:
    """Return the columns of a surface: its cells as one picture, and what stands on them."""
    return {"cells": _cells(data), "thin": _thin(data), "numbers": _numbers(data), "marked": _marked(data)}


def frame(data: Surface) -> Frame:
    """Return what stands around a surface; the scale of colours stands at its right."""
    wide, high = size(data)
    right = wide - BAR - 20 - max(width(number(end), SMALL) for end in (data.limit, -data.limit))
    place = axes.frame(data.x, data.y, scales.Frame(0, 0, right, high))
    hatched = "; hatched: few rows" if any(map(any, data.thin)) else ""
    label = plain(f"{data.y.label}; colours: {data.label}{hatched}")
    limit = data.limit or 1.0
    return Frame(
        x=side(data.x, place.width),
        y=replace(side(data.y), label=label),
        size=(wide, high),
        borders=(place.left, place.top, 8.0, high - place.bottom),
        limits=(-limit, limit),
        tips={"cells": _tip(data)},
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a surface."""
    shades = scale(DIVERGING_LIGHT, DIVERGING_DARK)
    cells = Image(color_mapper=shades)
    picture = plot.add_glyph(sources["cells"], cells, level=marks.UNDER_GRID)
    looks: dict[str, Any] = {"hatch_pattern": "/", "hatch_scale": 8, "hatch_weight": 1, "hatch_color": "axis"}
    marks.boxes(plot, sources["thin"], fill_color="surface", fill_alpha=0.55, **looks)
    marks.texts(plot, sources["numbers"], text_color=by_name("ink", INKS), text_align="center")
    for colour, thickness in (("surface", 5), ("fg", 2)):
        cross = painted(Scatter, marker="x", size=12, line_color=colour, line_width=thickness)
        marked = plot.add_glyph(sources["marked"], cross)
    hover(plot, picture, name="cells")
    hover(plot, marked)
    plot.add_layout(colour_bar(color_mapper=shades, width=int(BAR), height=170, location="top_left"), "right")
    hide_grid(plot)


def colour_bar(**properties: Any) -> ColorBar:
    """Make the scale of colours beside cells."""
    return painted(
        ColorBar,
        ticker=BasicTicker(desired_num_ticks=3),
        bar_line_color=None,
        background_fill_color=None,
        major_tick_line_color=None,
        major_label_text_color="muted",
        major_label_text_font=FONT,
        major_label_text_font_size=f"{SMALL}px",
        label_standoff=5,
        padding=6,
        **properties,
    )


def _cells(data: Surface) -> Table:
    x, y = side(data.x), side(data.y)
    table = [rounded(row, data.limit) for row in data.value]
    place = {"x": [x.low], "y": [y.low], "dw": [x.high - x.low], "dh": [y.high - y.low]}
    across, down = len(table[0]) if table else 0, len(table)
    levels: Table = {}
    if data.x.levels:
        levels["x_level"] = [[[brief(name) for name in data.x.levels[:across]]] * down]
    if data.y.levels:
        levels["y_level"] = [[[brief(name)] * across for name in data.y.levels[:down]]]
    return {"image": [table] if across else []} | place | levels


def _tip(data: Surface) -> Tip:
    x = ("@x_level",) if data.x.levels else placeholder("$x", data.x)
    y = ("@y_level",) if data.y.levels else placeholder("$y", data.y)
    effect = placeholder("@image", Axis("", -data.limit, data.limit), sign=True)
    return tip((data.x.label, *x), (data.y.label, *y), (data.label, *effect))


def _thin(data: Surface) -> Table:
    """Return the cells without rows, one box for each run of them along a row of cells."""
    found = []
    for position, row in enumerate(data.thin):
        start = 0
        for thin, cells in groupby(row):
            end = start + len(list(cells))
            if thin:
                found.append((start / len(row), end / len(row), position))
            start = end
    return {
        "left": along(data.x, [_at(data.x, run[0]) for run in found]),
        "right": along(data.x, [_at(data.x, run[1]) for run in found]),
        "bottom": along(data.y, [_at(data.y, run[2] / len(data.thin)) for run in found]),
        "top": along(data.y, [_at(data.y, (run[2] + 1) / len(data.thin)) for run in found]),
    }


def _at(axis: Axis, share: float) -> float:
    return axis.low + (axis.high - axis.low) * share


def _numbers(data: Surface) -> Table:
    """Return the effects that are written into cells of few levels."""
    across, down = len(data.x.levels), len(data.y.levels)
    found = []
    if 0 < across <= NUMBERS[0] and 0 < down <= NUMBERS[1]:
        found = [(i, j, value) for j, row in enumerate(data.value) for i, value in enumerate(row)]
    return {
        "x": [float(i) for i, _, _ in found],
        "y": [float(j) for _, j, _ in found],
        "text": [signed(value) for _, _, value in found],
        "ink": ["fg" if data.thin and data.thin[j][i] else _ink(value, data.limit) for i, j, value in found],
    }


def _ink(value: float, limit: float) -> str:
    return heat.ink(heat.signed_position(value, limit))


def _marked(data: Surface) -> Table:
    if data.marked is None:
        return {"x": [], "y": [], "tip": []}
    x, y = (min(max(value, axis.low), axis.high) for axis, value in zip((data.x, data.y), data.marked, strict=True))
    tip_text = f"this row: {value_text(data.x, data.marked[0])}, {value_text(data.y, data.marked[1])}"
    return {"x": along(data.x, [x]), "y": along(data.y, [y]), "tip": [tip_text]}
