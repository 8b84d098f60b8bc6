"""Values along an axis: round ones for its ticks, and how any of them is written."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from anova_report.figures.geometry import Axis
from anova_report.figures.style import SMALL
from anova_report.figures.text import width
from anova_report.measures.wording import exponential, factor, factor_words, number, signed

PLAIN = (1e-4, 1e7)  # sizes between these are written without an exponent
MOST = 20
APART = 36.0  # pixels between ticks of an upright axis
DAY, YEAR = 86_400.0, 31_556_952.0  # seconds
# Distances between dates: whole parts of a day, days, then months and years, which the calendar makes uneven.
SECONDS = (
    1,
    5,
    15,
    30,
    *(60 * minutes for minutes in (1, 5, 15, 30, 60, 180, 360, 720)),
    *(DAY * n for n in (1, 2, 7, 14)),
)
MONTHS = (1, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)))
# Not from the system's locale: the same figure must give the same bytes everywhere.
MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOST_PLACES = 7  # values of smaller ranges are written with powers of ten
LARGEST_PLAIN = 1e12
LOG_TEN = math.log(10)
SIZES = (
    (1, 2, 5),
    (1, 3),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 2, 3, 4, 6, 8),
)  # of ticks along logarithms, times powers of ten
LINEAR = 0.7  # logarithms over a shorter range have ticks at equal steps of the numbers: these hardly double
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Tick:
    """A value on an axis and its text."""

    at: float
    text: str


def ticks(axis: Axis, pixels: float, *, percent: bool = False, most: int = 6) -> tuple[Tick, ...]:
    """Return as many round ticks along an axis as have room, written side by side in so many pixels."""
    for count in range(most, 1, -1):
        found = _round(axis, count, percent)
        if sum(width(tick.text, SMALL) + 16 for tick in found) <= pixels:
            return found
    return _round(axis, 1, percent)[:1]


def upright_ticks(axis: Axis, pixels: float, *, percent: bool = False) -> tuple[Tick, ...]:
    """Return round ticks along an axis, written below each other."""
    return _round(axis, max(2, min(8, int(pixels / APART))), percent)


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


def round_dates(low: float, high: float, count: int) -> tuple[Tick, ...]:
    """Return about `count` round moments between two, in universal time; none where the numbers are no dates.

    Examples
    --------
    >>> [tick.text for tick in round_dates(1_704_067_200, 1_735_689_600, 4)]
    ['Jan 2024', 'Apr 2024', 'Jul 2024', 'Oct 2024', 'Jan 2025']
    """
    wanted = (high - low) * 0.99 / max(count, 1)
    step = next((step for step in SECONDS if step >= wanted), None)
    try:
        if step is not None:
            moments = (
                _EPOCH + timedelta(seconds=at * step) for at in range(math.ceil(low / step), int(high // step) + 1)
            )
            return tuple(Tick((moment - _EPOCH).total_seconds(), _clock(moment, step)) for moment in moments)
        return tuple(_months(_EPOCH + timedelta(seconds=low), _EPOCH + timedelta(seconds=high), wanted))
    except (OverflowError, ValueError):  # before year 1, or after 9999
        return ()


def _clock(moment: datetime, step: float) -> str:
    """Write a time of day; midnight is where a new day begins."""
    if step < 60:
        return f"{moment:%H:%M:%S}"
    if step < DAY and (moment.hour or moment.minute):
        return f"{moment:%H:%M}"
    return f"{moment.day} {MONTH_NAMES[moment.month - 1]}"


def _months(start: datetime, end: datetime, wanted: float) -> Iterator[Tick]:
    step = next((step for step in MONTHS if step * YEAR / 12 >= wanted), MONTHS[-1])
    first, last = (12 * moment.year + moment.month - 1 for moment in (start, end))
    for at in range(first // step * step, last + 1, step):
        if at < 12:
            continue  # there is no year 0
        moment = datetime(at // 12, at % 12 + 1, 1, tzinfo=UTC)
        if moment >= start:
            text = str(moment.year) if step >= 12 else f"{MONTH_NAMES[moment.month - 1]} {moment.year}"
            yield Tick((moment - _EPOCH).total_seconds(), text)


def axis_text(axis: Axis, value: float) -> str:
    """Write a value on an axis: a level's name, a date, or a number with digits that tell its neighbors apart.

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
    if axis.log:
        return factor(value) if axis.log == "factors" else number(exponential(value))
    decimals = places(span)
    if decimals > MOST_PLACES or span >= LARGEST_PLAIN:
        return number(value)
    return f"{value:,.{decimals}f}".replace("-", "−")


