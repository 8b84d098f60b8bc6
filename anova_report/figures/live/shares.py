"""Shares of the answers' variance, by term and by feature, live; twin of `svg.shares`."""

from dataclasses import dataclass, replace
from typing import Any

from bokeh.core.properties import value
from bokeh.models import Plot
from bokeh.models.annotations import LegendItem

from anova_report.figures.kinds import Axis, Numbers, Shares, Totals
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name
from anova_report.figures.live.frame import Frame, along, listed, side, widened
from anova_report.figures.live.stage import Columns, Sources, Table, hover, legend
from anova_report.figures.live.words import brief, lines
from anova_report.figures.style import SIZES, TEXT, size
from anova_report.figures.svg.axes import BELOW
from anova_report.figures.svg.shares import LABEL, NAMES, NUMBERS, TOP, UNEXPLAINED
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import percent

ROW = SIZES["shares"].row
HALF, THIN = 6 / ROW, 2.5 / ROW  # half the heights of bars
OTHERS = ("rest", "unexplained")
EDGE = 6.0


@dataclass(frozen=True)
class _Rows:
    """All rows of both kinds: names, totals, and the axis that holds them."""

    names: tuple[str, ...]
    totals: Numbers
    axis: Axis


def share_columns(data: Shares) -> Columns:
    """Return the columns of terms."""
    rows = _rows(data)
    tips = [
        lines(brief(name), f"total {percent(total)}", *parts)
        for name, total, *parts in zip(
            data.labels,
            data.total,
            _intervals(data.lower, data.upper, len(data.labels)),
            [f"structural {percent(share)}" for share in data.structural],
            [f"correlative {percent(share)}" for share in data.correlative],
            strict=True,
        )
    ]
    dots: Table = {
        "x": along(rows.axis, data.total),
        "y": _positions(data.total),
        "colour": ["fg"] * len(tips),
        "tip": tips,
    }
    return _common(data, rows) | {
        "bars": _boxes(rows.axis, [0.0] * len(tips), data.structural, HALF) | {"tip": tips},
        "correlative": _boxes(rows.axis, data.structural, data.total, THIN) | {"tip": tips},
        "dots": dots | {"tip": tips},
    }


def total_columns(data: Totals) -> Columns:
    """Return the columns of features."""
    rows = _rows(data)
    intervals = _intervals(data.lower, data.upper, len(data.labels))
    tips = [
        lines(brief(name), percent(share), interval)
        for name, share, interval in zip(data.labels, data.share, intervals, strict=True)
    ]
    return _common(data, rows) | {"bars": _boxes(rows.axis, [0.0] * len(tips), data.share, HALF) | {"tip": tips}}


def frame(data: Shares | Totals) -> Frame:
    """Return what stands around shares: names at the left, numbers at the right."""
    wide, high = size(data)
    rows = _rows(data)
    left = min(NAMES, max(width(clean(name), TEXT) for name in rows.names)) + 12
    across = wide - NUMBERS - EDGE - left
    return Frame(
        x=replace(widened(side(rows.axis), after=(NUMBERS + EDGE) / across), percent=True),
        y=listed(rows.names, left - 12),
        size=(wide, high),
        borders=(left, TOP, 0.0, BELOW),
        legend=True,
    )


def draw_shares(plot: Plot, sources: Sources) -> None:
    """Draw the marks of terms."""
    others = _draw_others(plot, sources)
    bars = marks.boxes(plot, sources["bars"], fill_color="structural")
    correlative = marks.boxes(plot, sources["correlative"], fill_color="correlative")
    marks.draw_rules(plot, sources["rules"])
    dots = marks.draw_dots(plot, sources["dots"], ("fg",), size=8)
    hover(plot, bars, others)
    legend(
        plot,
        LegendItem(label=value("structural"), renderers=[bars]),
        LegendItem(label=value("correlative (back to the left where it cancels)"), renderers=[correlative]),
        LegendItem(label=value("total"), renderers=[dots]),
    )


def draw_totals(plot: Plot, sources: Sources) -> None:
    """Draw the marks of features."""
    others = _draw_others(plot, sources)
    bars = marks.boxes(plot, sources["bars"], fill_color="structural")
    marks.draw_rules(plot, sources["rules"])
    hover(plot, bars, others)
    legend(plot, LegendItem(label=value("own effect and its part of interactions"), renderers=[bars]))


def _draw_others(plot: Plot, sources: Sources) -> Any:
    marks.texts(plot, sources["numbers"], text_align="right", text_color="fg", text_font_size=f"{TEXT}px")
    return marks.boxes(plot, sources["others"], fill_color=by_name("colour", OTHERS))


def _last(data: Shares | Totals) -> tuple[tuple[str, float, str], ...]:
    """Return what comes after the named rows: what is not drawn by itself, and what is not explained."""
    further = "further terms" if isinstance(data, Shares) else "further features"
    rest = ((f"{data.n_rest} {further}", data.rest, "rest"),) if data.n_rest else ()
    return (*rest, (UNEXPLAINED, data.unexplained, "unexplained"))


def _rows(data: Shares | Totals) -> _Rows:
    named = data.total if isinstance(data, Shares) else data.share
    last = _last(data)
    totals = (*named, *(share for _, share, _ in last))
    ends = (0.0, *totals, *data.lower, *data.upper, *(data.structural if isinstance(data, Shares) else ()))
    low, high = min(ends), max(ends)
    room = 0.02 * (high - low)
    axis = Axis(LABEL, low - room if low < 0 else 0.0, high + room)
    return _Rows((*data.labels, *(name for name, _, _ in last)), totals, axis)


def _common(data: Shares | Totals, rows: _Rows) -> Columns:
    first, last = len(data.labels), _last(data)
    whiskers: list[marks.Rule] = [
        (low, float(position), high, float(position), "fg", "solid")
        for position, (low, high) in enumerate(zip(data.lower, data.upper, strict=False))
    ]
    zero: marks.Rule = (0.0, -0.5, 0.0, len(rows.names) - 0.5, "axis", "solid")
    others = _boxes(rows.axis, [0.0] * len(last), [share for _, share, _ in last], HALF, first)
    tips = [lines(name, percent(share)) for name, share, _ in last]
    return {
        "others": others | {"colour": [colour for _, _, colour in last], "tip": tips},
        "rules": marks.rules(rows.axis, marks.ROWS, zero, *whiskers),
        "numbers": {
            "x": [frame(data).x.end] * len(rows.totals),
            "y": _positions(rows.totals),
            "text": [percent(total) for total in rows.totals],
        },
    }


def _boxes(axis: Axis, starts: Any, ends: Any, half: float, first: int = 0) -> Table:
    positions = range(first, first + len(ends))
    return {
        "left": along(axis, [min(pair) for pair in zip(starts, ends, strict=True)]),
        "right": along(axis, [max(pair) for pair in zip(starts, ends, strict=True)]),
        "bottom": [round(position + half, 4) for position in positions],
        "top": [round(position - half, 4) for position in positions],
    }


def _positions(values: Numbers) -> list[float]:
    return [float(position) for position in range(len(values))]


def _intervals(lower: Numbers, upper: Numbers, n_rows: int) -> list[str]:
    found = [f"95% interval {percent(low)} to {percent(high)}" for low, high in zip(lower, upper, strict=False)]
    return found or [""] * n_rows
