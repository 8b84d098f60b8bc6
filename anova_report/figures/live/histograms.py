"""How rows are spread over one axis, live; twin of `svg.histograms`."""

from itertools import pairwise

from bokeh.models import Plot

from anova_report.figures.kinds import Axis, Histogram
from anova_report.figures.live import marks
from anova_report.figures.live.frame import Frame, along, side
from anova_report.figures.live.stage import Columns, Sources, Table, hover
from anova_report.figures.live.words import lines, value_text
from anova_report.figures.style import size
from anova_report.figures.svg import axes, scales
from anova_report.figures.svg.histograms import DEEPEST

MARGIN = 8.0
HALF = 0.36  # of the width of a level's bar


def columns(data: Histogram) -> Columns:
    """Return the columns of a histogram."""
    spans = _spans(data)
    if data.edges:
        said = [f"{value_text(data.x, low)} to {value_text(data.x, high)}" for low, high in spans]
    else:
        said = [value_text(data.x, float(position)) for position in range(len(data.count))]
    bars: Table = {
        "left": along(data.x, [min(max(low, data.x.low), data.x.high) for low, _ in spans]),
        "right": along(data.x, [min(max(high, data.x.low), data.x.high) for _, high in spans]),
        "bottom": [0] * len(spans),
        "top": list(data.count),
        "tip": [lines(words, f"{count:,} rows") for words, count in zip(said, data.count, strict=True)],
    }
    return {"bars": bars}


def frame(data: Histogram) -> Frame:
    """Return what stands around a histogram."""
    wide, high = size(data)
    y = Axis("rows", 0.0, 1.06 * max(data.count, default=0) or 1.0)
    place = axes.frame(data.x, y, scales.Frame(0, 0, wide - MARGIN, high), DEEPEST)
    borders = (place.left, place.top, MARGIN, high - place.bottom)
    return Frame(x=side(data.x, place.width), y=side(y), size=(wide, high), borders=borders)


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a histogram."""
    bars = marks.boxes(plot, sources["bars"], fill_color="unexplained", line_color="surface", line_width=1)
    hover(plot, bars)


def _spans(data: Histogram) -> list[tuple[float, float]]:
    if data.edges:
        return list(pairwise(data.edges))
    return [(position - HALF, position + HALF) for position in range(len(data.count))]
