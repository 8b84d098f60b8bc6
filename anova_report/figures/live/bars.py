"""The main effect of levels, live: one bar each, from zero; twin of `svg.bars`."""

import math
from collections.abc import Sequence
from dataclasses import replace

from bokeh.core.properties import field, value
from bokeh.models import Plot, Scatter
from bokeh.models.annotations import LegendItem

from anova_report.figures.kinds import Levels, Line
from anova_report.figures.live import marks
from anova_report.figures.live.colours import painted
from anova_report.figures.live.frame import Frame, along, listed, side, widened
from anova_report.figures.live.stage import Columns, Mark, Sources, Table, hover, legend
from anova_report.figures.live.words import brief, lines
from anova_report.figures.style import OVERLAYS, SIZES, TEXT, size
from anova_report.figures.svg.bars import NAMES, POOLED, REACH, SHARES, TOP, mark_shape
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import percent, signed

HALF = 6 / SIZES["levels"].row  # of the height of a bar
FAINT = 0.45
MARKERS = {"tick": "dash", "cross": "x", "diamond": "diamond", "triangle": "triangle"}  # as BokehJS calls them


def columns(data: Levels) -> Columns:
    """Return the columns of levels."""
    return {
        "bars": _bars(data),
        "rules": marks.rules(data.y, marks.ROWS, *_rules(data)),
        **_overlays(data),
        "shares": {
            "x": [frame(data).x.end] * len(data.share),
            "y": [float(position) for position in range(len(data.share))],
            "text": [percent(share) for share in data.share],
        },
    }


def frame(data: Levels) -> Frame:
    """Return what stands around levels: their names at the left, shares of rows at the right."""
    wide, high = size(data)
    rows = max(len(data.value), 1)
    named = zip(data.x.levels, _pooled(data), strict=False)
    names = [clean(name) + (POOLED if pooled else "") for name, pooled in named]
    left = min(NAMES, max((width(name, TEXT) for name in names), default=0.0)) + 14
    across = wide - SHARES - left
    label = data.y.label
    if data.left_out:
        label = f"{label} ({data.left_out} rarer level{'s' if data.left_out > 1 else ''} not drawn)"
    return Frame(
        x=widened(side(replace(data.y, label=label)), after=SHARES / across),
        y=replace(listed(names, left - 14), label="" if data.overlays else "rows"),
        size=(wide, high),
        borders=(left, TOP, 0.0, high - TOP - SIZES["levels"].row * rows),
        legend=bool(data.overlays),
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of levels."""
    strength = {"fill_alpha": "strength", "line_alpha": "strength"}
    bars = marks.boxes(plot, sources["bars"], fill_color="accent", line_color="accent", line_width=0.75, **strength)
    marks.draw_rules(plot, sources["rules"])
    looks = {"line_width": "wide", "size": "size", "angle": "angle", "marker": "shape", "fill_color": None}
    others: list[Mark] = [
        plot.add_glyph(sources[name], painted(Scatter, line_color=name, **looks)) for name in OVERLAYS
    ]
    marks.texts(plot, sources["shares"], text_align="right")
    hover(plot, bars, *others)
    component = LegendItem(label=value("component"), renderers=[bars])
    named = [LegendItem(label=field("name"), renderers=[mark]) for mark in others]
    legend(plot, component, *named, switches=True)


def _pooled(data: Levels) -> tuple[bool, ...]:
    return data.pooled or (False,) * len(data.value)


def _held(data: Levels, effect: float) -> float:
    return min(max(effect, data.y.low), data.y.high)


def _bars(data: Levels) -> Table:
    positions, zero = range(len(data.value)), _held(data, 0.0)
    ends = [_held(data, effect) for effect in data.value]
    return {
        "left": along(data.y, [min(zero, end) for end in ends]),
        "right": along(data.y, [max(zero, end) for end in ends]),
        "bottom": [position + HALF for position in positions],
        "top": [position - HALF for position in positions],
        "strength": [1.0 if data.marked in (None, position) else FAINT for position in positions],
        "tip": [_tip(data, position) for position in positions],
    }


def _tip(data: Levels, position: int) -> str:
    bounds = ""
    if data.lower and data.upper:
        bounds = f"band {signed(data.lower[position])} to {signed(data.upper[position])}"
    name = brief(data.x.levels[position]) + (POOLED if _pooled(data)[position] else "")
    return lines(name, f"effect {signed(data.value[position])}", bounds, f"{percent(data.share[position])} of rows")


def _rules(data: Levels) -> list[marks.Rule]:
    """Return where an effect is nothing, and how sure each is."""
    zero = _held(data, 0.0)
    whiskers = [
        (_held(data, lower), float(position), _held(data, upper), float(position), "fg", "solid")
        for position, (lower, upper) in enumerate(zip(data.lower, data.upper, strict=False))
    ]
    return [(zero, -0.5, zero, max(len(data.value), 1) - 0.5, "axis", "solid"), *whiskers]


def _overlays(data: Levels) -> Columns:
    """Return the marks of other explanations: one source for each colour."""
    drawn = list(enumerate(data.overlays))
    return {name: _marks(data, drawn[at :: len(OVERLAYS)]) for at, name in enumerate(OVERLAYS)}


def _marks(data: Levels, drawn: Sequence[tuple[int, Line]]) -> Table:
    found = [
        (at, effect, brief(line.name), mark_shape(position))
        for position, line in drawn
        for at, effect in zip(line.at, line.value, strict=False)
    ]
    return {
        "x": along(data.y, [_held(data, effect) for _, effect, _, _ in found]),
        "y": [float(round(at)) for at, _, _, _ in found],
        "name": [name for _, _, name, _ in found],
        "tip": [lines(name, f"effect {signed(effect)}") for _, effect, name, _ in found],
        "shape": [MARKERS[shape] for *_, shape in found],
        "size": [2 * REACH[shape] for *_, shape in found],
        "angle": [math.pi / 2 if shape == "tick" else 0.0 for *_, shape in found],
        "wide": [2.5 if shape == "tick" else 2.0 for *_, shape in found],
    }
