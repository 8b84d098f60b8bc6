"""Few-valued features: all products of their functions, without a penalty, solve the table of cells exactly.

The functions of x_S are V_S, those orthogonal to every function of fewer of its features, plus the V_T of the subterms.
So the V_S together span every function of the table, whatever the dependence and whichever cells are empty. They are
independent of each other where the products that are not constant zero are; then components are unique. Otherwise (one
feature tells another, say) the same function has several decompositions, of which the one of least Σ E[ν_S²] is taken:
it treats all features alike.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.design import ColumnBlock, Columns
from anova_report.core.fit.families import Marginal
from anova_report.core.fit.purification import NULL, Subterms, project_exactly, symmetric
from anova_report.core.fit.row_blocks import GroupedRows, Tally, ValueCounts, hash_rows
from anova_report.core.fit.sums import Normal
from anova_report.core.terms import Term, terms_up_to

MOST_COLUMNS = 600  # the solution costs some hundred milliseconds
ROWS_PER_COLUMN = 5
MOST_WORK = 1e10  # products of columns in a Gram over all cells: a second or so
FEWEST_ROWS = 10  # a cell with fewer rows is fitted as if its noise were an effect
NOTHING = 1e-10  # share of the answers' variance: what is left of a function of the cells is rounding
ABSENT = 1e-14  # share of the answers' variance below which a component is rounding: single precision squared


@dataclass(frozen=True, eq=False)
class CellSpace:
    """All functions of few-valued features up to an order, as products of the functions of each."""

    columns: Columns
    marginals: Sequence[Marginal]
    values: Sequence[ValueCounts]

    def fewest_rows(self, normal: Normal) -> float:
        """Count the rows of the rarest cell of any term of the highest order; combinations that never occur aside.

        The law of a cell is the product of its features' own laws times Σ E[B] B over the products of its term, so the
        averages of the columns over all rows, which are in the Gram, tell it.
        """
        highest = max(map(len, self.columns.positions))
        return min(self._fewest(term, normal) for term in self.columns.positions if len(term) == highest)

    def _fewest(self, term: Term, normal: Normal) -> float:
        tables = [self._tables[feature] for feature in term]
        ratio = np.zeros([len(table) for table, _ in tables])
        ratio.flat[0] = 1.0
        for order in range(1, len(term) + 1):
            for subterm in combinations(term, order):
                own = tuple(slice(1, None) if feature in subterm else 0 for feature in term)
                ratio[own] = normal.gram[0, self.columns.positions[subterm]].reshape(ratio[own].shape)
        for table, _ in tables:
            ratio = np.tensordot(ratio, table, axes=(0, 0))
        n_rows = normal.n_rows * ratio * reduce(np.multiply.outer, [law for _, law in tables])
        return float(n_rows[n_rows > 0.5].min())

    @cached_property
    def _tables(self) -> list[tuple[Floats, Floats]]:
        """The functions of each feature at its values, the constant first, and its law."""
        found = []
        for marginal, known in zip(self.marginals, self.values, strict=True):
            values, counts = known.values, known.counts
            if known.n_missing:
                values, counts = np.append(values, np.nan), np.append(counts, known.n_missing)
            functions = marginal.evaluate(values)
            found.append((np.vstack([np.ones(len(values)), functions]), counts / counts.sum()))
        return found


def cell_space(marginals: Sequence[Marginal], counted: Tally, max_order: int) -> CellSpace | None:
    """List all products of functions, if these are all functions of every feature and the products are few."""
    sizes = [len(marginal.roughness) for marginal in marginals]
    n_values = [len(known.values) + (known.n_missing > 0) for known in counted.columns]
    terms = terms_up_to(len(sizes), max_order) if len(sizes) < MOST_COLUMNS else ()
    n_columns = 1 + sum(prod(sizes[feature] for feature in term) for term in terms)
    most = min(MOST_COLUMNS, counted.n_rows / ROWS_PER_COLUMN, np.sqrt(MOST_WORK / counted.n_distinct))
    if not terms or n_columns > most or any(size < n - 1 for size, n in zip(sizes, n_values, strict=True)):
        return None
    blocks = [ColumnBlock(term, np.indices([sizes[at] for at in term]).reshape(len(term), -1).T) for term in terms]
    return CellSpace(Columns(tuple(blocks)), marginals, counted.columns)


class CellSums:
    """Averages over groups of rows, in double precision: rows with equal values are taken together as a cell."""

    def __init__(self, space: CellSpace, rows: GroupedRows, groups: Collection[int]) -> None:
        self._of_group = {group: _group_average(space, rows, group) for group in groups}

    def average(self, groups: Collection[int]) -> Normal:
        """Average over the rows of some groups."""
        normals = [self._of_group[group] for group in groups]
        n_rows = sum(normal.n_rows for normal in normals)
        gram, cross, squares = (
            np.sum([getattr(normal, name) * (normal.n_rows / n_rows) for normal in normals], axis=0)
            for name in ("gram", "cross", "squares")
        )
        return Normal(np.asfortranarray(gram), cross, squares, n_rows)


def _group_average(space: CellSpace, rows: GroupedRows, group: int) -> Normal:
    keys: NDArray[np.uint64] = np.empty(0, np.uint64)
    n_features, n_outputs = len(rows.marginals), len(rows.spread)
    values, sums, squares = np.empty((0, n_features)), np.empty((0, 1 + n_outputs)), np.zeros(n_outputs)
    for block in rows.blocks((group,)):
        counted = np.column_stack([np.ones(len(block.answers)), block.answers])
        keys = np.concatenate([keys, hash_rows(block.values)])
        keys, first, cell = np.unique(keys, return_index=True, return_inverse=True)
        values = np.concatenate([values, block.values])[first]
        every = np.concatenate([sums, counted])
        sums = np.stack([np.bincount(cell, column, len(keys)) for column in every.T], axis=1)
        squares += (block.answers**2).sum(axis=0)
    functions = [marginal.evaluate(values[:, index]) for index, marginal in enumerate(rows.marginals)]
    design = space.columns.design(functions, np.empty((space.columns.size, len(values))))
    n_rows = int(sums[:, 0].sum())
    weighed = design * (sums[:, 0] / n_rows)
    return Normal(weighed @ design.T, design @ sums[:, 1:] / n_rows, squares / n_rows, n_rows)


@dataclass(frozen=True, eq=False)
class CellSolution:
    """The hierarchically orthogonal decomposition of a least-squares fit."""

    coefficients: Floats  # shape (n_columns, n_outputs): of the sum of all components
    energies: dict[Term, Floats]  # mean square of each component, shape (n_outputs,)
    n_free: int  # directions in which components could be exchanged for others with the same sum


def solve_cells(columns: Columns, normal: Normal) -> CellSolution:
    """Fit without a penalty; of all fits that are equally good, that whose components are least.

    Every V_S gets an orthonormal basis: its columns less their projection on the subterms, whitened.
    """
    gram = np.triu(normal.gram) + np.triu(normal.gram, 1).T
    subterms = Subterms(columns, tuple(columns.positions))
    bases, owners = [np.eye(columns.size, 1)], [()]
    for term, own in columns.positions.items():
        at = subterms.positions(term)
        shared = project_exactly(at, symmetric(gram, at), gram[np.ix_(at, own)]).shift
        sizes, axes = _told_apart(gram[np.ix_(own, own)] - gram[np.ix_(own, at)] @ shared)
        basis = np.zeros((columns.size, len(sizes)))
        basis[own] = axes / np.sqrt(sizes)
        basis[at] = -shared @ basis[own]
        bases.append(basis)
        owners.extend([term] * len(sizes))
    basis = np.hstack(bases)
    sizes, axes = _told_apart(basis.T @ gram @ basis)
    solved = axes @ ((axes.T @ (basis.T @ normal.cross)) / sizes[:, None])
    energies = {term: np.zeros(solved.shape[1]) for term in columns.positions}
    for term, own_square in zip(owners[1:], solved[1:] ** 2, strict=True):
        energies[term] += own_square
    return CellSolution(basis @ solved, energies, basis.shape[1] - len(sizes))


def needed(columns: Columns, solution: CellSolution) -> tuple[Columns, NDArray[np.intp]]:
    """Leave out interactions that hold nothing, unless they are part of one that does; also tells which columns stay."""
    kept: list[Term] = []
    for term in sorted(columns.positions, key=len, reverse=True):
        inside = any(set(term) < set(other) for other in kept)
        if len(term) == 1 or inside or (solution.energies[term] > ABSENT).any():
            kept.append(term)
    positions = [columns.positions[block.term] for block in columns.blocks if block.term in kept]
    blocks = tuple(block for block in columns.blocks if block.term in kept)
    return Columns(blocks), np.concatenate([np.zeros(1, np.intp), *positions])


def _told_apart(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a Gram that are beyond rounding."""
    sizes, axes = np.linalg.eigh(matrix)
    large = sizes > NULL * max(1.0, sizes.max(initial=0.0))
    return sizes[large], axes[:, large]
