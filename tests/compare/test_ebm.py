"""EBMs are additive by construction: their own shape functions are the truth that we must recover."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.compare import agreement, attribute
from anova_report.compare.libraries import library
from anova_report.errors import InputError
from tests.compare.conftest import Case
from tests.compare.peers import needs

pytestmark = needs("interpret")

FAST = {"outer_bags": 1, "max_rounds": 200, "n_jobs": 1, "random_state": 0}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Dependent numbers and a level."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=1500)
    town = np.where(a + rng.normal(size=1500) > 0, "Rome", "Oslo")
    return pd.DataFrame({"a": a, "b": 0.8 * a + 0.6 * rng.normal(size=1500), "town": pd.Categorical(town)})


@pytest.fixture(scope="module")
def regressor(frame: pd.DataFrame) -> Any:
    target = np.sin(2 * frame["a"]) + frame["b"] ** 2 + (frame["town"] == "Rome")
    return library("interpret.glassbox", "EBM").ExplainableBoostingRegressor(interactions=0, **FAST).fit(frame, target)


def test_our_main_effects_recover_its_own_shape_functions(regressor: Any, frame: pd.DataFrame) -> None:
    dec = explain(regressor, frame, random_state=0, progress=False)
    held = agreement(dec, frame, attribute("ebm", regressor, frame, like=dec))
    large = [item for item in held.features if item.share >= 0.01]
    assert len(large) == 3
    assert all(item.correlation >= 0.98 for item in large)
    assert all(item.distance < 0.15 * item.theirs for item in large)


def test_native_functions_add_up_to_the_answers(regressor: Any, frame: pd.DataFrame) -> None:
    found = attribute("ebm", regressor, frame)
    answers = regressor.predict(frame)
    np.testing.assert_allclose(found.contributions.sum(axis=1), answers - answers.mean(), atol=1e-8)
    assert found.note == "All 1,500 rows."


def test_terms_are_put_in_the_order_of_the_table(regressor: Any, frame: pd.DataFrame) -> None:
    straight, turned = (attribute("ebm", regressor, frame[order]) for order in (["a", "b", "town"], ["town", "b", "a"]))
    np.testing.assert_allclose(turned.contributions, straight.contributions[:, ::-1])


def test_logits_of_both_classes_are_opposites(frame: pd.DataFrame) -> None:
    glassbox = library("interpret.glassbox", "EBM")
    model = glassbox.ExplainableBoostingClassifier(interactions=0, **FAST).fit(frame, frame["b"] > 0)
    first, second = (attribute("ebm", model, frame, output=output) for output in (False, True))
    assert second.scale == "logit"
    np.testing.assert_allclose(first.contributions, -second.contributions)
    with pytest.raises(InputError, match="Try scale='logit'"):
        attribute("ebm", model, frame, scale="probability")


def test_three_classes_are_refused_with_a_way_out(frame: pd.DataFrame) -> None:
    glassbox = library("interpret.glassbox", "EBM")
    target = np.digitize(frame["b"], [-0.5, 0.5])
    model = glassbox.ExplainableBoostingClassifier(interactions=0, **FAST | {"max_rounds": 10}).fit(frame, target)
    with pytest.raises(InputError, match=r"3 classes.*kernelshap"):
        attribute("ebm", model, frame, output=1)


def test_interactions_are_left_out_and_counted(frame: pd.DataFrame) -> None:
    glassbox = library("interpret.glassbox", "EBM")
    settings = FAST | {"max_rounds": 20}
    model = glassbox.ExplainableBoostingRegressor(interactions=[("a", "b")], **settings)
    found = attribute("ebm", model.fit(frame, frame["a"] * frame["b"]), frame)
    assert found.contributions.shape == (1500, 3)
    assert "Its 1 interactions are left out" in found.note


def test_to_the_answers_of_another_model_an_ebm_is_fitted(independent: Case) -> None:
    found = attribute("ebm", independent.model, independent.X, max_rows=400, outer_bags=1)
    again = attribute("ebm", independent.model, independent.X, max_rows=400, outer_bags=1)
    assert "400 of 1,500 rows. An EBM of main effects, fitted to the answers: R²" in found.note
    line = independent.X[found.rows, 0]
    assert np.corrcoef(found.contributions[:, 0], line)[0, 1] > 0.98
    np.testing.assert_array_equal(found.contributions, again.contributions)
