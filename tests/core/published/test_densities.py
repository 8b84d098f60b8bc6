"""Projection densities against laws whose density is known, and the floor that keeps them from zero."""

import numpy as np
import pytest

from anova_report.core.published.densities import DensityReference, Scaling, contract, estimate_densities, legendre
from anova_report.core.result.expansion import product_columns
from tests.ground_truth import FGM, RHO, normalized_legendre

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def quantiles_of_a_ramp(n_rows: int) -> np.ndarray:
    """Rows of the density (1 + x) / 2 on [-1, 1], evenly spread over its quantiles."""
    return 2 * np.sqrt((np.arange(n_rows) + 0.5) / n_rows) - 1


def density(reference: DensityReference, term: tuple[int, ...], points: np.ndarray) -> np.ndarray:
    return 1 / reference.weight(term, reference.families(points))


def test_a_projection_density_approaches_the_true_density():
    X = FGM.draw(200_000, np.random.default_rng(0))
    densities = estimate_densities(X, Scaling(), [(0, 1)], degree=3)
    reference = DensityReference(Scaling(), 3, densities, clip=0.01)
    grid = np.array([[-0.8, -0.8, 0.0], [-0.8, 0.8, 0.0], [0.0, 0.5, 0.0]])
    expected = 4 / (1 + 0.5 * grid[:, 0] * grid[:, 1])
    np.testing.assert_allclose(reference.weight((0, 1), reference.families(grid)), expected, rtol=0.05)


def test_a_density_inside_the_span_is_found_exactly():
    rows = quantiles_of_a_ramp(20_000).reshape(-1, 1)
    coefficients = estimate_densities(rows, Scaling(), [(0,)], degree=3)[(0,)][:, 0]
    # (1 + x) / 2 = sqrt(1/2) P̃_0 + sqrt(1/6) P̃_1, for E[X] = 1/3.
    np.testing.assert_allclose(coefficients, [np.sqrt(1 / 2), np.sqrt(1 / 6), 0, 0], atol=1e-4)
    reference = DensityReference(Scaling(), 2, {(0,): coefficients.reshape(-1, 1)}, clip=1e-6)
    points = np.array([[-0.5], [0.0], [0.9]])
    np.testing.assert_allclose(density(reference, (0,), points), (1 + points[:, 0]) / 2, atol=1e-3)


@pytest.mark.parametrize("clip", [1e-3, 0.1])
def test_only_what_is_below_the_floor_is_lifted_to_it(clip):
    rows = np.r_[np.full(90, -0.9), np.full(10, 0.9)].reshape(-1, 1)
    densities = estimate_densities(rows, Scaling(), [(0,)], degree=4)
    points = np.linspace(-1, 1, 41).reshape(-1, 1)
    plain = legendre(points[:, 0], 4) @ densities[(0,)][:, 0]
    assert plain.min() < 0  # so close to two points a projection of degree 4 swings below zero
    found = density(DensityReference(Scaling(), 2, densities, clip), (0,), points)
    np.testing.assert_allclose(found, np.maximum(plain, clip))


def test_densities_are_those_of_scaled_features():
    rows = np.random.default_rng(4).normal(3, 2, size=(400, 1))
    scaling = Scaling(rows.mean(axis=0), rows.std(axis=0))
    scaled = estimate_densities(scaling.apply(rows), Scaling(), [(0,)], degree=5)
    np.testing.assert_allclose(estimate_densities(rows, scaling, [(0,)], degree=5)[(0,)], scaled[(0,)])


def test_products_over_the_true_density_are_orthogonal_to_every_function_of_a_part():
    # FGM's density of two features, (1 + ρxy) / 4, lies in the span: c_00 = 1/2, c_11 = ρ/6.
    tensor = np.diag([1 / 2, RHO / 6])[:, :, None]
    reference = DensityReference(Scaling(), 3, {(0, 1): tensor}, clip=1e-6)
    grid = np.stack(np.meshgrid(NODES, NODES, indexing="ij"), axis=-1).reshape(-1, 2)
    law = np.outer(WEIGHTS, WEIGHTS).ravel() * (1 + RHO * grid.prod(axis=1)) / 4
    families = reference.families(grid)
    weight = reference.weight((0, 1), families)
    assert law.sum() == pytest.approx(1)
    for m in (1, 2, 3):
        column = families(0)[:, m] * families(1)[:, 4 - m] * weight
        for part in (families(0), families(1)):
            np.testing.assert_allclose((law * column) @ part, 0, atol=1e-12)
        assert law @ column**2 > 0.5


def test_legendre_polynomials_are_orthonormal():
    nodes, weights = np.polynomial.legendre.leggauss(30)
    values = legendre(nodes, 20)
    np.testing.assert_allclose(values.T @ (weights[:, None] * values), np.eye(21), atol=1e-12)
    np.testing.assert_allclose(values[:, 7], normalized_legendre(7, nodes))


def test_contracting_a_tensor_equals_summing_products():
    rng = np.random.default_rng(0)
    families = [rng.normal(size=(5, width)) for width in (2, 3, 4)]
    tensor = rng.normal(size=(2, 3, 4, 2))
    np.testing.assert_allclose(contract(tensor, families), product_columns(families) @ tensor.reshape(24, 2))
