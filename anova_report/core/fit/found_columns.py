"""Columns while they are selected, and what a search has found: how many of them, in which order, are worth trying."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.design import ColumnBlock, Columns
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.sums import GroupSums

# Statistics (`make bench`, `make truth`).
# Shares of the predictions' variance: blocks that are expected to explain less may be left out, from all interactions
# to none; triples likewise, beside all pairs.
GAINS = (np.inf, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0)
TRIPLE_GAINS = (0.1, 0.01, 0.001, 0.0001, 0.0)
NO_EVIDENCE = -np.inf  # what low-order tensor products are expected to explain: less than all others


@dataclass(frozen=True, eq=False)
class CompleteColumns(Columns):
    """Columns that get no low-order tensor products: they have some, or leave less than these would have to explain."""


@dataclass(frozen=True, eq=False)
class FoundColumns:
    """Columns with their sums in every group."""

    # Main effects first, then pairs in the order of the variance they are expected to explain, then smooth products
    # of pairs that nothing speaks for, then triples.
    columns: Columns
    sums: GroupSums
    max_order: int = 2

    @property
    def sizes(self) -> list[int]:
        """Leading numbers of columns worth trying: pairs expected to explain at least as much as each of `GAINS`.

        Where triples are allowed, then all that comes before them, and triples likewise by `TRIPLE_GAINS`: always so
        many sizes, so that one search can be compared with another. With low-order tensor products after these, all
        columns come last.
        """
        ends = list(zip(self.columns.blocks, self.columns.starts[1:], strict=True))
        pairs = [(block.gain, end) for block, end in ends if len(block.term) < 3]
        sizes = [max((end for gain, end in pairs if gain >= least), default=1) for least in GAINS]
        if self.max_order > 2:
            most = self.n_called_for if self.has_low_order else self.columns.size
            triples = [(block.gain, end) for block, end in ends if len(block.term) > 2]
            before = most - sum(len(block.functions) for block in self.columns.blocks if len(block.term) > 2)
            sizes.append(before)
            sizes += [max((end for gain, end in triples if gain >= least), default=before) for least in TRIPLE_GAINS]
        return [*sizes, self.columns.size] if self.has_low_order else sizes

    @property
    def all_sizes(self) -> list[int]:
        """The same, with an entry for low-order tensor products whether there are any or not."""
        return self.sizes if self.has_low_order else [*self.sizes, self.sizes[-1]]

    @property
    def has_low_order(self) -> bool:
        """Whether blocks that nothing speaks for were added last, after a search that ended without them."""
        complete = isinstance(self.columns, CompleteColumns) or not self.columns.blocks
        return not complete and self.columns.blocks[-1].gain == NO_EVIDENCE

    @property
    def n_called_for(self) -> int:
        """Number of columns up to the last one that something speaks for."""
        ends = zip(self.columns.blocks, self.columns.starts[1:], strict=True)
        return max((end for block, end in ends if block.gain != NO_EVIDENCE), default=1)

    def extended(self, rows: GroupedRows, blocks: Sequence[ColumnBlock]) -> "FoundColumns":
        """Add column blocks after all others."""
        selection = Selection(rows, self.sums, (), self.columns)
        selection.add(blocks)
        return replace(self, columns=selection.columns) if blocks else self


@dataclass(eq=False)
class Selection:
    """Columns that were selected so far, and their sums."""

    rows: GroupedRows
    sums: GroupSums  # of all groups
    learn: Collection[int]  # groups that may be looked at
    columns: Columns
    # Of these columns, once they were fitted: coefficients, what is left of each output, and its variance.
    fitted: tuple[Floats, Floats, Floats] | None = field(default=None, init=False)

    def add(self, blocks: Sequence[ColumnBlock]) -> None:
        """Add column blocks after all others."""
        if blocks:
            self.columns, self.fitted = self.columns.with_blocks(blocks), None
            self.sums.extend(self.rows, self.columns)

    def order(self, columns: Columns, positions: NDArray[np.intp]) -> None:
        """Order the columns anew, given where each was before."""
        self.columns, self.fitted = columns, None
        self.sums.reorder(positions)

    @property
    def n_rows(self) -> float:
        """How many rows may be looked at."""
        return sum(self.sums.n_rows[group] for group in self.learn)

    @property
    def members(self) -> list[int]:
        """Groups of rows that are summed under the names in `learn`."""
        return [member for group in self.learn for member in self.sums.groups[group]]
