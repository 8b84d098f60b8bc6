"""Curves along one feature, read off at the rows: partial dependence and accumulated local effects.

Partial dependence is the average prediction when one feature is set to a value in every row; accumulated local effects
(Apley and Zhu, 2020) are of first order.
"""

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.attribution import Found
from anova_report.compare.methods.cells import Positions
from anova_report.compare.methods.request import Request
from anova_report.core.arrays import Floats


def spread_codes(codes: Positions, points: int) -> Positions:
    """Choose about so many of the values of some rows, at equal steps of their frequency, ends included.

    Examples
    --------
    >>> spread_codes(np.array([0, 0, 1, 2, 3, 4, 5, 6]), points=3).tolist()
    [0, 2, 6]
    >>> spread_codes(np.array([3, 1, 3]), points=40).tolist()
    [1, 3]
    """
    distinct = np.unique(codes)
    if len(distinct) <= points:
        return distinct
    steps = np.linspace(0, 1, points)
    return np.unique(np.quantile(codes, steps, method="inverted_cdf"))


def curve_points(request: Request, column: int, points: int) -> Positions:
    """Choose the values of a column at which a curve is evaluated: few of many numbers, all levels, a missing one."""
    codes, missing = request.cells.codes[request.rows, column], missing_values(request, column)
    if request.columns[column].has_levels:
        return np.unique(codes)
    return np.concatenate([spread_codes(codes[~missing], points), np.unique(codes[missing])])


def missing_values(request: Request, column: int) -> NDArray[np.bool_]:
    """Tell which of the rows to explain lack a value."""
    return np.asarray(np.isnan(request.cells.values[column][request.cells.codes[request.rows, column]]))


def read_off(request: Request, column: int, at: Positions, curve: Floats) -> Floats:
    """Read a curve, known at some values of a column, off at the rows to explain: between numbers by a line."""
    codes, values = request.cells.codes[request.rows, column], request.cells.values[column]
    if request.columns[column].kind == "nominal":
        return np.asarray(curve[np.searchsorted(at, codes)])
    known = ~np.isnan(values[at])
    found = np.full(len(codes), np.nan)
    present = ~missing_values(request, column)
    if known.any():
        found[present] = np.interp(values[codes[present]], values[at[known]], curve[known])
    if not known.all():
        found[~present] = curve[~known][0]
    return found


def pdp(request: Request, *, background: int = 500, points: int = 40) -> Found:
    """Explain rows by partial dependence: averages over `background` rows at `points` values of a feature.

    Written here because scikit-learn's own, which gives the same averages, takes its own estimators and complete
    numbers only; here rows keep the form of the table, with levels, dates and missing values.
    """
    drawn = request.background(background)
    contributions = np.empty((len(request.rows), len(request.columns)))
    for column in request.bar(range(len(request.columns)), len(request.columns), "partial dependence"):
        at = curve_points(request, column, points)
        rows = np.concatenate([request.cells.with_value(drawn, column, code) for code in at])
        averages = request.asked(rows).reshape(len(at), len(drawn)).mean(axis=1)
        contributions[:, column] = read_off(request, column, at, averages)
    return Found(contributions, f"Averaged over {len(drawn):,} rows.")


def ale(request: Request, *, bins: int = 40) -> Found:
    """Explain rows by accumulated local effects.

    Every row is moved to both ends of the small interval it lies in, one of `bins` of equal frequency; the average
    differences, added up along the feature, are its effect. They are centered over the rows, so weighted by density.

    Written here because no package serves: PyALE (last released in 2024) takes pandas frames of numbers and draws,
    alibi holds numpy below 2 and restricts production use, and effector, which is well kept and light, asks models with
    arrays of complete numbers, where a model that takes levels, dates or missing values cannot be asked.
    """
    contributions = np.full((len(request.rows), len(request.columns)), np.nan)
    ordered = [index for index, column in enumerate(request.columns) if column.kind != "nominal"]
    for column in request.bar(ordered, len(ordered), "accumulated local effects"):
        contributions[:, column] = _effect(request, column, bins)
    unordered = [column.name for column in request.columns if column.kind == "nominal"]
    note = f"Effects add up along an order, and these have none: {', '.join(unordered)}." if unordered else ""
    return Found(contributions, note)


def _effect(request: Request, column: int, bins: int) -> Floats:
    present = ~missing_values(request, column)
    if not present.any():
        return np.full(len(present), np.nan)
    rows = request.rows[present]
    codes = request.cells.codes[rows, column]
    edges = spread_codes(codes, bins + 1)
    if len(edges) == 1:
        return np.where(present, 0.0, np.nan)
    # Intervals are open to the left; the lowest value has no interval of its own and joins the first.
    upper = np.searchsorted(edges, codes).clip(1)
    high = request.asked(request.cells.with_value(rows, column, edges[upper]))
    low = request.asked(request.cells.with_value(rows, column, edges[upper - 1]))
    local = np.bincount(upper, high - low) / np.bincount(upper).clip(1)
    return read_off(request, column, edges, np.cumsum(np.r_[0.0, local[1:]]))
