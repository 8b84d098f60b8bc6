"""Which rows stay together: rows that are not independent are learnt from, tuned on or held out as one unit.

A held-out row whose copy the fit has seen tells nothing about new rows. So groups, folds and replicates are made of
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

from anova_report.core.arrays import Floats
from anova_report.core.fit.replicates import REPLICATES
from anova_report.core.fit.row_blocks import (
    Groups,
    RowSource,
    Tally,
    given_groups,
    hash_rows,
    random_groups,
    random_replicates,
)
from anova_report.core.input.features import Feature
from anova_report.core.input.units import FEWEST_UNITS, GivenUnits
from anova_report.core.randomness import stream

UnitKind: TypeAlias = Literal["row", "equal rows", "group", "time block"]

COPIES_FROM = 200  # different rows: with fewer, equal rows are cells of a table that fresh rows would fall into, too
COPIES_FROM_TWICE = 20  # where two columns say that rows are copies
ONE_BY_ONE = 10_000  # units that are balanced by size; chance balances the smaller ones


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
        Share of the rows that sit in a clump with rows of other units; None where it cannot be told.
    serial : float or None
        Median correlation of features with themselves one row later, where each row was a unit; None where the table is
        sorted or it cannot be told.
    """

    unit: UnitKind
    n_units: int
    n_copies: int = 0
    n_apart: int = 0
    clumped: float | None = None
    serial: float | None = None


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a table, and how they are divided among groups, folds and replicates."""

    partition: Partition
    n_rows: int
    seed: int
    of_rows: NDArray[np.intp] | None = None  # the unit of every row, from 0; None where each row is one

    def groups(self, shares: Sequence[float]) -> Groups:
        """Divide the rows into groups that have these shares of them."""
        if self.of_rows is None:
            return random_groups(shares, self.seed)
        return given_groups(self._divided("groups", shares)[self.of_rows])

    def folds(self, most: int) -> NDArray[np.intp]:
        """Divide the rows into folds of about equal size, at most so many."""
        n_folds = min(most, self.partition.n_units)
        folds = self._divided("folds", [1 / n_folds] * n_folds)
        return folds if self.of_rows is None else folds[self.of_rows]

    @cached_property
    def replicates(self) -> Groups:
        """Divide the rows into replicates; where there are few units, each is one, and other replicates are empty."""
        if self.of_rows is None:
            return random_replicates(self.seed)
        n_parts = min(REPLICATES, self.partition.n_units)
        parts = self._divided("replicates", [1 / n_parts] * n_parts)
        # Spread over all numbers, so that joining neighbours leaves as many as there can be.
        return given_groups((parts * REPLICATES // n_parts)[self.of_rows])

    @cached_property
    def key(self) -> str:
        """Identify the division of the rows into units."""
        return "rows" if self.of_rows is None else blake2b(self.of_rows.tobytes(), digest_size=8).hexdigest()

    def _divided(self, name: str, shares: Sequence[float]) -> NDArray[np.intp]:
        sizes = np.ones(self.n_rows) if self.of_rows is None else np.bincount(self.of_rows).astype(float)
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


def find_units(
    source: RowSource, counted: Tally, features: Sequence[Feature], given: GivenUnits | None, seed: int
) -> Units:
    """Find out which rows belong together: those that the user named, and copies."""
    copies = counted.n_rows - counted.n_distinct if are_copies(counted, features) else 0
    equal = _equal_rows(source) if copies else None
    if given is None:
        if equal is None:
            return Units(Partition("row", counted.n_rows), counted.n_rows, seed)
        return Units(Partition("equal rows", counted.n_distinct, copies), counted.n_rows, seed, equal)
    partition = Partition(given.kind, given.n_units, copies)
    if equal is None:
        return Units(partition, counted.n_rows, seed, given.codes)
    joined = joined_units(given.codes, equal)
    largest = np.bincount(joined).max() / counted.n_rows
    if joined.max() + 1 >= FEWEST_UNITS and largest <= max(0.5, np.bincount(given.codes).max() / counted.n_rows):
        return Units(replace(partition, n_units=int(joined.max()) + 1), counted.n_rows, seed, joined)
    # Copies chain nearly all units together: these stay as they were named, and that copies leak becomes a finding.
    return Units(replace(partition, n_apart=_apart(given.codes, equal)), counted.n_rows, seed, given.codes)


def are_copies(counted: Tally, features: Sequence[Feature]) -> bool:
    """Say whether rows with equal inputs are copies of each other, rather than rows of a table of few values.

    They are where one number alone tells most different rows apart: in fresh rows it would hardly come twice.
    """
    n_distinct = counted.n_distinct
    if n_distinct == counted.n_rows:
        return False
    telling = sum(
        2 * len(column.values) >= n_distinct
        for feature, column in zip(features, counted.columns, strict=True)
        if not feature.has_levels
    )
    return telling > 0 and n_distinct >= (COPIES_FROM if telling == 1 else COPIES_FROM_TWICE)


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


def _equal_rows(source: RowSource) -> NDArray[np.intp]:
    return _in_order_of_appearance(np.concatenate([hash_rows(values) for values, _ in source.blocks()]))


def _in_order_of_appearance(labels: NDArray[np.generic]) -> NDArray[np.intp]:
    """Renumber labels by the first row that has them, so that units do not depend on what their labels are."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _apart(codes: NDArray[np.intp], equal: NDArray[np.intp]) -> int:
    """Count rows with the same inputs as a row of another unit."""
    pairs = np.unique(np.stack([equal, codes]), axis=1)
    n_units = np.bincount(pairs[0])
    return int((n_units[equal] > 1).sum())
