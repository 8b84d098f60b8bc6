"""A model against the data: what it lacks, and what it learned."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from anova_report import FunctionalANOVA, explain
from anova_report.compare import compare_decompositions, phenomenon
from anova_report.errors import InputError
from tests.compare.conftest import decompose


@pytest.fixture(scope="module")
def observed() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1000, 3)), columns=["a", "b", "c"])
    return X, X["a"] + X["b"] ** 2 + 0.5 * rng.normal(size=1000)


def test_a_line_through_a_parabola_departs_from_the_data_there_and_only_there(
    observed: tuple[pd.DataFrame, Any],
) -> None:
    X, target = observed
    # Of many rows, so that only what a line cannot say is wrong: of a thousand, its slopes would be as well.
    many = pd.DataFrame(np.random.default_rng(1).normal(size=(200_000, 3)), columns=["a", "b", "c"])
    dec = explain(LinearRegression().fit(many, many["a"] + many["b"] ** 2), X, random_state=0, progress=False)
    found = compare_decompositions(dec, phenomenon(X, target, like=dec), X, names=("model", "data"))
    assert [effect.label for effect in found.differing()] == ["b"]
    effect = found.differing()[0]
    assert np.corrcoef(effect.difference, effect.values[:, 0] ** 2)[0, 1] > 0.95
    assert found.rows == "same replicates"
    assert found.fidelities[1].best < found.fidelities[0].best  # noise cannot be explained


def test_settings_are_those_of_the_model_s_decomposition(observed: tuple[pd.DataFrame, Any]) -> None:
    X, target = observed
    dec = decompose(X, target, max_order=1)
    data = phenomenon(X, target, like=dec)
    assert data.settings == dec.settings
    assert all(len(term) == 1 for term in data.terms)
    np.testing.assert_array_equal(data.components(X[:5]), dec.components(X[:5]))


def test_an_unknown_estimator_is_refused(observed: tuple[pd.DataFrame, Any]) -> None:
    X, target = observed
    dec = replace(decompose(X, target, max_order=1), settings={"estimator": "Mine"})
    with pytest.raises(InputError, match=r"made by 'Mine'; known are 'FunctionalANOVA', 'PublishedANOVA'"):
        phenomenon(X, target, like=dec)


@pytest.fixture(scope="module")
def classes() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1000, 2)), columns=["a", "b"])
    return X, np.where(rng.random(1000) < 1 / (1 + np.exp(-2 * X["a"])), "yes", "no")


@pytest.mark.parametrize("output", [None, "no"])
def test_observed_classes_are_compared_with_probabilities(classes: tuple[pd.DataFrame, Any], output: Any) -> None:
    X, labels = classes
    model = LogisticRegression().fit(X, labels)
    dec = explain(model, X, scale="probability", output=output, random_state=0, progress=False, max_order=1)
    data = phenomenon(X, labels, like=dec)
    assert data.output_names == dec.output_names
    assert data.scale == "probability"
    assert float(data.mean) == pytest.approx(np.mean(labels == dec.output_names[0]))
    assert compare_decompositions(dec, data, X).differing() == ()


def test_logits_have_no_observed_counterpart(classes: tuple[pd.DataFrame, Any]) -> None:
    X, labels = classes
    dec = explain(LogisticRegression().fit(X, labels), X, random_state=0, progress=False, max_order=1)
    with pytest.raises(InputError, match=r"scale 'logit'.*Explain the model with scale='probability'"):
        phenomenon(X, labels, like=dec)


def test_a_class_that_was_never_observed_is_named(classes: tuple[pd.DataFrame, Any]) -> None:
    X, labels = classes
    dec = explain(
        LogisticRegression().fit(X, labels), X, scale="probability", random_state=0, progress=False, max_order=1
    )
    with pytest.raises(InputError, match=r"class\(es\) 'yes'.*'0', '1'"):
        phenomenon(X, (labels == "yes").astype(int), like=dec)


def test_a_file_from_before_columns_were_taken_as_they_are_is_compared_with_standardized_ones() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    dec = FunctionalANOVA.published(K=1, d=3).fit(X, X[:, 0]).decomposition_
    older = {name: value for name, value in dec.settings.items() if name not in ("standardise", "max_steps")}
    found = phenomenon(X, X[:, 0], like=replace(dec, settings=older)).settings
    assert (found["standardise"], found["max_steps"]) == (True, 500)
    assert phenomenon(X, X[:, 0], like=dec).settings == dec.settings
