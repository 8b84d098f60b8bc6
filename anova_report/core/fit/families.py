"""The functions of one feature: orthonormal under its own law in the sample, whatever its kind.

Numeric features get polynomials of their rank, so any monotone change of a feature changes nothing; nominal features
get contrasts of their levels. A missing value is one more value with its own indicator.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anova_report.core.arrays import Floats, Reals, read_only
from anova_report.core.expansion import Families
from anova_report.core.input.features import UNSEEN

MAX_TABLE = 512  # up to so many distinct values are looked up; more are ranked through as many knots
TAIL_KNOTS = 32  # at each end every value is a knot: there values lie far apart
JUMP = 0.02  # between knots whose ranks differ by more there is no data: polynomials would oscillate
RARE_ROWS = 10  # levels with fewer rows are pooled: their own effect could not be told from noise
RARE_SHARE = 1e-3  # and so are levels with a smaller share of the rows
MAX_NODES = 16_384  # values that the recurrence is made from; more are taken together with their neighbours
NOMINAL_ROUGHNESS = 9.0  # levels have no neighbours: a contrast costs as much as a cubic


@dataclass(frozen=True, eq=False)
class NumericMarginal:
    """Polynomials of the mid-rank of an ordered feature, orthonormal over its values with their frequencies."""

    knots: Floats  # shape (n_knots,): values at which the rank is known
    ranks: Floats  # shape (n_knots,): mid-ranks F there, in (0, 1)
    # alpha, beta, shape (degree,): three-term recurrence of the polynomials in t = 2F − 1
    alpha: Floats
    beta: Floats
    missing: float  # share of missing values in the sample
    # shape (n_atoms,): which knots are values that many rows share; all of them where there are few values
    atoms: NDArray[np.intp]
    # shape (degree, n_atoms): the polynomials there: at a value that stands apart the recurrence would lose all digits
    table: Floats

    def __post_init__(self) -> None:
        read_only(self.knots, self.ranks, self.alpha, self.beta, self.atoms, self.table)

    @property
    def roughness(self) -> Floats:
        """What one unit of each function costs in the smooth fit: its squared degree."""
        squared = np.arange(1.0, len(self.alpha) + 1) ** 2
        return np.r_[1.0, squared] if self.missing else squared

    def evaluate(self, values: Floats, dtype: DTypeLike = np.float64) -> Reals:
        """Evaluate all functions, shape (n_functions, n_rows); outside the range the end value is held."""
        absent = np.isnan(values)
        functions = self._polynomials(np.where(absent, self.knots[0], values), dtype)
        if absent.any():
            functions[:, absent] = 0.0
        if not self.missing:
            return functions
        functions /= np.sqrt(1 - self.missing)
        spread = np.sqrt(self.missing * (1 - self.missing))
        indicator = np.where(absent, 1 - self.missing, -self.missing) / spread
        return np.concatenate([indicator[None].astype(dtype), functions])

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell which rows lie outside what the fit has seen."""
        absent = np.isnan(values)
        beyond = (values < self.knots[0]) | (values > self.knots[-1])
        return np.asarray(beyond | (absent & (not self.missing)))

    def _polynomials(self, values: Floats, dtype: DTypeLike) -> Reals:
        table = self.table.astype(dtype)
        if len(self.atoms) < len(self.knots):
            return self._ranked_polynomials(values, table)
        above = np.searchsorted(self.knots, values).clip(0, len(self.knots) - 1)
        functions = table.take(above, axis=1)
        between = np.flatnonzero((self.knots[above] != values) & (values > self.knots[0]) & (values < self.knots[-1]))
        if between.size:
            right = above[between]
            low, high = self.knots[right - 1], self.knots[right]
            weight = ((values[between] - low) / (high - low)).astype(dtype)
            functions[:, between] = table[:, right - 1] * (1 - weight) + table[:, right] * weight
        return functions

    def _ranked_polynomials(self, values: Floats, table: Reals) -> Reals:
        ranks = np.interp(values, self.knots, self.ranks)
        if (np.diff(self.ranks) > JUMP).any():
            right = np.searchsorted(self.ranks, ranks).clip(1, len(self.ranks) - 1)
            low, high = self.ranks[right - 1], self.ranks[right]
            nearer = np.where(ranks - low < high - ranks, low, high)
            ranks = np.where(high - low > JUMP, nearer, ranks)
        functions = recurrence((2 * ranks - 1).astype(table.dtype), self.alpha, self.beta)
        if self.atoms.size:
            atom_ranks = self.ranks[self.atoms]
            nearest = np.searchsorted(atom_ranks, ranks).clip(0, len(atom_ranks) - 1)
            there = np.flatnonzero(atom_ranks[nearest] == ranks)
            functions[:, there] = table[:, nearest[there]]
        return functions


