"""Facts about a decomposition, made from its moments alone: no data and no model are needed."""

from anova_report.measures.accuracy import Accuracy, Candidate, Score, accuracy
from anova_report.measures.failing_regions import FailingRegion, FailingRegions, failing_regions
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.findings import findings
from anova_report.measures.groups import GroupShare, GroupShares, group_shares
from anova_report.measures.influential_rows import InfluentialRow, InfluentialRows, influential_rows
from anova_report.measures.intervals import Band, Interval, bands, prediction_bands
from anova_report.measures.joint import Correlated, Inseparable, JointEffect, correlated, inseparable, joint_effect
from anova_report.measures.kept_aside import KeptAside
from anova_report.measures.local import (
    Contribution,
    FeatureValue,
    NotableRow,
    RowExplanation,
    explanation,
    notable_rows,
)
from anova_report.measures.orthogonality import Cosine, Orthogonality, orthogonality
from anova_report.measures.policy import Policy
from anova_report.measures.protected import Entry, GroupMeans, Ledger, Protected, protected_columns
from anova_report.measures.reasons import Reason, Reasons, reasons
from anova_report.measures.row_lists import (
    ExtrapolatedRow,
    ExtrapolatedRows,
    LargestResiduals,
    ResidualRow,
    extrapolated_rows,
    largest_residuals,
)
from anova_report.measures.rules import Condition
from anova_report.measures.status import Finding, Findings, Limit, Waiver
from anova_report.measures.support import FeatureSupport, JointRows, PairSupport, Support, UnseenPair, support
from anova_report.measures.variance import (
    FeatureTotal,
    FeatureTotals,
    TermShare,
    VarianceShares,
    feature_totals,
    variance_shares,
)

__all__ = [
    "Accuracy",
    "Band",
    "Candidate",
    "Condition",
    "Contribution",
    "Correlated",
    "Cosine",
    "Entry",
    "ExtrapolatedRow",
    "ExtrapolatedRows",
    "FailingRegion",
    "FailingRegions",
    "FeatureSupport",
    "FeatureTotal",
    "FeatureTotals",
    "FeatureValue",
    "Fidelity",
    "Finding",
    "Findings",
    "GroupMeans",
    "GroupShare",
    "GroupShares",
    "InfluentialRow",
    "InfluentialRows",
    "Inseparable",
    "Interval",
    "JointEffect",
    "JointRows",
    "KeptAside",
    "LargestResiduals",
    "Ledger",
    "Limit",
    "NotableRow",
    "Orthogonality",
    "PairSupport",
    "Policy",
    "Protected",
    "Reason",
    "Reasons",
    "ResidualRow",
    "RowExplanation",
    "Score",
    "Support",
    "TermShare",
    "UnseenPair",
    "VarianceShares",
    "Waiver",
    "accuracy",
    "bands",
    "correlated",
    "explanation",
    "extrapolated_rows",
    "failing_regions",
    "feature_totals",
    "fidelity",
    "findings",
    "group_shares",
    "influential_rows",
    "inseparable",
    "joint_effect",
    "largest_residuals",
    "notable_rows",
    "orthogonality",
    "prediction_bands",
    "protected_columns",
    "reasons",
    "support",
    "variance_shares",
]
