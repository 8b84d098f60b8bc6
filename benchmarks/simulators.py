"""Fifteen simulators of the sensitivity literature, as functions of rows, with the laws of their inputs.

Inputs are independent, or tied by a Gaussian copula in which neighbours have correlation .5. Sobol' indices belong to
independent inputs: closed forms where they are known, else estimates from quasi-random rows.

References
----------
Borehole: Harper & Gupta (1983). Flood: Iooss & Lemaître (2015). Wing weight: Forrester, Sóbester & Keane (2008).
OTL circuit and piston: Ben-Ari & Steinberg (2007), Kenett & Zacks (1998). Morris: Morris (1991). Sobol' g: Saltelli &
Sobol' (1995). Ishigami: Ishigami & Homma (1990). Friedman: Friedman (1991). Welch: Welch et al. (1992). Robot arm: An
& Owen (2001). Environmental: Bliznyuk et al. (2008). Short column: Kuschel & Rackwitz (1997). Cantilever: Eldred et
al. (2007). Dette–Pepelyshev: Dette & Pepelyshev (2010).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import inf
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.special import ndtr

from benchmarks.judge import Floats
from benchmarks.verdict_laws import Rng, chain, friedman
from tests.ground_truth import ishigami

Kind = Literal["uniform", "normal", "lognormal", "gumbel", "triangular"]

CORRELATION = 0.5  # of neighbouring inputs in the copula
SOBOL_POWER = 16  # 2^16 quasi-random rows: first-order indices are right to about .001


@dataclass(frozen=True)
class Marginal:
    """The law of one input, cut off at `low` and `high`.

    Parameters
    ----------
    kind : {"uniform", "normal", "lognormal", "gumbel", "triangular"}
    parameters : tuple of float
        Ends; mean and standard deviation (of the logarithm, for lognormal); mode and scale; ends with the mode halfway.
    low, high : float
    """

    kind: Kind
    parameters: tuple[float, float]
    low: float = -inf
    high: float = inf

    def quantile(self, levels: Floats) -> Floats:
        """Evaluate the quantile function."""
        law = self._law()
        below, above = law.cdf([self.low, self.high])
        return np.asarray(law.ppf(below + (above - below) * levels))

    def _law(self) -> Any:
        first, second = self.parameters
        if self.kind == "uniform":
            return stats.uniform(first, second - first)
        if self.kind == "normal":
            return stats.norm(first, second)
        if self.kind == "lognormal":
            return stats.lognorm(second, scale=np.exp(first))
        if self.kind == "gumbel":
            return stats.gumbel_r(first, second)
        return stats.triang(0.5, first, second - first)


@dataclass(frozen=True)
class Indices:
    """Sobol' indices of all inputs, each of shape (n_inputs,): first order, and total."""

    first: Floats
    total: Floats


@dataclass(frozen=True, eq=False)
class Simulator:
    """A simulator and the laws of its inputs.

    Parameters
    ----------
    name : str
    function : callable
        Of rows of shape (n_rows, n_inputs).
    inputs : dict of str to Marginal
    closed : Indices, optional
        Sobol' indices on paper.
    """

    name: str
    function: Callable[[Floats], Floats]
    inputs: dict[str, Marginal]
    closed: Indices | None = None

    def draw(self, rng: Rng, n_rows: int, correlation: float = 0.0) -> Floats:
        """Draw rows: independent inputs, or a Gaussian copula with this correlation of neighbours."""
        if correlation:
            return self.quantiles(ndtr(chain(len(self.inputs), correlation)(rng, n_rows)))
        return self.quantiles(rng.random((n_rows, len(self.inputs))))

    def population(self, power: int, correlation: float = 0.0) -> Floats:
        """Spread 2^power rows over the law of the inputs: evenly if they are independent, otherwise at random."""
        if correlation:
            return self.draw(np.random.default_rng(power), 2**power, correlation)
        return self.quantiles(stats.qmc.Sobol(len(self.inputs), seed=1).random_base2(power))

    def quantiles(self, levels: Floats) -> Floats:
        """Turn rows of the unit cube into rows of the inputs."""
        return np.column_stack([law.quantile(levels[:, at]) for at, law in enumerate(self.inputs.values())])

    def indices(self) -> Indices:
        """Return Sobol' indices under independent inputs: on paper, or from quasi-random rows."""
        return self.closed if self.closed is not None else quasi_random_indices(self.name)


