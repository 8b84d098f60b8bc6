"""Models whose components are known on paper, for the benchmarks of truth and of bands.

Components are hierarchically orthogonal under the law of the inputs. Those of the paper's Gaussian case divide by a
density that vanishes faster than their squares can be integrated: their variance is that of the rows one happens to
see, so nothing is said about shares there.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations

import numpy as np
from scipy.special import sici

from benchmarks import verdict_laws as of
from benchmarks.judge import Floats, Term
from benchmarks.verdict_laws import Law, Rng
from benchmarks.verdict_truth import Component
from tests import ground_truth
from tests.ground_truth import KnownCase

REFERENCE = (20, 50_000)  # pieces and rows of each that tell variances which no formula gives


@dataclass(frozen=True)
class TruthCase:
    """A law of the inputs, the components of a model under it, and how it is looked at.

    Parameters
    ----------
    name : str
    law : callable
        Draws rows from a generator and a number of rows.
    components : mapping
        All components; those beyond `max_order` are part of the model, and nobody is asked for them.
    rows : tuple of int
        Sizes of samples in the benchmark of truth; the benchmark of bands takes the last up to its own limit.
    noise : float
        Standard deviation of what is added to the predictions of the fit.
    box : tuple of float, optional
        Bounds that all features share, which the published method may use.
    d_density : int
        Degree of the published method's densities.
    finite : bool
        Whether components have variances, and the model shares.
    heavy : mapping
        Variances of independent components whose tails are too heavy to measure them.
    """

    name: str
    law: Law
    components: Mapping[Term, Component]
    rows: tuple[int, ...]
    noise: float = 0.0
    max_order: int = 2
    box: tuple[float, float] | None = None
    d_density: int = 4
    finite: bool = True
    heavy: Mapping[Term, float] = field(default_factory=dict)

    def predictions(self, X: Floats) -> Floats:
        """Evaluate the model, up to its mean."""
        return np.sum([component(X) for component in self.components.values()], axis=0)

    def truth(self, X: Floats) -> dict[Term, Floats]:
        """Evaluate the components one can ask for."""
        return {term: component(X) for term, component in self.components.items() if len(term) <= self.max_order}

    def generator(self, n_rows: int, sample: int) -> Rng:
        """Return the generator of a sample: every size and every case has its own rows."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), n_rows, sample])


def line(index: int, slope: float = 1.0, mean: float = 0.0) -> Component:
    """Return a straight line through the mean of a feature."""
    return lambda X: slope * (X[:, index] - mean)


def square(index: int, size: float) -> Component:
    """Return a parabola of a standard normal feature, of mean zero."""
    return lambda X: size * (X[:, index] ** 2 - 1)


def normal_product(one: int, other: int, correlation: float, size: float = 1.0) -> dict[Term, Component]:
    """Decompose the product of two standard normal features: E[xy | x] = r·x², so parabolas of both are inside.

    With b = r / (1 + r²) the pair xy − r − b(x² + y² − 2) has zero mean given x: r·x² − r − b(x² + r²x² − 1 − r²) = 0.
    """
    bent = size * correlation / (1 + correlation**2)

    def pair(X: Floats) -> Floats:
        x, y = X[:, one], X[:, other]
        return np.asarray(size * (x * y - correlation) - bent * (x**2 + y**2 - 2))

    return {(one,): square(one, bent), (other,): square(other, bent), (one, other): pair}


def line_and_product(correlation: float) -> dict[Term, Component]:
    """Decompose x0 + x3 + x1·x2 for five normal features, each two correlated alike; x4 does nothing."""
    return {(0,): line(0), (3,): line(3), **normal_product(1, 2, correlation)}


def quadratic(correlation: float) -> dict[Term, Component]:
    """Decompose x0 + x1 + x0² / 2 + x0·x1 for two normal features."""
    product = normal_product(0, 1, correlation)
    first, second = product[0,], product[1,]
    bent = square(0, 0.5)
    return {
        **product,
        (0,): lambda X: X[:, 0] + bent(X) + first(X),
        (1,): lambda X: X[:, 1] + second(X),
    }


def ishigami() -> dict[Term, Component]:
    """Decompose Ishigami's function under independence: E[x2⁴] = π⁴ / 5."""
    fourth = np.pi**4 / 5
    return {
        (0,): lambda X: (1 + 0.1 * fourth) * np.sin(X[:, 0]),
        (1,): lambda X: 7 * (np.sin(X[:, 1]) ** 2 - 0.5),
        (0, 2): lambda X: 0.1 * (X[:, 2] ** 4 - fourth) * np.sin(X[:, 0]),
    }


def sobol_g(*weights: float) -> dict[Term, Component]:
    """Decompose Sobol's g: a product of factors 1 + h_i of mean one, so a component is a product of its h_i."""

    def product(term: Term, X: Floats) -> Floats:
        return np.prod([(np.abs(4 * X[:, index] - 2) - 1) / (1 + weights[index]) for index in term], axis=0)

    features = range(len(weights))
    terms = [term for order in range(1, len(weights) + 1) for term in combinations(features, order)]
    return {term: partial(product, term) for term in terms}


