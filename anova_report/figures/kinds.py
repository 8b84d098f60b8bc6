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
class Line:
    """A named line, or a mark per level: another explanation of the same thing."""

    name: str
    at: Numbers
    value: Numbers


@dataclass(frozen=True)
class Atom:
    """An effect that belongs to one value, such as "missing"; bounds equal the value where none are known."""

    value: float
    lower: float
    upper: float
    share: float


@dataclass(frozen=True)
class Curve:
    """A main effect along numbers.

    Parameters
    ----------
    x, y : Axis
    at, value : numbers
    lower, upper : numbers
        The band; empty where none is known.
    density_edges, density_share : numbers
        Histogram of the rows over the shown range, shares of all rows; one more edge than shares.
    rug : numbers
        Values of a few rows.
    supported : pair of floats
        The range that holds all but the outermost rows; outside it the curve rests on few.
    missing : Atom or None
        The effect of a missing value.
    marked : float or None
        Value of a row that is looked at.
    overlays : tuple of Line
    """

    x: Axis
    y: Axis
    at: Numbers
    value: Numbers
    lower: Numbers
    upper: Numbers
    density_edges: Numbers
    density_share: Numbers
    rug: Numbers
    supported: tuple[float, float]
    missing: Atom | None = None
    marked: float | None = None
    overlays: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Levels:
    """A main effect of levels, one bar each; the axis `x` is that of the levels, `y` that of the effect.

    Parameters
    ----------
    x, y : Axis
    value, share : numbers
        Effect and share of rows of each level; a missing value is the last level, if there is one.
    lower, upper : numbers
        Empty where no band is known.
    pooled : tuple of bool
        Whether the level was too rare for an effect of its own.
    left_out : int
        Further, rarer levels that are not drawn.
    marked : int or None
        Position of the level of a row that is looked at.
    overlays : tuple of Line
    """

    x: Axis
    y: Axis
    value: Numbers
    share: Numbers
    lower: Numbers
    upper: Numbers
    pooled: tuple[bool, ...]
    left_out: int = 0
    marked: int | None = None
    overlays: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Surface:
    """A pair on equal cells of the plane of two axes.

    Parameters
    ----------
    x, y : Axis
    value : tuple of numbers
        One tuple for each cell along `y`, from its low end; in it one number for each cell along `x`.
    thin : tuple of tuples of bool
        Where hardly a row lies, so that the surface is extrapolated.
    limit : float
        Colours run from −limit to +limit.
    label : str
        Of the colours.
    marked : pair of floats or None
        Where a row that is looked at lies.
    """

    x: Axis
    y: Axis
    value: tuple[Numbers, ...]
    thin: tuple[tuple[bool, ...], ...]
    limit: float
    label: str
    marked: tuple[float, float] | None = None


@dataclass(frozen=True)
class Slices:
    """A pair along one axis, one line for each of some values of the other."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...]


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


Data: TypeAlias = Curve | Levels | Surface | Slices | Scatter | Regions | Matrix | Histogram
