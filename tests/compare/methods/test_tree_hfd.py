"""TreeHFD: main effects of XGBoost models, compared with ours and with closed forms."""

import numpy as np
import pandas as pd
import pytest

from anova_report.compare import agreement, attribute
from anova_report.core.libraries import library
from anova_report.errors import InputError, InputTypeError
from tests.compare.conftest import Case
from tests.compare.peers import needs

pytestmark = needs("treehfd", "xgboost")


def test_main_effects_agree_with_ours(trees: Case) -> None:
    found = attribute("treehfd", trees.model, trees.X, like=trees.dec, max_rows=400)
    held = agreement(trees.dec, trees.X, found)
    assert held.counterpart == "main effect"
    assert held.features[0].correlation > 0.98  # a has nearly the whole main effect; b and c act as a product
    assert held.features[0].ours > 5 * held.features[1].ours


def test_an_additive_model_is_taken_apart_into_its_parts() -> None:
    xgboost = library("xgboost", "The test")

    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    X[:, 1] += X[:, 0]
    stumps = xgboost.XGBRegressor(n_estimators=40, max_depth=1, n_jobs=1).fit(X, np.sin(X[:, 0]) + X[:, 1])
    found = attribute("treehfd", stumps, X, interaction_order=1)

    def partial(column: int) -> np.ndarray:
        # Of an additive model, the differences along a feature are its effect whatever the others are.
        rows = np.tile(X[:1], (len(X), 1))
        rows[:, column] = X[:, column]
        return stumps.predict(rows)

    for column in range(2):
        expected = partial(column) - partial(column).mean()
        np.testing.assert_allclose(found.contributions[:, column], expected, atol=1e-3)
    assert "R² 1.000" in found.note


def test_names_of_features_and_unused_trees_are_left_behind_and_the_model_is_not_changed(trees: Case) -> None:
    before = trees.model.get_booster().feature_names, trees.model.get_booster().num_boosted_rounds()
    found = attribute("treehfd", trees.model, trees.X, max_rows=300, interaction_order=2)
    assert (trees.model.get_booster().feature_names, trees.model.get_booster().num_boosted_rounds()) == before
    # With trees beyond the early stop the explained predictions would be others, and the fit would be poor.
    assert float(found.note.rsplit(" ", 1)[1].rstrip(".")) > 0.97


def test_classes_are_explained_as_logits_of_the_class_that_is_asked_for(tree_classes: Case) -> None:
    second = attribute("treehfd", tree_classes.model, tree_classes.X, max_rows=200)
    first = attribute("treehfd", tree_classes.model, tree_classes.X, max_rows=200, output=0)
    held = agreement(tree_classes.dec, tree_classes.X, second)
    assert held.features[0].correlation > 0.97
    np.testing.assert_allclose(first.contributions, -second.contributions, atol=1e-10)
    with pytest.raises(InputError, match="TreeHFD explains logits"):
        attribute("treehfd", tree_classes.model, tree_classes.X, scale="probability")


def test_rows_with_missing_values_and_other_models_are_refused(trees: Case) -> None:
    incomplete = trees.X.copy()
    incomplete.iloc[3, 0] = np.nan
    with pytest.raises(InputError, match="TreeHFD takes complete rows only, and 1 of 1200 lack a value"):
        attribute("treehfd", trees.model, incomplete, max_rows=1200)
    with pytest.raises(InputTypeError, match=r"TreeHFD reads XGBRegressor and XGBClassifier.*function"):
        attribute("treehfd", lambda rows: rows["a"], trees.X)
    with pytest.raises(InputError, match="numbers only"):
        attribute("treehfd", lambda rows: rows["x"], pd.DataFrame({"x": [1.0, 2.0], "t": ["a", "b"]}))
