"""The four kinds of models: the split they share, how good they are, what they need."""

import importlib.util

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.blackboxes import KINDS, missing, performance, settings_of, split, train
from tests.benchmarks.stand_ins import small_dataset

FAST = {
    "ebm": {"max_bins": 16, "interactions": 1, "max_rounds": 200, "learning_rate": 0.05, "outer_bags": 1},
    "mlp": settings_of("mlp", "diabetes") | {"max_epochs": 60, "learning_rate": 0.01, "patience": 60},
    "nam": settings_of("nam", "diabetes") | {"max_epochs": 40, "learning_rate": 0.01, "hidden": (16, 16)},
    "xgb": {},
}


def need(model: str) -> None:
    """Skip what an optional library is missing for."""
    reason = missing(model)
    if reason:
        pytest.skip(f"{KINDS[model].title} {reason}")


@pytest.fixture(params=["xgb", "ebm", "mlp", "nam"])
def model(request) -> str:
    need(request.param)
    return request.param


@pytest.mark.parametrize("dataset", ["california_housing", "diabetes"])
def test_a_fifth_of_the_rows_is_kept_from_models_with_as_many_of_each_class(dataset):
    loaded = small_dataset(dataset)
    learned, kept = split(loaded)
    assert sorted([*learned, *kept]) == list(range(200))
    assert len(kept) == 40
    if dataset == "diabetes":
        assert loaded.y.iloc[kept].mean() == pytest.approx(loaded.y.mean(), abs=0.02)


@pytest.mark.parametrize("dataset", ["california_housing", "diabetes"])
def test_the_rows_kept_from_models_are_those_by_which_xgboost_stops(dataset):
    need("xgb")
    loaded = small_dataset(dataset)
    trained = train("xgb", loaded, {})
    _, kept = split(loaded)
    truth, said = loaded.y.to_numpy()[kept], trained.predictions[kept]
    told = trained.model.evals_result()["validation_0"]
    at = trained.model.best_iteration
    if dataset == "diabetes":
        chance = np.where(truth == 1, expit(said), expit(-said))
        assert told["logloss"][at] == pytest.approx(-np.mean(np.log(chance)), rel=1e-4)
    else:
        assert told["rmse"][at] == pytest.approx(np.sqrt(np.mean((truth - said) ** 2)), rel=1e-4)


def test_performance_is_measured_on_kept_rows_only():
    loaded = small_dataset("california_housing")
    learned, kept = split(loaded)
    predictions = loaded.y.to_numpy().copy()
    predictions[learned] = 1e6
    assert performance(loaded, predictions) == 1.0
    predictions[kept] = predictions[kept].mean()
    assert performance(loaded, predictions) == pytest.approx(0.0)


@pytest.mark.parametrize("dataset", ["california_housing", "diabetes"])
def test_a_model_predicts_every_row_and_has_learned_something(model, dataset):
    trained = train(model, small_dataset(dataset), FAST[model])
    assert trained.predictions.shape == (200,)
    assert trained.predictions.dtype == np.float64
    least = {"california_housing": 0.5, "diabetes": 0.7}[dataset]
    assert trained.performance > least
    assert trained.seconds > 0


def test_an_ebm_predicts_classes_by_the_logit_of_its_probability():
    need("ebm")
    loaded = small_dataset("diabetes")
    trained = train("ebm", loaded, FAST["ebm"])
    chance = trained.model.predict_proba(loaded.numbers)[:, 1]
    np.testing.assert_allclose(expit(trained.predictions), chance, atol=1e-9)
    assert sum(len(term) == 2 for term in trained.model.term_features_) == 1


def test_a_missing_library_is_told_with_its_cure(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else object())
    assert missing("mlp") == "needs the torch extra: pip install 'anova_report[torch]'"
    assert missing("nam") == missing("mlp")
    assert missing("xgb") is None
