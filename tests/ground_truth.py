"""Models whose components are known on paper: the two analytical cases of the paper, and classics with closed forms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import null_space

from anova_report import Decomposition
from anova_report.core.basis.marginals import MarginalReference
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.core.fit.moments import Moments, relations
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.result.expansion import Component, Expansion

Floats = NDArray[np.float64]
Term = tuple[int, ...]

RHO = 0.5


@dataclass(frozen=True)
class KnownCase:
    """A law of the inputs from which rows can be drawn, and the components of a model under it."""

    name: str
    draw: Callable[[int, np.random.Generator], Floats]
    components: dict[Term, Callable[[Floats], Floats]]

    def predictions(self, X: Floats) -> Floats:
        return np.sum([component(X) for component in self.components.values()], axis=0)


def relative_error(estimate: Floats, truth: Floats) -> float:
    """Root mean square distance, relative to the root mean square of the truth."""
    return float(np.sqrt(np.mean((estimate - truth) ** 2) / np.mean(truth**2)))


def component_errors(case: KnownCase, dec: Decomposition, X: Floats) -> dict[Term, float]:
    return {term: relative_error(dec.component(term, X), truth(X)) for term, truth in case.components.items()}


def normalized_legendre(degree: int, x: Floats) -> Floats:
    """Evaluate P̃_m written out from the definition, independent of the package."""
    series = np.polynomial.legendre.Legendre.basis(degree)
    return np.asarray(np.sqrt((2 * degree + 1) / 2) * series(x))


def fgm(rho: float) -> KnownCase:
    """Decompose under f = (1 + ρ(x1x2 + x1x3 + x2x3)) / 8 on [-1, 1]³, drawn by rejection from the uniform law."""

    def draw(n_rows: int, rng: np.random.Generator) -> Floats:
        kept: list[Floats] = []
        while sum(map(len, kept)) < n_rows:
            x = rng.uniform(-1, 1, size=(2 * n_rows, 3))
            weight = 1 + rho * (x[:, 0] * x[:, 1] + x[:, 0] * x[:, 2] + x[:, 1] * x[:, 2])
            kept.append(x[rng.uniform(0, 1 + 3 * rho, size=len(x)) < weight])
        return np.concatenate(kept)[:n_rows]

    def one(x: Floats) -> Floats:
        return np.full(len(x), 0.5)

    def two(x: Floats, y: Floats) -> Floats:
        return (1 + rho * x * y) / 4

    return KnownCase("FGM", draw, _components(one, two))


def gaussian(rho: float) -> KnownCase:
    """Decompose under the law of tanh of three normals of unit variance and correlation ρ."""
    covariance = np.full((3, 3), rho) + (1 - rho) * np.eye(3)

    def draw(n_rows: int, rng: np.random.Generator) -> Floats:
        return np.tanh(rng.multivariate_normal(np.zeros(3), covariance, size=n_rows))

    def one(x: Floats) -> Floats:
        z = np.arctanh(x)
        return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / (1 - x * x))

    def two(x: Floats, y: Floats) -> Floats:
        z, w = np.arctanh(x), np.arctanh(y)
        q = (z * z - 2 * rho * z * w + w * w) / (1 - rho**2)
        jacobian = (1 - x * x) * (1 - y * y)
        return np.asarray(np.exp(-q / 2) / (2 * np.pi * np.sqrt(1 - rho**2)) / jacobian)

    return KnownCase("Gaussian", draw, _components(one, two))


def _components(
    one: Callable[[Floats], Floats], two: Callable[[Floats, Floats], Floats]
) -> dict[Term, Callable[[Floats], Floats]]:
    P = normalized_legendre

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


FGM = fgm(RHO)
GAUSSIAN = gaussian(RHO)


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


COLORS, SIZES, FLAGS = ("blue", "green", "red"), ("small", "middle", "large"), ("no", "yes")
JOINT = np.array(  # P(color, size, flag): every pair of features is dependent
    [
        [[0.12, 0.02], [0.05, 0.03], [0.02, 0.06]],
        [[0.03, 0.05], [0.10, 0.04], [0.02, 0.03]],
        [[0.01, 0.06], [0.03, 0.08], [0.05, 0.20]],
    ]
)
BY_COLOR_AND_SIZE = np.array([[0.0, 1.0, -2.0], [0.5, -1.0, 0.0], [2.0, 0.0, 1.5]])
BY_COLOR_AND_FLAG = np.array([[0.3, -0.4], [0.0, 1.1], [-0.7, 0.2]])
BY_SIZE_AND_FLAG = np.array([[0.0, 0.9], [-0.6, 0.1], [0.4, -1.2]])
ON_THE_TABLE = BY_COLOR_AND_SIZE[:, :, None] + BY_COLOR_AND_FLAG[:, None, :] + BY_SIZE_AND_FLAG[None]


def exact_components(
    joint: Floats, values: Floats, max_order: int, *, unique: bool = True
) -> dict[tuple[int, ...], np.ndarray]:
    """Decompose a function on a finite table: each ν_S is orthogonal to every function of a proper subset of S.

    The functions of x_S are V_S, the part orthogonal to all functions of fewer of its features, plus the V_T of subsets
    T. So the V_S always span every function, also where cells are empty; but then they may overlap (x_1 a function of
    x_2), and the components are not unique. Of all of them, those of least Σ E[ν_S²] are returned, which are the same
    whatever the order of the features. Values at empty cells are nan.
    """
    support = np.flatnonzero(joint)
    cells, weight = np.array(np.unravel_index(support, joint.shape)).T, joint.ravel()[support] / joint.sum()
    terms = [term for order in range(max_order + 1) for term in combinations(range(joint.ndim), order)]
    functions = {}
    for term in terms:
        key = np.unique(cells[:, term], axis=0, return_inverse=True)[1].ravel() if term else np.zeros(len(cells), int)
        functions[term] = np.eye(key.max() + 1)[key] / np.sqrt(np.bincount(key, weight))  # orthonormal
    spaces = {}
    for term in terms:
        parts = [functions[part] for part in combinations(term, len(term) - 1)] if term else []
        conditions = [part.T @ (weight[:, None] * functions[term]) for part in parts]
        spaces[term] = functions[term] @ (null_space(np.vstack(conditions)) if parts else np.ones((1, 1)))
    columns = np.hstack([spaces[term] for term in terms])
    solved, _, rank, _ = np.linalg.lstsq(columns, values.ravel()[support], rcond=1e-10)
    assert (rank == columns.shape[1]) == unique
    np.testing.assert_allclose(columns @ solved, values.ravel()[support], atol=1e-10)
    pieces = np.split(solved, np.cumsum([spaces[term].shape[1] for term in terms])[:-1])
    exact = {term: np.full(joint.size, np.nan) for term in terms}
    for term, piece in zip(terms, pieces, strict=True):
        exact[term][support] = spaces[term] @ piece
    return exact


def draw_table(n_rows: int, seed: int, noise: float = 0.0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cell = rng.choice(JOINT.size, size=n_rows, p=JOINT.ravel())
    color, size, flag = np.unravel_index(cell, JOINT.shape)
    table = pd.DataFrame(
        {
            "color": np.array(COLORS)[color],
            "size": pd.Categorical.from_codes(size, categories=SIZES, ordered=True),
            "flag": np.array(FLAGS)[flag],
        }
    )
    return table, ON_THE_TABLE.ravel()[cell] + noise * rng.normal(size=n_rows), cell


def moments_of(
    columns: Mapping[Term, Floats], gap: Floats, leakages: Mapping[tuple[Term, Term], float] | None
) -> Moments:
    """Moments of one output, from the definition: averages over the rows on which the columns are given."""
    values = np.stack([*columns.values(), gap], axis=1)
    known = relations(tuple(columns))
    fourths = [np.mean(columns[term] ** 2 * columns[part] ** 2) for term, part in known]
    return Moments(
        n_rows=len(values),
        firsts=values.mean(axis=0)[:, None],
        seconds=(values.T @ values / len(values))[:, :, None],
        fourths=np.array(fourths).reshape(-1, 1),
        squared_gap=np.array([np.mean(gap**2)]),
        leakages=None if leakages is None else np.array([leakages.get(pair, 0.0) for pair in known]).reshape(-1, 1),
    )


def decomposition_of(
    columns: Mapping[Term, Floats],
    gap: Floats | float = 0.0,
    *,
    mean: float = 0.0,
    held_out: tuple[Mapping[Term, Floats], Floats | float] | None = None,
    leakages: Mapping[tuple[Term, Term], float] | None = None,
    uncertainty: Uncertainty | None = None,
    dependence: Dependence | None = None,
) -> Decomposition:
    """Make a decomposition whose components have given values on given rows; measures look at nothing else.

    The terms must come by order, then by index; `held_out` are components and gap on other rows.
    """

    def moments(values: Mapping[Term, Floats], left: Floats | float) -> Moments:
        n_rows = len(next(iter(values.values())))
        return moments_of(values, np.broadcast_to(left, (n_rows,)), leakages)

    n_features = 1 + max(feature for term in columns for feature in term)
    empty = [Component(term, np.empty((0, len(term)), np.intp), np.empty((0, 1)), np.zeros(1)) for term in columns]
    return Decomposition(
        features=tuple(Feature(f"x{index}", "numeric") for index in range(n_features)),
        output_names=("prediction",),
        expansion=Expansion(MarginalReference(()), tuple(empty), np.array([mean])),
        in_sample=moments(columns, gap),
        held_out=None if held_out is None else moments(*held_out),
        uncertainty=uncertainty,
        dependence=dependence,
    )


def signs(n_repeats: int = 1) -> tuple[Floats, Floats, Floats]:
    """Two independent features of ±1 and their product: exactly orthonormal and of mean zero on these rows."""
    first, second = np.tile([1.0, 1.0, -1.0, -1.0], n_repeats), np.tile([1.0, -1.0, 1.0, -1.0], n_repeats)
    return first, second, first * second


def traced(*standard_errors: float, n_replicates: int = 64) -> Uncertainty:
    """Make contributions of replicates that give each term, and R² as the first, a known standard error."""
    size = np.array(standard_errors) * np.sqrt(n_replicates - 1) / n_replicates
    moved = np.outer(size, np.tile([1.0, -1.0], n_replicates // 2))[:, :, None]
    return Uncertainty((), structural=moved, total=moved.copy(), in_sample=moved[0], held_out=moved[0])
