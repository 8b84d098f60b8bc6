"""Which columns of the published design are kept: the Lasso path by LARS, cut where BIC is smallest."""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsIC, RidgeCV

from anova_report.core.columns import Floats

DEPENDENT = 1e-8  # a unit-variance column of which the others leave less variance than this is one of them
RIDGE_STRENGTHS = np.logspace(-4, 4, 17)  # relative to unit-variance columns, per row


def select_by_bic(design: Floats, answers: Floats) -> NDArray[np.intp]:
    """Choose columns for one output.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        Centred columns of unit variance: LARS compares correlations, so without this the choice would depend on
        how large a column happens to be.
    answers : array of shape (n_rows,)

    Returns
    -------
    array of int
        Positions of the columns that are kept, ascending; none if the answers never change.
    """
    if not np.ptp(answers):
        return np.empty(0, dtype=np.intp)
    # scikit-learn estimates the noise from a full least-squares fit, which needs more rows than columns.
    enough_rows = design.shape[0] > design.shape[1] + 1
    path = LassoLarsIC(
        criterion="bic",
        noise_variance=None if enough_rows else _leave_one_out_error(design, answers),
    )
    with warnings.catch_warnings():
        # A path that ends early because columns are nearly collinear is still a path: BIC chooses on what there is.
        warnings.simplefilter("ignore", ConvergenceWarning)
        path.fit(design, answers)
    return np.flatnonzero(path.coef_)


def independent_columns(design: Floats) -> NDArray[np.intp]:
    """Find columns that span what all columns span.

    A feature with few values has fewer independent polynomials than degrees. LARS, given the same column several
    times up to rounding, stops early (Census Income: R² .81 instead of .91).

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        Centred columns of unit variance.

    Returns
    -------
    array of int
        Positions of the columns that are kept, ascending.
    """
    _, pivots, rank, _ = lapack.dpstrf(design.T @ design / len(design), tol=DEPENDENT)
    return np.sort(pivots[:rank] - 1)


def standardise_columns(design: Floats) -> Floats:
    """Centre columns and scale them to unit variance, in place; columns that never change become zero."""
    design -= design.mean(axis=0)
    spread = design.std(axis=0)
    design /= np.where(spread > 0, spread, 1.0)
    return design


def _leave_one_out_error(design: Floats, answers: Floats) -> float:
    """Estimate the noise where least squares would interpolate: the leave-one-out error of the best ridge fit."""
    ridge = RidgeCV(alphas=RIDGE_STRENGTHS * len(design)).fit(design, answers)
    return max(float(-ridge.best_score_), float(np.finfo(float).eps * answers.var()))