def effect_text(axis: Axis, value: float) -> str:
    """Write an effect: with its sign or, along an axis of factors, as a factor.

    Examples
    --------
    >>> effect_text(Axis("effect", -1.0, 1.0), 0.25), effect_text(Axis("factor", -1.0, 1.0, log="factors"), 0.25)
    ('+0.25', '× 1.28 (+28%)')
    """
    return factor_words(value) if axis.log else signed(value)


def bound_text(axis: Axis, value: float) -> str:
    """Write an effect where there is little room: a factor without what it is in percent.

    Examples
    --------
    >>> bound_text(Axis("factor", -1.0, 1.0, log="factors"), 0.25)
    '× 1.28'
    """
    return factor(value) if axis.log else signed(value)


def places(span: float) -> int:
    """Count the decimals that tell numbers apart over a range.

    Examples
    --------
    >>> places(14.5), places(0.02), places(5e6)
    (2, 5, 0)
    """
    return max(0, 3 - math.floor(math.log10(span))) if span > 0 else 3


def round_logarithms(low: float, high: float, count: int, sign: str = "") -> tuple[Tick, ...]:
    """Return about `count` logarithms of round numbers between two, evenly spread; the sign stands before each.

    Examples
    --------
    >>> [tick.text for tick in round_logarithms(-1.0, 1.2, 4)], [tick.text for tick in round_logarithms(-9, 9, 4)]
    (['0.5', '1', '2'], ['0.01', '1', '100'])
    >>> [tick.text for tick in round_logarithms(-0.05, 0.12, 4, "× ")]
    ['× 1.00', '× 1.05', '× 1.10']
    """
    ends = exponential(low), exponential(high)
    first, last = math.floor(low / LOG_TEN), math.ceil(high / LOG_TEN)
    tries: list[list[float]] = []
    if last - first <= MOST:
        tries = [[size * 10.0**power for power in range(first, last + 1) for size in sizes] for sizes in SIZES]
    tries += [
        [10.0**power for power in range(first, last + 1) if power % step == 0] for step in (1, 2, 3, 5, 10, 20, 50, 100)
    ]
    is_short = high - low < LINEAR
    if is_short:
        tries[:0] = [[*round_numbers(*ends, tried)] for tried in range(count, count + 4)]
    fitting = ([value for value in each if ends[0] <= value <= ends[1]] for each in tries)
    able = [found for found in fitting if 1 < len(found) <= count + 1]
    # A factor of 1 changes nothing: where it is in sight, it has a tick.
    with_one = [found for found in able if not sign or low > 0 or high < 0 or 1.0 in found] or able or [[*ends]]
    values = next((found for found in with_one if len(found) > 2), with_one[0])
    texts = write_numbers(tuple(values)) if is_short else [number(value) for value in values]
    return tuple(Tick(math.log(value), sign + text) for value, text in zip(values, texts, strict=True) if value > 0)


def _round(axis: Axis, count: int, percent: bool) -> tuple[Tick, ...]:
    low, high = axis.span
    if axis.log:
        return round_logarithms(low, high, count, "× " if axis.log == "factors" else "")
    dates = round_dates(low, high, count) if axis.time else ()
    if dates:
        return dates
    if percent:
        shares = _round(replace(axis, low=100 * low, high=100 * high), count, False)
        return tuple(Tick(tick.at / 100, f"{tick.text}%") for tick in shares)
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
