"""A main effect in two decompositions on the same axes, and where the two differ by more than chance."""

from dataclasses import dataclass, replace

from anova_report.figures.contrasts import Contrast, LevelContrast, Trace
from anova_report.figures.kinds import Atom
from anova_report.figures.style import FIRST, SECOND, SIZES, SMALL, TEXT, size
from anova_report.figures.svg import axes, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.paths import area, box, polyline, stroke
from anova_report.figures.svg.scales import Frame, Scale, horizontal, scale, vertical
from anova_report.figures.svg.text import clean, width
from anova_report.figures.svg.ticks import ticks
from anova_report.measures.wording import percent

STRIP = 26.0  # pixels for the histogram below the curves
TRACK = 5.0  # pixels for the bar that marks where the two differ
MISSING = 64.0  # pixels for the effects of a missing value right of the curves
NAMES = 150.0  # the longest name of a level
SHARES = 50.0  # the column of shares of rows
DASH = "6 3"
BAND = 0.17  # opacity of a band: where two bands overlap both are seen
BEYOND = "difference beyond chance"


@dataclass(frozen=True)
class _Plot:
    """A canvas, the frame of the curves, the strip below it, and the two scales."""

    canvas: Canvas
    place: Frame
    strip: Frame
    x: Scale
    y: Scale


def legend_entries(first: Trace, second: Trace, beyond: bool) -> tuple[Entry, ...]:
    """Return what both versions look like and, where they differ, how that is marked."""
    marked = (Entry(BEYOND, "thin", "fg"),) if beyond else ()
    return (Entry(first.name, "line", FIRST), Entry(second.name, "line", SECOND, DASH), *marked)


def draw(canvas: Canvas, data: Contrast) -> None:
    """Draw both curves with their bands, where they differ, and where the rows are."""
    plot = _layout(canvas, data)
    _beyond(plot, data)
    _density(plot, data)
    axes.draw_y(canvas, data.y, replace(plot.place, right=size(data)[0] - 8.0))
    axes.draw_x(canvas, data.x, plot.strip)
    window = canvas.group("data", clip_path=canvas.clip(plot.place), fill="none", stroke_linejoin="round")
    axes.zero_line(canvas, data.y, plot.place)
    _band(window, plot, data, data.first, FIRST)
    _band(window, plot, data, data.second, SECOND)
    lines = canvas.group("lines", clip_path=f"url(#{canvas.key}-clip)", fill="none", stroke_linejoin="round")
    _line(lines, plot, data, data.first, FIRST, None)
    _line(lines, plot, data, data.second, SECOND, DASH)
    if data.missing is not None:
        _missing(plot, data.missing)


def draw_levels(canvas: Canvas, data: LevelContrast) -> None:
    """Draw two bars for each level, the first version above the second, with whiskers."""
    entries = legend_entries(data.first, data.second, any(data.beyond))
    legends.draw(canvas, entries, 0, 0, size(data)[0] - SHARES)
    place, x = _level_layout(data, legends.height(entries, size(data)[0] - SHARES))
    axes.grid_down(canvas, ticks(x, size=SMALL, most=5), x, place)
    canvas.line(x.inside(0.0), place.top, x.inside(0.0), place.bottom, "zero", stroke="axis")
    _level_names(canvas, data, place)
    for trace, colour, aside in ((data.first, FIRST, -6.0), (data.second, SECOND, 6.0)):
        _level_bars(canvas, trace, place, x, colour, aside)
    middle = (place.left + place.right) / 2
    canvas.text(middle, place.bottom + 32, data.y.label, "label", room=place.width + 40, text_anchor="middle")
    if data.left_out:
        words = f"{data.left_out} rarer level{'s' if data.left_out > 1 else ''} not drawn"
        canvas.note(0, place.bottom + 52, words)


def _layout(canvas: Canvas, data: Contrast) -> _Plot:
    wide, high = size(data)
    entries = legend_entries(data.first, data.second, bool(data.beyond))
    top = legends.height(entries, wide) + 2
    legends.draw(canvas, entries, 0, 0, wide)
    right = wide - 8.0 - (MISSING if data.missing else 0.0)
    whole = axes.frame(data.x, data.y, Frame(0, top, right, high))
    place = replace(whole, bottom=whole.bottom - STRIP - TRACK)
    strip = replace(whole, top=place.bottom + TRACK)
    return _Plot(canvas, place, strip, horizontal(data.x, place), vertical(data.y, place))


