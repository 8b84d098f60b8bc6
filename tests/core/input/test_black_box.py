from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from anova_report.core import progress
from anova_report.core.input.black_box import ask
from anova_report.core.input.table import open_table
from anova_report.errors import InputError, InputTypeError, ModelError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
LABELS = np.where(X[:, 0] + RNG.normal(size=60) > 0, ">50K", "<=50K")
THREE = np.digitize(X[:, 0] + RNG.normal(size=60), [-0.5, 0.5])
TABLE = open_table(X)


def first(rows):
    return np.asarray(rows)[:, 0]


def classifier(probabilities, classes=("no", "yes")):
    """Prediction the rows of a table that holds only their positions."""
    table = np.asarray(probabilities)
    return SimpleNamespace(predict_proba=lambda rows: table[np.asarray(rows)[:, 0].astype(int)], classes_=list(classes))


def positions(n_rows):
    return open_table(np.arange(float(n_rows))[:, None])


@pytest.mark.parametrize("convert", [list, pd.Series, pl.Series, lambda values: values[:, None]])
def test_a_function_may_predict_in_any_form(convert):
    np.testing.assert_array_equal(ask(lambda rows: convert(first(rows)), TABLE).values[:, 0], X[:, 0])


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (1, r"^There is no output 1: the model returns 1 column\(s\)\.$"),
        ("b", r"names no classes, so output must be the position of a column; got 'b'"),
    ],
)
def test_an_output_the_function_does_not_have_is_refused(output, words):
    with pytest.raises(InputError, match=words):
        ask(first, TABLE, output=output)


def test_two_classes_are_asked_for_the_logit_of_the_second():
    model = LogisticRegression().fit(X, LABELS)
    predictions = ask(model, TABLE)
    assert (predictions.names, predictions.single, predictions.scale) == ((">50K",), True, "logit")
    np.testing.assert_allclose(predictions.values[:, 0], model.decision_function(X), rtol=1e-9, atol=1e-12)


def test_probabilities_are_handed_over_as_the_model_gives_them():
    model = LogisticRegression().fit(X, LABELS)
    predictions = ask(model, TABLE, scale="probability", output="<=50K")
    assert (predictions.names, predictions.scale) == (("<=50K",), "probability")
    np.testing.assert_array_equal(predictions.values[:, 0], model.predict_proba(X)[:, 0])


@pytest.mark.parametrize("output", [2, "2", np.int64(2)])
def test_a_class_may_be_named_by_its_label_or_by_its_text(output):
    model = LogisticRegression().fit(X, THREE)
    predictions = ask(model, TABLE, scale="probability", output=output)
    assert (predictions.names, predictions.single) == (("2",), True)
    np.testing.assert_array_equal(predictions.values[:, 0], model.predict_proba(X)[:, 2])


def test_several_classes_all_come_by_default_each_against_the_rest():
    model = LogisticRegression().fit(X, THREE)
    p = model.predict_proba(X)
    predictions = ask(model, TABLE)
    assert (predictions.names, predictions.single) == (("0", "1", "2"), False)
    np.testing.assert_allclose(predictions.values, np.log(p / (1 - p)), rtol=1e-9, atol=1e-12)


def test_a_class_the_model_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(InputError, match=r"^The model has no class 'rich'; its classes are '<=50K', '>50K'\.$"):
        ask(LogisticRegression().fit(X, LABELS), TABLE, output="rich")


def test_probabilities_without_class_names_are_chosen_by_position():
    model = SimpleNamespace(predict_proba=lambda rows: np.tile([0.25, 0.75], (len(rows), 1)))
    assert ask(model, TABLE, scale="probability").names == ("prediction 0", "prediction 1")
    assert ask(model, TABLE, scale="probability", output=1).values[0, 0] == 0.75


def test_margins_of_two_classes_have_the_sign_of_the_class_that_is_asked_for():
    model = RidgeClassifier().fit(X, LABELS)
    predictions = ask(model, TABLE)
    assert (predictions.names, predictions.scale) == ((">50K",), "margin")
    np.testing.assert_array_equal(predictions.values[:, 0], model.decision_function(X))
    np.testing.assert_array_equal(ask(model, TABLE, output="<=50K").values[:, 0], -model.decision_function(X))


@pytest.mark.parametrize("second", [THREE, THREE > 0])
def test_a_classifier_with_several_outputs_is_refused_with_a_way_out(second):
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.column_stack([THREE, second]))
    with pytest.raises(
        InputError, match=r"^RandomForestClassifier has 2 outputs with classes of their own\. Pass a fun"
    ):
        ask(model, TABLE)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(InputTypeError, match="of type str, which is neither callable nor has predict"):
        ask("model.joblib", TABLE)


