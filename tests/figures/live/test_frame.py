import math

import pytest

from anova_report.figures.kinds import Axis
from anova_report.figures.live.frame import NAME_HEIGHT, along, listed, named, rounded, side, widened
from tests.figures.samples import DAY, LONG, NEW_YEAR, TEX


def test_a_side_shows_what_the_axis_shows():
    found = side(Axis("MedInc", 0.5, 15.0))
    assert (found.label, found.low, found.high, found.start, found.end) == ("MedInc", 0.5, 15.0, 0.5, 15.0)
    assert found.names is None
    assert not found.time


def test_time_is_counted_in_milliseconds():
    axis = Axis("sold", NEW_YEAR, NEW_YEAR + DAY, time=True)
    assert (side(axis).low, side(axis).high) == (1000 * NEW_YEAR, 1000 * (NEW_YEAR + DAY))
    assert along(axis, [NEW_YEAR]) == [1000 * NEW_YEAR]
    assert side(axis).time


def test_an_axis_without_length_is_shown_with_room_on_both_sides():
    found = side(Axis("constant", 3.0, 3.0))
    assert found.low < 3.0 < found.high
    assert math.isclose((found.low + found.high) / 2, 3.0)


def test_levels_are_named_where_they_stand():
    found = side(Axis("weather", -0.5, 1.5, levels=("clear", TEX)))
    assert [position for position, _ in found.names] == [0.0, 1.0]
    assert found.names[0][1] == "clear"
    assert "$$" not in found.names[1][1]


def test_a_list_is_read_from_the_top():
    found = listed(("first", "second", "third"), 100)
    assert (found.start, found.end) == (2.5, -0.5)
    assert found.names == ((0.0, "first"), (1.0, "second"), (2.0, "third"))


def test_an_empty_list_still_has_a_range():
    found = listed((), 100)
    assert found.start != found.end


def test_names_are_cut_to_their_room():
    ((_, name),) = named((LONG,), 80)
    assert name.endswith("…")
    assert len(name) < 20


@pytest.mark.parametrize(("pixels", "slanted"), [(400.0, False), (60.0, True)])
def test_names_below_an_axis_are_slanted_where_they_do_not_fit_side_by_side(pixels, slanted):
    axis = Axis("weather", -0.5, 2.5, levels=("clear", "light rain", "heavy rain"))
    assert side(axis, pixels).slanted is slanted


def test_names_beside_an_upright_axis_are_never_slanted():
    assert not side(Axis("weather", -0.5, 0.5, levels=(LONG,))).slanted


def test_of_many_levels_only_as_many_are_named_as_there_is_room_for():
    axis = Axis("town", -0.5, 199.5, levels=tuple(f"town {k}" for k in range(200)))
    found = side(axis, 400.0)
    assert len(found.names) <= 400 / NAME_HEIGHT
    assert found.names[1] == (7.0, "town 7")


def test_a_widened_side_shows_more_but_draws_the_same_axis():
    found = widened(side(Axis("x", 10.0, 20.0)), before=0.1, after=0.5)
    assert (found.start, found.low, found.high, found.end) == (9.0, 10.0, 20.0, 25.0)


@pytest.mark.parametrize("span", [1e-7, 0.02, 1.0, 730.0, 4e9])
def test_rounding_moves_nothing_by_more_than_a_ten_thousandth_of_the_axis(span):
    values = [span * share for share in (0.0, 0.123456789, 0.5, 0.987654321)]
    for value, found in zip(values, rounded(values, span), strict=True):
        assert abs(value - found) <= span / 1e4


def test_rounding_leaves_short_numbers():
    assert rounded([0.123456789, -0.0], 1.0) == [0.1235, 0.0]
    assert str(rounded([-1e-9], 1.0)[0]) == "0.0"


def test_without_a_range_numbers_stay_what_they_are():
    assert rounded([1.25, 2.5], 0.0) == [1.25, 2.5]
