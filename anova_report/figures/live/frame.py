"""What stands around the data of a live plot, as plain data: ranges, names of positions, labels, size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from anova_report.figures.kinds import Axis
from anova_report.figures.live.words import Tip, plain
from anova_report.figures.style import SMALL
from anova_report.figures.svg.axes import NAMES
from anova_report.figures.svg.scales import scale
from anova_report.figures.svg.text import clean, shorten, width

Names: TypeAlias = tuple[tuple[float, str], ...]
MILLISECONDS = 1000.0  # bokeh counts time in them
NAME_HEIGHT = 13.0  # pixels between level names
SLANTED = 84.0  # the longest level name at an angle
DIGITS = 4  # of what is drawn, over the length of an axis: more cannot be seen, and a page holds many numbers


@dataclass(frozen=True)
class Side:
    """One axis of a plot.

    Parameters
    ----------
    label : str
    low, high : float
        Between these the axis is drawn; time in milliseconds.
    start, end : float
        What the plot shows, from left to right or from the bottom up; it may be more than the axis, and may fall.
    names : tuple of (position, text), or None
        Ticks that have names; None for numbers.
    time : bool
    slanted : bool
        Whether names need to be written at an angle.
    percent : bool
        Whether numbers are shares.
    """

    label: str
    low: float
    high: float
    start: float
    end: float
    names: Names | None = None
    time: bool = False
    slanted: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Frame:
    """All that stands around the data of one plot.

    Parameters
    ----------
    x, y : Side
    size : pair of int
        Width and height in pixels, those of the static twin.
    borders : four floats
        Least pixels left of, above, right of and below the data.
    strip : float
        How many times as high as the strip below the data, if there is one, the whole plot is.
    limits : pair of floats or None
        Ends of the scale of colours.
    note : str
        Words below the plot, where its kind has them.
    legend : bool
        Whether marks need words.
    tips : dict of str to Tip
        What is said under the pointer where that depends on the axes, by the names of the tools that say it.
    """

    x: Side
    y: Side
    size: tuple[int, int]
    borders: tuple[float, float, float, float] = (8, 8, 8, 8)
    strip: float = 0.0
    limits: tuple[float, float] | None = None
    note: str = ""
    legend: bool = False
    tips: dict[str, Tip] = field(default_factory=dict)


def side(axis: Axis, pixels: float = 0.0) -> Side:
    """Return one side of a plot that shows an axis, so many pixels long if it is the horizontal one."""
    unit = MILLISECONDS if axis.time else 1.0
    found = scale(axis.low * unit, axis.high * unit, 0.0, 1.0)
    names, slanted = _level_names(axis, pixels) if axis.levels else (None, False)
    return Side(plain(axis.label), found.low, found.high, found.low, found.high, names, axis.time, slanted)


def named(words: Sequence[str], room: float) -> Names:
    """Name the positions 0, 1, …, each within `room` pixels."""
    return tuple((float(position), plain(shorten(clean(name), room, SMALL))) for position, name in enumerate(words))


def listed(words: Sequence[str], room: float) -> Side:
    """Return the vertical side of a list that is read from the top."""
    end = max(len(words), 1) - 0.5
    return Side("", -0.5, end, end, -0.5, named(words, room))


def widened(found: Side, before: float = 0.0, after: float = 0.0) -> Side:
    """Show more than the axis: so many times its length before and after it."""
    length = found.high - found.low
    return replace(found, start=found.low - before * length, end=found.high + after * length)


def along(axis: Axis, values: Sequence[float]) -> list[float]:
    """Write values as positions along the side of an axis, with as many digits as can be seen."""
    unit = MILLISECONDS if axis.time else 1.0
    return rounded([value * unit for value in values], (axis.high - axis.low) * unit)


def rounded(values: Sequence[float], span: float) -> list[float]:
    """Round to what can be seen over a range.

    Examples
    --------
    >>> rounded([0.123456789, 12.0], 10.0)
    [0.123, 12.0]
    """
    decimals = DIGITS - math.floor(math.log10(span)) if span > 0 else 15
    return [round(value, decimals) + 0.0 for value in values]  # no negative zeros


def _level_names(axis: Axis, pixels: float) -> tuple[Names, bool]:
    """Name levels: beside an upright axis, and below another one side by side or, where there is no room, slanted."""
    each = pixels / len(axis.levels) if pixels else NAME_HEIGHT
    slanted = bool(pixels) and (each < 48 or any(width(clean(name), SMALL) > each - 8 for name in axis.levels))
    step = math.ceil(NAME_HEIGHT / each) if slanted else 1
    return named(axis.levels, SLANTED if slanted else NAMES)[::step], slanted
