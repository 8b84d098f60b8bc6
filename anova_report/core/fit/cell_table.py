"""Few-valued features: all products of their functions, without a penalty, solve the table of cells exactly.

The functions of x_S are V_S, those orthogonal to every function of fewer of its features, plus the V_T of the subterms.
So the V_S together span every function of the table, whatever the dependence and whichever cells are empty. Components
are unique where the dimensions of the V_S add up to that of their span, as they do where no cell is empty. Empty cells
may take that away (where one feature determines another, both have room for one effect): then the same function has
several decompositions, of which the one of least Σ E[ν_S²] is taken. It treats all features alike.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import DOUBLE_ROUNDING, ROUNDING, Floats
from anova_report.core.basis.design import ColumnBlock, Columns
from anova_report.core.basis.marginals import Marginal
from anova_report.core.basis.tally import Tally, hash_rows
from anova_report.core.fit.purification import Subterms, project_exactly
from anova_report.core.fit.row_blocks import KEPT_BYTES, Codebook, FitRows, GroupBlock, decode
from anova_report.core.fit.sums import Normal, combined
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.result.terms import Term, terms_up_to

MOST_COLUMNS = 600  # budget of time: the solution then takes some hundred milliseconds (`make bench`)


def all_products(marginals: Sequence[Marginal], counted: Tally, max_order: int) -> Columns | None:
    """List all products of functions; None unless these are all functions of every feature, and the products few."""
    sizes = [len(marginal.roughness) for marginal in marginals]
    n_values = [len(known.values) + (known.n_missing > 0) for known in counted.columns]
    few = comb(len(sizes), min(max_order, len(sizes))) < MOST_COLUMNS
    terms = terms_up_to(len(sizes), max_order) if few else ()
    n_columns = 1 + sum(prod(sizes[feature] for feature in term) for term in terms)
    # Half of the usual rows for each: so that nothing is left only where the predictions are a function of the cells.
    most = min(MOST_COLUMNS, counted.effective / (ROWS_EACH / 2), KEPT_BYTES / 8 / counted.n_distinct)
    if not terms or n_columns > most or any(size < n - 1 for size, n in zip(sizes, n_values, strict=True)):
        return None
    blocks = [ColumnBlock(term, np.indices([sizes[at] for at in term]).reshape(len(term), -1).T) for term in terms]
    return Columns(tuple(blocks))


class FilledCells:
    """The cells of a table that occur in a group of rows, how many of its rows are in each, and sums of predictions."""

    def __init__(self, n_features: int, n_outputs: int) -> None:
        self.values = np.empty((0, n_features))
        self.sums = np.empty((0, 1 + n_outputs))  # rows, then predictions
        self.squares = np.zeros(n_outputs)
        self._keys = np.empty(0, np.uint64)

    def add(self, values: Floats, sums: Floats, squares: Floats) -> None:
        """Count some rows, or cells, of which these are the values, and sums as they are kept here."""
        keys = np.concatenate([self._keys, hash_rows(values)])
        self._keys, first, cell = np.unique(keys, return_index=True, return_inverse=True)
        self.values = np.concatenate([self.values, values])[first]
        self.sums = np.stack([np.bincount(cell, column) for column in np.concatenate([self.sums, sums]).T], axis=1)
        self.squares += squares

    def average(self, columns: Columns, marginals: Sequence[Marginal]) -> Normal:
        """Average over the rows, in double precision."""
        functions = [marginal.evaluate(self.values[:, index]) for index, marginal in enumerate(marginals)]
        design = columns.design(functions, np.empty((columns.size, len(self.values))))
        n_rows = self.sums[:, 0].sum()
        gram = (design * (self.sums[:, 0] / n_rows)) @ design.T
        return Normal(gram, design @ self.sums[:, 1:] / n_rows, self.squares / n_rows, float(n_rows))


class CellPass:
    """Cells that occur in each group of rows."""

    def __init__(self, books: Sequence[Codebook], n_outputs: int) -> None:
        self.by_group: dict[int, FilledCells] = {}
        self._books, self._n_outputs = books, n_outputs

    def sums(self, block: GroupBlock) -> tuple[int, Floats, Floats, Floats]:
        """Give the rows of one block back their values, and sum nothing yet."""
        predictions = block.predictions
        weighed = block.weighed(np.vstack([np.ones(len(predictions)), predictions.T])).T
        squares = block.weighed(predictions.T**2).sum(axis=1)
        return block.group, decode(self._books, block.codes), weighed, squares

    def add(self, found: tuple[int, Floats, Floats, Floats]) -> None:
        """Count the rows of one block."""
        group, *counted = found
        if group not in self.by_group:
            self.by_group[group] = FilledCells(len(self._books), self._n_outputs)
        self.by_group[group].add(*counted)

    def merge(self, other: "CellPass") -> None:
        """Count other rows as well."""
        for group, cells in other.by_group.items():
            self.add((group, cells.values, cells.sums, cells.squares))


class CellSums:
    """Averages over groups of rows from the cells that occur in each."""

    def __init__(self, columns: Columns, rows: FitRows, groups: Collection[int]) -> None:
        cells = rows.fold(partial(CellPass, rows.books, len(rows.spread)), groups, "cells").by_group
        self.columns = columns
        self._cells = tuple(cells.values())
        self._normals = {group: own.average(columns, rows.marginals) for group, own in cells.items()}

    def average(self, groups: Collection[int]) -> Normal:
        """Average over the rows of some groups."""
        return combined([self._normals[group] for group in groups])

    @cached_property
    def fewest_rows(self) -> float:
        """Rows of all groups that share the rarest combination of values, over the terms of the highest order."""
        highest = max(map(len, self.columns.positions))
        n_rows = np.concatenate([own.sums[:, 0] for own in self._cells])
        values = np.concatenate([own.values for own in self._cells])
        codes = [np.unique(column, return_inverse=True)[1] for column in values.T]

        def fewest(term: Term) -> float:
            own = [codes[feature] for feature in term]
            found = np.bincount(np.ravel_multi_index(own, [code.max() + 1 for code in own]), n_rows)
            return float(found[found > 0].min())

        return min(fewest(term) for term in self.columns.positions if len(term) == highest)


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
    gram = normal.gram
    subterms = Subterms(columns, tuple(columns.positions))
    bases: list[Floats] = [np.eye(columns.size, 1)]
    owners: list[Term] = []
    for term, own in columns.positions.items():
        at = subterms.positions(term)
        shared = project_exactly(at, gram[np.ix_(at, at)], gram[np.ix_(at, own)]).shift
        sizes, axes = _distinct_axes(gram[np.ix_(own, own)] - gram[np.ix_(own, at)] @ shared)
        basis = np.zeros((columns.size, len(sizes)))
        basis[own] = axes / np.sqrt(sizes)
        basis[at] = -shared @ basis[own]
        bases.append(basis)
        owners.extend([term] * len(sizes))
    basis = np.hstack(bases)
    sizes, axes = _distinct_axes(basis.T @ gram @ basis)
    solved = axes @ ((axes.T @ (basis.T @ normal.cross)) / sizes[:, None])
    energies = {term: np.zeros(solved.shape[1]) for term in columns.positions}
    for term, own_square in zip(owners, solved[1:] ** 2, strict=True):
        energies[term] += own_square
    return CellSolution(basis @ solved, energies, basis.shape[1] - len(sizes))


def needed(columns: Columns, solution: CellSolution) -> tuple[Columns, NDArray[np.intp]]:
    """Leave out interactions that hold nothing, unless they are part of one that does; also list what stays."""
    kept: list[Term] = []
    for term in sorted(columns.positions, key=len, reverse=True):
        inside = any(set(term) < set(other) for other in kept)
        if len(term) == 1 or inside or (solution.energies[term] > ROUNDING**2).any():
            kept.append(term)
    positions = [columns.positions[block.term] for block in columns.blocks if block.term in kept]
    blocks = tuple(block for block in columns.blocks if block.term in kept)
    return Columns(blocks), np.concatenate([np.zeros(1, np.intp), *positions])


def _distinct_axes(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a Gram that are beyond rounding."""
    sizes, axes = np.linalg.eigh(matrix)
    large = sizes > DOUBLE_ROUNDING * max(1.0, sizes.max(initial=0.0))
    return sizes[large], axes[:, large]
