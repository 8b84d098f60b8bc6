from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from anova_report import FunctionalANOVA, explain
from anova_report.core.estimator import AnovaRegressor, PublishedANOVA
from anova_report.errors import InputError, ModelError


def refused(estimator: AnovaRegressor) -> dict[str, str]:
    names = ("check_sample_weights_not_overwritten", "check_sample_weight_equivalence_on_dense_data")
    return dict.fromkeys(names if isinstance(estimator, PublishedANOVA) else (), "the published method has no weights")


@parametrize_with_checks(
    [FunctionalANOVA(), FunctionalANOVA.published(K=2, d=3, d_density=2)], expected_failed_checks=refused
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(400, 3)), columns=["age", "hours", "pay"])


def test_the_published_estimator_speaks_the_papers_words():
    papers = {"K": 1, "d": 7, "d_density": 3, "density_clip": 0.1, "scaling": None}
    own = {"standardise": True, "max_steps": 9}
    estimator = FunctionalANOVA.published(**papers, **own)
    assert isinstance(estimator, PublishedANOVA)
    assert clone(estimator).get_params() == papers | own


def test_feature_names_are_learned_from_a_frame_and_forgotten_with_an_array(frame):
    estimator = FunctionalANOVA(max_order=1).fit(frame, frame["age"] + frame["pay"])
    assert estimator.feature_names_in_.tolist() == ["age", "hours", "pay"]
    estimator.fit(frame.to_numpy(), frame["age"] + frame["pay"])
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.decomposition_.feature_names == ("x0", "x1", "x2")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"K": 0}, "K must be a whole number of at least 1; got 0"),
        ({"d": 2.5}, "d must be a whole number"),
        ({"d_density": -1}, "d_density must be"),
        ({"max_steps": 0}, "max_steps must be a whole number of at least 1; got 0"),
        ({"density_clip": 0}, "density_clip must be above 0"),
        ({"scaling": "rank"}, "scaling must be 'tanh' or None; got 'rank'"),
        ({"scaling": None}, r"column 'age' runs from -\d"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_words(frame, settings, message):
    with pytest.raises(InputError, match=message):
        FunctionalANOVA.published(**settings).fit(frame, frame["age"])


def test_the_published_method_says_what_it_cannot_take(frame):
    mixed = frame.assign(job=["a", "b"] * 200)
    with pytest.raises(InputError, match="Column 'job' holds text, and the published method is defined for numbers"):
        FunctionalANOVA.published().fit(mixed, frame["age"])
    holes = frame.mask(frame > 2)
    with pytest.raises(InputError, match=r"Column 'age' has missing values \(NaN\) in \d+ row"):
        FunctionalANOVA.published().fit(holes, frame["age"])


def test_explain_decomposes_a_model_that_was_trained_on_a_frame(frame):
    model = LinearRegression().fit(frame, frame["age"] - 2 * frame["hours"])
    dec = explain(model, frame, max_order=1)
    assert r2_score(model.predict(frame), dec.predict(frame)) > 0.95
    assert dec.feature_names == ("age", "hours", "pay")


def test_a_constant_column_of_predictions_is_an_error_but_a_constant_model_is_a_fact(frame):
    with pytest.raises(InputError, match=r"The predictions are constant: 2\.0 in all 400 rows"):
        FunctionalANOVA().fit(frame, np.full(400, 2.0))
    dec = explain(lambda rows: np.full(len(rows), 2.0), frame)
    assert dec.mean == 2.0
    assert not dec.components(frame).any()


def test_a_model_that_fails_names_its_rows(frame):
    def model(rows: pd.DataFrame) -> np.ndarray:
        if rows.index[0] >= 200:
            raise ZeroDivisionError("no pay")
        return rows["age"].to_numpy()

    with pytest.raises(ModelError, match="rows 200 to 299: ZeroDivisionError: no pay") as caught:
        explain(model, frame, batch_size=100)
    assert len(caught.value.predictions) == 200


def test_the_seed_that_was_drawn_is_remembered_and_makes_the_same_fit_again(tmp_path):
    X = np.random.default_rng(0).normal(size=(600, 2))
    drawn = FunctionalANOVA(random_state=np.random.default_rng(5)).fit(X, X[:, 0] * X[:, 1]).decomposition_
    seed = drawn.settings["random_state"]
    again = FunctionalANOVA(random_state=seed).fit(X, X[:, 0] * X[:, 1]).decomposition_
    np.testing.assert_array_equal(drawn.predict(X), again.predict(X))
    drawn.save(tmp_path / "dec.json")


@pytest.mark.parametrize("random_state", [-1, "a", 1.5])
def test_a_seed_that_is_none_is_refused_in_words(random_state):
    X = np.random.default_rng(0).normal(size=(300, 2))
    with pytest.raises(InputError, match="random_state must be a whole number"):
        FunctionalANOVA(random_state=random_state).fit(X, X[:, 0])


RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(200, 3))
FRAME = pd.DataFrame(X, columns=["age", "hours", "pay"])
PREDICTIONS = X[:, 0] + X[:, 1] * X[:, 2]
BOTH = np.column_stack([PREDICTIONS, 10 * X[:, 2]])


def published(**settings: Any) -> AnovaRegressor:
    return FunctionalANOVA.published(**{"K": 2, "d": 2, "d_density": 1, "scaling": None, **settings})


@pytest.mark.parametrize("predictions", [PREDICTIONS, BOTH, PREDICTIONS[:, None]], ids=["one", "two", "one column"])
def test_predictions_are_those_of_the_decomposition_in_the_shape_of_the_predictions(predictions):
    estimator = published().fit(X, predictions)
    assert estimator.predict(X).shape == predictions.shape
    np.testing.assert_array_equal(estimator.predict(X), estimator.decomposition_.predict(X))


def test_a_second_fit_forgets_the_first():
    two_columns = FRAME[["pay", "age"]]
    again = published().fit(FRAME, PREDICTIONS).fit(two_columns, BOTH)
    assert again.n_features_in_ == 2
    assert again.feature_names_in_.tolist() == ["pay", "age"]
    alone = published().fit(two_columns, BOTH)
    np.testing.assert_array_equal(again.predict(two_columns), alone.predict(two_columns))


@pytest.mark.parametrize("estimator", [FunctionalANOVA(max_order=1, random_state=0), published(K=1)])
def test_a_wrong_number_of_columns_is_told_with_the_estimators_name(estimator):
    estimator.fit(X[:60], PREDICTIONS[:60])
    words = f"X has 2 features, but {type(estimator).__name__} is expecting 3 features"
    with pytest.raises(InputError, match=words):
        estimator.predict(X[:, :2])


def test_an_estimator_is_a_step_of_a_pipeline_and_can_be_cross_validated():
    pipeline = make_pipeline(StandardScaler(), published(scaling="tanh", d=4))
    assert cross_val_score(pipeline, X, PREDICTIONS, cv=3).min() > 0.9
