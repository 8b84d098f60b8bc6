"""The contestants of the race. Each takes a Contest, explains its training rows and speaks about its test rows.

Every library is imported by the contestant that needs it, so that a process pays in memory for its own only.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import DATASETS, load
from benchmarks.judge import Floats, Term

ALL_PAIRS_UP_TO = 14  # features; beyond, an EBM gets MANY_FEATURES_PAIRS pairs
MANY_FEATURES_PAIRS = 10
GRAM_COLUMNS = 1100
TREESHAP_ROWS = 1000  # rows explained; the seconds are scaled up to all training rows
TREEHFD_ROWS = 2000  # likewise; pairs cost in proportion to rows, main effects less, so theirs is an upper estimate


@dataclass(frozen=True)
class Contest:
    """A model's predictions on the rows of a dataset, split into rows to fit and rows to be judged on.

    Parameters
    ----------
    name : str
        Of the dataset.
    train, test : DataFrame
        Features as they mean: text and missing values where the dataset has them.
    train_numbers, test_numbers : DataFrame
        All features as numbers.
    train_predictions, test_predictions : array of shape (n_rows,)
    model : bytes
        The XGBoost model, for peers that look inside.
    seed : int
    """

    name: str
    train: pd.DataFrame
    test: pd.DataFrame
    train_numbers: pd.DataFrame
    test_numbers: pd.DataFrame
    train_predictions: Floats
    test_predictions: Floats
    model: bytes
    seed: int


@dataclass(frozen=True)
class Explanation:
    """What a contestant has to show.

    Parameters
    ----------
    seconds : float
        Of the fit on all training rows.
    predicted : array of shape (n_test_rows,) or None
        What the explanation predicts; None where it has no prediction of its own.
    terms : tuple of Term
    components : array of shape (n_test_rows, n_terms) or None
    self_reported : float or None
        The held-out fidelity that the fit itself states.
    note : str
        What a reader must know to read the figures.
    """

    seconds: float
    predicted: Floats | None = None
    terms: tuple[Term, ...] = ()
    components: Floats | None = None
    self_reported: float | None = None
    note: str = ""


Contestant = Callable[[Contest], Explanation]


def prepare(name: str, seed: int = 0, rows: int | None = None) -> Contest:
    """Train the XGBoost model of a dataset and split the rows 80/20.

    Parameters
    ----------
    name : str
    seed : int
        Of the split and of the contestants.
    rows : int, optional
        Use so many rows only, drawn at random.
    """
    from benchmarks.models import train_xgboost

    loaded = load(name)
    if rows is not None and rows < len(loaded.X):
        kept = np.sort(np.random.default_rng(seed).choice(len(loaded.X), rows, replace=False))
        loaded = type(loaded)(loaded.dataset, loaded.X.iloc[kept], loaded.y.iloc[kept])
    blackbox = train_xgboost(loaded)
    test = np.random.default_rng(seed).random(len(loaded.X)) < 0.2
    numbers = loaded.numbers
    mixed = numbers if loaded.dataset.missing is None else loaded.mixed
    # The sklearn API predicts with the best iteration; a peer that reads the file must find no trees beyond it.
    trees = blackbox.model.get_booster()[: blackbox.model.best_iteration + 1]
    return Contest(
        name=name,
        train=mixed[~test],
        test=mixed[test],
        train_numbers=numbers[~test],
        test_numbers=numbers[test],
        train_predictions=blackbox.predictions[~test],
        test_predictions=blackbox.predictions[test],
        model=bytes(trees.save_raw("json")),
        seed=seed,
    )


def bare(contest: Contest) -> Explanation:
    """Hold the data and do nothing: the baseline for the memory of the others."""
    return Explanation(seconds=0.0, note=f"{len(contest.train)} rows")


def gram(contest: Contest) -> Explanation:
    """Multiply a matrix of as many rows with itself, on all cores: a unit of time that goes with the machine."""
    columns = np.random.default_rng(contest.seed).standard_normal((len(contest.train), GRAM_COLUMNS), dtype=np.float32)
    columns[:1000].T @ columns[:1000]  # threads are started before the clock is
    return Explanation(seconds=_seconds(lambda: columns.T @ columns), note=f"{GRAM_COLUMNS} columns, single precision")


def ours(contest: Contest) -> Explanation:
    """Fit our default."""
    from anova_report import FunctionalANOVA

    return _fit_anova(FunctionalANOVA(max_order=2, random_state=contest.seed), contest, contest.train, contest.test)


def published(contest: Contest) -> Explanation:
    """Fit the published method with the paper's settings for this dataset; its path runs on while BIC falls."""
    return _fit_published(contest, max_steps=None)


def literal(contest: Contest) -> Explanation:
    """Fit the published method to the letter: the path ends where scikit-learn ends it."""
    from benchmarks.paper import STEPS

    return _fit_published(contest, max_steps=STEPS)


def _fit_published(contest: Contest, max_steps: int | None) -> Explanation:
    from anova_report import FunctionalANOVA
    from benchmarks.published import PAPER

    row = PAPER[contest.name]
    estimator = FunctionalANOVA.published(**row.settings | {"max_steps": max_steps})
    explanation = _fit_anova(estimator, contest, contest.train_numbers, contest.test_numbers)
    return replace(explanation, note=f"K={row.K} d={row.d}")


