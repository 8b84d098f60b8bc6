"""Shapes as path data: absolute starts, then steps from point to point in tenths of a pixel, which keeps them short."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


def polyline(points: Iterable[Point]) -> str:
    """Return a line through points; a single one becomes a dot where line ends are round.

    Examples
    --------
    >>> polyline([(10, 20), (11.5, 19), (12, 19)])
    'M10 20l1.5-1 .5 0'
    """
    rounded = [_tenths(point) for point in points]
    if not rounded:
        return ""
    return f"M{_joined(rounded[0])}l{_joined(_steps(rounded)) or '0 0'}"


def area(upper: Sequence[Point], lower: Sequence[Point]) -> str:
    """Return what lies between two lines."""
    line = polyline((*upper, *reversed(lower)))
    return line and line + "z"


def vertices(points: Iterable[Point]) -> str:
    """Return points to be shown by markers, from left to right, which keeps the steps between them short.

    Examples
    --------
    >>> vertices([(3, 1), (1, 1), (1, 1)])
    'M1 1l0 0 2 0'
    """
    rounded = sorted(_tenths(point) for point in points)
    if not rounded:
        return ""
    steps = [part for (a, b), (c, d) in pairwise(rounded) for part in (c - a, d - b)]
    return f"M{_joined(rounded[0])}l{_joined(steps) or '0 0'}"


def box(left: float, top: float, right: float, bottom: float) -> str:
    """Return a rectangle.

    Examples
    --------
    >>> box(1, 2, 11, 5)
    'M1 2h10v3h-10z'
    """
    (a, b), (c, d) = _tenths((left, top)), _tenths((right, bottom))
    return f"M{_joined((a, b))}h{_tenth(c - a)}v{_tenth(d - b)}h{_tenth(a - c)}z"


def stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return one straight line, to be joined with others into one path."""
    return polyline(((x1, y1), (x2, y2)))


def mark(shape: str, x: float, y: float, reach: float) -> str:
    """Return the outline of a shape around a point, to be joined with others.

    Examples
    --------
    >>> mark("tick", 10, 10, 8), mark("cross", 10, 10, 4)
    ('M10 2l0 16', 'M6 6l8 8M6 14l8-8')
    """
    low, high = y - reach, y + reach
    match shape:
        case "tick" | "dash":
            return stroke(x, low, x, high)
        case "cross":
            return stroke(x - reach, low, x + reach, high) + stroke(x - reach, high, x + reach, low)
        case "diamond":
            return polyline(((x, low), (x + reach, y), (x, high), (x - reach, y))) + "z"
        case _:
            return polyline(((x, low), (x + reach, high), (x - reach, high))) + "z"


def _tenths(point: Point) -> tuple[int, int]:
    return round(point[0] * 10), round(point[1] * 10)


def _steps(rounded: Sequence[tuple[int, int]]) -> list[int]:
    steps: list[int] = []
    for (a, b), (c, d) in pairwise(rounded):
        if (a, b) != (c, d):
            steps += (c - a, d - b)
    return steps


def _joined(tenths: Iterable[int]) -> str:
    return " ".join(map(_tenth, tenths)).replace(" -", "-")


@cache
def _tenth(value: int) -> str:
    whole, part = divmod(abs(value), 10)
    sign = "-" if value < 0 else ""
    if not part:
        return f"{sign}{whole}" if whole else "0"
    return f"{sign}{whole or ''}.{part}"
