"""What figures show, as plain numbers: from a decomposition and rows to `Figure`, without a view library."""

from anova_report.figures.columns.agreement import scatter_figure
from anova_report.figures.columns.axes import on_shared_axis
from anova_report.figures.columns.cases import force, row_values, waterfall
from anova_report.figures.columns.effects import main_effect
from anova_report.figures.columns.matrix import matrix_figure
from anova_report.figures.columns.networks import local_network, network_figure
from anova_report.figures.columns.overview import answers_histogram, histogram_figure
from anova_report.figures.columns.pairs import pair_surface
from anova_report.figures.columns.regions import regions_figure
from anova_report.figures.columns.rows import Rows
from anova_report.figures.columns.shares import shares_figure, totals_figure
from anova_report.figures.columns.slices import pair_slices

__all__ = [
    "Rows",
    "answers_histogram",
    "force",
    "histogram_figure",
    "local_network",
    "main_effect",
    "matrix_figure",
    "network_figure",
    "on_shared_axis",
    "pair_slices",
    "pair_surface",
    "regions_figure",
    "row_values",
    "scatter_figure",
    "shares_figure",
    "totals_figure",
    "waterfall",
]
