"""Facts about a decomposition, made from its moments alone: no data and no model are needed."""

from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.findings import Finding, Findings, findings
from anova_report.measures.intervals import Band, Interval, bands
from anova_report.measures.orthogonality import Cosine, Orthogonality, orthogonality
from anova_report.measures.support import FeatureSupport, PairSupport, Support, support
from anova_report.measures.variance import (
    FeatureTotal,
    FeatureTotals,
    TermShare,
    VarianceShares,
    feature_totals,
    variance_shares,
)

__all__ = [
    "Band",
    "Cosine",
    "FeatureSupport",
    "FeatureTotal",
    "FeatureTotals",
    "Fidelity",
    "Finding",
    "Findings",
    "Interval",
    "Orthogonality",
    "PairSupport",
    "Support",
    "TermShare",
    "VarianceShares",
    "bands",
    "feature_totals",
    "fidelity",
    "findings",
    "orthogonality",
    "support",
    "variance_shares",
]
