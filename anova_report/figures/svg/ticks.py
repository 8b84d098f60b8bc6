"""Round numbers and dates along an axis, and how they are written."""

import math
from dataclasses import dataclass
from itertools import pairwise

from anova_report.figures.svg.dates import round_dates
from anova_report.figures.svg.scales import Scale
from anova_report.figures.svg.text import width

PLAIN = (1e-4, 1e7)  # sizes between these are written without an exponent
MOST = 20


@dataclass(frozen=True)
class Tick:
    """A value on an axis and its text."""

    at: float
    text: str


def ticks(scale: Scale, *, size: float, time: bool = False, most: int = 6) -> tuple[Tick, ...]:
    """Return as many round ticks as have room along a horizontal scale when written in a font of `size`."""
    room = abs(scale.end - scale.start)
    for count in range(most, 1, -1):
        found = _round(scale, count, time)
        if sum(width(tick.text, size) + 16 for tick in found) <= room:
            return found
    return _round(scale, 1, time)[:1]


def upright_ticks(scale: Scale, *, time: bool = False, apart: float = 36.0) -> tuple[Tick, ...]:
    """Return round ticks along a vertical scale, about `apart` pixels from each other."""
    return _round(scale, max(2, min(8, int(abs(scale.end - scale.start) / apart))), time)


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


def _round(scale: Scale, count: int, time: bool) -> tuple[Tick, ...]:
    dates = round_dates(scale.low, scale.high, count) if time else ()
    if dates:
        return tuple(Tick(*date) for date in dates)
    tries = (round_numbers(scale.low, scale.high, tried) for tried in range(count, count + 5))
    values = next((found for found in tries if len(found) > 1), (scale.low, scale.high))
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
