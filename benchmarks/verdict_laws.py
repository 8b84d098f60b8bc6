"""What the cases of the benchmark of verdicts are made of: laws of inputs, functions of them, components on paper."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.signal import lfilter

from benchmarks.judge import Floats, Term
from benchmarks.verdict_truth import Component
from tests import ground_truth

Rng = np.random.Generator
Law = Callable[[Rng, int], Any]
Function = Callable[[Any], Floats]

MANY = 200_000  # rows, for a mean that is as good as on paper


# Laws


def uniform(n_features: int, low: float = 0.0, high: float = 1.0) -> Law:
    """Draw independent uniform features."""
    return lambda rng, n_rows: low + (high - low) * rng.random((n_rows, n_features))


def by_column(rng: Rng, n_rows: int) -> Floats:
    """Draw four uniform features one after the other, as users do."""
    return np.column_stack([rng.random(n_rows) for _ in range(4)])


def normal(n_features: int, correlation: float = 0.0) -> Law:
    """Draw normal features of unit variance, each two correlated alike."""
    own, shared = np.sqrt(1 - correlation), np.sqrt(correlation)
    return lambda rng, n_rows: own * rng.normal(size=(n_rows, n_features)) + shared * rng.normal(size=(n_rows, 1))


def chain(n_features: int, correlation: float) -> Law:
    """Draw normal features of unit variance whose correlation falls with their distance."""
    steps = np.abs(np.subtract.outer(range(n_features), range(n_features)))
    root = np.linalg.cholesky(correlation**steps)
    return lambda rng, n_rows: rng.normal(size=(n_rows, n_features)) @ root.T


def quadrants(sign: int) -> Law:
    """Draw four uniform features, the first two of equal (1) or opposite sign (-1); margins do not tell which."""

    def draw(rng: Rng, n_rows: int) -> Floats:
        X = rng.uniform(-1, 1, size=(n_rows, 4))
        X[:, 1] = sign * np.sign(X[:, 0]) * np.abs(X[:, 1])
        return X

    return draw


def derived(how: Callable[[Floats, Floats], Floats], n_features: int = 3) -> Law:
    """Draw independent normal features and make the last one from the others and a noise."""

    def draw(rng: Rng, n_rows: int) -> Floats:
        X = rng.normal(size=(n_rows, n_features))
        X[:, -1] = how(X, X[:, -1])
        return X

    return draw


def clouds(rng: Rng, n_rows: int) -> Floats:
    """Draw four features from five clouds, as customers of several kinds are."""
    centres = 1.5 * np.random.default_rng(5).normal(size=(5, 4))
    return np.asarray(centres[rng.integers(5, size=n_rows)] + rng.normal(size=(n_rows, 4)))


def heavy_t(rng: Rng, n_rows: int) -> Floats:
    """Draw features from a t distribution with 2.5 degrees of freedom."""
    return rng.standard_t(2.5, size=(n_rows, 3))


def heavy_lognormal(rng: Rng, n_rows: int) -> Floats:
    """Draw lognormal features."""
    return rng.lognormal(0, 1.5, size=(n_rows, 3))


def mixed(rng: Rng, n_rows: int) -> pd.DataFrame:
    """Draw numbers, some of them missing, with names and ordered levels."""
    age = rng.normal(45, 12, size=n_rows)
    age[rng.random(n_rows) < 0.15] = np.nan
    town = rng.choice(["Bern", "Lyon", "Oslo", "Turin"], p=[0.4, 0.3, 0.2, 0.1], size=n_rows)
    grade = pd.Categorical.from_codes(rng.integers(4, size=n_rows), list("ABCD"), ordered=True)
    return pd.DataFrame({"age": age, "town": town, "grade": grade, "income": rng.lognormal(0, 0.5, size=n_rows)})


def with_product(rng: Rng, n_rows: int) -> Floats:
    """Draw a debt, a rate, what the debt costs, known to 1%, and two features of their own."""
    debt, rate = rng.lognormal(0, 0.5, size=n_rows), rng.uniform(0.5, 1.5, size=n_rows)
    cost = debt * rate * (1 + 0.01 * rng.normal(size=n_rows))
    return np.column_stack([debt, rate, cost, rng.normal(size=(n_rows, 2))])


def with_code(n_values: int, named: bool = False) -> Law:
    """Draw a number, the code that each of its values has, as a number or a name, and two features of their own."""
    codes = np.random.default_rng(n_values).permutation(n_values)

    def draw(rng: Rng, n_rows: int) -> pd.DataFrame:
        number = rng.integers(n_values, size=n_rows)
        code = np.char.add("c", codes[number].astype(str)) if named else codes[number].astype(float)
        own = rng.normal(size=(n_rows, 2))
        return pd.DataFrame({"number": number.astype(float), "code": code, "a": own[:, 0], "b": own[:, 1]})

    return draw


def in_time(rng: Rng, n_rows: int) -> Floats:
    """Draw four features that change slowly from row to row."""
    return np.asarray(lfilter([1.0], [1, -0.95], rng.normal(size=(n_rows, 4)), axis=0) * np.sqrt(1 - 0.95**2))


def names(rng: Rng, n_rows: int) -> pd.DataFrame:
    """Draw a name among thirty and a number."""
    return pd.DataFrame({"name": np.char.add("n", rng.integers(30, size=n_rows).astype(str)), "x": rng.random(n_rows)})


def digits(*n_values: int) -> Law:
    """Draw independent whole numbers."""
    return lambda rng, n_rows: rng.integers(n_values, size=(n_rows, len(n_values))).astype(float)


# Functions


def friedman(X: Floats) -> Floats:
    """Evaluate Friedman's function of five features; others do nothing."""
    curves = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return np.asarray(curves + 10 * X[:, 3] + 5 * X[:, 4])


