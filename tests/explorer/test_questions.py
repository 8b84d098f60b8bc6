import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from anova_report.figures.columns import Rows
from sklearn.linear_model import LogisticRegression

from anova_report.errors import InputError
from anova_report.explorer.what_if import asked, edited_row, read_edits
from tests.explorer import examples
from tests.explorer.examples import HOSTILE

EDITS = {
    "income": 2.5,
    HOSTILE: "green",
    "size": "l",
    "member": True,
    "sold": "2021-05-06",
    "rooms": 2011.5,
    "lasted": 90.0,
}


def forms():
    X = examples.mixed().X
    return {"pandas": X, "polars": pl.from_pandas(X), "pyarrow": pa.Table.from_pandas(X)}


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_an_edited_row_has_the_form_of_the_table_and_the_new_values(form):
    table, dec = forms()[form], examples.mixed().dec
    rows = Rows.of(dec, table)
    edits = read_edits(rows, EDITS)
    found = edited_row(rows, table, 7, edits)
    assert type(found) is type(table)
    [values] = dec.encode(found)
    assert values[[1, 2, 3]].tolist() == [dec.features[1].levels.index("green"), 2.0, 1.0]
    assert values[[0, 5, 6]].tolist() == [2.5, 2011.5, 90.0]
    assert values[4] == pd.Timestamp("2021-05-06").timestamp()


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_values_that_are_not_edited_stay(form):
    table, dec = forms()[form], examples.mixed().dec
    rows = Rows.of(dec, table)
    [values] = dec.encode(edited_row(rows, table, 7, read_edits(rows, {"size": "s"})))
    expected = rows.values[7].copy()
    expected[2] = 0.0
    np.testing.assert_array_equal(values, expected)


def test_a_level_keeps_all_categories_of_its_column():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    found = edited_row(rows, example.X, 0, read_edits(rows, {"size": "m"}))
    assert found["size"].dtype == example.X["size"].dtype
    assert len(found) == 1


def test_a_whole_number_stays_one_where_the_column_holds_them():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    found = edited_row(rows, example.X, 0, read_edits(rows, {"rooms": 2014}))
    assert found["rooms"].dtype == example.X["rooms"].dtype


def test_missing_values_can_be_asked_about():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    edits = read_edits(rows, {"income": None, HOSTILE: None, "rooms": None, "sold": None})
    [values] = example.dec.encode(edited_row(rows, example.X, 0, edits))
    assert np.isnan(values[[0, 1, 4, 5]]).all()


def test_rows_of_arrays_are_edited_by_position():
    example = examples.logits()
    rows = Rows.of(example.dec, example.X)
    found = edited_row(rows, example.X, 5, read_edits(rows, {"x1": 9.0}))
    assert found.tolist() == [[example.X[5, 0], 9.0]]
    assert example.X[5, 1] != 9.0


def test_an_array_of_whole_numbers_takes_a_fraction():
    counts = np.random.default_rng(0).integers(-5, 6, size=(300, 2))
    rows = Rows.of(examples.logits().dec, counts)
    assert edited_row(rows, counts, 0, read_edits(rows, {"x0": 0.5}))[0, 0] == 0.5
    assert edited_row(rows, counts, 0, read_edits(rows, {"x0": 3})).dtype == counts.dtype


def test_a_value_the_table_cannot_hold_is_an_error_in_words():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    with pytest.raises(InputError, match="Take the edit back"):
        edited_row(rows, example.X, 0, {"sold": "the day after"})


def test_the_model_is_asked_about_the_edited_values():
    example = examples.known()
    rows = Rows.of(example.dec, example.X, example.answers)
    own = asked(example.model, rows, example.X, 3, {}, 0)
    assert own.answer == pytest.approx(example.answers[3])
    edits = read_edits(rows, {"a": 0.5, "b": 0.0, "c": 0.25})
    assert asked(example.model, rows, example.X, 3, edits, 0).answer == pytest.approx(4 + 1 + 0.5)


def test_a_classifier_is_asked_for_the_logit_of_the_class():
    example = examples.logits()
    rows = Rows.of(example.dec, example.X)
    assert asked(example.model, rows, example.X, 3, {}, 0).answer == pytest.approx(example.answers[3])


def test_of_several_outputs_the_one_that_is_looked_at_is_answered():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    both = [asked(lambda table: np.tile([1.0, 2.0], (len(table), 1)), rows, example.X, 0, {}, k).answer for k in (0, 1)]
    assert both == [1.0, 2.0]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda table: table["d"], "KeyError"),
        (lambda table: np.full(len(table), np.nan), "NaN or infinity"),
        (lambda table: np.zeros((len(table), 3)), "3 columns, and the decomposition has 1"),
        ("no model", "neither callable"),
        (LogisticRegression(), "NotFittedError"),
    ],
)
def test_a_model_that_fails_is_quoted_and_stops_nothing(model, words):
    example = examples.known()
    rows = Rows.of(example.dec, example.X)
    found = asked(model, rows, example.X, 0, {}, 0)
    assert found.answer is None
    assert words in found.trouble
