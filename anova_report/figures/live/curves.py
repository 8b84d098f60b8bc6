"""The main effect of a number, live: curve and band over where the rows are; twin of `svg.curves`."""

import math

from bokeh.core.properties import field, value
from bokeh.models import Line, Plot, Range1d, Scatter, VArea
from bokeh.models.annotations import LegendItem

from anova_report.figures.kinds import Curve
from anova_report.figures.live import marks
from anova_report.figures.live.colours import painted
from anova_report.figures.live.frame import Frame, along, side, widened
from anova_report.figures.live.stage import STRIP_RANGE, Columns, Mark, Sources, Table, hover, legend
from anova_report.figures.live.words import Tip, lines, placeholder, tip, value_text
from anova_report.figures.style import OVERLAYS, size
from anova_report.figures.svg import axes, legends, scales
from anova_report.figures.svg.curves import MISSING, STRIP, interpolate, overlay_entries, own_colour
from anova_report.measures.wording import percent, signed

MARGIN = 8.0  # right of the plot
BAR = 1 - 5 / STRIP  # how much of the strip its highest bar fills
ROOM = 60.0  # pixels that "few rows" needs
RUG = 2 / STRIP  # the middle of a row's mark


def columns(data: Curve) -> Columns:
    """Return the columns of a curve."""
    banded = bool(data.lower and data.upper)
    return {
        "few": _few_rows(data),
        "density": _density(data),
        "rug": _rug(data),
        **marks.overlays(data.x, data.y, data.overlays),
        "rules": _rules(data),
        "curve": {
            "x": along(data.x, data.at),
            "y": along(data.y, data.value),
            "lower": along(data.y, data.lower if banded else data.value),
            "upper": along(data.y, data.upper if banded else data.value),
        },
        "among": {
            "x": along(data.x, data.at if data.overlays else ()),
            "y": along(data.y, data.value if data.overlays else ()),
        },
        "dots": _dots(data),
        "words": _words(data),
    }


