"""Values that are drawn one by one: which, in which order, with how many rows."""

import numpy as np
import pytest

from anova_report.core.input.features import UNSEEN, Feature
from anova_report.figures.columns.axes import MISSING, NOT_SEEN
from anova_report.figures.columns.levels import FEW_VALUES, column_levels, level_scale, pooled_levels

NUMBER = Feature("x", "numeric")
NOMINAL = Feature("colour", "nominal", tuple("abcdefgh"))


def test_few_numbers_are_drawn_like_levels_and_many_are_not():
    few = np.tile(np.arange(float(FEW_VALUES)), 5)
    assert column_levels(NUMBER, few).names == tuple(str(value) for value in range(FEW_VALUES))
    assert column_levels(NUMBER, np.r_[few, 99.0]) is None


def test_a_handful_of_rows_does_not_make_numbers_levels():
    assert column_levels(NUMBER, np.array([0.1, 0.7, 0.3])) is None


def test_years_keep_all_their_digits_and_have_no_separator():
    assert column_levels(NUMBER, np.repeat([2010.0, 2011.0], 5)).names == ("2010", "2011")


def test_numbers_that_would_read_alike_are_written_in_full():
    close = np.repeat([0.0, 0.0001, 1000.0], 4)
    assert column_levels(NUMBER, close).names == ("0", "0.0001", "1000")


def test_truth_values_are_levels_even_in_a_single_row():
    assert column_levels(Feature("member", "boolean"), np.array([1.0])).names == ("True",)


def test_levels_are_counted_and_a_missing_one_is_the_last():
    column = np.array([2.0, 0.0, np.nan, 2.0, np.nan, np.nan])
    scale = column_levels(NOMINAL, column)
    assert scale.names == ("a", "c", MISSING)
    assert scale.count.tolist() == [1, 2, 3]
    assert scale.positions(column).tolist() == [1, 0, 2, 1, 2, 2]
    assert scale.positions(np.array([5.0])).tolist() == [-1]


def test_the_most_frequent_levels_are_kept_in_their_order_and_the_others_counted():
    column = np.repeat(np.arange(6.0), [5, 1, 4, 2, 9, 1])
    scale = column_levels(NOMINAL, column, most=3)
    assert scale.names == ("a", "c", "e")
    assert scale.n_left_out == 3
    assert scale.rows_left_out == 1 + 2 + 1
    assert scale.count.sum() + scale.rows_left_out == len(column)


def test_a_missing_value_is_kept_beside_the_most_frequent():
    column = np.r_[np.repeat([0.0, 1.0], 50), np.nan]
    scale = column_levels(NOMINAL, column, most=1)
    assert scale.names == ("a", MISSING)
    assert scale.n_left_out == 1


def test_a_level_the_fit_has_not_seen_is_named_as_such():
    assert column_levels(NOMINAL, np.array([UNSEEN, 1.0, 1.0])).names == (NOT_SEEN, "b")


def test_a_column_that_is_always_missing_has_one_level():
    scale = column_levels(NUMBER, np.full(4, np.nan))
    assert scale.names == (MISSING,)
    assert scale.count.tolist() == [4]


def test_levels_put_in_another_order_stay_together():
    scale = column_levels(NOMINAL, np.repeat([0.0, 1.0, 2.0], [1, 2, 3])).reordered(np.array([2, 0, 1]))
    assert scale.names == ("c", "a", "b")
    assert scale.count.tolist() == [3, 1, 2]
    assert scale.codes.tolist() == [2.0, 0.0, 1.0]


@pytest.mark.parametrize("name", ["colour", "size", "member", "rooms"])
def test_columns_of_levels_are_recognised(mixed, name):
    assert level_scale(mixed.rows, mixed.dec.feature_names.index(name)) is not None


@pytest.mark.parametrize("name", ["income", "sold"])
def test_columns_of_numbers_are_recognised(mixed, name):
    assert level_scale(mixed.rows, mixed.dec.feature_names.index(name)) is None


def test_pooled_are_the_levels_the_fit_has_pooled(mixed):
    index = mixed.dec.feature_names.index("colour")
    pooled = mixed.dec.expansion.reference.marginals[index].pooled
    codes = np.r_[np.arange(26.0), UNSEEN, np.nan]
    assert pooled_levels(mixed.rows, index, codes) == (*(code in pooled for code in range(26)), False, False)


def test_nothing_is_pooled_where_there_are_no_levels(published):
    assert pooled_levels(published.rows, 0, np.array([0.0, 1.0])) == (False, False)
