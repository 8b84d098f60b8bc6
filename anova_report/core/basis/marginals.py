"""The functions of one feature: orthonormal under its own law in the sample, whatever its kind.

Ordered features get smooth functions of their values, made in `splines`; nominal features get contrasts of their
levels. A missing value is one more value with its own indicator.
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anova_report.core.arrays import Floats, Reals, read_only
from anova_report.core.basis.splines import FAMILIES, FEW_VALUES, FamilyName, FunctionSpace, interpolate, knot_slopes
from anova_report.core.input.features import UNSEEN, rare_levels
from anova_report.core.result.expansion import Families

# Budget of memory: up to so many distinct values the law is known at each; more are ranked through as many knots.
MAX_TABLE = FEW_VALUES * 2
TAIL_KNOTS = MAX_TABLE // 16  # at each end so many values are all knots: there they lie far apart
LIGHT_REACH = 4.5  # statistic: standard deviations that 100,000 normal values may be from their mean (`make truth`)


@dataclass(frozen=True, eq=False)
class NumericMarginal:
    """Smooth functions of an ordered feature, orthonormal over its values with their frequencies, and its law."""

    knots: Floats  # shape (n_knots,): values at which the rank is known
    ranks: Floats  # shape (n_knots,): mid-ranks F there, in (0, 1)
    # shape (n_atoms,): which knots are values that many rows share; all of them where there are few values
    atoms: NDArray[np.intp]
    missing: float  # share of missing values in the sample
    breaks: Floats  # shape (n_breaks,): values at which the functions are known
    table: Floats  # shape (n_functions, n_breaks): the functions there
    curved: bool  # natural cubic splines through these values, or straight lines between them
    gaps: NDArray[np.intp]  # breaks after which no value was seen until the next: there functions are straight
    heavy: Floats  # shape (n_heavy,): values that so many rows share that functions may jump there
    jumps: Floats  # shape (n_functions, n_heavy)
    held: bool = False  # beyond the range functions hold their last value, as trees do, where lines would go on

    def __post_init__(self) -> None:
        read_only(*(value for value in vars(self).values() if isinstance(value, np.ndarray)))

    @property
    def roughness(self) -> Floats:
        """What one unit of each function costs in the smooth fit: its squared place in the order of the family."""
        squared = np.arange(1.0, len(self.table) + 1) ** 2
        return np.r_[1.0, squared] if self.missing else squared

    def lowest(self, most: int) -> "NumericMarginal":
        """Leave out all but the lowest functions, and that of missing values."""
        return replace(self, table=self.table[:most], jumps=self.jumps[:most])

    @property
    def bounded(self) -> bool:
        """Whether the first function stays within what light tails reach: products of two that do not reach far."""
        return not self.curved or bool(np.abs(self.table[:1]).max(initial=0.0) <= LIGHT_REACH)

    @cached_property
    def slopes(self) -> Floats:
        """The slopes of the functions at the breaks, shape (n_functions, n_breaks)."""
        return knot_slopes(self.breaks, self.table, self.gaps)

    def evaluate(self, values: Floats, dtype: DTypeLike = np.float64) -> Reals:
        """Evaluate all functions, shape (n_functions, n_rows).

        Outside the range polynomials continue as straight lines; waves, and functions of few values, hold the last one.
        """
        absent = np.isnan(values)
        functions = self._functions(np.where(absent, self.breaks[0], values))
        if absent.any():
            functions[:, absent] = 0.0
        if self.missing:
            functions /= np.sqrt(1 - self.missing)
            spread = np.sqrt(self.missing * (1 - self.missing))
            indicator = np.where(absent, 1 - self.missing, -self.missing) / spread
            functions = np.concatenate([indicator[None], functions])
        return functions.astype(dtype, copy=False)

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell which rows lie outside what the fit has seen."""
        absent = np.isnan(values)
        beyond = (values < self.knots[0]) | (values > self.knots[-1])
        return np.asarray(beyond | (absent & (not self.missing)))

    def _functions(self, values: Floats) -> Floats:
        if self.held or not self.curved:
            values = values.clip(self.breaks[0], self.breaks[-1])
        functions = interpolate(self.breaks, self.table, self.slopes, self.gaps, values)
        for value, jump in zip(self.heavy, self.jumps.T, strict=True):
            functions[:, values == value] += jump[:, None]
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
        """What one unit of each function costs in the smooth fit: as a cubic, for levels have no neighbors."""
        return np.full(len(self.table), 3.0**2)

    def lowest(self, most: int) -> "NominalMarginal":  # noqa: ARG002 levels have no order
        """Keep all functions: those of levels have no order."""
        return self

    bounded = True

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

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Tell, row by row and feature by feature, what lies outside what the fit has seen."""
        found = np.zeros(values.shape, dtype=bool)
        for index, marginal in enumerate(self.marginals):
            found[:, index] = marginal.outside(values[:, index])
        return found

    def weight(self, term: tuple[int, ...], families: Families) -> None:  # noqa: ARG002 as the protocol asks
        """Products are not weighted here; what an interaction shares with its subterms is moved out afterwards."""
        return


def fit_numeric(
    values: Floats, counts: NDArray[Any], n_missing: float, degree: int
) -> dict[FamilyName, NumericMarginal]:
    """Make the functions of an ordered feature, by family, from its distinct values, ascending, without missing ones.

    There are at most `degree` functions, and fewer than distinct values. Counts are rows, or sums of their weights.

    Examples
    --------
    >>> marginal = fit_numeric(np.array([0.0, 1.0]), np.array([1, 3]), n_missing=0, degree=5)["waves"]
    >>> marginal.evaluate(np.array([0.0, 1.0])).round(3).tolist()  # one function: centered, of unit variance
    [[-1.732, 0.577]]
    """
    mass = counts / counts.sum()
    ranks = np.cumsum(mass) - mass / 2
    kept = atoms = np.arange(len(values))
    if len(values) > MAX_TABLE:
        atoms = np.flatnonzero(mass > 1 / MAX_TABLE)
        kept = _knot_positions(ranks, atoms)
    missing = float(n_missing / (n_missing + counts.sum()))
    law = (values[kept], ranks[kept], np.searchsorted(kept, atoms), missing)
    space = FunctionSpace.of(values, counts.astype(float), degree)
    basis = space.basis
    n_breaks = len(basis.knots)
    gaps = np.arange(n_breaks - 1) if basis.whole else basis.gaps
    made = {}
    for family in FAMILIES:
        functions = space.functions(family)
        table, jumps = functions[:, :n_breaks], functions[:, n_breaks:]
        curved, held = not basis.whole, family == "waves"
        made[family] = NumericMarginal(*law, basis.knots, table, curved, gaps, basis.heavy, jumps, held)
    return made


def fit_nominal(counts: NDArray[Any], n_missing: float) -> NominalMarginal:
    """Make the contrasts of a nominal feature from how often each level occurs.

    Examples
    --------
    >>> fit_nominal(np.array([600, 400, 2, 1]), n_missing=0).pooled
    (2, 3)
    """
    n_rows = counts.sum() + n_missing
    order = np.argsort(-counts, kind="stable")
    rare = rare_levels(counts[order], n_rows)
    kept, pooled = order[~rare], order[rare]
    cells = np.full(len(counts), len(kept), dtype=np.intp)
    cells[kept] = np.arange(len(kept))
    weights = [*counts[kept].tolist(), *([counts[pooled].sum()] if pooled.size else [])]
    missing_cell = len(weights) if n_missing else -1
    weights += [n_missing] if n_missing else []
    return NominalMarginal(cells, missing_cell, _contrasts(np.array(weights) / n_rows), tuple(sorted(pooled.tolist())))


def _knot_positions(ranks: Floats, atoms: NDArray[np.intp]) -> NDArray[np.intp]:
    """Choose values at equal steps of the rank, all in the tails, and every atom with its neighbors."""
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
