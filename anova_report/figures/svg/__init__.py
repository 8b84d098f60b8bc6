"""Static pictures: every scene as one self-contained SVG, for pages without scripts, print and mail."""

from anova_report.figures.svg.picture import draw

__all__ = ["draw"]
