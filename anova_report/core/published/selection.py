"""Which columns of the published design are kept: the Lasso path by LARS, cut where BIC is smallest."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsCV, lars_path
from sklearn.model_selection import KFold

from anova_report.core.arrays import AT_ONCE, Floats
from anova_report.core.fit.partition import FOLDS
from anova_report.core.randomness import seed_for

EPSILON = float(np.finfo(float).eps)  # of a unit variance: noise below it is none that can be measured
FIRST_STEPS = 500  # of the path, where scikit-learn's LassoLarsIC stops by itself
MOST_STEPS = FIRST_STEPS * 2**3  # after three doublings: a longer path is no longer a selection
INSIDE = 0.8  # part of the path in which a minimum of BIC is one: later it may still be falling (`make published`)


def select_by_bic(design: Floats, predictions: Floats, max_steps: int | None = None) -> NDArray[np.intp]:
    """Choose columns for one output: the positions of those that are kept; none if the predictions never change.

    This is `LassoLarsIC(criterion="bic")` of scikit-learn on centered columns as they are, of which LARS keeps a large
    one sooner than a small one, except that its path does not end while BIC is falling, unless after `max_steps`.
    """
    if not np.ptp(predictions):
        return np.empty(0, dtype=np.intp)
    # The path's end and which coefficients are zero are judged by absolute limits, so the unit is taken away.
    predictions = (predictions - predictions.mean()) / predictions.std()
    path = _LassoPath(design, predictions, max_steps or MOST_STEPS)
    n_rows, n_columns = design.shape
    if n_rows > n_columns + 1:
        residual = predictions - design @ np.linalg.lstsq(design, predictions, rcond=None)[0]
        return path.cut(float(residual @ residual) / (n_rows - n_columns - 1))
    # Least squares on all columns would leave no noise to estimate. It is estimated from above instead, and again from
    # the residual of each cut, until that is no less than the estimate.
    noise = _cross_validated_error(design, predictions)
    for _ in range(5):  # two or three do
        kept = path.cut(noise)
        columns = design[:, kept]
        residual = predictions - columns @ np.linalg.lstsq(columns, predictions, rcond=None)[0]
        left = float(residual @ residual / max(len(predictions) - columns.shape[1] - 1, 1))
        if left >= noise:
            break
        noise = left
    return kept


def independent_columns(design: Floats, widths: Sequence[int]) -> NDArray[np.intp]:
    """Find, block by block, centered columns of unit variance that span what all columns of the block span.

    A feature with few values has fewer independent polynomials than degrees. LARS, given the same column several
    times up to rounding, stops early (Census Income: R² .81 instead of .91). Columns as they are need none of this:
    they differ in size, and LARS takes the largest of those that say the same.

    Examples
    --------
    >>> column = np.array([[-1.0], [1.0]])
    >>> independent_columns(np.hstack([column, column, column]), widths=[2, 1]).tolist()
    [0, 2]
    """
    kept = []
    for width, end in zip(widths, np.cumsum(widths), strict=True):
        block = design[:, end - width : end]
        # Of columns that say the same, the first is meant, not the one that rounding makes the largest. So each is a
        # little smaller than the one before: far more than by rounding, far less than what distinguishes columns.
        sizes = 1 - 1e-9 * np.arange(width)
        correlations = block.T @ block / len(block) * np.outer(sizes, sizes)
        # A column of which the others leave no more of its variance is one of them up to rounding.
        _, pivots, rank, _ = lapack.dpstrf(correlations, tol=1e-11)
        kept.append(end - width + np.sort(pivots[:rank] - 1))
    return np.concatenate(kept)


def center_columns(design: Floats) -> Floats:
    """Center columns, in place."""
    design -= design.mean(axis=0)
    return design


def standardize_columns(design: Floats) -> Floats:
    """Center columns and scale them to unit variance, in place; columns that never change become zero."""
    center_columns(design)
    spread = design.std(axis=0)
    design /= np.where(spread > 0, spread, 1.0)
    return design


class _LassoPath:
    """The Lasso path of one output, as far as it was needed: scikit-learn's, which cannot be continued, made anew."""

    def __init__(self, design: Floats, predictions: Floats, max_steps: int) -> None:
        self._design, self._predictions = design, predictions
        self._gram = design.T @ design if design.shape[0] > design.shape[1] else None
        self._max_steps = max_steps
        self._squares = np.empty(0)  # of the residuals, after each step
        self._sizes = np.empty(0)  # numbers of coefficients that are not zero
        self._run(min(FIRST_STEPS, max_steps))

    def cut(self, noise: float) -> NDArray[np.intp]:
        """Find the columns of the step with the smallest BIC, after as many steps as that takes."""
        while True:
            costs = np.log(len(self._predictions)) * self._sizes
            best = int(np.argmin(self._squares / max(noise, EPSILON) + costs))
            if self._ended or best <= INSIDE * self._n_steps:
                return np.flatnonzero(self._coefficients[:, best])
            self._run(min(2 * self._n_steps, self._max_steps))

    def _run(self, n_steps: int) -> None:
        with warnings.catch_warnings():
            # A path that ends early because columns are nearly collinear is still a path: BIC chooses on what there is.
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, _, self._coefficients, self._n_steps = lars_path(
                self._design, self._predictions, Gram=self._gram, method="lasso", max_iter=n_steps, return_n_iter=True
            )
        self._ended = self._n_steps < n_steps or n_steps == self._max_steps
        for start in range(len(self._squares), self._coefficients.shape[1], AT_ONCE):
            # All residuals together would outgrow the design. Sizes are degrees of freedom as scikit-learn counts them.
            coefficients = self._coefficients[:, start : start + AT_ONCE]
            used = np.flatnonzero(coefficients.any(axis=1))
            residuals = self._predictions[:, None] - self._design[:, used] @ coefficients[used]
            self._squares = np.append(self._squares, np.einsum("ns,ns->s", residuals, residuals))
            self._sizes = np.append(self._sizes, (np.abs(coefficients) > EPSILON).sum(axis=0))


def _cross_validated_error(design: Floats, predictions: Floats) -> float:
    """Estimate the noise where least squares would interpolate: what the best Lasso leaves over on other rows."""
    folds = KFold(min(FOLDS, len(design)), shuffle=True, random_state=seed_for(0, "noise folds"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as in _LassoPath
        path = LassoLarsCV(cv=folds).fit(design, predictions)
    return max(float(path.mse_path_.mean(axis=1).min()), EPSILON * float(predictions.var()))
