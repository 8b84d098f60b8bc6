"""One answer on one line: what pushes it up, from the left, meets what pushes it down, from the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from anova_report.figures.kinds import Force
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg import axes
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.scales import Frame, Scale, scale
from anova_report.figures.svg.text import clean, shorten, width
from anova_report.figures.svg.ticks import ticks
from anova_report.measures.wording import number, signed

BAR = (28.0, 54.0)  # top and bottom of the bar
LINE = 104.0  # the axis
NAMES = 180.0
EDGE = 20.0  # left and right of the axis
TIP = 5.0  # how far a segment's end points
GAP = "gap"


@dataclass(frozen=True)
class _Push:
    """One segment: its label, what it adds, between which values it lies, and whether it is the gap."""

    label: str
    value: float
    low: float
    high: float
    gap: bool


def draw(canvas: Canvas, data: Force) -> None:
    """Draw pushes, largest next to the answer, the gap outermost."""
    pushes = _pushes(data)
    wide = size(data)[0]
    ends = [data.axis.low, data.axis.high, *(push.low for push in pushes), *(push.high for push in pushes)]
    x = scale(min(ends), max(ends), EDGE, wide - EDGE)
    axes.ticks_below(canvas, ticks(x, size=SMALL, most=9), x, Frame(EDGE, BAR[0], wide - EDGE, LINE))
    canvas.text(wide / 2, LINE + 33, data.axis.label, "label", room=wide - 16, text_anchor="middle")
    hatched = canvas.hatch("muted")
    group = canvas.group("pushes")
    for push in pushes:
        _draw_push(group, push, x, hatched)
    _names(canvas, pushes, x, wide)
    _ends(canvas, data, x, wide)


def _pushes(data: Force) -> list[_Push]:
    """Lay pushes end to end, away from the answer: left of it what raises it, right of it what lowers it."""
    parts = sorted(((step.label, step.value) for step in data.steps), key=lambda part: -abs(part[1]))
    found: list[_Push] = []
    left = right = data.answer
    for position, (label, value) in enumerate((*parts, (GAP, data.remainder))):
        if value > 0:
            found.append(_Push(label, value, left - value, left, position == len(parts)))
            left -= value
        elif value < 0:
            found.append(_Push(label, value, right, right - value, position == len(parts)))
            right -= value
    return found


def _draw_push(group: Canvas, push: _Push, x: Scale, hatched: str) -> None:
    left, right = x(push.low), x(push.high)
    top, bottom = BAR
    middle, tip = (top + bottom) / 2, min(TIP, (right - left) / 2)
    colour = hatched if push.gap else ("positive" if push.value > 0 else "negative")
    group.rect(left, top, right - left, bottom - top, "push", fill=colour, stroke="muted" if push.gap else None)
    if right - left > 2 and not push.gap:
        start, point = (left, left + tip) if push.value > 0 else (right, right - tip)
        chevron = f"M{start:.1f} {top:.0f}L{point:.1f} {middle:.0f}L{start:.1f} {bottom:.0f}"
        group.path(chevron, fill="none", stroke="surface", stroke_width=1.5)


def _names(canvas: Canvas, pushes: Sequence[_Push], x: Scale, wide: float) -> None:
    """Name the largest pushes below the bar, as many as do not touch."""
    group = canvas.group("names", text_anchor="middle")
    taken: list[tuple[float, float]] = []
    for push in sorted(pushes, key=lambda push: -abs(push.value)):
        half = max(width(shorten(clean(push.label), NAMES, TEXT), TEXT), width(signed(push.value), SMALL)) / 2
        middle = (x(push.low) + x(push.high)) / 2
        spot = min(max(middle, half + 2), wide - half - 2)
        if all(spot + half + 8 < low or spot - half - 8 > high for low, high in taken):
            taken.append((spot - half, spot + half))
            group.line(middle, BAR[1], middle, BAR[1] + 5, stroke="muted")
            group.text(spot, BAR[1] + 18, push.label, room=NAMES)
            group.note(spot, BAR[1] + 32, signed(push.value))


def _ends(canvas: Canvas, data: Force, x: Scale, wide: float) -> None:
    """Mark the mean and the answer above the bar, their words on different sides where they are near."""
    base, answer = x(data.base), x(data.answer)
    group = canvas.group("ends")
    group.line(base, BAR[0] - 8, base, BAR[1], "mean", stroke="fg", stroke_dasharray="2 2")
    group.line(answer, BAR[0] - 8, answer, BAR[1] + 3, "answer", stroke="fg", stroke_width=2.5)
    words = (f"mean {number(data.base)}", f"answer {number(data.answer)}")
    for spot, text, weight, side in zip((base, answer), words, ("400", "700"), _sides(base, answer), strict=True):
        room = width(text, TEXT) * 1.06
        anchor = "start" if spot < room else "end" if spot > wide - room else side
        group.text(spot, 14, text, text_anchor=anchor, font_weight=weight)


def _sides(base: float, answer: float) -> tuple[str, str]:
    if abs(base - answer) > 130:
        return "middle", "middle"
    return ("end", "start") if base <= answer else ("start", "end")
