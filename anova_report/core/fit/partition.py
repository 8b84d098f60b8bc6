"""Which rows stay together: rows that are not independent are learned from, tuned on or held out as one unit.

A held-out row whose copy the fit has seen says nothing about new rows. So groups, folds and replicates are made of
whole units: single rows, rows with equal inputs, or the groups and blocks of time that the user named.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from anova_report.core.arrays import BLOCK_ROWS, Floats
from anova_report.core.basis.tally import Tally, hash_rows, tally
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.fit.row_blocks import (
    Groups,
    RowSource,
    chosen_rows,
    given_groups,
    random_groups,
    random_replicates,
)
from anova_report.core.input.features import Feature
from anova_report.core.input.units import FEWEST_UNITS, GivenUnits
from anova_report.core.input.weights import RowWeights
from anova_report.core.randomness import stream

UnitKind: TypeAlias = Literal["row", "equal rows", "group", "time block"]

GROUPS = LEARN, FIRST, SECOND = 0, 1, 2  # columns are selected on LEARN, errors measured on the others
ASKED = len(GROUPS)  # is added to the group of recombined rows

# Statistics (`make verdicts`).
FOLDS = 5  # fewer would leave too little to select on, more too little to judge on (`make truth`)
SHARES = ((FOLDS - 2) / FOLDS, 1 / FOLDS, 1 / FOLDS)  # of the rows in these groups, where one round is enough
FEWEST_ROWS = len(GROUPS)  # one in each
FEW_ROWS = 1500  # of these all, or nearly, must judge, however many the model was asked at
# Different rows from which equal ones are copies, if one column tells most of them apart, two do (chance has to meet in
# both), or three tell all: with fewer, equal rows are cells of a table that fresh rows would fall into, too.
COPIES_FROM = (200, 20, 8)

# Budgets of time (`make bench`).
THREE_ROUNDS, TWO_ROUNDS = FEW_ROWS * 3, 6500  # rows up to which so many take no longer than one with many
RANKED_ROWS = 40_000  # up to so many, their order in the table changes no division; more are divided as they come
ONE_BY_ONE = RANKED_ROWS // 4  # units that are balanced by size; chance balances the smaller ones


@dataclass(frozen=True)
class HeldTogether:
    """What columns and penalties of a fit leave unexplained where rows that may belong together are held out together.

    Parameters
    ----------
    n_sets : int
        How many sets of rows there are.
    together, one_by_one : tuple of float
        Share of the variance of each output that is left on rows held out in whole sets, and one by one.
    features : tuple of int
        Whose values the rows of a set share; none where a set is a block of consecutive rows.
    """

    n_sets: int
    together: tuple[float, ...]
    one_by_one: tuple[float, ...]
    features: tuple[int, ...] = ()


@dataclass(frozen=True)
class Partition:
    """How rows were kept together, and what was found about rows that resemble each other.

    Parameters
    ----------
    unit : {"row", "equal rows", "group", "time block"}
        What is held out as a whole.
    n_units : int
    n_copies : int
        Rows with the same inputs as an earlier one; where few values make equal rows usual, none count.
    n_apart : int
        Rows with the same inputs as a row of another unit.
    clumped : float or None
        Share of the rows with near-duplicates among rows of other units; None where it cannot be estimated.
    serial : float or None
        Median correlation of features with themselves one row later, where each row was a unit; None where the table is
        sorted or it cannot be estimated.
    total_weight, n_effective : float or None
        Sum of the weights as they were given, and how many rows of equal weight would show as much; None where the user
        gave none.
    blocks : HeldTogether or None
        What is left of blocks of consecutive rows, where neighboring rows resemble each other.
    recurring : HeldTogether or None
        What is left of rows that share the values of some features, where values recur as those of groups do.
    """

    unit: UnitKind
    n_units: int
    n_copies: int = 0
    n_apart: int = 0
    clumped: float | None = None
    serial: float | None = None
    total_weight: float | None = None
    n_effective: float | None = None
    blocks: HeldTogether | None = None
    recurring: HeldTogether | None = None


@dataclass(frozen=True, eq=False)
class Round:
    """A division of the rows into those that columns are selected on and two folds that are left out."""

    groups: Groups  # LEARN, FIRST or SECOND for every row
    folds: tuple[int, int]

    def fold(self, group: int) -> int:
        """Say which fold FIRST or SECOND is."""
        return self.folds[group - FIRST]


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a table, and how they are divided among groups, folds and replicates."""

    partition: Partition
    n_rows: int
    seed: int
    of_rows: NDArray[np.intp] | None = None  # the unit of every row, from 0; None where each row is one
    weights: Floats | None = None  # of the rows; None where all count the same
    ranks: NDArray[np.intp] | None = None  # a place of every row that does not depend on the order of the table

    @property
    def _numbers(self) -> NDArray[np.intp] | None:
        """Number the units of all rows; None where rows are divided as they come, row block by row block."""
        return self.ranks if self.of_rows is None else self.of_rows

    def groups(self, shares: Sequence[float]) -> Groups:
        """Divide the rows into groups that have these shares of them."""
        if self._numbers is None:
            return random_groups(shares, self.seed)
        return given_groups(self._divided("groups", shares)[self._numbers])

    def folds(self, most: int) -> NDArray[np.intp]:
        """Divide the rows into folds of about equal size, at most so many."""
        n_folds = min(most, self.partition.n_units)
        folds = self._divided("folds", [1 / n_folds] * n_folds)
        return folds if self._numbers is None else folds[self._numbers]

    def rounds(self, n_rows: float, n_asked: int = 0) -> list[Round]:
        """Leave out two folds at a time: all folds in turn where rows are few.

        Rows that say as much as `n_rows` equal ones and `n_asked` recombined rows are learned from: the former bounds
        noise, the number of them all bounds time.
        """
        all_rows = self.n_rows + n_asked
        if all_rows > TWO_ROUNDS and n_rows > FEW_ROWS:
            return [Round(self.groups(SHARES), (FIRST, SECOND))]
        folds = self.folds(FOLDS)
        n_folds = int(folds.max()) + 1
        pairs = [(at, (at + 1) % n_folds) for at in range(0, n_folds, 2)]
        if all_rows > THREE_ROUNDS:
            pairs = pairs[:2]
        groups = [np.where(folds == one, FIRST, np.where(folds == other, SECOND, LEARN)) for one, other in pairs]
        return [Round(given_groups(own), pair) for own, pair in zip(groups, pairs, strict=True)]

    @cached_property
    def replicates(self) -> Groups:
        """Divide the rows into replicates; where there are few units, each is one, and other replicates are empty."""
        if self._numbers is None:
            return random_replicates(self.seed)
        n_parts = min(REPLICATES, self.partition.n_units)
        parts = self._divided("replicates", [1 / n_parts] * n_parts)
        # Spread over all numbers, so that joining neighbors leaves as many as there can be.
        return given_groups((parts * REPLICATES // n_parts)[self._numbers])

    @cached_property
    def key(self) -> str:
        """Identify the division of the rows into units."""
        known = [each.tobytes() for each in (self._numbers, self.weights) if each is not None]
        return blake2b(b"".join(known), digest_size=8).hexdigest() if known else "rows"

    def _divided(self, name: str, shares: Sequence[float]) -> NDArray[np.intp]:
        rows = np.ones(self.n_rows) if self.weights is None else self.weights
        sizes = rows if self._numbers is None else np.bincount(self._numbers, weights=rows).astype(np.float64)
        return divide(sizes, shares, stream(self.seed, name))


def divide(sizes: Floats, shares: Sequence[float], rng: np.random.Generator) -> NDArray[np.intp]:
    """Divide units among parts: the largest first, each to the part that is emptiest for its share.

    Examples
    --------
    >>> parts = divide(np.array([4.0, 1.0, 1.0, 1.0, 1.0]), [0.5, 0.5], stream(0, "parts"))
    >>> parts.tolist()
    [0, 1, 1, 1, 1]
    """
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    parts = rng.choice(len(shares), size=len(sizes), p=shares)
    heap = [(0.0, part) for part in range(len(shares))]
    for unit in order[:ONE_BY_ONE].tolist():
        filled, part = heap[0]
        parts[unit] = part
        heapq.heapreplace(heap, (filled + float(sizes[unit]) / shares[part], part))
    return parts


def merge_copies(
    source: RowSource, counted: Tally, features: Sequence[Feature], given: GivenUnits | None
) -> tuple[RowSource, Tally, GivenUnits | None]:
    """Make one row, with their weight, of copies that have equal predictions: they show nothing that one does not.

    So a row that is repeated and a row that is weighted are the same, and noise is that of independent rows.
    """
    if not are_copies(counted, features):
        return source, counted, given
    codes = np.zeros(counted.n_rows) if given is None else given.codes
    starts = np.arange(0, counted.n_rows, BLOCK_ROWS)
    hashes = [
        hash_rows(np.column_stack([values, predictions, codes[start : start + len(values)]]))
        for start, (values, predictions) in zip(starts, source.blocks(), strict=True)
    ]
    _, first, alike, counts = np.unique(
        np.concatenate(hashes), return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == counted.n_rows:
        return source, counted, given
    at, order, known = np.sort(first), np.argsort(first), source.weights
    positions = at if known is None else known.positions[at]
    given_weights = None if known is None else known.values
    sums = np.bincount(alike, weights=given_weights)[order].astype(float)
    total = 0.0 if known is None else known.total
    chosen = chosen_rows(source, at, RowWeights.of(sums, positions, counts[order], total))
    units = None if given is None else replace(given, codes=given.codes[at])
    return chosen, replace(tally(chosen, len(features)), known=counted.known), units


def find_units(
    source: RowSource,
    counted: Tally,
    features: Sequence[Feature],
    given: GivenUnits | None,
    seed: int,
    *,
    ranked: bool = False,
    copies: int | None = None,
) -> Units:
    """Find out which rows belong together: those that the user named, and copies.

    Where rows are `ranked`, or weighted, no division depends on their order. `copies` says how many were merged.
    """
    equal = None
    if are_copies(counted, features):
        equal = _in_order_of_appearance(np.concatenate([hash_rows(values) for values, _ in source.blocks()]))
    copies = copies or (0 if equal is None else counted.n_rows - counted.n_distinct)
    weights = None if source.weights is None else source.weights.values
    ranks = _ranks(source, counted) if ranked or weights is not None else None

    def units(partition: Partition, of_rows: NDArray[np.intp] | None = None) -> Units:
        numbered = of_rows if of_rows is None or ranks is None else _in_order(of_rows, ranks)
        return Units(partition, counted.n_rows, seed, numbered, weights, ranks)

    if given is None:
        unit: UnitKind = "equal rows" if copies else "row"
        return units(Partition(unit, counted.n_distinct if copies else counted.n_rows, copies), equal)
    partition = Partition(given.kind, given.n_units, copies)
    if equal is None:
        return units(partition, given.codes)
    joined = joined_units(given.codes, equal)
    sizes, named = (np.bincount(codes, weights=weights) for codes in (joined, given.codes))
    if len(sizes) >= FEWEST_UNITS and sizes.max() / sizes.sum() <= max(0.5, named.max() / named.sum()):
        return units(replace(partition, n_units=len(sizes)), joined)
    # Copies chain nearly all units together: these stay as they were named, and that copies leak becomes a finding.
    return units(replace(partition, n_apart=_apart(given.codes, equal, source.weights)), given.codes)


def are_copies(counted: Tally, features: Sequence[Feature]) -> bool:
    """Say whether rows with equal inputs are copies of each other, rather than rows of a table of few values.

    They are where one number alone tells most different rows apart: in fresh rows it would hardly come twice.
    """
    if counted.n_distinct == counted.n_rows:
        return False
    columns = zip(features, counted.columns, strict=True)
    return tell_apart([len(column.values) for feature, column in columns if not feature.has_levels], counted.n_distinct)


def tell_apart(n_values: Sequence[int], n_distinct: int) -> bool:
    """Say whether numbers of which so many values occur tell most of the different rows apart, each alone."""
    telling = sum(2 * count >= n_distinct for count in n_values)
    if sum(count == n_distinct for count in n_values) > 2:
        return n_distinct >= COPIES_FROM[2]
    return telling > 0 and n_distinct >= COPIES_FROM[min(telling, 2) - 1]


def joined_units(codes: NDArray[np.intp], equal: NDArray[np.intp]) -> NDArray[np.intp]:
    """Join units that share equal rows.

    Examples
    --------
    >>> joined_units(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])).tolist()
    [0, 0, 0, 1]
    """
    n_units, n_equal = int(codes.max()) + 1, int(equal.max()) + 1
    shared = coo_array((np.ones(len(codes)), (codes, n_units + equal)), shape=(n_units + n_equal,) * 2)
    _, labels = connected_components(shared, directed=False)
    return _in_order_of_appearance(labels[codes])


def _ranks(source: RowSource, counted: Tally) -> NDArray[np.intp]:
    """Give every row a place that depends on neither the order of rows and columns nor the units of features.

    Rows are sorted by a number that is made of the places of their values among those of each feature, from the nearer
    end; rows that still coincide by places from the lower end, and what is left by values and weights. Predictions have
    no part in it, so that two models of the same rows have the same replicates.
    """
    keys: list[NDArray[np.uint64]] = []
    for values, _ in source.blocks():
        near, low = np.zeros((2, len(values)), dtype=np.uint64)
        for column, known in zip(values.T, counted.columns, strict=True):
            place = np.where(np.isnan(column), -1.0, np.searchsorted(known.values, column))
            near += hash_rows(np.minimum(place, len(known.values) - 1 - place)[:, None])
            low += hash_rows(place[:, None])
        keys.append(np.stack([hash_rows(values), low, near]))
    last = [] if source.weights is None or source.weights.values is None else [source.weights.values]
    order = np.lexsort([*last, *np.concatenate(keys, axis=1)])
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(len(order))
    return ranks


def _in_order_of_appearance(labels: NDArray[np.generic]) -> NDArray[np.intp]:
    """Renumber labels by the first row that has them, so that units do not depend on what their labels are."""
    return _in_order(labels, np.arange(len(labels)))


def _in_order(labels: NDArray[np.generic], ranks: NDArray[np.intp]) -> NDArray[np.intp]:
    """Renumber labels by the row of the lowest rank that has them."""
    _, codes = np.unique(labels, return_inverse=True)
    first = np.full(codes.max() + 1, len(codes))
    np.minimum.at(first, codes, ranks)
    return np.argsort(np.argsort(first))[codes]


def _apart(codes: NDArray[np.intp], equal: NDArray[np.intp], weights: RowWeights | None) -> int:
    """Count rows of the user's table with the same inputs as a row of another unit."""
    pairs = np.unique(np.stack([equal, codes]), axis=1)
    n_units = np.bincount(pairs[0])
    counts = np.ones(len(equal), dtype=np.intp) if weights is None else weights.copies
    return int(counts[n_units[equal] > 1].sum())
