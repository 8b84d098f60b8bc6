"""What figures show, as plain numbers: from a decomposition and rows to `Figure`, without a view library."""

from anova_report.figures.columns.agreement import scatter_figure
from anova_report.figures.columns.axes import on_shared_axis
from anova_report.figures.columns.effects import main_effect
from anova_report.figures.columns.matrix import matrix_figure
from anova_report.figures.columns.overview import answers_histogram, histogram_figure
from anova_report.figures.columns.pairs import pair_surface
from anova_report.figures.columns.regions import regions_figure
from anova_report.figures.columns.rows import Rows
from anova_report.figures.columns.slices import pair_slices

__all__ = [
    "Rows",
    "answers_histogram",
    "histogram_figure",
    "main_effect",
    "matrix_figure",
    "on_shared_axis",
    "pair_slices",
    "pair_surface",
    "regions_figure",
    "scatter_figure",
]
