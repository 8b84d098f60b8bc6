"""Planted cases for asking: columns that a model never reads, and models that behave otherwise off the data.

A model that fools explainers follows one function on rows like those of the data and another one elsewhere: it has a
detector, which measures how far a row is from the dependence that all rows of the data obey. Its honest twin follows
the first function everywhere; half of the honest ones are trees that were trained on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from benchmarks.judge import Floats
from benchmarks.verdict_laws import chain

Rng = np.random.Generator
Function = Callable[[Any], Floats]

N_ROWS = 4000
TOLERANCE = 0.1  # how far rows of the data lie from the dependence, in standard deviations of a feature
DETECTED = 5.0  # tolerances beyond which a row is taken for made up: no row of the data is
TREE_NOISE = 0.1  # of the target that honest trees are trained on


# Columns that the model never reads


@dataclass(frozen=True, eq=False)
class UnreadCase:
    """A law of rows, a function of some of their columns, and the columns it never reads, by position."""

    name: str
    law: Callable[[Rng, int], Any]
    function: Function
    unread: tuple[int, ...]

    def draw(self, n_rows: int = N_ROWS) -> Any:
        """Draw rows, always the same."""
        return self.law(np.random.default_rng(606), n_rows)


def with_cost(rng: Rng, n_rows: int) -> pd.DataFrame:
    """Draw loans whose cost is debt times rate, up to 1% noise."""
    debt, rate, noise, age, term = rng.normal(size=(5, n_rows))
    return pd.DataFrame({"debt": debt, "rate": rate, "cost": debt * rate + 0.01 * noise, "age": age, "term": term})


def with_copies(rng: Rng, n_rows: int) -> Floats:
    """Draw three features, and three that copy them up to 5% noise."""
    X = rng.normal(size=(n_rows, 6))
    X[:, 3:] = X[:, :3] + 0.05 * X[:, 3:]
    return X


def with_towns(rng: Rng, n_rows: int) -> pd.DataFrame:
    """Draw towns, their countries, and an income that goes with them."""
    town = rng.integers(12, size=n_rows)
    income = 0.3 * (town % 5) + rng.normal(size=n_rows)
    levels = {"town": [f"t{at:02}" for at in town], "country": [f"c{at // 4}" for at in town]}
    return pd.DataFrame({**levels, "income": income, "age": rng.normal(size=n_rows)})


def loan(X: pd.DataFrame) -> Floats:
    """Read all columns but the cost."""
    return np.asarray(X["debt"] * X["rate"] + X["age"] + np.sin(2 * X["term"]))


def first_three(X: Floats) -> Floats:
    """Read the first three columns."""
    return np.asarray(X[:, 0] * X[:, 1] + np.tanh(2 * X[:, 2]) + X[:, 0])


def by_income(X: pd.DataFrame) -> Floats:
    """Read town and income, but not the country."""
    town = X["town"].str[1:].astype(int).to_numpy()
    return np.asarray(np.cos(town) * (1 + 0.5 * X["income"]) + X["income"])


UNREAD = (
    UnreadCase("cost = debt × rate", with_cost, loan, (2,)),
    UnreadCase("copies", with_copies, first_three, (3, 4, 5)),
    UnreadCase("neighbours, r = .9", chain(8, 0.9), first_three, (3, 4, 5, 6, 7)),
    UnreadCase("country of a town", with_towns, by_income, (1, 3)),
)


# Models that behave otherwise off the data


@dataclass(frozen=True, eq=False)
class Dependence:
    """A law whose rows obey a dependence, and how far any row is from it."""

    name: str
    law: Callable[[Rng, int], Floats]
    distance: Callable[[Floats], Floats]


def _given(how: Callable[[Floats], Floats], *targets: int) -> tuple[Callable[[Rng, int], Floats], Function]:
    """Make some of six columns from the others, up to the tolerance; returns the law and the distance from it."""

    def law(rng: Rng, n_rows: int) -> Floats:
        X = rng.normal(size=(n_rows, 6))
        X[:, list(targets)] = how(X) + TOLERANCE * rng.normal(size=(n_rows, len(targets)))
        return X

    return law, lambda X: np.abs(X[:, list(targets)] - how(X)).max(axis=1)


ROTATION = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
DEPENDENCES = (
    Dependence("a sum", *_given(lambda X: X[:, [0]] + X[:, [1]], 5)),
    Dependence("a product", *_given(lambda X: X[:, [0]] * X[:, [1]], 5)),
    Dependence("a parabola", *_given(lambda X: X[:, [0]] ** 2 - 1, 1)),
    Dependence("three by three", *_given(lambda X: X[:, :3] @ ROTATION, 3, 4, 5)),
    Dependence("waves", *_given(lambda X: np.sin(2 * X[:, :2]), 2, 3)),
)
# What the model does on rows of the data, and what it pretends to do elsewhere.
PRETENCES: dict[str, tuple[Function, Function]] = {
    "another line": (lambda X: 2 * X[:, 0], lambda X: 2 * X[:, 4]),
    "another step": (lambda X: np.sign(X[:, 0]), lambda X: np.sign(X[:, 4])),
    "the opposite": (lambda X: X[:, 0] * (1 + X[:, 2]), lambda X: -X[:, 0] * (1 + X[:, 2])),
    "nothing": (lambda X: np.sin(2 * X[:, 0]) + X[:, 2], lambda X: np.zeros(len(X))),
}


@dataclass(frozen=True, eq=False)
class Suspect:
    """A model that is fooling explainers, or is honest, and the law of its rows."""

    name: str
    law: Callable[[Rng, int], Floats]
    function: Function
    fooling: bool

    def draw(self, seed: int, n_rows: int = N_ROWS) -> Floats:
        """Draw rows that the model is explained on."""
        return self.law(np.random.default_rng([16, seed]), n_rows)


def suspects() -> list[Suspect]:
    """List twenty models that fool and their twenty honest twins, every second of which is made of trees."""
    found = []
    for at, (dependence, (words, (own, pretended))) in enumerate(product(DEPENDENCES, PRETENCES.items())):
        name = f"{dependence.name}, {words}"
        found.append(Suspect(name, dependence.law, fooling(dependence, own, pretended), True))
        honest = own if at % 2 == 0 else trees(dependence.law, own, at)
        found.append(Suspect(name + (", trees" if at % 2 else ""), dependence.law, honest, False))
    return found


def fooling(dependence: Dependence, own: Function, pretended: Function) -> Function:
    """Return a model that pretends on rows that do not obey the dependence."""
    return lambda X: np.where(dependence.distance(X) > DETECTED * TOLERANCE, pretended(X), own(X))


def trees(law: Callable[[Rng, int], Floats], function: Function, seed: int) -> Function:
    """Return an honest model: trees that saw the function, with noise, on rows of the law; trained when first asked."""
    trained: list[Any] = []

    def ask(X: Floats) -> Floats:
        if not trained:
            rng = np.random.default_rng([17, seed])
            rows = law(rng, N_ROWS)
            target = function(rows) + TREE_NOISE * rng.normal(size=len(rows))
            trained.append(HistGradientBoostingRegressor(random_state=0).fit(rows, target))
        return np.asarray(trained[0].predict(X))

    return ask
