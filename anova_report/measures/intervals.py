"""Intervals and bands: how far an estimate would move on other rows of the same kind."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import stdtrit
from scipy.stats import norm
from scipy.stats import t as student

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.expansion import Expansion
from anova_report.core.result.terms import Term
from anova_report.errors import InputError

LEVEL = 0.95
RULE_OF_THREE = 3.0  # what came once in a sample may come so often in 5% of others
LEAST_SKEWED, MOST_SKEWED = 1e-3, 0.4  # skewness of an estimate: below it is none, beyond it is not estimable


@dataclass(frozen=True)
class Interval:
    """Bounds that hold the true value in 95% of samples."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Band(Shown):
    """A component on some rows, with the bounds it would have on other samples.

    Parameters
    ----------
    value, standard_error, lower, upper : arrays of shape (n_rows,)
    level : float
        Share of samples in which the bounds hold at each row.
    """

    value: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    level: float

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: one line per row."""
        columns = ("value", "standard_error", "lower", "upper")
        return {name: getattr(self, name).tolist() for name in columns}


def interval(value: float, contributions: Floats) -> Interval:
    """Make a 95% interval from what each replicate contributed.

    Contributions add up to what the estimate is known to lack, so the interval reaches further there; toward the other
    side it reaches as far as without. Where a few
    replicates contribute most, as under long tails, an estimate errs further to one side than to the other: the
    interval leans there (Hall's transformation of Student's t), and allows for more rows like those by which one
    replicate contributes more than the largest of as many normal ones.

    Examples
    --------
    >>> import numpy as np
    >>> interval(1.0, np.zeros(64))
    Interval(low=1.0, high=1.0)
    """
    lacking = float(contributions.sum())
    contributions = contributions - lacking / len(contributions)
    reach = float(certain_quantile(LEVEL, contributions))
    error, squares = float(standard_error(contributions)), float((contributions**2).sum())
    skewness = float((contributions**3).sum()) / squares**1.5 if squares else 0.0
    skewness = min(max(skewness, -MOST_SKEWED), MOST_SKEWED)
    down = up = error * reach
    if abs(skewness) >= LEAST_SKEWED:
        down, up = (
            abs(3 / skewness * (math.cbrt(1 + skewness * (x - skewness / 6)) - 1)) * error for x in (reach, -reach)
        )
    usual = error * ordinary_largest(len(contributions))
    low = value + lacking - down - RULE_OF_THREE * max(-float(contributions.min()) - usual, 0.0)
    high = value + lacking + up + RULE_OF_THREE * max(float(contributions.max()) - usual, 0.0)
    return Interval(float(min(low, value - down)), float(max(high, value + up)))


def share_interval(value: float, contributions: Floats) -> Interval:
    """Make a 95% interval of a share that cannot be negative: its lower end is that of its square root, squared.

    A root changes by half the change of the share over the root itself; where chance is larger than the share, over a
    root of the size that chance has. Toward larger shares `interval` leans already as far as rows show.

    Examples
    --------
    >>> share_interval(0.01, np.tile([0.01, -0.01], 32)).low
    0.0
    """
    plain, root = interval(value, contributions), math.sqrt(max(value, 0.0))
    chance = math.hypot(float(standard_error(contributions)), float(contributions.sum()))
    size = max(root, math.sqrt(chance / 2))
    if not size:
        return Interval(0.0, 0.0)
    return Interval(max(interval(root, contributions / (2 * size)).low, 0.0) ** 2, plain.high)


def bands(dec: Decomposition, term: object, X: Any, output: str | int | None = None, level: float = LEVEL) -> Band:
    """Evaluate a component with its pointwise band; the model is not asked again.

    Parameters
    ----------
    dec : Decomposition
        Made by an estimator that keeps track of uncertainty.
    term : Term, int or str
        As for `Decomposition.component`; or the name of a group of features, for the sum of all terms within it.
    X : table of shape (n_rows, n_features)
    output : str or int, optional
        Which output, where there are several.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5000, 2))
    >>> noisy = X[:, 0] + rng.normal(size=5000)
    >>> band = bands(FunctionalANOVA(max_order=1, random_state=0).fit(X, noisy).decomposition_, 0, X)
    >>> bool(((band.lower <= X[:, 0]) & (X[:, 0] <= band.upper)).mean() > 0.8)
    True
    """
    group = dec.feature_groups.get(term) if isinstance(term, str) else None
    terms = [dec.resolve(term)] if group is None else [own for own in dec.terms if set(own) <= set(group)]
    return summed_bands(dec, terms, dec.encode(X), dec.output_index(output), level)


def encoded_bands(dec: Decomposition, term: Term, values: Floats, output: int = 0, level: float = LEVEL) -> Band:
    """Evaluate a component with its pointwise band on rows that `Decomposition.encode` has read."""
    return summed_bands(dec, [term], values, output, level)


def summed_bands(
    dec: Decomposition, terms: Sequence[Term], values: Floats, output: int = 0, level: float = LEVEL
) -> Band:
    """Evaluate a sum of components with its pointwise band on rows that `Decomposition.encode` has read.

    Only the columns of the term matter, so the others may hold any value that is valid there.
    """
    known = _traced(dec, output, level)
    # Contributions are added up before they are squared: what two terms take from each other cancels.
    traced = sum((known.evaluate(values, [term])[:, 0] for term in terms), np.zeros(1))
    return _band(dec.expansion.evaluate(values, terms)[:, :, output].sum(axis=1), traced, level)


def prediction_bands(dec: Decomposition, X: Any, output: str | int | None = None, level: float = LEVEL) -> Band:
    """Evaluate the explained value, the mean and all components, with its pointwise band.

    It says how far the explanation would move on other rows; how far it is from the model, the fidelity says.

    Parameters
    ----------
    dec : Decomposition
        Made by an estimator that keeps track of uncertainty.
    X : table of shape (n_rows, n_features)
    output : str or int, optional
        Which output, where there are several.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0] + rng.normal(size=2000)).decomposition_
    >>> band = prediction_bands(dec, [[0.5, 0.0]])
    >>> bool(band.lower[0] < 0.5 < band.upper[0])
    True
    """
    chosen, values = dec.output_index(output), dec.encode(X)
    traced = _traced(dec, chosen, level).predict(values)
    return _band(dec.expansion.predict(values)[:, chosen], traced, level)


def _traced(dec: Decomposition, output: int, level: float) -> Expansion:
    """Return the expansion that gives what replicates contribute, or say that there is none."""
    if dec.uncertainty is None:
        raise InputError(
            f"{dec.settings.get('estimator', 'The estimator')} does not estimate uncertainty. Use FunctionalANOVA."
        )
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1; got {level!r}.")
    return dec.uncertainty.components[output]


def _band(value: Floats, traced: Floats, level: float) -> Band:
    error = standard_error(traced, axis=1)
    reach = certain_quantile(level, traced) * error
    return Band(value, error, value - reach, value + reach, level)


@lru_cache
def quantile(level: float, n_replicates: int) -> float:
    """Two-sided quantile; with few replicates the standard error itself is uncertain."""
    return float(student.ppf((1 + level) / 2, n_replicates - 1))


def certain_quantile(level: float, contributions: Floats) -> Floats:
    """Two-sided quantile for the standard error that replicates, along the last axis, contribute to.

    Where a few of them contribute most, the standard error is as uncertain as one of few replicates: the kurtosis of
    the contributions tells of how many (Satterthwaite's degrees of freedom).

    Examples
    --------
    >>> import numpy as np
    >>> alike, one = np.resize([1.0, -1.0, 0.5, -0.5], 64), np.eye(64)[0]
    >>> [round(float(certain_quantile(0.95, each)), 2) for each in (alike, one)]
    [2.0, 4.24]
    """
    n_replicates = contributions.shape[-1]
    size = np.abs(contributions).max(axis=-1, keepdims=True)
    squares = (contributions / np.where(size > 0, size, 1.0)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):  # where none contributes anything, or all the same
        degrees = 2 / ((squares**2).sum(axis=-1) / squares.sum(axis=-1) ** 2 - 1 / n_replicates)
    degrees = np.where(degrees > 0, np.minimum(degrees, n_replicates - 1), n_replicates - 1)
    return np.asarray(stdtrit(degrees, (1 + level) / 2))


@lru_cache
def ordinary_largest(n_replicates: int) -> float:
    """Largest of normal contributions in half of all samples, in units of the standard error."""
    return float(norm.ppf(0.5 ** (1 / n_replicates)) / np.sqrt(n_replicates))
