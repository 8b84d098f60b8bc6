"""Draws of errors that no jackknife group shows: what the penalty decides, and what purification left behind.

Each replicate that is used gets one draw, of a size that makes the squares add up to the variance of the error.
"""

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.fit.fits import Fit
from anova_report.core.fit.sums import factor, solve_factored, solve_upper
from anova_report.core.fit.unmoved import LeftBehind
from anova_report.core.randomness import stream
from anova_report.core.result.terms import Term

PROBES = 32  # random vectors for a trace; its error is then well below one percent of the columns


def penalty_contributions(fit: Fit, noise: Floats, used: NDArray[np.bool_]) -> Floats:
    """Draw errors that the penalty makes, one for each replicate that is used; what rows do does not show them.

    A penalized fit is one of many that the rows allow: where smoothing, or features that move together, leave the rows
    little to say, the penalty decides. Someone who knows no more than how large coefficients of equal roughness are on
    average expects an error of the covariance that such a prior leaves, plus the distance to the fit it would give.

    `noise` is the variance of what is left. Returned are draws, shape (n_columns, REPLICATES, n_outputs), whose squares
    add up to that over replicates.
    """
    gram, n_rows, size = fit.system.gram, fit.system.n_rows, len(fit.ridge)
    usual = np.maximum(_usual_squares(fit, noise.mean() / n_rows), np.finfo(float).tiny)
    # Below the rounding of its sums, the Gram matrix says nothing: exact copies differ by no more than that.
    ridge = np.where(np.arange(size) > 0, np.maximum(noise.mean() / n_rows / usual, ROUNDING), 0.0)
    upper = factor(gram, ridge)
    signs = stream(0, "penalty").choice([-1.0, 1.0], size=(size + 1, len(used))) * used / np.sqrt(used.sum())
    relative = np.sqrt(noise / max(noise.mean(), np.finfo(float).tiny))
    drawn = solve_factored(upper, (ridge * np.sqrt(usual))[:, None] * signs[1:])[:, :, None] * relative
    distance = solve_factored(upper, fit.system.cross) - fit.first_coefficients
    return np.asarray(drawn + distance[:, None] * signs[0][:, None])


def lost_contributions(behind: LeftBehind, turn: Floats, used: NDArray[np.bool_], term: Term) -> Floats:
    """Draw what noise keeps from moving to subterms, one draw for each replicate that is used.

    What was probably missed has the shape that it was found with, so that along it all axes are drawn together; `turn`
    has the axes of the projection in its rows.
    Returned are draws of shape (n_columns - 1, REPLICATES, n_outputs), without the constant;
    squares add up over replicates.
    """
    n_axes = len(turn)
    signs = stream(0, "lost", *term).choice([-1.0, 1.0], size=(n_axes + 1, len(used))) * used / np.sqrt(used.sum())
    drawn = np.multiply.outer(behind.missed, signs[0]) + behind.lost[:, :, None] * signs[1:]
    return np.moveaxis(turn.T @ drawn, 0, 2)


def draw_signs(n_terms: int, used: NDArray[np.bool_]) -> Floats:
    """Draw a sign for each term and replicate that is used, shape (n_terms, REPLICATES, 1); squares add up to one."""
    signs = stream(0, "missed").choice([-1.0, 1.0], size=(n_terms, len(used)))
    return np.asarray((signs * used / np.sqrt(used.sum()))[:, :, None])


def _usual_squares(fit: Fit, noise: float) -> Floats:
    """Average what coefficients may be, squared, over columns of about the same roughness, (n_columns,).

    That is the square of what the fit says, which is shrunken, and the variance around it that the penalty leaves;
    `noise` is the variance of an average over the rows. Main effects are taken together, since one may stand for
    another; the columns of an interaction are compared with each other only.
    """
    probes = stream(0, "variances").choice([-1.0, 1.0], size=(len(fit.ridge), PROBES))
    variances = noise * (solve_upper(fit.upper, probes) ** 2).mean(axis=1)
    squares = (fit.coefficients**2).mean(axis=1) + variances
    roughness = fit.columns.roughness(fit.rows.marginals)
    owners, steps = np.zeros(len(squares)), np.zeros(len(squares))
    for index, (term, at) in enumerate(fit.columns.positions.items()):
        owners[at] = 1 if len(term) == 1 else 2 + index
        steps[at] = np.round(np.log2(np.maximum(roughness[at], 1.0)) * (2 if len(term) == 1 else 1))
    _, kind = np.unique(np.column_stack([owners, steps]), axis=0, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0 returns a column where whole rows are compared
    return np.asarray((np.bincount(kind, squares) / np.bincount(kind))[kind])
