"""Cohorts: some rows of a table, explained under their own law by the fit of all rows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.populations import decompose_under
from anova_report.core.input.predictions import read_predictions
from anova_report.core.input.where import rows_where
from anova_report.core.result.decomposition import Decomposition
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
            f"{len(rows):,} of {len(chosen):,} rows fulfil {where!r}, and a cohort takes at least {FEWEST_ROWS}. Widen "
            "the expression, or pass more rows."
        )
    if len(rows) == len(chosen):
        raise InputError(f"All {len(rows):,} rows fulfil {where!r}, so it chooses none. Leave where out.")
    return rows


def cohort_of(
    dec: Decomposition, X: Any, predictions: Any, where: str, n_all: int, sample_weight: Any = None
) -> Decomposition:
    """Decompose under the rows of a cohort, X, whose predictions are known, of so many rows in all."""
    unexplained = _unexplained(dec, X, sample_weight, predictions)
    found = decompose_under(dec, X, sample_weight, unexplained)
    if found.population is None:
        raise TypeError("a decomposition under other rows has a population")
    return replace(found, population=replace(found.population, where=where, n_all=n_all))


def _unexplained(dec: Decomposition, X: Any, sample_weight: Any, predictions: Any) -> Floats:
    """Measure the unexplained share of each output in rows whose predictions are known."""
    values = dec.encode(X)
    given = read_predictions(predictions, len(values)).values
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    residual = np.average((given - dec.expansion.predict(values)) ** 2, axis=0, weights=weights)
    spread = np.average((given - np.average(given, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
    return np.asarray(np.clip(np.divide(residual, spread, out=np.zeros_like(spread), where=spread > 0), 0.0, 1.0))
