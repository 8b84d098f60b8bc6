"""Which values of two features occur together in the rows of a fit: cells of the plane of each pair that hold none.

Components can be evaluated anywhere, and margins say nothing about combinations. Cells of about equal frequency, with
their neighbors, are as much as a few hundred rows can tell; all that is kept of them is one bit each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import LOOKED_AT_ROWS, EvenRows, Floats, read_only
from anova_report.core.basis.marginals import Marginal, NominalMarginal
from anova_report.core.fit.row_blocks import RowSource
from anova_report.core.large.spans import SpanBlock
from anova_report.core.result.expansion import Component
from anova_report.core.result.terms import Term

# Budgets of time and of room in a file.
MOST_FEATURES = 30  # those with the largest effects are looked at: the work grows with the square of their number
MOST_PAIRS = 200  # pairs of the fit first, then those that say most: what a file and a page have room for

# Statistics: which cells are called empty (`make verdicts`).
MOST_CELLS = 20  # along an ordered feature; of fewer than 8,000 rows as many as their cube root, as in a histogram
NEIGHBORS_FROM = 5  # values: of fewer, each is a case of its own, as levels are
MOST_LEVELS = 24  # further levels, the rarest, share a cell: alone they would hold too few rows to be judged
# A cell is only judged if independent features would put so many rows into it and its neighbors: where fewer would
# be there, none may be chance. Without neighbors more are needed.
EXPECTED, EXPECTED_ALONE = 20, 50


@dataclass(frozen=True, eq=False)
class UnseenCells:
    """The cells of two features in and around which no row of the fit lies, although many would by their margins."""

    term: Term
    cells: NDArray[np.bool_]  # shape (n_first, n_second)

    def __post_init__(self) -> None:
        read_only(self.cells)

    def to_document(self) -> dict[str, Any]:
        """Write the cells as bits in hexadecimal digits."""
        return {"term": self.term, "shape": self.cells.shape, "cells": np.packbits(self.cells).tobytes().hex()}

    @classmethod
    def from_document(cls, item: dict[str, Any]) -> Self:
        """Read what `to_document` wrote."""
        first, second = item["shape"]
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(item["cells"]), dtype=np.uint8), count=first * second)
        return cls(tuple(item["term"]), bits.astype(bool).reshape(first, second))


@dataclass(frozen=True, eq=False)
class JointSupport:
    """What the rows of a fit leave empty in the planes of two features."""

    n_rows: int  # rows of the fit
    n_cells: int  # along an ordered feature, at most
    pairs: tuple[UnseenCells, ...]  # only pairs with such cells; the most telling ones first
    chance: float  # share of fresh rows, of the same law, that lie in such a cell of some pair (Good-Turing)

    def unseen(self, marginals: Sequence[Marginal], values: Floats) -> NDArray[np.bool_]:
        """Tell, for encoded rows and every pair, which combine values the fit has not seen, (n_rows, n_pairs)."""
        features = {feature for pair in self.pairs for feature in pair.term}
        axes = {feature: CellAxis(marginals[feature], self.n_cells) for feature in features}
        cells = {feature: axis.cells(values[:, feature]) for feature, axis in axes.items()}
        found = np.zeros((len(values), len(self.pairs)), dtype=bool)
        for at, pair in enumerate(self.pairs):
            found[:, at] = pair.cells[cells[pair.term[0]], cells[pair.term[1]]]
        return found


@dataclass(frozen=True, eq=False)
class CellAxis:
    """The cells along one feature: of equal frequency, or its values; then missing, then what the fit knows nothing of.

    The last cell takes levels the fit has not seen, and missing values where it saw none: that is off the margin
    already, and no pair is asked about it.
    """

    marginal: Marginal
    n_cells: int

    @cached_property
    def edges(self) -> Floats:
        """The first value of every cell of an ordered feature but the first."""
        if isinstance(self.marginal, NominalMarginal):
            return np.zeros(0)
        knots, ranks = self.marginal.knots, self.marginal.ranks
        if len(knots) > self.n_cells:
            steps = np.arange(1, self.n_cells) / self.n_cells
            knots = np.unique(knots[np.searchsorted(ranks, steps).clip(max=len(knots) - 1)])
        return np.asarray(knots[knots > self.marginal.knots[0]])

    @property
    def n_known(self) -> int:
        """How many cells are neither missing nor unknown."""
        if isinstance(self.marginal, NominalMarginal):
            return min(int(self.marginal.cells.max()) + 1, MOST_LEVELS)
        return len(self.edges) + 1

    def cells(self, column: Floats) -> NDArray[np.intp]:
        """Find the cell of each value."""
        absent, known = np.isnan(column), self.n_known
        if isinstance(self.marginal, NominalMarginal):
            found = np.where(absent, 0, self.marginal.cell_of(column))
            found = np.where(found == self.marginal.table.shape[1], known + 1, found.clip(max=known - 1))
            some_missing = self.marginal.missing_cell >= 0
        else:
            found = np.searchsorted(self.edges, column, side="right")
            some_missing = self.marginal.missing > 0
        return np.where(absent, known if some_missing else known + 1, found)

    @property
    def has_neighbors(self) -> bool:
        """Whether cells next to each other stand for similar values."""
        return not isinstance(self.marginal, NominalMarginal) and self.n_known >= NEIGHBORS_FROM

    def neighbors(self, width: int) -> NDArray[np.int64]:
        """Return a matrix of 0 and 1 of which row holds a cell and its neighbors, padded to some width."""
        near = np.eye(width, dtype=np.int64)
        if self.has_neighbors:
            at = np.arange(self.n_known - 1)
            near[at, at + 1] = near[at + 1, at] = 1
        return near


def joint_support(
    source: RowSource, n_rows: int, marginals: Sequence[Marginal], components: Sequence[Component]
) -> JointSupport:
    """Read the rows once more, and keep which cells of which pairs they leave empty."""
    axes = cell_axes(n_rows, marginals, components)
    counted, looked_at = PairCells(list(axes.values())), EvenRows(LOOKED_AT_ROWS)
    for values, _ in source.blocks():
        cells = np.stack([axis.cells(values[:, feature]) for feature, axis in axes.items()])
        looked_at.add(cells.T.astype(np.uint8))
        counted.add(counted.count(cells))
    return unseen_pairs(counted, list(axes), looked_at.rows().T, components)


def cell_axes(n_rows: int, marginals: Sequence[Marginal], components: Sequence[Component]) -> dict[int, CellAxis]:
    """Choose the features whose pairs are looked at, by the size of their effects, and the cells of each."""
    n_cells = min(round(n_rows ** (1 / 3)), MOST_CELLS)
    sizes = np.zeros(len(marginals))
    for component in components:
        sizes[list(component.term)] += (component.coefficients**2).sum()
    largest = sorted(np.argsort(-sizes, kind="stable")[:MOST_FEATURES].tolist())
    return {feature: CellAxis(marginals[feature], n_cells) for feature in largest}


def unseen_pairs(
    counted: "PairCells", features: Sequence[int], looked_at: NDArray[np.uint8], components: Sequence[Component]
) -> JointSupport:
    """List the pairs with cells in which rows are to be expected and none lies; `looked_at` are cells of some rows."""
    n_rows, n_cells = counted.n_rows, counted.axes[0].n_cells
    if len(features) == 1:
        return JointSupport(n_rows, n_cells, (), 0.0)
    around, judged = counted.around(), counted.judged()
    unseen = (around == 0) & judged
    # How many rows would be judged if features were independent is what a pair is worth.
    worth = (unseen * counted.expected(counted.margins)).sum(axis=(1, 2))
    pairs, terms = list(combinations(features, 2)), {component.term for component in components}
    ranked = sorted(np.flatnonzero(worth).tolist(), key=lambda at: (pairs[at] not in terms, -worth[at]))[:MOST_PAIRS]
    # Without it, a row that lies alone would be one in unseen cells: their share is that of fresh rows.
    chance = counted.share_in((around == 1) & judged, ranked, looked_at)
    return JointSupport(n_rows, n_cells, tuple(UnseenCells(pairs[at], unseen[at]) for at in ranked), chance)


class PairCells:
    """Rows counted in the cells of all pairs of axes, in the order of `combinations`."""

    def __init__(
        self, axes: Sequence[CellAxis], of_codes: Sequence[NDArray[np.intp]] = (), at: Sequence[int] = ()
    ) -> None:
        width = max(axis.n_known for axis in axes) + 2
        n_pairs = len(axes) * (len(axes) - 1) // 2
        self.axes = axes
        self.margins = np.zeros((len(axes), width), np.int64)  # as wide as the longest axis
        self.counts = np.zeros((n_pairs, width, width), np.int64)
        self._of_codes, self._at = of_codes, at

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self.margins[0].sum())

    def sums(self, block: SpanBlock) -> "PairCells":
        """Count the rows of a block of codes, of which the cells are known."""
        found = [table[block.inputs[feature]] for table, feature in zip(self._of_codes, self._at, strict=True)]
        return self.count(np.stack(found))

    def count(self, cells: NDArray[np.intp]) -> "PairCells":
        """Count some rows by their cells, shape (n_axes, n_rows)."""
        result = PairCells(self.axes)
        start, (n_axes, width) = 0, self.margins.shape
        for first, own in enumerate(cells):
            result.margins[first] = np.bincount(own, minlength=width)
            n_others = n_axes - 1 - first
            at = cells[first + 1 :] + own * width + np.arange(n_others)[:, None] * width**2
            found = np.bincount(at.ravel(), minlength=n_others * width**2)
            result.counts[start : start + n_others] = found.reshape(n_others, width, width)
            start += n_others
        return result

    def merge(self, other: "PairCells") -> None:
        """Count other rows as well."""
        self.margins += other.margins
        self.counts += other.counts

    add = merge  # what `sums` finds are counts of one block

    @cached_property
    def _sides(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(len(self.axes), 1)

    @cached_property
    def _near(self) -> NDArray[np.int64]:
        return np.stack([axis.neighbors(self.margins.shape[1]) for axis in self.axes])

    def around(self) -> NDArray[np.int64]:
        """Count the rows in each cell and its neighbors, shape (n_pairs, width, width)."""
        first, second = self._sides
        return self._near[first] @ self.counts @ self._near[second]

    def expected(self, margins: NDArray[np.int64]) -> Floats:
        """Return how many rows independent features with these margins would put into each cell."""
        first, second = self._sides
        return np.asarray(margins[first][:, :, None] * (margins[second] / self.n_rows)[:, None, :])

    def judged(self) -> NDArray[np.bool_]:
        """Tell in which cells, with their neighbors, rows are to be expected."""
        expected = self.expected(np.einsum("aij,aj->ai", self._near, self.margins))
        first, second = (np.array([axis.has_neighbors for axis in self.axes])[side] for side in self._sides)
        return expected >= np.where(first | second, EXPECTED, EXPECTED_ALONE)[:, None, None]

    def share_in(self, marked: NDArray[np.bool_], pairs: Sequence[int], cells: NDArray[np.uint8]) -> float:
        """Return the share of rows, of which these are the cells, in marked cells of at least one of some pairs."""
        first, second = self._sides
        found = np.zeros(cells.shape[1], dtype=bool)
        for at in pairs:
            if marked[at].any():
                found |= marked[at][cells[first[at]], cells[second[at]]]
        return float(found.mean())
