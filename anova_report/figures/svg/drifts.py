"""Shares in two decompositions: two dots on a line for each, with the interval of their difference."""

from anova_report.figures.contrasts import Drift
from anova_report.figures.style import FIRST, SECOND, SIZES, SMALL, TEXT, size
from anova_report.figures.svg import axes, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.contrasts import BEYOND
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.paths import stroke
from anova_report.figures.svg.scales import Frame, Scale, scale
from anova_report.figures.svg.shares import LABEL
from anova_report.figures.svg.text import clean, width
from anova_report.figures.svg.ticks import Tick, ticks
from anova_report.measures.wording import percent

NAMES = 160.0
NUMBERS = 108.0  # "12.3% → 15.0%"


def draw(canvas: Canvas, data: Drift) -> None:
    """Draw where each share was and where it is; what has moved by more than chance in bold and with a bar."""
    entries = _entries(data)
    legends.draw(canvas, entries, 0, 0, size(data)[0])
    place, x = _layout(data, legends.height(entries, size(data)[0]) + 8)
    _axis(canvas, place, x)
    _words(canvas, data, place)
    _links(canvas, data, place, x)
    _intervals(canvas, data, place, x)
    _dots(canvas, data, place, x)
    if data.n_rest:
        canvas.note(0, place.bottom + 52, f"{data.n_rest} smaller not drawn")


def _entries(data: Drift) -> tuple[Entry, ...]:
    marked = (Entry(BEYOND, "thin", "fg"),) if any(data.beyond) else ()
    known = (Entry("95% of the difference", "tick", "muted"),) if data.second.lower else ()
    return (Entry(data.first.name, "dot", FIRST), Entry(data.second.name, "dot", SECOND), *known, *marked)


def _layout(data: Drift, top: float) -> tuple[Frame, Scale]:
    wide = size(data)[0]
    left = min(NAMES, max((width(clean(name), TEXT) for name in data.labels), default=0.0)) + 24
    place = Frame(left, top, wide - NUMBERS, top + SIZES["drift"].row * max(len(data.labels), 1))
    ends = (0.0, *data.first.value, *data.second.value, *data.second.lower, *data.second.upper)
    low, high = min(ends), max(ends)
    room = 0.03 * (high - low)
    return place, scale(low - room if low < 0 else 0.0, high + room, place.left, place.right)


def _axis(canvas: Canvas, place: Frame, x: Scale) -> None:
    percents = Scale(100 * x.low, 100 * x.high, x.start, x.end)
    shown = [Tick(tick.at / 100, f"{tick.text}%") for tick in ticks(percents, size=SMALL)]
    axes.grid_down(canvas, shown, x, place)
    canvas.line(x(0.0), place.top, x(0.0), place.bottom, "zero", stroke="axis")
    middle = (place.left + place.right) / 2
    canvas.text(middle, place.bottom + 32, LABEL, "label", text_anchor="middle")


def _middle(place: Frame, position: int) -> float:
    return place.top + SIZES["drift"].row * (position + 0.5)


def _words(canvas: Canvas, data: Drift, place: Frame) -> None:
    names, numbers = canvas.group("names", text_anchor="end"), canvas.group("numbers", text_anchor="end")
    marks = canvas.group("beyond")
    shares = zip(data.first.value, data.second.value, strict=True)
    for position, (name, (first, second), beyond) in enumerate(zip(data.labels, shares, data.beyond, strict=True)):
        y, weight = _middle(place, position), "600" if beyond else None
        names.text(place.left - 14, y + 4, name, room=place.left - 16, font_weight=weight)
        numbers.text(size(data)[0], y + 4, f"{percent(first)} → {percent(second)}", font_weight=weight)
        if beyond:
            marks.rect(place.left - 9, y - 9, 4, 18, "mark", fill="fg")


def _intervals(canvas: Canvas, data: Drift, place: Frame, x: Scale) -> None:
    """Draw the interval of the difference, laid out from the first share: the line of a bracket around the second."""
    pieces = ""
    for position, (low, high) in enumerate(zip(data.second.lower, data.second.upper, strict=True)):
        y, ends = _middle(place, position), (x.inside(low), x.inside(high))
        pieces += stroke(ends[0], y, ends[1], y)
        pieces += "".join(stroke(end, y - 4, end, y + 4) for end in ends)
    if pieces:
        canvas.path(pieces, "intervals", stroke="muted", stroke_width=1.25, fill="none")


def _links(canvas: Canvas, data: Drift, place: Frame, x: Scale) -> None:
    group = canvas.group("links", stroke="rest", stroke_width=4)
    for position, (first, second) in enumerate(zip(data.first.value, data.second.value, strict=True)):
        group.line(x(first), _middle(place, position), x(second), _middle(place, position))


def _dots(canvas: Canvas, data: Drift, place: Frame, x: Scale) -> None:
    group = canvas.group("dots", stroke="surface", stroke_width=1.5)
    for position, (first, second) in enumerate(zip(data.first.value, data.second.value, strict=True)):
        group.circle(x(first), _middle(place, position), 5, fill=FIRST)
        group.circle(x(second), _middle(place, position), 5, fill=SECOND)
