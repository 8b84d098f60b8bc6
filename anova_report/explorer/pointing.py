"""What is pointed at: a row marked on axes, the term or row under a click, slices that follow, colours of groups.

Colours of points go by the values of a feature: a few groups in order, the same live and still.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.terms import Term
from anova_report.errors import UnknownTermError
from anova_report.figures.columns import Rows
from anova_report.figures.columns.axes import MISSING, quantiles, rounded, value_axis, value_text
from anova_report.figures.columns.levels import level_scale
from anova_report.figures.columns.planes import Side, side
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import (
    Axis,
    Curve,
    Levels,
    Line,
    Matrix,
    Network,
    Node,
    Scatter,
    Shares,
    Slices,
    Surface,
    Waterfall,
)
from anova_report.figures.style import SLICES, spread


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


NODE_REACH, EDGE_REACH = 0.14, 0.06  # of the radius of a network
POINT_REACH = 0.03  # of the length of the axes


def term_at(dec: Decomposition, figure: Figure, x: float, y: float) -> Term | None:
    """Find the term that is drawn at a place, in the coordinates of the live plot; None where there is none."""
    match figure.data:
        case Shares() as data:
            return _of_list(data.terms, y)
        case Network() as data:
            return _known(dec, _of_network(data, x, y))
        case Matrix() as data:
            return _known(dec, _of_matrix(data, x, y))
        case Waterfall() as data if figure.kind == "waterfall":
            labels = {dec.label(term): term for term in dec.terms}
            return _of_list([labels.get(step.label) for step in data.steps], y, first=1)  # after the mean
        case _:
            return None


def row_at(figure: Figure, x: float, y: float) -> int | None:
    """Find the row whose point is next to a place; None where none is near."""
    data = figure.data
    if not isinstance(data, Scatter) or not data.rows:
        return None
    wide, high = (axis.high - axis.low or 1.0 for axis in (data.x, data.y))
    away = [math.hypot((at - x) / wide, (value - y) / high) for at, value in zip(data.at, data.value, strict=True)]
    nearest = min(range(len(away)), key=away.__getitem__)
    return data.rows[nearest] if away[nearest] <= POINT_REACH else None


def _of_list(terms: Sequence[Term | None], y: float, first: int = 0) -> Term | None:
    """Find the row of a list at a height; rows have height 1 and their middles at whole numbers."""
    position = round(y) - first
    return terms[position] if 0 <= position < len(terms) else None


def _known(dec: Decomposition, names: tuple[str, ...]) -> Term | None:
    try:
        return dec.resolve(names) if names else None
    except UnknownTermError:
        return None  # a feature without a main effect


def _of_network(data: Network, x: float, y: float) -> tuple[str, ...]:
    near = min(data.nodes, key=lambda node: math.hypot(node.x - x, node.y - y), default=None)
    if near is not None and math.hypot(near.x - x, near.y - y) <= NODE_REACH:
        return (near.label,)
    ends = [(data.nodes[edge.first], data.nodes[edge.second]) for edge in data.edges]
    away, closest = min(((_distance(pair, x, y), pair) for pair in ends), key=lambda found: found[0], default=(9.0, ()))
    return tuple(node.label for node in closest) if away <= EDGE_REACH else ()


def _distance(ends: tuple[Node, Node], x: float, y: float) -> float:
    """Return how far a place is from a straight line between two nodes."""
    first, second = ends
    across, up = second.x - first.x, second.y - first.y
    length = across**2 + up**2
    along = ((x - first.x) * across + (y - first.y) * up) / length if length else 0.0
    along = min(max(along, 0.0), 1.0)
    return math.hypot(first.x + along * across - x, first.y + along * up - y)


def _of_matrix(data: Matrix, x: float, y: float) -> tuple[str, ...]:
    column, row = round(x), round(y)
    if not (0 <= column < len(data.features) and 0 <= row < len(data.features)):
        return ()
    return (data.features[row],) if row == column else (data.features[row], data.features[column])


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


MOST = len(SLICES)
OTHERS = "others"


@dataclass(frozen=True)
class Groups:
    """Points in groups.

    Parameters
    ----------
    feature : str
        Whose values tell them apart.
    names : tuple of str
    of_point : tuple of int
        Which group each point is in.
    """

    feature: str
    names: tuple[str, ...]
    of_point: tuple[int, ...]

    @property
    def colours(self) -> tuple[str, ...]:
        """Names of the colours of the groups."""
        return spread(SLICES, len(self.names))

    def points(self, group: int) -> list[int]:
        """Positions of the points of a group."""
        return [position for position, found in enumerate(self.of_point) if found == group]


def grouped(rows: Rows, feature: str, drawn: Sequence[int]) -> Groups:
    """Put rows into at most five groups: parts of equal size of a range, or the most frequent levels.

    Parameters
    ----------
    rows : Rows
    feature : str
    drawn : sequence of int
        Positions of the rows.
    """
    index = rows.feature(feature)
    column = rows.values[list(drawn), index]
    missing = np.isnan(column)
    names, part = _parts(rows, index, column, MOST - int(missing.any()))
    if missing.any() and MISSING not in names:
        part[missing] = len(names)
        names = [*names, MISSING]
    kept = [position for position in range(len(names)) if (part == position).any()]
    return Groups(feature, tuple(names[position] for position in kept), tuple(np.searchsorted(kept, part).tolist()))


def _parts(rows: Rows, index: int, column: NDArray[np.float64], most: int) -> tuple[list[str], NDArray[np.intp]]:
    scale = level_scale(rows, index, most if _is_short(rows, index, most) else most - 1)
    if scale is not None:
        part = scale.positions(column)
        others = part < 0
        part[others] = len(scale.names)
        return [*scale.names, OTHERS] if others.any() else list(scale.names), part
    known = column[~np.isnan(column)]
    ends = np.unique(quantiles(known, np.linspace(0, 1, most + 1)))
    texts = [value_text(rows.dec.features[index], end, float(np.ptp(ends))) for end in ends.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    return names, np.searchsorted(ends[1:-1], column, side="right")


def _is_short(rows: Rows, index: int, most: int) -> bool:
    """Whether all levels get a group of their own."""
    scale = level_scale(rows, index, most)
    return scale is None or not scale.n_left_out
