"""Ridge fits from sums: what scikit-learn and numpy get from the rows themselves."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from anova_report.core.fit.smoothing import SmoothingSearch
from anova_report.core.fit.sums import Normal, factor, mean_squared_error, ridge_fit, solve_factored


def normal_of(design: np.ndarray, predictions: np.ndarray) -> Normal:
    n_rows = len(design)
    gram = design.T @ design / n_rows
    return Normal(gram, design.T @ predictions / n_rows, (predictions**2).mean(axis=0), n_rows)


def draw(n_rows: int, seed: int, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n_rows), rng.normal(size=(n_rows, 11))])
    design[:, 3] += design[:, 2]
    truth = np.outer(1 / np.arange(1, 13), [1.0, -2.0])
    return design, design @ truth + noise * rng.normal(size=(n_rows, 2))


@pytest.fixture
def penalty() -> np.ndarray:
    return np.r_[0.0, np.arange(1.0, 12) ** 2]


@pytest.mark.parametrize("smoothing", [1e-6, 1e-2, 1.0])
def test_a_ridge_fit_is_that_of_scikit_learn(penalty, smoothing):
    design, predictions = draw(500, seed=0)
    ridge = smoothing * penalty
    ours = ridge_fit(normal_of(design, predictions), ridge)
    # A penalty per column is a unit penalty on columns divided by its root; scikit-learn sums where we average.
    root = np.sqrt(ridge[1:])
    theirs = Ridge(alpha=len(design)).fit(design[:, 1:] / root, predictions)
    np.testing.assert_allclose(ours[1:], (theirs.coef_ / root).T, atol=1e-6)
    np.testing.assert_allclose(ours[0], theirs.intercept_, atol=1e-6)


def test_columns_that_depend_on_each_other_share_what_one_of_them_would_get():
    design, predictions = draw(300, seed=2)
    twice = np.column_stack([design, design[:, 5]])
    ours = ridge_fit(normal_of(twice, predictions), np.zeros(13))
    assert np.isfinite(ours).all()
    alone = ridge_fit(normal_of(design, predictions), np.zeros(12))
    np.testing.assert_allclose(ours[5] + ours[12], alone[5], atol=1e-4)
    np.testing.assert_allclose(ours[5], ours[12], atol=1e-4)


def test_a_gram_that_is_negative_by_rounding_is_cured():
    gram = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-6]])
    upper = np.triu(factor(gram, np.zeros(2)))
    assert np.isfinite(upper).all()
    np.testing.assert_allclose(upper.T @ upper, gram, atol=1e-3)


@pytest.mark.parametrize("size", [3, 12])
def test_the_mean_squared_error_is_that_on_the_rows(size):
    design, predictions = draw(200, seed=3)
    coefficients = np.random.default_rng(4).normal(size=(size, 2))
    expected = ((predictions - design[:, :size] @ coefficients) ** 2).mean(axis=0)
    np.testing.assert_allclose(mean_squared_error(normal_of(design, predictions), coefficients), expected, rtol=1e-9)


@pytest.fixture
def search(penalty) -> SmoothingSearch:
    validation = {1: normal_of(*draw(80, seed=6)), 2: normal_of(*draw(120, seed=7))}
    return SmoothingSearch(normal_of(*draw(60, seed=5)), validation, penalty, [4, 8, 12])


def direct_errors(smoothing: float, penalty: np.ndarray, seed: int, n_rows: int, sizes: list[int]) -> list[float]:
    design, predictions = draw(60, seed=5)
    unseen, truth = draw(n_rows, seed=seed)
    errors = []
    for size in sizes:
        gram = design[:, :size].T @ design[:, :size] / 60 + np.diag(smoothing * penalty[:size])
        fit = np.linalg.solve(gram, design[:, :size].T @ predictions / 60)
        errors.append(float(((truth - unseen[:, :size] @ fit) ** 2).mean()))
    return errors


@pytest.mark.parametrize("smoothing", [1e-4, 1e-1])
def test_errors_are_those_on_the_rows_of_each_group(search, penalty, smoothing):
    ours = search.errors(smoothing)[1]
    np.testing.assert_allclose(ours, direct_errors(smoothing, penalty, 6, 80, [4, 8, 12]), rtol=1e-6)
    ours = search.errors(smoothing)[2]
    np.testing.assert_allclose(ours, direct_errors(smoothing, penalty, 7, 120, [4, 8, 12]), rtol=1e-6)


def test_a_system_of_no_columns_has_an_empty_solution_and_lapack_does_not_complain(capfd):
    upper = factor(np.zeros((0, 0)), np.zeros(0))
    assert solve_factored(upper, np.zeros((0, 2))).shape == (0, 2)
    assert not "".join(capfd.readouterr())
