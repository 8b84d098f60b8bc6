"""The main effect of levels: one bar each, from zero."""

from collections.abc import Mapping
from types import MappingProxyType

from anova_report.figures.kinds import Levels
from anova_report.figures.style import OVERLAYS, SIZES, SMALL, TEXT, size
from anova_report.figures.svg import axes, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.curves import dashes
from anova_report.figures.svg.legends import Entry, Shape
from anova_report.figures.svg.paths import mark, stroke
from anova_report.figures.svg.scales import Frame, Scale, scale
from anova_report.figures.svg.text import clean, width
from anova_report.figures.svg.ticks import ticks
from anova_report.measures.wording import percent

NAMES = 170.0  # the longest name of a level
SHARES = 50.0  # the column of shares of rows
TOP = 22.0
POOLED = " (pooled)"
SHAPES: tuple[Shape, ...] = ("tick", "cross", "diamond", "triangle")  # of other explanations
REACH: Mapping[str, float] = MappingProxyType({"tick": 8.0, "cross": 4.5, "diamond": 5.5, "triangle": 5.0})


def draw(canvas: Canvas, data: Levels) -> None:
    """Draw bars of levels, the first at the top, with whiskers, other explanations and shares of rows."""
    place, x = _layout(data)
    _legend(canvas, data, place)
    axes.grid_down(canvas, ticks(x, size=SMALL, most=5), x, place)
    zero = x.inside(0.0)
    canvas.line(zero, place.top, zero, place.bottom, "zero", stroke="axis")
    _names(canvas, data, place)
    _bars(canvas, data, place, x)
    _whiskers(canvas, data, place, x)
    _overlays(canvas, data, place, x)
    middle = (place.left + place.right) / 2
    canvas.text(middle, place.bottom + 32, data.y.label, "label", room=place.width + 40, text_anchor="middle")
    if data.left_out:
        words = f"{data.left_out} rarer level{'s' if data.left_out > 1 else ''} not drawn"
        canvas.note(0, place.bottom + 52, words)


def mark_shape(position: int) -> Shape:
    """Choose the shape of another explanation's marks, so that those that must share a colour do not share it, too."""
    return SHAPES[dashes(position)]


def middle(place: Frame, position: int) -> float:
    """Return the height of the middle of a row."""
    return place.top + SIZES["levels"].row * (position + 0.5)


def _layout(data: Levels) -> tuple[Frame, Scale]:
    wide = size(data)[0]
    texts = [clean(name) + (POOLED if pooled else "") for name, pooled in _named(data)]
    names = min(NAMES, max((width(text, TEXT) for text in texts), default=0.0))
    rows = max(len(data.value), 1)
    place = Frame(names + 14, TOP, wide - SHARES, TOP + SIZES["levels"].row * rows)
    return place, scale(data.y.low, data.y.high, place.left, place.right)


def _named(data: Levels) -> list[tuple[str, bool]]:
    pooled = data.pooled or (False,) * len(data.value)
    return list(zip(data.x.levels, pooled, strict=False))


def _legend(canvas: Canvas, data: Levels, place: Frame) -> None:
    if data.value:
        canvas.note(size(data)[0], 12, "rows", text_anchor="end")
    entries = tuple(
        Entry(line.name, mark_shape(position), OVERLAYS[position % len(OVERLAYS)])
        for position, line in enumerate(data.overlays)
        if line.at
    )
    if entries:
        legends.draw(canvas, (Entry("component", "bar", "accent"), *entries), 0, 0, place.right)


def _names(canvas: Canvas, data: Levels, place: Frame) -> None:
    group = canvas.group("names", text_anchor="end")
    for position, (name, pooled) in enumerate(_named(data)):
        suffix = POOLED if pooled else ""
        weight = "600" if position == data.marked else None
        y, room = middle(place, position) + 4, place.left - 12 - width(suffix, TEXT)
        element = group.text(place.left - 10, y, name, room=room, font_weight=weight)
        if suffix:
            element.text = f"{element.text}{suffix}"
    shares = canvas.notes("shares", text_anchor="end")
    for position, share in enumerate(data.share):
        shares.text(size(data)[0], middle(place, position) + 4, percent(share))


def _bars(canvas: Canvas, data: Levels, place: Frame, x: Scale) -> None:
    group = canvas.group("bars", fill="accent")
    zero = x.inside(0.0)
    for position, value in enumerate(data.value):
        end = x.inside(value)
        faint = 0.45 if data.marked is not None and position != data.marked else None
        left, top = min(zero, end), middle(place, position) - 6
        group.rect(left, top, max(abs(end - zero), 0.75), 12, "bar", fill_opacity=faint)


def _whiskers(canvas: Canvas, data: Levels, place: Frame, x: Scale) -> None:
    pieces = ""
    for position, (low, high) in enumerate(zip(data.lower, data.upper, strict=False)):
        y = middle(place, position)
        pieces += stroke(x.inside(low), y, x.inside(high), y)
    canvas.whiskers(pieces)


def _overlays(canvas: Canvas, data: Levels, place: Frame, x: Scale) -> None:
    for position, line in enumerate(data.overlays):
        marks, shape = "", mark_shape(position)
        for at, value in zip(line.at, line.value, strict=False):
            y = middle(place, round(at))
            marks += mark(shape, x.inside(value), y, REACH[shape])
        if marks:
            colour = OVERLAYS[position % len(OVERLAYS)]
            canvas.path(marks, "overlay", stroke=colour, stroke_width=2.5 if shape == "tick" else 2, fill="none")
