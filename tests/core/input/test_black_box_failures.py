"""Models that fail, or prediction with what is no prediction: which rows, and what was there before, is never lost."""

import numpy as np
import pytest

from anova_report.core.input.black_box import ask
from anova_report.core.input.table import InputTable, open_table
from anova_report.errors import ModelError


def positions(n_rows: int) -> InputTable:
    """Make a table whose rows hold only their positions."""
    return open_table(np.arange(float(n_rows))[:, None])


def test_a_model_that_fails_half_way_says_where_and_keeps_what_it_had_predicted():
    def model(rows):
        if (rows[:, 0] >= 20).any():
            raise ZeroDivisionError("no more")
        return rows[:, 0]

    words = r"^The model failed on rows 20 to 29: ZeroDivisionError: no more$"
    with pytest.raises(ModelError, match=words) as caught:
        ask(model, positions(60), batch_size=10)
    assert caught.value.rows == tuple(range(20, 30))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    np.testing.assert_array_equal(caught.value.predictions, np.arange(20.0)[:, None])


def test_an_interrupted_run_is_not_taken_for_a_failing_model():
    def model(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(model, positions(60))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_predictions_that_are_not_finite_name_their_rows_in_the_whole_table(wrong):
    def model(rows):
        return np.where(np.isin(rows[:, 0], [13, 17]), wrong, rows[:, 0])

    words = r"returned NaN or infinity in 2 row\(s\), first at position 13, 17\.$"
    with pytest.raises(ModelError, match=words) as caught:
        ask(model, positions(30), batch_size=10)
    assert caught.value.rows == (13, 17)
    assert caught.value.predictions.shape == (10, 1)


WRONG_PREDICTIONS = {
    "too few": (
        lambda rows: rows[1:, 0],
        r"asked about 10 rows \(rows 0 to 9\) and gave 9 prediction\(s\)\. It must re",
    ),
    "none": (lambda _: [], r"asked about 10 rows \(rows 0 to 9\) and gave 0 prediction\(s\)"),
    "one for all": (
        lambda _: 1.0,
        r"For rows 0 to 9 the model returned an array of shape \(\)\. It must return one prediction",
    ),
    "nothing": (lambda _: None, r"For rows 0 to 9 the model returned an array of shape \(\)"),
    "no columns": (lambda rows: np.empty((len(rows), 0)), r"returned an array of shape \(10, 0\)"),
    "too many axes": (lambda rows: np.ones((len(rows), 1, 1)), r"returned an array of shape \(10, 1, 1\)"),
    "ragged": (
        lambda rows: [[1.0], *[[1.0, 2.0]] * (len(rows) - 1)],
        r"For rows 0 to 9 the model returned rows of unequal leng",
    ),
    "labels": (
        lambda rows: np.full(len(rows), "yes"),
        r"returned 'yes', 'yes', 'yes', which are not real numbers\. A mod",
    ),
    "digits": (lambda rows: np.full(len(rows), "1"), r"returned '1', '1', '1', which are not real numbers"),
    "complex": (lambda rows: np.full(len(rows), 1j), r"returned 1j, 1j, 1j, which are not real numbers"),
}


@pytest.mark.parametrize(("model", "words"), WRONG_PREDICTIONS.values(), ids=WRONG_PREDICTIONS.keys())
def test_what_is_not_one_number_per_row_is_refused_with_what_came(model, words):
    with pytest.raises(ModelError, match=words) as caught:
        ask(model, positions(30), batch_size=10)
    assert caught.value.rows == tuple(range(10))


def test_predictions_that_change_their_width_are_refused_and_those_before_kept():
    def model(rows):
        return np.ones((len(rows), 1 if rows[0, 0] < 10 else 3))

    words = r"For rows 10 to 19 the model returned 3 column\(s\), for the rows before 1\."
    with pytest.raises(ModelError, match=words) as caught:
        ask(model, positions(30), batch_size=10)
    assert caught.value.rows == tuple(range(10, 20))
    assert caught.value.predictions.shape == (10, 1)
