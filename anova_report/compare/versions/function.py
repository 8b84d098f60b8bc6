"""Whether two decompositions describe the same function: their predictions at the same points.

Components are relative to the law of the inputs and trade off where features go together; their sum does not. The
difference of the two sums is asked about along smooth directions, low functions of the features of each term, since
both fits pin these down: a fit that holds a direction leaves nothing of it in its residual, and a fit that does not
hold it has seen that the residual has next to nothing of it. Either way the error is that of an average of the residual
over the rows of the fit. Which columns a fit chose and how much it smoothed hardly matter there, while they matter for
whole components.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher
from scipy.stats import norm
from scipy.stats import t as student

from anova_report.compare.versions.differences import SMALLEST, UNSHARED, SharedRows
from anova_report.compare.versions.moved_inputs import frequency_ratios
from anova_report.compare.versions.points import Points
from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, MarginalReference, NominalMarginal
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import row_blocks
from anova_report.core.result.terms import TIMES
from anova_report.measures.intervals import LEVEL, Interval, quantile
from anova_report.measures.variance import prediction_variance

ERROR_RATE = 0.04  # of the false alarms a page may give, 5 in 100: the rest is for the inputs
DEGREES = {1: 4, 2: 2, 3: 1}  # of the functions of each feature along which a term of one, two, three features is asked
BLOCK = 512  # points whose contributions are evaluated together: bounds memory
FEWEST = 30  # points that both know, for a distance to mean anything
RARER = 4.0  # times: a value that is so much rarer in one of them than in the other is not common to both
SMALLEST_MADE_UP = 0.02  # of the standard deviation: rows that are made up fall where neither fit is pinned down
MOST_CHOICE = 3.0  # times what replicates show; the estimate is rough where there are few rows


@dataclass(frozen=True)
class FunctionChange:
    """How far the functions that two decompositions describe lie apart on inputs that both know.

    Parameters
    ----------
    distance : float
        Root mean square difference of the explained predictions over the common points, less what noise adds to it.
    interval : Interval or None
        Of the distance, 95%; None where an estimator keeps no track of uncertainty.
    spread : float
        Standard deviation of the predictions, the larger of the two.
    tolerance : float
        What explanations of one function may lie apart beyond noise: next to nothing at rows like those of both fits;
        where the inputs moved, or rows are made up, as much as the two leave open of their predictions.
    p_value : float or None
        Of the largest of all differences that were asked about, corrected for their number.
    changed : bool or None
        Whether the functions differ by more than chance and tolerance; None where that is not estimable.
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
    tolerance: float
    p_value: float | None
    changed: bool | None
    common: float
    along: tuple[str, ...] = ()
    choices: tuple[float, float] = (1.0, 1.0)

    @property
    def relative(self) -> float:
        """The distance as a share of the standard deviation."""
        return self.distance / self.spread if self.spread else 0.0

    @property
    def label(self) -> str:
        """What a reader calls the direction."""
        return TIMES.join(self.along)


@dataclass(frozen=True, eq=False)
class ExplainedPredictions:
    """The explained predictions of one decomposition at some points, and what is known of their errors."""

    values: Floats  # shape (n_points,)
    contributions: Floats  # shape (n_points, n_replicates), each with mean zero over the points
    squared_residual: float  # its mean on rows the fit has not seen
    n_rows: float  # of equal weight, as many as tell as much
    choice: float  # how much more than replicates show the explanation errs by what it chose

    @classmethod
    def of(cls, dec: Decomposition, output: int, points: Floats) -> "ExplainedPredictions | None":
        """Evaluate; None where the estimator keeps no track of uncertainty."""
        if dec.uncertainty is None or not len(points):
            return None
        contributions = _contributions(dec, output, points)
        squares = _squared_residuals(dec, output)
        values = np.concatenate([dec.expansion.predict(points[rows])[:, output] for rows in row_blocks(len(points))])
        return cls(values, contributions, max(squares), dec.in_sample.effective_rows, _choice(squares, contributions))

    @property
    def noise(self) -> float:
        """Mean squared error over the points."""
        return self.choice**2 * mean_square(self.contributions)

    @property
    def of_choice(self) -> float:
        """The part of it that replicates do not show."""
        return (self.choice**2 - 1) * mean_square(self.contributions)


def _choice(squares: tuple[float, float], contributions: Floats) -> float:
    # A fit is nearer to its own rows than the truth is, by the variance of its error, and further from rows it has not
    # seen by as much. Half of what lies between counts every choice it made by looking at its rows.
    optimism, noise = max(squares[1] - squares[0], 0.0) / 2, mean_square(contributions)
    return float(np.sqrt(np.clip(optimism / noise, 1.0, MOST_CHOICE**2))) if noise > 0 else 1.0