def frame(data: Curve) -> Frame:
    """Return what stands around a curve: below it a strip for the rows, right of it room for a missing value."""
    place = _place(data)
    return Frame(
        x=widened(side(data.x), after=MISSING / place.width if data.missing else 0.0),
        y=widened(side(data.y), before=_strip(data)),
        size=size(data),
        borders=(place.left, place.top, MARGIN, size(data)[1] - place.bottom),
        strip=place.height / STRIP,
        legend=bool(data.overlays),
        tips={"curve": _curve_tip(data), "density": _density_tip(data)},
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a curve."""
    marks.boxes(plot, sources["few"], fill_color="shade", level=marks.UNDER_GRID)
    bars = _draw_rows(plot, sources)
    band = painted(VArea, y1="lower", y2="upper", fill_color="band", fill_alpha=0.85)
    plot.add_glyph(sources["curve"], band)
    marks.draw_rules(plot, sources["rules"])
    others = [marks.draw_overlays(plot, sources[name], name) for name in OVERLAYS]
    own: Mark = plot.add_glyph(sources["curve"], painted(Line, line_color="accent", line_width=2.25))
    # Among other explanations our own is in the colour of text, over the line that hover tools know.
    among: Mark = plot.add_glyph(sources["among"], painted(Line, line_color="fg", line_width=2.5))
    dots = marks.draw_dots(plot, sources["dots"], ("accent", "fg"))
    marks.texts(plot, sources["words"], text_align="side", text_baseline="edge")
    hover(plot, own, mode="vline", name="curve")
    hover(plot, bars, name="density")
    hover(plot, *others, dots)
    component = LegendItem(label=value("component"), renderers=[own, among])
    named = [LegendItem(label=field("name"), renderers=[mark]) for mark in others]
    legend(plot, component, *named, switches=True)


def _draw_rows(plot: Plot, sources: Sources) -> Mark:
    """Draw how rows are spread, in a strip that has a range of its own, and a few of them."""
    plot.extra_y_ranges = {STRIP_RANGE: Range1d()}
    bars = marks.boxes(plot, sources["density"], fill_color="density", bottom=0, level=marks.UNDER_GRID)
    upright = {"marker": "dash", "angle": math.pi / 2, "size": 4, "y": RUG}
    row = painted(Scatter, **upright, line_color="muted", line_width=0.75, line_alpha=0.6)
    bars.y_range_name = STRIP_RANGE
    plot.add_glyph(sources["rug"], row, y_range_name=STRIP_RANGE)
    return bars


def _place(data: Curve) -> scales.Frame:
    """Return the pixels of curve and strip together in the static twin."""
    wide, high = size(data)
    entries = overlay_entries(data.overlays, "component")
    top = legends.height(entries, wide) + (2 if entries else 0)
    right = wide - MARGIN - (MISSING if data.missing else 0.0)
    return axes.frame(data.x, data.y, scales.Frame(0, top, right, high))


def _strip(data: Curve) -> float:
    """Return the height of the strip over that of the curve."""
    return STRIP / (_place(data).height - STRIP) if data.density_share else 0.0


def _floor(data: Curve, share: float = 0.0) -> float:
    """Return a height in the strip: 0 is its bottom and 1 the lower end of the axis."""
    return data.y.low - (data.y.high - data.y.low) * _strip(data) * (1 - share)


def _held(data: Curve, at: float) -> float:
    return min(max(at, data.x.low), data.x.high)


def _aside(data: Curve) -> float:
    """Return where, along the axis, the effect of a missing value stands."""
    return data.x.high + (data.x.high - data.x.low) * (MISSING / 2 + 4) / _place(data).width


def _few(data: Curve) -> list[tuple[float, float]]:
    """Return the ranges at both ends in which the curve rests on few rows."""
    low, high = (_held(data, at) for at in data.supported)
    return [(left, right) for left, right in ((data.x.low, low), (high, data.x.high)) if right > left]


def _few_rows(data: Curve) -> Table:
    few = _few(data)
    return {
        "left": along(data.x, [left for left, _ in few]),
        "right": along(data.x, [right for _, right in few]),
        "bottom": along(data.y, [_floor(data)] * len(few)),
        "top": along(data.y, [data.y.high] * len(few)),
    }


def _density(data: Curve) -> Table:
    edges = along(data.x, [_held(data, edge) for edge in data.density_edges])
    highest = max(data.density_share, default=0.0) or 1.0
    return {
        "left": edges[:-1],
        "right": edges[1:],
        "top": [round(BAR * share / highest, 4) for share in data.density_share],
        "share": [round(share, 5) for share in data.density_share],
    }


def _rug(data: Curve) -> Table:
    return {"x": along(data.x, [at for at in data.rug if data.x.low <= at <= data.x.high])}


def _rules(data: Curve) -> Table:
    """Return where the effect is nothing, how sure that of a missing value is, and where a row lies."""
    drawn = marks.zero_across(data.x, data.y)
    if data.missing is not None:
        aside = _aside(data)
        colour = own_colour(data.overlays)
        drawn.append((aside, data.missing.lower, aside, data.missing.upper, colour, "solid"))
    if data.marked is not None:
        at = _held(data, data.marked)
        drawn.append((at, _floor(data), at, data.y.high, "fg", "dashed"))
    return marks.rules(data.x, data.y, *drawn)


def _dots(data: Curve) -> Table:
    """Return the effects that are no line: of a missing value, of a feature's only value, of a row."""
    found: list[tuple[float, float, str, str]] = []
    if len(data.at) == 1:
        found.append((data.at[0], data.value[0], own_colour(data.overlays), value_text(data.x, data.at[0])))
    if data.missing is not None:
        atom = data.missing
        said = lines("missing", f"{percent(atom.share)} of rows", _bounds(atom.lower, atom.upper))
        found.append((_aside(data), atom.value, own_colour(data.overlays), said))
    if data.marked is not None and data.at:
        effect = interpolate(data.marked, data.at, data.value)
        found.append((_held(data, data.marked), effect, "fg", f"this row: {value_text(data.x, data.marked)}"))
    return {
        "x": along(data.x, [at for at, _, _, _ in found]),
        "y": along(data.y, [effect for _, effect, _, _ in found]),
        "colour": [colour for _, _, colour, _ in found],
        "tip": [lines(said, f"effect {signed(effect)}") for _, effect, _, said in found],
    }


def _bounds(lower: float, upper: float) -> str:
    return f"band {signed(lower)} to {signed(upper)}" if lower < upper else ""


def _words(data: Curve) -> Table:
    """Return what is written beside marks: where rows are few, which effect is that of a missing value."""
    length = data.x.high - data.x.low
    found = [
        ((left + right) / 2, _floor(data, 0.2), "few rows", "bottom", "center")
        for left, right in _few(data)
        if (right - left) / length * _place(data).width > ROOM
    ]
    if data.missing is not None:
        found.append((_aside(data), _floor(data), f"missing\n{percent(data.missing.share)}", "bottom", "center"))
    if data.marked is not None:
        at, beside = _held(data, data.marked), "left" if data.marked < data.x.low + length / 2 else "right"
        found.append((at, data.y.high, f" {value_text(data.x, data.marked)} ", "top", beside))
    return {
        "x": along(data.x, [word[0] for word in found]),
        "y": along(data.y, [word[1] for word in found]),
        "text": [word[2] for word in found],
        "edge": [word[3] for word in found],
        "side": [word[4] for word in found],
    }


def _curve_tip(data: Curve) -> Tip:
    at, effect = placeholder("@x", data.x), placeholder("@y", data.y, sign=True)
    lower, upper = placeholder("@lower", data.y, sign=True), placeholder("@upper", data.y, sign=True)
    band = ("band", f"{lower[0]} to {upper[0]}", lower[1] | upper[1])
    rows = ((data.x.label, *at), ("effect", *effect))
    return tip(*rows, band) if data.lower and data.upper else tip(*rows)


def _density_tip(data: Curve) -> Tip:
    left, right = placeholder("@left", data.x), placeholder("@right", data.x)
    return tip((data.x.label, f"{left[0]} to {right[0]}", left[1] | right[1]), ("rows", "@share{0.0%}"))
