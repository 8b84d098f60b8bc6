"""The main effect of a number: its curve and band over where the rows are."""

from bisect import bisect_left
from dataclasses import dataclass, replace

from anova_report.figures.kinds import Atom, Curve, Line
from anova_report.figures.style import OVERLAYS, SMALL, size
from anova_report.figures.svg import axes, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.dates import date_text
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.paths import area, box, polyline, stroke
from anova_report.figures.svg.scales import Frame, Scale, horizontal, vertical
from anova_report.measures.wording import number, percent

STRIP = 30.0  # pixels for the histogram below the curve
MISSING = 64.0  # pixels for the effect of a missing value right of it
DASHES = ("5 3", "2 2", "8 3 2 3", "3 4")


@dataclass(frozen=True)
class _Plot:
    """A canvas, the frame of the curve, that of the strip below it, and the two scales."""

    canvas: Canvas
    place: Frame
    strip: Frame
    x: Scale
    y: Scale

    @property
    def whole(self) -> Frame:
        return replace(self.place, bottom=self.strip.bottom)


def draw(canvas: Canvas, data: Curve) -> None:
    """Draw a curve."""
    plot = _layout(canvas, data)
    _few_rows(plot, data)
    _density(plot, data)
    axes.draw_y(canvas, data.y, replace(plot.place, right=size(data)[0] - 8.0))
    axes.draw_x(canvas, data.x, plot.strip)
    window = canvas.group("data", clip_path=canvas.clip(plot.place), fill="none")
    _band(window, plot, data)
    axes.zero_line(canvas, data.y, plot.place)
    _lines(canvas, plot, data)
    if data.missing is not None:
        _missing(plot, data.missing, own_colour(data.overlays))
    if data.marked is not None:
        _marked(plot, data, data.marked)


def own_colour(overlays: tuple[Line, ...]) -> str:
    """Return the colour of a component: that of text where other explanations lie beside it, as in the paper."""
    return "fg" if overlays else "accent"


def dashes(position: int) -> int:
    """Choose dashes for another explanation, so that lines that must share a colour do not share these, too."""
    return (position + position // len(OVERLAYS)) % len(DASHES)


def overlay_entries(overlays: tuple[Line, ...], own: str) -> tuple[Entry, ...]:
    """Return the legend of a component and of other explanations of it; nothing where there are none."""
    others = tuple(
        Entry(line.name, "line", OVERLAYS[position % len(OVERLAYS)], DASHES[dashes(position)])
        for position, line in enumerate(overlays)
        if line.at
    )
    return (Entry(own, "line", own_colour(overlays)), *others) if others else ()


def _layout(canvas: Canvas, data: Curve) -> _Plot:
    wide, high = size(data)
    entries = overlay_entries(data.overlays, "component")
    top = legends.height(entries, wide) + (2 if entries else 0)
    legends.draw(canvas, entries, 0, 0, wide)
    right = wide - 8.0 - (MISSING if data.missing else 0.0)
    strip = STRIP if data.density_share else 0.0
    whole = axes.frame(data.x, data.y, Frame(0, top, right, high))
    place = replace(whole, bottom=whole.bottom - strip)
    return _Plot(canvas, place, replace(whole, top=place.bottom), horizontal(data.x, place), vertical(data.y, place))


def _few_rows(plot: _Plot, data: Curve) -> None:
    """Shade where the curve rests on few rows."""
    low, high = (plot.x.inside(value) for value in data.supported)
    group = plot.canvas.group("few-rows")
    for left, right in ((plot.place.left, low), (high, plot.place.right)):
        if right - left > 0.5:
            group.rect(left, plot.place.top, right - left, plot.whole.height, fill="shade")
        if right - left > 60:
            group.note((left + right) / 2, plot.strip.bottom - 10, "few rows", text_anchor="middle")


def _density(plot: _Plot, data: Curve) -> None:
    """Draw the histogram of the rows, its highest bar as high as the strip allows, and a few rows below it."""
    highest = max(data.density_share, default=0.0) or 1.0
    bottom, room = plot.strip.bottom, plot.strip.height - 5
    bars = ""
    for left, right, share in zip(data.density_edges, data.density_edges[1:], data.density_share, strict=False):
        if share > 0:
            bars += box(plot.x.inside(left), bottom - max(room * share / highest, 0.5), plot.x.inside(right), bottom)
    if bars:
        plot.canvas.path(bars, "density", fill="density")
    rug = "".join(stroke(plot.x(value), bottom - 4, plot.x(value), bottom) for value in data.rug if plot.x.holds(value))
    if rug:
        plot.canvas.path(rug, "rug", stroke="muted", stroke_width=0.75, stroke_opacity=0.6, fill="none")


def _band(window: Canvas, plot: _Plot, data: Curve) -> None:
    if data.lower and data.upper:
        upper = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, data.upper, strict=False)]
        lower = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, data.lower, strict=False)]
        window.path(area(upper, lower), "band", fill="band", fill_opacity=0.85)


