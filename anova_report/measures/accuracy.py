"""How good the model is, on rows of which the truth is known; and how much of that simpler functions keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.units import read_units
from anova_report.core.input.weights import read_weights
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.explanation import rows_and_predictions
from anova_report.errors import InputError
from anova_report.measures import metrics
from anova_report.measures.intervals import Interval
from anova_report.measures.kept_aside import KeptAside, Mask, given_weights
from anova_report.measures.linear_model import Task, linear_predictions
from anova_report.measures.metrics import Form, Metric, by_unit
from anova_report.measures.truths import RESPONSE, Truth, one_output, truths

MODEL, EXPLANATION, MAINS, LINEAR = "The model", "Main effects and interactions", "Main effects alone", "A linear model"
PAIRS = "Main effects and pairs"
MOST_KEPT = 2.0  # of what a model gains: where others gain more, a part of so little says nothing
BEST_SMALL = ("RMSE", "MAE", "Mean Poisson deviance", "Mean gamma deviance", "Log-loss", "Brier score")

_NUMBERS: tuple[tuple[str, Metric, Form], ...] = (
    ("R²", metrics.r_squared, "unexplained"),
    ("RMSE", metrics.root_squared_error, "positive"),
    ("MAE", metrics.absolute_error, "positive"),
)
_POISSON: tuple[tuple[str, Metric, Form], ...] = (("Mean Poisson deviance", metrics.poisson_deviance, "positive"),)
_GAMMA: tuple[tuple[str, Metric, Form], ...] = (("Mean gamma deviance", metrics.gamma_deviance, "positive"),)
_AUC: tuple[tuple[str, Metric, Form], ...] = (("AUC", metrics.auc, "share"),)
_BINARY: tuple[tuple[str, Metric, Form], ...] = (
    *_AUC,
    ("Log-loss", metrics.log_loss, "positive"),
    ("Brier score", metrics.squared_error, "positive"),
    ("Calibration slope", metrics.calibration_slope, "plain"),
    ("Calibration intercept", metrics.calibration_intercept, "plain"),
)
_CLASSES: tuple[tuple[str, Metric, Form], ...] = (
    ("Log-loss", metrics.classes_log_loss, "positive"),
    ("Accuracy", metrics.accuracy, "share"),
)
COMPARED: Mapping[Task, tuple[str, ...]] = {
    "regression": ("R²",),
    "log": ("Mean Poisson deviance",),
    "binary": ("AUC", "Log-loss"),
    "ranking": ("AUC",),
    "classes": ("Log-loss",),
}


@dataclass(frozen=True)
class Score:
    """One metric on some rows, with its 95% interval; None where it cannot be told."""

    metric: str
    rows: str
    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Candidate:
    """What a function keeps of the accuracy of the model.

    Parameters
    ----------
    name : str
    metric : str
    value : float
    difference : float
        From the model; zero for the model itself.
    interval : Interval
        Of the difference, on the same rows.
    gain : float
        Over predicting the same for every row; positive where it is better.
    kept : float or None
        How much of the gain of the model; None where that is too small to divide by.
    """

    name: str
    metric: str
    value: float
    difference: float
    interval: Interval
    gain: float
    kept: float | None


@dataclass(frozen=True, repr=False)
class Accuracy(Shown):
    """Metrics of a model and of simpler functions.

    Parameters
    ----------
    task : {"regression", "log", "binary", "ranking", "classes"}
        What is predicted: numbers, numbers on a log scale, the probability of one class, a score without a scale, or
        the probabilities of several classes.
    target : str
    output : int or None
        None where all outputs together predict one of several classes.
    n_rows : dict of str to int
        How many rows are judged, the held-out ones first where they are known.
    scores : tuple of Score
    candidates : tuple of Candidate
        The model, its explanation, the main effects alone, and a linear model, on the rows that are judged first.
    """

    task: Task
    target: str
    output: int | None
    n_rows: dict[str, int]
    scores: tuple[Score, ...]
    candidates: tuple[Candidate, ...]

    @property
    def main(self) -> tuple[Score, ...]:
        """The scores on the rows that decide."""
        first = next(iter(self.n_rows))
        return tuple(score for score in self.scores if score.rows == first)

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: one line per metric and side."""
        known = [score.interval for score in self.scores]
        return {
            "rows": [score.rows for score in self.scores],
            "metric": [score.metric for score in self.scores],
            "value": [score.value for score in self.scores],
            "low": [None if each is None else each.low for each in known],
            "high": [None if each is None else each.high for each in known],
        }


