"""A main effect in two decompositions on the same axes, and where the two differ by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

from anova_report.figures.contrasts import Contrast, LevelContrast, Trace
from anova_report.figures.kinds import Atom, Axis, Numbers
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
LOWER = 76.0  # pixels for the difference below the curves
APART = 6.0  # between the curves and what stands over the difference
TRACK = 5.0  # pixels for the bar that marks where the two differ
MISSING = 64.0  # pixels for the effects of a missing value right of the curves
NAMES = 150.0  # the longest name of a level
SHARES = 50.0  # the column of shares of rows
DASH = "6 3"
GAP = "fg"  # the colour of a difference, which is neither of the two
BAND = 0.17  # opacity of a band: where two bands overlap both are seen
BEYOND = "difference beyond chance"

Looks: TypeAlias = tuple[Trace, str, str | None]  # a line, its colour and its dashes


@dataclass(frozen=True)
class _Panel:
    """A frame with a scale along the feature and one along the effect, or along its difference."""

    place: Frame
    x: Scale
    y: Scale

    @classmethod
    def of(cls, x: Axis, y: Axis, place: Frame) -> Self:
        """Span both axes over a frame."""
        return cls(place, horizontal(x, place), vertical(y, place))

    def points(self, at: Numbers, value: Numbers) -> list[tuple[float, float]]:
        """Return the pixels of a line."""
        return [(self.x(where), self.y(effect)) for where, effect in zip(at, value, strict=False)]


@dataclass(frozen=True)
class _Plot:
    """A canvas, the panel of both curves, that of their difference below it, and the strip of rows below both."""

    canvas: Canvas
    curves: _Panel
    gap: _Panel
    strip: Frame


def legend_entries(first: Trace, second: Trace, beyond: bool) -> tuple[Entry, ...]:
    """Return what both versions look like and, where they differ, how that is marked."""
    marked = (Entry(BEYOND, "thin", "fg"),) if beyond else ()
    return (Entry(first.name, "line", FIRST), Entry(second.name, "line", SECOND, DASH), *marked)


def draw(canvas: Canvas, data: Contrast) -> None:
    """Draw both curves with their bands, below them their difference with its own, and where the rows are."""
    plot = _layout(canvas, data)
    _beyond(plot, data)
    _density(plot, data)
    for axis, panel in ((data.y, plot.curves), (data.gap, plot.gap)):
        axes.draw_y(canvas, axis, replace(panel.place, right=size(data)[0] - 8.0))
        axes.zero_line(canvas, axis, panel.place)
    axes.draw_x(canvas, data.x, plot.strip)
    pairs = ((data.first, FIRST, None), (data.second, SECOND, DASH))
    _draw_lines(canvas, "curves", plot.curves, data.at, pairs)
    _draw_lines(canvas, "gap", plot.gap, data.at, ((data.difference, GAP, None),))
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
    box = Frame(0, top, right, high)
    whole = axes.frame(data.x, data.y, box)
    whole = replace(whole, left=max(whole.left, axes.frame(data.x, data.gap, box).left))
    strip = replace(whole, top=whole.bottom - STRIP)
    below = replace(whole, top=strip.top - TRACK - LOWER, bottom=strip.top - TRACK)
    above = replace(whole, bottom=below.top - axes.ABOVE - APART)
    return _Plot(canvas, _Panel.of(data.x, data.y, above), _Panel.of(data.x, data.gap, below), strip)


def _beyond(plot: _Plot, data: Contrast) -> None:
    """Shade where the difference is beyond its band, and mark it with a bar under the difference."""
    group = plot.canvas.group("beyond")
    for low, high in data.beyond:
        left, right = plot.gap.x.inside(low), plot.gap.x.inside(high)
        wide = max(right - left, 1.0)
        for place in (plot.curves.place, plot.gap.place):
            group.rect(left, place.top, wide, place.height, fill="shade")
        group.rect(left, plot.gap.place.bottom, wide, TRACK - 1, "mark", fill="fg")


def _density(plot: _Plot, data: Contrast) -> None:
    highest = max(data.density_share, default=0.0) or 1.0
    bottom, room = plot.strip.bottom, plot.strip.height - 3
    bars = ""
    for left, right, share in zip(data.density_edges, data.density_edges[1:], data.density_share, strict=False):
        if share > 0:
            ends = plot.gap.x.inside(left), plot.gap.x.inside(right)
            bars += box(ends[0], bottom - max(room * share / highest, 0.5), ends[1], bottom)
    if bars:
        plot.canvas.path(bars, "density", fill="density")


def _draw_lines(canvas: Canvas, name: str, panel: _Panel, at: Numbers, drawn: Sequence[Looks]) -> None:
    """Draw bands, then lines over all of them, cut to their panel."""
    window = canvas.clip(panel.place, f"{name}-clip")
    group = canvas.group(name, clip_path=window, fill="none", stroke_linejoin="round")
    for trace, colour, _ in drawn:
        if trace.lower and trace.upper:
            outline = area(panel.points(at, trace.upper), panel.points(at, trace.lower))
            group.path(outline, "band", fill=colour, fill_opacity=BAND)
    for trace, colour, dash in drawn:
        line = polyline(panel.points(at, trace.value))
        group.path(line, "component", stroke=colour, stroke_width=2.25, stroke_dasharray=dash)


def _missing(plot: _Plot, atoms: tuple[Atom, Atom]) -> None:
    group = plot.canvas.group("missing")
    centre = plot.curves.place.right + MISSING / 2 + 7
    for atom, colour, aside in zip(atoms, (FIRST, SECOND), (-6.0, 6.0), strict=True):
        low, high, middle = (plot.curves.y.inside(value) for value in (atom.lower, atom.upper, atom.value))
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
