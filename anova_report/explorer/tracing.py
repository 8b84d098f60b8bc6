"""Slices of a pair that follow the pointer over its surface or, where there is none, the row that is looked at."""

from dataclasses import replace

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.terms import Term
from anova_report.figures.columns import Rows
from anova_report.figures.columns.axes import rounded, value_axis, value_text
from anova_report.figures.columns.planes import Side, side
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Line, Slices, Surface


def traced(
    figure: Figure, rows: Rows, term: Term, output: int, surface: Figure, at: tuple[float, float], whose: str
) -> Figure:
    """Add the slice through one point of the plane to those of a pair.

    Parameters
    ----------
    figure : Figure
        Slices of the pair.
    rows : Rows
    term : Term
    output : int
    surface : Figure
        Of the same pair; the axis of effects is made to hold all of it, so that it stands still while the point moves.
    at : pair of floats
        Encoded values of the two features.
    whose : str
        What the point is.
    """
    if not isinstance(figure.data, Slices) or not isinstance(surface.data, Surface):
        return figure
    sides = {index: side(rows, index) for index in term}
    along, across = sorted(term, key=lambda index: sides[index].scale is not None)  # as `pair_slices` chooses
    cut = dict(zip(term, at, strict=True))[across]
    points = {along: sides[along].at, across: np.full(len(sides[along].at), cut)}
    values = rows.component(term, [points[index] for index in term], output)
    line = Line(f"{whose}: {_text(rows, across, sides[across], cut)}", figure.data.lines[0].at, rounded(values))
    cells = np.array(surface.data.value).ravel()
    y = value_axis(figure.data.y.label, cells, values, origin=True)
    return replace(figure, data=replace(figure.data, y=y, lines=(*figure.data.lines, line)))


def can_be_traced(at: Floats | tuple[float, float]) -> bool:
    """Whether a pair has slices through these values: none of them is missing."""
    return not np.isnan(at).any()


def _text(rows: Rows, index: int, across: Side, value: float) -> str:
    span = 0.0 if across.scale is not None else across.axis.high - across.axis.low
    return value_text(rows.dec.features[index], value, span)
