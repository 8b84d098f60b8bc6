"""Rows as points, live, with the line on which both axes are equal; twin of `svg.scatters`."""

from dataclasses import replace

from bokeh.models import Grid, Plot
from bokeh.models import Scatter as Points

from anova_report.figures.kinds import Scatter
from anova_report.figures.live import marks
from anova_report.figures.live.colours import painted
from anova_report.figures.live.frame import Frame, along, side
from anova_report.figures.live.stage import Columns, Sources, Table, hover
from anova_report.figures.live.words import placeholder, plain, tip
from anova_report.figures.style import size
from anova_report.figures.svg import axes, scales

MARGIN = 8.0


def columns(data: Scatter) -> Columns:
    """Return the columns of rows."""
    chosen = [] if data.marked is None or data.marked >= len(data.at) else [data.marked]
    low, high = min(data.x.low, data.y.low), max(data.x.high, data.y.high)
    equal: list[marks.Rule] = [(low, low, high, high, "axis", "dashed")] if data.identity else []
    points: Table = {"x": along(data.x, data.at), "y": along(data.y, data.value), "row": list(data.rows)}
    return {
        "rules": marks.rules(data.x, data.y, *equal),
        "points": points,
        "marked": {name: [column[position] for position in chosen] for name, column in points.items()},
    }


def frame(data: Scatter) -> Frame:
    """Return what stands around points."""
    wide, high = size(data)
    place = axes.frame(data.x, data.y, scales.Frame(0, 0, wide - MARGIN, high))
    notes = [f"{len(data.at):,} of {data.n_rows:,} rows"] * (len(data.at) < data.n_rows)
    notes += ["dashed: both equal"] * data.identity
    x, y = placeholder("@x", data.x), placeholder("@y", data.y)
    said = tip(("row", "@row"), (data.x.label, *x), (data.y.label, *y))
    return Frame(
        x=side(data.x, place.width),
        y=replace(side(data.y), label=plain("; ".join((data.y.label, *notes)))),
        size=(wide, high),
        borders=(place.left, place.top, MARGIN, high - place.bottom),
        tips={"points": said},
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of rows."""
    plot.add_layout(painted(Grid, dimension=0, axis=plot.below[0], grid_line_color="grid"))
    marks.draw_rules(plot, sources["rules"])
    point = painted(Points, size=5.5, fill_color="accent", fill_alpha=0.5, line_color=None)
    points = plot.add_glyph(sources["points"], point)
    one = painted(Points, size=11, fill_color="positive", line_color="surface", line_width=2)
    marked = plot.add_glyph(sources["marked"], one)
    hover(plot, points, marked, name="points")
