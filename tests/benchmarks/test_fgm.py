"""The analytical case as an experiment: errors are distances from a truth that is known on paper."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks import fgm
from benchmarks.fgm import OURS, errors_of, function, gaps, own_effect, run, size, table, train, truth
from tests.ground_truth import FGM


@pytest.fixture(scope="module")
def X():
    return FGM.draw(2000, np.random.default_rng(0))


@pytest.fixture(scope="module")
def outcome(X):
    return run(function, X, ["pdp", "ale"])


def test_the_function_is_the_sum_of_the_known_components_for_tables_and_arrays(X):
    expected = truth(X, 0) + truth(X, 1) + FGM.components[0, 1](X)
    np.testing.assert_allclose(function(X), expected)
    np.testing.assert_allclose(function(table(X)), expected)


def test_errors_are_distances_from_the_truth_up_to_a_constant(outcome, X):
    wanted = outcome.dec.component((0,), table(X)) - truth(X, 0)
    assert outcome.errors[OURS][0] == pytest.approx(np.sqrt(np.mean((wanted - wanted.mean()) ** 2)))
    assert size(np.array([3.0, 5.0])) == 1.0
    assert list(outcome.errors) == [OURS, "Partial dependence", "Accumulated local effects"]
    assert gaps(outcome.others[0], 1).mean() == pytest.approx(0, abs=1e-12)


def test_ours_is_close_to_the_truth(outcome, X):
    for index, most in ((0, 0.05), (1, 0.05), (2, 0.01)):
        assert size(own_effect(outcome.dec, X, index) - truth(X, index)) < most


def test_shapley_values_are_not_charged_for_interactions(outcome):
    other = outcome.others[0]
    signs = np.tile([1.0, -1.0], len(other.values) // 2)[np.argsort(np.argsort(other.values[:, 0]))]
    # Half a unit up and down in turns along x1: nothing once it is averaged over rows with about the same value.
    shared = other.contributions + 0.5 * signs[:, None] * [1, 0, 0]
    charged = errors_of(replace(other, contributions=shared))
    spared = errors_of(replace(other, contributions=shared, counterpart="ANOVA-Shapley value"))
    assert charged[0] == pytest.approx(0.5, abs=0.05)
    assert spared[0] < 0.1
    assert spared[0] == pytest.approx(errors_of(other)[0], abs=0.05)


def test_on_a_trained_model_our_error_is_the_smallest_for_every_feature(monkeypatch):
    pytest.importorskip("xgboost")
    monkeypatch.setattr(fgm, "SETTINGS", {})  # fewer questions of partial dependence; the page has them all
    X = FGM.draw(5000, np.random.default_rng(0))
    model = train(X)
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]
    assert isinstance(table(X), pd.DataFrame)
    found = run(model, X, ["pdp", "ale"])
    for index in range(3):
        own, *others = (errors[index] for errors in found.errors.values())
        assert own < min(others) / 1.5
