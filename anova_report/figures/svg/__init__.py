"""Static pictures: every kind of figure as one self-contained SVG, for pages without scripts, print and mail."""

from collections.abc import Callable
from typing import Any

from anova_report.errors import InputTypeError
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Histogram
from anova_report.figures.style import SPARKLINE, size
from anova_report.figures.svg import (
    bars,
    contrasts,
    curves,
    drifts,
    forces,
    histograms,
    matrices,
    networks,
    regions,
    scatters,
    shares,
    slices,
    surfaces,
    waterfalls,
)
from anova_report.figures.svg.canvas import Canvas

__all__ = ["draw"]

_DRAWERS: dict[str, Callable[[Canvas, Any], None]] = {
    "curve": curves.draw,
    "levels": bars.draw,
    "surface": surfaces.draw,
    "slices": slices.draw,
    "shares": shares.draw_shares,
    "totals": shares.draw_totals,
    "network": networks.draw,
    "waterfall": waterfalls.draw,
    "force": forces.draw,
    "scatter": scatters.draw,
    "regions": regions.draw,
    "matrix": matrices.draw,
    "histogram": histograms.draw,
    "contrast": contrasts.draw,
    "levelcontrast": contrasts.draw_levels,
    "drift": drifts.draw,
}


def draw(figure: Figure, *, small: bool = False) -> str:
    """Draw a figure as an SVG element with its own size, title and description.

    Parameters
    ----------
    figure : Figure
    small : bool
        Draw a histogram without axes, to stand in a table.

    Raises
    ------
    InputTypeError
        If something else than a histogram is to be small.
    """
    if small:
        return _small(figure)
    canvas = Canvas.of(figure, *size(figure.data))
    _DRAWERS[figure.kind](canvas, figure.data)
    return canvas.written()


def _small(figure: Figure) -> str:
    if not isinstance(figure.data, Histogram):
        raise InputTypeError(f"Only a histogram can be drawn small, not a {figure.kind}. Leave out `small`.")
    canvas = Canvas.of(figure, SPARKLINE.width, SPARKLINE.height, "small")
    histograms.draw_small(canvas, figure.data)
    return canvas.written()
