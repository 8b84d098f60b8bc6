"""Where a model is held against what is expected of it: places along a feature, and rows, around which rows are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from anova_report.core.arrays import Floats
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.measures.fidelity import fidelity
from anova_report.measures.intervals import LEVEL
from anova_report.measures.near_rows import Reach
from anova_report.measures.values import quantiles, shown_range
from anova_report.measures.variance import prediction_variance

N_PLACES = 24  # along a feature: all pairs and triples of them are looked at
TAIL = 0.005  # of the rows at each end is not looked at where it lies far out, as in pictures
LOOKED_AT, COUNTED = 400, 20_000  # rows at which an effect is evaluated, and among which neighbors are counted
CELLS = 6  # along either feature, in which residuals hint at an interaction that the fit has left out


@dataclass(frozen=True, eq=False)
class Subject:
    """What expectations are held against: an output of a decomposition, on rows, perhaps with predictions."""

    dec: Decomposition
    values: Floats  # as `Decomposition.encode` gives them
    predictions: Floats | None  # of this output
    output: int

    @cached_property
    def reach(self) -> Reach:
        """How many rows must lie how close."""
        return Reach.of(len(self.values))

    @property
    def variance(self) -> float:
        """Variance of the predictions."""
        return prediction_variance(self.dec, self.dec.in_sample, self.output)

    @cached_property
    def residual(self) -> Floats | None:
        """Predictions minus explanation."""
        if self.predictions is None:
            return None
        return np.asarray(self.predictions - self.dec.expansion.predict(self.values)[:, self.output])

    def traced(self, points: Floats, terms: Sequence[Term]) -> tuple[Floats, Floats]:
        """Evaluate the sum of some components, and what each replicate contributes to it, (n_points, n_replicates)."""
        if self.dec.uncertainty is None or not terms:
            return np.zeros(len(points)), np.zeros((len(points), 2))
        value = self.dec.expansion.evaluate(points, list(terms))[:, :, self.output].sum(axis=1)
        return value, self.dec.uncertainty.components[self.output].evaluate(points, list(terms)).sum(axis=1)

    def main(self, feature: int, at: Floats) -> tuple[Floats, Floats]:
        """Evaluate a main effect at values of its feature."""
        points = np.repeat(self.values[:1], len(at), axis=0)
        points[:, feature] = at
        return self.traced(points, [(feature,)] if (feature,) in self.dec.terms else [])


def places(subject: Subject, feature: int, edges: tuple[float, float] = (-inf, inf)) -> Floats:
    """Choose values of a feature at which an effect is looked at: those of rows, where enough rows are."""
    column, about = subject.values[:, feature], subject.dec.features[feature]
    known = column[~np.isnan(column)]
    distinct, counts = np.unique(known, return_counts=True)
    if about.has_levels or len(distinct) <= N_PLACES:
        found = distinct[(counts >= subject.reach.rows) & (distinct >= 0 if about.has_levels else True)]
        return found[(found >= edges[0]) & (found <= edges[1])]
    low, high = shown_range(known, TAIL)
    within = known[(known >= max(low, edges[0])) & (known <= min(high, edges[1]))]
    if not len(within):
        return within
    found = np.unique(quantiles(within, np.linspace(0, 1, N_PLACES)))
    for start, end in subject.reach.gaps(known, low, high):
        found = found[(found <= start) | (found >= end)]
    return found


def unseen_share(subject: Subject, pairs: Sequence[Term]) -> float:
    """Bound the share of an interaction that the fit has no term for: by what residuals show in cells of its plane.

    Without predictions it may be all that is left unexplained.
    """
    left = max(fidelity(subject.dec, subject.output).unexplained, 0.0)
    residual = subject.residual
    if residual is None or not subject.variance:
        return left
    squares = float((residual**2).mean())
    cells = {index: _cells(subject.values[:, index]) for pair in pairs for index in pair}
    return min(max(_in_cells(residual, squares, [cells[index] for index in pair]) for pair in pairs), squares) / (
        subject.variance
    )


def _cells(column: Floats) -> NDArray[np.intp]:
    """Divide rows into cells of about equal frequency along a feature; missing values are one of their own."""
    known = column[~np.isnan(column)]
    edges = np.unique(quantiles(known, np.linspace(0, 1, CELLS + 1)[1:-1])) if len(known) else known
    return np.where(np.isnan(column), len(edges) + 1, np.searchsorted(edges, column))


def _in_cells(residual: Floats, squares: float, cells: list[NDArray[np.intp]]) -> float:
    """Bound the variance of the means of residuals in the cells of a plane, beyond chance."""
    at = cells[0] * (int(cells[1].max()) + 1) + cells[1]
    counts, n_rows = np.bincount(at), len(residual)
    sums = np.bincount(at, residual)[counts > 0]
    n_cells = len(sums)
    between = float((sums**2 / counts[counts > 0]).sum()) / n_rows
    found = max(between - squares * n_cells / n_rows, 0.0)
    noise = sqrt(2 * n_cells * squares**2 + 4 * n_rows * found * squares) / n_rows
    return found + float(norm.ppf(LEVEL)) * noise


def looked_at(subject: Subject, features: Term, terms: Sequence[Term]) -> NDArray[np.intp]:
    """Draw rows close to which enough others lie, in the features and, for their pairs, on each plane."""
    rows = _drawn(len(subject.values), LOOKED_AT, "rows of an expectation")
    among = subject.values[_drawn(len(subject.values), COUNTED, "neighbours of an expectation")]
    kept = np.ones(len(rows), dtype=bool)
    for plane in {(index,) for index in features} | {term for term in terms if len(term) == 2}:
        close = np.ones((len(rows), len(among)), dtype=bool)
        for index in plane:
            close &= _near(subject, index, subject.values[rows, index], among[:, index])
        kept &= close.sum(axis=1) >= subject.reach.rows
    return rows[kept]


def _near(subject: Subject, index: int, at: Floats, column: Floats) -> NDArray[np.bool_]:
    """Tell which values lie close to places along a feature; levels and missing values are close to their like."""
    known = column[~np.isnan(column)]
    if subject.dec.features[index].has_levels or not len(known):
        return np.asarray((column == at[:, None]) | (np.isnan(column) & np.isnan(at)[:, None]))
    low, high = shown_range(known, TAIL)
    return subject.reach.near(column, at, high - low) | (np.isnan(column) & np.isnan(at)[:, None])


def _drawn(n_rows: int, most: int, name: str) -> NDArray[Any]:
    return np.arange(n_rows) if n_rows <= most else np.sort(stream(0, name).choice(n_rows, most, replace=False))
