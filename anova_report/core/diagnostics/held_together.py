"""Whether rows that may belong together flatter the fit: it is solved once more without whole sets of them.

Columns and penalties stay, and sums over all rows are known: the sums over rows that are held out are all it takes, as
those of the others follow by subtraction. What is left of the rows of a set, by a fit of all others, is compared with
what is left of rows that were held out one by one in the same way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from anova_report.core.arrays import Floats, Reals
from anova_report.core.basis.design import Columns
from anova_report.core.basis.tally import hash_rows
from anova_report.core.diagnostics.functional_dependence import Recurring
from anova_report.core.fit.fits import Fit
from anova_report.core.fit.partition import FOLDS, TWO_ROUNDS, HeldTogether, Partition
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.sums import Normal, factor, solve_factored
from anova_report.core.input.units import TIME_BLOCKS

MOST_SETS = 100_000  # that are counted: a budget of memory
# Sets, and as many folds as they lie in, are held out of more rows than afford two rounds: enough to stand for the
# others; a budget of time (`make bench`).
HELD_OUT = 100
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


class SetNumbers:
    """The numbers of all sets."""

    def __init__(self, sets_of: SetsOf) -> None:
        self.found: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._sets_of = sets_of

    def sums(self, block: GroupBlock) -> NDArray[np.uint64]:
        """Find the sets of the rows of one block."""
        return np.unique(self._sets_of(block))

    def add(self, found: NDArray[np.uint64]) -> None:
        """Count the sets of one block."""
        self.found = np.union1d(self.found, found)[:MOST_SETS]

    def merge(self, other: "SetNumbers") -> None:
        """Count the sets of other rows as well."""
        self.add(other.found)


class FoldProducts:
    """Sums of products of columns and predictions over the rows of each fold; sets of rows lie in one fold.

    Of every Gram matrix, in single precision, there is the upper triangle only: more is not needed.
    """

    def __init__(self, columns: Columns, sets_of: SetsOf, n_held_out: int) -> None:
        self._columns, self._sets_of, self._n_held_out = columns, sets_of, n_held_out
        self._summed: dict[int, Normal] = {}

    def sums(self, block: GroupBlock) -> dict[int, tuple[Reals, Floats]]:
        """Evaluate the columns on the rows of one block that are held out, fold by fold."""
        folds = (self._sets_of(block) % np.uint64(FOLDS)).astype(np.intp)
        order = np.argsort(folds, kind="stable")
        ends = np.searchsorted(folds[order], np.arange(self._n_held_out + 1))
        held_out = block.chosen(order[: ends[-1]])
        design = np.empty((self._columns.size, len(held_out.predictions)), dtype=np.float32)
        self._columns.design(held_out.functions, out=design)
        predictions = held_out.predictions
        if held_out.weights is not None:
            root = np.sqrt(held_out.weights)
            design *= root.astype(np.float32)
            predictions = predictions * root[:, None]
        parts = {fold: slice(*own) for fold, own in enumerate(pairwise(ends.tolist()))}
        return {fold: (design[:, own], predictions[own]) for fold, own in parts.items() if own.start < own.stop}

    def add(self, found: dict[int, tuple[Reals, Floats]]) -> None:
        """Count the rows of one block."""
        for fold, (design, predictions) in found.items():
            known = self._summed.get(fold)
            # Columns are rows to BLAS, and lower is upper; it adds the products to those that are there.
            onto = {} if known is None else {"c": known.gram.T, "beta": 1.0, "overwrite_c": 1}
            gram = blas.ssyrk(1.0, design.T, trans=1, lower=1, **onto).T
            n_rows = float((design[0].astype(float) ** 2).sum())  # the constant is the root of the weights
            cross = design @ predictions.astype(np.float32)
            own = Normal(gram, cross, (predictions**2).sum(axis=0), n_rows)
            self._summed[fold] = own if known is None else _added(known, own)

    def merge(self, other: "FoldProducts") -> None:
        """Count other rows as well."""
        for fold, own in other._summed.items():
            known = self._summed.get(fold)
            self._summed[fold] = own if known is None else _added(known, replace(own, gram=known.gram + own.gram))

    def folds(self) -> list[Normal]:
        """Return the sums of each fold that has any rows."""
        return [own for _, own in sorted(self._summed.items()) if own.n_rows]


def _added(known: Normal, own: Normal) -> Normal:
    return Normal(own.gram, known.cross + own.cross, known.squares + own.squares, known.n_rows + own.n_rows)


def with_sets(
    partition: Partition, fit: Fit, n_rows: int, serial: float | None, recurring: Recurring | None
) -> Partition:
    """Hold out sets of rows that may belong together, where the user named none."""
    if partition.unit not in ("row", "equal rows"):
        return partition
    follow = (serial or 0.0) > IN_ORDER
    blocks = held_together(fit, ConsecutiveRows(n_rows), n_rows) if follow else None
    shared = None if recurring is None else held_together(fit, SharedValues(recurring.features), n_rows)
    return replace(partition, serial=serial, blocks=blocks, recurring=shared)


def held_together(fit: Fit, sets_of: ConsecutiveRows | SharedValues, n_rows: int) -> HeldTogether | None:
    """Solve a fit of the rows of the data without sets of them; tables of cells that are solved exactly are not."""
    if fit.solution is not None:
        return None
    n_sets = len(fit.rows.fold(partial(SetNumbers, sets_of), fit.groups, "sets of rows").found)
    together, alone = (
        _left(fit, own, FOLDS if n_rows <= TWO_ROUNDS else min(ceil(FOLDS * HELD_OUT / n_own), FOLDS))
        for own, n_own in ((sets_of, n_sets), (single_rows, n_rows))
    )
    features = sets_of.features if isinstance(sets_of, SharedValues) else ()
    return HeldTogether(n_sets, tuple(together.tolist()), tuple(alone.tolist()), features)


def _left(fit: Fit, sets_of: SetsOf, n_held_out: int) -> Floats:
    """Share of the variance that fits leave of folds they have not seen."""
    whole = fit.normal
    n_summed = min(n_held_out, FOLDS - 1)
    folds = fit.rows.fold(partial(FoldProducts, fit.columns, sets_of, n_summed), fit.groups, "rows held out").folds()
    folds = [*folds, _rest(whole, folds)] if n_held_out == FOLDS else folds
    folds = [own for own in folds if own.n_rows < whole.n_rows]
    errors = np.sum([np.zeros_like(whole.squares), *(_squares_without(fit, own) for own in folds)], axis=0)
    variance = np.maximum(whole.variance, np.finfo(float).tiny) * max(sum(own.n_rows for own in folds), 1.0)
    return np.asarray(np.maximum(errors, 0.0) / variance)  # of what is reproduced exactly, rounding is left


def _rest(whole: Normal, folds: Sequence[Normal]) -> Normal:
    """Sum over the rows that are in none of some folds."""
    gram = whole.gram * whole.n_rows
    for own in folds:
        gram -= own.gram
    cross, squares = (
        getattr(whole, name) * whole.n_rows - sum(getattr(own, name) for own in folds) for name in ("cross", "squares")
    )
    return Normal(gram, cross, squares, whole.n_rows - sum(own.n_rows for own in folds))


def _squares_without(fit: Fit, fold: Normal) -> Floats:
    """Sum of squared residuals on the rows of a fold, per output, of a fit of all others."""
    whole, n_rows = fit.normal, fit.normal.n_rows - fold.n_rows
    gram = whole.gram * (whole.n_rows / n_rows)
    gram -= fold.gram * np.float32(1 / n_rows)  # of which the factor reads the upper triangle alone
    # The penalty is that of all rows the fit has learned from, recombined ones included.
    ridge = fit.ridge * (fit.system.n_rows / n_rows)
    cross = (whole.cross * whole.n_rows - fold.cross) / n_rows
    coefficients = solve_factored(factor(gram, ridge), cross)
    # Squares of the fit on all rows, less those on the others, which its normal equations give: (G + R) b = c.
    squared = whole.n_rows * (coefficients * (whole.gram @ coefficients)).sum(axis=0)
    squared -= n_rows * (coefficients * (cross - ridge[:, None] * coefficients)).sum(axis=0)
    return np.asarray(fold.squares - 2 * (coefficients * fold.cross).sum(axis=0) + squared)