def friedman() -> dict[Term, Component]:
    """Decompose Friedman's first function: ∫ sin(πxy) dy = (1 − cos πx) / (πx), whose mean is Cin(π) / π."""
    mean = (np.euler_gamma + np.log(np.pi) - sici(np.pi)[1]) / np.pi

    def half(index: int, X: Floats) -> Floats:
        x = np.maximum(X[:, index], 1e-12)
        return np.asarray(10 * ((1 - np.cos(np.pi * x)) / (np.pi * x) - mean))

    def pair(X: Floats) -> Floats:
        return np.asarray(10 * (np.sin(np.pi * X[:, 0] * X[:, 1]) - mean) - half(0, X) - half(1, X))

    return {
        (0,): partial(half, 0),
        (1,): partial(half, 1),
        (2,): lambda X: 20 * ((X[:, 2] - 0.5) ** 2 - 1 / 12),
        (3,): line(3, 10, 0.5),
        (4,): line(4, 5, 0.5),
        (0, 1): pair,
    }


def steps() -> dict[Term, Component]:
    """Decompose 2[x0 > .3] + [x0 > .7] + [x1 > .5] + 4[x2 > .6][x3 > .25], as trees are, for uniform features."""

    def jump(index: int, at: float, X: Floats) -> Floats:
        return (X[:, index] > at) - (1 - at)

    return {
        (0,): lambda X: 2 * jump(0, 0.3, X) + jump(0, 0.7, X),
        (1,): partial(jump, 1, 0.5),
        (2,): lambda X: 4 * 0.75 * jump(2, 0.6, X),
        (3,): lambda X: 4 * 0.4 * jump(3, 0.25, X),
        (2, 3): lambda X: 4 * jump(2, 0.6, X) * jump(3, 0.25, X),
    }


def among_noise() -> dict[Term, Component]:
    """Decompose x0 + sin(2·x1) + x0·x1 for independent normal features, however many others there are."""
    return {(0,): line(0), (1,): lambda X: np.sin(2 * X[:, 1]), (0, 1): lambda X: X[:, 0] * X[:, 1]}


def with_triple() -> dict[Term, Component]:
    """Decompose x0 + x0·x1·x2 for independent normal features: no pair tells of the triple."""
    return {(0,): line(0), (0, 1, 2): lambda X: X.prod(axis=1)}


def lognormal(sigma: float) -> Law:
    """Draw three independent lognormal features."""
    return lambda rng, n_rows: rng.lognormal(0, sigma, size=(n_rows, 3))


def sum_of_lognormals(sigma: float) -> dict[Term, Component]:
    """Give each lognormal feature a straight line."""
    return {(index,): line(index, mean=float(np.exp(sigma**2 / 2))) for index in range(3)}


def on_paper(case: KnownCase, rho: float, rows: tuple[int, ...], finite: bool) -> TruthCase:
    """Take an analytical case of the paper, with the paper's settings of its method."""
    name = f"{case.name}, ρ = {rho:.1f}".replace("0.", ".")
    draw = case.draw
    return TruthCase(name, lambda rng, n: draw(n, rng), case.components, rows, box=(-1, 1), d_density=10, finite=finite)


SMALL_TO_LARGE = (200, 1000, 5000)
HALF = (1000, 5000)
LARGE = (1000, 10_000)
UNIT = (0.0, 1.0)

CASES = (
    TruthCase("Ishigami", of.uniform(3, -np.pi, np.pi), ishigami(), SMALL_TO_LARGE, box=(-np.pi, np.pi)),
    TruthCase("Sobol' g", of.uniform(4), sobol_g(1, 2, 5, 20), HALF, box=UNIT),
    TruthCase("Friedman", of.uniform(10), friedman(), HALF, box=UNIT),
    TruthCase("Friedman, noise", of.uniform(10), friedman(), SMALL_TO_LARGE, noise=1.0, box=UNIT),
    TruthCase("steps", of.uniform(4), steps(), HALF, box=UNIT),
    TruthCase("50 noise features", of.normal(52), among_noise(), HALF),
    TruthCase("triple, order 3", of.normal(3), with_triple(), HALF, max_order=3),
    *(on_paper(ground_truth.fgm(rho), rho, LARGE, finite=True) for rho in (0.3, 0.5, 0.8)),
    *(on_paper(ground_truth.gaussian(rho), rho, LARGE, finite=False) for rho in (0.3, 0.5, 0.8)),
    *(
        TruthCase(f"line + product, r = {r:g}".replace("0.", "."), of.normal(5, r), line_and_product(r), LARGE)
        for r in (0.3, 0.6, 0.9, 0.99)
    ),
    TruthCase("quadratic, r = .3", of.normal(2, 0.3), quadratic(0.3), (200, *LARGE)),
    *(
        TruthCase(
            f"lognormal lines, σ = {sigma:g}",
            lognormal(sigma),
            sum_of_lognormals(sigma),
            SMALL_TO_LARGE,
            heavy={(index,): np.exp(sigma**2) * (np.exp(sigma**2) - 1) for index in range(3)},
        )
        for sigma in (1.0, 1.5)
    ),
)
BY_NAME = {case.name: case for case in CASES}


@cache
def variances(name: str) -> dict[Term, float]:
    """Tell the variance of each component, measured on many rows, and under the empty term that of the model."""
    case, (n_pieces, n_rows) = BY_NAME[name], REFERENCE
    if case.heavy:
        return {**case.heavy, (): sum(case.heavy.values())}
    rng = np.random.default_rng(0)
    squares: dict[Term, float] = {}
    for _ in range(n_pieces):
        X = case.law(rng, n_rows)
        for term, values in {**case.truth(X), (): case.predictions(X)}.items():
            # The mean on paper is zero.
            squares[term] = squares.get(term, 0.0) + float(np.mean(values**2)) / n_pieces
    return squares
