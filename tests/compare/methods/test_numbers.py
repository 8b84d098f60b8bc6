"""Tables as arrays of numbers: what is no number, or is missing, is named."""

import numpy as np
import pandas as pd
import pytest

from anova_report.compare.methods.request import numbers_of, only_numbers, require_complete
from anova_report.core.input.table import open_table, read_features
from anova_report.errors import InputError


def test_numbers_and_flags_become_floats_in_the_order_of_the_table() -> None:
    table = open_table(pd.DataFrame({"b": [True, False], "a": [1, 2], "c": [0.5, np.nan]}))
    features = read_features(table)
    assert only_numbers(features)
    np.testing.assert_array_equal(numbers_of(table, features, "It"), [[1.0, 1.0, 0.5], [0.0, 2.0, np.nan]])


def test_text_is_named_with_a_way_out() -> None:
    table = open_table(pd.DataFrame({"a": [1.0, 2.0], "town": ["Rome", "Oslo"]}))
    features = read_features(table)
    assert not only_numbers(features)
    with pytest.raises(InputError, match=r"It takes columns of numbers only.*'town'.*Use pdp or kernelshap"):
        numbers_of(table, features, "It")


def test_rows_with_gaps_are_counted() -> None:
    require_complete(np.ones((3, 2)), "It")
    with pytest.raises(InputError, match="It takes complete rows only, and 2 of 3 lack a value"):
        require_complete(np.array([[1.0, np.nan], [np.nan, np.nan], [1.0, 2.0]]), "It")
