"""How far two estimates of the same component lie apart by chance: point by point, and as a whole.

Each decomposition knows what every chunk of rows contributed to its value at a point (a jackknife). That gives standard
errors of a difference at every point, and the noise floor of its distance: what equal models stay below.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import f as fisher
from scipy.stats import t as student

from anova_report.core.arrays import Floats
from anova_report.core.influence import standard_error


@dataclass(frozen=True, eq=False)
class Traces:
    """Contributions of chunks to one term's values at some points.

    Parameters
    ----------
    first, second : arrays of shape (n_points, n_chunks)
    law : array of shape (n_points,) or float
        Added to the squared standard error because the law of the inputs is known from rows only.
    same_rows : bool
        Whether both come from the same rows. From different rows squared errors add up. From the same rows errors may
        move together or apart in ways that are not known, so they are added themselves: that is never too small.
    """

    first: Floats
    second: Floats
    law: Floats | float
    same_rows: bool

    def standard_error(self) -> Floats:
        """Estimate the standard error of the difference at each point."""
        first, second = (standard_error(traced, axis=1) for traced in (self.first, self.second))
        return first + second if self.same_rows else np.sqrt(first**2 + second**2 + self.law)

    def reach(self, level: float) -> Floats:
        """Half the width of a band that holds the difference at each point, in so many of 100 samples, over 100."""
        n_chunks = min(self.first.shape[1], self.second.shape[1])
        return np.asarray(float(student.ppf((1 + level) / 2, n_chunks - 1)) * self.standard_error())

    def floor(self, level: float) -> float:
        """Root mean square difference that equal components stay below, in so many of 100 samples, over 100."""
        if not self.same_rows:
            return _floor(np.concatenate([self.first, self.second], axis=1), float(np.mean(self.law)), level)
        # The distance of two is at most the sum of their distances from the truth; each gets half of the error rate.
        return sum(_floor(traced, 0.0, (1 + level) / 2) for traced in (self.first, self.second))


def _floor(traced: Floats, law: float, level: float) -> float:
    """Quantile of the root mean square of a random function whose jackknife contributions are given.

    Its mean square is a weighted sum of squared normals; Box's approximation gives it the first two moments of a
    multiple of chi-squared. What the law adds is counted as one more such square, which makes the tail longest.
    """
    n_points, n_chunks = traced.shape
    if not n_points:
        return 0.0
    products = traced.T @ traced / n_points * n_chunks / (n_chunks - 1)
    mean, squares = float(np.trace(products)) + law, float((products**2).sum()) + law**2
    if mean <= 0:
        return 0.0
    return float(np.sqrt(mean * fisher.ppf(level, mean**2 / squares, n_chunks - 1)))