def _squared_residuals(dec: Decomposition, output: int) -> tuple[float, float]:
    """Mean squared residuals on the rows of the fit, and on rows it has not seen where there are any."""
    inside = float(dec.in_sample.squared_gap[output])
    return inside, inside if dec.held_out is None else float(dec.held_out.squared_gap[output])


def _contributions(dec: Decomposition, output: int, points: Floats) -> Floats:
    """Trace the explained predictions back to replicates; contributions have mean zero over the points."""
    if dec.uncertainty is None:
        return np.zeros((len(points), 2))
    traced = dec.uncertainty.components[output]
    pieces = [traced.predict(points[start : start + BLOCK]) for start in range(0, len(points), BLOCK)]
    contributions = np.concatenate(pieces)
    return np.asarray(contributions - contributions.mean(axis=0))


def mean_square(contributions: Floats) -> float:
    """Squared standard error, averaged over points."""
    n_points, n_replicates = contributions.shape
    return float((contributions**2).sum() / n_points * n_replicates / (n_replicates - 1))


def function_change(
    decs: tuple[Decomposition, Decomposition],
    outputs: tuple[int, int],
    points: Points,
    names: Sequence[tuple[str, ...]],
    rows: SharedRows,
    spread: float,
    moved: bool,
) -> FunctionChange:
    """Compare predictions at points that both know, along directions in the features of terms, given by their names.

    `moved` says that the inputs moved: then explanations differ by what each leaves open elsewhere, so only a distance
    beyond the sum of their residuals tells of another function.
    """
    kept = common_points(decs, points, moved)
    values = points.first[kept], points.second[kept]
    first, second = (ExplainedPredictions.of(*each) for each in zip(decs, outputs, values, strict=True))
    if first is None or second is None or kept.sum() < FEWEST:
        both = [dec.expansion.predict(at)[:, out] for dec, out, at in zip(decs, outputs, values, strict=True)]
        distance = float(np.sqrt(np.mean((both[1] - both[0]) ** 2))) if kept.any() else 0.0
        return FunctionChange(distance, None, spread, 0.0, None, None, float(kept.mean()))
    pair = _Pair(first, second, rows, (SMALLEST_MADE_UP if points.made_up else SMALLEST) * spread)
    # By the triangle inequality explanations of one function are no further apart than what both leave open of it.
    elsewhere = moved or points.made_up
    left_open = np.sqrt(first.squared_residual) + np.sqrt(second.squared_residual)
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
    changed = p_value <= ERROR_RATE
    level = 1 - ERROR_RATE / len(tried)
    least = max((pair.least(along, level) for along, _ in asked), default=0.0) if changed else 0.0
    bounds = pair.interval(least if changed else 0.0, certain=changed)
    return FunctionChange(
        float(np.clip(pair.distance, bounds.low, bounds.high)),
        bounds,
        spread,
        float(tolerance),
        float(p_value),
        changed,
        float(kept.mean()),
        where if changed else (),
        (first.choice, second.choice),
    )


def common_points(decs: tuple[Decomposition, Decomposition], points: Points, moved: bool) -> NDArray[np.bool_]:
    """Tell which points lie in the data of both, and where inputs moved, are of values that occur in both alike."""
    kept = ~(points.first_outside.any(axis=1) | points.second_outside.any(axis=1))
    for dec, values in ((decs[0], points.first), (decs[1], points.second)):
        support, reference = getattr(dec, "joint_support", None), dec.expansion.reference
        if support is not None and isinstance(reference, MarginalReference):
            kept &= ~support.unseen(reference.marginals, values).any(axis=1)
    if moved:
        ratios = frequency_ratios(*decs, points)
        typical = kept & ((ratios <= RARER) & (ratios >= 1 / RARER)).all(axis=1)
        kept = typical if typical.sum() >= FEWEST else kept
    return np.asarray(kept)


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
    square = max(_squared_residuals(dec, output))
    variance = square if rows == "same replicates" else prediction_variance(dec, dec.in_sample, output)
    return float(dec.expansion.mean[output]), variance / dec.in_sample.effective_rows


def _mean_p_value(means: Sequence[tuple[float, float]], smallest: float) -> float:
    """Probability of such a difference of means if the true one is too small to matter."""
    beyond = abs(means[1][0] - means[0][0]) - smallest
    error = float(np.sqrt(sum(square for _, square in means)))
    if beyond <= 0 or not error > 0:
        return float(beyond <= 0)
    return 2 * float(norm.sf(beyond / error))


