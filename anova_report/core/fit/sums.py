"""Sums over rows of products of columns, group by group, and ridge fits from these sums alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from anova_report.core.arrays import NEGLIGIBLE, Floats, Reals
from anova_report.core.basis.design import Columns
from anova_report.core.fit.row_blocks import FitRows, GroupBlock
from anova_report.core.threads import Scratch, in_order

# Statistic: standard deviations beyond noise of what is no noise, and twice as many where many are asked about
# (`make truth`, `make verdicts`).
SURE = 3.0
VERY_SURE = SURE * 2


@dataclass(frozen=True, eq=False)
class Normal:
    """Averages over some rows: all that a least-squares fit on them needs."""

    gram: Floats  # shape (n_columns, n_columns): averages of the product of two columns
    cross: Floats  # shape (n_columns, n_outputs): averages of the product of a column and a prediction
    squares: Floats  # shape (n_outputs,): averages of squared predictions
    n_rows: float  # sum of their weights

    @property
    def variance(self) -> Floats:
        """Variance of the predictions; the constant is the first column."""
        return np.asarray(self.squares - self.cross[0] ** 2)

    def first(self, size: int) -> "Normal":
        """Keep the leading columns."""
        gram = np.ascontiguousarray(self.gram[:size, :size])  # the rest need not stay in memory
        return Normal(gram, self.cross[:size], self.squares, self.n_rows)

    def chosen(self, positions: NDArray[np.intp]) -> "Normal":
        """Keep some columns, in the order in which they are."""
        return Normal(self.gram[np.ix_(positions, positions)], self.cross[positions], self.squares, self.n_rows)


Products: TypeAlias = list[Reals]  # with columns there were, among new ones, with predictions; squares; rows


class ColumnProducts:
    """Products of the columns from `had` on with all columns and the predictions, by the name of the group.

    Row blocks are multiplied in single precision, twice as fast, and added up in double.
    """

    def __init__(self, columns: Columns, had: int, name_of: Mapping[int, int]) -> None:
        self.by_name: dict[int, Products] = {}
        self._columns, self._had, self._name_of, self._scratch = columns, had, name_of, Scratch()

    def sums(self, block: GroupBlock) -> tuple[int, Products]:
        """Multiply the columns on the rows of one block."""
        columns, had = self._columns, self._had
        design = columns.design(block.functions, out=self._scratch.matrix(columns.size, len(block.predictions)))
        predictions = block.predictions.astype(np.float32)
        if block.weights is not None:  # the root on both sides, so that the product stays symmetric
            root = np.sqrt(block.weights, dtype=np.float32)
            design *= root
            predictions *= root[:, None]
        new = design[had:]
        cross, squares = new @ predictions, block.weighed(block.predictions.T**2).sum(axis=1)
        # numpy makes only one half of new @ new.T
        found = [design[:had] @ new.T, new @ new.T, cross, squares, np.array(block.n_rows)]
        return self._name_of[block.group], found

    def add(self, found: tuple[int, Products]) -> None:
        """Count the rows of one block."""
        name, products = found
        if name not in self.by_name:
            self.by_name[name] = self.nothing(products[2].shape[1])
        for at, each in enumerate(products):
            self.by_name[name][at] += each

    def merge(self, other: "ColumnProducts") -> None:
        """Count other rows as well."""
        for found in other.by_name.items():
            self.add(found)

    def nothing(self, n_outputs: int) -> Products:
        """Make sums of no rows."""
        had, new = self._had, self._columns.size - self._had
        shapes: tuple[tuple[int, ...], ...] = ((had, new), (new, new), (new, n_outputs), (n_outputs,), ())
        return [np.zeros(shape) for shape in shapes]


class GroupSums:
    """Sums of products of columns and predictions over the rows of each group.

    `groups` says which groups of rows are summed under each name, `n_rows` how many rows these are, or the sum of their
    weights.
    """

    def __init__(self, groups: Sequence[int], n_outputs: int) -> None:
        self.groups: dict[int, tuple[int, ...]] = {group: (group,) for group in groups}
        self._gram: dict[int, Floats] = {group: np.zeros((0, 0)) for group in groups}
        self._cross: dict[int, Floats] = {group: np.zeros((0, n_outputs)) for group in groups}
        self._squares: dict[int, Floats] = {group: np.zeros(n_outputs) for group in groups}
        self.n_rows = dict.fromkeys(groups, 0.0)

    def extend(self, rows: FitRows, columns: Columns) -> None:
        """Add the columns that are not in yet, in one pass over the rows."""
        had = len(next(iter(self._gram.values())))
        name_of = {member: name for name, members in self.groups.items() for member in members}
        found = rows.fold(partial(ColumnProducts, columns, had, name_of), list(name_of), "products of columns")

        def extended(name: int) -> Floats:
            with_old, among_new = found.by_name[name][:2]
            if not had:
                return among_new
            gram = np.empty((columns.size, columns.size))
            gram[:had, :had], gram[:had, had:] = self._gram[name], with_old
            gram[had:, :had], gram[had:, had:] = with_old.T, among_new
            return gram

        for name in self.groups.keys() - found.by_name.keys():  # groups without a row
            found.by_name[name] = found.nothing(self._cross[name].shape[1])
        for name, gram in zip(self.groups, in_order(extended, self.groups), strict=True):
            _, _, cross, squares, n_rows = found.by_name[name]
            self._gram[name] = gram
            self._cross[name] = np.concatenate([self._cross[name], cross])
            if not had:
                self._squares[name], self.n_rows[name] = squares, float(n_rows)

    def average(self, groups: Collection[int], size: int | None = None) -> Normal:
        """Average over the rows of some groups, of the leading columns if not of all."""
        gram, cross, squares, n_rows = self._total(groups, size)
        gram /= n_rows
        return Normal(gram, cross / n_rows, squares / n_rows, n_rows)

    def products(self, groups: Collection[int], positions: Sequence[int]) -> Floats:
        """Average the products of some columns with each other over the rows of some groups."""
        at = np.ix_(positions, positions)
        total = np.sum([self._gram[group][at] for group in groups], axis=0)
        return np.asarray(total / sum(self.n_rows[group] for group in groups))

    def _total(self, groups: Collection[int], size: int | None) -> tuple[Floats, Floats, Floats, float]:
        first, *others = groups
        gram = self._gram[first][:size, :size].copy()
        for group in others:
            gram += self._gram[group][:size, :size]
        cross = np.sum([self._cross[group][:size] for group in groups], axis=0)
        squares = np.sum([self._squares[group] for group in groups], axis=0)
        return gram, cross, squares, sum(self.n_rows[group] for group in groups)

    def reorder(self, positions: NDArray[np.intp]) -> None:
        """Order the columns anew, given where each was before."""
        for group, gram in self._gram.items():
            self._gram[group] = gram[positions].take(positions, axis=1)
            self._cross[group] = self._cross[group][positions]

    def merged(self, size: int, parts: Mapping[int, Sequence[int]]) -> "GroupSums":
        """Sum groups under the names in `parts`, with the leading columns only; this object gives up its own sums."""
        merged = GroupSums(list(parts), next(iter(self._squares.values())).size)
        for name, groups in parts.items():
            merged.groups[name] = tuple(member for group in groups for member in self.groups[group])
            total = self._total(groups, size)
            merged._gram[name], merged._cross[name], merged._squares[name], merged.n_rows[name] = total
            for group in groups:
                del self._gram[group]
        return merged


def combined(normals: Sequence[Normal]) -> Normal:
    """Average over the rows of several averages."""
    n_rows = sum(normal.n_rows for normal in normals)
    shares = [normal.n_rows / n_rows for normal in normals]
    gram = shares[0] * normals[0].gram
    for share, normal in zip(shares[1:], normals[1:], strict=True):
        gram += share * normal.gram
    cross, squares = (
        np.sum([share * getattr(normal, name) for share, normal in zip(shares, normals, strict=True)], axis=0)
        for name in ("cross", "squares")
    )
    return Normal(gram, cross, squares, n_rows)


def factor(gram: Floats, ridge: Floats, *, single: bool = False) -> Reals:
    """Upper Cholesky factor of gram + diag(ridge), whose upper triangle is read; what lies below is no part of either.

    In single precision it takes half the time, and its rounding acts like a change of the ridge by some 1e-6.
    """
    jitter = NEGLIGIBLE
    while True:
        matrix = gram.astype(np.float32 if single else np.float64)
        matrix.flat[:: len(matrix) + 1] = np.diag(gram) + ridge + jitter
        # Columns are rows to LAPACK: the lower factor of the transposed matrix takes less time, and is the upper one.
        potrf = lapack.spotrf if single else lapack.dpotrf
        lower, failed_at = potrf(matrix.T, lower=1, clean=0, overwrite_a=1)
        if not failed_at:
            return np.asarray(lower.T)
        if single:
            return factor(gram, ridge)
        jitter *= 100  # dependent columns whose Gram is negative by rounding: rare, and a little more ridge is enough


def solve_factored(upper: Reals, cross: Floats) -> Floats:
    """Solve with the factor, for all outputs at once."""
    return solve_upper(upper, solve_upper(upper, cross, transposed=True))


def solve_upper(upper: Reals, right: Floats, transposed: bool = False) -> Floats:
    """Solve with an upper triangle, by LAPACK itself: small systems are many, and checks cost more than they do."""
    if not len(upper):  # LAPACK refuses a system of no columns, on standard error
        return right
    trtrs = lapack.strtrs if upper.dtype == np.float32 else lapack.dtrtrs
    solved, _ = trtrs(upper.T, right, lower=1, trans=int(not transposed))
    return np.asarray(solved, dtype=np.float64)


def ridge_fit(normal: Normal, ridge: Floats) -> Floats:
    """Fit by penalized least squares, shape (n_columns, n_outputs)."""
    return solve_factored(factor(normal.gram, ridge), normal.cross)


def mean_squared_error(normal: Normal, coefficients: Floats) -> Floats:
    """Mean squared residual, per output, on the rows that were summed, of fits that use their leading columns.

    More outputs than there are predictions are those of one fit after the other.
    """
    size, n_fits = len(coefficients), coefficients.shape[1] // len(normal.squares)
    cross, squares = np.tile(normal.cross[:size], n_fits), np.tile(normal.squares, n_fits)
    squared = (coefficients * (normal.gram[:size, :size] @ coefficients)).sum(axis=0)
    return np.asarray(squares - 2 * (coefficients * cross).sum(axis=0) + squared)
