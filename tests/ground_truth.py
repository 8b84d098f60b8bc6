"""Models whose components are known on paper: the two analytical cases of the paper, and classics with closed forms."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report import Decomposition

Floats = NDArray[np.float64]
Term = tuple[int, ...]

RHO = 0.5


@dataclass(frozen=True)
class KnownCase:
    """A law of the inputs from which rows can be drawn, and the components of a model under it."""

    name: str
    draw: Callable[[int, np.random.Generator], Floats]
    components: dict[Term, Callable[[Floats], Floats]]

    def answers(self, X: Floats) -> Floats:
        return np.sum([component(X) for component in self.components.values()], axis=0)


def relative_error(estimate: Floats, truth: Floats) -> float:
    """Root mean square distance, relative to the root mean square of the truth."""
    return float(np.sqrt(np.mean((estimate - truth) ** 2) / np.mean(truth**2)))


def component_errors(case: KnownCase, dec: Decomposition, X: Floats) -> dict[Term, float]:
    return {term: relative_error(dec.component(term, X), truth(X)) for term, truth in case.components.items()}


def normalised_legendre(degree: int, x: Floats) -> Floats:
    """Evaluate P̃_m written out from the definition, independent of the package."""
    series = np.polynomial.legendre.Legendre.basis(degree)
    return np.asarray(np.sqrt((2 * degree + 1) / 2) * series(x))


def draw_fgm(n_rows: int, rng: np.random.Generator) -> Floats:
    """Draw from f = (1 + ρ(x1x2 + x1x3 + x2x3)) / 8 by rejection from the uniform law."""
    kept: list[Floats] = []
    while sum(map(len, kept)) < n_rows:
        x = rng.uniform(-1, 1, size=(2 * n_rows, 3))
        weight = 1 + RHO * (x[:, 0] * x[:, 1] + x[:, 0] * x[:, 2] + x[:, 1] * x[:, 2])
        kept.append(x[rng.uniform(0, 1 + 3 * RHO, size=len(x)) < weight])
    return np.concatenate(kept)[:n_rows]


def draw_gaussian(n_rows: int, rng: np.random.Generator) -> Floats:
    """Draw tanh of three normals of unit variance and correlation ρ."""
    covariance = np.full((3, 3), RHO) + (1 - RHO) * np.eye(3)
    return np.tanh(rng.multivariate_normal(np.zeros(3), covariance, size=n_rows))


def _fgm_one(x: Floats) -> Floats:
    return np.full(len(x), 0.5)


def _fgm_two(x: Floats, y: Floats) -> Floats:
    return (1 + RHO * x * y) / 4


def _gaussian_one(x: Floats) -> Floats:
    z = np.arctanh(x)
    return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / (1 - x * x))


def _gaussian_two(x: Floats, y: Floats) -> Floats:
    z, w = np.arctanh(x), np.arctanh(y)
    q = (z * z - 2 * RHO * z * w + w * w) / (1 - RHO**2)
    jacobian = (1 - x * x) * (1 - y * y)
    return np.asarray(np.exp(-q / 2) / (2 * np.pi * np.sqrt(1 - RHO**2)) / jacobian)


def _components(
    one: Callable[[Floats], Floats], two: Callable[[Floats, Floats], Floats]
) -> dict[Term, Callable[[Floats], Floats]]:
    P = normalised_legendre

    def nu_1(X: Floats) -> Floats:
        x = X[:, 0]
        return (np.sqrt(2 / 7) * P(3, x) - np.sqrt(2 / 3) * P(1, x)) / one(x)

    def nu_2(X: Floats) -> Floats:
        x = X[:, 1]
        return (np.sqrt(2 / 3) * P(1, x) + np.sqrt(2 / 5) * P(2, x)) / one(x)

    def nu_12(X: Floats) -> Floats:
        x, y = X[:, 0], X[:, 1]
        return (2 / 9 * P(4, x) * P(4, y) + 2 / 17 * P(8, x) * P(8, y)) / two(x, y)

    return {(0,): nu_1, (1,): nu_2, (0, 1): nu_12}


FGM = KnownCase("FGM", draw_fgm, _components(_fgm_one, _fgm_two))
GAUSSIAN = KnownCase("Gaussian", draw_gaussian, _components(_gaussian_one, _gaussian_two))


def ishigami(X: Floats, a: float = 7.0, b: float = 0.1) -> Floats:
    """Evaluate Ishigami's function of three independent inputs, uniform on [-π, π]."""
    return np.asarray(np.sin(X[:, 0]) + a * np.sin(X[:, 1]) ** 2 + b * X[:, 2] ** 4 * np.sin(X[:, 0]))


def ishigami_indices(a: float = 7.0, b: float = 0.1) -> dict[Term, float]:
    """Sobol' indices of Ishigami's function, from its closed form."""
    first = 0.5 * (1 + b * np.pi**4 / 5) ** 2
    second = a**2 / 8
    interaction = b**2 * np.pi**8 * 8 / 225
    variance = first + second + interaction
    return {(0,): first / variance, (1,): second / variance, (0, 2): interaction / variance}
