"""Facts about a decomposition, made from its moments alone: no data and no model are needed."""

from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.orthogonality import Cosine, Orthogonality, orthogonality
from anova_report.measures.variance import (
    FeatureTotal,
    FeatureTotals,
    TermShare,
    VarianceShares,
    feature_totals,
    variance_shares,
)

__all__ = [
    "Cosine",
    "FeatureTotal",
    "FeatureTotals",
    "Fidelity",
    "Orthogonality",
    "TermShare",
    "VarianceShares",
    "feature_totals",
    "fidelity",
    "orthogonality",
    "variance_shares",
]
