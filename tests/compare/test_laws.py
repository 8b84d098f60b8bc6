"""How much components move because the law of the inputs is known from rows only."""

import numpy as np
import pytest

from anova_report.compare.laws import LawVariance
from tests.compare.conftest import Case, decompose


@pytest.fixture(scope="module")
def product() -> Case:
    """The product of two independent standard normal features, on 1,000 rows."""
    X = np.random.default_rng(0).normal(size=(1000, 2))
    return Case(None, X, decompose(X, X[:, 0] * X[:, 1]))


def test_a_product_hands_the_average_of_one_feature_to_the_other(product: Case) -> None:
    # On other rows the main effect of x is x times the average of y, of variance x² / n.
    found = LawVariance.of(product.dec, 0, product.X).by_term
    x = product.X[:, 0]
    inside = np.abs(x) < 2  # beyond, rows are few and the fitted pair is no longer a product
    assert np.corrcoef(found[(0,)][inside], x[inside] ** 2)[0, 1] > 0.99
    assert found[(0,)][inside].mean() == pytest.approx(np.mean(x[inside] ** 2) / 1000, rel=0.15)


def test_that_is_what_main_effects_vary_by_from_sample_to_sample() -> None:
    rng = np.random.default_rng(1)
    at = np.array([[1.0, 0.0]])
    values, expected = [], []
    for _ in range(6):
        X = rng.normal(size=(150, 2))
        dec = decompose(X, X[:, 0] * X[:, 1])
        values.append(dec.component(0, at)[0])
        expected.append(LawVariance.of(dec, 0, np.vstack([X, at])).by_term[(0,)][-1])
    assert np.std(values, ddof=1) == pytest.approx(np.sqrt(np.mean(expected)), rel=0.7)


def test_a_pair_gives_to_both_of_its_features(product: Case) -> None:
    found = LawVariance.of(product.dec, 0, product.X[:50]).by_term
    np.testing.assert_allclose(found[(0, 1)], found[(0,)] + found[(1,)])


def test_where_nothing_interacts_the_law_changes_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert LawVariance.of(decompose(X, X[:, 0] + X[:, 1], max_order=1), 0, X).by_term == {}


def test_features_with_several_pairs_gather_from_all_of_them() -> None:
    X = np.random.default_rng(0).normal(size=(800, 3))
    dec = decompose(X, X[:, 0] * (X[:, 1] + X[:, 2]))
    found = LawVariance.of(dec, 0, X).by_term
    inside = np.abs(X[:, 0]) < 1.5
    assert found[(0,)][inside].mean() == pytest.approx(2 * np.mean(X[inside, 0] ** 2) / 800, rel=0.15)
    np.testing.assert_allclose(found[(0,)] + found[(1,)] + found[(2,)], found[(0, 1)] + found[(0, 2)])
