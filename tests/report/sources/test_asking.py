import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from anova_report.core.input.features import Feature
from anova_report.core.input.recombination import Recombination
from anova_report.errors import InputError, ModelError
from anova_report.report.sources.asking import (
    ModelColumns,
    at_exposure_of_1,
    model_columns,
    predictions_in_columns,
    predictions_of_model,
    questions_to_model,
)


def features(*names: str) -> list[Feature]:
    return [Feature(name, "numeric") for name in names]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 1.0, 0.0], "p": [0.2, 0.5, 0.5, 0.9], "q": [1, 2, 3, 4]}
    )


def test_one_column_is_one_prediction_named_after_it(frame):
    predictions = predictions_in_columns(frame, ["q"])
    assert predictions.values.ravel().tolist() == [1.0, 2.0, 3.0, 4.0]
    assert predictions.names == ("q",)
    assert predictions.single
    assert predictions.scale == "identity"


def test_several_columns_are_several_outputs(frame):
    predictions = predictions_in_columns(frame, ["q", "p"])
    assert predictions.names == ("q", "p")
    assert not predictions.single
    np.testing.assert_array_equal(predictions.values[:, 1], frame["p"])


def test_probabilities_become_logits_when_asked(frame):
    predictions = predictions_in_columns(frame, ["p"], "logit")
    np.testing.assert_allclose(predictions.values[:, 0], [np.log(0.25), 0, 0, np.log(9)])
    assert predictions.scale == "logit"
    np.testing.assert_array_equal(predictions_in_columns(frame, ["p"], "probability").values[:, 0], frame["p"])


@pytest.mark.parametrize(
    ("values", "scale", "words"),
    [
        ([0.1, np.nan, 0.3, np.inf], None, r"missing or infinite in 2 row\(s\), first in row\(s\) 2, 4"),
        ([0.1, 0.0, 0.3, 1.0], "logit", r"exactly 0 or 1 in 2 row\(s\), first in row\(s\) 2, 4.*--scale probability"),
        ([0.1, -3.0, 0.3, 8.0], "logit", "goes from -3 to 8, so it holds no probabilities"),
        ([0.1, 1.5, 0.3, 0.2], "probability", "goes from 0.1 to 1.5"),
    ],
)
def test_predictions_that_are_none_are_refused_with_their_rows(frame, values, scale, words):
    with pytest.raises(InputError, match=words):
        predictions_in_columns(frame.assign(p=values), ["p"], scale)


def test_a_model_with_names_takes_its_columns_in_its_order(frame):
    model = LinearRegression().fit(frame[["b", "a"]], frame["q"])
    columns = model_columns(model, frame, ["a", "b", "p"])
    assert columns.table == ("b", "a")
    predictions = predictions_of_model(model, frame, columns, progress=False)
    np.testing.assert_allclose(predictions.values[:, 0], model.predict(frame[["b", "a"]]))


def test_a_column_the_model_needs_and_the_table_lacks_is_named(frame):
    model = LinearRegression().fit(frame[["a", "b"]], frame["q"])
    with pytest.raises(InputError, match=r"The model needs the column\(s\) 'b', which the table does not have"):
        model_columns(model, frame[["a"]], ["a"])


def test_a_model_without_names_takes_what_is_left_if_the_number_fits(frame):
    model = LinearRegression().fit(frame[["a", "b"]].to_numpy(), frame["q"])
    columns = model_columns(model, frame, ["a", "b"])
    predictions = predictions_of_model(model, frame, columns, progress=False)
    np.testing.assert_allclose(predictions.values[:, 0], model.predict(frame[["a", "b"]].to_numpy()))
    with pytest.raises(InputError, match="The model takes 2 columns, but 3 are left of the table: 'a', 'b', 'p'"):
        model_columns(model, frame, ["a", "b", "p"])


def test_classes_are_asked_on_the_logit_scale_unless_asked_otherwise(frame):
    model = LogisticRegression().fit(frame[["a"]], ["no", "no", "yes", "yes"])
    columns = model_columns(model, frame, ["a"])
    logits = predictions_of_model(model, frame, columns, progress=False)
    assert (logits.scale, logits.names) == ("logit", ("yes",))
    np.testing.assert_allclose(logits.values[:, 0], model.decision_function(frame[["a"]]))
    shown = predictions_of_model(model, frame, columns, scale="probability", output="no", progress=False)
    np.testing.assert_allclose(shown.values[:, 0], model.predict_proba(frame[["a"]])[:, 0])


def test_the_position_of_an_output_may_be_typed(frame):
    def both(rows: pd.DataFrame) -> np.ndarray:
        return rows[["a", "b"]].to_numpy()

    columns = model_columns(both, frame, ["a", "b"])
    assert predictions_of_model(both, frame, columns, output="1", progress=False).values[:, 0].tolist() == [4, 1, 1, 0]


def test_a_model_that_fails_or_predicts_nothing_is_the_models_error(frame):
    columns = ModelColumns(("a",), ("a",))
    with pytest.raises(ModelError, match="The model failed on rows 0 to 3: ZeroDivisionError"):
        predictions_of_model(lambda _: 1 / 0, frame, columns, progress=False)
    with pytest.raises(ModelError, match=r"NaN or infinity in 4 row\(s\)"):
        predictions_of_model(lambda rows: rows["a"] * np.nan, frame, columns, progress=False)


def test_recombined_rows_change_explained_columns_only_and_are_named_as_the_model_names_them(frame):
    asked = []

    def model(rows: pd.DataFrame) -> np.ndarray:
        asked.append(rows)
        return np.asarray(rows["A"] + rows["Q"])

    columns = ModelColumns(("q", "a"), ("Q", "A"))
    found = questions_to_model(model, frame.iloc[1:], columns, features("a", "b"), 2, scale="identity", progress=False)
    taken = np.array([[True, False], [False, True]])
    values, known = found.ask(Recombination(np.array([0, 1]), np.array([2, 0]), taken, np.array([0, 1])))
    assert asked[0].to_dict("list") == {"Q": [2, 3], "A": [4.0, 3.0]}
    assert (values.ravel().tolist(), known.tolist()) == ([6.0, 6.0], [True, True])
    assert questions_to_model(model, frame, columns, features("a"), 0, scale="identity") is None


def test_an_output_that_was_typed_is_the_same_one_at_recombined_rows(frame):
    columns = ModelColumns(("a", "b"), ("a", "b"))
    found = questions_to_model(
        lambda rows: rows.to_numpy(),
        frame,
        columns,
        features("a", "b"),
        1,
        scale="identity",
        output="1",
        progress=False,
    )
    plan = Recombination(np.array([0]), np.array([3]), np.array([[False, True]]), np.array([1]))
    assert found.ask(plan)[0].tolist() == [[0.0]]


def test_an_exposure_may_have_any_name(frame):
    rows = frame.rename(columns={"a": "self"})
    made = at_exposure_of_1(rows, "self")
    assert made["self"].tolist() == [1.0] * 4
    assert rows["self"].tolist() == frame["a"].tolist()
