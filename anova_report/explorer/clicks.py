"""What lies under the pointer in a picture: the term or the row that a click goes to."""

import math
from collections.abc import Sequence

from anova_report.core.decomposition import Decomposition
from anova_report.core.terms import Term
from anova_report.errors import UnknownTermError
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Matrix, Network, Node, Scatter, Shares, Waterfall

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
