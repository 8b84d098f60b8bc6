"""Whether the inputs moved: the laws of the features in two decompositions, from what both keep of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import chi2, kstwobign, norm

from anova_report.compare.versions.points import Points, common_features, level_shares, reached_shares
from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.input.features import Feature
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import TIMES
from anova_report.measures.intervals import LEVEL, Interval

ERROR_RATE = 0.01  # one in five of the false alarms a page may give: the rest is for the function
SMALLEST = 0.02  # of the rows: smaller moves do not matter, whatever a test says
SMALLEST_CORRELATION = 0.05
FEWEST_EXPECTED = 5.0  # rows in a level, in each: rarer ones are counted together
CELLS = 8  # of equal frequency in each of the two, in which values are counted as equally frequent
RANK_KURTOSIS = 1.8  # E[u⁴] / E[u²]² of uniform ranks, which bounds the variance of a correlation of ranks


@dataclass(frozen=True)
class InputShift:
    """How far one feature, or how two features go together, moved between two decompositions.

    Parameters
    ----------
    features : tuple of str
        One name for the law of a feature, two for the correlation of their ranks.
    distance : float
        Largest difference of the shares of rows up to a value (Kolmogorov), for levels half the sum of the differences
        of their shares; for two features the difference of correlations.
    interval : Interval
        Of the distance, 95%.
    p_value : float
        Corrected for how many features and pairs are asked.
    moved : bool
        Whether it is more than chance, and large enough to matter.
    """

    features: tuple[str, ...]
    distance: float
    interval: Interval
    p_value: float
    moved: bool

    @property
    def label(self) -> str:
        """What a reader calls it."""
        return TIMES.join(self.features)


def input_shifts(a: Decomposition, b: Decomposition, names: Sequence[str]) -> tuple[InputShift, ...]:
    """Compare the laws of common features, all of them, and correlations of their ranks, of which only moved ones stay.

    Nothing is returned where an estimator keeps no laws.
    """
    laws = a.expansion.reference, b.expansion.reference
    if not isinstance(laws[0], MarginalReference) or not isinstance(laws[1], MarginalReference):
        return ()
    pairs = list(combinations(names, 2)) if a.correlations is not None and b.correlations is not None else []
    asked, n_rows = len(names) + len(pairs), (a.law_rows, b.law_rows)
    found = []
    for name in names:
        own, other = a.feature_names.index(name), b.feature_names.index(name)
        first, second = laws[0].marginals[own], laws[1].marginals[other]
        if isinstance(first, NominalMarginal) and isinstance(second, NominalMarginal):
            shares = _level_laws(first, second, a.features[own], b.features[other])
            distance, half, p_value = _level_distance(shares, n_rows)
        elif isinstance(first, NumericMarginal) and isinstance(second, NumericMarginal):
            distance, half, p_value = _rank_distance(first, second, n_rows)
        else:
            continue
        found.append(_shift((name,), distance, half, p_value, asked, SMALLEST))
    together = (_correlation_shift(a, b, pair, asked) for pair in pairs)
    return (*found, *(shift for shift in together if shift.moved))


def _shift(
    features: tuple[str, ...], distance: float, half: float, p_value: float, asked: int, smallest: float
) -> InputShift:
    corrected = min(p_value * asked, 1.0)
    most = float(len(features))  # correlations are up to 2 apart
    bounds = Interval(max(distance - half, 0.0), min(distance + half, most))
    return InputShift(features, distance, bounds, corrected, corrected <= ERROR_RATE and distance >= smallest)


def _rank_distance(
    first: NumericMarginal, second: NumericMarginal, n_rows: tuple[float, float]
) -> tuple[float, float, float]:
    """Kolmogorov's distance, half the width of its interval, and its p-value; missing values come after all others."""
    values = np.union1d(first.knots, second.knots)
    shares = [_cumulative(each, values) * (1 - each.missing) for each in (first, second)]
    distance = float(np.abs(shares[1] - shares[0]).max())
    root = float(np.sqrt(n_rows[0] * n_rows[1] / sum(n_rows)))
    return distance, float(kstwobign.ppf(LEVEL)) / root, float(kstwobign.sf(distance * root))


def _cumulative(marginal: NumericMarginal, values: Floats) -> Floats:
    if len(marginal.atoms) < len(marginal.knots):
        return np.asarray(np.interp(values, marginal.knots, marginal.ranks, left=0.0, right=1.0))
    upper = np.r_[0.0, reached_shares(marginal)]
    return np.asarray(upper[np.searchsorted(marginal.knots, values, side="right")])