def accuracy(  # noqa: PLR0913 the words of `explain`, all but four by name
    dec: Decomposition,
    target: Any,
    X: Any = None,
    predictions: Any = None,
    *,
    output: str | int | None = None,
    split: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    random_state: int = 0,
) -> Accuracy:
    """Measure how close the predictions come to the truth, and how close simpler functions come.

    Intervals are 95% ones for other rows of the same kind; they are made from sums over rows, and nothing is drawn.

    Parameters
    ----------
    dec : Decomposition
        Of an `Explanation` rows and predictions are known.
    target : array-like of shape (n_rows,)
        The truth.
    X, predictions : optional
        Rows and their predictions, on the scale that was decomposed.
    output : str or int, optional
        Which of several outputs the target is the truth of; of several classes all together by default.
    split : array-like of shape (n_rows,), optional
        True, or "test", where a row was held out when the model was trained.
    sample_weight, groups, time : array-like of shape (n_rows,), optional
        As for `explain`.
    random_state : int
        Divides rows among the fits of the linear model.

    Examples
    --------
    >>> from anova_report import explain
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> dec = explain(lambda rows: rows[:, 0], X, max_order=1, ask=0)
    >>> found = accuracy(dec, X[:, 0] + 0.5 * rng.normal(size=500))
    >>> round(found.scores[0].value, 2), found.task
    (0.8, 'regression')
    """
    X, predictions = rows_and_predictions(dec, X, predictions)
    if predictions is None:
        raise InputError("Accuracy compares predictions with the truth, and there are none. Pass predictions=.")
    values = dec.encode(X)
    weights = read_weights(sample_weight, len(values))
    if weights is not None and len(weights.positions) < len(values):
        raise InputError("sample_weight is zero in some rows, which do not count. Leave these rows out.")
    units = read_units(groups, time, len(values), weights)
    aside = KeptAside.read(
        len(values), targets={"target": target}, split=split, weights=given_weights(sample_weight, weights), units=units
    )
    given = np.asarray(predictions, dtype=np.float64).reshape(len(values), -1)
    chosen = None if output is None else dec.output_index(output)
    if chosen is not None:
        return measured(dec, one_output(dec, aside, 0, given[:, chosen], chosen), values, random_state)
    return measured(dec, truths(dec, aside, given)[0], values, random_state)


def measured(dec: Decomposition, truth: Truth, values: Floats, seed: int) -> Accuracy:
    """Measure a model and simpler functions, from encoded rows."""
    counts = {where: int(side.sum()) for where, side in truth.sides.items()}
    candidates = _candidates(dec, truth, values, seed)
    return Accuracy(truth.task, truth.target, truth.output, counts, scores_of(truth), candidates)


def scores_of(truth: Truth) -> tuple[Score, ...]:
    """Measure predictions by every metric of their task, on the rows that decide first."""
    return tuple(
        _score(name, metric, form, truth, where, side)
        for where, side in truth.sides.items()
        for name, metric, form in _metrics(truth)
    )


def _metrics(truth: Truth) -> tuple[tuple[str, Metric, Form], ...]:
    """List the metrics of a task."""
    if truth.task in ("binary", "ranking"):
        return _BINARY if truth.task == "binary" else _AUC
    if truth.task == "classes":
        return _CLASSES
    if truth.task == "regression":
        return _NUMBERS
    return (*_NUMBERS, *_POISSON, *(_GAMMA if (truth.y[truth.known] > 0).all() else ()))


def _score(name: str, metric: Metric, form: Form, truth: Truth, where: str, side: Mask) -> Score:
    mass = truth.aside.mass[side] / truth.aside.mass[side].sum()
    value, pull = metric(truth.y[side], truth.predicted[side], mass)
    if not np.isfinite(value):
        return Score(name, where, value, None)
    return Score(name, where, value, metrics.bounds(value, by_unit(pull, mass, truth.aside.unit_codes[side]), form))


def simpler(dec: Decomposition, truth: Truth, values: Floats, seed: int) -> dict[str, Floats]:
    """Predict the truth of all rows by simpler functions, on its scale."""
    at = slice(None) if truth.output is None else truth.output
    onto = RESPONSE.get(dec.scale, np.asarray)
    orders = sorted({1, *map(len, dec.terms)})
    titles = {1: MAINS, 2: PAIRS}
    found, explained = {}, np.tile(dec.expansion.mean, (len(values), 1))
    for order in orders:
        own = [term for term in dec.terms if len(term) == order]
        explained = explained + dec.expansion.evaluate(values, own).sum(axis=1)
        found[titles.get(order, EXPLANATION)] = onto(explained[:, at])
    found = dict(reversed(found.items()))
    held_out, aside = truth.aside.held_out, truth.aside
    trained = None if held_out is None else ~held_out
    found[LINEAR] = linear_predictions(
        dec.features, values, truth.y, truth.task, aside.mass, aside.unit_codes, trained, seed
    )
    return found


def _candidates(dec: Decomposition, truth: Truth, values: Floats, seed: int) -> tuple[Candidate, ...]:
    """Compare the model with simpler functions on the rows that decide."""
    side, found = truth.judged, []
    y, mass = truth.y[side], truth.aside.mass[side] / truth.aside.mass[side].sum()
    units, others = truth.aside.unit_codes[side], simpler(dec, truth, values, seed)
    for name, metric, _ in _metrics(truth):
        if name not in COMPARED[truth.task]:
            continue
        (own, pull), (alike, still) = (
            metric(y, predicted, mass) for predicted in (truth.predicted[side], _constant(truth, y, mass))
        )
        better = -1.0 if name in BEST_SMALL else 1.0
        sure = metrics.bounds(better * (own - alike), by_unit(better * (pull - still), mass, units))
        reached = {title: metric(y, each[side], mass) for title, each in {MODEL: truth.predicted, **others}.items()}
        gains = {title: better * (value - alike) for title, (value, _) in reached.items()}
        divisible = sure.low > 0 and max(gains.values()) <= MOST_KEPT * gains[MODEL]
        for title, (value, of_value) in reached.items():
            known = metrics.bounds(value - own, by_unit(of_value - pull, mass, units))
            kept = gains[title] / gains[MODEL] if divisible else None
            found.append(Candidate(title, name, value, value - own, known, gains[title], kept))
    return tuple(found)


def _constant(truth: Truth, y: Floats, mass: Floats) -> Floats:
    """Predict the same for every row: the mean truth, or how often each class occurs."""
    if truth.task == "classes":
        shares = np.bincount(y.astype(np.intp), mass, minlength=truth.predicted.shape[1])
        return np.tile(shares, (len(y), 1))
    return np.full(len(y), float(mass @ y))
