"""EBMs are additive by construction: their own shape functions are the truth that we must recover."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.compare import agreement, attribute
from anova_report.core.libraries import library
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


@pytest.fixture(scope="module")
def paired(frame: pd.DataFrame) -> Any:
    """An EBM that is set to have two pairs."""
    target = np.sin(2 * frame["a"]) + frame["a"] * frame["b"] + frame["b"] * (frame["town"] == "Rome")
    pairs = [("a", "b"), ("b", "town")]
    return (
        library("interpret.glassbox", "EBM").ExplainableBoostingRegressor(interactions=pairs, **FAST).fit(frame, target)
    )


def test_main_effects_inside_interactions_are_added_and_a_note_says_so(paired: Any, frame: pd.DataFrame) -> None:
    found = attribute("ebm", paired, frame, max_rows=400)
    assert found.note == (
        "400 of 1,500 rows. Main effects inside its 2 interactions were added to its own first, over the 1,500 rows of "
        "the table."
    )


def test_our_main_effects_recover_those_of_an_ebm_with_interactions(paired: Any, frame: pd.DataFrame) -> None:
    dec = explain(paired, frame, random_state=0, progress=False)
    held = agreement(dec, frame, attribute("ebm", paired, frame, like=dec))
    large = [item for item in held.features if item.share >= 0.01]
    assert len(large) >= 2
    assert all(item.correlation >= 0.98 for item in large)


def test_functions_are_put_in_the_order_of_the_table_and_follow_the_class(frame: pd.DataFrame) -> None:
    glassbox = library("interpret.glassbox", "EBM")
    settings = FAST | {"max_rounds": 20}
    model = glassbox.ExplainableBoostingClassifier(interactions=[("a", "b")], **settings)
    model.fit(frame, frame["a"] * frame["b"] > 0.3)
    turned = frame[["town", "b", "a"]]
    straight = attribute("ebm", model, frame, output=True)
    np.testing.assert_allclose(
        attribute("ebm", model, turned, output=True).contributions[:, ::-1], straight.contributions
    )
    np.testing.assert_allclose(attribute("ebm", model, frame, output=False).contributions, -straight.contributions)


def test_missing_values_and_levels_are_taken_without_a_warning_and_times_are_refused(mixed: Case) -> None:
    with pytest.raises(InputError, match=r"these columns hold times: 'day'\. Use ale or pdp"):
        attribute("ebm", mixed.model, mixed.X)

    def on_the_first(rows: pd.DataFrame) -> Any:
        return mixed.model(rows.assign(day=pd.Timestamp("2024-01-01")))

    found = attribute("ebm", on_the_first, mixed.X[["color", "age"]], outer_bags=1)
    missing = mixed.X["age"].isna().to_numpy()
    assert found.column("age")[1][missing].mean() > 2.0


def test_to_the_predictions_of_another_model_an_ebm_is_fitted(independent: Case) -> None:
    found = attribute("ebm", independent.model, independent.X, max_rows=400, outer_bags=1)
    again = attribute("ebm", independent.model, independent.X, max_rows=400, outer_bags=1)
    assert "400 of 1,500 rows. An EBM of main effects, fitted to the predictions: R²" in found.note
    line = independent.X[found.rows, 0]
    assert np.corrcoef(found.contributions[:, 0], line)[0, 1] > 0.98
    np.testing.assert_array_equal(found.contributions, again.contributions)