def _level_laws(first: NominalMarginal, second: NominalMarginal, own: Feature, other: Feature) -> Floats:
    """Shares of the rows with each level that either knows, and with none, shape (2, n_levels + 1)."""
    levels = dict.fromkeys([*own.levels, *other.levels])
    rows = []
    for marginal, feature in ((first, own), (second, other)):
        shares, missing = level_shares(marginal)
        known = dict(zip(feature.levels, shares.tolist(), strict=True))
        rows.append([*(known.get(level, 0.0) for level in levels), missing])
    return np.array(rows)


def _level_distance(shares: Floats, n_rows: tuple[float, float]) -> tuple[float, float, float]:
    """Half the sum of differences of shares, half the width of its interval, and the p-value of a chi-squared test."""
    sizes = np.array(n_rows, dtype=float)
    pooled = sizes @ shares / sizes.sum()
    rare = pooled * sizes.min() < FEWEST_EXPECTED
    if rare.any():
        shares = np.column_stack([shares[:, ~rare], shares[:, rare].sum(axis=1)])
        pooled = sizes @ shares / sizes.sum()
    difference, variance = shares[1] - shares[0], (1 / sizes).sum() * pooled
    used = pooled > 0
    statistic = float((difference[used] ** 2 / variance[used]).sum())
    half = float(norm.ppf((1 + LEVEL) / 2) * np.sqrt(variance * (1 - pooled).clip(0)).sum() / 2)
    return float(np.abs(difference).sum() / 2), half, float(chi2.sf(statistic, max(int(used.sum()) - 1, 1)))


def _correlation_shift(a: Decomposition, b: Decomposition, names: tuple[str, str], asked: int) -> InputShift:
    found = []
    for dec in (a, b):
        at = [dec.feature_names.index(name) for name in names]
        found.append(0.0 if dec.correlations is None else float(dec.correlations[at[0], at[1]]))
    distance = abs(found[1] - found[0])
    error = float(np.sqrt(sum(RANK_KURTOSIS / max(dec.law_rows - 3, 1) for dec in (a, b))))
    # On Fisher's scale the error does not depend on the correlation itself.
    scores = np.arctanh(np.clip(found, -1 + 1e-6, 1 - 1e-6))
    half = float(norm.ppf((1 + LEVEL) / 2)) * error * (1 - min(map(abs, found)) ** 2)
    p_value = 2 * float(norm.sf(abs(scores[1] - scores[0]) / error))
    return _shift(names, distance, half, p_value, asked, SMALLEST_CORRELATION)


def frequency_ratios(a: Decomposition, b: Decomposition, points: Points) -> Floats:
    """Say how many times as often as in the first the values of each point occur in the second, by common feature."""
    laws = a.expansion.reference, b.expansion.reference
    names = common_features(a, b)
    found = np.ones((len(points.first), len(names)))
    if not isinstance(laws[0], MarginalReference) or not isinstance(laws[1], MarginalReference):
        return found
    for column, name in enumerate(names):
        own, other = a.feature_names.index(name), b.feature_names.index(name)
        first, second = laws[0].marginals[own], laws[1].marginals[other]
        if isinstance(first, NumericMarginal) and isinstance(second, NumericMarginal):
            found[:, column] = _numeric_ratios(first, second, points.first[:, own])
        elif isinstance(first, NominalMarginal) and isinstance(second, NominalMarginal):
            shares = _level_laws(first, second, a.features[own], b.features[other])
            codes = points.first[:, own]
            # A level that only one knows is off the data of the other, so any number will do for it.
            at = np.where(np.isnan(codes) | (codes < 0), -1, codes).astype(np.intp)
            found[:, column] = _ratio(shares)[at]
    return found


def _numeric_ratios(first: NumericMarginal, second: NumericMarginal, values: Floats) -> Floats:
    steps = np.arange(1, CELLS) / CELLS
    edges = np.unique(np.concatenate([np.interp(steps, each.ranks, each.knots) for each in (first, second)]))
    shares = [
        np.r_[np.diff(np.r_[0.0, _cumulative(each, edges), 1.0]) * (1 - each.missing), each.missing]
        for each in (first, second)
    ]
    cells = np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values))
    return _ratio(np.array(shares))[cells]


def _ratio(shares: Floats) -> Floats:
    return np.asarray(np.maximum(shares[1], 1e-9) / np.maximum(shares[0], 1e-9))
