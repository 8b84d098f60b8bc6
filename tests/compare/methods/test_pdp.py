"""Partial dependence against its definition, scikit-learn and closed forms."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LogisticRegression

from anova_report.compare import agreement, attribute
from anova_report.compare.methods.request import draw
from anova_report.core.randomness import stream
from tests.compare.conftest import Case


def test_the_partial_dependence_of_an_additive_function_is_its_component() -> None:
    X = np.random.default_rng(0).normal(size=(600, 2))
    X[:, 1] += 2 * X[:, 0]  # dependence does not matter where nothing interacts

    def additive(rows: Any) -> Any:
        return np.abs(rows[:, 0]) + 3 * rows[:, 1]

    found = attribute("pdp", additive, X, points=600)
    truth = np.column_stack([np.abs(X[:, 0]), 3 * X[:, 1]])
    np.testing.assert_allclose(found.contributions, truth - truth.mean(axis=0), atol=1e-10)


def test_with_independent_inputs_it_agrees_with_the_main_effects(independent: Case) -> None:
    found = attribute("pdp", independent.model, independent.X, background=1500)
    held = agreement(independent.dec, independent.X, found)
    by_name = {item.feature: item for item in held.features}
    assert held.counterpart == "main effect"
    assert by_name["x0"].correlation == pytest.approx(1.0, abs=1e-3)
    assert by_name["x1"].correlation == pytest.approx(1.0, abs=1e-3)  # the third feature is 1 on average
    assert by_name["x0"].distance < 0.05
    assert by_name["x1"].distance < 0.05


def test_it_is_the_average_of_scikit_learn(independent: Case) -> None:
    X = independent.X[:400]
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(X, independent.model(X))
    found = attribute("pdp", model, X, background=60, points=400)
    background = X[draw(len(X), 60, stream(0, "background rows"))]
    for feature in range(3):
        grid = {feature: X[:, feature]}
        theirs = partial_dependence(model, background, [feature], custom_values=grid, method="brute")["average"][0]
        np.testing.assert_allclose(found.contributions[:, feature], theirs - theirs.mean(), atol=1e-10)


def test_classes_are_averaged_on_the_scale_that_is_explained() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = LogisticRegression().fit(X, X[:, 0] + X[:, 1] > 0)
    found = attribute("pdp", model, X, points=300)
    assert found.scale == "logit"
    slopes = model.coef_[0] * (X - X.mean(axis=0))
    np.testing.assert_allclose(found.contributions, slopes, atol=1e-8)


def test_levels_dates_and_missing_values_are_set_as_what_they_are(mixed: Case) -> None:
    found = attribute("pdp", mixed.model, mixed.X, like=mixed.dec, background=50, points=60)
    truth = np.column_stack(
        [
            mixed.X["color"].astype(str).map({"red": 1.0, "green": 0.0, "blue": -2.0}),
            0.1 * mixed.X["day"].dt.day,
            mixed.X["age"].fillna(3.0),
        ]
    )
    np.testing.assert_allclose(found.contributions[:, :2], (truth - truth.mean(axis=0))[:, :2], atol=1e-10)
    np.testing.assert_allclose(found.contributions[:, 2], truth[:, 2] - truth[:, 2].mean(), atol=0.02)
