"""Near-duplicates and clusters: rows so close together that holding one of them out tells nothing about new rows.

Around a row of an ordinary table distances grow steadily: of its k + 1 nearest rows the first k are nearer than the
last by a factor r with probability r^(k·d) if rows scatter in d dimensions, whatever their density. Around a row with
near-duplicates, or in a cluster, they jump. So a row counts as one of them where a jump is at least twofold and next to
impossible by chance. Clusters whose edges are blurred show in all rows together: at their size, and neither below nor
above, distances grow as if rows scattered in far fewer dimensions. Whether held-out rows are nearer to rows of the fit
than to each other would show nothing: both are drawn alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import AT_ONCE, BLOCK_ROWS, LOOKED_AT_FEATURES, LOOKED_AT_ROWS, Floats
from anova_report.core.basis.tally import Tally, ValueCounts
from anova_report.core.fit.row_blocks import RowSource
from anova_report.core.input.features import MANY_VALUES, Feature
from anova_report.core.randomness import stream

# Budgets of time.
PLACES = 10  # of the table that are looked at, windows or row blocks: enough not to hit one odd place
ASKED = 500  # rows whose surroundings are looked at: the share of near-duplicates is then known to ± .04

# Statistics: too close a look calls ordinary rows near-duplicates, too wide a one lets them leak (`make verdicts`).
FEWEST = 40  # rows or units that can show a jump
MANY = 0.05  # of the rows: larger clusters are parts of the population, and one value of so many is no accident
TWOFOLD = 2.0  # the jump of distances, or dip of the dimension, that a reader would see; ordinary tables stay below 1.2
CHANCE = 1e-4  # of a jump at one k by chance: there are up to a thousand k
FURTHEST = 0.25  # of all: neighbors that are looked at; beyond, edges of the population count
SORTED = 0.95  # of the steps from row to row in one direction: then the table is sorted by that feature
REMOTE = 1e15  # in spreads: the squares of larger distances are beyond single precision


@dataclass(frozen=True, eq=False)
class Surveyed:
    """Rows of which some are asked how far their neighbors are."""

    points: Floats  # shape (n_rows, n_features): features in comparable units
    units: NDArray[np.intp]  # shape (n_rows,), ascending: rows of one unit are no neighbors of each other
    resolution: float  # distances below are not distinguished

    @cached_property
    def n_units(self) -> int:
        """How many units there are."""
        return len(np.unique(self.units))

    @cached_property
    def largest(self) -> int:
        """Most neighbors of a row that are near-duplicates: units, or, where these are few, rows."""
        # Fewer rows than a unit has: the rows of one are no near-duplicates.
        share = MANY if self.n_units >= FEWEST else min(MANY, 0.5 / self.n_units)
        return max(2, int(share * self.n_neighbors))

    @cached_property
    def n_neighbors(self) -> int:
        """How many neighbors there are: units, or, where these are few, rows."""
        return self.n_units if self.n_units >= FEWEST else len(self.units)


@dataclass(frozen=True, eq=False)
class Windows:
    """Rows that are looked at one by one: all, or those in some intervals of the feature with most values.

    A sample of single rows would part near-duplicates. Windows keep what is close together.
    """

    columns: list[int]  # features that are looked at
    widest: int = 0
    bounds: tuple[tuple[float, float], ...] | None = None  # of the intervals; None where all rows are looked at

    def inside(self, values: Floats) -> NDArray[np.intp]:
        """Find the rows of a block that are looked at."""
        if self.bounds is None:
            return np.arange(len(values) if self.columns else 0)
        inside = np.zeros(len(values), dtype=bool)
        for low, high in self.bounds:
            inside |= (values[:, self.widest] >= low) & (values[:, self.widest] <= high)
        return np.flatnonzero(inside)


def draw_windows(counted: Tally, features: Sequence[Feature], seed: int) -> Windows:
    """Draw windows that hold about `LOOKED_AT_ROWS` rows together; of few rows all are looked at."""
    columns = _with_many_values(counted, features)
    if not columns or counted.n_rows <= LOOKED_AT_ROWS:
        return Windows(columns)
    widest = max(columns, key=lambda index: len(counted.columns[index].values))
    return Windows(columns, widest, tuple(_windows(counted.columns[widest], counted.n_rows, stream(seed, "windows"))))


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """How many near-duplicates some rows have in other units."""

    counts: NDArray[np.intp]  # of each row that was asked

    @property
    def share(self) -> float:
        """Share of the rows that have any."""
        return float((self.counts > 0).mean())

    @property
    def distinct(self) -> float:
        """How many rows there are, for each row, if those of a cluster count as one.

        Examples
        --------
        >>> NearDuplicates(np.array([0, 0, 1, 1, 9, 9])).distinct
        0.5333333333333333
        """
        return float((1 / (1 + self.counts)).mean())


def find_near_duplicates(
    source: RowSource, counted: Tally, features: Sequence[Feature], units: NDArray[np.intp] | None, seed: int
) -> NearDuplicates | None:
    """Look for near-duplicates of some rows in other units; None where rows or values are too few.

    `units` has the unit of every row; None if each is its own.
    """
    windows = draw_windows(counted, features, seed)
    if not windows.columns:
        return None
    positions, found, start = [], [], 0
    for values, _ in source.blocks():
        inside = windows.inside(values)
        positions.append(start + inside)
        found.append(values[:, windows.columns][inside])
        start += len(values)
    own = np.concatenate(positions) if units is None else units[np.concatenate(positions)]
    return near_duplicates_of(np.concatenate(found), own, counted, windows.columns, seed)


def near_duplicates_of(
    values: Floats, own: NDArray[np.intp], counted: Tally, columns: Sequence[int], seed: int
) -> NearDuplicates | None:
    """Look for near-duplicates among rows in windows; `own` has the unit of each."""
    order = np.argsort(own, kind="stable")
    scales = [_scale(counted.columns[index]) for index in columns]
    standardized = [(values[order, at] - middle) / spread for at, (middle, spread, _) in enumerate(scales)]
    points = np.nan_to_num(np.column_stack(standardized), copy=False)  # missing values are in the middle
    np.clip(points, -REMOTE, REMOTE, out=points)
    # Rounded values lie on a grid, whose steps are no distance.
    surveyed = Surveyed(points, own[order], TWOFOLD * float(np.linalg.norm([step for _, _, step in scales])))
    if len(points) < FEWEST:
        return None
    asked = stream(seed, "asked rows").permutation(len(points))[:ASKED]
    distances = [_distances(surveyed, asked[at : at + AT_ONCE]) for at in range(0, len(asked), AT_ONCE)]
    # Rows that hold the same value in some features, zero say, scatter in the others only: count on one.
    atoms = any(counted.columns[index].counts.max() > MANY * counted.n_rows for index in columns)
    most = 1 if atoms else len(columns)
    return NearDuplicates(n_near_duplicates(np.concatenate(distances), most, surveyed.largest))


def serial_correlation(source: RowSource, counted: Tally, features: Sequence[Feature]) -> float | None:
    """Correlate features with themselves one row later, in ranks: the median over features.

    Rows that come one after the other in time resemble each other in most features; rows that were drawn do in none,
    and rows that were sorted do in the feature they were sorted by. Of these, and of fewer than two features, nothing
    is known: None.
    """
    every = max(1, -(-counted.n_rows // BLOCK_ROWS) // PLACES)
    blocks = (values for number, (values, _) in enumerate(source.blocks()) if not number % every)
    return median_serial(map(block_serial, blocks), counted, features)


def block_serial(values: Floats) -> tuple[Floats, int] | None:
    """Correlate features with themselves one row later in one row block, of some size; NaN where it is sorted.

    Too few rows tell nothing: None.
    """
    if len(values) < FEWEST:
        return None
    values = np.asfortranarray(values)  # sums over rows depend on where these lie
    steps = np.diff(values, axis=0)
    if max((steps >= 0).mean(axis=0).max(), (steps <= 0).mean(axis=0).max()) >= SORTED:
        return np.full(values.shape[1], np.nan), len(values)
    ranks = values.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / (len(values) - 1) - 0.5
    return 12 * (ranks[1:] * ranks[:-1]).mean(axis=0), len(values)  # the variance of uniform ranks is a twelfth


def median_serial(
    found: Iterable[tuple[Floats, int] | None], counted: Tally, features: Sequence[Feature]
) -> float | None:
    """Average correlations over row blocks, and take the median of features with many values."""
    columns = _with_many_values(counted, features)
    if len(columns) < 2:
        return None
    kept = [each for each in found if each is not None]
    if not kept or any(np.isnan(own).any() for own, _ in kept):
        return None
    average = np.average([own[columns] for own, _ in kept], axis=0, weights=[size for _, size in kept])
    return float(np.median(average))


def _with_many_values(counted: Tally, features: Sequence[Feature]) -> list[int]:
    pairs = enumerate(zip(features, counted.columns, strict=True))
    found = [at for at, (feature, column) in pairs if not feature.has_levels and len(column.values) >= MANY_VALUES]
    # Rows that are close in so many features, at equal steps, are close in the others.
    return found[:: -(-len(found) // LOOKED_AT_FEATURES) or 1]


def n_near_duplicates(distances: Floats, most: int, largest: int) -> NDArray[np.intp]:
    """Count the near-duplicates of every row, given the ascending distances of its nearest neighbors.

    Rows scatter in `most` dimensions at most, and up to `largest` neighbors of a row are near-duplicates.

    Examples
    --------
    >>> even = np.arange(1.0, 41.0)
    >>> n_near_duplicates(np.stack([even, np.where(even < 5, 1e-4 * even, even)]), most=1, largest=10).tolist()
    [0, 4]
    """
    scales = 2 ** np.arange(1, int(np.log2(distances.shape[1])) + 1)
    growth = np.log(distances[:, scales[1:] - 1] / distances[:, scales[:-1] - 1])
    # The dimension in which rows scatter, from few neighbors to many: k grows with its power of the distance.
    dimensions = np.log(2) / np.maximum(np.median(growth, axis=0), np.log(2) / most)
    # The scale from 8 to 16 neighbors is small enough to be inside a part of the population.
    found = _before_jumps(distances[:, : largest + 1], max(float(dimensions[[2, -1]].min()), 1.0))
    for at in np.flatnonzero(scales[1:] <= largest)[1:]:
        around = min(dimensions[:at].max(), dimensions[at + 1 :].max(initial=0.0))
        if around >= TWOFOLD * dimensions[at]:
            leaps = growth[:, at] >= TWOFOLD * np.log(2) / around
            found = np.maximum(found, np.where(leaps, scales[at], 0))
    return found


def _before_jumps(distances: Floats, dimension: float) -> NDArray[np.intp]:
    """Count the neighbors before the last jump of distances; 0 where there is none."""
    k = np.arange(1, distances.shape[1])
    jumps = distances[:, :-1] / distances[:, 1:] <= np.minimum(1 / TWOFOLD, CHANCE ** (1 / (k * dimension)))
    return np.asarray((jumps * k).max(axis=1))


def _distances(surveyed: Surveyed, asked: NDArray[np.intp]) -> Floats:
    """Distances from some rows to the nearest units other than their own, ascending; to rows where units are few."""
    points, units = surveyed.points, surveyed.units
    squares = (points**2).sum(axis=1)
    squared = squares[asked, None] + squares - 2 * points[asked] @ points.T
    squared[units[asked, None] == units] = np.inf
    squared = squared.astype(np.float32)  # sorted twice as fast
    if FEWEST <= surveyed.n_units < len(units):
        squared = np.minimum.reduceat(squared, np.flatnonzero(np.diff(units, prepend=-1)), axis=1)
    n_nearest = max(16, int(FURTHEST * surveyed.n_neighbors))
    nearest = np.sort(np.partition(squared, n_nearest, axis=1)[:, :n_nearest], axis=1)
    # Squares of numbers of size one have errors of 1e-16 or so, distances their root.
    return np.asarray(np.maximum(np.sqrt(np.maximum(nearest, 0.0)), max(surveyed.resolution, 1e-7)))


def _scale(column: ValueCounts) -> tuple[float, float, float]:
    """Middle of a feature, its spread but for the tails, and the usual step between its values in units of that."""
    cumulated = np.cumsum(column.counts) / column.counts.sum()
    low, middle, high = column.values[np.searchsorted(cumulated, (0.05, 0.5, 0.95))]
    spread = (high - low) / 3.3 or column.values[-1] - column.values[0]
    return float(middle), float(spread), float(np.median(np.diff(column.values)) / spread)


def _windows(column: ValueCounts, n_rows: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Draw intervals that hold about `LOOKED_AT_ROWS` of all rows together; the values may be those of a sample."""
    below = np.concatenate([[0], np.cumsum(column.counts)])
    wanted = LOOKED_AT_ROWS // PLACES * below[-1] / n_rows
    bounds = []
    for at in rng.integers(below[-1], size=PLACES):
        first = int(np.searchsorted(below, at, side="right")) - 1
        last = int(np.searchsorted(below, below[first] + wanted, side="right")) - 1
        if last > first:  # else a single value has more rows than a window may hold
            bounds.append((float(column.values[first]), float(column.values[last - 1])))
    return bounds
