"""Functions of one feature and their products: orthonormal, in a fixed order, without side effects."""

from itertools import product

import numpy as np
import pytest
from anova_report.core.fit.basis import chosen_products, contract, legendre, product_columns

from tests.ground_truth import normalised_legendre


@pytest.fixture
def families() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(6, width)) for width in (2, 3, 4)]


def test_legendre_polynomials_are_orthonormal():
    nodes, weights = np.polynomial.legendre.leggauss(30)
    values = legendre(nodes, 20)
    np.testing.assert_allclose(values.T @ (weights[:, None] * values), np.eye(21), atol=1e-12)
    np.testing.assert_allclose(values[:, 7], normalised_legendre(7, nodes))


def test_contracting_a_tensor_equals_summing_products():
    rng = np.random.default_rng(0)
    families = [rng.normal(size=(5, width)) for width in (2, 3, 4)]
    tensor = rng.normal(size=(2, 3, 4, 2))
    np.testing.assert_allclose(contract(tensor, families), product_columns(families) @ tensor.reshape(24, 2))


@pytest.mark.parametrize("degree", [0, 1, 5, 12])
def test_legendre_polynomials_have_their_known_values_at_the_ends(degree):
    low, high = legendre(np.array([-1.0, 1.0]), degree)
    sizes = np.sqrt(np.arange(degree + 1) + 0.5)
    np.testing.assert_allclose(high, sizes)
    np.testing.assert_allclose(low, sizes * (-1.0) ** np.arange(degree + 1))


def test_products_are_all_products_with_the_last_index_fastest(families):
    first, second, third = families
    found = product_columns(families)
    assert found.shape == (6, 24)
    for column, (i, j, k) in enumerate(product(range(2), range(3), range(4))):
        np.testing.assert_allclose(found[:, column], first[:, i] * second[:, j] * third[:, k], rtol=1e-12)


def test_products_of_single_precision_stay_in_single_precision(families):
    singles = [family.astype(np.float32) for family in families]
    assert product_columns(singles).dtype == np.float32
    assert contract(np.ones((2, 3, 4, 1), dtype=np.float32), singles).dtype == np.float32


@pytest.mark.parametrize("order", [1, 2, 3])
def test_chosen_products_are_the_chosen_among_all_products(families, order):
    chosen = families[:order]
    widths = [family.shape[1] for family in chosen]
    which = np.random.default_rng(1).permutation(int(np.prod(widths)))[:2]
    degrees = np.stack(np.unravel_index(which, widths), axis=1)
    np.testing.assert_allclose(chosen_products(chosen, degrees), product_columns(chosen)[:, which], rtol=1e-12)


def test_choosing_products_does_not_write_into_the_families(families):
    before = [family.copy() for family in families]
    chosen_products(families, np.array([[0, 0, 0], [1, 2, 3]]))
    for family, kept in zip(families, before, strict=True):
        np.testing.assert_array_equal(family, kept)


def test_no_chosen_products_are_no_columns(families):
    assert chosen_products(families, np.empty((0, 3), dtype=np.intp)).shape == (6, 0)


def test_a_tensor_may_use_fewer_functions_than_there_are(families):
    tensor = np.random.default_rng(2).normal(size=(1, 2, 3, 1))
    leading = [family[:, :width] for family, width in zip(families, (1, 2, 3), strict=True)]
    np.testing.assert_allclose(contract(tensor, families), product_columns(leading) @ tensor.reshape(-1, 1))
