"""Partial dependence: the average answer when one feature is set to a value in every row."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.inspection import partial_dependence

from anova_report.compare.cells import Positions, pick
from anova_report.compare.grids import curve_points, read_off
from anova_report.compare.methods import Found
from anova_report.compare.request import Request
from anova_report.core.arrays import Floats


def pdp(request: Request, *, background: int = 500, points: int = 40) -> Found:
    """Explain rows by partial dependence.

    scikit-learn does it for its regressors on complete numbers; for other models, scales and columns the same average
    is taken here, over rows in the table's own form.

    Parameters
    ----------
    request : Request
    background : int
        Rows that are averaged over.
    points : int
        Values of a feature at which the average is taken; between them it is read off a line.
    """
    drawn = request.background(background)
    average = _by_scikit_learn if _known_to_scikit_learn(request) else _by_asking
    contributions = np.empty((len(request.rows), len(request.columns)))
    for column in request.bar(range(len(request.columns)), len(request.columns), "partial dependence"):
        at = curve_points(request, column, points)
        contributions[:, column] = read_off(request, column, at, average(request, drawn, column, at))
    return Found(contributions, f"Averaged over {len(drawn)} rows.")


def _by_asking(request: Request, drawn: Positions, column: int, at: Positions) -> Floats:
    rows = [request.cells.with_value(drawn, column, code) for code in at]
    return np.asarray(request.asked(np.concatenate(rows)).reshape(len(at), len(drawn)).mean(axis=1))


def _by_scikit_learn(request: Request, drawn: Positions, column: int, at: Positions) -> Floats:
    rows: Any = pick(request.table, drawn).rows(0, len(drawn))
    chosen = {column: request.cells.values[column][at]}
    found = partial_dependence(request.model, rows, [column], custom_values=chosen, method="brute", kind="average")
    return np.asarray(found["average"][0], dtype=np.float64)


def _known_to_scikit_learn(request: Request) -> bool:
    """Tell whether scikit-learn can do it: in columns of whole numbers it rounds, and missing ones it refuses."""
    model, first = request.model, request.own_form(request.rows[:1])
    if not isinstance(model, BaseEstimator) or not is_regressor(model) or request.output is not None:
        return False
    types = [first.dtype] if isinstance(first, np.ndarray) else getattr(first, "dtypes", [None])
    floats = all(getattr(kind, "kind", None) == "f" for kind in types)  # polars' types have no kind
    return floats and not any(np.isnan(values).any() for values in request.cells.values)
