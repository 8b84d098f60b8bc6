"""Joint effects of features that move together: averaged over rows, so that nothing is said of places without rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.measures.intervals import LEVEL, certain_quantile
from anova_report.measures.joint import JointEffect

ROWS_PER_MEAN = 40  # of fewer rows a mean shows single rows
MOST_MEANS = 24  # along a line: more would show the unevenness of single rows


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """A joint effect averaged over groups of rows.

    Parameters
    ----------
    value : array of shape (n_groups,)
    lower, upper : array of shape (n_groups,), or None
        95% bounds of the means, where the estimator keeps track of uncertainty.
    explained : float
        Share of the variance of the joint effect over the rows that lies between the groups.
    """

    value: Floats
    lower: Floats | None
    upper: Floats | None
    explained: float


def common_direction(dec: Decomposition, values: Floats, features: Sequence[int]) -> tuple[Floats, Floats] | None:
    """Find the direction in which rows move together: the first principal component of the ranks of the features.

    Features without an order take no part, and a missing value lies in the middle.

    Parameters
    ----------
    dec : Decomposition
    values : array of shape (n_rows, n_features)
        Encoded rows.
    features : sequence of int

    Returns
    -------
    (positions, slopes) or None
        Where each row lies along the direction, from 0 to 1 by rank, and how much each feature rises along it, 0 for
        those without an order; None where fewer than two features have an order and vary.
    """
    columns = np.zeros((len(values), len(features)))
    for at, index in enumerate(features):
        if dec.features[index].kind != "nominal":
            columns[:, at] = _standardized_ranks(values[:, index])
    if (np.ptp(columns, axis=0) > 0).sum() < 2:
        return None
    slopes = np.linalg.eigh(columns.T @ columns)[1][:, -1]
    slopes *= np.sign(slopes[np.abs(slopes).argmax()])
    return (rankdata(columns @ slopes) - 0.5) / len(values), slopes


def group_means(dec: Decomposition, joint: JointEffect, values: Floats, group: NDArray[np.intp]) -> GroupMeans:
    """Average a joint effect over groups of encoded rows, numbered from 0, none of them empty."""
    counts = np.bincount(group).astype(float)

    def mean(column: Floats) -> Floats:
        return np.asarray(np.bincount(group, weights=column) / counts)

    effect = dec.expansion.evaluate(values, joint.terms)[:, :, joint.output].sum(axis=1)
    value, spread = mean(effect), float(((effect - effect.mean()) ** 2).sum())
    explained = float((counts * (value - effect.mean()) ** 2).sum()) / spread if spread else 1.0
    if dec.uncertainty is None:
        return GroupMeans(value, None, None, explained)
    traced = dec.uncertainty.components[joint.output]
    # Term by term: contributions are added up before they are squared, so that what terms take from each other cancels.
    moved = sum(traced.evaluate(values, [term])[:, 0] for term in joint.terms)
    contributions = np.stack([mean(column) for column in np.asarray(moved).T], axis=1)
    reach = certain_quantile(LEVEL, contributions) * standard_error(contributions, axis=1)
    return GroupMeans(value, value - reach, value + reach, explained)


def runs(column: Floats) -> NDArray[np.intp]:
    """Put rows into runs of neighboring values, about equally many in each; equal values share one.

    Examples
    --------
    >>> runs(np.r_[np.zeros(50), np.arange(1.0, 91.0)])[[0, 49, 50, -1]].tolist()
    [0, 0, 1, 2]
    """
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    n_runs = int(np.clip(len(column) // ROWS_PER_MEAN, 1, MOST_MEANS))
    middle = np.cumsum(counts) - counts / 2
    found = (middle * n_runs / len(column)).astype(np.intp)[inverse]
    return np.unique(found, return_inverse=True)[1]


def _standardized_ranks(column: Floats) -> Floats:
    known = ~np.isnan(column)
    ranks = np.zeros(len(column))
    if known.any():
        ranks[known] = rankdata(column[known])
        ranks[known] -= ranks[known].mean()
    size = float(np.sqrt((ranks**2).sum()))
    return ranks / size if size else ranks
