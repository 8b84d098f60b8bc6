"""Marks that several kinds of live plots share: boxes, straight lines, text, lines of other explanations.

A mark reads the columns that bear the names of its properties, unless it is told otherwise.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, MultiLine, Plot, Quad, Scatter, Segment, Text

from anova_report.figures.kinds import Axis, Line
from anova_report.figures.live.colours import by_name, painted
from anova_report.figures.live.frame import along
from anova_report.figures.live.stage import Columns, Mark, Table
from anova_report.figures.live.words import brief
from anova_report.figures.style import FONT, OVERLAYS, SMALL
from anova_report.figures.svg.curves import dashes

DASHES = ("dashed", "dotted", "dashdot", "dotdash")
Rule: TypeAlias = tuple[float, float, float, float, str, str]  # x0, y0, x1, y1, a colour's name, dashes
ROWS = Axis("", 0.0, 1.0)  # positions of rows in a list
UNDER_GRID = "image"  # the level of marks that grid lines cross


def boxes(plot: Plot, source: ColumnDataSource, *, level: str = "glyph", **looks: Any) -> Mark:
    """Draw boxes from the columns left, right, bottom and top."""
    return plot.add_glyph(source, painted(Quad, **({"line_color": None} | looks)), level=level)


def signed_boxes(plot: Plot, source: ColumnDataSource, **looks: Any) -> Mark:
    """Draw contributions as boxes, coloured by their sign; what is not explained is hatched."""
    colours = by_name("colour", ("positive", "negative", "rest"))
    hatched: dict[str, Any] = {"hatch_pattern": "hatch", "hatch_color": "muted", "hatch_scale": 8, "hatch_weight": 0.75}
    edges: dict[str, Any] = {"line_color": colours, "line_width": 0.75}
    return boxes(plot, source, fill_color=colours, **(hatched | edges | looks))


def strokes(plot: Plot, source: ColumnDataSource, **looks: Any) -> Mark:
    """Draw straight lines from the columns x0, y0, x1 and y1."""
    return plot.add_glyph(source, painted(Segment, **looks))


def texts(plot: Plot, source: ColumnDataSource, **looks: Any) -> Mark:
    """Write the column text at x and y."""
    font = {"text_baseline": "middle", "text_font": value(FONT), "text_font_size": f"{SMALL}px", "text_color": "muted"}
    return plot.add_glyph(source, painted(Text, **(font | looks)))


def rules(x: Axis, y: Axis, *drawn: Rule) -> Table:
    """Return the columns of straight lines."""
    return {
        "x0": along(x, [line[0] for line in drawn]),
        "y0": along(y, [line[1] for line in drawn]),
        "x1": along(x, [line[2] for line in drawn]),
        "y1": along(y, [line[3] for line in drawn]),
        "colour": [line[4] for line in drawn],
        "dash": [line[5] for line in drawn],
    }


def draw_rules(plot: Plot, source: ColumnDataSource) -> Mark:
    """Draw straight lines, each in the colour that its row names."""
    colours = by_name("colour", ("axis", "accent", "fg"))
    return strokes(plot, source, line_color=colours, line_dash="dash", line_width=1.25)


def zero_across(x: Axis, y: Axis) -> list[Rule]:
    """Return the line on which an effect along `y` is nothing, if the axis shows it."""
    return [(x.low, 0.0, x.high, 0.0, "axis", "solid")] if y.low <= 0 <= y.high else []


def lines(x: Axis, y: Axis, drawn: Sequence[Line], colours: Sequence[str]) -> Table:
    """Return the columns of lines, one row each."""
    return {
        "xs": [along(x, line.at) for line in drawn],
        "ys": [along(y, line.value) for line in drawn],
        "colour": [colours[position % len(colours)] for position in range(len(drawn))],
        "name": [brief(line.name) for line in drawn],
        "tip": [brief(line.name) for line in drawn],
    }


def overlays(x: Axis, y: Axis, drawn: Sequence[Line]) -> Columns:
    """Return the columns of other explanations of the same thing: one source for each colour, dashes for each line."""
    found: Columns = {colour: {name: [] for name in ("xs", "ys", "dash", "name", "tip")} for colour in OVERLAYS}
    for position, line in enumerate(drawn):
        if line.at:
            table = found[OVERLAYS[position % len(OVERLAYS)]]
            looks = (along(x, line.at), along(y, line.value), DASHES[dashes(position)], brief(line.name))
            for column, value in zip(table.values(), (*looks, looks[-1]), strict=True):
                column.append(value)
    return found


def draw_overlays(plot: Plot, source: ColumnDataSource, colour: str) -> Mark:
    """Draw other explanations that have one colour."""
    looks = {"line_width": 1.5, "line_dash": "dash", "line_join": "round"}
    return plot.add_glyph(source, painted(MultiLine, line_color=colour, **looks))


def draw_lines(plot: Plot, source: ColumnDataSource, colours: Sequence[str], **looks: Any) -> Mark:
    """Draw lines, each in the colour that its row names."""
    shades = by_name("colour", colours)
    return plot.add_glyph(source, painted(MultiLine, line_color=shades, line_join="round", **looks))


def draw_dots(plot: Plot, source: ColumnDataSource, colours: Sequence[str], size: float = 9.0) -> Mark:
    """Draw dots that stand out from what they stand on, each in the colour that its row names."""
    looks = {"size": size, "fill_color": by_name("colour", colours), "line_color": "surface", "line_width": 1.5}
    return plot.add_glyph(source, painted(Scatter, **looks))
