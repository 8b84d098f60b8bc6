"""How features go together in the rows of a fit: correlations of ranks, from sums the fit has made anyway.

With the law of each feature they say enough of the joint law to make rows like those of the fit, and to see whether the
rows of another fit go together differently.
"""

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.fit.families import NumericMarginal
from anova_report.core.fit.purification import symmetric
from anova_report.core.fit.summary import Assembly

DIGITS = 4  # that are kept: their error is larger with fewer than 100 million rows


def rank_correlations(assembly: Assembly) -> Floats:
    """Correlate the ranks of ordered features, shape (n_features, n_features); levels have no ranks, and get zeros."""
    fit = assembly.fit
    found = np.eye(len(fit.rows.marginals))
    ordered = [
        (feature, first)
        for feature, marginal in enumerate(fit.rows.marginals)
        if isinstance(marginal, NumericMarginal)
        # The function of degree one is the rank; where values are missing, their indicator comes before it.
        for first in fit.columns.positions.get((feature,), ())[int(marginal.missing > 0) :][:1]
    ]
    if not ordered:
        return found
    features, at = (np.array(each, dtype=np.intp) for each in zip(*ordered, strict=True))
    means = fit.normal.gram[0, at]
    covariance = symmetric(fit.normal.gram, at) - np.outer(means, means)
    spread = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    found[np.ix_(features, features)] = np.clip(covariance / np.outer(spread, spread), -1.0, 1.0).round(DIGITS)
    return found
