"""Ridge fits from sums alone: one Cholesky factor serves every leading number of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from anova_report.core.arrays import Floats
from anova_report.core.engines.threads import in_order
from anova_report.core.fit.sums import Normal

JITTER = 1e-8  # columns have about unit variance; less than this of a new column is rounding of single precision
FURTHEST = 14  # half decades: strengths from 1e-7 to 1e7


def factor(gram: Floats, ridge: Floats) -> Floats:
    """Upper Cholesky factor of gram + diag(ridge), of which only the upper triangle is read."""
    matrix = gram.copy(order="F")
    jitter = JITTER
    while True:
        matrix.flat[:: len(matrix) + 1] = np.diag(gram) + ridge + jitter
        upper, failed_at = lapack.dpotrf(matrix, lower=0, clean=0)
        if not failed_at:
            return np.asarray(upper)
        jitter *= 100  # dependent columns whose Gram is negative by rounding: rare, and cured by a little more ridge


def solve_factored(upper: Floats, cross: Floats) -> Floats:
    """Solve with the factor, for all outputs at once."""
    half = solve_triangular(upper, cross, trans=1, check_finite=False)
    return np.asarray(solve_triangular(upper, half, check_finite=False))


def ridge_fit(normal: Normal, ridge: Floats) -> Floats:
    """Fit by penalised least squares, shape (n_columns, n_outputs)."""
    return solve_factored(factor(normal.gram, ridge), normal.cross)


def mean_squared_error(normal: Normal, coefficients: Floats) -> Floats:
    """Mean squared gap, per output, of a fit on the rows that were summed, from leading columns of theirs."""
    size = len(coefficients)
    gram = normal.gram if size == len(normal.gram) else np.asfortranarray(normal.gram[:size, :size])
    squared = (coefficients * blas.dsymm(1.0, gram, coefficients, lower=0)).sum(axis=0)
    return np.asarray(normal.squares - 2 * (coefficients * normal.cross[:size]).sum(axis=0) + squared)


@dataclass(eq=False)
class Search:
    """Errors of fits on some rows, judged on others, over the penalty's strength and the number of columns.

    Parameters
    ----------
    learn : Normal
        Rows of the fits.
    judges : mapping of int to Normal
        Groups of rows on which errors are measured.
    penalty : array of shape (n_columns,)
    sizes : sequence of int
        Leading numbers of columns to try.
    """

    learn: Normal
    judges: Mapping[int, Normal]
    penalty: Floats
    sizes: Sequence[int]
    _errors: dict[float, dict[int, Floats]] = field(default_factory=dict, init=False)

    def errors(self, strength: float, judge: int) -> Floats:
        """Mean squared error for every size, averaged over outputs, which have unit variance."""
        self.prepare([strength])
        return self._errors[strength][judge]

    def prepare(self, strengths: Sequence[float]) -> None:
        """Fit with several strengths side by side."""
        new = [strength for strength in strengths if strength not in self._errors]
        self._errors.update(zip(new, in_order(self._try, new), strict=True))

    def best(self, judges: Sequence[int], start: int) -> tuple[float, int]:
        """Walk downhill by half decades, as these judges alone see it; `start` is an exponent in half decades."""
        tried: dict[int, Floats] = {}

        def height(step: int) -> float:
            if step not in tried:
                errors = [self.judges[judge].n_rows * self.errors(10 ** (step / 2), judge) for judge in judges]
                tried[step] = np.sum(errors, axis=0)
            return float(tried[step].min())

        self.prepare([10 ** (step / 2) for step in (start, start - 1, start + 1)])
        for direction in (1, -1):
            at = start
            while abs(at + direction) <= FURTHEST and height(at + direction) < height(at):
                at += direction
        lowest = min(tried, key=height)
        return 10 ** (lowest / 2), self.sizes[int(tried[lowest].argmin())]

    def _try(self, strength: float) -> dict[int, Floats]:
        fits = self._fits(strength)
        return {group: self._judge(normal, fits) for group, normal in self.judges.items()}

    def _fits(self, strength: float) -> list[Floats]:
        upper = factor(self.learn.gram, strength * self.penalty)
        half = solve_triangular(upper, self.learn.cross, trans=1, check_finite=False)
        return [
            np.asarray(solve_triangular(upper[:size, :size], half[:size], check_finite=False)) for size in self.sizes
        ]

    def _judge(self, normal: Normal, fits: Sequence[Floats]) -> Floats:
        n_outputs = normal.cross.shape[1]
        together = np.zeros((len(normal.gram), len(fits) * n_outputs), order="F")
        for index, fit in enumerate(fits):
            together[: len(fit), index * n_outputs : (index + 1) * n_outputs] = fit
        repeated = Normal(normal.gram, np.tile(normal.cross, len(fits)), np.tile(normal.squares, len(fits)), 0)
        return np.asarray(mean_squared_error(repeated, together).reshape(len(fits), n_outputs).mean(axis=1))
