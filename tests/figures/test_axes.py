"""Axes, values along them, and values drawn one by one: rounded without losing rows, written so that they differ."""

import numpy as np
import pytest

from anova_report.core.input.features import UNSEEN, Feature
from anova_report.figures.axes import effect_label, number_axis, rounded, value_axis
from anova_report.figures.level_scales import FEW_VALUES, column_levels, level_scale, pooled_levels
from anova_report.measures.values import MISSING, NOT_SEEN, shown_range, value_text

NUMBER = Feature("x", "numeric")
DATE = Feature("sold", "datetime")
NOMINAL = Feature("color", "nominal", tuple("abcdefgh"))


def test_a_heavy_tail_is_cut_off_and_a_light_one_shown_to_its_end():
    column = np.exp(3 * np.random.default_rng(0).normal(size=20_000))
    low, high = shown_range(column, 0.005)
    assert high < column.max() / 5
    assert ((column >= low) & (column <= high)).mean() == pytest.approx(0.99, abs=0.001)
    column = np.random.default_rng(0).uniform(size=2000)
    assert shown_range(column, 0.005) == (column.min(), column.max())
    assert shown_range(np.r_[np.zeros(9990), np.arange(1.0, 11.0)], 0.005) == (0.0, 10.0)  # most rows are equal


@pytest.mark.parametrize(
    ("origin", "scale"), [(0.0, 1e-8), (0.0, 1.0), (0.0, 12345.678), (0.0, 1e9), (1.3e9, 1.0), (1.3e9, 1e6)]
)
def test_an_axis_along_numbers_holds_what_it_was_made_for_and_little_more(origin, scale):
    rng = np.random.default_rng(0)
    for low, width in zip(origin + scale * rng.normal(size=50), scale * rng.uniform(0.1, 1, size=50), strict=True):
        axis = number_axis(NUMBER, low, low + width)
        assert axis.low <= low
        assert axis.high >= low + width
        assert axis.high - axis.low <= width * 1.001


def test_an_axis_of_one_value_has_room_around_it_and_one_of_effects_holds_zero():
    for value in (0.0, 5.0, -3e6):
        axis = number_axis(NUMBER, value, value)
        assert axis.low < value < axis.high
        other = value_axis("prediction", np.full(4, value))
        assert other.low < value < other.high
    assert value_axis("effect", np.array([2.0, 3.0]), origin=True).low < 0
    assert value_axis("prediction", np.array([2.0, 3.0])).low > 1.5


def test_dates_and_durations_say_what_their_numbers_are():
    assert number_axis(DATE, 0.0, 1e6).time
    assert number_axis(Feature("wait", "duration"), 0.0, 10.0).label == "wait (seconds)"
    assert not number_axis(NUMBER, 0.0, 1.0).time


def test_rounding_keeps_what_can_be_seen():
    values = 1000 * np.random.default_rng(0).normal(size=100)
    assert np.abs(np.array(rounded(values)) - values).max() <= np.abs(values).max() * 1e-4
    days = 1.6e9 + 86_400.0 * np.arange(700)
    assert len(set(rounded(days, float(np.ptp(days))))) == 700
    assert str(rounded(np.array([-1e-9, 1.0]))[0]) == "0.0"  # never a negative zero
    for extreme in ([5e-324, 0.0], [1e300, -1e300], [0.0, 0.0], []):
        assert np.isfinite(rounded(np.array(extreme))).all()


