"""What figures show, as plain numbers: from a decomposition and rows to `Figure`, without a view library."""

from anova_report.figures.columns.axes import on_shared_axis
from anova_report.figures.columns.cases import force, row_values, waterfall
from anova_report.figures.columns.effects import main_effect
from anova_report.figures.columns.networks import local_network, network_figure
from anova_report.figures.columns.pairs import pair_surface
from anova_report.figures.columns.rows import Rows
from anova_report.figures.columns.shares import shares_figure, totals_figure
from anova_report.figures.columns.slices import pair_slices

__all__ = [
    "Rows",
    "force",
    "local_network",
    "main_effect",
    "network_figure",
    "on_shared_axis",
    "pair_slices",
    "pair_surface",
    "row_values",
    "shares_figure",
    "totals_figure",
    "waterfall",
]