@cache
def quasi_random_indices(name: str, power: int = SOBOL_POWER) -> Indices:
    """Estimate Sobol' indices of a simulator from 2^power quasi-random rows and those that share one input with them.

    First order as Saltelli et al. (2010) do, total as Jansen (1999) does.
    """
    simulator = BY_NAME[name]
    n_inputs = len(simulator.inputs)
    cube = stats.qmc.Sobol(2 * n_inputs, seed=0).random_base2(power)
    A, B = simulator.quantiles(cube[:, :n_inputs]), simulator.quantiles(cube[:, n_inputs:])
    of_A, of_B = simulator.function(A), simulator.function(B)
    centre, variance = of_A.mean(), np.concatenate([of_A, of_B]).var()
    first, total = np.empty((2, n_inputs))
    for at in range(n_inputs):
        mixed = A.copy()
        mixed[:, at] = B[:, at]
        change = simulator.function(mixed) - of_A
        first[at] = np.mean((of_B - centre) * change) / variance
        total[at] = np.mean(change**2) / (2 * variance)
    return Indices(first, total)


# Functions; each takes its inputs column by column, in the order of SIMULATORS


def borehole(X: Floats) -> Floats:
    """Flow of water through a borehole, in cubic metres a year."""
    rw, r, Tu, Hu, Tl, Hl, L, Kw = X.T
    ratio = np.log(r / rw)
    return np.asarray(2 * np.pi * Tu * (Hu - Hl) / (ratio * (1 + 2 * L * Tu / (ratio * rw**2 * Kw) + Tu / Tl)))


def flood(X: Floats) -> Floats:
    """Height of a river above its dyke, in metres."""
    Q, Ks, Zv, Zm, Hd, Cb, L, B = X.T
    return np.asarray(Zv + (Q / (B * Ks * np.sqrt((Zm - Zv) / L))) ** 0.6 - Hd - Cb)


def wing_weight(X: Floats) -> Floats:
    """Weight of the wing of a light aircraft, in pounds."""
    Sw, Wfw, A, sweep, q, taper, tc, Nz, Wdg, Wp = X.T
    cosine = np.cos(np.deg2rad(sweep))
    shape = Sw**0.758 * Wfw**0.0035 * (A / cosine**2) ** 0.6 * q**0.006 * taper**0.04
    return np.asarray(0.036 * shape * (100 * tc / cosine) ** -0.3 * (Nz * Wdg) ** 0.49 + Sw * Wp)


def otl_circuit(X: Floats) -> Floats:
    """Midpoint voltage of a push-pull circuit without output transformer."""
    Rb1, Rb2, Rf, Rc1, Rc2, beta = X.T
    Vb1 = 12 * Rb2 / (Rb1 + Rb2)
    gain = beta * (Rc2 + 9)
    return np.asarray(((Vb1 + 0.74) * gain + 11.35 * Rf + 0.74 * Rf * gain / Rc1) / (gain + Rf))


def piston(X: Floats) -> Floats:
    """Time of one cycle of a piston, in seconds."""
    M, S, V0, k, P0, Ta, T0 = X.T
    A = P0 * S + 19.62 * M - k * V0 / S
    heated = P0 * V0 / T0 * Ta
    V = S / (2 * k) * (np.sqrt(A**2 + 4 * k * heated) - A)
    return np.asarray(2 * np.pi * np.sqrt(M / (k + S**2 * heated / V**2)))


def morris(X: Floats) -> Floats:
    """Evaluate Morris' function of twenty inputs; coefficients he drew at random are signs that alternate."""
    W = 2 * (X - 0.5)
    bent = [2, 4, 6]
    W[:, bent] = 2 * (1.1 * X[:, bent] / (X[:, bent] + 0.1) - 0.5)
    found = sum((20.0 if i < 10 else (-1.0) ** (i + 1)) * W[:, i] for i in range(20))
    for i, j in combinations(range(20), 2):
        found = found + (-15.0 if j < 6 else (-1.0) ** (i + j)) * W[:, i] * W[:, j]
    for n_inputs, order, coefficient in ((5, 3, -10.0), (4, 4, 5.0)):
        for term in combinations(range(n_inputs), order):
            found = found + coefficient * W[:, term].prod(axis=1)
    return np.asarray(found)


