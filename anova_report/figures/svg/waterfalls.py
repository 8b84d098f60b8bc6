"""How one answer comes about, one bar below the other, from the mean to the answer."""

from dataclasses import dataclass

from anova_report.figures.kinds import Step, Waterfall
from anova_report.figures.style import SIZES, SMALL, TEXT, size
from anova_report.figures.svg import axes
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import stroke
from anova_report.figures.svg.scales import Frame, Scale, scale
from anova_report.figures.svg.text import clean, shorten, width
from anova_report.figures.svg.ticks import ticks
from anova_report.measures.wording import number, signed

WORDS = 256.0  # pixels for labels and values of the row
TOP = 8.0
VALUES = 52.0  # at both ends, so that numbers beside bars have room
ROW = SIZES["waterfall"].row


@dataclass(frozen=True)
class _Bar:
    """One row with a bar: its words, what it adds to which sum, and its colour."""

    label: str
    detail: str
    value: float
    start: float
    colour: str

    @property
    def end(self) -> float:
        return self.start + self.value


def draw(canvas: Canvas, data: Waterfall) -> None:
    """Draw the mean, the steps, the remainder and the answer."""
    wide, high = size(data)
    place = Frame(WORDS, TOP, wide - 4, high - axes.BELOW - 6)
    x = scale(data.axis.low, data.axis.high, place.left + VALUES, place.right - VALUES)
    bars = _bars(data, canvas.hatch("muted"))
    axes.grid_down(canvas, ticks(x, size=SMALL), x, place)
    middle = (place.left + place.right) / 2
    canvas.text(middle, place.bottom + 32, data.axis.label, "label", room=place.width, text_anchor="middle")
    _links(canvas, data, bars, x)
    for position, bar in enumerate(bars, start=1):
        _draw_bar(canvas, bar, position, x)
    _end(canvas, x, 0, "mean", data.base, "500")
    _end(canvas, x, len(bars) + 1, "answer", data.answer, "700")


def _bars(data: Waterfall, hatched: str) -> list[_Bar]:
    found: list[_Bar] = []
    total = data.base
    for step in data.steps:
        colour = "negative" if step.value < 0 else "positive"
        found.append(_Bar(step.label, values(step), step.value, total, colour))
        total += step.value
    return [*found, _Bar("gap", "not explained", data.remainder, total, hatched)]


def values(step: Step) -> str:
    """Return the values of a row without the names that the label says already.

    Examples
    --------
    >>> values(Step("age × hours", "age = 37, hours = 40", 0.2))
    '37, 40'
    """
    words = step.detail
    for name in step.label.split(" × "):
        words = words.replace(f"{name} = ", "", 1)
    return words


def _middle(position: int) -> float:
    return TOP + ROW * (position + 0.5)


def _links(canvas: Canvas, data: Waterfall, bars: list[_Bar], x: Scale) -> None:
    """Join the end of each bar with the start of the next."""
    sums = [data.base, *(bar.end for bar in bars)]
    lines = "".join(
        stroke(x.inside(total), _middle(position), x.inside(total), _middle(position + 1))
        for position, total in enumerate(sums)
    )
    canvas.path(lines, "links", stroke="axis", fill="none")


def _draw_bar(canvas: Canvas, bar: _Bar, position: int, x: Scale) -> None:
    group = canvas.group("step")
    start, end, y = x.inside(bar.start), x.inside(bar.end), _middle(position)
    left, right = min(start, end), max(start, end)
    edge = "muted" if bar.colour.startswith("url") else None
    group.rect(left, y - 7, max(right - left, 1.0), 14, "bar", fill=bar.colour, stroke=edge)
    spot, anchor = (right + 6, "start") if bar.value >= 0 else (left - 6, "end")
    group.text(spot, y + 4, signed(bar.value), text_anchor=anchor)
    _words(group, bar, y + 4)


def _words(group: Canvas, bar: _Bar, y: float) -> None:
    """Write a label and, as far as there is room, the row's values."""
    room = WORDS - 14
    label = shorten(clean(bar.label), room * (0.62 if bar.detail else 1.0), TEXT)
    group.text(0, y, bar.label, room=room * (0.62 if bar.detail else 1.0))
    start = width(label, TEXT) + 8
    if bar.detail and room - start > 24:
        group.note(WORDS - 14, y, bar.detail, room=room - start, text_anchor="end")


def _end(canvas: Canvas, x: Scale, position: int, label: str, value: float, weight: str) -> None:
    group = canvas.group(label, font_weight=weight)
    spot, y = x.inside(value), _middle(position)
    group.circle(spot, y, 4.5, fill="fg")
    group.text(spot + 10, y + 4, number(value))
    group.text(0, y + 4, label)
