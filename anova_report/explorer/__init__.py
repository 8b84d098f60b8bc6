"""The notebook view of a decomposition: what is chosen, its pictures, and the bridge that carries them into a page."""

from anova_report.explorer.app import Explorer
from anova_report.explorer.overlays import Overlay
from anova_report.explorer.state import State

__all__ = ["Explorer", "Overlay", "State"]
