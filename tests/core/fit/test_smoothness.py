"""Smooth where the model is smooth, sharp where it is sharp: curves against the functions they were made from."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.basis.splines import FAMILIES
from anova_report.errors import InputError


def fit(X: np.ndarray, predictions: np.ndarray, **settings: Any) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions).decomposition_


def r_squared(predictions: np.ndarray, explained: np.ndarray) -> float:
    return float(1 - np.mean((predictions - explained) ** 2) / predictions.var())


def curve(dec: Decomposition, X: np.ndarray, feature: int, n_points: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A main effect from the smallest value to the largest."""
    grid = np.repeat(X[:1], n_points, axis=0)
    grid[:, feature] = np.linspace(X[:, feature].min(), X[:, feature].max(), n_points)
    return grid[:, feature], dec.component(feature, grid)


def roughness(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.diff(values, 2) ** 2)))


def test_curves_of_a_smooth_model_are_as_smooth_as_the_model():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    truth: list[Callable[[np.ndarray], np.ndarray]] = [np.sin, np.square]
    dec = fit(X, np.sin(X[:, 0]) + X[:, 1] ** 2)
    for feature, function in enumerate(truth):
        grid, found = curve(dec, X, feature)
        exact = function(grid)
        assert roughness(found) < 1.25 * roughness(exact)
        centered = exact - function(X[:, feature]).mean()
        assert np.abs(found - centered).max() < 0.1 * np.ptp(exact)


@pytest.mark.parametrize("noise", [0.1, 0.5])
@pytest.mark.parametrize("n_rows", [1000, 5000])
def test_noise_in_the_predictions_does_not_make_smooth_curves_rough(n_rows, noise):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    smooth = np.sin(X[:, 0]) + X[:, 1] ** 2 / 2 + X[:, 2]
    dec = fit(X, smooth + noise * smooth.std() * rng.normal(size=n_rows))
    for feature, function in enumerate((np.sin, lambda x: x**2 / 2)):
        grid, found = curve(dec, X, feature)
        assert roughness(found) < 2 * roughness(function(grid))
    assert (np.diff(curve(dec, X, 2)[1]) > 0).all()  # a straight line has no turning point


@pytest.mark.parametrize("n_rows", [1000, 5000])
def test_what_no_pair_explains_does_not_make_curves_of_a_smooth_model_rough(n_rows):
    rng = np.random.default_rng(0)
    trained, rows, others = (rng.uniform(-1, 1, size=(size, 5)) for size in (400, n_rows, 500))
    target = np.sin(3 * trained[:, 0]) + trained[:, 1] * trained[:, 2] + trained[:, 3] ** 2 + np.tanh(3 * trained[:, 4])
    # With so short a length scale, some of what the model says is an interaction of all features.
    model = GaussianProcessRegressor(RBF(0.8) + WhiteKernel(0.01), optimizer=None)
    model.fit(trained, target + rng.normal(scale=0.1, size=400))
    dec = fit(rows, model.predict(rows))
    for feature in (0, 3, 4):  # the others have next to no main effect
        grid, found = curve(dec, rows, feature, 40)
        exact = []  # inputs are independent, so that averages over the others are the main effect
        for value in grid:
            others[:, feature] = value
            exact.append(model.predict(others).mean())
        assert roughness(found) < 1.5 * roughness(np.array(exact))
        others[:, feature] = rng.uniform(-1, 1, size=500)


@pytest.mark.parametrize("n_rows", [120, 200, 1000, 5000])
@pytest.mark.parametrize("sigma", [1.0, 1.5])
def test_a_linear_model_of_skewed_inputs_is_explained_by_straight_lines(sigma, n_rows):
    rng = np.random.default_rng(0)
    X, fresh = (np.exp(sigma * rng.normal(size=(size, 3))) for size in (n_rows, 20_000))
    dec = fit(X, X.sum(axis=1))
    # Some of the fresh rows lie beyond all that the fit has seen: lines go on.
    assert (fresh.max(axis=0) > X.max(axis=0)).any()
    assert r_squared(fresh.sum(axis=1), dec.predict(fresh)) > 0.99999
    assert dec.terms == ((0,), (1,), (2,))
    for feature in range(3):
        grid, found = curve(dec, X, feature, 2000)
        assert (np.diff(found) > 0).all()  # no turning point
        np.testing.assert_allclose(np.diff(found) / np.diff(grid), 1, atol=0.01)


