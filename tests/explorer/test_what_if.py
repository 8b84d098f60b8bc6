import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from anova_report.errors import InputError
from anova_report.explorer.user_input import read_edits
from anova_report.explorer.what_if import EDITED, Reply, asked, edited_row, make_case
from anova_report.figures.cases import force, waterfall
from anova_report.figures.networks import local_network
from anova_report.figures.rows import Rows
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
FORMS = {"pandas": lambda X: X, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


def edited(X, dec, row, edits):
    rows = Rows.of(dec, X)
    return edited_row(rows, X, row, read_edits(rows, edits))


@pytest.fixture(scope="module")
def known() -> Rows:
    return examples.known().state().rows


@pytest.mark.parametrize("form", FORMS)
def test_an_edited_row_has_the_form_of_the_table_the_new_values_and_the_others(form):
    table, dec = FORMS[form](examples.mixed().X), examples.mixed().dec
    found = edited(table, dec, 7, EDITS)
    assert type(found) is type(table)
    [values] = dec.encode(found)
    assert values[[1, 2, 3]].tolist() == [dec.features[1].levels.index("green"), 2.0, 1.0]
    assert values[[0, 5, 6]].tolist() == [2.5, 2011.5, 90.0]
    assert values[4] == pd.Timestamp("2021-05-06").timestamp()
    [values] = dec.encode(edited(table, dec, 7, {"size": "s"}))
    expected = Rows.of(dec, table).values[7].copy()
    expected[2] = 0.0
    np.testing.assert_array_equal(values, expected)


def test_categories_and_whole_numbers_keep_their_types():
    example = examples.mixed()
    found = edited(example.X, example.dec, 0, {"size": "m", "rooms": 2014})
    assert found["size"].dtype == example.X["size"].dtype
    assert found["rooms"].dtype == example.X["rooms"].dtype
    assert len(found) == 1


def test_missing_values_can_be_asked_about():
    example = examples.mixed()
    missing = {"income": None, HOSTILE: None, "rooms": None, "sold": None}
    [values] = example.dec.encode(edited(example.X, example.dec, 0, missing))
    assert np.isnan(values[[0, 1, 4, 5]]).all()


def test_rows_of_arrays_are_edited_by_position_and_take_fractions():
    example = examples.logits()
    assert edited(example.X, example.dec, 5, {"x1": 9.0}).tolist() == [[example.X[5, 0], 9.0]]
    assert example.X[5, 1] != 9.0
    counts = np.random.default_rng(0).integers(-5, 6, size=(300, 2))
    assert edited(counts, example.dec, 0, {"x0": 0.5})[0, 0] == 0.5
    assert edited(counts, example.dec, 0, {"x0": 3}).dtype == counts.dtype


def test_a_value_the_table_cannot_hold_is_an_error_in_words():
    example = examples.mixed()
    with pytest.raises(InputError, match="Take the edit back"):
        edited_row(Rows.of(example.dec, example.X), example.X, 0, {"sold": "the day after"})


def test_the_model_is_asked_about_the_edited_values(known):
    example = examples.known()
    assert asked(example.model, known, example.X, 3, {}, 0).prediction == pytest.approx(example.predictions[3])
    edits = read_edits(known, {"a": 0.5, "b": 0.0, "c": 0.25})
    assert asked(example.model, known, example.X, 3, edits, 0).prediction == pytest.approx(4 + 1 + 0.5)


def test_a_classifier_is_asked_for_the_logit_of_the_class():
    example = examples.logits()
    rows = Rows.of(example.dec, example.X)
    assert asked(example.model, rows, example.X, 3, {}, 0).prediction == pytest.approx(example.predictions[3])


def test_of_several_outputs_the_present_one_is_predicted():
    example = examples.mixed()
    rows = Rows.of(example.dec, example.X)
    both = [
        asked(lambda table: np.tile([1.0, 2.0], (len(table), 1)), rows, example.X, 0, {}, k).prediction for k in (0, 1)
    ]
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
def test_a_model_that_fails_is_quoted_and_stops_nothing(known, model, words):
    found = asked(model, known, examples.known().X, 0, {}, 0)
    assert found.prediction is None
    assert words in found.trouble


def test_a_row_without_edits_has_the_figures_of_the_rows(known):
    found = make_case(known, 3, 0, None, None).figures()
    assert found["waterfall"] == waterfall(known, 3, key="row-waterfall")
    assert found["force"] == force(known, 3, key="row-force")
    assert found["local"] == local_network(known, 3, key="row-network")


def test_an_edited_row_is_explained_by_its_new_values_and_its_figures_say_so(known):
    before = known.values[3].copy()
    case = make_case(known, 3, 0, np.array([0.5, 0.0, -0.5]), Reply(7.0))
    parts = {item.term: item.value for item in case.found.contributions}
    assert [parts[term] for term in ((0,), (1,), (0, 2))] == pytest.approx([1.0, -1.0, -1.0], abs=0.1)
    figures = case.figures()
    assert all(figure.title.endswith(EDITED) for figure in figures.values())
    data = figures["waterfall"].data
    assert {step.term: step.detail for step in data.steps}[0, 2] == "a = 0.5, c = −0.5"
    assert data.prediction == 7.0
    assert data.base + sum(step.value for step in data.steps) + data.remainder == pytest.approx(7.0)
    np.testing.assert_array_equal(known.values[3], before)


def test_the_prediction_is_that_of_the_rows_and_output_then_that_of_the_model(known):
    assert make_case(known, 3, 0, None, Reply(7.0)).found.prediction == pytest.approx(examples.known().predictions[3])
    both = examples.mixed().state().rows
    assert make_case(both, 3, 1, None, None).found.prediction == pytest.approx(examples.mixed().predictions[3, 1])
    without = examples.known().state(predicted=False).rows
    assert make_case(without, 3, 0, None, Reply(7.0)).found.prediction == 7.0
    assert make_case(without, 3, 0, None, Reply(None, "out of order")).found.prediction is None
    assert make_case(known, 3, 0, np.array([0.5, 0.0, -0.5]), None).found.prediction is None
