"""Two explanations at the same points: how far apart they are, and what of it is their own error."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import f as fisher
from scipy.stats import t as student

from anova_report.compare.versions.differences import UNSHARED, SharedRows
from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import row_blocks
from anova_report.measures.intervals import LEVEL, Interval, quantile

BLOCK = 512  # points whose contributions are evaluated together: bounds memory
MOST_CHOICE = 3.0  # times what replicates show; the estimate is rough where there are few rows


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
        squares = squared_residuals(dec, output)
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


def squared_residuals(dec: Decomposition, output: int) -> tuple[float, float]:
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


@dataclass(frozen=True, eq=False)
class ExplainedPair:
    """Two explanations at the same points."""

    first: ExplainedPredictions
    second: ExplainedPredictions
    rows: SharedRows
    smallest: float  # differences below it do not count

    @cached_property
    def difference(self) -> Floats:
        """The second minus the first at each point."""
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

    def interval(self) -> Interval:
        """Bounds of the distance of the explanations without noise, 95%."""
        moved = self._contributions
        reach = quantile(LEVEL, self._degrees + 1)
        size = np.sqrt(self._square)
        slope = self.difference @ moved / len(moved) / size if size > 0 else np.zeros(1)
        error = max(self.first.choice, self.second.choice) * float(np.sqrt((slope**2).sum()))
        noise, spread = self._noise, self._noise * np.sqrt(2 / self._freedom) if self._noise > 0 else 0.0
        # The mean square over these points differs from that over others like them.
        spread = float(np.hypot(spread, (self.difference**2).std() / np.sqrt(len(self.difference))))
        high = np.sqrt(max(self._square - noise + reach * spread, 0.0)) + reach * error
        low = np.sqrt(max(self._square - noise - reach * spread, 0.0)) - reach * error
        return Interval(float(max(low, 0.0)), float(high))

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
