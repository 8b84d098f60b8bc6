from datetime import UTC, datetime

import pytest

from anova_report.figures.dates import MOST, date_text, round_dates


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
    assert [text for _, text in found] == texts


def test_a_tick_of_a_month_stands_on_its_first_day_at_midnight():
    for seconds, _ in round_dates(at(2024, 1, 20), at(2024, 12, 10), 12):
        moment = datetime.fromtimestamp(seconds, UTC)
        assert (moment.day, moment.hour, moment.minute) == (1, 0, 0)


@pytest.mark.parametrize("span", [1.0, 60.0, 3600.0, 86_400.0, 1e7, 1e9, 6e10])
def test_ticks_lie_inside_and_are_never_many(span):
    low = at(2001, 2, 3, 4, 5, 6)
    found = round_dates(low, low + span, 5)
    assert all(low <= seconds <= low + span for seconds, _ in found)
    assert len(found) <= MOST


@pytest.mark.parametrize(("low", "high"), [(-1e15, 1e15), (1e18, 2e18), (-6.3e10, -6.2e10)])
def test_numbers_that_are_no_dates_give_none(low, high):
    assert isinstance(round_dates(low, high, 5), tuple)


def test_the_first_and_the_last_year_that_dates_know_do_not_fail():
    assert round_dates(at(1, 1, 1), at(9999, 12, 31), 5)


def test_a_moment_is_written_as_a_date():
    assert date_text(at(2024, 2, 29, 13)) == "29 Feb 2024"
    assert date_text(at(1969, 7, 20)) == "20 Jul 1969"
    assert date_text(1e300) == ""
