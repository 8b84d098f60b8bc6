"""What is drawn, as plain data: every picture, static or live, is made from one of these and nothing else.

Numbers are Python floats, sequences are tuples, so a figure becomes JSON and comes back unchanged (`documents`).
Positions of levels along an axis are 0, 1, 2, …; an axis of levels runs from −0.5 to their number − 0.5.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Numbers: TypeAlias = tuple[float, ...]
Status: TypeAlias = Literal["fine", "slight", "beyond", "small"]


@dataclass(frozen=True)
class Axis:
    """One axis.

    Parameters
    ----------
    label : str
    low, high : float
        What it shows; data beyond is cut off.
    levels : tuple of str
        Names of the positions 0, 1, …; empty for numbers.
    time : bool
        Whether the numbers are seconds since 1970.
    """

    label: str
    low: float
    high: float
    levels: tuple[str, ...] = ()
    time: bool = False


@dataclass(frozen=True)
class Atom:
    """An effect that belongs to one value, such as "missing"; bounds equal the value where none are known."""

    value: float
    lower: float
    upper: float
    share: float


@dataclass(frozen=True)
class Shares:
    """Shares of the answers' variance by term, in drawing order.

    Parameters
    ----------
    labels : tuple of str
    terms : tuple of tuples of int
    structural, correlative, total : numbers
    lower, upper : numbers
        Interval of the total; empty where none is known.
    rest : float
        Total of the terms that are not drawn.
    n_rest : int
    unexplained : float
    """

    labels: tuple[str, ...]
    terms: tuple[tuple[int, ...], ...]
    structural: Numbers
    correlative: Numbers
    total: Numbers
    lower: Numbers
    upper: Numbers
    rest: float
    n_rest: int
    unexplained: float


@dataclass(frozen=True)
class Totals:
    """Shares of the answers' variance by feature (ANOVA-Shapley effects), in drawing order; fields as in `Shares`."""

    labels: tuple[str, ...]
    share: Numbers
    lower: Numbers
    upper: Numbers
    rest: float
    n_rest: int
    unexplained: float


@dataclass(frozen=True)
class Node:
    """A feature in a network: where it stands, in [−1, 1]², and its main effect."""

    label: str
    x: float
    y: float
    value: float


@dataclass(frozen=True)
class Edge:
    """A pair in a network: positions of its nodes, and its value."""

    first: int
    second: int
    value: float


@dataclass(frozen=True)
class Network:
    """Main effects as nodes and pairs as edges.

    Parameters
    ----------
    nodes : tuple of Node
    edges : tuple of Edge
    signed : bool
        Whether values are contributions to one answer, whose sign is shown; otherwise shares of the variance.
    label : str
        What a value is.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    signed: bool
    label: str


@dataclass(frozen=True)
class Step:
    """One contribution to an answer: a label, the row's values in words, and how much it adds."""

    label: str
    detail: str
    value: float


@dataclass(frozen=True)
class Waterfall:
    """How one answer comes about: base + steps + remainder = answer, drawn as one bar below the other.

    Parameters
    ----------
    axis : Axis
        Of the answer; holds every sum on the way.
    base : float
        The mean.
    steps : tuple of Step
        Largest first; small ones are taken together in the last.
    remainder : float
        Answer minus explanation.
    answer : float
    """

    axis: Axis
    base: float
    steps: tuple[Step, ...]
    remainder: float
    answer: float


@dataclass(frozen=True)
class Force(Waterfall):
    """The same as a `Waterfall`, drawn as one line: what pushes the answer up meets what pushes it down."""


@dataclass(frozen=True)
class Scatter:
    """Rows as points.

    Parameters
    ----------
    x, y : Axis
    at, value : numbers
    rows : tuple of int
        Which row each point is.
    n_rows : int
        Of how many rows these are a sample.
    identity : bool
        Draw the line on which both are equal.
    marked : int or None
        Position, among the points, of one that is looked at.
    """

    x: Axis
    y: Axis
    at: Numbers
    value: Numbers
    rows: tuple[int, ...]
    n_rows: int
    identity: bool = True
    marked: int | None = None


@dataclass(frozen=True)
class Regions:
    """How large the gap is in regions of each feature.

    Parameters
    ----------
    features : tuple of str
    bins : tuple of tuples of str
        Names of each feature's regions, at most ten.
    gap : tuple of numbers
        Root mean square gap in each region, over the standard deviation of the answers.
    count : tuple of tuples of int
    limit : float
        Colours run from 0 to limit.
    """

    features: tuple[str, ...]
    bins: tuple[tuple[str, ...], ...]
    gap: tuple[Numbers, ...]
    count: tuple[tuple[int, ...], ...]
    limit: float


@dataclass(frozen=True)
class Cell:
    """A cosine in the orthogonality matrix.

    The cell in row i and column j ≠ i is that of the pair of both with the main effect of i; on the diagonal it is
    that of the main effect of i with the mean.

    Parameters
    ----------
    row, column : int
    label : str
    value, floor : float
        The cosine, on held-out rows where there are any, and what chance gives.
    share : float
        Var of the term over Var of the answers.
    status : {"fine", "slight", "beyond", "small"}
        At most the noise floor; above it but within the limit; beyond the limit; of a term too small to count.
    """

    row: int
    column: int
    label: str
    value: float
    floor: float
    share: float
    status: Status


@dataclass(frozen=True)
class Matrix:
    """Orthogonality of pairs and main effects, feature by feature; colours run from 0 to `limit`."""

    features: tuple[str, ...]
    cells: tuple[Cell, ...]
    limit: float


@dataclass(frozen=True)
class Histogram:
    """How rows are spread over one axis: counts between edges, or of each level where there are no edges."""

    x: Axis
    edges: Numbers
    count: tuple[int, ...]


Data: TypeAlias = Shares | Totals | Network | Waterfall | Force | Scatter | Regions | Matrix | Histogram
