"""One small decomposition of mixed columns, fitted once for all tests of the page."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from anova_report import Decomposition, FunctionalANOVA


@dataclass(frozen=True)
class Fitted:
    """A decomposition with the rows and predictions it was made from."""

    dec: Decomposition
    X: pd.DataFrame
    predictions: np.ndarray


def table(n_rows: int = 1200, seed: int = 0) -> pd.DataFrame:
    """Draw two dependent numbers, one with missing values, a level and a switch."""
    rng = np.random.default_rng(seed)
    income = rng.gamma(4.0, 1.0, n_rows)
    age = 30 + 5 * income + rng.normal(0, 5, n_rows)
    age[rng.random(n_rows) < 0.05] = np.nan
    region = rng.choice(["north", "south", "west"], n_rows, p=[0.5, 0.3, 0.2])
    return pd.DataFrame({"income": income, "age": age, "region": region, "owner": rng.random(n_rows) < 0.4})


def prediction(X: pd.DataFrame) -> np.ndarray:
    """Prediction with main effects of all columns and one interaction; missing ages count as 45."""
    age = X["age"].fillna(45.0).to_numpy()
    income = X["income"].to_numpy()
    south = (X["region"] == "south").to_numpy()
    return np.asarray(np.log1p(income) + 0.015 * age + 0.4 * south * (income - 4) + 0.3 * X["owner"].to_numpy())


@cache
def mixed() -> Fitted:
    """Decompose one prediction made from mixed columns."""
    X = table()
    predictions = prediction(X)
    return Fitted(FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_, X, predictions)


@cache
def classes() -> Fitted:
    """Decompose two outputs."""
    X = table(600, seed=1)
    predictions = pd.DataFrame({"low": -prediction(X), "high": np.sin(X["income"]) + (X["region"] == "west")})
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    return Fitted(dec, X, predictions.to_numpy(dtype=float))


@cache
def published() -> Fitted:
    """Decompose with the estimator that holds out no rows and keeps no track of uncertainty."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(500, 2)), columns=["a", "b"])
    predictions = np.asarray(X["a"] + X["a"] * X["b"])
    fitted = FunctionalANOVA.published(K=2, d=3, d_density=0, scaling=None).fit(X, predictions)
    return Fitted(fitted.decomposition_, X, predictions)
