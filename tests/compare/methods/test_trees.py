"""TreeSHAP against Shapley values that are known on paper, and its sums against the predictions."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from anova_report.compare import agreement, attribute
from anova_report.compare.methods.shapley import trees_of
from anova_report.core.libraries import library
from anova_report.errors import InputError
from anova_report.report.sources.boosters import load_lightgbm, load_xgboost
from tests.compare.conftest import Case
from tests.compare.methods.test_kernel import exact_shapley
from tests.compare.peers import needs

pytestmark = needs("shap")


@pytest.fixture(scope="module")
def tree(factorial: Case) -> DecisionTreeRegressor:
    """A tree that predicts 2 x0 + x1 x2 exactly on all combinations of three binary features."""
    return DecisionTreeRegressor(random_state=0).fit(factorial.X, factorial.model(factorial.X))


@pytest.mark.parametrize("method", ["treeshap", "treeshap-interventional"])
def test_with_independent_inputs_they_are_the_exact_shapley_values(
    method: str, tree: DecisionTreeRegressor, factorial: Case
) -> None:
    settings = {} if method == "treeshap" else {"background": len(factorial.X)}
    found = attribute(method, tree, factorial.X, **settings)
    expected = exact_shapley(factorial.X, factorial.X)
    np.testing.assert_allclose(found.contributions, expected - expected.mean(axis=0), atol=1e-6)


@pytest.mark.parametrize("method", ["treeshap", "treeshap-interventional"])
def test_with_independent_inputs_they_are_our_shapley_values(
    method: str, tree: DecisionTreeRegressor, factorial: Case
) -> None:
    settings = {} if method == "treeshap" else {"background": len(factorial.X)}
    held = agreement(factorial.dec, factorial.X, attribute(method, tree, factorial.X, **settings))
    for item in held.features:
        assert item.correlation > 0.9999
        assert item.distance < 0.005 * item.ours + 1e-3


@needs("xgboost")
def test_trees_after_an_early_stop_are_not_counted(trees: Case) -> None:
    best = trees.model.best_iteration
    assert trees_of(trees.model).num_boosted_rounds() == best + 1 < trees.model.get_booster().num_boosted_rounds()
    found = attribute("treeshap", trees.model, trees.X, max_rows=50)
    # Contributions are centered over the rows, so sums and predictions may differ by a constant only.
    apart = found.contributions.sum(axis=1) - trees.model.predict(trees.X.iloc[found.rows])
    assert np.ptp(apart) < 1e-4


@needs("xgboost")
def test_two_classes_are_explained_as_logits_and_the_first_is_the_negative_of_the_second(tree_classes: Case) -> None:
    second = attribute("treeshap", tree_classes.model, tree_classes.X, max_rows=60)
    first = attribute("treeshap", tree_classes.model, tree_classes.X, max_rows=60, output=0)
    assert (second.scale, second.output, first.output) == ("logit", "1", "0")
    np.testing.assert_allclose(first.contributions, -second.contributions, atol=1e-6)
    margin = tree_classes.model.predict(tree_classes.X.iloc[second.rows], output_margin=True)
    assert np.ptp(second.contributions.sum(axis=1) - margin) < 1e-4


def test_a_scale_that_the_trees_do_not_hold_is_refused_with_the_one_they_do() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    forest = RandomForestClassifier(n_estimators=5, max_depth=2, random_state=0).fit(X, X[:, 0] > 0)
    with pytest.raises(InputError, match=r"TreeSHAP explains what is inside the model.*Try scale='probability'"):
        attribute("treeshap", forest, X)
    found = attribute("treeshap", forest, X, scale="probability")
    probabilities = forest.predict_proba(X)[:, 1]
    np.testing.assert_allclose(found.contributions.sum(axis=1), probabilities - probabilities.mean(), atol=1e-8)


@needs("xgboost")
def test_categories_reach_the_model_as_what_they_are() -> None:
    xgboost = library("xgboost", "The test")

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": pd.Categorical(rng.choice(["Oslo", "Rome"], 300)), "x": rng.normal(size=300)})
    target = (frame["town"] == "Rome") * 2.0 + frame["x"]
    model = xgboost.XGBRegressor(n_estimators=30, max_depth=3, enable_categorical=True, n_jobs=1).fit(frame, target)
    found = attribute("treeshap", model, frame)
    by_town = pd.Series(found.contributions[:, 0]).groupby(frame["town"].astype(str)).mean()
    assert by_town["Rome"] - by_town["Oslo"] == pytest.approx(2.0, abs=0.2)
    with pytest.raises(InputError, match="Interventional TreeSHAP takes columns of numbers only"):
        attribute("treeshap-interventional", model, frame)


def towns() -> tuple[pd.DataFrame, Any]:
    """A level and two numbers, and a target with noise."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "town": pd.Categorical(rng.choice(["Oslo", "Rome"], 300)),
            "x": rng.normal(size=300),
            "z": rng.normal(size=300),
        }
    )
    return frame, (frame["town"] == "Rome") * 2.0 + frame["x"] * frame["z"] + 0.3 * rng.normal(size=300)