def _n_low(marginal: Marginal, degree: int) -> int:
    """How many functions of a feature are low; contrasts of levels have no order, so twice as many count as such."""
    return 2 * degree if isinstance(marginal, NominalMarginal) else degree + int(marginal.missing > 0)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two explanations at the same points."""

    first: ExplainedPredictions
    second: ExplainedPredictions
    rows: SharedRows
    smallest: float  # differences below it do not count

    @cached_property
    def difference(self) -> Floats:
        return self.second.values - self.first.values

    @property
    def distance(self) -> float:
        """Root mean square difference, less what noise adds to its square."""
        return float(np.sqrt(max(self._square - self._noise, 0.0)))

    def p_value(self, along: Floats) -> float:
        """Probability of such a difference along a direction if the true one is too small to matter."""
        beyond = abs(float(along @ self.difference)) / len(along) - self.smallest
        error = self._error(along)
        if beyond <= 0 or not error > 0:
            return float(beyond <= 0)
        return 2 * float(student.sf(beyond / error, self._degrees))

    def least(self, along: Floats, level: float) -> float:
        """Bound the difference along a direction from below."""
        reach = quantile(level, self._degrees + 1) * self._error(along)
        return abs(float(along @ self.difference)) / len(along) - reach

    def distance_p_value(self, tolerance: float) -> float:
        """Probability of such a distance if that of the functions is within the tolerance."""
        beyond = max(np.sqrt(self._square) - tolerance, 0.0) ** 2
        both = self.first, self.second
        # On the same rows choices cancel in part; in which part is not known, so a test counts on none.
        kept = (1 - UNSHARED**2) * sum(each.of_choice for each in both) if self.rows == "same replicates" else 0.0
        noise = self._noise + kept
        if not noise > 0:
            return float(beyond == 0)
        return float(fisher.sf(beyond / noise, self._freedom, self._degrees))

    def interval(self, least: float, certain: bool) -> Interval:
        """Bounds of the distance; zero is one of them unless it is certain that there is one."""
        moved = self._contributions
        reach = quantile(LEVEL, self._degrees + 1)
        size = np.sqrt(self._square)
        slope = self.difference @ moved / len(moved) / size if size > 0 else np.zeros(1)
        error = max(self.first.choice, self.second.choice) * float(np.sqrt((slope**2).sum()))
        noise, spread = self._noise, self._noise * np.sqrt(2 / self._freedom) if self._noise > 0 else 0.0
        high = np.sqrt(max(self._square - noise + reach * spread, 0.0)) + reach * error
        low = np.sqrt(max(self._square - noise - reach * spread, 0.0)) - reach * error
        return Interval(float(max(low, least, 0.0)) if certain else 0.0, float(max(high, least)))

    @property
    def _degrees(self) -> int:
        return int(min(self.first.contributions.shape[1], self.second.contributions.shape[1])) - 1

    @cached_property
    def _square(self) -> float:
        return float(np.mean(self.difference**2))

    @cached_property
    def _contributions(self) -> Floats:
        if self.rows == "same replicates":
            return self.second.contributions - self.first.contributions
        return np.concatenate([self.first.contributions, self.second.contributions], axis=1)

    @cached_property
    def _noise(self) -> float:
        """Mean squared difference that equal functions show."""
        both = self.first, self.second
        averages = sum(each.squared_residual / each.n_rows for each in both)  # of the residual: by it the mean errs
        if self.rows == "same":
            return float(sum(np.sqrt(each.noise) for each in both) ** 2 + averages)
        if self.rows == "different":
            return float(sum(each.noise for each in both) + averages)
        # What replicates do to both cancels, what each fit chose does in part.
        return mean_square(self._contributions) + float(UNSHARED**2 * sum(each.of_choice for each in both))

    @cached_property
    def _freedom(self) -> float:
        """In how many independent directions noise goes (Box's approximation)."""
        moved = self._contributions
        products = moved.T @ moved
        squares = float((products**2).sum())
        return float(np.trace(products)) ** 2 / squares if squares > 0 else 1.0

    def _error(self, along: Floats) -> float:
        """Estimate the standard error of the difference along a direction."""
        n_points, n_replicates = len(along), self._degrees + 1
        both = self.first, self.second
        traced = [along @ each.contributions / n_points for each in both]
        if self.rows == "same replicates":
            square = float(((traced[1] - traced[0]) ** 2).sum())
        else:
            squares = [float((each**2).sum()) for each in traced]
            square = sum(np.sqrt(squares)) ** 2 if self.rows == "same" else sum(squares)
        # A direction that a fit does not hold is known up to the average of the residual along it, and what is rough
        # enough to average out does so over these points only.
        averages = sum(each.squared_residual / each.n_rows + each.of_choice / n_points for each in both)
        return float(np.sqrt(square * n_replicates / (n_replicates - 1) + averages))
