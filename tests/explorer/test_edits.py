import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from anova_report.figures.columns import Rows

from anova_report.core.input.features import Feature, encode
from anova_report.errors import InputError, UnknownTermError
from anova_report.explorer.what_if import NOTHING, decoded_value, encoded_value, read_edits, read_value
from tests.explorer import examples

NUMBER, SWITCH = Feature("age", "numeric"), Feature("member", "boolean")
DAY, SPAN = Feature("sold", "datetime"), Feature("lasted", "duration")
COLOUR = Feature("colour", "nominal", ("2", "blue", "red"))


@pytest.mark.parametrize(
    ("feature", "given", "expected"),
    [
        (NUMBER, 41, 41.0),
        (NUMBER, "41.5", 41.5),
        (NUMBER, np.float32(2.5), 2.5),
        (NUMBER, True, 1.0),
        (COLOUR, "red", "red"),
        (COLOUR, 2.0, "2"),
        (COLOUR, np.str_("blue"), "blue"),
        (SWITCH, np.True_, True),
        (SWITCH, "No", False),
        (SWITCH, 1.0, True),
        (DAY, "2024-05-01", datetime(2024, 5, 1)),
        (DAY, date(2024, 5, 1), datetime(2024, 5, 1)),
        (DAY, datetime(2024, 5, 1, 6, 30, tzinfo=UTC), datetime(2024, 5, 1, 6, 30)),
        (DAY, pd.Timestamp("2024-05-01 06:30"), datetime(2024, 5, 1, 6, 30)),
        (DAY, np.datetime64("2024-05-01T06:30"), datetime(2024, 5, 1, 6, 30)),
        (SPAN, 90, 90.0),
        (SPAN, timedelta(minutes=2), 120.0),
        (SPAN, np.timedelta64(1500, "ms"), 1.5),
    ],
)
def test_values_are_read_in_many_forms(feature, given, expected):
    found = read_value(feature, given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT, ""])
@pytest.mark.parametrize("feature", [NUMBER, SWITCH, DAY, SPAN, COLOUR])
def test_a_missing_value_is_none_in_every_form(feature, missing):
    assert read_value(feature, missing) is None


@pytest.mark.parametrize(
    ("feature", "given", "advice"),
    [
        (NUMBER, "old", "finite number"),
        (NUMBER, math.inf, "finite number"),
        (NUMBER, [1, 2], "finite number"),
        (COLOUR, "green", "'2', 'blue', 'red'"),
        (SWITCH, "perhaps", "True or False"),
        (SWITCH, 2, "True or False"),
        (DAY, "yesterday", "2024-05-01"),
        (DAY, 1.7e9, "2024-05-01"),
        (SPAN, "long", "seconds"),
    ],
)
def test_what_is_no_value_of_a_feature_is_refused_with_advice(feature, given, advice):
    with pytest.raises(InputError, match=f"no value of '{feature.name}'.*{advice}"):
        read_value(feature, given)


@pytest.mark.parametrize(
    ("feature", "column"),
    [
        (NUMBER, np.array([1.5, np.nan])),
        (SWITCH, np.array([True, False])),
        (COLOUR, np.array(["red", "2"])),
        (DAY, np.array(["2024-05-01T06:30", "1969-12-31"], dtype="datetime64[s]")),
        (SPAN, np.array([90, 0], dtype="timedelta64[s]")),
    ],
)
def test_a_value_is_encoded_as_the_table_encodes_it_and_decoded_back(feature, column):
    for given, expected in zip(column, encode(feature, column), strict=True):
        value = read_value(feature, given)
        assert encoded_value(feature, value) == pytest.approx(expected, nan_ok=True)
        assert decoded_value(feature, float(expected)) == value


def test_a_level_the_fit_has_not_seen_is_called_so():
    assert decoded_value(COLOUR, -1.0) == "(not seen in the fit)"


def test_edits_are_read_by_name_and_by_position():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    assert dict(read_edits(rows, {"size": "l", 0: 3})) == {"size": "l", "income": 3.0}
    assert dict(read_edits(rows, NOTHING)) == {}


def test_edits_cannot_be_changed_in_place():
    example = examples.known()
    edits = read_edits(Rows.of(example.dec, example.X), {"a": 0.5})
    with pytest.raises(TypeError):
        edits["a"] = 1.0  # type: ignore[index]


def test_edits_of_no_feature_and_of_no_mapping_are_refused():
    example = examples.known()
    rows = Rows.of(example.dec, example.X)
    with pytest.raises(UnknownTermError, match="no feature 'd'"):
        read_edits(rows, {"d": 1.0})
    with pytest.raises(InputError, match="mapping of features"):
        read_edits(rows, [("a", 1.0)])


def test_a_decomposition_that_knows_no_missing_values_takes_none():
    example = examples.published()
    with pytest.raises(InputError, match="no missing values"):
        read_edits(Rows.of(example.dec, example.X), {"x0": None})
