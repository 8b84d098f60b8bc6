"""Who moves the answers: shares of their variance per term and per feature."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.moments import Moments
from anova_report.core.terms import Term
from anova_report.measures.intervals import Interval, interval

ROUNDING = 1e-12  # relative size of differences that are no differences
ENTANGLED = 0.7  # correlation of two components beyond which half of one is in the other
OF_NOTE = 0.05  # structural share from which a reader looks at a component


@dataclass(frozen=True)
class TermShare:
    """What one term contributes to the variance of the answers.

    Parameters
    ----------
    term : Term
    label : str
    structural : float
        Var(ν_S) / Var(ν): what it would contribute if nothing else moved with it.
    correlative : float
        Cov(ν_S, ν − ν_S) / Var(ν): what it gains, or loses, because the rest moves with or against it.
    structural_interval, total_interval : Interval or None
        95% intervals, where the estimator keeps track of uncertainty.
    """

    term: Term
    label: str
    structural: float
    correlative: float
    structural_interval: Interval | None = None
    total_interval: Interval | None = None

    @property
    def total(self) -> float:
        """Cov(ν_S, ν) / Var(ν); negative where the rest moves so strongly against it that the term calms them."""
        return self.structural + self.correlative


@dataclass(frozen=True)
class VarianceShares:
    """Shares of all terms and of what no term explains; the totals add up to 1.

    Parameters
    ----------
    terms : tuple of TermShare
        In the order of the decomposition.
    unexplained : float
        Cov(ν − ν̂, ν) / Var(ν).
    """

    terms: tuple[TermShare, ...]
    unexplained: float

    def ranked(self) -> tuple[TermShare, ...]:
        """Terms by total share, largest first."""
        return tuple(sorted(self.terms, key=lambda share: -share.total))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        return {
            "term": [share.label for share in self.terms],
            "indices": [share.term for share in self.terms],
            "structural": [share.structural for share in self.terms],
            "correlative": [share.correlative for share in self.terms],
            "total": [share.total for share in self.terms],
            "low": [None if share.total_interval is None else share.total_interval.low for share in self.terms],
            "high": [None if share.total_interval is None else share.total_interval.high for share in self.terms],
        }


@dataclass(frozen=True)
class FeatureTotal:
    """The ANOVA-Shapley effect of one feature: Cov(φ_i, ν) / Var(ν), with a 95% interval where it is known."""

    feature: str
    share: float
    interval: Interval | None = None


@dataclass(frozen=True)
class FeatureTotals:
    """ANOVA-Shapley effects of all features; with the unexplained share they add up to 1."""

    features: tuple[FeatureTotal, ...]
    unexplained: float

    def ranked(self) -> tuple[FeatureTotal, ...]:
        """Features by share, largest first."""
        return tuple(sorted(self.features, key=lambda total: -total.share))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        return {
            "feature": [total.feature for total in self.features],
            "share": [total.share for total in self.features],
            "low": [None if total.interval is None else total.interval.low for total in self.features],
            "high": [None if total.interval is None else total.interval.high for total in self.features],
        }


@dataclass(frozen=True)
class Cancellation:
    """How far effects cancel or overlap, and the two terms that do so most.

    Parameters
    ----------
    structural_sum : float
        Of all terms; 1 where they move independently and leave nothing open.
    terms : tuple of two TermShare, or empty
        Empty where there is only one term.
    correlation : float
        Of the two; negative where they cancel.
    features : tuple of str
        Of the two.
    joint_share : float
        Sum of the total shares of all terms of these features alone: what they carry together.
    joint_interval : Interval or None
    """

    structural_sum: float
    terms: tuple[TermShare, ...] = ()
    correlation: float = 0.0
    features: tuple[str, ...] = ()
    joint_share: float = 0.0
    joint_interval: Interval | None = None

    @property
    def entangled(self) -> bool:
        """Whether both terms carry a part of note and hardly move apart."""
        return bool(self.terms) and _entangled(self.correlation, *(share.structural for share in self.terms))


def cancellation(dec: Decomposition, output: str | int | None = None) -> Cancellation:
    """Find the two terms that move most with or against each other, and what their features carry together.

    Two terms of note that hardly move apart come first, then the two that cancel most.
    """
    chosen = dec.output_index(output)
    shares = variance_shares(dec, chosen).terms
    structural = np.array([share.structural for share in shares])
    covariance = dec.in_sample.covariance(chosen)[:-1, :-1]
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    correlation = np.divide(covariance, size, out=np.zeros_like(size), where=size > 0)

    def rank(pair: tuple[int, int]) -> tuple[bool, float]:
        entangled = _entangled(correlation[pair], *structural[list(pair)])
        return entangled, abs(covariance[pair]) if entangled else -covariance[pair]

    pairs = list(combinations(range(len(shares)), 2))
    if not pairs:
        return Cancellation(float(structural.sum()))
    pair = max(pairs, key=rank)
    features = sorted({feature for at in pair for feature in shares[at].term})
    inside = [at for at, share in enumerate(shares) if set(share.term) <= set(features)]
    joint = sum(shares[at].total for at in inside)
    traced = None if dec.uncertainty is None else dec.uncertainty.total[inside, :, chosen].sum(axis=0)
    return Cancellation(
        structural_sum=float(structural.sum()),
        terms=(shares[pair[0]], shares[pair[1]]),
        correlation=float(correlation[pair]),
        features=tuple(dec.feature_names[feature] for feature in features),
        joint_share=joint,
        joint_interval=None if traced is None else interval(joint, traced),
    )


def _entangled(correlation: float, *structural: float) -> bool:
    return bool(abs(correlation) > ENTANGLED and min(structural) >= OF_NOTE)


def variance_shares(dec: Decomposition, output: str | int | None = None) -> VarianceShares:
    """Share the variance of the answers among the terms.

    If the answers never change, every share is 0.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.
    """
    chosen = dec.output_index(output)
    structural, total = _shares(dec, chosen)
    traced = dec.uncertainty

    terms = []
    for index, (term, own, whole) in enumerate(zip(dec.terms, structural.tolist(), total.tolist(), strict=False)):
        own_interval = None if traced is None else interval(own, traced.structural[index, :, chosen])
        total_interval = None if traced is None else interval(whole, traced.total[index, :, chosen])
        terms.append(TermShare(term, dec.label(term), own, whole - own, own_interval, total_interval))
    return VarianceShares(tuple(terms), unexplained=float(total[-1]))


def feature_totals(dec: Decomposition, output: str | int | None = None) -> FeatureTotals:
    """Share the variance of the answers among the features, every term equally among its own."""
    chosen = dec.output_index(output)
    _, total = _shares(dec, chosen)
    effects = (total[:-1] @ dec.membership).tolist()
    traced = None if dec.uncertainty is None else dec.membership.T @ dec.uncertainty.total[:, :, chosen]
    intervals = [None if traced is None else interval(effect, traced[at]) for at, effect in enumerate(effects)]
    return FeatureTotals(tuple(map(FeatureTotal, dec.feature_names, effects, intervals)), float(total[-1]))


def answer_variance(dec: Decomposition, moments: Moments, output: int) -> float:
    """Variance of the answers on a set of rows; exactly 0 where they only differ by rounding."""
    variance = float(moments.covariance(output).sum())
    mean = float(dec.expansion.mean[output] + moments.firsts[:, output].sum())
    return variance if variance > (ROUNDING * mean) ** 2 else 0.0


def _shares(dec: Decomposition, output: int) -> tuple[Floats, Floats]:
    """Structural and total shares of every term and, last, of the gap."""
    covariance = dec.in_sample.covariance(output)
    variance = answer_variance(dec, dec.in_sample, output)
    if not variance:
        nothing = np.zeros(len(covariance))
        return nothing, nothing
    return np.diag(covariance) / variance, covariance.sum(axis=1) / variance
