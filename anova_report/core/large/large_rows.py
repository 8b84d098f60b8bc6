"""Fits of more rows than are read at once: a sample of them chooses, all of them estimate.

Which rows are learned from, tuned on and held out is decided by the place of a row in the table, or by the unit it
belongs to. So a sampled row has the same part in the sample as in the whole, and held-out rows are held out from all.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, Floats, Reals
from anova_report.core.basis.design import Columns
from anova_report.core.basis.marginals import Marginal
from anova_report.core.fit.cell_fits import CellFits
from anova_report.core.fit.cell_table import CellSums
from anova_report.core.fit.fits import Fit, HeldOutFit
from anova_report.core.fit.jackknife_groups import REPLICATES, replicate_slices
from anova_report.core.fit.partition import FIRST, LEARN, SECOND, SHARES, Partition, Round, Units
from anova_report.core.fit.row_blocks import Codebook, GroupBlock, Groups, given_groups
from anova_report.core.fit.sums import GroupSums, Normal
from anova_report.core.large.spans import SpanBlock, Spans, Sums

EVERY_GROUP = (LEARN, FIRST, SECOND)


@dataclass(frozen=True, eq=False)
class Division:
    """Which group and which jackknife group every row of a table belongs to."""

    groups: Groups
    replicates: Groups
    seed: int

    @classmethod
    def of(cls, units: Units) -> "Division":
        """Divide rows by the units that are known."""
        return cls(units.groups(SHARES), units.replicates, units.seed)

    def parts(self, number: int, n_rows: int, hashes: NDArray[np.uint64] | None) -> tuple[NDArray[np.intp], ...]:
        """Find both groups of each row of a block; `hashes` name their units, where these are many."""
        if hashes is None:
            return self.groups(number, n_rows), self.replicates(number, n_rows)
        drawn = _uniform(hashes, self.seed, 1)
        group = np.searchsorted(np.cumsum(SHARES[:-1]), drawn, side="right")
        return group, (_uniform(hashes, self.seed, 2) * REPLICATES).astype(np.intp)


def _uniform(hashes: NDArray[np.uint64], seed: int, use: int) -> Floats:
    """Turn hashes into numbers in [0, 1) that have nothing to do with those of another use."""
    mixed = hashes ^ np.uint64((0x9E3779B97F4A7C15 * (2 * seed + use)) % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # the finaliser of splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)


@dataclass(frozen=True, eq=False)
class SampledUnits(Units):
    """The units of rows that were drawn from a table: they have the part they have in the table."""

    group: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    replicate: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))

    @classmethod
    def drawn(
        cls, partition: Partition, division: Division, places: NDArray[np.int64], n_rows: int, **known: Any
    ) -> "SampledUnits":
        """Find the parts of rows by their places in a table of `n_rows` rows; `known` are hashes and weights."""
        hashes, weights = known["hashes"], known["weights"]
        parts = np.empty((2, len(places)), dtype=np.intp)
        blocks, starts = np.unique(places // BLOCK_ROWS, return_index=True)
        for number, own in zip(blocks.tolist(), np.split(np.arange(len(places)), starts[1:]), strict=True):
            if hashes is not None:
                parts[:, own] = division.parts(number, len(own), hashes[own])
                continue
            size = min(BLOCK_ROWS, n_rows - number * BLOCK_ROWS)
            whole = division.parts(number, size, None)
            parts[:, own] = [part[places[own] - number * BLOCK_ROWS] for part in whole]
        return cls(partition, len(places), division.seed, None, weights, None, *parts)

    def groups(self, shares: Sequence[float]) -> Groups:  # noqa: ARG002 the table has been divided
        """Divide the rows as the table is."""
        return given_groups(self.group)

    def rounds(self, n_rows: float, n_asked: int = 0) -> list[Round]:  # noqa: ARG002 the table has been divided
        """Leave out the two folds of the table, even where few rows weigh much."""
        return [Round(self.groups(SHARES), (FIRST, SECOND))]

    @property
    def replicates(self) -> Groups:
        """Divide the rows as the table is."""
        return given_groups(self.replicate)


@dataclass(eq=False)
class RowTables:
    """What makes group blocks of coded rows: it goes wherever these lie, and functions are tabulated there once."""

    books: Sequence[Codebook]
    marginals: Sequence[Marginal]
    division: Division
    _tables: list[Reals] | None = field(default=None, init=False)

    def split(self, block: SpanBlock, groups: Collection[int]) -> list[GroupBlock]:
        """Divide the rows of a block into groups, sorted by jackknife group."""
        group, replicate = self.division.parts(block.number, len(block), block.units)
        positions = block.number * BLOCK_ROWS + np.arange(len(block)) if block.positions is None else block.positions
        blocks = []
        for g in sorted(groups):
            rows = np.flatnonzero(group == g)
            if not rows.size:
                continue
            rows = rows[np.argsort(replicate[rows], kind="stable")]
            codes = [codes[rows] for codes in block.inputs]
            own = g, codes, block.predictions[rows], self.tables, replicate_slices(replicate[rows]), positions[rows]
            weights = None if block.weights is None else block.weights[rows]
            blocks.append(GroupBlock(*own, weights, len(rows)))
        return blocks

    @property
    def tables(self) -> list[Reals]:
        """The functions of each feature at its codes."""
        if self._tables is None:
            pairs = zip(self.books, self.marginals, strict=True)
            self._tables = [book.tabulate(marginal) for book, marginal in pairs]
        return self._tables

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tables": None}


class GroupedSums:
    """Sums over the rows of some groups, from blocks that hold rows of all."""

    def __init__(self, start: Callable[[], Any], groups: tuple[int, ...], tables: RowTables) -> None:
        self.inner = start()
        self._groups, self._tables = groups, tables

    def sums(self, block: SpanBlock) -> list[Any]:
        """Sum over the rows of one block, group by group."""
        return [self.inner.sums(part) for part in self._tables.split(block, self._groups)]

    def add(self, found: Iterable[Any]) -> None:
        """Count the rows of one block."""
        for part in found:
            self.inner.add(part)

    def merge(self, other: "GroupedSums") -> None:
        """Count other rows as well."""
        self.inner.merge(other.inner)

    def __getstate__(self) -> dict[str, Any]:
        return {"inner": self.inner, "_groups": self._groups, "_tables": None}


@dataclass(frozen=True, eq=False)
class LargeRows:
    """The rows of a fit that lie in spans, by group, with the functions of every feature."""

    spans: Spans
    tables: RowTables
    center: Floats
    spread: Floats

    @property
    def marginals(self) -> Sequence[Marginal]:
        """The functions of every feature."""
        return self.tables.marginals

    @property
    def books(self) -> Sequence[Codebook]:
        """What the codes of each feature stand for."""
        return self.tables.books

    def of(self, marginals: Sequence[Marginal]) -> "LargeRows":
        """Look at the same rows through functions of another family."""
        known = self.marginals is marginals
        return self if known else replace(self, tables=replace(self.tables, marginals=marginals))

    def fold(self, start: Callable[[], Sums], groups: Collection[int], name: str) -> Sums:
        """Sum over the rows of some groups, span by span."""
        found = self.spans.fold(partial(GroupedSums, start, tuple(groups)), self.tables, name)
        return found.inner  # type: ignore[no-any-return]

    def together(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Do one piece of work after the other: each pass takes all cores, and shows its progress."""
        return [work() for work in works]


