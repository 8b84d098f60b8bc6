"""Leakage: all of a component that is a function of one block, none of a pure product."""

import numpy as np
import pytest

from anova_report.core.fit.moments import LeakageEvidence, LeakageSums, relations
from tests.core.small_fits import grouped_rows, in_order_of_visit

TERMS = ((0,), (1,), (2,), (0, 1), (0, 1, 2))
N_ROWS = 6000


def evidence(X: np.ndarray, components: dict[tuple[int, ...], np.ndarray], n_blocks: int = 1) -> LeakageEvidence:
    """What subterms explain of made-up components of one fit."""
    blocks = grouped_rows(X, X[:, 0], degree=10, family="polynomials").blocks((0,))
    functions = [np.hstack(pieces) for pieces in zip(*(block.functions for block in blocks), strict=True)]
    values = np.zeros((1, len(TERMS) + 1, len(X)))
    for term, column in components.items():
        values[0, TERMS.index(term)] = column[in_order_of_visit(len(X))]
    sums = LeakageSums(TERMS, len(X), 1)
    for rows in np.array_split(np.arange(len(X)), n_blocks):
        sums.add(sums.products([each[:, rows] for each in functions], values[:, :, rows]))
    return sums.evidence()


def leakages(X: np.ndarray, components: dict[tuple[int, ...], np.ndarray], n_blocks: int = 1) -> dict:
    """Leakage of made-up components, relation by relation."""
    return by_relation(evidence(X, components, n_blocks).shares())


def by_relation(values: np.ndarray) -> dict:
    return dict(zip(relations(TERMS), values[:, 0].tolist(), strict=True))


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


def test_row_blocks_add_up_to_the_whole(X):
    product = {(0, 1): X[:, 0] * X[:, 1] + 0.3 * X[:, 0]}
    assert leakages(X, product, n_blocks=3) == pytest.approx(leakages(X, product), rel=1e-9)


def test_leaks_of_two_fits_do_not_cancel(X):
    halves = [
        evidence(X[at], {(0, 1): sign * X[at, 0] + 2 * X[at, 0] * X[at, 1]})
        for sign, at in ((1, slice(3000)), (-1, slice(3000, None)))
    ]
    leaked = by_relation((halves[0] + halves[1]).shares())
    assert leaked[(0, 1), (0,)] == pytest.approx(1 / 5, abs=0.03)
    assert leaked[(0, 1), (1,)] < 0.01


@pytest.mark.parametrize(
    ("factors", "n_rows"),
    [([2], 60), ([0, 1], 120), ([0, 1], 600)],
    ids=["noise", "few products", "products"],
)
def test_where_nothing_leaks_the_share_is_zero_on_average_and_below_its_floor_in_95_of_100(factors, n_rows):
    # A product varies most where x is large, where functions of x weigh most: constant noise would be half of chance.
    shares, beyond = [], []
    for seed in range(40):
        X = np.random.default_rng(seed).normal(size=(n_rows, 3))
        found = evidence(X, {(0, 1): X[:, factors].prod(axis=1)})
        at = relations(TERMS).index(((0, 1), (0,)))
        shares.append(float((found.explained - found.chance)[at, 0] / found.squares[at, 0]))
        beyond.append(found.shares()[at, 0] > found.floors(n_rows)[at, 0])
    assert abs(np.mean(shares)) < 3 * np.std(shares) / 40**0.5
    assert np.mean(beyond) <= 0.05


def test_a_component_that_is_zero_leaks_nothing(X):
    found = evidence(X, {})
    assert not found.shares().any()
    assert not found.floors(N_ROWS).any()


@pytest.mark.parametrize("n_outputs", [1, 2, 5])
def test_without_interactions_there_is_no_leakage_of_any_output(n_outputs):
    found = LeakageSums(((0,), (1,)), 100, n_outputs).evidence()
    assert found.shares().shape == found.floors(100).shape == (0, n_outputs)
