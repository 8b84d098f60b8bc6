"""Live figures: every scene as a bokeh plot."""

from anova_report.figures.live.embedding import PlotWriter, bokehjs
from anova_report.figures.live.plot import build, update

__all__ = ["PlotWriter", "bokehjs", "build", "update"]
