"""How rows are spread over one axis; small, inside a table, without axes."""

from itertools import pairwise

from anova_report.figures.kinds import Axis, Histogram
from anova_report.figures.style import SPARKLINE, size
from anova_report.figures.svg import axes
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import box
from anova_report.figures.svg.scales import Frame, Scale, horizontal, vertical

DEEPEST = 44.0  # of slanted level names: the picture is low


def draw(canvas: Canvas, data: Histogram) -> None:
    """Draw bars over a labelled axis."""
    wide, high = size(data)
    y = Axis("rows", 0.0, 1.06 * max(data.count, default=0) or 1.0)
    place = axes.frame(data.x, y, Frame(0, 0, wide - 8, high), DEEPEST)
    axes.draw_y(canvas, y, place)
    _bars(canvas, data, horizontal(data.x, place), vertical(y, place), gap=1.0)
    axes.draw_x(canvas, data.x, place, deepest=DEEPEST)


def draw_small(canvas: Canvas, data: Histogram) -> None:
    """Draw bars alone."""
    place = Frame(0, 2, SPARKLINE.width, SPARKLINE.height - 1)
    y = Axis("", 0.0, max(data.count, default=0) or 1.0)
    _bars(canvas, data, horizontal(data.x, place), vertical(y, place), gap=0.5)
    canvas.line(place.left, place.bottom + 0.5, place.right, place.bottom + 0.5, stroke="axis")


def _bars(canvas: Canvas, data: Histogram, x: Scale, y: Scale, gap: float) -> None:
    """Draw the bars with a gap between them; a bar of any row at all is at least a line high."""
    bars = ""
    for (left, right), count in zip(_sides(data), data.count, strict=False):
        start, end = x.inside(left), x.inside(right)
        inset = min(gap, (end - start) / 4) / 2
        if count:
            bars += box(start + inset, min(y(count), y(0) - 1), end - inset, y(0))
    if bars:
        canvas.path(bars, "bars", fill="unexplained")


def _sides(data: Histogram) -> list[tuple[float, float]]:
    if data.edges:
        return list(pairwise(data.edges))
    return [(position - 0.36, position + 0.36) for position in range(len(data.count))]
