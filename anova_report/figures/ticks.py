"""Values along an axis: round ones for its ticks, and how any of them is written."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from anova_report.figures.dates import round_dates
from anova_report.figures.geometry import Axis
from anova_report.figures.style import SMALL
from anova_report.figures.text import width
from anova_report.measures.wording import number

PLAIN = (1e-4, 1e7)  # sizes between these are written without an exponent
MOST = 20
APART = 36.0  # pixels between ticks of an upright axis
DAY = 86_400.0
MOST_PLACES = 7  # values of smaller ranges are written with powers of ten
LARGEST_PLAIN = 1e12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Tick:
    """A value on an axis and its text."""

    at: float
    text: str


def ticks(
    low: float, high: float, pixels: float, *, time: bool = False, percent: bool = False, most: int = 6
) -> tuple[Tick, ...]:
    """Return as many round ticks between two values as have room, written side by side in so many pixels."""
    for count in range(most, 1, -1):
        found = _round(low, high, count, time, percent)
        if sum(width(tick.text, SMALL) + 16 for tick in found) <= pixels:
            return found
    return _round(low, high, 1, time, percent)[:1]


def upright_ticks(low: float, high: float, pixels: float, *, time: bool = False) -> tuple[Tick, ...]:
    """Return round ticks between two values, written below each other."""
    return _round(low, high, max(2, min(8, int(pixels / APART))), time, percent=False)


def round_numbers(low: float, high: float, count: int) -> tuple[float, ...]:
    """Return about `count` multiples of 1, 2 or 5 times a power of ten between two numbers.

    Examples
    --------
    >>> round_numbers(-0.3, 1.2, 4)
    (0.0, 0.5, 1.0)
    """
    step = _step((high - low) / max(count, 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first > MOST or (last > first and first * step == (first + 1) * step):
        return (low, high)
    return tuple(_multiple(position, step) for position in range(first, last + 1))


def write_numbers(values: tuple[float, ...]) -> tuple[str, ...]:
    """Write ticks alike: as many decimals as their step needs, or powers of ten where sizes are extreme.

    Examples
    --------
    >>> write_numbers((-0.5, 0.0, 0.5)), write_numbers((0.0, 2e-12)), write_numbers((0.0, 20_000.0))
    (('−0.5', '0', '0.5'), ('0', '2e−12'), ('0', '20,000'))
    """
    largest = max(map(abs, values), default=0.0)
    steps = (abs(after - before) for before, after in pairwise(values))
    step = min(filter(None, steps), default=largest or 1.0)
    if step >= PLAIN[0] and (largest < PLAIN[1] or largest / step > 1e3):
        return tuple(_signed(f"{value:,.{_decimals(step)}f}") if value else "0" for value in values)
    return tuple(_power(value, step) for value in values)


def axis_text(axis: Axis, value: float) -> str:
    """Write a value on an axis: a level's name, a date, or a number with digits that tell its neighbours apart.

    Examples
    --------
    >>> axis_text(Axis("weather", -0.5, 1.5, levels=("clear", "rain")), 1.0)
    'rain'
    >>> axis_text(Axis("sold", 1.7e9, 1.71e9, time=True), 1_704_067_200.0), axis_text(Axis("x", 30.0, 31.0), 30.1234)
    ('2024-01-01', '30.123')
    """
    if axis.levels:
        return axis.levels[min(max(round(value), 0), len(axis.levels) - 1)]
    span = abs(axis.high - axis.low)
    if axis.time:
        return _moment(value, span)
    decimals = places(span)
    if decimals > MOST_PLACES or span >= LARGEST_PLAIN:
        return number(value)
    return f"{value:,.{decimals}f}".replace("-", "−")


def places(span: float) -> int:
    """Count the decimals that tell numbers apart over a range.

    Examples
    --------
    >>> places(14.5), places(0.02), places(5e6)
    (2, 5, 0)
    """
    return max(0, 3 - math.floor(math.log10(span))) if span > 0 else 3


def _round(low: float, high: float, count: int, time: bool, percent: bool) -> tuple[Tick, ...]:
    dates = round_dates(low, high, count) if time else ()
    if dates:
        return tuple(Tick(*date) for date in dates)
    if percent:
        return tuple(Tick(tick.at / 100, f"{tick.text}%") for tick in _round(100 * low, 100 * high, count, time, False))
    tries = (round_numbers(low, high, tried) for tried in range(count, count + 5))
    values = next((found for found in tries if len(found) > 1), (low, high))
    return tuple(Tick(*pair) for pair in zip(values, write_numbers(values), strict=True))


def _step(rough: float) -> float:
    size = 10.0 ** math.floor(math.log10(max(rough, 1e-300)))
    return next((size * factor for factor in (1, 2, 5) if size * factor >= rough * 0.999), size * 10)


def _multiple(position: int, step: float) -> float:
    # Dividing by a whole number keeps 0.3 from becoming 0.30000000000000004.
    return position / round(1 / step) if 1e-15 < step < 1 else position * step


def _decimals(step: float) -> int:
    return max(0, math.ceil(-math.log10(step) - 1e-9))


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _power(value: float, step: float) -> str:
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-12)
    digits = min(max(0, exponent - math.floor(math.log10(step) + 1e-9)), 3)
    return _signed(f"{round(value / 10.0**exponent, digits):g}e{exponent}")


def _moment(value: float, span: float) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=value)
    except OverflowError:
        return number(value)
    return f"{moment:%Y-%m-%d}" if span >= 2 * DAY else f"{moment:%Y-%m-%d %H:%M:%S}"
