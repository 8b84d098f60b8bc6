"""The linear model of the same inputs: what accuracy costs no more than one number for each input and level."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.core.randomness import stream

Task: TypeAlias = Literal["regression", "log", "binary", "ranking", "classes"]

FOLDS = 5
LEARNED_ROWS = 20_000  # a budget of time: coefficients of so many rows are known well enough
LEVEL_ROWS, MOST_LEVELS = 10, 50  # of rarer levels, and of those beyond, the others stand for all


def linear_predictions(
    features: Sequence[Feature],
    values: Floats,
    y: Floats,
    task: Task,
    mass: Floats,
    units: NDArray[np.intp],
    trained: NDArray[np.bool_] | None,
    seed: int,
) -> Floats:
    """Predict the truth of all rows by a linear, logistic or log-linear model that has not seen them.

    It learns from the rows that the model was trained on, where these are known, and predicts them as the model does,
    having seen them; otherwise it is cross-fitted, whole units in one fold. Rows without a truth, NaN in y, are only
    predicted. The result is on the scale of the truth: probabilities of shape (n_rows, n_classes) for "classes", else
    (n_rows,).
    """
    design, rng, known = _design(features, values), stream(seed, "linear model"), ~np.isnan(y)
    if trained is not None:
        return _predicted(design, y, task, mass, np.flatnonzero(trained & known), design, rng)
    _, at = np.unique(units, return_inverse=True)
    folds = rng.permutation(np.arange(at.max() + 1) % FOLDS)[at]
    width = (int(np.nanmax(y)) + 1,) if task == "classes" else ()
    found = np.empty((len(y), *width))
    for fold in np.unique(folds):
        inside = folds == fold
        found[inside] = _predicted(design, y, task, mass, np.flatnonzero(~inside & known), design[inside], rng)
    return found


def _design(features: Sequence[Feature], values: Floats) -> Floats:
    """Write rows as columns of a linear model: standardized numbers, indicators of levels and of missing values."""
    columns = []
    for feature, column in zip(features, values.T, strict=True):
        missing = np.isnan(column)
        if feature.has_levels:
            codes, counts = np.unique(column[~missing], return_counts=True)
            often = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
            columns += [(column == codes[level]).astype(np.float64) for level in often if counts[level] >= LEVEL_ROWS]
        elif not missing.all():
            spread = float(np.nanstd(column)) or 1.0
            columns.append(np.where(missing, 0.0, (column - np.nanmean(column)) / spread))
        if missing.any():
            columns.append(missing.astype(np.float64))
    return np.column_stack([np.zeros(len(values)), *columns])


def _predicted(
    design: Floats,
    y: Floats,
    task: Task,
    mass: Floats,
    learned: NDArray[np.intp],
    rows: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Learn from some rows, and predict others."""
    if len(learned) > LEARNED_ROWS:
        learned = np.sort(rng.choice(learned, LEARNED_ROWS, replace=False))
    weights = mass[learned] / mass[learned].mean()
    known, classified = y[learned], task in ("binary", "ranking", "classes")
    if classified and not np.ptp(known):
        found = np.full(len(rows), known[0])
        return np.eye(int(np.nanmax(y)) + 1)[found.astype(np.intp)] if task == "classes" else found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fit that stops early: what it predicts is judged
        model = _regression(task).fit(design[learned], known, sample_weight=weights)
    if not classified:
        return np.asarray(model.predict(rows))
    shares = model.predict_proba(rows)
    if task != "classes":
        return np.asarray(shares[:, 1])
    every = np.zeros((len(rows), int(np.nanmax(y)) + 1))
    every[:, model.classes_.astype(np.intp)] = shares
    return every


def _regression(task: Task) -> Any:
    """Choose the linear model of a task; it is penalized a little, so that columns may repeat each other."""
    from sklearn import linear_model  # noqa: PLC0415 slow to import, and only needed where the truth is known

    if task == "regression":
        return linear_model.Ridge(alpha=1.0)
    if task == "log":
        return linear_model.PoissonRegressor(alpha=1e-4, max_iter=500)
    return linear_model.LogisticRegression(max_iter=500)