def estimate(
    rows: LargeRows, fit: Fit, held_out: Sequence[HeldOutFit], cells: Columns | None
) -> tuple[Fit, list[HeldOutFit]]:
    """Fit again on all rows, with the columns and penalties that a sample of them has chosen."""
    known = [fit, *(item.fit for item in held_out)]
    left_out = [None, *(item.group for item in held_out)]
    again: dict[int, Fit] = {}
    for together in sharing_sums(known):
        first = known[together[0]]
        own = rows.of(first.rows.marginals)
        if first.solution is not None and cells is not None:
            solved = CellFits(CellSums(cells, own, EVERY_GROUP), own, EVERY_GROUP, (FIRST, SECOND))
            again |= {at: solved.fit(left_out[at]) for at in together}
            continue
        groups = {at: tuple(group for group in EVERY_GROUP if group != left_out[at]) for at in together}
        sums = GroupSums(sorted(set().union(*groups.values())), len(rows.spread))
        sums.extend(own, first.columns)
        again |= {at: _refitted(known[at], own, groups[at], sums) for at in together}
    n_rows = again[0].normal.n_rows
    outside = [
        HeldOutFit(again[at], item.group, n_rows - again[at].normal.n_rows) for at, item in enumerate(held_out, start=1)
    ]
    return again[0], outside


def sharing_sums(fits: Sequence[Fit]) -> list[list[int]]:
    """Put fits together whose columns are the leading columns of the first, or that solve the same table of cells.

    Every fit has chosen its family and its columns by other rows, so that held-out fits may differ from the fit.
    """
    found: list[list[int]] = []
    for at in sorted(range(len(fits)), key=lambda at: -fits[at].columns.size):
        together = next((each for each in found if _shares_sums(fits[at], fits[each[0]])), None)
        if together is None:
            found.append([at])
        else:
            together.append(at)
    return found


def _shares_sums(fit: Fit, largest: Fit) -> bool:
    if fit.rows.marginals is not largest.rows.marginals or (fit.solution is None) != (largest.solution is None):
        return False
    blocks = fit.columns.blocks
    return fit.solution is not None or blocks == largest.columns.blocks[: len(blocks)]


def _refitted(known: Fit, rows: LargeRows, groups: tuple[int, ...], sums: GroupSums) -> Fit:
    """Fit all rows of some groups with the columns and penalties of a fit of some of them."""
    normal: Normal = sums.average(groups, known.columns.size)
    # The penalty is per row: with more rows the same prior weighs less.
    ratio = normal.n_rows / known.normal.n_rows
    asked = None if known.asked is None else replace(known.asked, n_rows=known.asked.n_rows * ratio)
    anchor = None if known.anchor is None else known.anchor / ratio
    again = replace(known, normal=normal, asked=asked, ridge=known.ridge / ratio, anchor=anchor)
    return replace(again, rows=rows, groups=groups)
