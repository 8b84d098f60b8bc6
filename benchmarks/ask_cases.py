"""Models that are explained with and without asking them at recombined rows: tables, functions, samples of rows.

Models are trained on the rows that `blackboxes.split` gives them, but samples and fresh rows are drawn from the whole
table: a model follows the noise of the rows it was trained on and is smoother elsewhere, so rows to judge on have to
hold as many of them as samples do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.alarms import forest, network
from benchmarks.blackboxes import split
from benchmarks.datasets import Loaded, load
from benchmarks.judge import Floats

Positions = NDArray[np.intp]
Function = Callable[[Any], Floats]
Train = Callable[[Loaded], Function]

ROWS = (600, 2000, 6000)
FRESH_SHARE = 0.2
SMOOTH_ROWS = 800  # a Gaussian process asks all its training rows for every prediction
SMOOTH_LENGTH = 4.0  # of the kernel, in standard deviations: interactions matter, and 12 features still have neighbours
SMOOTH_NOISE = 0.1  # of the kernel's variance: classes overlap


class Counted:
    """A function of rows that counts at how many rows it was asked."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, rows: Any) -> Floats:
        """Ask the function."""
        self.calls += len(rows)
        return self.function(rows)


@dataclass(frozen=True, eq=False)
class Trained:
    """A table, the function that is explained, and its predictions on all rows, on the scale that is explained.

    Parameters
    ----------
    X : DataFrame of shape (n_rows, n_features)
    function : callable
        Of rows in the form of X.
    predictions : array of shape (n_rows,)
    """

    X: pd.DataFrame
    function: Function
    predictions: Floats

    def draw(self, n_rows: int, seed: int = 0) -> tuple[list[Positions], Positions]:
        """Draw two disjoint samples, one where there are not rows enough for two, and the rows to judge them on.

        Fresh rows are the same for every number of rows.
        """
        order = np.random.default_rng([16, seed]).permutation(len(self.X))
        n_drawn = int((1 - FRESH_SHARE) * len(order))
        n_samples = 2 if 2 * n_rows <= n_drawn else 1
        return [order[at * n_rows : (at + 1) * n_rows] for at in range(n_samples)], order[n_drawn:]


@dataclass(frozen=True, eq=False)
class AskCase:
    """A model of a dataset, the sizes of the samples it is explained from, and how often rows are divided anew."""

    name: str
    dataset: str
    train: Train
    rows: tuple[int, ...] = ROWS
    n_splits: int = 1

    def prepare(self, loaded: Loaded | None = None) -> Trained:
        """Train the model, and ask it about every row."""
        loaded = load(self.dataset) if loaded is None else loaded
        X, function = table(loaded), self.train(loaded)
        return Trained(X, function, function(X))


def table(loaded: Loaded) -> pd.DataFrame:
    """Return the features that are explained: levels as levels where the dataset has them, numbers elsewhere."""
    return loaded.numbers if loaded.dataset.missing is None else loaded.mixed


def to_numbers(loaded: Loaded) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return how rows of `table` become the numbers that models are trained on: `Loaded.numbers` for any rows."""
    text = [name for name, values in loaded.X.items() if not pd.api.types.is_numeric_dtype(values)]
    codes = {name: {level: code for code, level in enumerate(sorted(loaded.X[name].unique()))} for name in text}

    def encode(rows: pd.DataFrame) -> pd.DataFrame:
        if not text:
            return rows.astype(float)
        coded = {name: rows[name].fillna(loaded.dataset.missing or "").map(codes[name]) for name in text}
        return rows.assign(**coded).astype(float)

    return encode


def boosted(loaded: Loaded) -> Function:
    """Train the XGBoost model of the paper; of classes it is the logit that counts."""
    from benchmarks.models import train_xgboost

    encode, model = to_numbers(loaded), train_xgboost(loaded).model
    margin = {} if loaded.dataset.positive is None else {"output_margin": True}
    return lambda rows: np.asarray(model.predict(encode(rows), **margin), dtype=np.float64)


def fitted(make: Callable[[], Any], n_rows: int | None = None) -> Train:
    """Return how a regressor of scikit-learn is trained, on some of the rows only if there are too many for it."""

    def train(loaded: Loaded) -> Function:
        rows = split(loaded)[0][:n_rows]
        encode = to_numbers(loaded)
        model = make().fit(loaded.numbers.to_numpy()[rows], loaded.y.to_numpy(float)[rows])
        return lambda asked: np.asarray(model.predict(encode(asked).to_numpy()), dtype=np.float64)

    return train


def smooth() -> Any:
    """Interpolate with a Gaussian process whose kernel is given: its function has no kinks."""
    process = GaussianProcessRegressor(RBF(SMOOTH_LENGTH), alpha=SMOOTH_NOISE, optimizer=None, normalize_y=True)
    return make_pipeline(StandardScaler(), process)


CASES = (
    AskCase("California XGB", "california_housing", boosted),
    AskCase("Bike XGB", "bike_sharing", boosted),
    AskCase("Grid XGB", "electrical_grid", boosted, (600, 2000, 4000)),  # 8,000 rows make two samples of 4,000
    AskCase("Diabetes XGB", "diabetes", boosted, (300, 614), n_splits=5),  # 154 fresh rows alone decide nothing
    AskCase("Census XGB", "census_income", boosted),
    AskCase("Superconductivity XGB", "superconductivity", boosted),
    AskCase("California MLP", "california_housing", fitted(network)),
    AskCase("California forest", "california_housing", fitted(forest)),
    AskCase("Grid Gaussian process", "electrical_grid", fitted(smooth, SMOOTH_ROWS), (600, 2000, 4000)),
)
