import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from anova_report.compare import Attribution
from anova_report.core.input.features import Feature, encode
from anova_report.errors import InputError, UnknownTermError
from anova_report.explorer.user_input import (
    NOTHING,
    FeatureLine,
    decoded_value,
    encoded_value,
    read_edits,
    read_overlays,
    read_value,
)
from tests.explorer import examples

NUMBER, SWITCH = Feature("age", "numeric"), Feature("member", "boolean")
DAY, SPAN = Feature("sold", "datetime"), Feature("lasted", "duration")
COLOUR = Feature("colour", "nominal", ("2", "blue", "red"))


@pytest.fixture(scope="module")
def known():
    return examples.known().state().rows


@pytest.fixture(scope="module")
def mixed():
    return examples.mixed().state().rows


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
def test_a_missing_value_is_none_in_every_form(missing):
    assert {read_value(feature, missing) for feature in (NUMBER, SWITCH, DAY, SPAN, COLOUR)} == {None}


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
def test_what_is_not_a_value_of_a_feature_is_refused_with_advice(feature, given, advice):
    with pytest.raises(InputError, match=f"not a value of '{feature.name}'.*{advice}"):
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


def test_edits_are_read_by_name_and_by_position_and_cannot_be_changed_in_place(mixed):
    edits = read_edits(mixed, {"size": "l", 0: 3})
    assert dict(edits) == {"size": "l", "income": 3.0}
    assert dict(read_edits(mixed, NOTHING)) == {}
    with pytest.raises(TypeError):
        edits["size"] = "s"  # type: ignore[index]


def test_edits_of_no_feature_and_of_no_mapping_are_refused(known):
    with pytest.raises(UnknownTermError, match="no feature 'd'"):
        read_edits(known, {"d": 1.0})
    with pytest.raises(InputError, match=r"mapping of features.*got \[\('a', 1.0\)\]"):
        read_edits(known, [("a", 1.0)])


def test_a_decomposition_without_missing_values_takes_none():
    with pytest.raises(InputError, match="no missing values"):
        read_edits(examples.published().state().rows, {"x0": None})


@pytest.mark.parametrize(
    "line",
    [
        ("SHAP", "a", [0.0, 0.5], np.array([0.0, 1.0])),
        ["SHAP", 0, (0, "0.5"), [0, 1]],
        {"name": "SHAP", "feature": "a", "at": [0.0, 0.5], "value": [0.0, 1.0]},
        FeatureLine("SHAP", "a", (0.0, 0.5), (0.0, 1.0)),
    ],
)
def test_lines_are_read_in_many_forms(known, line):
    assert read_overlays(known, [line]) == (FeatureLine("SHAP", "a", (0.0, 0.5), (0.0, 1.0)),)


def test_levels_and_dates_of_lines_are_written_as_in_the_table(mixed):
    lines = [("PDP", "size", ["l", "s"], [1.0, 2.0]), ("PDP", "sold", ["1970-01-02"], [3.0])]
    found = read_overlays(mixed, lines)
    assert [line.at for line in found] == [(2.0, 0.0), (86_400.0,)]
    assert read_overlays(mixed, found) == found


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([("SHAP", "d", [0.0], [0.0])], UnknownTermError, "no feature 'd'"),
        ([("SHAP", "a", [0.0], [np.nan])], InputError, "one finite effect"),
        ([("SHAP", "a", [0.0], ["much"])], InputError, "not numbers"),
        ([("SHAP", "a", ["blue"], [1.0])], InputError, "not a value of 'a'"),
        ([("SHAP", "a")], InputError, "name, feature, at, value"),
        ([{"name": "SHAP"}], InputError, "name, feature, at, value"),
        ([7], InputError, "name, feature, at, value"),
        ("SHAP", InputError, "list of lines"),
        (FeatureLine("SHAP", "a", (), ()), InputError, "list of lines"),
        (7, InputError, "list of lines"),
    ],
)
def test_what_is_not_a_line_is_refused(known, given, error, words):
    with pytest.raises(error, match=words):
        read_overlays(known, given)


@pytest.mark.parametrize(
    ("example", "changes", "words"),
    [
        (examples.mixed, {"feature": "height"}, "Explain the same features"),
        (examples.mixed, {"output": "third"}, "Pass one of these as output="),
        (examples.logits, {"scale": "probability"}, "Pass like= the decomposition"),
        (examples.logits, {"output": "0"}, "explains the output '0'"),
    ],
)
def test_an_attribution_of_something_else_is_refused(example, changes, words):
    rows = example().state().rows
    own = {"output": rows.dec.output_names[0], "scale": rows.dec.scale, "feature": rows.dec.feature_names[0]}
    parts = own | {"counterpart": "main effect"} | changes
    kind = Feature(parts.pop("feature"), "numeric")
    other = Attribution("treeshap", "TreeSHAP", (kind,), np.arange(2), np.zeros((2, 1)), np.zeros((2, 1)), **parts)
    with pytest.raises(InputError, match=words):
        read_overlays(rows, [other])
