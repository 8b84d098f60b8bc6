"""Lines and bands that leave out the ranges of an axis in which too few rows lie."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeAlias

from anova_report.figures.geometry import Axis, Numbers

Ranges: TypeAlias = tuple[tuple[float, float], ...]
Piece: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]  # places along the axis, and values there


def kept_ranges(low: float, high: float, gaps: Ranges) -> list[tuple[float, float]]:
    """Return what lies between gaps, which ascend.

    Examples
    --------
    >>> kept_ranges(0.0, 9.0, ((0.0, 1.0), (3.0, 5.0)))
    [(1.0, 3.0), (5.0, 9.0)]
    """
    starts = [low, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), high]
    found = [(max(start, low), min(end, high)) for start, end in zip(starts, ends, strict=True)]
    return [(start, end) for start, end in found if start < end]


def is_kept(at: float, axis: Axis, gaps: Ranges) -> bool:
    """Tell whether a place on an axis lies between gaps, or where one begins.

    Examples
    --------
    >>> [is_kept(at, Axis("x", 0.0, 9.0), ((1.0, 2.0), (8.0, 9.0))) for at in (1.0, 1.5, 2.0, 9.0)]
    [True, False, True, False]
    """
    return any(start <= at <= end for start, end in kept_ranges(axis.low, axis.high, gaps))


def pieces(at: Numbers, value: Numbers, gaps: Ranges) -> tuple[Piece, ...]:
    """Cut a line through points into the pieces between gaps, each of which ends where the gap begins.

    Examples
    --------
    >>> pieces((0.0, 2.0, 4.0), (0.0, 20.0, 40.0), ((1.0, 3.0),))
    (((0.0, 1.0), (0.0, 10.0)), ((3.0, 4.0), (30.0, 40.0)))
    """
    if not gaps or not at:
        return ((at, value),) if at else ()
    found = []
    for low, high in kept_ranges(at[0], at[-1], gaps):
        inside = range(bisect_right(at, low), bisect_left(at, high))
        places = (low, *(at[position] for position in inside), high)
        found.append((places, tuple(interpolate(place, at, value) for place in places)))
    return tuple(found)


def pinched(
    at: Numbers, lower: Numbers, upper: Numbers, gaps: Ranges
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Make a band that has no height across gaps: it is drawn as one shape, of which nothing is seen there.

    Examples
    --------
    >>> pinched((0.0, 4.0), (0.0, 0.0), (2.0, 2.0), ((1.0, 3.0),))[1:]
    ((0.0, 0.0, 1.0, 1.0, 0.0, 0.0), (2.0, 2.0, 1.0, 1.0, 2.0, 2.0))
    """
    lows, highs = pieces(at, lower, gaps), pieces(at, upper, gaps)
    columns: tuple[list[float], list[float], list[float]] = ([], [], [])
    for count, ((places, low), (_, high)) in enumerate(zip(lows, highs, strict=True)):
        first, last = (low[0] + high[0]) / 2, (low[-1] + high[-1]) / 2
        opened, closed = count > 0, count < len(lows) - 1
        columns[0].extend((*places[:1] * opened, *places, *places[-1:] * closed))
        columns[1].extend((*[first] * opened, *low, *[last] * closed))
        columns[2].extend((*[first] * opened, *high, *[last] * closed))
    return tuple(columns[0]), tuple(columns[1]), tuple(columns[2])


def interpolate(at: float, positions: Sequence[float], values: Sequence[float]) -> float:
    """Return the value of a line at a position; beyond its ends, that of the end.

    Examples
    --------
    >>> interpolate(1.5, (1.0, 2.0), (10.0, 20.0))
    15.0
    """
    after = bisect_left(positions, at)
    if after == 0 or after == len(positions):
        return values[min(after, len(values) - 1)]
    left, right = positions[after - 1], positions[after]
    share = (at - left) / (right - left) if right > left else 0.0
    return values[after - 1] + (values[after] - values[after - 1]) * share