def sobol_g(X: Floats) -> Floats:
    """Evaluate Sobol's g function with weights that leave little to triples."""
    weights = np.array([1.0, 2.0, 5.0, 20.0])
    return np.asarray(np.prod((np.abs(4 * X - 2) + weights) / (1 + weights), axis=1))


def waves(X: Floats) -> Floats:
    """Add a wave, a product and a line."""
    return np.asarray(np.sin(5 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + X[:, 3])


def turned(X: Floats) -> Floats:
    """Add a pair that is the opposite where the signs of its two features differ."""
    pair = (X[:, 0] ** 2 - 1 / 3) * (
        X[:, 1] ** 2 - 1 / 3
    )  # pure in either of the quadrants: their sizes are independent
    return np.asarray(X[:, 2] + np.sin(2 * X[:, 0]) + 8 * np.sign(X[:, 0] * X[:, 1]) * pair)


def of_debts(X: Floats) -> Floats:
    """Multiply a debt with its rate: the model does not look at the cost."""
    return np.asarray(X[:, 0] * X[:, 1] + X[:, 3] + X[:, 4] ** 2 / 2)


def of_costs(X: Floats) -> Floats:
    """Take the cost, not what it is the product of."""
    return np.asarray(X[:, 2] + X[:, 3] + X[:, 4] ** 2 / 2)


def of_codes(X: pd.DataFrame) -> Floats:
    """Look up a value for each number."""
    return np.asarray(np.cos(X["number"] ** 2) + X["a"] + X["b"] / 2)


def steps(X: Floats) -> Floats:
    """Add jumps, as trees have them."""
    return np.asarray(2.0 * (X[:, 0] > 0.3) + (X[:, 1] > 0.5) * (X[:, 2] > 0.6) + X[:, 3])


def by_digits(X: Floats) -> Floats:
    """Look up a value for each whole number and for two at once."""
    return np.asarray(np.cos(2 * X[:, 0]) + np.sin(3 * X[:, 1]) + 0.5 * X[:, 0] * (X[:, -1] - 1))


def of_mixed(X: pd.DataFrame) -> Floats:
    """Score a person; a missing age is a fact of its own."""
    age = np.where(X["age"].isna(), 1.5, np.sin(X["age"].fillna(0) / 10))
    town = X["town"].map({"Bern": 0.0, "Lyon": 1.0, "Oslo": -1.0, "Turin": 0.5}).to_numpy()
    return np.asarray(age + town * X["grade"].cat.codes.to_numpy() / 2 + np.log(X["income"]).to_numpy())


def of_names(X: pd.DataFrame) -> Floats:
    """Look up a value for each name."""
    return np.asarray(np.cos(X["name"].str[1:].astype(int).to_numpy() ** 2) + X["x"].to_numpy())


def network(X: Floats) -> Floats:
    """Evaluate a smooth network with twenty hidden units and fixed weights."""
    rng = np.random.default_rng(8)
    hidden = rng.normal(size=(X.shape[1], 20)) / np.sqrt(X.shape[1])
    return np.asarray(np.tanh(X @ hidden + rng.normal(size=20)) @ rng.normal(size=20))


def triple(weight: float) -> Function:
    """Add to main effects a product of three features, which pairs cannot tell."""
    return lambda X: np.asarray(X[:, 0] + np.sin(2 * X[:, 1]) + weight * X[:, 0] * X[:, 1] * X[:, 2])


def full_triple(X: Floats) -> Floats:
    """Multiply three features whose main effects and pairs are there as well."""
    return np.asarray(np.prod(1 + X, axis=1))


def spikes(X: Floats) -> Floats:
    """Add to a plane what only one row in five hundred shows."""
    return np.asarray(X[:, 0] + X[:, 1] + 40.0 * is_spike(X))


def is_spike(X: Floats) -> NDArray[np.bool_]:
    """Say which rows show it."""
    return np.asarray(X[:, 0] > 0.998)


def nothing(X: Any) -> Floats:
    """Return zeros: what is added to them is noise."""
    return np.zeros(len(X))


# Components known on paper


def lines(*slopes: float) -> dict[Term, Component]:
    """Give each feature of mean zero a straight line: the components of a linear model under any law."""
    return {(index,): partial(_line, index, slope) for index, slope in enumerate(slopes)}


def _line(index: int, slope: float, X: Floats) -> Floats:
    return slope * X[:, index]


def product(correlation: float) -> dict[Term, Component]:
    """Decompose x0 + x1 + 2·x0·x1 for two normal features of unit variance: E[x0·x1 | x0] = ρ·x0²."""
    bent = 2 * correlation / (1 + correlation**2)

    def main(index: int, X: Floats) -> Floats:
        return X[:, index] + bent * (X[:, index] ** 2 - 1)

    def pair(X: Floats) -> Floats:
        return 2 * X[:, 0] * X[:, 1] - 2 * correlation - bent * (X[:, 0] ** 2 + X[:, 1] ** 2 - 2)

    return {(0,): partial(main, 0), (1,): partial(main, 1), (0, 1): pair}


def difference(correlation: float) -> dict[Term, Component]:
    """Decompose x0 + z² / 2, z the difference of two normal features in standard deviations: nearly all a pair."""
    scale = 1 / (4 * (1 - correlation))
    bent = scale * (1 - 2 * correlation / (1 + correlation**2))

    def pair(X: Floats) -> Floats:
        whole = scale * ((X[:, 0] - X[:, 1]) ** 2 - 2 * (1 - correlation))
        return whole - bent * (X[:, 0] ** 2 + X[:, 1] ** 2 - 2)

    return {
        (0,): lambda X: X[:, 0] + bent * (X[:, 0] ** 2 - 1),
        (1,): lambda X: bent * (X[:, 1] ** 2 - 1),
        (0, 1): pair,
    }


def plain_product() -> dict[Term, Component]:
    """Decompose x0 + x1 + x0·x1 for independent features of mean zero."""
    return {**lines(1, 1), (0, 1): lambda X: X[:, 0] * X[:, 1]}


def curves(law: Law, n_features: int) -> dict[Term, Component]:
    """Give each feature a curve of its own, of mean zero: an additive function has these components under any law."""
    X = law(np.random.default_rng(0), MANY)
    means = [float(_curve(index, 0.0, X).mean()) for index in range(n_features)]
    return {(index,): partial(_curve, index, mean) for index, mean in enumerate(means)}


def _curve(index: int, mean: float, X: Floats) -> Floats:
    x = X[:, index]
    return np.asarray((x, np.sin(2 * x), np.abs(x), np.tanh(3 * x))[index % 4] - mean)


def on_a_table() -> dict[Term, Component]:
    """Decompose a function of three dependent features with few levels, solved exactly on its cells."""
    exact = ground_truth.exact_components(ground_truth.JOINT, ground_truth.ON_THE_TABLE, 2)
    return {term: partial(_look_up, values) for term, values in exact.items() if term}


def table_law(rng: Rng, n_rows: int) -> pd.DataFrame:
    """Draw rows of that table."""
    return ground_truth.draw_table(n_rows, int(rng.integers(2**31)))[0]


def _look_up(values: Floats, X: pd.DataFrame) -> Floats:
    levels = (ground_truth.COLORS, ground_truth.SIZES, ground_truth.FLAGS)
    codes = [pd.Categorical(X[name], categories=known).codes for name, known in zip(X, levels, strict=True)]
    return np.asarray(values[np.ravel_multi_index(codes, ground_truth.JOINT.shape)])
