"""Whether rows that may belong together flatter the fit: it is solved once more without whole sets of them.

Columns and penalties stay, so that one pass over the rows is all it takes. What is left of the rows of a set, by a fit
of all others, is compared with what is left of rows that were held out one by one in the same way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.design import Columns
from anova_report.core.basis.tally import hash_rows
from anova_report.core.diagnostics.functional_dependence import Recurring
from anova_report.core.fit.fits import Fit
from anova_report.core.fit.partition import FOLDS, HeldTogether, Partition
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.sums import Normal, combined, mean_squared_error, ridge_fit
from anova_report.core.input.units import TIME_BLOCKS
from anova_report.core.threads import Scratch

MOST_SETS = 100_000  # that are counted: a budget of memory
IN_ORDER = 0.5  # correlation with the next row from which on rows may follow each other; no finding asks below

SetsOf: TypeAlias = Callable[[GroupBlock], NDArray[np.uint64]]  # from rows to the number of the set of each


@dataclass(frozen=True)
class SharedValues:
    """Sets of rows that share the values of some features."""

    features: tuple[int, ...]

    def __call__(self, block: GroupBlock) -> NDArray[np.uint64]:
        """Return a number for the set of each row of a block."""
        return hash_rows(np.column_stack([block.codes[j] for j in self.features]).astype(np.float64))


@dataclass(frozen=True)
class ConsecutiveRows:
    """Blocks of consecutive rows, as many as blocks of time."""

    n_rows: int

    def __call__(self, block: GroupBlock) -> NDArray[np.uint64]:
        """Return the number of the block of each row."""
        return (block.positions * TIME_BLOCKS // self.n_rows).astype(np.uint64)


def single_rows(block: GroupBlock) -> NDArray[np.uint64]:
    """Take every row for a set, in an order that has nothing to do with that of the table."""
    return hash_rows(block.positions[:, None].astype(np.float64))


class FoldProducts:
    """Products of columns and predictions over the rows of each fold; sets of rows lie in one fold."""

    def __init__(self, columns: Columns, sets_of: SetsOf) -> None:
        self.normals: dict[int, Normal] = {}
        self.sets: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._columns, self._sets_of, self._scratch = columns, sets_of, Scratch()

    def sums(self, block: GroupBlock) -> tuple[dict[int, Normal], NDArray[np.uint64]]:
        """Multiply the columns on the rows of one block, fold by fold."""
        sets = self._sets_of(block)
        folds = (sets % np.uint64(FOLDS)).astype(np.intp)
        shape = self._columns.size, len(block.predictions)
        design = self._columns.design(block.functions, out=self._scratch.matrix(*shape))
        weights = np.ones(shape[1]) if block.weights is None else block.weights
        found = {}
        for fold in np.unique(folds).tolist():
            own = folds == fold
            root = np.sqrt(weights[own], dtype=np.float32)
            columns, predictions = design[:, own] * root, block.predictions[own] * root[:, None]
            gram, cross = columns @ columns.T, columns @ predictions
            found[fold] = Normal(gram, cross, (predictions**2).sum(axis=0), float(weights[own].sum()))
        return found, np.unique(sets)

    def add(self, found: tuple[dict[int, Normal], NDArray[np.uint64]]) -> None:
        """Count the rows of one block."""
        for fold, own in found[0].items():
            known = self.normals.get(fold)
            self.normals[fold] = (
                own
                if known is None
                else Normal(
                    known.gram + own.gram,
                    known.cross + own.cross,
                    known.squares + own.squares,
                    known.n_rows + own.n_rows,
                )
            )
        self.sets = np.union1d(self.sets, found[1])[:MOST_SETS]

    def merge(self, other: "FoldProducts") -> None:
        """Count other rows as well."""
        self.add((other.normals, other.sets))


def with_sets(
    partition: Partition, fit: Fit, n_rows: int, serial: float | None, recurring: Recurring | None
) -> Partition:
    """Hold out sets of rows that may belong together, where the user named none."""
    if partition.unit not in ("row", "equal rows"):
        return partition
    blocks = held_together(fit, ConsecutiveRows(n_rows)) if (serial or 0.0) > IN_ORDER else None
    shared = None if recurring is None else held_together(fit, SharedValues(recurring.features), recurring.features)
    return replace(partition, serial=serial, blocks=blocks, recurring=shared)


def held_together(fit: Fit, sets_of: SetsOf, features: Sequence[int] = ()) -> HeldTogether | None:
    """Solve a fit of the rows of the data without sets of them; tables of cells that are solved exactly are not."""
    if fit.solution is not None:
        return None
    left, n_sets = _left(fit, sets_of)
    alone, _ = _left(fit, single_rows)
    return HeldTogether(n_sets, tuple(left.tolist()), tuple(alone.tolist()), tuple(features))


def _left(fit: Fit, sets_of: SetsOf) -> tuple[Floats, int]:
    """Share of the variance that fits without a fold leave of it, and the number of sets."""
    found = fit.rows.fold(partial(FoldProducts, fit.columns, sets_of), fit.groups, "sets of rows")
    folds = [
        Normal(own.gram / own.n_rows, own.cross / own.n_rows, own.squares / own.n_rows, own.n_rows)
        for _, own in sorted(found.normals.items())
    ]
    whole = combined(folds)
    errors = np.zeros_like(whole.squares)
    for at, own in enumerate(folds if len(folds) > 1 else ()):
        others = combined([*folds[:at], *folds[at + 1 :]])
        # The penalty is that of all rows the fit has learnt from, recombined ones included.
        coefficients = ridge_fit(others, fit.ridge * fit.system.n_rows / others.n_rows)
        errors += own.n_rows * mean_squared_error(own, coefficients)
    errors = np.maximum(errors, 0.0)  # of what is reproduced exactly, rounding is left
    return np.asarray(errors / whole.n_rows / np.maximum(whole.variance, np.finfo(float).tiny)), len(found.sets)
