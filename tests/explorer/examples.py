"""Small decompositions to explore, each fitted once: known on paper, of every kind of column, and of a classifier."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.explorer.state import State
from anova_report.explorer.views import Views
from anova_report.figures.rows import Rows

HOSTILE = "<script>alert(1)</script> & \"co\" 'lor'"


@dataclass(frozen=True, eq=False)
class Example:
    """A decomposition with the table, the predictions and the model that it was made from."""

    dec: Decomposition
    X: Any
    predictions: np.ndarray
    model: Any = None

    def state(self, *, predicted: bool = True, **choices: Any) -> State:
        """Make its state, at row 3 by default."""
        rows = Rows.of(self.dec, self.X, self.predictions if predicted else None)
        return State(rows, self.X, **({"row": 3} | choices))

    def views(self, *, predicted: bool = True, model: Any = None, **choices: Any) -> Views:
        """Make its views."""
        return Views(self.state(predicted=predicted, **choices), model)


def product(X: Any) -> np.ndarray:
    """Prediction 5 + 2a + (3b² − 1) + 4ac."""
    values = X[["a", "b", "c"]].to_numpy() if isinstance(X, pd.DataFrame) else np.asarray(X)
    return 4 + 2 * values[:, 0] + 3 * values[:, 1] ** 2 + 4 * values[:, 0] * values[:, 2]


@cache
def known() -> Example:
    """Independent uniform a, b, c on [−1, 1]: ν_a = 2a, ν_b = 3b² − 1, ν_ac = 4ac, and nothing else."""
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, size=(1500, 3)), columns=["a", "b", "c"])
    return Example(_fitted(X, product(X)), X, product(X), product)


@cache
def map_of_two() -> Example:
    """The same, where a and c are called latitude and longitude and are said to explain each other."""
    names = {"a": "latitude", "c": "longitude"}
    dec, concurvity = known().dec, np.array([[1.0], [0.0], [1.0]])
    features = tuple(replace(feature, name=names.get(feature.name, feature.name)) for feature in dec.features)
    dec = replace(dec, features=features, dependence=Dependence(concurvity, (((2,), (), (0,)),)))
    return Example(dec, known().X.rename(columns=names), known().predictions)


@cache
def mixed() -> Example:
    """Every kind of column, missing values, names that attack, and two outputs."""
    rng, n_rows = np.random.default_rng(1), 900
    income = rng.gamma(4.0, 1.0, n_rows)
    X = pd.DataFrame(
        {
            "income": np.where(rng.uniform(size=n_rows) < 0.1, np.nan, income),
            HOSTILE: rng.choice(["red", "<b>blue</b>", "green"], size=n_rows, p=[0.5, 0.3, 0.2]),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], size=n_rows), categories=["s", "m", "l"], ordered=True),
            "member": rng.uniform(size=n_rows) < 0.3,
            "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, size=n_rows), unit="D"),
            "rooms": rng.integers(2010, 2016, size=n_rows),
            "lasted": pd.to_timedelta(rng.integers(0, 10_000, size=n_rows), unit="s"),
        }
    )
    first = np.log1p(income) * (1 + 2 * X["member"]) + (X[HOSTILE] == "red") + X["size"].cat.codes
    second = X["rooms"] - 2012.0 + (X["sold"] > "2021-01-01") + X["lasted"].dt.total_seconds() / 10_000
    predictions = pd.DataFrame({"first": first, "<i>second</i>": second})
    return Example(_fitted(X, predictions), X, predictions.to_numpy())


@cache
def named() -> Example:
    """Features whose names are labels of terms, or names of our own columns; all main effects are linear."""
    names = ["a", "b", "a × b", "effect", "lower", "unexplained", "mean"]
    X = pd.DataFrame(np.random.default_rng(7).uniform(-1, 1, size=(900, 7)), columns=names)
    predictions = X.to_numpy() @ np.arange(1.0, 8.0) + 6 * X["a"] * X["b"] + 5 * X["effect"] * X["lower"]
    return Example(_fitted(X, predictions.to_numpy()), X, predictions.to_numpy())


@cache
def logits() -> Example:
    """A logistic regression, whose logits are a sum of main effects."""
    X = np.random.default_rng(2).normal(size=(800, 2))
    truth = (X[:, 0] - X[:, 1] > np.random.default_rng(3).logistic(size=800)).astype(int)
    model = LogisticRegression().fit(X, truth)
    predictions = model.decision_function(X)  # the logit of the second class
    return Example(explain(model, X, progress=False, random_state=0), X, predictions, model)


@cache
def published() -> Example:
    """The published estimator: no held-out rows, no uncertainty, no missing values."""
    X = np.random.default_rng(4).uniform(-1, 1, size=(400, 2))
    predictions = X[:, 0] + X[:, 0] * X[:, 1]
    dec = FunctionalANOVA.published(K=2, d=3, d_density=0, scaling=None).fit(X, predictions).decomposition_
    return Example(dec, X, predictions)


@cache
def held_together() -> Example:
    """Three features that are next to the same, and one by itself: a + b² + c + d."""
    rng = np.random.default_rng(0)
    a, noise, d = rng.normal(size=(3, 900))
    X = pd.DataFrame({"a": a, "b": a + 0.05 * noise, "c": a + 0.05 * rng.normal(size=900), "d": d})
    predictions = (X["a"] + X["b"] ** 2 + X["c"] + X["d"]).to_numpy()
    return Example(_fitted(X, predictions), X, predictions)


@cache
def triple() -> Example:
    """A term of three features."""
    X = np.random.default_rng(5).uniform(-1, 1, size=(1500, 3))
    predictions = np.prod(X + 0.5, axis=1)
    return Example(_fitted(X, predictions, max_order=3), X, predictions)


@cache
def mains_only() -> Example:
    """Main effects of many features, shown on more rows than are drawn."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(3000, 12))
    dec = FunctionalANOVA.published(K=1, d=1).fit(X[:300], X[:300] @ np.arange(12.0)).decomposition_
    return Example(dec, X, X @ np.arange(12.0))


def _fitted(X: Any, predictions: Any, max_order: int = 2) -> Decomposition:
    return FunctionalANOVA(max_order, random_state=0, progress=False).fit(X, predictions).decomposition_
