"""Explanations of single rows against the components themselves, and the choice of rows against its definition."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.errors import InputError
from anova_report.measures import local


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-1, 1, size=(1500, 3)), columns=["a", "b", "c"])
    frame["group"] = rng.choice(["left", "right"], size=1500)
    frame.loc[:40, "c"] = np.nan
    return frame


@pytest.fixture(scope="module")
def predictions(X) -> np.ndarray:
    rng = np.random.default_rng(1)
    clean = X["a"] + 2 * X["a"] * X["b"] + (X["group"] == "left")
    return np.asarray(clean + 0.3 * rng.normal(size=len(X)))


@pytest.fixture(scope="module")
def dec(X, predictions) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def two_outputs() -> Decomposition:
    table = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    both = np.column_stack([table[:, 0], table[:, 1]])
    return FunctionalANOVA.published(K=1, d=2, scaling=None).fit(table, both).decomposition_


@pytest.mark.parametrize("row", [0, 100, 1499])
def test_mean_contributions_and_remainder_add_up_to_the_prediction(dec, X, predictions, row):
    found = measures.explanation(dec, X.iloc[[row]], predictions[row])
    total = found.mean + sum(item.value for item in found.contributions) + found.remainder
    assert total == pytest.approx(predictions[row], rel=1e-14)
    assert found.prediction == predictions[row]
    assert found.explained == pytest.approx(dec.predict(X.iloc[[row]])[0], rel=1e-12)


def test_shapley_values_share_what_is_explained_among_the_features(dec, X):
    found = measures.explanation(dec, X.iloc[[7]])
    np.testing.assert_allclose([item.value for item in found.features], dec.shapley(X.iloc[[7]])[0], atol=1e-14)
    assert [item.feature for item in found.features] == list(dec.feature_names)
    assert found.mean + sum(item.value for item in found.features) == pytest.approx(found.explained, rel=1e-12)


@pytest.mark.parametrize("count", [0, 2])
def test_only_one_row_is_explained_at_a_time(dec, X, count):
    with pytest.raises(InputError, match=f"; got {count}"):
        measures.explanation(dec, X.head(count))


def test_an_output_is_explained_by_its_own_components(two_outputs):
    row = [[0.5, -0.25]]
    first, second = (measures.explanation(two_outputs, row, output=output) for output in (0, "prediction 1"))
    assert first.explained == pytest.approx(0.5, abs=0.05)
    assert second.explained == pytest.approx(-0.25, abs=0.05)
    with pytest.raises(InputError, match="Choose one of the outputs"):
        measures.explanation(two_outputs, row)


def test_notable_rows_are_what_their_reasons_say(dec, X, predictions):
    found = {item.reason: item.row for item in measures.notable_rows(dec, X, predictions)}
    explained, components = dec.predict(X), dec.components(X)
    residual = np.ravel(predictions) - explained
    assert found["typical"] == np.argmin((components**2).sum(axis=1) + residual**2)
    assert found["highest"] == np.argmax(explained)
    assert found["lowest"] == np.argmin(explained)
    assert found["largest residual"] == np.argmax(np.abs(predictions - explained))


def test_without_predictions_no_row_is_badly_explained(dec, X):
    assert [item.reason for item in measures.notable_rows(dec, X)] == ["typical", "highest", "lowest"]


def test_no_row_is_notable_twice(dec, X):
    best = int(np.argmax(dec.predict(X)))
    # The highest explanation is now the worst as well: the next worst takes its place.
    predictions = dec.predict(X)
    predictions[best] += 100
    predictions[5] += 50
    found = {item.reason: item.row for item in measures.notable_rows(replace(dec, fingerprint=None), X, predictions)}
    assert found["highest"] == best
    assert found["largest residual"] == 5


@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_few_rows_each_is_notable_at_most_once(dec, X, predictions, count):
    found = measures.notable_rows(dec, X.head(count), predictions[:count])
    assert sorted(item.row for item in found) == list(range(count))


def test_predictions_of_another_shape_are_refused(dec, X, predictions):
    with pytest.raises(InputError, match=r"have 2 output\(s\) and the decomposition 1"):
        measures.notable_rows(dec, X, np.column_stack([predictions, predictions]))
    with pytest.raises(InputError, match="Pass one prediction per row"):
        measures.notable_rows(dec, X, predictions[:-1])


def test_of_very_many_rows_some_at_equal_steps_are_looked_at(dec, X, predictions, monkeypatch):
    monkeypatch.setattr(local, "MOST_ROWS", 4)
    found = measures.notable_rows(dec, X, predictions)
    assert sorted(item.row for item in found) == [0, 499, 999, 1499]
