"""Cohorts: some rows of a table, explained under their own law by the fit of all rows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.populations import decompose_under
from anova_report.core.input.predictions import read_predictions
from anova_report.core.input.table import open_table
from anova_report.core.input.weights import kept
from anova_report.core.input.where import rows_where
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import row_blocks
from anova_report.errors import InputError

FEWEST_ROWS = 30  # of fewer rows, averages say little of any law


def cohort_rows(where: str, X: Any) -> NDArray[np.intp]:
    """Find the rows of a cohort, and refuse one of too few or of all rows.

    Examples
    --------
    >>> cohort_rows("x0 >= 10", np.arange(60.0)[:, None])[[0, -1]].tolist()
    [10, 59]
    """
    chosen = rows_where(where, X)
    rows = np.flatnonzero(chosen)
    if len(rows) < FEWEST_ROWS:
        raise InputError(
            f"{len(rows):,} of {len(chosen):,} rows fulfill {where!r}, and a cohort takes at least {FEWEST_ROWS}. "
            "Widen the expression, or pass more rows."
        )
    if len(rows) == len(chosen):
        raise InputError(f"All {len(rows):,} rows fulfill {where!r}, so it chooses none. Leave where out.")
    return rows


def cohort(dec: Decomposition, X: Any, predictions: Any, where: str) -> tuple[Decomposition, Any, Any]:
    """Decompose under the rows of X that fulfill an expression; these rows and their predictions are returned, too.

    Examples
    --------
    >>> from anova_report import explain
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> dec = explain(lambda rows: rows[:, 0] * rows[:, 1], X)
    >>> under, rows, _ = cohort(dec, X, dec.predictions, "x1 > 0")
    >>> under.terms[0], len(rows)
    ((0,), 245)
    """
    if predictions is None:
        raise InputError("A cohort is explained with the predictions of its rows. Pass predictions with the rows.")
    rows, n_all = cohort_rows(where, X), open_table(X).shape[0]
    chosen, known = kept("X", X, rows, n_all), kept("predictions", predictions, rows, n_all)
    return cohort_of(dec, chosen, known, where, n_all), chosen, known


def cohort_of(
    dec: Decomposition, X: Any, predictions: Any, where: str, n_all: int, sample_weight: Any = None
) -> Decomposition:
    """Decompose under the rows of a cohort, X, whose predictions are known, of so many rows in all."""
    values = dec.encode(X)
    given = read_predictions(predictions, len(values)).values
    weights = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    weights = weights / weights.sum()
    residuals = given - dec.expansion.predict(values)
    spread = weights @ (given - weights @ given) ** 2
    unexplained = np.divide(weights @ residuals**2, spread, out=np.zeros_like(spread), where=spread > 0)
    found = decompose_under(dec, X, sample_weight, np.clip(unexplained, 0.0, 1.0))
    if found.population is None:
        raise TypeError("a decomposition under other rows has a population")
    known = replace(found.population, where=where, n_all=n_all)
    return replace(found, population=known, in_sample=_with_residuals(found, values, residuals, weights))


def _with_residuals(dec: Decomposition, values: Floats, residuals: Floats, weights: Floats) -> Moments:
    """Complete averages over a cohort by its residuals, which go with components there as they may."""
    firsts, seconds = dec.in_sample.firsts.copy(), dec.in_sample.seconds.copy()
    products = np.zeros((len(dec.terms), residuals.shape[1]))
    for rows in row_blocks(len(values)):
        components = dec.expansion.evaluate(values[rows])
        products += np.einsum("n,nto,no->to", weights[rows], components, residuals[rows])
    firsts[-1], squares = weights @ residuals, weights @ residuals**2
    seconds[-1, :-1] = seconds[:-1, -1] = products
    seconds[-1, -1] = squares
    return replace(dec.in_sample, firsts=firsts, seconds=seconds, squared_gap=squares)
