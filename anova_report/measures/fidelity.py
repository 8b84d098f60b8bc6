"""How much of the predictions the explanation accounts for."""

from dataclasses import dataclass, replace
from math import exp, inf

import numpy as np
from scipy.stats import chi2

from anova_report.core.arrays import Floats
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.fit.moments import NAMED, Moments
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.measures.claims import Claim
from anova_report.measures.intervals import LEVEL, Interval, interval, quantile
from anova_report.measures.sentences.fidelity import resting_words
from anova_report.measures.status import FEW_DECIDE, LONG_TAILS, UNEXPLAINED
from anova_report.measures.variance import prediction_variance

# The fits that are judged on held-out rows are not the one that is delivered: of what R² loses from the rows of the fit
# to other rows, this share was found to be how much two fits differ.
BETWEEN_FITS = 0.4
RESOLUTION = 0.001  # of R²: pages print no more, and fits that leave next to nothing open differ by that much
# Predictions have light tails where so large a share of the rows decides their variance: a third decides that of normal
# predictions, a sixth that of exponential ones, hardly any that of lognormal ones. A small sample hides its tails, so
# more is asked of it.
LIGHT_TAILS, HIDDEN_ROWS = 0.1, 30
# Where a few rows decide, other rows were found to leave up to five times as much unexplained as chance in their number
# tells: they lie beyond what the fit has seen. Where predictions have long tails it was up to forty times as much:
# there curves are extrapolated, with an error that grows with the distance. Where even that is within the limit,
# fidelity is estimable, with that interval.
UNSEEN_ROWS, UNSEEN_TAILS = 5.0, 50.0
# Sums of heavy-tailed squares are mostly below their average: they are bounded as if so many times fewer rows
# carried them.
HEAVY_RESIDUALS = 5.0
LARGEST_STEP = 50.0  # on a logarithmic scale; beyond, an end of an interval is as good as infinite


@dataclass(frozen=True, repr=False)
class Fidelity(Shown):
    """Agreement of explanation and predictions.

    Parameters
    ----------
    in_sample : float
        R² on the rows of the fit: 1 minus the mean squared residual over the variance of the predictions.
    held_out : float or None
        R² on rows that no step of the fit has seen; None where the estimator keeps no such rows.
    in_sample_interval, held_out_interval : Interval or None
        95% intervals, where the estimator keeps track of uncertainty.
    n_rows, n_held_out : int
        How many rows these are.
    shortfall_error : float or None
        Standard error of the difference of the two R², which share rows.
    deciding_rows : float or None
        How many rows, effectively, decide R²: those that carry the variance of the predictions or, where it could
        matter, the squared residual. None where that is not known.
    hardest : tuple of (int, float)
        Positions of the first rows of `influential_rows`, and the share of the sum of all squared residuals that each
        carries.
    kurtosis : float or None
        Of the predictions on the rows of the fit, 3 for a normal law. Where it is large, rows beyond all of these are
        to be expected, and decide. None where it is not known.
    estimable : bool
        Whether these rows determine R² on other rows: it is more than the luck of a few of them, or good enough
        whatever their luck.
    """

    in_sample: float
    held_out: float | None
    in_sample_interval: Interval | None
    held_out_interval: Interval | None
    n_rows: int
    n_held_out: int
    shortfall_error: float | None = None
    deciding_rows: float | None = None
    hardest: tuple[tuple[int, float], ...] = ()
    kurtosis: float | None = None
    estimable: bool = True

    @property
    def few_decide(self) -> bool:
        """Whether fewer rows decide than a figure of fidelity should rest on."""
        return self.deciding_rows is not None and self.deciding_rows < self.rows_needed

    @property
    def rows_needed(self) -> float:
        """How many rows a figure of fidelity should rest on."""
        return max(1 / FEW_DECIDE.warn, self.n_held_out / LONG_TAILS if self.long_tails else 0.0)

    @property
    def long_tails(self) -> bool:
        """Whether rows beyond all those of the fit are likely to decide fidelity on other rows."""
        return self.kurtosis is not None and self.kurtosis > LONG_TAILS

    @property
    def rests_on(self) -> str:
        """What a figure that a few rows decide rests on, in words; empty where it can be quoted as it stands."""
        if self.estimable:
            return ""
        return resting_words(self.resting_claim)

    @property
    def resting_claim(self) -> Claim:
        """On how many rows R² rests, as a claim."""
        numbers = {"n_rows": float(round(self.deciding_rows or 0)), "n_held_out": float(self.n_held_out)}
        return Claim("rows that R² rests on", numbers, over="held-out rows")

    @property
    def best(self) -> float:
        """The figure to quote: held out if there is one."""
        return self.in_sample if self.held_out is None else self.held_out

    @property
    def unexplained(self) -> float:
        """The share of the predictions' variance that the explanation leaves open, on the rows of `best`."""
        return 1.0 - self.best

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        rows = [("in sample", self.in_sample, self.in_sample_interval, self.n_rows)]
        if self.held_out is not None:
            rows.insert(0, ("held out", self.held_out, self.held_out_interval, self.n_held_out))
        return {
            "rows": [name for name, *_ in rows],
            "n_rows": [count for *_, count in rows],
            "r_squared": [value for _, value, *_ in rows],
            "low": [None if bounds is None else bounds.low for *_, bounds, _ in rows],
            "high": [None if bounds is None else bounds.high for *_, bounds, _ in rows],
        }


