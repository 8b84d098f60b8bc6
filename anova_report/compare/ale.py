"""Accumulated local effects (Apley and Zhu, 2020), first order."""

import numpy as np

from anova_report.compare.grids import missing_values, read_off, spread_codes
from anova_report.compare.methods import Found
from anova_report.compare.request import Request
from anova_report.core.arrays import Floats


def ale(request: Request, *, bins: int = 40) -> Found:
    """Explain rows by accumulated local effects.

    Every row is moved to both ends of the small interval it lies in; the average differences, added up along the
    feature, are its effect. They are centred over the rows, so they are weighted by density.

    Written here because no package serves: PyALE (last released in 2024) takes pandas frames of numbers and draws,
    alibi holds numpy below 2 and restricts production use, and effector, which is well kept and light, asks models with
    arrays of complete numbers, where a model that takes levels, dates or gaps cannot be asked.

    Parameters
    ----------
    request : Request
    bins : int
        Intervals of equal frequency; fewer where a feature has fewer values.
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
