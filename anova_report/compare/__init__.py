"""Other explanations of the same rows, and comparisons of two decompositions."""

from anova_report.compare.methods.additive import ShapeFunctions
from anova_report.compare.methods.agreement import Agreement, FeatureAgreement, agreement
from anova_report.compare.methods.attribution import Attribution, Counterpart, Method
from anova_report.compare.methods.registry import METHODS, attribute, find_method
from anova_report.compare.versions.decompositions import Comparison, compare_decompositions, phenomenon
from anova_report.compare.versions.differences import EffectDifference
from anova_report.compare.versions.drift import ShareDrift
from anova_report.compare.versions.function import LIMIT, FunctionChange
from anova_report.compare.versions.moved_inputs import InputShift

__all__ = [
    "LIMIT",
    "METHODS",
    "Agreement",
    "Attribution",
    "Comparison",
    "Counterpart",
    "EffectDifference",
    "FeatureAgreement",
    "FunctionChange",
    "InputShift",
    "Method",
    "ShapeFunctions",
    "ShareDrift",
    "agreement",
    "attribute",
    "compare_decompositions",
    "find_method",
    "phenomenon",
]
