import numpy as np
import pandas as pd
import pytest

from anova_report.errors import InputError
from anova_report.report.sources.inputs import choose_inputs, require_columns, sample_rows

N = 60


@pytest.fixture
def frame() -> pd.DataFrame:
    numbers = np.arange(N)
    return pd.DataFrame(
        {
            "Unnamed: 0": numbers,
            "age": numbers % 7,
            "city": np.where(numbers % 3, "Rome", "Oslo"),
            "email": [f"{number}@example.org" for number in numbers],
            "branch": "north",
            "legacy": np.nan,
            "tags": [[number] for number in numbers],
            "pets": [None if number % 2 else "cat" for number in numbers],
            "p": numbers / N,
        }
    )


def test_columns_that_cannot_be_read_and_row_numbers_are_left_out_and_said(frame):
    inputs, left_out = choose_inputs(frame, left_out=["p"])
    assert list(inputs.columns) == ["age", "city", "email", "branch", "legacy", "pets"]
    assert [(column.name, column.reason) for column in left_out] == [
        ("Unnamed: 0", "row numbers without a name"),
        ("tags", "neither numbers, text nor dates"),
    ]


def test_features_keep_their_order_and_win_over_guesses_but_not_over_facts(frame):
    inputs, left_out = choose_inputs(frame, features=["Unnamed: 0", "age", "tags"])
    assert list(inputs.columns) == ["Unnamed: 0", "age"]
    assert [column.name for column in left_out] == ["tags"]


def test_numbers_that_all_differ_are_inputs():
    frame = pd.DataFrame({"income": np.linspace(0, 1, N)})
    assert list(choose_inputs(frame)[0].columns) == ["income"]


def test_no_column_left_is_an_error_that_says_why(frame):
    with pytest.raises(InputError, match=r"No column is left to explain\. Left out: 'tags' \(neither numbers, text"):
        choose_inputs(frame[["tags", "p"]], left_out=["p"])
    with pytest.raises(InputError, match="All are left out by name"):
        choose_inputs(frame[["p"]], left_out=["p"])


def test_a_misspelled_column_is_refused_with_the_nearest_name(frame):
    with pytest.raises(InputError, match=r"no column 'agee'; the columns are .* Did you mean 'age'\?"):
        require_columns(frame.columns, ["agee"])


def test_a_column_cannot_be_feature_and_prediction(frame):
    with pytest.raises(InputError, match="'age' cannot be a feature and be left out at once"):
        choose_inputs(frame, left_out=["age"], features=["age", "city"])


def test_a_sample_is_drawn_without_repetition_in_order_and_by_its_seed():
    drawn = sample_rows(1000, 100, seed=3)
    assert len(set(drawn.tolist())) == 100
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(drawn, sample_rows(1000, 100, seed=3))
    assert not np.array_equal(drawn, sample_rows(1000, 100, seed=4))


def test_a_sample_holds_the_rows_that_are_asked_for():
    assert {5, 999} <= set(sample_rows(1000, 4, seed=0, keep=[999, 5]).tolist())
    assert sample_rows(10, 50, seed=0).tolist() == list(range(10))
