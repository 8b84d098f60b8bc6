"""A pair along one of its features, live: one line for each of some values of the other; twin of `svg.slices`."""

from bokeh.models import Plot, Scatter

from anova_report.figures.kinds import Slices
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name, painted
from anova_report.figures.live.frame import Frame, along, side, widened
from anova_report.figures.live.stage import Columns, Sources, Table, hover
from anova_report.figures.live.words import Tip, brief, placeholder, plain, tip, value_text
from anova_report.figures.style import SLICES, SMALL, size, spread
from anova_report.figures.svg import axes, scales
from anova_report.figures.svg.slices import APART, NAMES, apart
from anova_report.figures.svg.text import clean, shorten, width

GAP = 18.0  # between the lines and the longest name, and right of it


def columns(data: Slices) -> Columns:
    """Return the columns of slices."""
    colours = spread(SLICES, len(data.lines))
    return {
        "rules": marks.rules(data.x, data.y, *marks.zero_across(data.x, data.y)),
        "lines": marks.lines(data.x, data.y, data.lines, colours or SLICES),
        "points": _points(data, colours),
        "names": _names(data, colours),
    }


def frame(data: Slices) -> Frame:
    """Return what stands around slices: right of the lines is room for their names."""
    place = _place(data)
    return Frame(
        x=widened(side(data.x, place.width), after=(_room(data) + GAP) / place.width),
        y=side(data.y),
        size=size(data),
        borders=(place.left, place.top, 0.0, size(data)[1] - place.bottom),
        tips={"points": _tip(data)},
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of slices."""
    marks.draw_rules(plot, sources["rules"])
    marks.draw_lines(plot, sources["lines"], SLICES, line_width=2)
    looks = {"size": 7, "fill_color": by_name("colour", SLICES), "fill_alpha": "strength", "line_color": None}
    points = plot.add_glyph(sources["points"], painted(Scatter, **looks))
    marks.texts(plot, sources["names"], text_color=by_name("colour", SLICES), x_offset=12)
    hover(plot, points, name="points")


def _place(data: Slices) -> scales.Frame:
    """Return the pixels of the lines in the static twin."""
    wide, high = size(data)
    return axes.frame(data.x, data.y, scales.Frame(0, 0, wide - _room(data) - GAP, high))


def _room(data: Slices) -> float:
    return min(NAMES, max((width(clean(line.name), SMALL) for line in data.lines), default=0.0))


def _points(data: Slices, colours: tuple[str, ...]) -> Table:
    """Return every point of every line, to be found by the pointer; seen are those of levels and of single values."""
    found = [
        (at, effect, colour, brief(line.name), float(bool(data.x.levels) or len(line.at) == 1))
        for colour, line in zip(colours, data.lines, strict=True)
        for at, effect in zip(line.at, line.value, strict=False)
    ]
    points: Table = {
        "x": along(data.x, [point[0] for point in found]),
        "y": along(data.y, [point[1] for point in found]),
        "colour": [point[2] for point in found],
        "name": [point[3] for point in found],
        "strength": [point[4] for point in found],
    }
    if data.x.levels:
        points["level"] = [value_text(data.x, point[0]) for point in found]
    return points


def _tip(data: Slices) -> Tip:
    at = ("@level",) if data.x.levels else placeholder("@x", data.x)
    return tip(("", "@name"), (data.x.label, *at), ("effect", *placeholder("@y", data.y, sign=True)))


def _names(data: Slices, colours: tuple[str, ...]) -> Table:
    """Return the names beside the right ends of their lines, moved apart where lines meet."""
    named = [(colour, line) for colour, line in zip(colours, data.lines, strict=True) if line.at]
    high = _place(data).height
    up = scales.vertical(data.y, scales.Frame(0, 0, 1, high))
    spots = apart([up.inside(line.value[-1]) for _, line in named], 0.0, high, APART)
    return {
        "x": along(data.x, [data.x.high] * len(named)),
        "y": along(data.y, [up.high - spot / high * (up.high - up.low) for spot in spots]),
        "text": [plain(shorten(clean(line.name), NAMES + 4, SMALL)) for _, line in named],
        "colour": [colour for colour, _ in named],
    }
