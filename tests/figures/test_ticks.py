import math
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from anova_report.figures.geometry import Axis
from anova_report.figures.text import width
from anova_report.figures.ticks import (
    MOST,
    axis_text,
    places,
    round_dates,
    round_numbers,
    ticks,
    upright_ticks,
    write_numbers,
)
from tests.figures.reading import value
from tests.figures.samples import DAY, NEW_YEAR

RANGES = [(0, 1), (-0.37, 1.24), (0, 1e-12), (3e8, 1e9), (-5, 5), (99.2, 99.9), (-1e-5, 1e-5), (0, 20640), (1e6, 9e6)]


@pytest.mark.parametrize(("low", "high"), RANGES)
@pytest.mark.parametrize("count", [2, 4, 6])
def test_ticks_are_multiples_of_one_two_or_five_times_a_power_of_ten(low, high, count):
    found = round_numbers(low, high, count)
    assert all(low - 1e-9 * (high - low) <= at <= high + 1e-9 * (high - low) for at in found)
    for before, after in pairwise(found):
        step = after - before
        leading = step / 10 ** math.floor(math.log10(step) + 1e-9)
        assert min(abs(leading - digit) for digit in (1, 2, 5)) < 1e-6
        assert before / step == pytest.approx(round(before / step), abs=1e-6)


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_there_are_about_as_many_ticks_as_asked_and_never_many_more(low, high):
    assert 2 <= len(round_numbers(low, high, 5)) <= 7


def test_no_tick_carries_dust_of_rounding():
    assert round_numbers(0, 1, 10) == (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def test_numbers_too_close_for_doubles_end_in_the_ends_themselves():
    low, high = 1e16, 1e16 + 4
    assert len(round_numbers(low, high, 50)) <= 20


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.0, 0.05, 0.1), ("0", "0.05", "0.10")),
        ((-1.0, 0.0, 1.0), ("−1", "0", "1")),
        ((0.0, 500_000.0, 1_000_000.0), ("0", "500,000", "1,000,000")),
        ((0.0, 1e9, 2e9), ("0", "1e9", "2e9")),
        ((-5e-6, 0.0, 5e-6), ("−5e−6", "0", "5e−6")),
        ((1_000_000_001.0, 1_000_000_002.0), ("1,000,000,001", "1,000,000,002")),
        ((5e8, 1e9, 1.5e9), ("5e8", "1e9", "1.5e9")),
        ((3.0,), ("3",)),
        ((), ()),
    ],
)
def test_ticks_are_written_alike_with_a_proper_minus(values, texts):
    assert write_numbers(values) == texts


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_what_is_written_is_where_it_stands(low, high):
    for tick in upright_ticks(Axis("x", low, high), 200):
        assert value(tick.text) == pytest.approx(tick.at, rel=1e-3, abs=1e-9 * (high - low))


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_two_ticks_never_read_the_same(low, high):
    found = [tick.text for tick in upright_ticks(Axis("x", low, high), 200)]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(("low", "high"), RANGES)
@pytest.mark.parametrize("room", [60, 150, 400])
def test_words_below_an_axis_do_not_touch(low, high, room):
    for before, after in pairwise(ticks(Axis("x", low, high), room)):
        gap = (after.at - before.at) / (high - low) * room
        assert gap > (width(before.text, 11) + width(after.text, 11)) / 2


def test_an_axis_has_two_ticks_where_there_is_room_so_that_it_can_be_read():
    assert len(upright_ticks(Axis("x", 0, 4408), 56)) >= 2
    assert len(upright_ticks(Axis("x", 0.3, 0.9), 60)) >= 2


def test_an_axis_of_time_is_written_in_dates():
    found = ticks(Axis("x", 0, 86_400 * 730, time=True), 400, most=3)
    assert [tick.text for tick in found] == ["1970", "1971", "1972"]


def test_shares_are_written_in_percent_where_they_stand():
    assert [(tick.at, tick.text) for tick in ticks(Axis("x", 0, 0.4), 400, percent=True, most=2)] == [
        (0.0, "0%"),
        (0.2, "20%"),
        (0.4, "40%"),
    ]


def test_what_is_no_date_is_written_in_numbers():
    assert [tick.text for tick in ticks(Axis("x", 0, 1e15, time=True), 400, most=2)] == ["0", "5e14", "1e15"]


