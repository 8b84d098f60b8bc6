"""Small decompositions, each fitted once: one with components known on paper, and every awkward kind."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.figures.rows import Rows

COLORS = [f"color {index:02d}" for index in range(26)]


@dataclass(frozen=True, eq=False)
class Case:
    """A decomposition, the table and the predictions it was made from, and the rows of figures."""

    dec: Decomposition
    X: Any
    predictions: np.ndarray
    rows: Rows

    def predicted(self, predictions: Any) -> Rows:
        """Return the rows with predictions that are made up, which `Rows.of` would refuse."""
        return replace(self.rows, predictions=np.asarray(predictions, dtype=float)[:, None])


def fitted(X: Any, predictions: np.ndarray, max_order: int = 2) -> Case:
    dec = FunctionalANOVA(max_order, random_state=0, progress=False).fit(X, predictions).decomposition_
    return Case(dec, X, predictions, Rows.of(dec, X, predictions))


@pytest.fixture(scope="session")
def known() -> Case:
    """Independent uniform a, b, c on [−1, 1]: ν_a = 2a, ν_b = 3b² − 1, ν_ac = 4ac, and nothing else."""
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, size=(4000, 3)), columns=["a", "b", "c"])
    return fitted(X, np.asarray(5 + 2 * X["a"] + 3 * X["b"] ** 2 - 1 + 4 * X["a"] * X["c"]))


@pytest.fixture(scope="session")
def mixed() -> Case:
    """Every kind of column, missing values, a heavy tail, rare levels, and two outputs."""
    rng = np.random.default_rng(1)
    n_rows = 3000
    rare = np.r_[np.full(24, 0.99 / 24), 0.005, 0.005]
    income = np.exp(2 * rng.normal(size=n_rows))
    X = pd.DataFrame(
        {
            "income": np.where(rng.uniform(size=n_rows) < 0.1, np.nan, income),
            "color": rng.choice(COLORS, p=rare / rare.sum(), size=n_rows),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], size=n_rows), categories=["s", "m", "l"], ordered=True),
            "member": rng.uniform(size=n_rows) < 0.3,
            "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, size=n_rows), unit="D"),
            "rooms": rng.integers(2010, 2016, size=n_rows),
        }
    )
    X.loc[rng.uniform(size=n_rows) < 0.05, "color"] = None
    first = np.log(income) * (1 + X["member"]) + (X["color"] == COLORS[3]) + X["size"].cat.codes
    second = X["rooms"] - 2012.0 + (X["sold"] > "2021-01-01")
    predictions = np.column_stack([first, second])
    return fitted(X, predictions)


@pytest.fixture(scope="session")
def published() -> Case:
    """The published estimator: no held-out rows, no uncertainty."""
    X = np.random.default_rng(2).uniform(-1, 1, size=(600, 3))
    predictions = X[:, 0] + X[:, 0] * X[:, 1]
    dec = FunctionalANOVA.published(K=2, d=3, d_density=2, scaling=None).fit(X, predictions).decomposition_
    return Case(dec, X, predictions, Rows.of(dec, X, predictions))


@pytest.fixture(scope="session")
def constant() -> Case:
    """A model that always says the same."""
    X = np.random.default_rng(3).normal(size=(500, 2))
    dec = explain(lambda table: np.full(len(table), 3.5), X, progress=False)
    predictions = np.full(len(X), 3.5)
    return Case(dec, X, predictions, Rows.of(dec, X, predictions))


@pytest.fixture(scope="session")
def triple() -> Case:
    """A term of three features."""
    X = np.random.default_rng(4).uniform(-1, 1, size=(2500, 3))
    return fitted(X, np.prod(X + 0.5, axis=1), max_order=3)


@pytest.fixture(scope="session")
def wide() -> Case:
    """81 features and main effects only, shown on 20,000 rows."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 81))
    dec = FunctionalANOVA.published(K=1, d=1).fit(X, X @ np.linspace(0, 1, 81)).decomposition_
    shown = rng.normal(size=(20_000, 81))
    predictions = shown @ np.linspace(0, 1, 81)
    return Case(dec, shown, predictions, Rows.of(dec, shown, predictions))