def _lines(canvas: Canvas, plot: _Plot, data: Curve) -> None:
    drawn = canvas.group("lines", clip_path=f"url(#{canvas.key}-clip)", fill="none", stroke_linejoin="round")
    for position, line in enumerate(data.overlays):
        points = [(plot.x(at), plot.y(value)) for at, value in zip(line.at, line.value, strict=False)]
        colour, dash = OVERLAYS[position % len(OVERLAYS)], DASHES[dashes(position)]
        if points:
            drawn.path(polyline(points), "overlay", stroke=colour, stroke_width=1.5, stroke_dasharray=dash)
    points = [(plot.x(at), plot.y(value)) for at, value in zip(data.at, data.value, strict=False)]
    wide = 2.25 if len(points) > 1 else 6
    drawn.path(
        polyline(points), "component", stroke=own_colour(data.overlays), stroke_width=wide, stroke_linecap="round"
    )


def _missing(plot: _Plot, atom: Atom, colour: str) -> None:
    """Draw the effect of a missing value as a dot with a whisker right of the curve."""
    group = plot.canvas.group("missing")
    x = plot.place.right + MISSING / 2 + 7
    low, high, middle = (plot.y.inside(value) for value in (atom.lower, atom.upper, atom.value))
    group.line(x, low, x, high, stroke=colour, stroke_width=1.5)
    group.circle(x, middle, 4, fill=colour, stroke="surface", stroke_width=1.5)
    group.note(x, plot.strip.bottom + 16, "missing", text_anchor="middle")
    group.note(x, plot.strip.bottom + 30, percent(atom.share), text_anchor="middle")


def _marked(plot: _Plot, data: Curve, marked: float) -> None:
    """Draw a row's value as a dashed line with a dot on the curve; beyond the axis it stands at its end."""
    group = plot.canvas.group("marked")
    x, top = plot.x.inside(marked), plot.place.top
    group.line(x, top - 2, x, plot.strip.bottom, stroke="fg", stroke_dasharray="3 3")
    if data.at:
        y = plot.y.inside(interpolate(marked, data.at, data.value))
        group.circle(x, y, 4, fill="fg", stroke="surface", stroke_width=1.5)
    anchor = "end" if x > (plot.place.left + plot.place.right) / 2 else "start"
    words = (date_text(marked) if data.x.time else "") or number(marked)
    aside = -6 if anchor == "end" else 6
    group.group("value", halo=True, font_size=SMALL).text(x + aside, top + 8, words, text_anchor=anchor)


def interpolate(at: float, positions: tuple[float, ...], values: tuple[float, ...]) -> float:
    """Return the value of a line at a position; beyond its ends, that of the end.

    Examples
    --------
    >>> interpolate(1.5, (1.0, 2.0), (10.0, 20.0))
    15.0
    """
    after = bisect_left(positions, at)
    if after == 0 or after == len(positions):
        return values[min(after, len(values) - 1)]
    left, right = positions[after - 1], positions[after]
    share = (at - left) / (right - left) if right > left else 0.0
    return values[after - 1] + (values[after] - values[after - 1]) * share
