"""The notebook view of a decomposition: the present choice, its pictures, and the bridge that brings them to a page."""

from anova_report.explorer.app import Explorer
from anova_report.explorer.state import State
from anova_report.explorer.user_input import FeatureLine as Overlay

__all__ = ["Explorer", "Overlay", "State"]