@pytest.mark.parametrize(
    ("value", "span", "text"),
    [
        (8.3252, 9.0, "8.33"),
        (8.0, 9.0, "8"),
        (37.85, 9.4, "37.85"),
        (1425.0, 5000.0, "1,425"),
        (1987.0, 7.0, "1987"),
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
    assert value_text(size, np.nan) == MISSING
    assert value_text(size, UNSEEN) == NOT_SEEN
    assert value_text(Feature("member", "boolean"), 1.0) == "True"
    assert value_text(Feature("wait", "duration"), 90.0, 300.0) == "90 s"


def test_dates_are_written_as_dates_and_close_ones_with_the_time():
    noon = 1_577_880_000.0  # 2020-01-01 12:00
    assert value_text(DATE, noon, 1e8) == "2020-01-01"
    assert value_text(DATE, noon, 3600.0) == "2020-01-01 12:00:00"
    assert value_text(DATE, -1.0, 1e8) == "1969-12-31"


def test_labels_say_what_one_unit_is(known, mixed):
    assert effect_label(known.dec, 0) == "effect on the prediction"
    assert effect_label(mixed.dec, 1) == "effect on the prediction of prediction 1"


def test_few_numbers_are_drawn_like_levels_and_many_are_not():
    few = np.tile(np.arange(float(FEW_VALUES)), 5)
    assert column_levels(NUMBER, few).names == tuple(str(value) for value in range(FEW_VALUES))
    assert column_levels(NUMBER, np.r_[few, 99.0]) is None


def test_a_handful_of_rows_does_not_make_numbers_levels_but_truth_values_are():
    assert column_levels(NUMBER, np.array([0.1, 0.7, 0.3])) is None
    assert column_levels(Feature("member", "boolean"), np.array([1.0])).names == ("True",)


def test_years_have_no_separator_and_numbers_that_would_read_alike_are_written_in_full():
    assert column_levels(NUMBER, np.repeat([2010.0, 2011.0], 5)).names == ("2010", "2011")
    assert column_levels(NUMBER, np.repeat([0.0, 0.0001, 1000.0], 4)).names == ("0", "0.0001", "1000")


def test_levels_are_counted_and_a_missing_one_is_the_last():
    column = np.array([2.0, 0.0, np.nan, 2.0, np.nan, np.nan])
    scale = column_levels(NOMINAL, column)
    assert scale.names == ("a", "c", MISSING)
    assert scale.count.tolist() == [1, 2, 3]
    assert scale.positions(column).tolist() == [1, 0, 2, 1, 2, 2]
    assert (scale.position(2.0), scale.position(np.nan), scale.position(5.0)) == (1, 2, None)
    assert column_levels(NOMINAL, np.array([UNSEEN, 1.0, 1.0])).names == (NOT_SEEN, "b")


def test_the_most_frequent_levels_are_kept_in_their_order_and_the_others_counted():
    column = np.repeat(np.arange(6.0), [5, 1, 4, 2, 9, 1])
    scale = column_levels(NOMINAL, column, most=3)
    assert scale.names == ("a", "c", "e")
    assert scale.n_left_out == 3
    assert scale.rows_left_out == 1 + 2 + 1
    assert scale.count.sum() + scale.rows_left_out == len(column)


def test_a_column_that_is_always_missing_has_one_level():
    scale = column_levels(NUMBER, np.full(4, np.nan))
    assert scale.names == (MISSING,)
    assert scale.count.tolist() == [4]


def test_levels_put_in_another_order_stay_together():
    scale = column_levels(NOMINAL, np.repeat([0.0, 1.0, 2.0], [1, 2, 3])).reordered(np.array([2, 0, 1]))
    assert scale.names == ("c", "a", "b")
    assert scale.count.tolist() == [3, 1, 2]
    assert scale.codes.tolist() == [2.0, 0.0, 1.0]


def test_columns_of_levels_and_of_numbers_are_distinguished(mixed):
    listed = {name for index, name in enumerate(mixed.dec.feature_names) if level_scale(mixed.rows, index)}
    assert listed == {"color", "size", "member", "rooms"}


def test_pooled_are_the_levels_the_fit_has_pooled(mixed):
    index = mixed.dec.feature_names.index("color")
    pooled = mixed.dec.expansion.reference.marginals[index].pooled
    codes = np.r_[np.arange(26.0), UNSEEN, np.nan]
    assert pooled_levels(mixed.rows, index, codes) == (*(code in pooled for code in range(26)), False, False)


def test_nothing_is_pooled_where_there_are_no_levels(published):
    assert pooled_levels(published.rows, 0, np.array([0.0, 1.0])) == (False, False)
