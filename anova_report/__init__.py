"""Explain any black-box model by its functional ANOVA when inputs depend on each other."""

from importlib.metadata import version

from anova_report.core.decomposition import Decomposition
from anova_report.core.estimator import FunctionalANOVA, explain

__all__ = ["Decomposition", "FunctionalANOVA", "__version__", "explain"]
__version__ = version("anova_report")
