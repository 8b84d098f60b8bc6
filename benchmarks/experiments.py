"""The paper's experiments: a model of its tables, and what came of decomposing its predictions one way or another."""

import time
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anova_report import FunctionalANOVA, measures
from anova_report.core.estimator import AnovaRegressor
from anova_report.errors import InputError, listing
from benchmarks.blackboxes import KINDS, Trained, missing, settings_of, train
from benchmarks.datasets import DATASETS, Loaded, load
from benchmarks.judge import Floats, judge_orthogonality, r_squared
from benchmarks.paper import TABLES, TITLES

Estimator: TypeAlias = Literal["published", "ours"]

SPLIT_SEED = 0  # of the rows that an explanation is judged on; also that of the race
HELD_OUT_SHARE = 0.2


@dataclass(frozen=True)
class Experiment:
    """One model on one dataset.

    Parameters
    ----------
    dataset, model : str
        Keys of the paper's tables.
    rows : int, optional
        Use so many rows only, drawn at random, to try it out.
    bags : int, optional
        Fits that an EBM averages; by default as many as the time allows.
    """

    dataset: str
    model: str
    rows: int | None = None
    bags: int | None = None

    @property
    def title(self) -> str:
        """Dataset and model for readers."""
        return f"{TITLES[self.dataset]}, {KINDS[self.model].title}"

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the model."""
        return settings_of(self.model, self.dataset, self.bags)

    def load(self) -> Loaded:
        """Read the dataset, or some of its rows."""
        return some_rows(load(self.dataset), self.rows)

    def train(self, loaded: Loaded) -> Trained:
        """Train the model as the paper does."""
        return train(self.model, loaded, self.settings)


@dataclass(frozen=True)
class Figures:
    """The figures of one decomposition.

    Parameters
    ----------
    r2, max_corr : float
        On the rows of the fit, which are all rows, as in the paper.
    held_out_r2, held_out_max_corr : float
        On 20% of the rows, by a second fit to the others.
    held_out_pair : str
        Which interaction and which part of it have that cosine; empty where no interaction counts.
    held_out_sd : float
        Its standard deviation if the true cosine is zero.
    n_above : int
        How many cosines on held-out rows are of consequence and more than noise.
    seconds : float
        Of the fit to all rows.
    n_columns, n_terms : int
        Coefficients and terms that are kept.
    """

    r2: float
    held_out_r2: float
    max_corr: float
    held_out_max_corr: float
    held_out_pair: str
    held_out_sd: float
    n_above: int
    seconds: float
    n_columns: int
    n_terms: int


def find_experiment(dataset: str, model: str, rows: int | None = None, bags: int | None = None) -> Experiment:
    """Make an experiment whose data and libraries are known to be there.

    Raises
    ------
    InputError
        If there is no such dataset or model, or a library that it needs is not installed.
    """
    if dataset not in DATASETS:
        raise InputError(f"There is no dataset {dataset!r}. There are: {listing(list(DATASETS), limit=10)}.")
    if model not in KINDS:
        raise InputError(f"There is no model {model!r}. There are: {listing(list(KINDS), limit=10)}.")
    absent = missing(model)
    if absent:
        raise InputError(f"{KINDS[model].title} {absent}.")
    return Experiment(dataset, model, rows, bags)


def some_rows(loaded: Loaded, rows: int | None) -> Loaded:
    """Draw so many rows, always the same, in their order; all of them if `rows` is None or more than there are."""
    if rows is None or rows >= len(loaded.X):
        return loaded
    kept = np.sort(np.random.default_rng(SPLIT_SEED).choice(len(loaded.X), rows, replace=False))
    return Loaded(loaded.dataset, loaded.X.iloc[kept], loaded.y.iloc[kept])


def decompose(dataset: str, model: str, estimator: Estimator, loaded: Loaded, predictions: Floats) -> Figures:
    """Decompose predictions twice, from all rows and from 80% of them, and measure both.

    The published method gets numbers with the settings of the paper's row; our default gets text as text.
    """
    X = explained(loaded, estimator)
    whole = make(estimator, dataset, model)
    start = time.perf_counter()
    whole.fit(X, predictions)
    seconds = time.perf_counter() - start
    dec = whole.decomposition_
    held_out = _held_out(make(estimator, dataset, model), X, predictions)
    kept = [component for component in dec.expansion.components if len(component.coefficients)]
    return Figures(
        r2=measures.fidelity(dec).in_sample,
        max_corr=measures.orthogonality(dec).max_corr,
        seconds=seconds,
        n_columns=sum(len(component.coefficients) for component in kept),
        n_terms=len(kept),
        **held_out,
    )


def make(estimator: Estimator, dataset: str, model: str) -> AnovaRegressor:
    """Make an estimator: the published one with the settings of the paper's row, or our default."""
    if estimator == "published":
        return FunctionalANOVA.published(**TABLES[dataset][model].settings)
    return FunctionalANOVA(random_state=SPLIT_SEED, progress=False)


def explained(loaded: Loaded, estimator: Estimator) -> pd.DataFrame:
    """Return the table that an estimator gets: the published one takes numbers only."""
    return loaded.numbers if estimator == "published" or loaded.dataset.missing is None else loaded.mixed


def held_out_rows(n_rows: int) -> NDArray[np.bool_]:
    """Choose the rows that an explanation is judged on, those of the race."""
    return np.random.default_rng(SPLIT_SEED).random(n_rows) < HELD_OUT_SHARE


def _held_out(estimator: AnovaRegressor, X: pd.DataFrame, predictions: Floats) -> dict[str, Any]:
    test = held_out_rows(len(predictions))
    estimator.fit(X[~test], predictions[~test])
    dec = estimator.decomposition_
    judged = judge_orthogonality(dec.terms, dec.components(X[test]), predictions[test])
    worst = judged.worst
    return {
        "held_out_r2": r_squared(predictions[test], estimator.predict(X[test])),
        "held_out_max_corr": 0.0 if worst is None else abs(worst.value),
        "held_out_pair": "" if worst is None else f"{dec.label(worst.term)} | {dec.label(worst.part)}",
        "held_out_sd": 0.0 if worst is None else worst.sd,
        "n_above": judged.n_above,
    }