def test_a_product_of_features_with_long_tails_is_explained_on_any_rows():
    rng = np.random.default_rng(0)
    X, fresh = (rng.standard_t(2.5, size=(size, 3)) for size in (5000, 50_000))
    assert (np.abs(fresh).max(axis=0) > np.abs(X).max(axis=0)).any()
    dec = fit(X, X[:, 0] + X[:, 1] * X[:, 2] / 2)
    truth = fresh[:, 1] * fresh[:, 2] / 2
    assert r_squared(fresh[:, 0] + truth, dec.predict(fresh)) > 0.9999
    assert r_squared(truth, dec.component((1, 2), fresh)) > 0.99


@pytest.mark.parametrize("n_rows", [800, 5000])
def test_a_product_of_normals_is_explained_exactly_and_chosen_to_be_made_of_polynomials(n_rows):
    rng = np.random.default_rng(0)
    X, fresh = rng.normal(size=(n_rows, 2)), rng.normal(size=(5000, 2))
    dec = fit(X, X.prod(axis=1))
    assert r_squared(fresh.prod(axis=1), dec.predict(fresh)) > 0.9999
    assert dec.settings["family"] == "polynomials"


def test_what_is_sharp_stays_sharp_and_is_made_of_waves():
    def steps(X: np.ndarray) -> np.ndarray:
        return np.sign(X[:, 0] - 0.3) + np.sign(X[:, 1]) * np.sign(X[:, 2] + 0.5)

    rng = np.random.default_rng(0)
    X, fresh = rng.normal(size=(5000, 3)), rng.normal(size=(10_000, 3))
    free = fit(X, steps(X))
    found = {family: r_squared(steps(fresh), fit(X, steps(X), family=family).predict(fresh)) for family in FAMILIES}
    assert free.settings["family"] == "waves"
    assert found["waves"] > found["polynomials"]
    assert r_squared(steps(fresh), free.predict(fresh)) == found["waves"] > 0.93


@pytest.mark.parametrize("n_rows", [300, 4000])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_that_was_asked_for_is_taken_whatever_the_predictions_say(family, n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    dec = fit(X, X.prod(axis=1), family=family)
    assert dec.settings["family"] == family
    first = dec.expansion.reference.marginals[0].evaluate(X[:, 0])[0]
    assert np.allclose(np.corrcoef(first, X[:, 0])[0, 1], 1, atol=1e-9) == (family == "polynomials")


def test_a_family_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(InputError, match="'auto', 'waves', 'polynomials'; got 'splines'"):
        fit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50.0), family="splines")


@pytest.mark.parametrize("n_rows", [400, 4000])
def test_units_do_not_matter(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    predictions = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    scale, shift = np.array([1.8, 1e-3, 2.54]), np.array([32.0, 5.0, -7.0])
    ours, theirs = fit(X, predictions), fit(X * scale + shift, predictions)
    assert ours.settings["family"] == theirs.settings["family"]
    assert ours.terms == theirs.terms
    np.testing.assert_allclose(theirs.predict(X * scale + shift), ours.predict(X), atol=1e-3)


def test_beyond_the_range_a_line_goes_on_and_rows_are_named_as_unsupported():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    dec = fit(X, 2 * X[:, 0] - X[:, 1])
    rows = np.array([[10.0, 0.0], [0.0, -10.0], [0.5, 0.5]])
    np.testing.assert_allclose(dec.predict(rows), 2 * rows[:, 0] - rows[:, 1], rtol=1e-2)
    assert [feature.outside for feature in measures.support(dec, rows).features] == [1, 1]