def fidelity(dec: Decomposition, output: str | int | None = None) -> Fidelity:
    """Measure how closely the explanation follows the predictions.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, X[:, 0] + X[:, 1]).decomposition_
    >>> round(fidelity(dec).in_sample, 6)
    1.0
    """
    index = dec.output_index(output)
    held_out, traced = dec.held_out, dec.uncertainty
    inside = _r_squared(dec, dec.in_sample, index)
    outside = None if held_out is None else _r_squared(dec, held_out, index)
    inside_interval, outside_interval, shortfall_error = None, None, None
    if traced is not None:
        moved = traced.in_sample[:, index]
        inside_interval = interval(inside, moved)
        if outside is not None:
            error = float(standard_error(traced.held_out[:, index]))
            outside_interval = held_out_interval(outside, inside, error, *_residual_rows(held_out, index))
            shortfall_error = _shortfall_error(moved, traced.held_out[:, index])
    kurtosis = _kurtosis(dec.in_sample, index)
    deciding, hardest = (None, ()) if held_out is None else _deciding(held_out, 1 - (outside or 0.0), kurtosis, index)
    found = Fidelity(
        in_sample=inside,
        held_out=outside,
        in_sample_interval=inside_interval,
        held_out_interval=outside_interval,
        n_rows=dec.in_sample.n_rows,
        n_held_out=0 if held_out is None else held_out.n_rows,
        shortfall_error=shortfall_error,
        deciding_rows=deciding,
        hardest=hardest,
        kurtosis=kurtosis,
    )
    return found if held_out is None else _with_unseen_rows(found, held_out, index)


def _with_unseen_rows(found: Fidelity, held_out: Moments, output: int) -> Fidelity:
    """Make room for rows unlike those of the fit, where they can decide, and say whether a figure is left."""
    if not found.few_decide:
        return found
    most = (UNSEEN_TAILS if found.long_tails else UNSEEN_ROWS) * _most_unexplained(held_out, found.unexplained, output)
    bounds = found.held_out_interval
    wider = None if bounds is None else Interval(min(bounds.low, 1 - most), bounds.high)
    return replace(found, held_out_interval=wider, estimable=most <= UNEXPLAINED.warn)


def most_unexplained(dec: Decomposition, output: int) -> float | None:
    """Bound the unexplained share on other rows from above; None where the estimator keeps no such rows.

    It is the lower end of the interval of R², without the room that is left for what pages do not print.
    """
    found = fidelity(dec, output)
    if dec.held_out is None or found.held_out_interval is None:
        return None
    most = 1 - found.held_out_interval.low
    if not (found.few_decide or found.long_tails):
        most -= RESOLUTION
    # Whatever unseen rows hold, the mean of the predictions by itself leaves no more open than all.
    return max(min(most, 1.0), found.unexplained, 1 - found.in_sample, 0.0)


