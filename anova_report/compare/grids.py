"""Points along one feature at which a method evaluates its curve, and the curve read off at rows."""

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.cells import Positions
from anova_report.compare.request import Request
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
