"""Experiments on small stand-ins: which rows, which table, and figures that can be had in another way, too."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import measures
from benchmarks import blackboxes, experiments
from benchmarks.experiments import Experiment, decompose, explained, find_experiment, held_out_rows, make
from benchmarks.judge import r_squared
from tests.benchmarks.stand_ins import small_dataset

DATASET, MODEL = "electrical_grid", "xgb"


@pytest.fixture(scope="module")
def loaded():
    return small_dataset(DATASET, 400)


@pytest.fixture(scope="module")
def predictions(loaded):
    X = loaded.X
    return (np.tanh(X["a"]) + 0.5 * X["b"] + 0.5 * np.tanh(X["a"]) * np.tanh(X["b"])).to_numpy()


@pytest.fixture(scope="module")
def figures(loaded, predictions):
    return {name: decompose(DATASET, MODEL, name, loaded, predictions) for name in ("published", "ours")}


@pytest.mark.parametrize("name", ["published", "ours"])
def test_figures_on_the_rows_of_the_fit_are_those_of_a_fit_to_all_rows(name, figures, loaded, predictions):
    fitted = make(name, DATASET, MODEL).fit(loaded.X, predictions)
    found = figures[name]
    assert found.r2 == pytest.approx(r_squared(predictions, fitted.predict(loaded.X)))
    assert found.max_corr == measures.orthogonality(fitted.decomposition_).max_corr
    assert found.n_terms == sum(np.ptp(fitted.decomposition_.components(loaded.X), axis=0) > 0)
    assert found.seconds > 0


@pytest.mark.parametrize("name", ["published", "ours"])
def test_held_out_figures_are_those_of_a_fit_that_has_not_seen_the_rows(name, figures, loaded, predictions):
    test = held_out_rows(len(predictions))
    fitted = make(name, DATASET, MODEL).fit(loaded.X[~test], predictions[~test])
    assert figures[name].held_out_r2 == pytest.approx(r_squared(predictions[test], fitted.predict(loaded.X[test])))
    components, terms = fitted.decomposition_.components(loaded.X[test]), fitted.decomposition_.terms
    pair, part = (components[:, terms.index(term)] for term in ((0, 1), (0,)))
    cosine = abs(np.mean(pair * part)) / np.sqrt(np.mean(pair**2) * np.mean(part**2))
    assert figures[name].held_out_max_corr >= cosine - 1e-12
    assert figures[name].held_out_pair.startswith("a × b | ")
    assert figures[name].held_out_sd > 0


def test_text_and_missing_values_are_for_our_default_only():
    plain = small_dataset("census_income", 60)
    loaded = replace(plain, X=plain.X.assign(c=["?", "north", "south"] * 20))
    assert explained(loaded, "published")["c"].tolist()[:3] == [0.0, 1.0, 2.0]
    assert explained(loaded, "ours")["c"].isna().sum() == 20
    numbers = small_dataset("diabetes", 60)
    assert explained(numbers, "ours").equals(explained(numbers, "published"))


def test_an_experiment_loads_trains_and_says_what_it_is(monkeypatch):
    pytest.importorskip("xgboost", reason="needs xgboost, of the extra `bench`")
    monkeypatch.setattr(experiments, "load", small_dataset)
    made_up = blackboxes.Kind("XGBoost", (), lambda loaded, _: ("model", loaded.X["a"].to_numpy()))
    monkeypatch.setitem(blackboxes.KINDS, "xgb", made_up)
    one = find_experiment("diabetes", "xgb", rows=100)
    assert one == Experiment("diabetes", "xgb", 100)
    assert one.title == "Diabetes (Pima), XGBoost"
    loaded = one.load()
    assert len(loaded.X) == 100
    trained = one.train(loaded)
    np.testing.assert_array_equal(trained.predictions, loaded.X["a"])
    assert trained.performance == blackboxes.performance(loaded, trained.predictions)
