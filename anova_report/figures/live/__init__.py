"""Live figures: every kind as a bokeh plot, drawn from the same data as its static twin."""

from anova_report.figures.live.drawing import build, sources, update
from anova_report.figures.live.embedding import PlotWriter, bokehjs, plot_json

__all__ = ["PlotWriter", "bokehjs", "build", "plot_json", "sources", "update"]
