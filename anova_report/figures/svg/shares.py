"""Shares of the answers' variance, by term and by feature: rows of bars with intervals and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from anova_report.figures.kinds import Numbers, Shares, Totals
from anova_report.figures.style import SIZES, SMALL, TEXT, size
from anova_report.figures.svg import axes, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.paths import stroke
from anova_report.figures.svg.scales import Frame, Scale, scale
from anova_report.figures.svg.text import clean, width
from anova_report.figures.svg.ticks import Tick, ticks
from anova_report.measures.wording import percent

NAMES = 190.0
NUMBERS = 58.0
TOP = 24.0
UNEXPLAINED = "unexplained"
LABEL = "share of the answers' variance"


@dataclass(frozen=True)
class _Rows:
    """What both kinds have in common: names, totals, what comes after the named rows, and where all is drawn."""

    canvas: Canvas
    names: tuple[str, ...]
    totals: Numbers
    place: Frame
    x: Scale
    row: int

    def middle(self, position: int) -> float:
        return self.place.top + self.row * (position + 0.5)


def draw_shares(canvas: Canvas, data: Shares) -> None:
    """Draw each term's total as structural share and, from its end, the correlative one."""
    ends = (*data.structural, *data.total, *data.lower, *data.upper)
    rows = _rows(canvas, data, data.total, ends, "further terms")
    entries = (
        Entry("structural", "bar", "structural"),
        Entry("correlative (back to the left where it cancels)", "thin", "correlative"),
        Entry("total" + (", 95% interval" if data.lower else ""), "dot", "fg"),
    )
    legends.draw(canvas, entries, 0, 0, size(data)[0])
    _bars(rows, data.structural, "structural", len(data.labels))
    group = canvas.group("correlative", fill="correlative")
    for position, (structural, total) in enumerate(zip(data.structural, data.total, strict=False)):
        _bar(group, rows, position, structural, total, 5)
    _whiskers(rows, data.lower, data.upper)
    marks = canvas.group("total", fill="fg", stroke="surface")
    for position, total in enumerate(data.total):
        marks.circle(rows.x(total), rows.middle(position), 3.5)


def draw_totals(canvas: Canvas, data: Totals) -> None:
    """Draw each feature's total with its interval."""
    rows = _rows(canvas, data, data.share, (*data.share, *data.lower, *data.upper), "further features")
    entries = (
        Entry("own effect and its part of interactions", "bar", "structural"),
        *((Entry("95% interval", "line", "fg"),) if data.lower else ()),
    )
    legends.draw(canvas, entries, 0, 0, size(data)[0])
    _bars(rows, data.share, "structural", len(data.labels))
    _whiskers(rows, data.lower, data.upper)


def _rows(canvas: Canvas, data: Shares | Totals, totals: Numbers, ends: Sequence[float], further: str) -> _Rows:
    """Lay out names, numbers and the axis, and draw what is not named and what is not explained."""
    extra = ((f"{data.n_rest} {further}", data.rest),) if data.n_rest else ()
    last = (*extra, (UNEXPLAINED, data.unexplained))
    names = (*data.labels, *(name for name, _ in last))
    shown = (*totals, *(value for _, value in last))
    place = _place(names, data)
    row = SIZES["shares"].row
    rows = _Rows(canvas, names, shown, place, _scale((*ends, *shown), place), row)
    _axis(rows)
    _words(rows, len(data.labels), size(data)[0])
    group = canvas.group("others")
    for position, (name, value) in enumerate(last, start=len(data.labels)):
        _bar(group, rows, position, 0.0, value, 12, "unexplained" if name == UNEXPLAINED else "rest")
    return rows


def _place(names: Sequence[str], data: Shares | Totals) -> Frame:
    wide, high = size(data)
    left = min(NAMES, max(width(clean(name), TEXT) for name in names)) + 12
    return Frame(left, TOP, wide - NUMBERS - 6, high - axes.BELOW)


def _scale(ends: Sequence[float], place: Frame) -> Scale:
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = 0.02 * (high - low)
    return scale(low - room if low < 0 else 0.0, high + room, place.left, place.right)


def _axis(rows: _Rows) -> None:
    percents = Scale(100 * rows.x.low, 100 * rows.x.high, rows.x.start, rows.x.end)
    shown = [Tick(tick.at / 100, f"{tick.text}%") for tick in ticks(percents, size=SMALL)]
    axes.grid_down(rows.canvas, shown, rows.x, rows.place)
    zero = rows.x(0.0)
    rows.canvas.line(zero, rows.place.top, zero, rows.place.bottom, "zero", stroke="axis")
    middle = (rows.place.left + rows.place.right) / 2
    rows.canvas.text(middle, rows.place.bottom + 32, LABEL, "label", text_anchor="middle")


def _words(rows: _Rows, named: int, wide: float) -> None:
    group = rows.canvas.group("names", text_anchor="end")
    for position, name in enumerate(rows.names):
        colour = None if position < named else "muted"
        group.text(rows.place.left - 10, rows.middle(position) + 4, name, room=rows.place.left - 12, fill=colour)
    group = rows.canvas.group("numbers", text_anchor="end")
    for position, total in enumerate(rows.totals):
        group.text(wide, rows.middle(position) + 4, percent(total), fill=None if position < named else "muted")


def _bars(rows: _Rows, values: Numbers, colour: str, named: int) -> None:
    group = rows.canvas.group("bars", fill=colour)
    for position, value in enumerate(values[:named]):
        _bar(group, rows, position, 0.0, value, 12)


def _bar(
    group: Canvas, rows: _Rows, position: int, start: float, end: float, high: float, colour: str | None = None
) -> None:
    left, right = sorted((rows.x(start), rows.x(end)))
    group.rect(left, rows.middle(position) - high / 2, right - left, high, fill=colour)


def _whiskers(rows: _Rows, lower: Numbers, upper: Numbers) -> None:
    pieces = ""
    for position, (low, high) in enumerate(zip(lower, upper, strict=False)):
        pieces += stroke(rows.x(low), rows.middle(position), rows.x(high), rows.middle(position))
    rows.canvas.whiskers(pieces)
