"""Experiments on small stand-ins: which rows, which table, and figures that can be had in another way, too."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.errors import InputError
from benchmarks import blackboxes, experiments
from benchmarks.datasets import Loaded
from benchmarks.experiments import Experiment, decompose, explained, find_experiment, held_out_rows, make, some_rows
from benchmarks.judge import r_squared
from benchmarks.paper import TABLES
from tests.benchmarks.stand_ins import small_dataset

DATASET, MODEL = "electrical_grid", "xgb"


@pytest.fixture(scope="module")
def loaded():
    return small_dataset(DATASET, 400)


@pytest.fixture(scope="module")
def answers(loaded):
    X = loaded.X
    return (np.tanh(X["a"]) + 0.5 * X["b"] + 0.5 * np.tanh(X["a"]) * np.tanh(X["b"])).to_numpy()


@pytest.fixture(scope="module")
def figures(loaded, answers):
    return {name: decompose(DATASET, MODEL, name, loaded, answers) for name in ("published", "ours")}


@pytest.mark.parametrize("name", ["published", "ours"])
def test_figures_on_the_rows_of_the_fit_are_those_of_a_fit_to_all_rows(name, figures, loaded, answers):
    fitted = make(name, DATASET, MODEL).fit(loaded.X, answers)
    found = figures[name]
    assert found.r2 == pytest.approx(r_squared(answers, fitted.predict(loaded.X)))
    assert found.max_corr == measures.orthogonality(fitted.decomposition_).max_corr
    assert found.n_terms == sum(np.ptp(fitted.decomposition_.components(loaded.X), axis=0) > 0)
    assert found.seconds > 0


@pytest.mark.parametrize("name", ["published", "ours"])
def test_held_out_figures_are_those_of_a_fit_that_has_not_seen_the_rows(name, figures, loaded, answers):
    test = held_out_rows(len(answers))
    fitted = make(name, DATASET, MODEL).fit(loaded.X[~test], answers[~test])
    assert figures[name].held_out_r2 == pytest.approx(r_squared(answers[test], fitted.predict(loaded.X[test])))
    components, terms = fitted.decomposition_.components(loaded.X[test]), fitted.decomposition_.terms
    pair, part = (components[:, terms.index(term)] for term in ((0, 1), (0,)))
    cosine = abs(np.mean(pair * part)) / np.sqrt(np.mean(pair**2) * np.mean(part**2))
    assert figures[name].held_out_max_corr >= cosine - 1e-12
    assert figures[name].held_out_pair.startswith("a × b | ")
    assert figures[name].held_out_sd > 0


def test_what_can_be_explained_is_explained_by_both(figures):
    assert figures["published"].r2 > 0.95
    assert figures["ours"].held_out_r2 > 0.97
    assert figures["published"].n_columns <= 3 * 4 + 3 * 16


def test_the_published_method_has_the_settings_of_the_papers_row_and_ours_has_none():
    published = make("published", "diabetes", "xgb").get_params()
    assert published == TABLES["diabetes"]["xgb"].settings | {"scaling": "tanh"}
    assert make("ours", "diabetes", "xgb").get_params() == FunctionalANOVA(random_state=0, progress=False).get_params()


def test_without_an_interaction_there_is_no_cosine_to_speak_of(loaded):
    found = decompose(DATASET, MODEL, "ours", loaded, np.tanh(loaded.X["a"].to_numpy()))
    assert (found.held_out_max_corr, found.held_out_pair, found.n_above) == (0.0, "", 0)


def test_text_and_missing_values_are_for_our_default_only():
    plain = small_dataset("census_income", 60)
    loaded = replace(plain, X=plain.X.assign(c=["?", "north", "south"] * 20))
    assert explained(loaded, "published")["c"].tolist()[:3] == [0.0, 1.0, 2.0]
    assert explained(loaded, "ours")["c"].isna().sum() == 20
    numbers = small_dataset("diabetes", 60)
    assert explained(numbers, "ours").equals(explained(numbers, "published"))


def test_some_rows_are_always_the_same_and_in_order():
    loaded = small_dataset(DATASET)
    few = some_rows(loaded, 50)
    assert isinstance(few, Loaded)
    assert few.X.index.is_monotonic_increasing
    assert few.X.index.equals(few.y.index)
    assert some_rows(loaded, 50).X.equals(few.X)
    assert len(few.X) == 50
    assert some_rows(loaded, None) is some_rows(loaded, 200) is loaded


def test_a_fifth_of_the_rows_is_held_out():
    test = held_out_rows(10_000)
    assert 0.19 < test.mean() < 0.21
    np.testing.assert_array_equal(held_out_rows(10_000), test)


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
    np.testing.assert_array_equal(trained.answers, loaded.X["a"])
    assert trained.performance == blackboxes.performance(loaded, trained.answers)


def test_an_experiment_may_have_fewer_bags_than_usual():
    assert Experiment("diabetes", "ebm").settings["outer_bags"] == blackboxes.BAGS
    assert Experiment("diabetes", "ebm", bags=3).settings["outer_bags"] == 3


@pytest.mark.parametrize(
    ("asked", "words"),
    [(("iris", "xgb"), "There is no dataset 'iris'"), (("diabetes", "forest"), "There is no model 'forest'")],
)
def test_unknown_names_are_refused_with_those_known(asked, words):
    with pytest.raises(InputError, match=words):
        find_experiment(*asked)


def test_a_missing_library_is_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(experiments, "missing", lambda _: "needs the torch extra: pip install it")
    with pytest.raises(InputError, match="MLP needs the torch extra"):
        find_experiment("diabetes", "mlp")
