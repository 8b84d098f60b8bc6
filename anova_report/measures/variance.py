"""Who moves the predictions: shares of their variance per term and per feature."""

from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.fit.moments import Moments
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.terms import Term
from anova_report.measures.claims import Claim
from anova_report.measures.intervals import Interval, interval, share_interval

ROUNDING = 1e-12  # relative size of differences that are no differences


@dataclass(frozen=True)
class TermShare:
    """What one term contributes to the variance of the predictions.

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
        """Cov(ν_S, ν) / Var(ν); negative where the term reduces the variance of the predictions."""
        return self.structural + self.correlative


@dataclass(frozen=True, repr=False)
class VarianceShares(Shown):
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

    ranked_by = "structural"
    summed = ("structural", "total")

    def ranked(self) -> tuple[TermShare, ...]:
        """Terms by structural share, the largest first: a total may be small, or negative, where effects cancel."""
        return tuple(sorted(self.terms, key=lambda share: -share.structural))

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
    """The ANOVA-Shapley effect of one feature.

    Parameters
    ----------
    feature : str
    share : float
        Cov(φ_i, ν) / Var(ν); negative where the feature works against the others.
    interval : Interval or None
        95% interval of the share, where it is known.
    structural : float
        Structural shares of its terms, an equal part of each: how large its effects are, whatever moves with them.
    """

    feature: str
    share: float
    interval: Interval | None = None
    structural: float = 0.0


@dataclass(frozen=True, repr=False)
class FeatureTotals(Shown):
    """ANOVA-Shapley effects of all features; with the unexplained share they add up to 1."""

    features: tuple[FeatureTotal, ...]
    unexplained: float

    ranked_by = "structural"
    summed = ("share",)

    def ranked(self) -> tuple[FeatureTotal, ...]:
        """Features by structural share, the largest first."""
        return tuple(sorted(self.features, key=lambda total: -total.structural))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        return {
            "feature": [total.feature for total in self.features],
            "structural": [total.structural for total in self.features],
            "share": [total.share for total in self.features],
            "low": [None if total.interval is None else total.interval.low for total in self.features],
            "high": [None if total.interval is None else total.interval.high for total in self.features],
        }


def share_claim(share: TermShare, output: int) -> Claim:
    """State how much of the variance a term carries, and how."""
    numbers = {"structural": share.structural, "correlative": share.correlative, "total": share.total}
    bounds = share.total_interval
    known = {} if bounds is None else {"low": bounds.low, "high": bounds.high}
    return Claim("share of a term", numbers | known, (share.term,), output=output)


def variance_shares(dec: Decomposition, output: str | int | None = None) -> VarianceShares:
    """Share the variance of the predictions among the terms.

    If the predictions never change, every share is 0.

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
        own_interval = None if traced is None else share_interval(own, traced.structural[index, :, chosen])
        total_interval = None if traced is None else interval(whole, traced.total[index, :, chosen])
        terms.append(TermShare(term, dec.label(term), own, whole - own, own_interval, total_interval))
    return VarianceShares(tuple(terms), unexplained=float(total[-1]))


def feature_totals(dec: Decomposition, output: str | int | None = None) -> FeatureTotals:
    """Share the variance of the predictions among the features, every term equally among its own."""
    chosen = dec.output_index(output)
    structural, total = _shares(dec, chosen)
    sizes, effects = ((part[:-1] @ dec.membership).tolist() for part in (structural, total))
    traced = None if dec.uncertainty is None else dec.membership.T @ dec.uncertainty.total[:, :, chosen]
    intervals = [None if traced is None else interval(effect, traced[at]) for at, effect in enumerate(effects)]
    features = tuple(map(FeatureTotal, dec.feature_names, effects, intervals, sizes))
    return FeatureTotals(features, float(total[-1]))


def prediction_mean(dec: Decomposition, output: int) -> float:
    """Mean of the predictions in the rows of the fit; under another population, of the explanation there.

    The constant of a decomposition differs from it by what a fit with penalties lacks on average.
    """
    return float(dec.expansion.mean[output] + dec.in_sample.firsts[:, output].sum())


def prediction_variance(dec: Decomposition, moments: Moments, output: int) -> float:
    """Variance of the predictions on a set of rows; exactly 0 where they only differ by rounding."""
    variance = float(moments.covariance(output).sum())
    mean = float(dec.expansion.mean[output] + moments.firsts[:, output].sum())
    return variance if variance > 0 and variance**0.5 > ROUNDING * abs(mean) else 0.0


def fitted_variance(dec: Decomposition, output: int) -> float:
    """Variance of the predictions in the rows of the fit, whatever the population components refer to."""
    known = dec.population
    return prediction_variance(dec, dec.in_sample, output) if known is None else known.fit_variances[output]


def _shares(dec: Decomposition, output: int) -> tuple[Floats, Floats]:
    """Structural and total shares of every term and, last, of the residual."""
    covariance = dec.in_sample.covariance(output)
    variance = prediction_variance(dec, dec.in_sample, output)
    if not variance:
        nothing = np.zeros(len(covariance))
        return nothing, nothing
    return np.diag(covariance) / variance, covariance.sum(axis=1) / variance