def saved(library_name: str, frame: pd.DataFrame, target: Any, folder: Path) -> tuple[Any, Any]:
    """Train a boosted model, save it, and return it with what is loaded from the file."""
    module = library(library_name, "The test")
    if library_name == "lightgbm":
        model = module.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1).fit(frame, target)
        model.booster_.save_model(folder / "m.txt")
        return model, load_lightgbm(folder / "m.txt")
    model = module.XGBRegressor(n_estimators=20, enable_categorical=True, n_jobs=1).fit(frame, target)
    model.save_model(folder / "m.ubj")
    return model, load_xgboost(folder / "m.ubj")


BOTH = [pytest.param(name, marks=needs(name)) for name in ("lightgbm", "xgboost")]


@pytest.mark.parametrize("method", ["treeshap", "treeshap-interventional"])
@pytest.mark.parametrize("library_name", BOTH)
def test_a_model_from_a_file_is_explained_as_the_one_that_was_saved_whatever_the_order_of_columns(
    library_name: str, method: str, tmp_path: Path
) -> None:
    frame, target = towns()
    numbers = frame[["x", "z"]]
    model, loaded = saved(library_name, numbers, target, tmp_path)
    expected = attribute(method, model, numbers, max_rows=80).contributions
    turned = attribute(method, loaded, numbers[["z", "x"]], max_rows=80)
    assert turned.feature_names == ("z", "x")
    np.testing.assert_allclose(turned.contributions[:, ::-1], expected, atol=1e-6)


@pytest.mark.parametrize("library_name", BOTH)
def test_levels_of_a_model_from_a_file_may_come_as_text(library_name: str, tmp_path: Path) -> None:
    frame, target = towns()
    model, loaded = saved(library_name, frame, target, tmp_path)
    text = frame.assign(town=frame["town"].astype(str))[["x", "town", "z"]]
    expected = attribute("treeshap", model, frame).contributions
    np.testing.assert_allclose(attribute("treeshap", loaded, text).contributions, expected[:, [1, 0, 2]], atol=1e-6)


@needs("lightgbm")
@pytest.mark.parametrize("method", ["treeshap", "treeshap-interventional"])
def test_two_classes_of_a_lightgbm_file_are_explained_as_logits(method: str, tmp_path: Path) -> None:
    frame, target = towns()
    numbers = frame[["x", "z"]]
    settings = {"n_estimators": 20, "verbose": -1, "n_jobs": 1}
    model = library("lightgbm", "The test").LGBMClassifier(**settings).fit(numbers, target > 1)
    model.booster_.save_model(tmp_path / "m.txt")
    loaded = load_lightgbm(tmp_path / "m.txt")
    first, second = (attribute(method, loaded, numbers, output=output) for output in (0, 1))
    assert second.scale == "logit"
    assert np.ptp(second.contributions.sum(axis=1) - model.predict(numbers, raw_score=True)) < 1e-5
    np.testing.assert_allclose(first.contributions, -second.contributions)


def test_a_model_without_trees_is_refused_with_a_way_out(tree: DecisionTreeRegressor, factorial: Case) -> None:
    for model in (factorial.model, make_pipeline(StandardScaler(), tree).fit(factorial.X, factorial.X[:, 0])):
        with pytest.raises(InputError, match=r"TreeSHAP cannot read the trees of a .*Use kernelshap"):
            attribute("treeshap", model, factorial.X)