@pytest.mark.parametrize("convert", [np.asarray, np.ndarray.tolist])
def test_a_table_that_came_as_numbers_is_handed_over_as_arrays(convert):
    seen = []
    ask(lambda rows: seen.append(rows) or first(rows), open_table(convert(X)), batch_size=25)
    assert all(isinstance(rows, np.ndarray) for rows in seen)
    np.testing.assert_array_equal(np.concatenate(seen), X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_is_handed_over_as_the_frame_it_is_with_its_columns_in_their_order(frame):
    table = frame({"b": X[:, 0], "a": X[:, 1], "kind": LABELS})
    seen = []

    def model(rows):
        seen.append(rows)
        return np.zeros(len(rows))

    ask(model, open_table(table), batch_size=25)
    assert all(type(rows) is type(table) for rows in seen)
    assert {tuple(getattr(rows, "column_names", rows.columns)) for rows in seen} == {("b", "a", "kind")}
    assert [len(rows) for rows in seen] == [25, 25, 10]


@pytest.mark.parametrize("batch_size", [1, 7, 60, 1000])
def test_the_size_of_the_batches_changes_nothing(batch_size):
    sizes = []
    predictions = ask(lambda rows: sizes.append(len(rows)) or first(rows), TABLE, batch_size=batch_size)
    np.testing.assert_array_equal(predictions.values[:, 0], X[:, 0])
    assert max(sizes) == min(batch_size, 60)
    assert sum(sizes) == 60


@pytest.mark.parametrize("batch_size", [0, -1, 2.5])
def test_a_batch_size_that_is_no_size_is_refused(batch_size):
    with pytest.raises(InputError, match=f"^batch_size must be a whole number of at least 1; got {batch_size}"):
        ask(first, TABLE, batch_size=batch_size)


def test_a_pipeline_trained_on_a_frame_can_be_asked_and_explained():
    frame = pd.DataFrame({"kind": THREE.astype(str), "a": X[:, 0], "b": X[:, 1]})
    columns = ColumnTransformer([("kind", OneHotEncoder(), ["kind"])], remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression()).fit(frame, LABELS)
    predictions = ask(model, open_table(frame), batch_size=16)
    assert predictions.names == (">50K",)
    np.testing.assert_allclose(predictions.values[:, 0], model.decision_function(frame), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("output", [None, "no"])
def test_a_certain_model_has_no_logit_and_is_told_to_use_probabilities(output):
    model = classifier([[0.5, 0.5], [0.0, 1.0], [0.3, 0.7], [1.0, 0.0]])
    words = r"probability is exactly 0 or 1 in 2 row\(s\), first at position 1, 3, .*with scale='probability'\."
    with pytest.raises(ModelError, match=words) as caught:
        ask(model, positions(4), output=output, scale="logit")
    assert caught.value.rows == (1, 3)
    assert caught.value.predictions.shape == (4, 2)
    assert ask(model, positions(4), output=output, scale="probability").values.shape == (4, 1)


@pytest.mark.parametrize(("wanted", "n_sure"), [("a", 2), ("b", 0)])
def test_log_odds_are_explained_where_they_exist_and_probabilities_otherwise(wanted, n_sure):
    """Only what is asked for must have log-odds."""
    model = classifier([[0.5, 0.3, 0.2], [0.0, 0.6, 0.4], [0.4, 0.3, 0.3], [0.0, 0.5, 0.5]], classes=("a", "b", "c"))
    found = ask(model, positions(4), output=wanted)
    assert found.scale == ("probability" if n_sure else "logit")
    assert found.note.endswith(f"exactly 0 or 1 in {n_sure} of 4 rows, where log-odds are infinite.") == bool(n_sure)
    again = ask(model, positions(4), output=wanted, scale=found.scale)
    np.testing.assert_array_equal(found.values, again.values)
    assert not again.note


def test_a_scikit_learn_model_that_was_trained_on_an_array_takes_the_rows_of_a_frame():
    """Without its warning of names, which are an error in these tests."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = LogisticRegression().fit(X, X[:, 0] > 0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    # Products of matrices round by the order of their entries in memory.
    np.testing.assert_allclose(ask(model, open_table(frame)).values, ask(model, open_table(X)).values, rtol=1e-12)


@pytest.mark.parametrize(("output", "sign"), [("yes", 1), ("no", -1)])
def test_a_probability_that_rounds_to_one_has_the_logit_its_counterpart_tells(output, sign):
    model = classifier([[1e-30, 1.0], [1.0, 1e-30]])
    expected = sign * 30 * np.log(10) * np.array([1, -1])
    np.testing.assert_allclose(ask(model, positions(2), output=output).values[:, 0], expected)


def test_a_slow_run_shows_a_bar_on_stderr_unless_told_not_to(capfd, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    ask(first, TABLE, batch_size=5, progress=False)
    assert capfd.readouterr().err == ""
    ask(first, TABLE, batch_size=5, progress=True)
    captured = capfd.readouterr()
    assert "asking the model" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_a_model_that_writes_into_its_rows_leaves_the_table_alone(kind):
    rows = kind(np.arange(12.0).reshape(6, 2))

    def greedy(given):
        given[:] = 0.0
        return np.zeros(len(given))

    ask(greedy, open_table(rows), progress=False)
    np.testing.assert_array_equal(np.asarray(rows), np.arange(12.0).reshape(6, 2))


def test_a_model_that_leaves_the_program_has_failed():
    def leave(_):
        raise SystemExit(0)

    with pytest.raises(ModelError, match="SystemExit: 0"):
        ask(leave, TABLE, progress=False)
