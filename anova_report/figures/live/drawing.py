"""From a figure to a live plot, and from one figure to the next on the same plot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bokeh.models import ColumnDataSource, Plot

from anova_report.errors import InputError
from anova_report.figures.figure import Figure
from anova_report.figures.live import (
    bars,
    curves,
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
from anova_report.figures.live.frame import Frame
from anova_report.figures.live.stage import Columns, Sources, drawn_from, dress, fill, new_plot


@dataclass(frozen=True)
class Twin:
    """How a kind of figure is drawn live: its columns, what stands around them, its marks, what `new_plot` needs."""

    columns: Callable[[Any], Columns]
    frame: Callable[[Any], Frame]
    draw: Callable[[Plot, Sources], None]
    listed: bool = False
    headed: bool = False


TWINS: dict[str, Twin] = {
    "curve": Twin(curves.columns, curves.frame, curves.draw),
    "levels": Twin(bars.columns, bars.frame, bars.draw, listed=True),
    "surface": Twin(surfaces.columns, surfaces.frame, surfaces.draw),
    "slices": Twin(slices.columns, slices.frame, slices.draw),
    "shares": Twin(shares.share_columns, shares.frame, shares.draw_shares, listed=True),
    "totals": Twin(shares.total_columns, shares.frame, shares.draw_totals, listed=True),
    "network": Twin(networks.columns, networks.frame, networks.draw),
    "waterfall": Twin(waterfalls.columns, waterfalls.frame, waterfalls.draw, listed=True),
    "force": Twin(forces.columns, forces.frame, forces.draw),
    "scatter": Twin(scatters.columns, scatters.frame, scatters.draw),
    "regions": Twin(regions.columns, regions.frame, regions.draw, listed=True),
    "matrix": Twin(matrices.columns, matrices.frame, matrices.draw, listed=True, headed=True),
    "histogram": Twin(histograms.columns, histograms.frame, histograms.draw),
}


def sources(figure: Figure) -> Columns:
    """Return the columns of every mark of a figure's live plot, by the names of their sources."""
    return TWINS[figure.kind].columns(figure.data)


def build(figure: Figure) -> Plot:
    """Draw a figure as a live plot, as wide as its place and as high as its static twin."""
    twin = TWINS[figure.kind]
    plot = new_plot(figure.kind, listed=twin.listed, headed=twin.headed)
    twin.draw(plot, {name: ColumnDataSource(name=name) for name in sources(figure)})
    update(plot, figure)
    return plot


def update(plot: Plot, figure: Figure) -> None:
    """Show another figure of the same kind: new columns, ranges and words in the models that are there.

    Raises
    ------
    InputError
        If the plot was built for another kind of figure.
    """
    if plot.name != figure.kind:
        raise InputError(f"The plot shows a {plot.name}, not a {figure.kind}. Build a plot of its own for this figure.")
    places = {source.name: source for source in drawn_from(plot)}
    for name, columns in sources(figure).items():
        fill(places[name], columns)
    dress(plot, figure.title, TWINS[figure.kind].frame(figure.data))
