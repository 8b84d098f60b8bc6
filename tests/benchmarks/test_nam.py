"""Neural additive models: evaluated as written, trained until held-out rows stop improving, recovered by us."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from anova_report import explain
from anova_report.compare import agreement, attribute
from anova_report.compare.methods.agreement import counterpart_values
from anova_report.core.libraries import library
from anova_report.errors import InputError
from anova_report.measures import feature_totals
from benchmarks import nam
from benchmarks.nam import NAMClassifier, NAMRegressor, evaluate
from tests.compare.peers import needs
from tests.compare.test_recovery import CLOSE, LARGE, require_recovery, some, table

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


def test_networks_are_evaluated_layer_by_layer_with_a_rectifier_between() -> None:
    # For both features |x| = max(x, 0) + max(-x, 0); the second is doubled and shifted.
    first = (np.array([[[1.0, -1.0]], [[1.0, -1.0]]]), np.zeros((2, 2)))
    last = (np.array([[[1.0], [1.0]], [[2.0], [2.0]]]), np.array([[0.0], [3.0]]))
    numbers = np.array([[-1.5, 2.0], [0.5, -1.0]])
    np.testing.assert_allclose(evaluate([first, last], numbers), [[1.5, 7.0], [0.5, 5.0]])


def test_without_torch_trained_networks_are_evaluated_in_the_units_of_the_table(
    frame: pd.DataFrame, target: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    absolute = ((np.tile([[[1.0, -1.0]]], (2, 1, 1)), np.zeros((2, 2))), (np.ones((2, 2, 1)), np.zeros((2, 1))))
    monkeypatch.setattr(nam, "train", lambda *_: (absolute, 0.0))
    model = NAMRegressor(**FAST).fit(frame, target)
    expected = np.abs((frame - frame.mean()) / frame.std(ddof=0)) * target.std()
    np.testing.assert_allclose(model.shape_functions(frame), expected - expected.mean())
    np.testing.assert_allclose(model.predict(frame), target.mean() + expected.sum(axis=1))
    found = attribute("nam", model, frame[["b", "a"]])
    np.testing.assert_allclose(found.column("a")[1], model.shape_functions(frame)[:, 0], atol=1e-9)


@needs("torch")
def test_it_learns_an_additive_function_in_any_units(
    regressor: NAMRegressor, frame: pd.DataFrame, target: np.ndarray
) -> None:
    assert regressor.score(frame, target) > 0.97
    shapes = regressor.shape_functions(frame)
    assert np.corrcoef(shapes[:, 0], np.sin(2 * frame["a"]))[0, 1] > 0.95
    assert np.corrcoef(shapes[:, 1], frame["b"])[0, 1] > 0.99
    np.testing.assert_allclose(shapes.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(regressor.predict(frame), regressor.intercept_ + shapes.sum(axis=1))
    # Each function depends on its own feature only, and columns are matched by name.
    np.testing.assert_array_equal(shapes[:, 0], regressor.shape_functions(frame.assign(b=0.0))[:, 0])
    np.testing.assert_allclose(regressor.predict(frame[["b", "a"]]), regressor.predict(frame))


@needs("torch")
def test_the_same_seed_gives_the_same_model_and_the_global_generator_is_left_alone(
    regressor: NAMRegressor, frame: pd.DataFrame, target: np.ndarray
) -> None:
    torch = library("torch", "The test")
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    again = clone(regressor).fit(frame, target)
    np.testing.assert_array_equal(again.predict(frame), regressor.predict(frame))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    stored = pickle.loads(pickle.dumps(regressor))  # noqa: S301 our own bytes
    np.testing.assert_array_equal(stored.predict(frame), regressor.predict(frame))


@needs("torch")
def test_training_stops_on_noise_and_keeps_the_weights_of_the_best_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    constants: list[float] = []
    real = nam._Learner._epoch

    def recording(self: Any, *args: Any) -> None:
        real(self, *args)
        constants.append(float(self._arrays()[-1][0]))

    monkeypatch.setattr(nam._Learner, "_epoch", recording)
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 1))
    how = NAMRegressor(hidden=(16,), learning_rate=0.02, weight_decay=0.0, batch_size=32, patience=5, progress=False)
    _, constant = nam.train(numbers, numbers[:, 0] + 0.5 * rng.normal(size=300), "squared", how)
    assert len(constants) < 200  # noise cannot be learned, so patience runs out long before the last epoch
    assert constants.index(constant) == len(constants) - 1 - 5


@needs("torch")
def test_two_classes_have_probabilities_that_belong_to_the_logit(frame: pd.DataFrame) -> None:
    labels = np.where(frame["a"] > 0.3, "yes", "no")
    model = NAMClassifier(**FAST | {"max_epochs": 20}).fit(frame, labels)
    both = model.predict_proba(frame)
    np.testing.assert_allclose(np.log(both[:, 1] / both[:, 0]), model.decision_function(frame), atol=1e-9)
    assert model.score(frame, labels) > 0.95
    found = attribute("nam", model, frame, output="no")
    np.testing.assert_allclose(found.contributions[:, 0], -model.shape_functions(frame)[:, 0], atol=1e-9)


def test_what_a_nam_cannot_take_is_refused_with_a_sentence(frame: pd.DataFrame, target: np.ndarray) -> None:
    with pytest.raises(InputError, match="A NAM takes two classes; got 3"):
        NAMClassifier(**FAST).fit(frame, np.arange(1200) % 3)
    with pytest.raises(InputError, match="complete rows only"):
        NAMRegressor(**FAST).fit(frame.mask(frame["a"] > 2), target)
    with pytest.raises(InputError, match="numbers only"):
        NAMRegressor(**FAST).fit(frame.assign(town="Rome"), target)


@needs("torch")
@pytest.mark.parametrize(("name", "at_least"), [("bike_sharing", 5), ("diabetes", 6), ("electrical_grid", 8)])
def test_our_main_effects_recover_its_own_shape_functions(name: str, at_least: int) -> None:
    loaded = table(name)
    kind = NAMRegressor if loaded.dataset.positive is None else NAMClassifier
    X, y = some(loaded)
    model = kind(**FAST | {"max_epochs": 30}).fit(X, y)
    dec = explain(model, X, random_state=0, progress=False)
    require_recovery(agreement(dec, X, attribute("nam", model, X, like=dec)), at_least)


@needs("torch")
def test_california_housing_is_recovered_but_for_the_outermost_thousandth_of_each_feature() -> None:
    """A few districts have ten times the rooms of others: a network follows such values, a function of ranks cannot."""
    loaded = table("california_housing")
    X = loaded.numbers
    model = NAMRegressor(**FAST | {"max_epochs": 30}).fit(*some(loaded))
    dec = explain(model, X, random_state=0, progress=False)
    ours = counterpart_values(dec, dec.encode(X, reader="the test"), "main effect")
    theirs = model.shape_functions(X)
    large = [index for index, total in enumerate(feature_totals(dec).features) if total.share >= LARGE]
    assert len(large) >= 6
    for index in large:
        low, high = X.iloc[:, index].quantile([0.001, 0.999])
        inner = X.iloc[:, index].between(low, high).to_numpy()
        assert np.corrcoef(ours[inner, index], theirs[inner, index])[0, 1] >= CLOSE
