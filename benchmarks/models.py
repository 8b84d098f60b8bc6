"""The models of the paper's tables, trained with its settings."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xgboost
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from benchmarks.datasets import Loaded

SEED = 42
XGBOOST = {
    "n_estimators": 100,
    "max_depth": 10,
    "learning_rate": 0.05,
    "subsample": 0.8,
    "colsample_bytree": 0.8,
    "early_stopping_rounds": 30,
    "random_state": SEED,
}


@dataclass(frozen=True)
class Blackbox:
    """A trained model and its predictions on every row: predictions, or logits for classification."""

    model: xgboost.XGBModel
    predictions: NDArray[np.float64]


def train_xgboost(loaded: Loaded) -> Blackbox:
    """Train on 80% of the rows with early stopping on the rest, as the paper does, and ask it about all rows."""
    X, y = loaded.numbers, loaded.y
    classes = loaded.dataset.positive is not None
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=SEED, stratify=y if classes else None
    )
    model = (xgboost.XGBClassifier if classes else xgboost.XGBRegressor)(**XGBOOST)
    model.fit(train, y_train, eval_set=[(test, y_test)], verbose=False)
    return Blackbox(model, _ask(model, X, classes))


def _ask(model: xgboost.XGBModel, X: pd.DataFrame, classes: bool) -> NDArray[np.float64]:
    predictions = model.predict(X, output_margin=True) if classes else model.predict(X)
    return np.asarray(predictions, dtype=np.float64)