def _beyond(plot: _Plot, data: Contrast) -> None:
    """Shade where the difference is beyond its band, and mark it with a bar under the curves."""
    group = plot.canvas.group("beyond")
    for low, high in data.beyond:
        left, right = plot.x.inside(low), plot.x.inside(high)
        wide = max(right - left, 1.0)
        group.rect(left, plot.place.top, wide, plot.place.height, fill="shade")
        group.rect(left, plot.place.bottom, wide, TRACK - 1, "mark", fill="fg")


def _density(plot: _Plot, data: Contrast) -> None:
    highest = max(data.density_share, default=0.0) or 1.0
    bottom, room = plot.strip.bottom, plot.strip.height - 3
    bars = ""
    for left, right, share in zip(data.density_edges, data.density_edges[1:], data.density_share, strict=False):
        if share > 0:
            bars += box(plot.x.inside(left), bottom - max(room * share / highest, 0.5), plot.x.inside(right), bottom)
    if bars:
        plot.canvas.path(bars, "density", fill="density")


def _band(window: Canvas, plot: _Plot, data: Contrast, trace: Trace, colour: str) -> None:
    if trace.lower and trace.upper:
        upper = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, trace.upper, strict=False)]
        lower = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, trace.lower, strict=False)]
        window.path(area(upper, lower), "band", fill=colour, fill_opacity=BAND)


def _line(group: Canvas, plot: _Plot, data: Contrast, trace: Trace, colour: str, dash: str | None) -> None:
    points = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, trace.value, strict=False)]
    group.path(polyline(points), "component", stroke=colour, stroke_width=2.25, stroke_dasharray=dash)


def _missing(plot: _Plot, atoms: tuple[Atom, Atom]) -> None:
    group = plot.canvas.group("missing")
    centre = plot.place.right + MISSING / 2 + 7
    for atom, colour, aside in zip(atoms, (FIRST, SECOND), (-6.0, 6.0), strict=True):
        low, high, middle = (plot.y.inside(value) for value in (atom.lower, atom.upper, atom.value))
        group.line(centre + aside, low, centre + aside, high, stroke=colour, stroke_width=1.5)
        group.circle(centre + aside, middle, 4, fill=colour, stroke="surface", stroke_width=1.5)
    group.note(centre, plot.strip.bottom + 16, "missing", text_anchor="middle")
    group.note(centre, plot.strip.bottom + 30, percent(atoms[0].share), text_anchor="middle")


def _level_layout(data: LevelContrast, top: float) -> tuple[Frame, Scale]:
    names = min(NAMES, max((width(clean(name), TEXT) for name in data.x.levels), default=0.0))
    rows = max(len(data.share), 1)
    place = Frame(names + 24, top + 4, size(data)[0] - SHARES, top + 4 + SIZES["levelcontrast"].row * rows)
    return place, scale(data.y.low, data.y.high, place.left, place.right)


def _middle(place: Frame, position: int) -> float:
    return place.top + SIZES["levelcontrast"].row * (position + 0.5)


def _level_names(canvas: Canvas, data: LevelContrast, place: Frame) -> None:
    """Write levels, in bold and with a bar where the two differ, and how many rows each has."""
    group, shares = canvas.group("names", text_anchor="end"), canvas.notes("shares", text_anchor="end")
    marks = canvas.group("beyond")
    for position, (name, share, beyond) in enumerate(zip(data.x.levels, data.share, data.beyond, strict=True)):
        y = _middle(place, position)
        weight = "600" if beyond else None
        group.text(place.left - 14, y + 4, name, room=place.left - 16, font_weight=weight)
        shares.text(size(data)[0], y + 4, percent(share))
        if beyond:
            marks.rect(place.left - 9, y - 12, TRACK - 1, 24, "mark", fill="fg")


def _level_bars(canvas: Canvas, trace: Trace, place: Frame, x: Scale, colour: str, aside: float) -> None:
    group, zero, whiskers = canvas.group("bars", fill=colour), x.inside(0.0), ""
    for position, value in enumerate(trace.value):
        end, y = x.inside(value), _middle(place, position) + aside
        group.rect(min(zero, end), y - 5, max(abs(end - zero), 0.75), 10, "bar")
        if trace.lower and trace.upper:
            whiskers += stroke(x.inside(trace.lower[position]), y, x.inside(trace.upper[position]), y)
    canvas.whiskers(whiskers)
