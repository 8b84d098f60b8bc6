"""Axes and values along them: rounded without losing rows, written so that values can be told apart."""

import numpy as np
import pytest

from anova_report.core.input.features import UNSEEN, Feature
from anova_report.figures import columns
from anova_report.figures.columns import axes
from anova_report.figures.columns.axes import rounded, shown_range, value_axis, value_text
from anova_report.figures.kinds import Axis

NUMBER = Feature("x", "numeric")
DATE = Feature("sold", "datetime")


def test_a_heavy_tail_is_cut_off():
    column = np.exp(3 * np.random.default_rng(0).normal(size=20_000))
    low, high = shown_range(column, 0.005)
    assert high < column.max() / 5
    assert ((column >= low) & (column <= high)).mean() == pytest.approx(0.99, abs=0.001)


def test_a_light_tail_is_shown_to_its_end():
    column = np.random.default_rng(0).uniform(size=2000)
    assert shown_range(column, 0.005) == (column.min(), column.max())


def test_a_range_in_which_most_rows_are_equal_is_shown_whole():
    column = np.r_[np.zeros(9990), np.arange(1.0, 11.0)]
    assert shown_range(column, 0.005) == (0.0, 10.0)


@pytest.mark.parametrize(
    ("origin", "scale"), [(0.0, 1e-8), (0.0, 1.0), (0.0, 12345.678), (0.0, 1e9), (1.3e9, 1.0), (1.3e9, 1e6)]
)
def test_an_axis_along_numbers_holds_what_it_was_made_for_and_little_more(origin, scale):
    rng = np.random.default_rng(0)
    for low, width in zip(origin + scale * rng.normal(size=50), scale * rng.uniform(0.1, 1, size=50), strict=True):
        axis = axes.number_axis(NUMBER, low, low + width)
        assert axis.low <= low
        assert axis.high >= low + width
        assert axis.high - axis.low <= width * 1.001


def test_an_axis_of_one_value_has_room_around_it():
    for value in (0.0, 5.0, -3e6):
        axis = axes.number_axis(NUMBER, value, value)
        assert axis.low < value < axis.high
        other = value_axis("answer", np.full(4, value))
        assert other.low < value < other.high


def test_an_axis_of_effects_holds_zero():
    assert value_axis("effect", np.array([2.0, 3.0]), origin=True).low < 0
    assert value_axis("answer", np.array([2.0, 3.0])).low > 1.5


def test_dates_and_durations_say_what_their_numbers_are():
    assert axes.number_axis(DATE, 0.0, 1e6).time
    assert axes.number_axis(Feature("wait", "duration"), 0.0, 10.0).label == "wait (seconds)"
    assert not axes.number_axis(NUMBER, 0.0, 1.0).time


def test_rounding_keeps_five_digits_of_the_largest():
    values = 1000 * np.random.default_rng(0).normal(size=100)
    assert np.abs(np.array(rounded(values)) - values).max() <= np.abs(values).max() * 1e-4


def test_rounding_over_a_range_keeps_dates_apart():
    days = 1.6e9 + 86_400.0 * np.arange(700)
    assert len(set(rounded(days, float(np.ptp(days))))) == 700


def test_rounding_never_writes_a_negative_zero():
    assert str(rounded(np.array([-1e-9, 1.0]))[0]) == "0.0"


def test_rounding_survives_the_smallest_and_largest_numbers():
    for values in ([5e-324, 0.0], [1e300, -1e300], [0.0, 0.0], []):
        assert np.isfinite(rounded(np.array(values))).all()


@pytest.mark.parametrize(
    ("value", "span", "text"),
    [
        (8.3252, 9.0, "8.33"),
        (8.0, 9.0, "8"),
        (37.85, 9.4, "37.85"),
        (1425.0, 5000.0, "1425"),
        (20640.0, 50_000.0, "20,640"),
        (-122.257, 10.0, "−122.3"),
        (-0.0001, 50.0, "0"),
        (2011.0, 0.0, "2,011"),
        (0.000012, 0.00003, "1.2e−5"),
        (4.2e11, 1e12, "4.2e11"),
    ],
)
def test_numbers_are_written_as_finely_as_they_differ(value, span, text):
    assert value_text(NUMBER, value, span) == text


def test_values_of_every_kind_are_written_in_words():
    size = Feature("size", "ordinal", ("s", "m", "l"))
    assert value_text(size, 2.0) == "l"
    assert value_text(size, np.nan) == axes.MISSING
    assert value_text(size, UNSEEN) == axes.NOT_SEEN
    assert value_text(Feature("member", "boolean"), 1.0) == "True"
    assert value_text(Feature("wait", "duration"), 90.0, 300.0) == "90 s"


def test_dates_are_written_as_dates_and_close_ones_with_the_time():
    noon = 1_577_880_000.0  # 2020-01-01 12:00
    assert value_text(DATE, noon, 1e8) == "2020-01-01"
    assert value_text(DATE, noon, 3600.0) == "2020-01-01 12:00:00"
    assert value_text(DATE, -1.0, 1e8) == "1969-12-31"


def test_labels_say_what_one_unit_is(known, mixed):
    assert axes.effect_label(known.dec, 0) == "effect on the answer"
    assert axes.effect_label(mixed.dec, 1) == "effect on the answer of answer 1"


def test_main_effects_can_share_one_axis(mixed):
    figures = tuple(columns.main_effect(mixed.rows, index) for index in (0, 2, 3))
    shared = columns.on_shared_axis(figures)
    assert len({figure.data.y for figure in shared}) == 1
    assert shared[0].data.y.low == min(figure.data.y.low for figure in figures)
    assert shared[0].data.y.high == max(figure.data.y.high for figure in figures)
    assert [figure.data.value for figure in shared] == [figure.data.value for figure in figures]
    assert columns.on_shared_axis(()) == ()


def test_only_main_effects_share_an_axis(known):
    with pytest.raises(TypeError, match="Only main effects"):
        columns.on_shared_axis((columns.shares_figure(known.dec),))


def test_a_given_axis_of_effects_is_used(known):
    wanted = Axis("effect", -9.0, 9.0)
    assert columns.main_effect(known.rows, "a", y=wanted).data.y == wanted
