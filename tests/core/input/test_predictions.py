import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anova_report.core.input.predictions import Predictions, read_predictions, require_variation
from anova_report.errors import InputError, InputTypeError

NAN = np.nan


@pytest.mark.parametrize(
    "predictions",
    [
        [1, 2, 4],
        (1.0, 2.0, 4.0),
        np.array([1, 2, 4], dtype=np.int8),
        np.array([1, 2.0, 4], dtype=object),
        pd.Series([1, 2, 4], dtype="Int64"),
        pl.Series([1, 2, 4]),
        pa.array([1, 2, 4]),
    ],
)
def test_one_prediction_per_row_is_one_output_whatever_it_comes_in(predictions):
    read = read_predictions(predictions, n_rows=3)
    assert read.single
    assert read.names == ("prediction",)
    assert read.scale == "identity"
    assert read.values.dtype == np.float64
    np.testing.assert_array_equal(read.values, [[1], [2], [4]])


def test_a_column_of_predictions_keeps_its_axis_of_outputs():
    read = read_predictions([[1.0], [2.0]], n_rows=2)
    assert not read.single
    assert read.values.shape == (2, 1)
    assert read.names == ("prediction",)


def test_a_polars_series_gives_its_name_and_an_empty_one_does_not_count():
    assert read_predictions(pl.Series("price", [1.0, 2.0]), n_rows=2).names == ("price",)
    assert read_predictions(pl.Series([1.0, 2.0]), n_rows=2).names == ("prediction",)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_gives_the_names_of_its_columns_to_the_outputs(frame):
    read = read_predictions(frame({"low": [1.0, 2.0], "high": [3.0, 5.0]}), n_rows=2)
    assert read.names == ("low", "high")
    assert not read.single
    np.testing.assert_array_equal(read.values, [[1, 3], [2, 5]])


@pytest.mark.parametrize(
    ("predictions", "words"),
    [
        (None, r"requires y to be passed, but the target y is None\. Pass the predictions, one per row\."),
        ([1.0, 2.0, 3.0], r"^There are 3 predictions for 2 rows\. Pass one prediction per row of X\.$"),
        ([], r"^There are 0 predictions for 2 rows"),
        (1.0, r"must have shape \(rows,\) or \(rows, outputs\); they have shape \(\)\."),
        (np.zeros((2, 1, 1)), r"they have shape \(2, 1, 1\)\."),
        (np.zeros((2, 0)), r"they have shape \(2, 0\)\."),
        ([[1.0, 2.0], [3.0]], r"their rows are of unequal length\.$"),
        ([1j, 2], r"^Complex data not supported\. Pass the real and imaginary parts as two outputs\."),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), r"must have distinct names, and are called 'a', 'a'\."),
    ],
)
def test_predictions_of_the_wrong_form_are_refused_with_what_came(predictions, words):
    with pytest.raises(InputError, match=words):
        read_predictions(predictions, n_rows=2)


def test_predictions_that_are_not_finite_are_refused_with_their_outputs():
    predictions = pd.DataFrame({"low": [1.0, NAN, 2.0], "mid": [1.0, 2.0, 3.0], "high": [np.inf, 1.0, 2.0]})
    with pytest.raises(
        InputError, match=r"the predictions of 'low', 'high' are not finite in 2 row\(s\).*position 0, 1\."
    ):
        read_predictions(predictions, n_rows=3)


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", "no"],
        ["1", "0"],
        np.array(["1", 0], dtype=object),
        pd.Series(["1", "0"], dtype="category"),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
    ],
)
def test_labels_and_dates_are_not_predictions_even_if_they_look_like_numbers(labels):
    with pytest.raises(InputTypeError, match=r"must be numbers.*is not a number.*pass its logits or probabilities"):
        read_predictions(labels, n_rows=2)


@pytest.mark.parametrize(("values", "shown"), [([[3.0]] * 5, r"3\.0"), ([[3.0, 1.5]] * 5, r"3\.0, 1\.5")])
def test_predictions_that_never_change_are_refused_with_their_value(values, shown):
    predictions = Predictions(np.array(values), ("a", "b")[: len(values[0])], single=False)
    with pytest.raises(
        InputError, match=rf"^The predictions are constant: {shown} in all 5 rows.*right column was passed"
    ):
        require_variation(predictions)
