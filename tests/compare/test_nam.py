"""Neural additive models: additive, seeded, and trained as far as held-out rows allow."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from anova_report import explain
from anova_report.compare import NAMClassifier, NAMRegressor, agreement, attribute
from anova_report.core.libraries import library
from anova_report.errors import InputError
from tests.compare.conftest import Case
from tests.compare.peers import needs

pytestmark = needs("torch")

FAST = {"hidden": (16, 16), "max_epochs": 60, "patience": 10, "learning_rate": 5e-3, "progress": False}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.normal(size=1200)
    return pd.DataFrame({"a": a, "b": 100 + 50 * (a + rng.normal(size=1200))})


@pytest.fixture(scope="module")
def target(frame: pd.DataFrame) -> np.ndarray:
    return 1000 + 20 * np.sin(2 * frame["a"].to_numpy()) + 0.4 * frame["b"].to_numpy()


@pytest.fixture(scope="module")
def regressor(frame: pd.DataFrame, target: np.ndarray) -> NAMRegressor:
    return NAMRegressor(**FAST).fit(frame, target)


def test_it_learns_an_additive_function_in_any_units(
    regressor: NAMRegressor, frame: pd.DataFrame, target: np.ndarray
) -> None:
    assert regressor.score(frame, target) > 0.97
    shapes = regressor.shape_functions(frame)
    assert np.corrcoef(shapes[:, 0], np.sin(2 * frame["a"]))[0, 1] > 0.95
    assert np.corrcoef(shapes[:, 1], frame["b"])[0, 1] > 0.99


def test_answers_are_the_intercept_and_the_shape_functions(regressor: NAMRegressor, frame: pd.DataFrame) -> None:
    shapes = regressor.shape_functions(frame)
    np.testing.assert_allclose(regressor.predict(frame), regressor.intercept_ + shapes.sum(axis=1))
    np.testing.assert_allclose(shapes.mean(axis=0), 0.0, atol=1e-9)
    assert regressor.intercept_ == pytest.approx(regressor.predict(frame).mean())


def test_a_shape_depends_on_its_own_feature_only(regressor: NAMRegressor, frame: pd.DataFrame) -> None:
    changed = frame.assign(b=0.0)
    np.testing.assert_array_equal(regressor.shape_functions(frame)[:, 0], regressor.shape_functions(changed)[:, 0])


def test_our_main_effects_recover_its_own_shape_functions(regressor: NAMRegressor, frame: pd.DataFrame) -> None:
    dec = explain(regressor, frame, random_state=0, progress=False)
    held = agreement(dec, frame, attribute("nam", regressor, frame, like=dec))
    large = [item for item in held.features if item.share >= 0.01]
    assert large
    assert all(item.correlation >= 0.98 for item in large)


def test_the_same_seed_gives_the_same_model_and_the_global_generator_is_left_alone(
    regressor: NAMRegressor, frame: pd.DataFrame, target: np.ndarray
) -> None:
    torch = library("torch", "The test")

    before, threads = torch.get_rng_state(), torch.get_num_threads()
    again = clone(regressor).fit(frame, target)
    np.testing.assert_array_equal(again.predict(frame), regressor.predict(frame))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    other = clone(regressor).set_params(random_state=1, max_epochs=3).fit(frame, target)
    assert not np.allclose(other.predict(frame), regressor.predict(frame))


def test_it_can_be_stored_and_answers_without_torch(regressor: NAMRegressor, frame: pd.DataFrame) -> None:
    loaded = pickle.loads(pickle.dumps(regressor))  # noqa: S301 our own bytes
    np.testing.assert_array_equal(loaded.predict(frame), regressor.predict(frame))


def test_columns_are_matched_by_name(regressor: NAMRegressor, frame: pd.DataFrame) -> None:
    np.testing.assert_allclose(regressor.predict(frame[["b", "a"]]), regressor.predict(frame))


def test_two_classes_have_probabilities_that_belong_to_the_logit(frame: pd.DataFrame) -> None:
    labels = np.where(frame["a"] > 0.3, "yes", "no")
    model = NAMClassifier(**FAST | {"max_epochs": 20}).fit(frame, labels)
    both = model.predict_proba(frame)
    np.testing.assert_allclose(both.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(both[:, 1] / both[:, 0]), model.decision_function(frame), atol=1e-9)
    assert model.score(frame, labels) > 0.95
    found = attribute("nam", model, frame, output="no")
    np.testing.assert_allclose(found.contributions[:, 0], -model.shape_functions(frame)[:, 0], atol=1e-9)


def test_what_a_nam_cannot_take_is_refused_with_a_sentence(frame: pd.DataFrame, target: np.ndarray) -> None:
    with pytest.raises(InputError, match="A NAM tells two classes apart, and 3 came"):
        NAMClassifier(**FAST).fit(frame, np.arange(1200) % 3)
    with pytest.raises(InputError, match="complete rows only"):
        NAMRegressor(**FAST).fit(frame.mask(frame["a"] > 2), target)
    with pytest.raises(InputError, match="numbers only"):
        NAMRegressor(**FAST).fit(frame.assign(town="Rome"), target)


def test_to_the_answers_of_another_model_a_nam_is_fitted(independent: Case) -> None:
    found = attribute("nam", independent.model, independent.X, max_rows=500, max_epochs=40, progress=False)
    assert "A NAM fitted to the answers: R²" in found.note
    assert np.corrcoef(found.contributions[:, 0], independent.X[found.rows, 0])[0, 1] > 0.99
