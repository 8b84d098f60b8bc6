"""How far two estimates of the same thing lie apart by chance: point by point, and as a whole.

Each decomposition knows what every chunk of rows contributed to its value at a point (a jackknife). That gives standard
errors of a difference at every point, and the noise floor of its distance: what equal models stay below.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import f as fisher
from scipy.stats import t as student

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.influence import standard_error

# A fit chooses its functions by looking at the rows, and errs by that beyond what its chunks tell: on other rows of the
# same function, distances reach 1.3 times the floors they would have without it.
CHOICE = 1.5
# And two fits on the same rows do not choose the same functions, so not all of what these rows do to both cancels: this
# share of it stays. Both were measured by `python -m benchmarks.alarms`.
UNSHARED = 0.35

Rows: TypeAlias = Literal["same chunks", "same", "different"]


def same_chunks(a: Decomposition, b: Decomposition) -> bool:
    """Whether two decompositions come from the same rows, dealt out to the same chunks."""
    dealt = [dec.uncertainty.dealt for dec in (a, b) if dec.uncertainty is not None]
    return len(dealt) == 2 and dealt[0] == dealt[1] != ""


@dataclass(frozen=True, eq=False)
class Traces:
    """Contributions of chunks to values of two estimates at some points.

    Parameters
    ----------
    first, second : arrays of shape (n_points, n_chunks)
    rows : {"same chunks", "same", "different"}
        How errors go together. Of the same rows, dealt out to the same chunks, contributions are subtracted: what a
        chunk does to both cancels. Of different rows squared errors add up. Of the same rows in another order errors
        may move together or apart in ways that are not known, so they are added themselves: never too small.
    """

    first: Floats
    second: Floats
    rows: Rows

    @classmethod
    def of(cls, first: Floats | None, second: Floats | None, rows: Rows) -> "Traces | None":
        """Gather contributions; where one side leaves a term out, that is no surer than what the other makes of it."""
        known = [traced for traced in (first, second) if traced is not None]
        if not known:
            return None
        if len(known) == 1 and rows == "same chunks":
            rows = "same"  # the choice to leave it out was a close one if the term is small
        return cls(known[0], known[-1], rows)

    def standard_error(self) -> Floats:
        """Estimate the standard error of the difference at each point."""
        first, second = (CHOICE * standard_error(traced, axis=1) for traced in (self.first, self.second))
        if self.rows == "same":
            return first + second
        apart = np.hypot(first, second)
        if self.rows == "different":
            return apart
        return np.hypot(CHOICE * standard_error(self.second - self.first, axis=1), UNSHARED * apart)

    def reach(self, level: float) -> Floats:
        """Half the width of a band that holds the difference at each point, in so many of 100 samples, over 100."""
        n_chunks = min(self.first.shape[1], self.second.shape[1])
        return np.asarray(float(student.ppf((1 + level) / 2, n_chunks - 1)) * self.standard_error())

    def floor(self, level: float) -> float:
        """Root mean square difference that equal components stay below, in so many of 100 samples, over 100."""
        if self.rows == "same":
            # The distance of two is at most the sum of their distances from the truth; each has half of the error rate.
            return sum(_floor(traced, (1 + level) / 2) for traced in (self.first, self.second))
        apart = np.concatenate([self.first, self.second], axis=1)
        if self.rows == "different":
            return _floor(apart, level)
        return _floor(np.concatenate([self.second - self.first, UNSHARED * apart], axis=1), level)


def _floor(traced: Floats, level: float) -> float:
    """Quantile of the root mean square of a random function whose jackknife contributions are given.

    Its mean square is a weighted sum of squared normals; Box's approximation gives it the first two moments of a
    multiple of chi-squared.
    """
    n_points, n_chunks = traced.shape
    if not n_points:
        return 0.0
    products = traced.T @ traced / n_points * n_chunks / (n_chunks - 1)
    mean, squares = float(np.trace(products)), float((products**2).sum())
    if mean <= 0:
        return 0.0
    return CHOICE * float(np.sqrt(mean * fisher.ppf(level, mean**2 / squares, n_chunks - 1)))
