"""The four kinds of models in the paper's tables, by name: trained on 80% of the rows, asked about all of them.

Every library is imported by the model that needs it; `missing` says which one is not there.
"""

import importlib
import importlib.util
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from anova_report.core.libraries import EXTRAS
from benchmarks.datasets import Loaded
from benchmarks.judge import Floats, r_squared

SEED = 42  # of the paper: for the split and for every model
TEST_SHARE = 0.2
BAGS = 14  # the default of interpret; the paper names no other
# With 14 each of these two would take as long as the EBMs of the four other datasets together.
FEWER_BAGS = {"california_housing": 8, "superconductivity": 8}
EBM = {"max_bins": 256, "interactions": 10, "max_rounds": 5000, "learning_rate": 1e-2}
NAM = {
    "hidden": (64, 64, 32),
    "learning_rate": 1e-3,
    "weight_decay": 1e-4,
    "batch_size": 256,
    "max_epochs": 500,
    "patience": 30,
}
MLP = {"dropout": 0.1} | NAM | {"hidden": (128, 64, 32)}

Settings = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model.

    Parameters
    ----------
    model : object
        As `explain` takes it, or a torch module.
    predictions : array of shape (n_rows,)
        On every row: predictions, or logits for classification.
    performance : float
        On the 20% of the rows that it was not trained on: R², or the share of classes that are right.
    seconds : float
        Of the training.
    """

    model: Any
    predictions: Floats
    performance: float
    seconds: float


@dataclass(frozen=True)
class Kind:
    """A kind of model: what readers call it, the modules it needs, and how it is trained."""

    title: str
    needs: tuple[str, ...]
    train: Callable[[Loaded, Settings], tuple[Any, Floats]]


def train(name: str, loaded: Loaded, settings: Settings) -> Trained:
    """Train a model of a kind, ask it about every row, and measure how good it is."""
    for module in KINDS[name].needs:
        importlib.import_module(module)  # before the clock starts: loading some takes longer than a small model
    start = time.perf_counter()
    model, predictions = KINDS[name].train(loaded, settings)
    seconds = time.perf_counter() - start
    return Trained(model, predictions, performance(loaded, predictions), seconds)


def settings_of(name: str, dataset: str, bags: int | None = None) -> dict[str, Any]:
    """List the settings of a model; those of XGBoost are in `benchmarks.models`.

    Parameters
    ----------
    name : str
        Of the kind of model.
    dataset : str
    bags : int, optional
        Fits that an EBM averages; 14, or fewer on large datasets, by default.
    """
    if name == "xgb":
        from benchmarks.models import XGBOOST

        return dict(XGBOOST)
    if name == "ebm":
        return EBM | {"outer_bags": FEWER_BAGS.get(dataset, BAGS) if bags is None else bags}
    return dict(MLP if name == "mlp" else NAM)


def split(loaded: Loaded) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of the rows that models are trained on, and of those that are kept from them."""
    classes = loaded.y if loaded.dataset.positive is not None else None
    train_rows, test_rows = train_test_split(
        np.arange(len(loaded.y)), test_size=TEST_SHARE, random_state=SEED, stratify=classes
    )
    return train_rows, test_rows


def performance(loaded: Loaded, predictions: Floats) -> float:
    """Measure a model by its predictions on rows it was not trained on: R², or the share of classes that are right."""
    _, test = split(loaded)
    truth, said = loaded.y.to_numpy()[test], predictions[test]
    return r_squared(truth, said) if loaded.dataset.positive is None else float(np.mean((said > 0) == (truth == 1)))


def missing(name: str) -> str | None:
    """Say which library a kind of model needs and how to get it; None where all are there."""
    absent = [package for package in _packages(name) if importlib.util.find_spec(package) is None]
    if not absent:
        return None
    extra = EXTRAS[absent[0]]
    return f"needs the {extra} extra: pip install 'anova_report[{extra}]'"


def library_versions(name: str) -> dict[str, str]:
    """List the versions of the libraries that a kind of model needs."""
    return {package: _version(package) for package in _packages(name)}


def _packages(name: str) -> list[str]:
    return [module.partition(".")[0] for module in KINDS[name].needs]


@cache
def _version(package: str) -> str:
    found = packages_distributions().get(package, ())
    return version(found[0]) if found else "unknown"


def _xgb(loaded: Loaded, _settings: Settings) -> tuple[Any, Floats]:
    from benchmarks.models import train_xgboost

    blackbox = train_xgboost(loaded)
    return blackbox.model, blackbox.predictions


def _ebm(loaded: Loaded, settings: Settings) -> tuple[Any, Floats]:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    classes = loaded.dataset.positive is not None
    jobs = min(os.cpu_count() or 1, settings["outer_bags"])
    machine = (ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor)(
        **settings, random_state=SEED, n_jobs=jobs
    )
    rows, _ = split(loaded)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(loaded.numbers.iloc[rows], loaded.y.iloc[rows])
        predictions = machine.decision_function(loaded.numbers) if classes else machine.predict(loaded.numbers)
    return machine, np.asarray(predictions, dtype=np.float64)


def _nam(loaded: Loaded, settings: Settings) -> tuple[Any, Floats]:
    from benchmarks.nam import NAMClassifier, NAMRegressor

    classes = loaded.dataset.positive is not None
    model = (NAMClassifier if classes else NAMRegressor)(**settings, random_state=SEED, progress=False)
    rows, _ = split(loaded)
    model.fit(loaded.numbers.iloc[rows], loaded.y.iloc[rows])
    return model, model.decision_function(loaded.numbers) if classes else model.predict(loaded.numbers)


def _mlp(loaded: Loaded, settings: Settings) -> tuple[Any, Floats]:
    from anova_report.core.input.model_forms import askable
    from benchmarks.mlp import train_mlp

    numbers, truth = loaded.numbers.to_numpy(), loaded.y.to_numpy(dtype=np.float64)
    classes = loaded.dataset.positive is not None
    network = train_mlp(numbers, truth, *split(loaded), settings, classes=classes, seed=SEED)
    return network, np.asarray(askable(network)(numbers), dtype=np.float64).ravel()


KINDS = {
    "xgb": Kind("XGBoost", ("xgboost",), _xgb),
    "mlp": Kind("MLP", ("torch",), _mlp),
    "ebm": Kind("EBM", ("interpret.glassbox",), _ebm),
    "nam": Kind("NAM", ("torch",), _nam),
}