@dataclass(frozen=True, eq=False)
class NominalMarginal:
    """Contrasts of levels, orthonormal under their frequencies."""

    cells: NDArray[np.intp]  # shape (n_levels,): which cell of the table each level belongs to; rare levels share one
    missing_cell: int  # the cell of missing values; -1 if the sample had none
    table: Floats  # shape (n_functions, n_cells): values of the contrasts in each cell
    pooled: tuple[int, ...]  # codes of the levels that were too rare for an effect of their own

    def __post_init__(self) -> None:
        read_only(self.cells, self.table)

    @property
    def roughness(self) -> Floats:
        """What one unit of each function costs in the smooth fit."""
        return np.full(len(self.table), NOMINAL_ROUGHNESS)

    def evaluate(self, values: Floats, dtype: DTypeLike = np.float64) -> Reals:
        """Evaluate all functions, shape (n_functions, n_rows); what was never seen counts as average: all zero."""
        average = np.zeros((len(self.table), 1))
        table = np.hstack([self.table, average]).astype(dtype)
        return table.take(self.cell_of(values), axis=1)

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell which rows have a level, or lack one, as no row of the fit did."""
        return np.asarray(self.cell_of(values) == self.table.shape[1])

    def cell_of(self, values: Floats) -> NDArray[np.intp]:
        """Find the cell of each level; what was never seen is in one more than there are."""
        unknown = self.table.shape[1]
        absent = np.isnan(values)
        unseen = values == UNSEEN
        codes = np.where(absent | unseen, 0, values).astype(np.intp)
        cells = np.where(unseen, unknown, self.cells[codes])
        return np.where(absent, self.missing_cell if self.missing_cell >= 0 else unknown, cells)


Marginal: TypeAlias = NumericMarginal | NominalMarginal


@dataclass(frozen=True, eq=False)
class MarginalReference:
    """Where the default basis lives: the product of the features' own laws."""

    marginals: tuple[Marginal, ...]
    complete_numbers_only: bool = False

    def families(self, values: Floats) -> Families:
        """Return what evaluates the functions of a feature, the constant first, shape (n_rows, d_j + 1)."""

        @cache
        def evaluate(feature: int) -> Floats:
            functions = self.marginals[feature].evaluate(values[:, feature])
            return np.concatenate([np.ones((1, len(values))), functions]).T

        return evaluate

    def weight(self, term: tuple[int, ...], families: Families) -> None:  # noqa: ARG002 as the protocol asks
        """Products are not weighted here; what an interaction shares with its subterms is moved out afterwards."""
        return


def fit_numeric(values: Floats, counts: NDArray[Any], n_missing: float, degree: int) -> NumericMarginal:
    """Make the functions of an ordered feature from its distinct values, ascending, without missing ones.

    Degrees go up to `degree`, but stay below the number of distinct values. Counts are rows, or sums of their weights.

    Examples
    --------
    >>> marginal = fit_numeric(np.array([0.0, 1.0]), np.array([1, 3]), n_missing=0, degree=5)
    >>> marginal.evaluate(np.array([0.0, 1.0])).round(3).tolist()  # one function: centred, of unit variance
    [[-1.732, 0.577]]
    """
    mass = counts / counts.sum()
    ranks = np.cumsum(mass) - mass / 2
    kept = atoms = np.arange(len(values))
    if len(values) > MAX_TABLE:
        atoms = np.flatnonzero(mass > 1 / MAX_TABLE)
        kept = _knot_positions(ranks, atoms)
    known = ranks[kept]
    t = 2 * np.interp(values, values[kept], known) - 1
    starts = _node_starts(ranks, atoms)
    weights = np.add.reduceat(mass, starts)
    nodes = np.add.reduceat(mass * t, starts) / weights
    functions, alpha, beta = orthonormal_polynomials(nodes, weights, min(degree, len(nodes) - 1))
    missing = float(n_missing / (n_missing + counts.sum()))
    table = functions[:, np.searchsorted(starts, atoms)]
    return NumericMarginal(values[kept], known, alpha, beta, missing, np.searchsorted(kept, atoms), table)