def _fit_anova(estimator: Any, contest: Contest, train: pd.DataFrame, test: pd.DataFrame) -> Explanation:
    from anova_report import measures

    seconds = _seconds(lambda: estimator.fit(train, contest.train_predictions))
    dec = estimator.decomposition_
    return Explanation(
        seconds=seconds,
        predicted=estimator.predict(test),
        terms=dec.terms,
        components=dec.components(test),
        self_reported=measures.fidelity(dec).held_out,
    )


def ebm(contest: Contest) -> Explanation:
    """Fit an EBM of all pairs to the predictions (of the ten strongest where there are many features)."""
    from interpret.glassbox import ExplainableBoostingRegressor

    warnings.simplefilter("ignore")
    n_features = contest.train.shape[1]
    pairs = comb(n_features, 2) if n_features <= ALL_PAIRS_UP_TO else MANY_FEATURES_PAIRS
    machine = ExplainableBoostingRegressor(interactions=pairs, random_state=contest.seed)
    seconds = _seconds(lambda: machine.fit(contest.train, contest.train_predictions))
    return Explanation(
        seconds=seconds,
        predicted=machine.predict(contest.test),
        terms=tuple(tuple(int(feature) for feature in term) for term in machine.term_features_),
        components=machine.eval_terms(contest.test),
        note=f"{pairs} pairs",
    )


def treeshap(contest: Contest) -> Explanation:
    """Explain training rows with TreeSHAP; it explains rows one by one and has no prediction for others."""
    import shap

    warnings.simplefilter("ignore")
    rows = contest.train_numbers.to_numpy()[:TREESHAP_ROWS]
    explainer = shap.TreeExplainer(_booster(contest))
    seconds = _seconds(lambda: explainer.shap_values(rows))
    factor = len(contest.train) / len(rows)
    return Explanation(seconds=seconds * factor, note=_scaled(len(rows), contest))


def treehfd(contest: Contest, order: int) -> Explanation:
    """Fit TreeHFD with main effects, or with pairs too."""
    from treehfd import XGBTreeHFD

    warnings.simplefilter("ignore")
    rows = contest.train_numbers.to_numpy()[:TREEHFD_ROWS]
    explainer = XGBTreeHFD(_xgboost_model(contest))
    seconds = _seconds(lambda: explainer.fit(rows, interaction_order=order, verbose=False))
    mains, pairs = explainer.predict(contest.test_numbers.to_numpy(), verbose=False)
    components = np.concatenate([mains, pairs], axis=1)
    singles = tuple((feature,) for feature in range(mains.shape[1]))
    return Explanation(
        seconds=seconds * len(contest.train) / len(rows),
        predicted=explainer.eta0 + components.sum(axis=1),
        terms=singles + tuple((int(i), int(j)) for i, j in explainer.interaction_list),
        components=components,
        note=f"order {order}, {_scaled(len(rows), contest)}",
    )


def salib(contest: Contest) -> Explanation:
    """Fit SALib's enhanced HDMR with its defaults; its emulator gives the sum of the components only."""
    from SALib.analyze import enhanced_hdmr

    warnings.simplefilter("ignore")
    X, predictions = contest.train_numbers.to_numpy(), contest.train_predictions
    problem = {"names": list(contest.train_numbers.columns)}
    settings = {"return_emulator": True, "seed": contest.seed + 1}  # a seed of 0 counts as none there
    start = time.perf_counter()
    fitted = enhanced_hdmr.analyze(problem, X, predictions, **settings)
    seconds = time.perf_counter() - start
    # The emulator leaves the mean out, and makes its polynomials anew from the rows it is given.
    predicted = fitted.emulate(contest.test_numbers.to_numpy()) + predictions.mean()
    return Explanation(seconds=seconds, predicted=predicted, note="order 2, degree 3")


CONTESTANTS: dict[str, Contestant] = {
    "ours": ours,
    "published": published,
    "literal": literal,
    "gram": gram,
    "ebm": ebm,
    "treeshap": treeshap,
    "treehfd-1": partial(treehfd, order=1),
    "treehfd-2": partial(treehfd, order=2),
    "salib": salib,
}
PEERS = {"ebm": ("ebm",), "treeshap": ("treeshap",), "treehfd": ("treehfd-1", "treehfd-2"), "salib": ("salib",)}


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _scaled(n_rows: int, contest: Contest) -> str:
    n_train = len(contest.train)
    return f"{n_rows} of {n_train} rows, time scaled up" if n_rows < n_train else "all rows"


def _booster(contest: Contest) -> Any:
    import xgboost

    return xgboost.Booster(model_file=bytearray(contest.model))


def _xgboost_model(contest: Contest) -> Any:
    """Wrap the trees as TreeHFD wants them: a scikit-learn model whose features have no names."""
    import xgboost

    booster = _booster(contest)
    booster.feature_names = None
    model = (xgboost.XGBRegressor if DATASETS[contest.name].positive is None else xgboost.XGBClassifier)()
    model.load_model(bytearray(booster.save_raw("json")))
    return model
