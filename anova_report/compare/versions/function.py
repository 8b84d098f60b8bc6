"""Whether two decompositions describe the same function: how far apart the predictions behind them are.

Where predictions of both are known at the same rows, these say so. Elsewhere explanations stand for them. Components
are relative to the law of the inputs and trade off where features go together; their sum does not. Predictions are no
further apart than the two sums and what both leave unexplained. They are no closer than along any smooth direction, a
low function of the features of a term: a fit that holds a direction leaves nothing of it in its residual, and a fit
that does not hold it has seen that the residual has next to nothing of it. Either way the error is that of an average
of the residual over the rows of the fit. Which columns a fit chose and how much it smoothed hardly matter there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from anova_report.compare.versions.differences import SMALLEST, SharedRows
from anova_report.compare.versions.explained_pair import ExplainedPair, ExplainedPredictions, squared_residuals
from anova_report.compare.versions.known_predictions import KnownPredictions
from anova_report.compare.versions.moved_inputs import frequency_ratios
from anova_report.compare.versions.points import Points, common_points
from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, MarginalReference, NominalMarginal
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import TIMES
from anova_report.measures.fidelity import most_unexplained
from anova_report.measures.intervals import LEVEL, Interval
from anova_report.measures.variance import prediction_mean, prediction_variance

ERROR_RATE = 0.04  # of the false alarms a page may give, 5 in 100: the rest is for the inputs
LIMIT = 0.05  # of the standard deviation: a four-hundredth of the variance, which no decision is likely to rest on
DEGREES = {1: 4, 2: 2, 3: 1}  # of the functions of each feature along which a term of one, two, three features is asked
FEWEST = 30  # points that both know, for a distance to mean anything
RARER = 4.0  # times: a value that is so much rarer in one of them than in the other is not common to both
SMALLEST_MADE_UP = 0.02  # of the standard deviation: rows that are made up fall where neither fit is pinned down


@dataclass(frozen=True)
class FunctionChange:
    """How far the predictions of two black boxes lie apart on inputs that both know.

    Parameters
    ----------
    distance : float
        Root mean square difference of the predictions where they are known, else of the explained predictions, less
        what noise adds to it.
    interval : Interval or None
        Of the distance of the predictions, 95%. Where explanations stand for them, it holds what both leave
        unexplained. None where an estimator keeps no track of uncertainty.
    spread : float
        Standard deviation of the predictions, the larger of the two.
    limit : float
        Distance up to which functions count as the same, as a share of the standard deviation.
    left_open : float
        What both explanations leave unexplained, at most, in the unit of the predictions; 0 where these are known.
    n_known : int
        Rows at which predictions of both are known.
    p_value : float or None
        Of the largest of all differences of the explanations that were asked about, corrected for their number.
    beyond_chance : bool or None
        Whether the explanations differ by more than chance, and enough to matter; None where that is not known.
    common : float
        Share of the points that both know.
    along : tuple of str
        Features of the direction in which they differ most clearly; empty for the mean and the distance.
    choices : tuple of two float
        How many times more than replicates show each explanation errs by what it chose: columns, size, smoothness.
    """

    distance: float
    interval: Interval | None
    spread: float
    limit: float = LIMIT
    left_open: float = 0.0
    n_known: int = 0
    p_value: float | None = None
    beyond_chance: bool | None = None
    common: float = 0.0
    along: tuple[str, ...] = ()
    choices: tuple[float, float] = (1.0, 1.0)

    @property
    def changed(self) -> bool | None:
        """Whether the distance is beyond the limit: False if surely not, True if surely, None if that is not known."""
        if self.interval is None:
            return None
        if self.interval.high <= self.limit * self.spread:
            return False
        return True if self.interval.low > self.limit * self.spread else None

    def judged(self, limit: float, known: KnownPredictions | None) -> "FunctionChange":
        """Set the limit, and let predictions decide where they are known, unless they are few."""
        if known is None or len(known.first) < FEWEST:
            return replace(self, limit=limit)
        bounds, own, n_known = known.interval(self.spread), self.interval, len(known.first)
        if n_known < known.n_rows and own is not None and own.high - own.low < bounds.high - bounds.low:
            return replace(self, limit=limit)  # a few of the rows tell less than good explanations of all of them
        return replace(
            self,
            limit=limit,
            distance=known.distance,
            interval=bounds,
            left_open=0.0,
            n_known=n_known,
        )

    @property
    def relative(self) -> float:
        """The distance as a share of the standard deviation."""
        return self.distance / self.spread if self.spread else 0.0

    @property
    def label(self) -> str:
        """What a reader calls the direction."""
        return TIMES.join(self.along)


def function_change(
    decs: tuple[Decomposition, Decomposition],
    outputs: tuple[int, int],
    points: Points,
    names: Sequence[tuple[str, ...]],
    rows: SharedRows,
    spread: float,
    moved: bool,
) -> FunctionChange:
    """Compare explanations at points that both know, along directions in the features of terms, given by their names.

    `moved` says that the inputs moved: then explanations differ by what each leaves open elsewhere, so only a distance
    beyond what both leave open tells of another function.
    """
    kept = _alike(decs, points) if moved else common_points(decs, points)
    values = points.first[kept], points.second[kept]
    first, second = (ExplainedPredictions.of(*each) for each in zip(decs, outputs, values, strict=True))
    if first is None or second is None or kept.sum() < FEWEST:
        both = [dec.expansion.predict(at)[:, out] for dec, out, at in zip(decs, outputs, values, strict=True)]
        distance = float(np.sqrt(np.mean((both[1] - both[0]) ** 2))) if kept.any() else 0.0
        return FunctionChange(distance, None, spread, common=float(kept.mean()))
    pair = ExplainedPair(first, second, rows, (SMALLEST_MADE_UP if points.made_up else SMALLEST) * spread)
    elsewhere = moved or points.made_up
    left_open = _left_open(decs, outputs, elsewhere)
    # By the triangle inequality explanations of one function are no further apart than what both leave open of it.
    tolerance = max(left_open, pair.smallest) if elsewhere else pair.smallest
    # The average over made-up rows is not that over the rows of a fit, so there the means themselves are asked about.
    asked = [] if moved else list(_directions(decs[0], values[0], names))[int(points.made_up) :]
    means = [_mean(dec, output, rows) for dec, output in zip(decs, outputs, strict=True)]
    tried = [
        (pair.distance_p_value(tolerance), ()),
        *((_mean_p_value(means, pair.smallest), ()) for _ in range(points.made_up and not moved)),
        *((pair.p_value(along), of) for along, of in asked),
    ]
    lowest, where = min(tried, key=lambda each: each[0])
    p_value = min(lowest * len(tried), 1.0)
    bounds, level = pair.interval(), 1 - ERROR_RATE / len(tried)
    slack = pair.smallest if points.made_up else 0.0
    least = [bounds.low - left_open, *(pair.least(along, level) - slack for along, _ in asked)]
    if points.made_up and not moved:
        least.append(_least_mean(means, level))
    return FunctionChange(
        float(np.clip(pair.distance, bounds.low, bounds.high)),
        Interval(max(*least, 0.0), max(bounds.high + left_open, *least)),
        spread,
        left_open=left_open,
        p_value=float(p_value),
        beyond_chance=p_value <= ERROR_RATE,
        common=float(kept.mean()),
        along=where if p_value <= ERROR_RATE else (),
        choices=(first.choice, second.choice),
    )


def _left_open(decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], elsewhere: bool) -> float:
    """Bound what both explanations leave unexplained, as a distance; `elsewhere` means not at rows like theirs."""
    found = 0.0
    for dec, output in zip(decs, outputs, strict=True):
        share = most_unexplained(dec, output)
        if share is None:  # an estimator that holds no rows out: there only its own rows tell
            share = squared_residuals(dec, output)[0] / (prediction_variance(dec, dec.in_sample, output) or 1.0)
        if elsewhere:  # rows that are so many times as frequent there may hold as many times the squared residual
            share = min(RARER * share, max(share, 1.0))
        moments = dec.in_sample if dec.held_out is None else dec.held_out
        found += float(np.sqrt(share * prediction_variance(dec, moments, output)))
    return found


def _alike(decs: tuple[Decomposition, Decomposition], points: Points) -> NDArray[np.bool_]:
    """Tell which common points have values that occur in both about as often; all of them where these are too few."""
    kept = common_points(decs, points)
    ratios = frequency_ratios(*decs, points)
    typical = kept & ((ratios <= RARER) & (ratios >= 1 / RARER)).all(axis=1)
    return typical if typical.sum() >= FEWEST else kept


def _directions(
    dec: Decomposition, values: Floats, names: Sequence[tuple[str, ...]]
) -> Iterator[tuple[Floats, tuple[str, ...]]]:
    """Make directions of unit length over the points: the constant, then low functions of the features of each term."""
    yield np.ones(len(values)), ()
    reference = dec.expansion.reference
    if not isinstance(reference, MarginalReference):
        return
    marginals = reference.marginals
    functions = {name: marginals[at].evaluate(values[:, at]) for at, name in enumerate(dec.feature_names)}
    for of in names:
        chosen = np.ones((1, len(values)))
        for name in of:
            marginal = marginals[dec.feature_names.index(name)]
            low = functions[name][: _n_low(marginal, DEGREES[len(of)])]
            chosen = (chosen[:, None] * low[None]).reshape(-1, len(values))
        chosen = chosen - chosen.mean(axis=1, keepdims=True)
        sizes = chosen.std(axis=1)
        for direction, size in zip(chosen, sizes.tolist(), strict=True):
            if size > 0:
                yield direction / size, of


def _mean(dec: Decomposition, output: int, rows: SharedRows) -> tuple[float, float]:
    """Return the mean of the predictions, and its squared standard error, less what the same rows do to both."""
    square = max(squared_residuals(dec, output))
    variance = square if rows == "same replicates" else prediction_variance(dec, dec.in_sample, output)
    return prediction_mean(dec, output), variance / dec.in_sample.effective_rows


def mean_interval(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], rows: SharedRows, change: FunctionChange
) -> Interval:
    """Bound the difference of the mean predictions, each over the rows of its own fit, 95%."""
    means = [_mean(dec, output, rows) for dec, output in zip(decs, outputs, strict=True)]
    square = sum(error for _, error in means)
    if rows != "different" and change.interval is not None:
        # Over the same rows the mean of the difference errs by what the difference itself varies.
        square = min(square, change.interval.high**2 / min(dec.in_sample.effective_rows for dec in decs))
    half, difference = float(norm.ppf((1 + LEVEL) / 2) * np.sqrt(square)), means[1][0] - means[0][0]
    return Interval(difference - half, difference + half)


def _mean_p_value(means: Sequence[tuple[float, float]], smallest: float) -> float:
    """Probability of such a difference of means if the true one is too small to matter."""
    beyond = abs(means[1][0] - means[0][0]) - smallest
    error = float(np.sqrt(sum(square for _, square in means)))
    if beyond <= 0 or not error > 0:
        return float(beyond <= 0)
    return 2 * float(norm.sf(beyond / error))


def _least_mean(means: Sequence[tuple[float, float]], level: float) -> float:
    """Bound the difference of the means from below: no distance is smaller."""
    error = float(np.sqrt(sum(square for _, square in means)))
    return abs(means[1][0] - means[0][0]) - float(norm.ppf((1 + level) / 2)) * error


def _n_low(marginal: Marginal, degree: int) -> int:
    """How many functions of a feature are low; contrasts of levels have no order, so twice as many count as such."""
    return 2 * degree if isinstance(marginal, NominalMarginal) else degree + int(marginal.missing > 0)
