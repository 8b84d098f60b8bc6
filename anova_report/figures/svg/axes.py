"""Axes around the data: a thin grid, round ticks, level names, labels; nothing that is not read."""

import math
from collections.abc import Sequence

from anova_report.figures.kinds import Axis
from anova_report.figures.style import SMALL
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import stroke
from anova_report.figures.svg.scales import Frame, Scale, horizontal, vertical
from anova_report.figures.svg.text import clean, shorten, width
from anova_report.figures.svg.ticks import Tick, ticks, upright_ticks

BELOW = 38.0  # pixels for ticks and the label of a horizontal axis
ABOVE = 24.0  # for the label of a vertical axis, which stands over it
SLANT = 40.0  # degrees of level names that do not fit side by side
NAMES = 104.0  # the longest level name beside a vertical axis
NAMES_BELOW = 72.0  # how far slanted level names reach down at most


def frame(x: Axis, y: Axis, box: Frame, deepest: float = NAMES_BELOW) -> Frame:
    """Return where data go so that both axes fit into a box, slanted level names at most so deep."""
    inner = Frame(box.left, box.top + ABOVE, box.right, box.bottom - BELOW)
    inner = Frame(box.left + _beside(y, inner), inner.top, inner.right, inner.bottom)
    return Frame(inner.left, inner.top, inner.right, box.bottom - 6 - _depth(x, inner, deepest))


def draw_x(canvas: Canvas, axis: Axis, place: Frame, *, grid: bool = False, deepest: float = NAMES_BELOW) -> None:
    """Draw the ticks and the label of a horizontal axis below a frame."""
    group = canvas.group("x-axis")
    scale = horizontal(axis, place)
    if axis.levels:
        _names_below(group, axis, scale, place, deepest)
    else:
        _ticks(group, ticks(scale, size=SMALL, time=axis.time), scale, place, grid)
    middle, below = (place.left + place.right) / 2, place.bottom + _depth(axis, place, deepest)
    group.text(middle, below, axis.label, "label", room=place.width, text_anchor="middle")


def draw_y(
    canvas: Canvas, axis: Axis, place: Frame, *, grid: bool = True, left: float = 0.0, room: float = 0.0
) -> None:
    """Draw the grid, the ticks and the label of a vertical axis left of and above a frame."""
    group = canvas.group("y-axis")
    scale = vertical(axis, place)
    if axis.levels:
        shown = tuple(Tick(position, clean(name)) for position, name in _every(axis, abs(scale(1) - scale(0)), 13))
    else:
        shown = upright_ticks(scale, time=axis.time)
    if grid and shown:
        lines = "".join(stroke(place.left, scale(tick.at), place.right, scale(tick.at)) for tick in shown)
        group.path(lines, "grid", stroke="grid", fill="none")
    words = group.notes(text_anchor="end")
    for tick in shown:
        words.text(place.left - 7, scale(tick.at) + 4, tick.text, room=NAMES)
    group.text(left, place.top - 11, axis.label, "label", room=room or place.right - left)


def zero_line(canvas: Canvas, axis: Axis, place: Frame) -> None:
    """Draw where an effect is nothing, if the axis shows it."""
    scale = vertical(axis, place)
    if scale.holds(0.0):
        canvas.line(place.left, scale(0.0), place.right, scale(0.0), "zero", stroke="axis")


def grid_down(canvas: Canvas, shown: Sequence[Tick], scale: Scale, place: Frame) -> None:
    """Draw vertical grid lines over a frame, with ticks below, for rows of bars."""
    _ticks(canvas.group("x-axis"), shown, scale, place, grid=True)


def ticks_below(canvas: Canvas, shown: Sequence[Tick], scale: Scale, place: Frame) -> None:
    """Draw a line with ticks below a frame."""
    _ticks(canvas.group("x-axis"), shown, scale, place, grid=False)


def _ticks(group: Canvas, shown: Sequence[Tick], scale: Scale, place: Frame, grid: bool) -> None:
    spots = [scale(tick.at) for tick in shown]
    if grid:
        lines = "".join(stroke(spot, place.top, spot, place.bottom) for spot in spots)
        group.path(lines, "grid", stroke="grid", fill="none")
    else:
        lines = "".join(stroke(spot, place.bottom, spot, place.bottom + 4) for spot in spots)
        group.path(stroke(place.left, place.bottom, place.right, place.bottom) + lines, stroke="axis", fill="none")
    words = group.notes(text_anchor="middle")
    for spot, tick in zip(spots, shown, strict=True):
        words.text(spot, place.bottom + 16, tick.text)


def _beside(axis: Axis, inner: Frame) -> float:
    """Return the pixels that ticks or level names need left of a vertical axis."""
    if axis.levels:
        texts = [shorten(clean(name), NAMES, SMALL) for name in axis.levels]
    else:
        texts = [tick.text for tick in upright_ticks(vertical(axis, inner), time=axis.time)]
    return max((width(text, SMALL) for text in texts), default=0.0) + 9


def _slanted(axis: Axis, place: Frame) -> bool:
    room = place.width / max(len(axis.levels), 1) - 8
    return any(width(clean(name), SMALL) > max(room, 40) or room < 40 for name in axis.levels)


def _depth(axis: Axis, place: Frame, deepest: float) -> float:
    """Return how far below a frame the label of its horizontal axis stands."""
    if not _slanted(axis, place):
        return BELOW - 6
    longest = max(width(clean(name), SMALL) for name in axis.levels)
    return min(deepest, longest * math.sin(math.radians(SLANT))) + 30


def _names_below(group: Canvas, axis: Axis, scale: Scale, place: Frame, deepest: float) -> None:
    each = abs(scale(1) - scale(0))
    group.line(place.left, place.bottom, place.right, place.bottom, stroke="axis")
    slanted = _slanted(axis, place)
    words = group.notes(text_anchor="end" if slanted else "middle")
    for position, name in _every(axis, each, 13):
        x, y = scale(position), place.bottom + (12 if slanted else 16)
        if slanted:
            x += 4
            turn = f"rotate(-{SLANT:.0f} {x:.1f} {y:.1f})"
            room = min(deepest / math.sin(math.radians(SLANT)), x / math.cos(math.radians(SLANT)))
            words.text(x, y, name, room=room, transform=turn)
        else:
            words.text(x, y, name, room=each - 4)


def _every(axis: Axis, each: float, needed: float) -> list[tuple[float, str]]:
    """Choose the levels that can be named when each has so many pixels."""
    step = max(1, round(needed / max(each, 1e-3) + 0.49))
    return [(float(position), name) for position, name in enumerate(axis.levels)][::step]
