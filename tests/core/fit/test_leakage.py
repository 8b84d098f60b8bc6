"""Leakage: all of a component that is a function of one block, none of a pure product."""

import numpy as np
import pytest

from anova_report.core.fit.moments import LeakageSums, MomentSums
from tests.core.small_fits import grouped_rows, in_order_of_visit

TERMS = ((0,), (1,), (2,), (0, 1), (0, 1, 2))
N_ROWS = 6000


def leakages(X: np.ndarray, components: dict[tuple[int, ...], np.ndarray], n_blocks: int = 1) -> dict:
    """Leakage of made-up components, relation by relation, averaged over one output."""
    (block,) = grouped_rows(X, X[:, 0], degree=10).blocks((0,))
    values = np.zeros((1, len(TERMS) + 1, len(X)))
    for term, column in components.items():
        values[0, TERMS.index(term)] = column[in_order_of_visit(len(X))]
    sums = LeakageSums(TERMS, len(X))
    for rows in np.array_split(np.arange(len(X)), n_blocks):
        sums.add(sums.products([functions[:, rows] for functions in block.functions], values[:, :, rows]))
    shares = sums.shares(MomentSums.of(values, values**2, TERMS))
    return {relation: float(share[0]) for relation, share in zip(sums.relations, shares, strict=True)}


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N_ROWS, 3))


def test_a_component_that_is_a_function_of_one_feature_leaks_wholly_to_it(X):
    found = leakages(X, {(0, 1): np.tanh(X[:, 0])})
    assert found[(0, 1), (0,)] > 0.99
    assert found[(0, 1), (1,)] < 0.01


def test_a_pure_product_of_independent_features_leaks_next_to_nothing(X):
    found = leakages(X, {(0, 1): X[:, 0] * X[:, 1]})
    assert found[(0, 1), (0,)] < 0.01
    assert found[(0, 1), (1,)] < 0.01


def test_a_product_of_dependent_features_leaks_what_a_regression_explains():
    rng = np.random.default_rng(1)
    X = rng.multivariate_normal(np.zeros(3), [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]], size=N_ROWS)
    found = leakages(X, {(0, 1): X[:, 0] * X[:, 1]})
    # E[x₁x₂ | x₁] = ρ x₁² has variance 2 ρ²; the product has 1 + ρ².
    assert found[(0, 1), (0,)] == pytest.approx(2 * 0.36 / 1.36, abs=0.05)


def test_a_triple_leaks_to_a_pair_what_is_a_product_of_two(X):
    found = leakages(X, {(0, 1, 2): X[:, 0] * X[:, 1]})
    assert found[(0, 1, 2), (0, 1)] > 0.95
    assert found[(0, 1, 2), (2,)] < 0.01
    pure = leakages(X, {(0, 1, 2): X.prod(axis=1)})
    assert pure[(0, 1, 2), (0, 1)] < 0.06


@pytest.mark.parametrize("n_rows", [60, 300])
def test_noise_leaks_nothing_on_average_for_chance_is_taken_off(n_rows):
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, 3))
        shares.append(leakages(X, {(0, 1): rng.normal(size=n_rows)})[(0, 1), (0,)])
    # Without the correction 8 functions would explain 8 / n of pure noise.
    assert np.mean(shares) < 0.6 * 8 / n_rows
