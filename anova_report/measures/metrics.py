"""How close predictions come to the truth: metrics, and how far each row pulls them, which gives their intervals.

A metric is a function of truth, prediction and mass (weights that add up to 1). With its value it returns its influence
values: what the value changes by, to first order, per mass that is added at a row. Their sums over units give the
standard error of a metric, and of a difference of two, without drawing anything.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, xlogy

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.measures.intervals import LEVEL, RULE_OF_THREE, Interval, certain_quantile

Measured: TypeAlias = tuple[float, Floats]  # a value, and its influence values, (n_rows,)
Metric: TypeAlias = Callable[[Floats, Floats, Floats], Measured]
Form: TypeAlias = Literal["plain", "positive", "share", "unexplained"]

TINY = float(np.finfo(np.float64).eps)  # where scikit-learn cuts probabilities, too
STEPS = 50  # of Newton's method, which needs five as a rule
FAR = 1e4  # a slope beyond is none: predictions separate the classes


def average(values: Floats, mass: Floats) -> Measured:
    """Average something over the rows."""
    value = float(mass @ values)
    return value, values - value


def squared_error(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean squared error; of probabilities, the Brier score."""
    return average((y - p) ** 2, mass)


def root_squared_error(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Root mean squared error."""
    value, pull = squared_error(y, p, mass)
    return value**0.5, pull / (2 * value**0.5) if value else pull


def absolute_error(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean absolute error."""
    return average(np.abs(y - p), mass)


def r_squared(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Give 1 minus the mean squared error over the variance of the truth."""
    error, of_error = squared_error(y, p, mass)
    variance, of_variance = squared_error(y, np.full_like(y, mass @ y), mass)
    if not variance:
        return 0.0, np.zeros(len(y))
    return 1 - error / variance, (error / variance * of_variance - of_error) / variance


def poisson_deviance(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean Poisson deviance."""
    return average(2 * (xlogy(y, y / p) - y + p), mass)


def gamma_deviance(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean gamma deviance."""
    return average(2 * (np.log(p / y) + y / p - 1), mass)


def log_loss(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean negative log-likelihood of two classes; y is 1 for the class that p is the probability of."""
    held = np.clip(p, TINY, 1 - TINY)
    return average(-np.where(y == 1, np.log(held), np.log1p(-held)), mass)


def classes_log_loss(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Mean negative log-likelihood of several classes: y are positions, p has shape (n_rows, n_classes)."""
    held = np.clip(p, TINY, 1 - TINY)
    held /= held.sum(axis=1, keepdims=True)
    return average(-np.log(held[np.arange(len(y)), y.astype(np.intp)]), mass)


def accuracy(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Give the share of rows of which the most likely class is the true one."""
    return average((p.argmax(axis=1) == y).astype(np.float64), mass)


def auc(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Give the probability that a row of the class has the larger prediction than one that is not (DeLong)."""
    _, at = np.unique(p, return_inverse=True)
    inside, outside = (np.bincount(at, weights=mass * (y == label)) for label in (1, 0))
    share = float(inside.sum())
    if not 0 < share < 1 - TINY:
        return 0.5, np.zeros(len(y))
    below = (np.cumsum(outside) - outside / 2) / (1 - share)  # of the others, how many lie below each value
    above = 1 - (np.cumsum(inside) - inside / 2) / share
    value = float(inside @ below) / share
    return value, np.where(y == 1, (below[at] - value) / share, (above[at] - value) / (1 - share))


def calibration_slope(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Give the slope of the truth on log-odds of the predictions; 1 is right, below 1 predictions are too extreme."""
    odds = logit(np.clip(p, TINY, 1 - TINY))
    design = np.column_stack([np.ones(len(odds)), odds])
    found, pull = _logistic(design, y, np.zeros(len(odds)), mass)
    return float(found[1]), pull[:, 1]


def calibration_intercept(y: Floats, p: Floats, mass: Floats) -> Measured:
    """Give what to add to log-odds so that they are right on average (the slope held at 1); 0 is right."""
    odds = logit(np.clip(p, TINY, 1 - TINY))
    found, pull = _logistic(np.ones((len(odds), 1)), y, odds, mass)
    return float(found[0]), pull[:, 0]


def _logistic(design: Floats, y: Floats, offset: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Fit a logistic regression by Newton's method; coefficients are not finite where classes are separated."""
    found = np.zeros(design.shape[1])
    if design.shape[1] > 1:
        found[1] = 1.0
    for _ in range(STEPS):
        p = expit(offset + design @ found)
        bend = (design * (mass * p * (1 - p))[:, None]).T @ design
        if np.linalg.cond(bend) > 1 / TINY or np.abs(found).max() > FAR:
            return np.full(len(found), np.nan), np.zeros(design.shape)
        step = np.linalg.solve(bend, design.T @ (mass * (y - p)))
        found = found + step
        if np.abs(step).max() <= 1e-12 * max(1.0, np.abs(found).max()):
            break
    else:  # they grow without end
        return np.full(len(found), np.nan), np.zeros(design.shape)
    p = expit(offset + design @ found)
    bend = (design * (mass * p * (1 - p))[:, None]).T @ design
    return found, np.linalg.solve(bend, (design * (y - p)[:, None]).T).T


def by_unit(pull: Floats, mass: Floats, units: NDArray[np.intp]) -> Floats:
    """Add up what the rows of each unit contribute to a value; `pull` has shape (n_rows,)."""
    _, at = np.unique(units, return_inverse=True)
    return np.bincount(at, weights=mass * pull).astype(np.float64)


def bounds(value: float, contributions: Floats, form: Form = "plain") -> Interval:
    """Make a 95% interval from contributions of units; the form keeps it where the value can lie.

    Examples
    --------
    >>> bounds(0.5, np.zeros(10))
    Interval(low=0.5, high=0.5)
    """
    reach = float(certain_quantile(LEVEL, contributions) * standard_error(contributions))
    if form == "positive" and value > 0:
        factor = float(np.exp(min(reach / value, 50.0)))
        return Interval(value / factor, value * factor)
    if form == "unexplained" and value < 1:
        left = bounds(1 - value, contributions, "positive")
        return Interval(1 - left.high, 1 - left.low)
    if form == "share" and 0 < value < 1:
        odds, far = float(logit(value)), reach / (value * (1 - value))
        return Interval(float(expit(odds - far)), float(expit(odds + far)))
    if form == "share" and value in (0.0, 1.0):
        rare = min(RULE_OF_THREE / len(contributions), 1.0)
        return Interval(0.0, rare) if value == 0 else Interval(1 - rare, 1.0)
    return Interval(value - reach, value + reach)
