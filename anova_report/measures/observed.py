"""Predicted against observed in cells of rows: by the prediction itself (calibration), by a feature, from the top."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.measures.intervals import Interval
from anova_report.measures.metrics import Form, Measured, average, bounds, by_unit
from anova_report.measures.truths import Truth

MOST_CELLS, MOST_LEVELS = 10, 12
CELL_ROWS = 30  # a mean of fewer rows says little: half the width of its interval is a third of their spread
PART_ROWS = 40  # that parts of equal size hold at least, so that ties leave them enough
AROUND = 0.02  # of the rows on either side of a bound, at least, whose mean truth is taken for that at the bound
PARTS = (0.01, 0.05, *(step / 10 for step in range(1, 11)))  # of the rows, those with the largest predictions first


@dataclass(frozen=True)
class Cell:
    """Some rows, and how predictions and truth lie there.

    Parameters
    ----------
    at : float
        The middle of the cell: a mean of its rows, or the code of a level; NaN where values are missing.
    low, high : float
        Between which values its rows lie.
    n_rows : int
    predicted, observed : float
        Means.
    observed_interval, difference_interval : Interval
        95% intervals of the mean truth, and of it minus the mean prediction.
    """

    at: float
    low: float
    high: float
    n_rows: int
    predicted: float
    observed: float
    observed_interval: Interval
    difference_interval: Interval

    @property
    def difference(self) -> float:
        """Mean truth minus mean prediction."""
        return self.observed - self.predicted

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves zero out."""
        return self.difference_interval.low > 0 or self.difference_interval.high < 0


@dataclass(frozen=True)
class Cells:
    """Cells along one axis, and the rows of cells that are too small to show."""

    shown: tuple[Cell, ...]
    n_left_out: int

    @property
    def n_differing(self) -> int:
        """In how many cells truth and prediction differ by more than the interval."""
        return sum(cell.differs for cell in self.shown)


@dataclass(frozen=True)
class Gain:
    """What the rows with the largest predictions hold.

    Parameters
    ----------
    rows, held : tuple of float
        Shares of the rows, and of the sum of the truth that these hold.
    intervals : tuple of Interval
        95% intervals of the latter.
    best : tuple of float
        What they would hold if predictions had the order of the truth.
    """

    rows: tuple[float, ...]
    held: tuple[float, ...]
    intervals: tuple[Interval, ...]
    best: tuple[float, ...]


def calibration(truth: Truth) -> Cells:
    """Compare truth and prediction in tenths of the rows, fewer parts of few rows, by the size of the prediction."""
    return _cells(truth, truth.predicted[truth.judged], None)


def along(truth: Truth, feature: Feature, column: Floats) -> Cells:
    """Compare truth and prediction along a feature, given its encoded values in all rows."""
    return _cells(truth, column[truth.judged], feature)


def gain(truth: Truth) -> Gain | None:
    """Find what share of the truth the rows with the largest predictions hold; None where it can be negative."""
    side = truth.judged
    y = truth.y[side]
    mass = truth.aside.mass[side] / truth.aside.mass[side].sum()
    if truth.task == "regression" or (y < 0).any():
        return None
    held, intervals = [], []
    for part in PARTS[:-1]:
        value, pull = _held(y, truth.predicted[side], mass, part)
        held.append(value)
        intervals.append(bounds(value, by_unit(pull, mass, truth.aside.unit_codes[side]), "share"))
    best = [_held(y, y, mass, part)[0] for part in PARTS[:-1]]
    return Gain(PARTS, (*held, 1.0), (*intervals, Interval(1.0, 1.0)), (*best, 1.0))


def _held(y: Floats, predicted: Floats, mass: Floats, part: float) -> Measured:
    """Find what share of the truth a part of the rows holds, those with the largest predictions first."""
    # Rows of one prediction are taken together: no order among them counts.
    distinct, at = np.unique(-predicted, return_inverse=True)
    rows = np.r_[0.0, np.cumsum(np.bincount(at, mass, len(distinct)))]
    total = float(mass @ y)
    held = np.r_[0.0, np.cumsum(np.bincount(at, mass * y, len(distinct)))] / total
    value = float(np.interp(part, rows, held))
    # The bound of the part is an estimate, too: what moves it moves rows of about the mean truth around the bound.
    edge = int(np.searchsorted(rows, part).clip(1, len(distinct)))
    into = (part - rows[edge - 1]) / (rows[edge] - rows[edge - 1])
    inside = np.where(at < edge - 1, 1.0, np.where(at == edge - 1, into, 0.0))
    reach = max(AROUND, CELL_ROWS / 2 * float((mass**2).sum()))
    around = np.array([max(part - reach, 0.0), min(part + reach, 1.0)])
    slope = float(np.diff(np.interp(around, rows, held))[0] / np.diff(around)[0])
    return value, inside * y / total - slope * (inside - part) - value * y / total


def _cells(truth: Truth, column: Floats, feature: Feature | None) -> Cells:
    places = _places(column, feature)
    side = truth.judged
    y, predicted, mass = truth.y[side], truth.predicted[side], truth.aside.mass[side]
    units, found, left_out = truth.aside.unit_codes[side], [], int((places < 0).sum())
    form: Form = {"binary": "share", "log": "positive"}.get(truth.task, "plain")  # type: ignore[assignment]  # of these words
    for place in range(int(places.max(initial=-1)) + 1):
        inside = places == place
        if inside.sum() < CELL_ROWS:
            left_out += int(inside.sum())
            continue
        own = mass[inside] / mass[inside].sum()
        observed, of_observed = average(y[inside], own)
        expected, of_expected = average(predicted[inside], own)
        at, held = units[inside], column[inside]
        known = bounds(observed, by_unit(of_observed, own, at), form)
        apart = bounds(observed - expected, by_unit(of_observed - of_expected, own, at))
        if form == "share" and not np.ptp(y[inside]):  # rows that are all alike do not show how such a share varies
            known = bounds(float(y[inside][0]), by_unit(of_observed, own, at), form)
            apart = Interval(known.low - expected, known.high - expected)
        found.append(
            Cell(
                float(own @ held),
                float(held.min()),
                float(held.max()),
                int(inside.sum()),
                expected,
                observed,
                known,
                apart,
            )
        )
    return Cells(tuple(found), left_out)


def _places(column: Floats, feature: Feature | None) -> NDArray[np.intp]:
    """Give each row the number of its cell along an axis, missing values the last; −1 where levels are not shown."""
    missing = np.isnan(column)
    places = np.full(len(column), -1, dtype=np.intp)
    known = column[~missing]
    values, counts = np.unique(known, return_counts=True)
    if feature is not None and (feature.has_levels or len(values) <= MOST_LEVELS):
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS])
        at = np.searchsorted(values[kept], known).clip(0, len(kept) - 1)
        places[~missing] = np.where(values[kept][at] == known, at, -1)
        n_cells = len(kept)
    else:
        n_parts = min(MOST_CELLS, max(len(known) // PART_ROWS, 1))
        levels = np.arange(1, n_parts) / n_parts
        edges = np.unique(np.quantile(known, levels, method="inverted_cdf")) if len(known) else np.empty(0)
        places[~missing] = np.searchsorted(edges, known)
        n_cells = len(edges) + 1
    places[missing] = n_cells
    return places