G_WEIGHTS = np.array([0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0])


def sobol_g(X: Floats) -> Floats:
    """Evaluate Sobol's g function of eight inputs."""
    return np.asarray(np.prod((np.abs(4 * X - 2) + G_WEIGHTS) / (1 + G_WEIGHTS), axis=1))


def sobol_g_indices() -> Indices:
    """Return the closed form: factors are independent with mean one and variance 1 / (3 (1 + a)²)."""
    own = 1 / (3 * (1 + G_WEIGHTS) ** 2)
    whole = np.prod(1 + own)
    return Indices(own / (whole - 1), own / (1 + own) * whole / (whole - 1))


def ishigami_indices(a: float = 7.0, b: float = 0.1) -> Indices:
    """Return the closed form; the only interaction is that of the first and the third input."""
    first = (1 + b * np.pi**4 / 5) ** 2 / 2
    second, pair = a**2 / 8, 8 * b**2 * np.pi**8 / 225
    whole = first + second + pair
    return Indices(np.array([first, second, 0]) / whole, np.array([first + pair, second, pair]) / whole)


def welch(X: Floats) -> Floats:
    """Evaluate the function of twenty inputs of Welch and others; two of them do nothing."""
    x = dict(enumerate(X.T, start=1))
    slopes = {2: 0.05, 3: 0.08, 6: -0.03, 7: 0.03, 9: -0.09, 10: -0.01, 11: -0.07, 14: -0.04, 15: 0.06}
    slopes |= {5: 1.0, 17: -0.01, 18: -0.03, 19: -5.0}
    curves = 5 * x[12] / (1 + x[1]) + 5 * (x[4] - x[20]) ** 2 + 40 * x[19] ** 3 + 0.25 * x[13] ** 2
    return np.asarray(curves + sum(slope * x[at] for at, slope in slopes.items()))


def robot_arm(X: Floats) -> Floats:
    """Distance of the end of a robot arm of four segments from its shoulder."""
    angles, lengths = np.cumsum(X[:, :4], axis=1), X[:, 4:]
    return np.hypot((lengths * np.cos(angles)).sum(axis=1), (lengths * np.sin(angles)).sum(axis=1))


def environmental(X: Floats, place: float = 1.0, moment: float = 40.1) -> Floats:
    """Concentration of a pollutant in a channel after two spills, at one place and moment."""
    M, D, L, tau = X.T
    since = moment - tau
    one = M / np.sqrt(D * moment) * np.exp(-(place**2) / (4 * D * moment))
    return np.asarray(one + M / np.sqrt(D * since) * np.exp(-((place - L) ** 2) / (4 * D * since)))


def short_column(X: Floats, width: float = 5.0, depth: float = 15.0) -> Floats:
    """Limit state of a short column under a bending moment and an axial force."""
    Y, M, P = X.T
    return np.asarray(1 - 4 * M / (width * depth**2 * Y) - P**2 / (width**2 * depth**2 * Y**2))


def cantilever(X: Floats, width: float = 4.0, thickness: float = 2.0, length: float = 100.0) -> Floats:
    """Displacement of the free end of a cantilever beam under two loads, in inches."""
    E, across, down = X.T
    bend = np.hypot(down / thickness**2, across / width**2)
    return np.asarray(4 * length**3 / (E * width * thickness) * bend)


def dette_pepelyshev(X: Floats) -> Floats:
    """Evaluate the curved function of eight inputs of Dette and Pepelyshev."""
    x1, x2, x3 = X[:, :3].T
    curved = 4 * (x1 - 2 + 8 * x2 - 8 * x2**2) ** 2 + (3 - 4 * x2) ** 2 + 16 * np.sqrt(x3 + 1) * (2 * x3 - 1) ** 2
    sums = np.cumsum(X[:, 2:], axis=1)[:, 1:]
    return np.asarray(curved + np.log1p(sums) @ np.arange(4, 9))