def test_a_position_between_levels_is_that_of_the_nearest():
    axis = Axis("weather", -0.5, 2.5, levels=("clear", "mist", "rain"))
    assert [axis_text(axis, at) for at in (-3.0, 0.4, 1.2, 9.0)] == ["clear", "clear", "mist", "rain"]


def test_dates_over_days_have_no_time_of_day_and_dates_within_one_have():
    assert axis_text(Axis("t", NEW_YEAR, NEW_YEAR + 30 * DAY, time=True), NEW_YEAR) == "2024-01-01"
    assert axis_text(Axis("t", NEW_YEAR, NEW_YEAR + 60, time=True), NEW_YEAR + 61) == "2024-01-01 00:01:01"


def test_a_number_that_is_no_date_is_written_as_a_number():
    assert axis_text(Axis("t", 0.0, 1e30, time=True), 1e30) == "1e30"


@pytest.mark.parametrize(
    ("low", "high", "value", "text"),
    [
        (30.0, 31.0, 30.1234, "30.123"),
        (0.0, 1e-4, 1.25e-5, "0.0000125"),
        (0.0, 1e6, 123456.0, "123,456"),
        (-1.0, 1.0, -0.5, "−0.500"),
        (0.0, 1e-9, 5e-10, "5e−10"),
        (0.0, 1e15, 5e14, "5e14"),
    ],
)
def test_numbers_have_the_digits_that_tell_them_from_their_neighbors(low, high, value, text):
    assert axis_text(Axis("x", low, high), value) == text


@pytest.mark.parametrize("span", [1e-6, 0.3, 1.0, 25.0, 1e5])
def test_two_values_a_five_hundredth_of_the_axis_apart_read_differently(span):
    axis = Axis("x", 0.0, span)
    assert axis_text(axis, span / 2) != axis_text(axis, span / 2 + span / 500)


def test_an_axis_without_length_still_has_digits():
    assert places(0.0) == 3


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("start", "end", "count", "texts"),
    [
        ((2011, 1, 1), (2012, 12, 31), 4, ["Jan 2011", "Jul 2011", "Jan 2012", "Jul 2012"]),
        ((2024, 1, 20), (2024, 4, 10), 3, ["Feb 2024", "Mar 2024", "Apr 2024"]),
        ((2024, 2, 27), (2024, 3, 2), 5, ["27 Feb", "28 Feb", "29 Feb", "1 Mar", "2 Mar"]),
        ((2024, 5, 5, 22), (2024, 5, 6, 3), 5, ["22:00", "23:00", "6 May", "01:00", "02:00", "03:00"]),
        ((2024, 5, 5, 9, 0, 0), (2024, 5, 5, 9, 0, 10), 3, ["09:00:00", "09:00:05", "09:00:10"]),
        ((1900, 1, 1), (2020, 1, 1), 6, ["1900", "1920", "1940", "1960", "1980", "2000", "2020"]),
        ((1960, 1, 1), (1975, 1, 1), 3, ["1960", "1965", "1970", "1975"]),
    ],
)
def test_ticks_are_whole_units_of_the_calendar(start, end, count, texts):
    found = round_dates(at(*start), at(*end), count)
    assert [tick.text for tick in found] == texts


def test_a_tick_of_a_month_stands_on_its_first_day_at_midnight():
    for tick in round_dates(at(2024, 1, 20), at(2024, 12, 10), 12):
        moment = datetime.fromtimestamp(tick.at, UTC)
        assert (moment.day, moment.hour, moment.minute) == (1, 0, 0)


@pytest.mark.parametrize("span", [1.0, 60.0, 3600.0, 86_400.0, 1e7, 1e9, 6e10])
def test_ticks_lie_inside_and_are_never_many(span):
    low = at(2001, 2, 3, 4, 5, 6)
    found = round_dates(low, low + span, 5)
    assert all(low <= tick.at <= low + span for tick in found)
    assert len(found) <= MOST


@pytest.mark.parametrize(("low", "high"), [(-1e15, 1e15), (1e18, 2e18), (-6.3e10, -6.2e10)])
def test_numbers_that_are_no_dates_give_none(low, high):
    assert isinstance(round_dates(low, high, 5), tuple)


def test_the_first_and_the_last_year_that_dates_know_do_not_fail():
    assert round_dates(at(1, 1, 1), at(9999, 12, 31), 5)
