"""Which columns of the published design are kept: the Lasso path by LARS, cut where BIC is smallest."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsCV, LassoLarsIC
from sklearn.model_selection import KFold

from anova_report.core.arrays import Floats
from anova_report.core.randomness import seed_for

DEPENDENT = 1e-11  # of a column's variance: if the others leave no more, it is one of them up to rounding
NOISE_ROUNDS = 5  # cuts of the path until the noise agrees with what the cut leaves over; two or three do
NOISE_FOLDS = 5


def select_by_bic(design: Floats, answers: Floats) -> NDArray[np.intp]:
    """Choose columns for one output: the positions of those that are kept; none if the answers never change.

    Columns are centred and of unit variance: LARS compares correlations, so without this the choice would depend on how
    large a column happens to be.
    """
    if not np.ptp(answers):
        return np.empty(0, dtype=np.intp)
    if design.shape[0] > design.shape[1] + 1:
        return _cut_path(design, answers, noise_variance=None)
    # scikit-learn estimates the noise from a full least-squares fit, which needs more rows than columns. Here it is
    # estimated from above, and again from the residual of each cut, until that is no less than the estimate.
    noise = _cross_validated_error(design, answers)
    for _ in range(NOISE_ROUNDS):
        kept = _cut_path(design, answers, noise)
        columns, centred = design[:, kept], answers - answers.mean()
        gap = centred - columns @ np.linalg.lstsq(columns, centred, rcond=None)[0]
        left = float(gap @ gap / max(len(answers) - columns.shape[1] - 1, 1))
        if left >= noise:
            break
        noise = left
    return kept


def independent_columns(design: Floats, widths: Sequence[int]) -> NDArray[np.intp]:
    """Find, block by block, centred columns of unit variance that span what all columns of the block span.

    A feature with few values has fewer independent polynomials than degrees. LARS, given the same column several
    times up to rounding, stops early (Census Income: R² .81 instead of .91).

    Examples
    --------
    >>> column = np.array([[-1.0], [1.0]])
    >>> independent_columns(np.hstack([column, column, column]), widths=[2, 1]).tolist()
    [0, 2]
    """
    kept = []
    for width, end in zip(widths, np.cumsum(widths), strict=True):
        block = design[:, end - width : end]
        _, pivots, rank, _ = lapack.dpstrf(block.T @ block / len(block), tol=DEPENDENT)
        kept.append(end - width + np.sort(pivots[:rank] - 1))
    return np.concatenate(kept)


def standardise_columns(design: Floats) -> Floats:
    """Centre columns and scale them to unit variance, in place; columns that never change become zero."""
    design -= design.mean(axis=0)
    spread = design.std(axis=0)
    design /= np.where(spread > 0, spread, 1.0)
    return design


def _cut_path(design: Floats, answers: Floats, noise_variance: float | None) -> NDArray[np.intp]:
    path = LassoLarsIC(criterion="bic", noise_variance=noise_variance)
    with warnings.catch_warnings():
        # A path that ends early because columns are nearly collinear is still a path: BIC chooses on what there is.
        warnings.simplefilter("ignore", ConvergenceWarning)
        path.fit(design, answers)
    return np.flatnonzero(path.coef_)


def _cross_validated_error(design: Floats, answers: Floats) -> float:
    """Estimate the noise where least squares would interpolate: what the best Lasso leaves over on other rows."""
    folds = KFold(min(NOISE_FOLDS, len(design)), shuffle=True, random_state=seed_for(0, "noise folds"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as in _cut_path
        path = LassoLarsCV(cv=folds).fit(design, answers)
    return max(float(path.mse_path_.mean(axis=1).min()), float(np.finfo(float).eps * answers.var()))
