"""Whole years, months, days and hours along an axis of seconds since 1970, in universal time."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MOST = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY, _YEAR = 86_400.0, 31_556_952.0
# Not from the system's locale: the same figure must give the same bytes everywhere.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class _Step:
    """A distance between ticks: about how long, the tick at or before a moment, the next one, how it is written."""

    seconds: float
    floor: Callable[[datetime], datetime]
    following: Callable[[datetime], datetime]
    text: Callable[[datetime], str]


def round_dates(low: float, high: float, count: int) -> tuple[tuple[float, str], ...]:
    """Return about `count` round moments between two, with their text; none where the numbers are no dates.

    Examples
    --------
    >>> [text for _, text in round_dates(1_704_067_200, 1_735_689_600, 4)]
    ['Jan 2024', 'Apr 2024', 'Jul 2024', 'Oct 2024', 'Jan 2025']
    """
    found: list[tuple[float, str]] = []
    with suppress(OverflowError, ValueError):  # before year 1, or after 9999, there are no more
        found.extend(_between(low, high, count))
    return tuple(found)


def date_text(seconds: float) -> str:
    """Write one moment as a date; where it is none, nothing.

    Examples
    --------
    >>> date_text(1_704_067_200)
    '1 Jan 2024'
    """
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    return f"{_day(moment)} {moment.year}"


def _between(low: float, high: float, count: int) -> Iterator[tuple[float, str]]:
    start, end = _EPOCH + timedelta(seconds=low), _EPOCH + timedelta(seconds=high)
    step = next((step for step in _STEPS if step.seconds * count >= (high - low) * 0.99), _STEPS[-1])
    moment = step.floor(start)
    for _ in range(MOST):
        if moment > end:
            return
        if moment >= start:
            yield (moment - _EPOCH).total_seconds(), step.text(moment)
        moment = step.following(moment)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _clock(seconds: float, text: Callable[[datetime], str]) -> _Step:
    def floor(moment: datetime) -> datetime:
        passed = (moment - _midnight(moment)).total_seconds()
        return _midnight(moment) + timedelta(seconds=passed // seconds * seconds)

    return _Step(seconds, floor, lambda moment: moment + timedelta(seconds=seconds), text)


def _days(days: int) -> _Step:
    def floor(moment: datetime) -> datetime:
        return _midnight(moment) - timedelta(days=(moment - _EPOCH).days % days)

    return _Step(days * _DAY, floor, lambda moment: moment + timedelta(days=days), _day)


def _months(months: int) -> _Step:
    def floor(moment: datetime) -> datetime:
        return datetime(moment.year, (moment.month - 1) // months * months + 1, 1, tzinfo=UTC)

    def following(moment: datetime) -> datetime:
        years, month = divmod(moment.month - 1 + months, 12)
        return datetime(moment.year + years, month + 1, 1, tzinfo=UTC)

    return _Step(months * _YEAR / 12, floor, following, lambda moment: f"{_MONTHS[moment.month - 1]} {moment.year}")


def _years(years: int) -> _Step:
    def floor(moment: datetime) -> datetime:
        return datetime(max(1, moment.year // years * years), 1, 1, tzinfo=UTC)

    def following(moment: datetime) -> datetime:
        return datetime(moment.year // years * years + years, 1, 1, tzinfo=UTC)

    return _Step(years * _YEAR, floor, following, lambda moment: str(moment.year))


def _second(moment: datetime) -> str:
    return f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"


def _minute(moment: datetime) -> str:
    """Write a time of day; midnight is where a new day begins."""
    return f"{moment.hour:02}:{moment.minute:02}" if moment.hour or moment.minute else _day(moment)


def _day(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month - 1]}"


_STEPS: tuple[_Step, ...] = (
    *(_clock(seconds, _second) for seconds in (1, 5, 15, 30)),
    *(_clock(60.0 * minutes, _minute) for minutes in (1, 5, 15, 30, 60, 180, 360, 720)),
    *(_days(days) for days in (1, 2, 7, 14)),
    *(_months(months) for months in (1, 3, 6)),
    *(_years(years) for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
