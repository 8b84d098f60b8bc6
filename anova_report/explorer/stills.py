"""Still pictures of the explorer: those of figures, with points in colours where they are grouped."""

import base64
from xml.etree.ElementTree import Element, fromstring, register_namespace, tostring

from anova_report.explorer.pointing import Groups
from anova_report.figures import svg
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Scatter
from anova_report.figures.style import LIGHT, size
from anova_report.figures.svg import axes, legends, scatters
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import vertices
from anova_report.figures.svg.scales import Frame, horizontal, vertical

SPACE = "http://www.w3.org/2000/svg"
RADIUS = 2.6
OPACITY = 0.9  # hides the plain points below


def draw(figure: Figure, groups: Groups | None = None) -> str:
    """Draw a figure as static SVG; the points of a scatter in the colours of their groups, with a legend below."""
    if groups is None or not isinstance(figure.data, Scatter):
        return svg.draw(figure)
    entries = [legends.Entry(name, "bar", colour) for name, colour in zip(groups.names, groups.colours, strict=True)]
    wide, high = size(figure.data)
    canvas = Canvas.of(figure, wide, round(high + 18 + legends.height(entries, wide)))
    scatters.draw(canvas, figure.data)
    _points(canvas, figure.data, groups)
    canvas.note(0, high + 12, f"colours: {groups.feature}", room=wide)
    legends.draw(canvas, entries, 0.0, high + 16.0, wide)
    return canvas.written()


def address(figure: Figure) -> str:
    """Draw a figure on a light ground as a picture inside an address, for pages that let no drawing of ours in.

    Readers of other people's notebooks take out SVG that stands in the page, and leave pictures.
    """
    root = fromstring(svg.draw(figure))  # noqa: S314 drawn by ourselves
    root.insert(0, Element(f"{{{SPACE}}}rect", {"width": "100%", "height": "100%", "fill": LIGHT["surface"]}))
    register_namespace("", SPACE)
    return data_uri("image/svg+xml", tostring(root, encoding="unicode"))


def data_uri(kind: str, text: str) -> str:
    """Write a file as an address that holds it.

    Examples
    --------
    >>> data_uri("text/csv", "a,b")
    'data:text/csv;charset=utf-8;base64,YSxi'
    """
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode('ascii')}"


def _points(canvas: Canvas, data: Scatter, groups: Groups) -> None:
    wide, high = size(data)
    place = axes.frame(data.x, data.y, Frame(0, 0, wide - 8, high))  # where `scatters.draw` puts the points
    x, y = horizontal(data.x, place), vertical(data.y, place)
    for position, colour in enumerate(groups.colours):
        layer = Canvas(canvas.group(f"group-{position}").element, f"{canvas.key}-{position}")
        layer.markers(
            vertices([(x(data.at[point]), y(data.value[point])) for point in groups.points(position)]),
            RADIUS,
            colour,
            OPACITY,
        )
    if data.marked is not None:
        at, value = x.inside(data.at[data.marked]), y.inside(data.value[data.marked])
        canvas.circle(at, value, 5.5, "marked", fill="positive", stroke="surface", stroke_width=2)