def uniform(**ends: tuple[float, float]) -> dict[str, Marginal]:
    """Make uniform inputs from their ends."""
    return {name: Marginal("uniform", pair) for name, pair in ends.items()}


def alike(n_inputs: int, low: float, high: float) -> dict[str, Marginal]:
    """Make uniform inputs that share their ends."""
    return {f"x{at}": Marginal("uniform", (low, high)) for at in range(1, n_inputs + 1)}


SIMULATORS = (
    Simulator(
        "borehole",
        borehole,
        {
            "rw": Marginal("normal", (0.10, 0.0161812), 0.05, 0.15),
            "r": Marginal("lognormal", (7.71, 1.0056), 100, 50_000),
        }
        | uniform(Tu=(63_070, 115_600), Hu=(990, 1110), Tl=(63.1, 116), Hl=(700, 820), L=(1120, 1680))
        | uniform(Kw=(9855, 12_045)),
    ),
    Simulator(
        "flood",
        flood,
        {
            "Q": Marginal("gumbel", (1013, 558), 500, 3000),
            "Ks": Marginal("normal", (30, 8), 15),
            "Zv": Marginal("triangular", (49, 51)),
            "Zm": Marginal("triangular", (54, 56)),
            "Hd": Marginal("uniform", (7, 9)),
            "Cb": Marginal("triangular", (55, 56)),
            "L": Marginal("triangular", (4990, 5010)),
            "B": Marginal("triangular", (295, 305)),
        },
    ),
    Simulator(
        "wing weight",
        wing_weight,
        uniform(Sw=(150, 200), Wfw=(220, 300), A=(6, 10), sweep=(-10, 10), q=(16, 45), taper=(0.5, 1))
        | uniform(tc=(0.08, 0.18), Nz=(2.5, 6), Wdg=(1700, 2500), Wp=(0.025, 0.08)),
    ),
    Simulator(
        "OTL circuit",
        otl_circuit,
        uniform(Rb1=(50, 150), Rb2=(25, 70), Rf=(0.5, 3), Rc1=(1.2, 2.5), Rc2=(0.25, 1.2), beta=(50, 300)),
    ),
    Simulator(
        "piston",
        piston,
        uniform(M=(30, 60), S=(0.005, 0.020), V0=(0.002, 0.010), k=(1000, 5000), P0=(90_000, 110_000))
        | uniform(Ta=(290, 296), T0=(340, 360)),
    ),
    Simulator("Morris", morris, alike(20, 0, 1)),
    Simulator("Sobol' g", sobol_g, alike(8, 0, 1), sobol_g_indices()),
    Simulator("Ishigami", ishigami, alike(3, -np.pi, np.pi), ishigami_indices()),
    Simulator("Friedman", friedman, alike(10, 0, 1)),
    Simulator("Welch", welch, alike(20, -0.5, 0.5)),
    Simulator(
        "robot arm",
        robot_arm,
        {f"angle{at}": Marginal("uniform", (0, 2 * np.pi)) for at in range(1, 5)}
        | {f"length{at}": Marginal("uniform", (0, 1)) for at in range(1, 5)},
    ),
    Simulator("environmental", environmental, uniform(M=(7, 13), D=(0.02, 0.12), L=(0.01, 3), tau=(30.01, 30.295))),
    Simulator(
        "short column",
        short_column,
        {
            "Y": Marginal("lognormal", (np.log(5) - np.log(1.01) / 2, np.sqrt(np.log(1.01)))),  # mean 5, sd .5
            "M": Marginal("normal", (2000, 400)),
            "P": Marginal("normal", (500, 100)),
        },
    ),
    Simulator(
        "cantilever",
        cantilever,
        {
            "E": Marginal("normal", (2.9e7, 1.45e6)),
            "across": Marginal("normal", (500, 100)),
            "down": Marginal("normal", (1000, 100)),
        },
    ),
    Simulator("Dette–Pepelyshev", dette_pepelyshev, alike(8, 0, 1)),
)
BY_NAME = {simulator.name: simulator for simulator in SIMULATORS}