def fit_nominal(counts: NDArray[Any], n_missing: float) -> NominalMarginal:
    """Make the contrasts of a nominal feature from how often each level occurs.

    Examples
    --------
    >>> fit_nominal(np.array([600, 400, 2, 1]), n_missing=0).pooled
    (2, 3)
    """
    n_rows = counts.sum() + n_missing
    order = np.argsort(-counts, kind="stable")
    rare = counts[order] < max(min(RARE_ROWS, n_rows // len(counts)), RARE_SHARE * n_rows)
    if rare.sum() == 1 and len(counts) > 1:
        rare[:] = False  # one level cannot be pooled with anything
    kept, pooled = order[~rare], order[rare]
    cells = np.full(len(counts), len(kept), dtype=np.intp)
    cells[kept] = np.arange(len(kept))
    weights = [*counts[kept].tolist(), *([counts[pooled].sum()] if pooled.size else [])]
    missing_cell = len(weights) if n_missing else -1
    weights += [n_missing] if n_missing else []
    return NominalMarginal(cells, missing_cell, _contrasts(np.array(weights) / n_rows), tuple(sorted(pooled.tolist())))


def orthonormal_polynomials(t: Floats, mass: Floats, degree: int) -> tuple[Floats, Floats, Floats]:
    """Find the polynomials of degree 1 … `degree` that are orthonormal under a discrete law (Lanczos).

    Gram-Schmidt on powers or on Legendre polynomials breaks down for laws with heavy atoms; the recurrence, with every
    new polynomial made orthogonal to all before it, does not. Returned are their values at `t`, of which there are more
    than `degree`, shape (degree, n_values), and alpha and beta of the recurrence, shape (degree,).
    """
    root = np.sqrt(mass)
    basis = np.empty((degree + 1, len(t)))
    basis[0] = root
    alpha, beta = np.zeros(degree), np.zeros(degree)
    for m in range(degree):
        following = t * basis[m]
        alpha[m] = following @ basis[m]
        following -= alpha[m] * basis[m]
        if m:
            following -= beta[m - 1] * basis[m - 1]
        # In exact arithmetic that is all; this removes what rounding left of the earlier ones.
        following -= (basis[: m + 1] @ following) @ basis[: m + 1]
        beta[m] = np.linalg.norm(following)
        basis[m + 1] = following / beta[m]
    return basis[1:] / root, alpha, beta


def recurrence(t: Reals, alpha: Floats, beta: Floats) -> Reals:
    """Evaluate the polynomials of a three-term recurrence, shape (degree, n_rows)."""
    functions = np.empty((len(alpha) + 1, len(t)), dtype=t.dtype)
    functions[0] = 1.0
    for m in range(len(alpha)):
        np.multiply(t - t.dtype.type(alpha[m]), functions[m], out=functions[m + 1])
        if m:
            functions[m + 1] -= t.dtype.type(beta[m - 1]) * functions[m - 1]
        functions[m + 1] /= t.dtype.type(beta[m])
    return functions[1:]


def _node_starts(ranks: Floats, atoms: NDArray[np.intp]) -> NDArray[np.intp]:
    """Cut many values into runs of about equal frequency, the first value of each; atoms stand alone."""
    if len(ranks) <= MAX_NODES:
        return np.arange(len(ranks))
    steps = np.searchsorted(ranks, np.linspace(0, 1, MAX_NODES, endpoint=False))
    starts = np.unique(np.concatenate([[0], steps, atoms, atoms + 1]))
    return starts[starts < len(ranks)]


def _knot_positions(ranks: Floats, atoms: NDArray[np.intp]) -> NDArray[np.intp]:
    """Choose values at equal steps of the rank, all in the tails, and every atom with its neighbours."""
    n_values = len(ranks)
    steps = np.searchsorted(ranks, np.linspace(0, 1, MAX_TABLE))
    tails = np.concatenate([np.arange(TAIL_KNOTS), n_values - 1 - np.arange(TAIL_KNOTS)])
    positions = np.concatenate([tails, steps, atoms - 1, atoms, atoms + 1])
    return np.unique(positions.clip(0, n_values - 1))


def _contrasts(shares: Floats) -> Floats:
    """Orthonormalise the constant and the indicators of all cells but the last; the constant is dropped."""
    n_cells = len(shares)
    root = np.sqrt(shares)[:, None]
    indicators = np.hstack([np.ones((n_cells, 1)), np.eye(n_cells)[:, :-1]])
    Q, R = np.linalg.qr(indicators * root)
    return np.asarray((Q * np.where(np.diag(R) < 0, -1.0, 1.0) / root)[:, 1:].T)
