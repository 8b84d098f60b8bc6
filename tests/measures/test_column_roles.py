"""Columns that are no inputs: the truth that was forgotten among the features, and numbers of rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from anova_report import Decomposition, FunctionalANOVA, explain, measures


def fitted(X: pd.DataFrame, predictions: np.ndarray) -> Decomposition:
    return FunctionalANOVA(max_order=1, progress=False).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def friedman() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Give features, a truth with as much noise as signal left in it, and a model's predictions on fresh rows."""
    numbers, truth = make_friedman1(2400, n_features=6, noise=3.0, random_state=0)
    X = pd.DataFrame(numbers, columns=list("abcdef"))
    model = GradientBoostingRegressor(random_state=0).fit(X[:1200], truth[:1200])
    return X[1200:], truth[1200:], model.predict(X[1200:])


def test_a_truth_among_the_features_is_found_though_a_model_only_comes_near_it(friedman):
    X, truth, predictions = friedman
    with_truth = X.assign(sold=truth)
    finding = measures.findings(fitted(with_truth, predictions), with_truth)["AR014"]
    assert (finding.status, finding.value) == ("warn", 1.0)
    assert "'sold' may be the target" in finding.sentence
    assert "--target" in finding.advice
    assert measures.findings(fitted(X, predictions), X)["AR014"].status == "pass"


def test_classes_that_probabilities_aim_at_are_found_by_their_names():
    X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :5]
    model = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(X[::2], truth[::2])
    table = X.assign(diagnosis=np.where(truth, "benign", "malignant"))
    finding = measures.findings(fitted(table, model.predict_proba(X)[:, 1]), table)["AR014"]
    assert finding.sentence.startswith("'diagnosis' may be the target")


def test_the_only_driver_of_a_model_is_no_truth_however_near_it_is(friedman):
    X, *_ = friedman
    assert measures.findings(fitted(X, X["a"] + 0.01 * X["b"]), X)["AR014"].status == "pass"


def test_a_model_that_is_asked_says_itself_what_it_takes(friedman):
    X, truth, _ = friedman
    dec = explain(lambda rows: rows["sold"].to_numpy() + rows["a"].to_numpy(), X.assign(sold=truth), progress=False)
    assert measures.findings(dec)["AR014"].status == "pass"


@pytest.mark.parametrize(
    ("numbers", "status"),
    [
        (np.arange(1200) + 1, "warn"),
        (np.random.default_rng(0).permutation(1200) + 5000, "warn"),
        (np.sort(np.random.default_rng(0).choice(10**6, 1200, replace=False)), "warn"),  # drawn from a longer table
        (np.random.default_rng(0).choice(10**6, 1200, replace=False), "pass"),  # incomes, say
        (np.arange(1200) // 2, "pass"),
        (np.arange(1200) + 0.5, "pass"),
    ],
)
def test_whole_numbers_that_number_the_rows_are_found(friedman, numbers, status):
    X, _, predictions = friedman
    table = X.assign(client=numbers)
    finding = measures.findings(fitted(table, predictions), table)["AR014"]
    assert finding.status == status
    assert ("'client' numbers the rows" in finding.sentence) is (status == "warn")


def test_without_rows_nothing_is_checked(friedman):
    X, _, predictions = friedman
    assert measures.findings(fitted(X, predictions))["AR014"].status == "not applicable"
