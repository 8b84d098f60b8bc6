"""The published reference: Legendre polynomials of scaled features, divided by estimated densities.

Every feature is brought into [-1, 1] first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats, Reals, read_only
from anova_report.core.input.features import Feature
from anova_report.core.result.expansion import Families, product_columns
from anova_report.core.result.terms import Term
from anova_report.errors import InputError

ScalingName: TypeAlias = Literal["tanh"] | None


@dataclass(frozen=True, eq=False)
class Scaling:
    """Center and spread of each feature for standardize-then-tanh, or none for data already in [-1, 1]."""

    # center, spread, shape (n_features,): None leaves the data as they are
    centre: Floats | None = None
    spread: Floats | None = None

    def __post_init__(self) -> None:
        read_only(self.centre, self.spread)

    def apply(self, values: Floats) -> Floats:
        """Bring rows into [-1, 1]; without scaling, what lies outside is held at the edge."""
        if self.centre is None or self.spread is None:
            return np.clip(values, -1.0, 1.0)
        return np.tanh((values - self.centre) / self.spread)


def fit_scaling(values: Floats, features: tuple[Feature, ...], scaling: ScalingName) -> Scaling:
    """Learn the scaling of the rows that are fitted.

    Examples
    --------
    >>> rows = np.array([[-1.0], [1.0]])
    >>> fit_scaling(rows, (Feature("x", "numeric"),), "tanh").apply(rows).round(3).tolist()
    [[-0.762], [0.762]]
    """
    if scaling == "tanh":
        return Scaling(values.mean(axis=0), values.std(axis=0))
    if scaling is not None:
        raise InputError(f"scaling must be 'tanh' or None; got {scaling!r}.")
    low, high = values.min(axis=0), values.max(axis=0)
    for index, feature in enumerate(features):
        if low[index] < -1 - ROUNDING or high[index] > 1 + ROUNDING:  # data may have been scaled elsewhere
            raise InputError(
                f"With scaling=None every feature must lie in [-1, 1], and column {feature.name!r} runs from "
                f"{low[index]:g} to {high[index]:g}. Scale it, or use scaling='tanh'."
            )
    return Scaling()


def legendre(x: Floats, degree: int) -> Floats:
    """Evaluate the Legendre polynomials that are orthonormal for dx on [-1, 1], shape (n_rows, degree + 1).

    Column m is P̃_m = sqrt((2m + 1) / 2) P_m.

    Examples
    --------
    >>> legendre(np.array([1.0]), 2).round(3).tolist()
    [[0.707, 1.225, 1.581]]
    """
    norms = np.sqrt((2 * np.arange(degree + 1) + 1) / 2)
    return np.asarray(np.polynomial.legendre.legvander(x, degree) * norms, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DensityReference:
    """Where the published basis lives: scaling, projection densities of every term, and their floor."""

    scaling: Scaling
    degree: int  # highest degree of the basis
    # shape (d_density + 1, …, 1): coefficients c_S^m of the projection density of each term
    densities: Mapping[Term, Floats]
    clip: float  # floor of the densities; the projection estimate can be zero or negative
    complete_numbers_only: bool = True

    def __post_init__(self) -> None:
        read_only(*self.densities.values())

    def families(self, values: Floats) -> Families:
        """Return what evaluates P̃_0 … P̃_d of a scaled feature."""
        scaled = self.scaling.apply(values)
        density_degree = max((len(tensor) - 1 for tensor in self.densities.values()), default=0)
        degree = max(self.degree, density_degree)
        return cache(lambda feature: legendre(scaled[:, feature], degree))

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Flag nothing: the published scaling has no range, and its densities keep none."""
        return np.zeros(values.shape, dtype=bool)

    def weight(self, term: Term, families: Families) -> Floats:
        """Evaluate 1 / f_S, the factor that makes the products hierarchically orthogonal."""
        density = contract(self.densities[term], [families(feature) for feature in term])[:, 0]
        return np.asarray(1.0 / np.maximum(density, self.clip))


def estimate_densities(values: Floats, scaling: Scaling, terms: Sequence[Term], degree: int) -> dict[Term, Floats]:
    """Estimate the density of every term by projection: c_S^m is the sample mean of Π P̃_{m_j}(X_j), m_j ≤ degree.

    Examples
    --------
    >>> rows = np.linspace(-1, 1, 2001).reshape(-1, 1)
    >>> density = estimate_densities(rows, Scaling(), [(0,)], degree=2)[(0,)]
    >>> density[:, 0].round(2).tolist()  # f = 1/2 = c_0 P̃_0 with P̃_0 = sqrt(1/2)
    [0.71, 0.0, 0.0]
    """
    scaled = scaling.apply(values)
    families = [legendre(scaled[:, index], degree) for index in range(scaled.shape[1])]
    densities = {}
    for term in terms:
        *before, last = (families[index] for index in term)
        mean = product_columns(before).T @ last / len(last) if before else last.mean(axis=0)
        densities[term] = np.reshape(mean, (*(degree + 1 for _ in term), 1))
    return densities


def contract(tensor: Reals, families: Sequence[Reals]) -> Reals:
    """Evaluate Σ_m tensor[m_1, …, m_k] Π_j family_j[:, m_j], shape (n_rows, n_outputs), without forming the products.

    The tensor, of shape (d_1, …, d_k, n_outputs), may use fewer functions than the families hold.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [1.0, 3.0]])
    >>> contract(np.array([[0.0], [1.0]]), [rows]).tolist()
    [[2.0], [3.0]]
    """
    first, *rest = families
    result = np.tensordot(first[:, : tensor.shape[0]], tensor, axes=1)
    for family in rest:
        result = np.einsum("nm...,nm->n...", result, family[:, : result.shape[1]])
    return result
