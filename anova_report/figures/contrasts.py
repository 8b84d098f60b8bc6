"""What is drawn of two decompositions side by side, as plain data; these kinds have no live twin."""

from dataclasses import dataclass
from typing import TypeAlias

from anova_report.figures.kinds import Atom, Axis, Numbers


@dataclass(frozen=True)
class Trace:
    """One of two versions of the same thing: its name, its values, and its band, empty where none is known."""

    name: str
    value: Numbers
    lower: Numbers = ()
    upper: Numbers = ()


@dataclass(frozen=True)
class Contrast:
    """A main effect along numbers in two decompositions, on the same axes.

    Parameters
    ----------
    x, y : Axis
    at : numbers
    first, second : Trace
    gap : Axis
        Of the difference, which is drawn below the two on a scale of its own.
    difference : Trace
        Second minus first, with its own band.
    beyond : tuple of pairs of floats
        Ranges in which the difference is beyond its band.
    density_edges, density_share : numbers
        Histogram of the points of comparison; one more edge than shares.
    missing : pair of Atom or None
        The effect of a missing value in both.
    """

    x: Axis
    y: Axis
    at: Numbers
    first: Trace
    second: Trace
    gap: Axis
    difference: Trace
    beyond: tuple[tuple[float, float], ...]
    density_edges: Numbers
    density_share: Numbers
    missing: tuple[Atom, Atom] | None = None


@dataclass(frozen=True)
class LevelContrast:
    """A main effect of levels in two decompositions, two bars for each level.

    Parameters
    ----------
    x, y : Axis
        `x` is that of the levels, `y` that of the effect.
    share : numbers
        Share of the points of comparison at each level.
    first, second : Trace
    beyond : tuple of bool
        At which levels the difference is beyond its band.
    left_out : int
        Further, rarer levels that are not drawn.
    """

    x: Axis
    y: Axis
    share: Numbers
    first: Trace
    second: Trace
    beyond: tuple[bool, ...]
    left_out: int = 0


@dataclass(frozen=True)
class Drift:
    """Shares of the answers' variance in two decompositions, in drawing order.

    Parameters
    ----------
    labels : tuple of str
    first, second : Trace
        Total shares. The bounds of the second hold the interval of the difference: where they leave out the share of
        the first, it has moved.
    beyond : tuple of bool
        Which shares have moved by more than chance.
    n_rest : int
        Further shares that are not drawn.
    """

    labels: tuple[str, ...]
    first: Trace
    second: Trace
    beyond: tuple[bool, ...]
    n_rest: int = 0


Contrasted: TypeAlias = Contrast | LevelContrast | Drift
