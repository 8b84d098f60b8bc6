"""Small models whose explanations are known, decomposed once for all tests."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA


@dataclass(frozen=True, eq=False)
class Case:
    """A model, rows to ask it about, and the decomposition of its predictions."""

    model: Any
    X: Any
    dec: Decomposition


def decompose(X: Any, predictions: Any, **settings: Any) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions).decomposition_


def line_and_product(rows: Any) -> Any:
    """Prediction 2 x0 + x1 x2 for rows of an array."""
    rows = np.asarray(rows)
    return 2 * rows[:, 0] + rows[:, 1] * rows[:, 2]


@pytest.fixture(scope="session")
def independent() -> Case:
    """Three independent normal features, the third around 1, under a line and a product."""
    X = np.random.default_rng(0).normal((0.0, 0.0, 1.0), size=(1500, 3))
    return Case(line_and_product, X, decompose(X, line_and_product(X)))


@pytest.fixture(scope="session")
def factorial() -> Case:
    """Every combination of three binary features equally often: independent in the sample itself."""
    X = np.array(list(product([0.0, 1.0], repeat=3)) * 100)
    return Case(line_and_product, X, decompose(X, line_and_product(X)))


def mixed_predictions(rows: pd.DataFrame) -> Any:
    """Prediction from levels, dates, numbers and missing values, each read as what it is."""
    color = rows["color"].astype(str).map({"red": 1.0, "green": 0.0, "blue": -2.0}).to_numpy()
    day = rows["day"].dt.day.to_numpy()
    age = rows["age"].to_numpy()
    return color + 0.1 * day + np.where(np.isnan(age), 3.0, np.nan_to_num(age))


@pytest.fixture(scope="session")
def mixed() -> Case:
    """A frame of a category, dates, and incomplete numbers, under a model that insists on the frame's own types."""
    rng = np.random.default_rng(1)
    n_rows = 900
    frame = pd.DataFrame(
        {
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], n_rows)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 28, n_rows), unit="D"),
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)),
        }
    )
    return Case(mixed_predictions, frame, decompose(frame, mixed_predictions(frame), max_order=1))


@pytest.fixture(scope="session")
def trees() -> Case:
    """A small XGBoost model of a frame of independent numbers that has stopped early."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(1200, 3)), columns=["a", "b", "c"])
    target = np.sin(2 * frame["a"]) + frame["b"] * frame["c"] + 0.1 * rng.normal(size=1200)
    model = xgboost.XGBRegressor(n_estimators=200, max_depth=3, learning_rate=0.3, early_stopping_rounds=3, n_jobs=1)
    model.fit(frame[:900], target[:900], eval_set=[(frame[900:], target[900:])], verbose=False)
    return Case(model, frame, decompose(frame, model.predict(frame)))


@pytest.fixture(scope="session")
def tree_classes() -> Case:
    """A small XGBoost classifier of two classes, explained on the logit scale."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(900, 2)), columns=["a", "b"])
    likely = rng.random(900) < 1 / (1 + np.exp(-2 * frame["a"]))
    model = xgboost.XGBClassifier(n_estimators=20, max_depth=2, n_jobs=1).fit(frame, likely.astype(int))
    return Case(model, frame, decompose(frame, model.predict(frame, output_margin=True), max_order=1))