def held_out_interval(
    held_out: float, in_sample: float, error: float, residual_rows: float = inf, n_rows: float = 0
) -> Interval:
    """Make a 95% interval of R² on other rows from one of log(1 − R²), so that no end exceeds 1.

    Parameters
    ----------
    held_out, in_sample : float
    error : float
        Standard error of `held_out`.
    residual_rows : float
        How many rows carry the squared residual; other rows may have more such ones, or none.
    n_rows : float
        Of how many. Where few of many carry it, larger residuals than any in the sample are to be expected.

    Examples
    --------
    >>> bounds = held_out_interval(0.9, 0.9, 0.01)
    >>> round(bounds.low, 3), round(bounds.high, 3)
    (0.877, 0.919)
    """
    unexplained, spread = 1 - held_out, (error**2 + (BETWEEN_FITS * (in_sample - held_out)) ** 2) ** 0.5
    if unexplained <= 0:
        return Interval(held_out, held_out)
    step = min(quantile(LEVEL, REPLICATES) * spread / unexplained, LARGEST_STEP)
    least, most = of_few(residual_rows)
    if residual_rows < LIGHT_TAILS * n_rows:
        most = of_few(residual_rows / HEAVY_RESIDUALS)[1]
    low, high = 1 - unexplained * max(exp(step), most), 1 - unexplained * min(exp(-step), least)
    return Interval(low - RESOLUTION, min(high + RESOLUTION, 1.0))


def of_few(n_rows: float) -> tuple[float, float]:
    """Say how many times as often rare rows may come on average as they came in a sample (a Poisson law, 95%).

    Examples
    --------
    >>> least, most = of_few(2)
    >>> round(least, 2), round(most, 2)
    (0.12, 3.61)
    """
    if n_rows == inf:
        return 1.0, 1.0
    tail = (1 - LEVEL) / 2
    return float(chi2.ppf(tail, 2 * n_rows)) / (2 * n_rows), float(chi2.isf(tail, 2 * n_rows + 2)) / (2 * n_rows)


def _kurtosis(moments: Moments, output: int) -> float | None:
    if moments.hardest is None:
        return None
    return moments.effective_rows / float(moments.hardest.prediction_rows[output])


def _residual_rows(moments: Moments | None, output: int) -> tuple[float, float]:
    """Count the rows that carry the squared residual, and all."""
    if moments is None or moments.hardest is None:
        return inf, 0
    return float(moments.hardest.gap_rows[output]), moments.effective_rows


def _shortfall_error(in_sample: Floats, held_out: Floats) -> float:
    """Estimate the error of the difference of two R²; where few units are held out, not all replicates tell of both."""
    if len(in_sample) == len(held_out):
        return float(standard_error(in_sample - held_out))
    return float(np.hypot(standard_error(in_sample), standard_error(held_out)))


def _most_unexplained(moments: Moments, unexplained: float, output: int) -> float:
    """Bound the unexplained share where chance brings more of the rows that carry the residual, or less variance."""
    if moments.hardest is None:
        return unexplained
    residual_rows, prediction_rows = (
        float(rows[output]) for rows in (moments.hardest.gap_rows, moments.hardest.prediction_rows)
    )
    return unexplained * of_few(residual_rows)[1] / of_few(prediction_rows)[0]


def _deciding(
    moments: Moments, unexplained: float, kurtosis: float | None, output: int
) -> tuple[float | None, tuple[tuple[int, float], ...]]:
    """Count the rows that decide R² and name the first of them."""
    found = moments.hardest
    if found is None:
        return None, ()
    by_residual, by_prediction = float(found.gap_rows[output]), float(found.prediction_rows[output])
    # Few rows carry the residual of many a good fit, those at its edge. Where predictions have light tails and as many
    # such rows as chance may bring would leave little unexplained, that is no news.
    little = unexplained * of_few(by_residual)[1] <= UNEXPLAINED.warn
    harmless = little and by_prediction >= LIGHT_TAILS * moments.effective_rows + HIDDEN_ROWS
    named = zip(found.positions[:NAMED, output].tolist(), found.shares[:NAMED, output].tolist(), strict=True)
    deciding = by_prediction if harmless else min(by_residual, by_prediction)
    if kurtosis is not None and kurtosis > LONG_TAILS:
        # All rows of the fit tell better than those held out how few of them carry the variance.
        deciding = min(deciding, max(moments.effective_rows / kurtosis, 1.0))
    return deciding, tuple(named)


def _r_squared(dec: Decomposition, moments: Moments, output: int) -> float:
    variance = prediction_variance(dec, moments, output)
    # Predictions that never change are explained by their mean.
    return float(1.0 - moments.squared_gap[output] / variance) if variance else 1.0
