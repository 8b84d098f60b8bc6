"""Where a row, or any value, lies on the axes of a picture that was made without it."""

import math
from dataclasses import replace

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.terms import Term
from anova_report.figures.columns import Rows
from anova_report.figures.columns.levels import level_scale
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Axis, Curve, Levels, Scatter, Surface


def place(rows: Rows, index: int, axis: Axis, value: float) -> float | None:
    """Find an encoded value of a feature along an axis; None where the axis has no place for it.

    Parameters
    ----------
    rows : Rows
    index : int
        Which feature.
    axis : Axis
        Of a figure of these rows.
    value : float
    """
    if not axis.levels:
        return None if math.isnan(value) else float(value)
    scale = level_scale(rows, index)
    position = -1 if scale is None else int(scale.positions(np.array([value]))[0])
    # A picture may have its levels in an order of its own.
    return None if scale is None or position < 0 else float(axis.levels.index(scale.names[position]))


def value_at(rows: Rows, index: int, axis: Axis, position: float) -> float:
    """Find the encoded value at a position along an axis, that of the nearest level where there are levels."""
    scale = level_scale(rows, index) if axis.levels else None
    if scale is None:
        return float(min(max(position, axis.low), axis.high))
    nearest = axis.levels[min(max(round(position), 0), len(axis.levels) - 1)]
    return float(scale.codes[scale.names.index(nearest)])


def marked(figure: Figure, rows: Rows, term: Term, values: Floats) -> Figure:
    """Mark where a row lies in the picture of a term.

    Parameters
    ----------
    figure : Figure
        A main effect or a surface; others stay as they are.
    rows : Rows
    term : Term
        What the figure shows.
    values : array of shape (n_features,)
        Encoded values of the row.
    """
    data = figure.data
    if isinstance(data, Surface):
        x, y = (place(rows, index, axis, values[index]) for index, axis in zip(term, (data.x, data.y), strict=True))
        return replace(figure, data=replace(data, marked=None if x is None or y is None else (x, y)))
    if not isinstance(data, Curve | Levels):
        return figure
    spot = place(rows, term[0], data.x, values[term[0]])
    if isinstance(data, Curve):
        return replace(figure, data=replace(data, marked=spot))
    return replace(figure, data=replace(data, marked=None if spot is None else int(spot)))


def marked_row(figure: Figure, row: int, at: float, value: float) -> Figure:
    """Mark a row among points; where it is not one of them it becomes the last, and the axes are made to hold it."""
    data = figure.data
    if not isinstance(data, Scatter):
        return figure
    if row in data.rows:
        return replace(figure, data=replace(data, marked=data.rows.index(row)))
    x, y = (replace(axis, low=min(axis.low, at, value), high=max(axis.high, at, value)) for axis in (data.x, data.y))
    places = replace(data, x=x, y=y, at=(*data.at, at), value=(*data.value, value))
    return replace(figure, data=replace(places, rows=(*data.rows, row), marked=len(data.rows)))
