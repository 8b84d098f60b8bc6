"""Other explanations of the same rows, and two decompositions side by side."""

from anova_report.compare.agreement import Agreement, FeatureAgreement, agreement
from anova_report.compare.attribution import Attribution, Counterpart
from anova_report.compare.decompositions import Comparison, compare_decompositions
from anova_report.compare.drift import ShareDrift
from anova_report.compare.effects import EffectDifference
from anova_report.compare.methods import Method
from anova_report.compare.nam import NAMClassifier, NAMRegressor
from anova_report.compare.phenomenon import phenomenon
from anova_report.compare.registry import METHODS, WHY, attribute, find_method
from anova_report.compare.request import askable

__all__ = [
    "METHODS",
    "WHY",
    "Agreement",
    "Attribution",
    "Comparison",
    "Counterpart",
    "EffectDifference",
    "FeatureAgreement",
    "Method",
    "NAMClassifier",
    "NAMRegressor",
    "ShareDrift",
    "agreement",
    "askable",
    "attribute",
    "compare_decompositions",
    "find_method",
    "phenomenon",
]
