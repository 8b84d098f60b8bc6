"""How strong the penalty and how many columns, chosen without the rows on which fidelity is reported."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.design import Columns
from anova_report.core.fit.growth import ROUNDS, Grower, Grown, candidate_sizes, round_strength, weigh
from anova_report.core.fit.rows import GroupedRows, Groups, given_groups
from anova_report.core.fit.solve import Search, ridge_fit
from anova_report.core.fit.sums import Normal

LEARN, FIRST, SECOND = 0, 1, 2  # columns are grown on LEARN; each of the others judges for the other
SHARES = (0.6, 0.2, 0.2)
START = -7  # where the walk over strengths begins, in half decades

FEW_ROWS = 4000  # with fewer, one split is too noisy: every row is held out once
FOLDS = 5
FEW_STRENGTHS = 10.0 ** np.arange(-4, 2.1, 0.5)
FEW_SIZES = np.linspace(0, 1, 6)  # shares of the interactions' columns
FEW_WEIGHING = 3e-2  # strength of the fit that weighs components

MakeRows = Callable[[Groups], GroupedRows]


@dataclass(frozen=True, eq=False)
class Fit:
    """A penalised fit on the rows of some groups.

    Parameters
    ----------
    columns : Columns
    normal : Normal
        Averages over the rows of the fit.
    ridge : array of shape (n_columns,)
        What each coefficient was charged.
    coefficients : array of shape (n_columns, n_outputs)
    rows : GroupedRows
    groups : tuple of int
        Which of the rows the fit has seen.
    """

    columns: Columns
    normal: Normal
    ridge: Floats
    coefficients: Floats
    rows: GroupedRows
    groups: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class HeldOutFit:
    """A fit, and a group of rows no step that led to it has seen the answers of."""

    fit: Fit
    group: int
    n_rows: int


def fit_many(grower: Grower, rows: GroupedRows, n_outputs: int) -> tuple[Fit, list[HeldOutFit]]:
    """Fit where rows are plenty: columns from three fifths of them, judged on the other two fifths in turn.

    Returns
    -------
    fit : Fit
        On all rows.
    held_out : list of HeldOutFit
        For each of the two fifths a fit on all other rows, whose columns, strength and size were chosen without it.
    """
    grown = grower.grow(rows, (LEARN, FIRST, SECOND), (LEARN,), n_outputs)
    grower.steps.start("smoothness")
    learn = grown.sums.average((LEARN,))
    penalty = _weighed(grower, grown.columns, learn, round_strength(learn.n_rows))
    judges = {group: grown.sums.average((group,)) for group in (FIRST, SECOND)}
    search = Search(learn, judges, penalty, candidate_sizes(grown))
    held_out = []
    for reported, judging in ((FIRST, SECOND), (SECOND, FIRST)):
        strength, size = search.best((judging,), START)
        seen = (LEARN, judging)
        normal = grown.sums.average(seen).first(size)
        # The penalty is per row: with more rows the same prior weighs less.
        ridge = strength * learn.n_rows / normal.n_rows * penalty[:size]
        fit = _fit(grown.columns.first(size), normal, ridge, rows, seen)
        held_out.append(HeldOutFit(fit, reported, judges[reported].n_rows))
    strength, size = search.best((FIRST, SECOND), START)
    del judges, search  # Grams of the judges: not needed for the fit on all rows
    return _fit_all(grower, grown, rows, size, strength * learn.n_rows), held_out


def _fit_all(grower: Grower, grown: Grown, rows: GroupedRows, size: int, strength: float) -> Fit:
    """Fit on all rows; `strength` is for one row. If every column was worth having, look once more for others."""
    grower.steps.start("all rows")
    everything = grown.sums.merged(size)
    columns = grown.columns.first(size)
    if size == grown.columns.size and grower.max_order > 1:
        more = grower.more_pairs(rows, columns, everything, (LEARN,), ROUNDS[-1])
        if more:
            columns = columns.with_blocks(more)
            everything.extend(rows, columns)
    normal = everything.average((LEARN,))
    penalty = _weighed(grower, columns, normal, round_strength(normal.n_rows))
    return _fit(columns, normal, strength / normal.n_rows * penalty, rows, (LEARN, FIRST, SECOND))


def fit_few(
    grower: Grower, make_rows: MakeRows, folds: NDArray[np.intp], n_outputs: int
) -> tuple[Fit, list[HeldOutFit]]:
    """Fit where rows are few: every fold is held out once, and everything is chosen again without it.

    Parameters
    ----------
    grower : Grower
    make_rows : callable
        From an assignment of groups to rows.
    folds : array of int, shape (n_rows,)
    n_outputs : int
    """
    few = _FewRows(grower, make_rows, folds, n_outputs)
    n_folds = int(folds.max()) + 1
    held_out, pooled = [], np.zeros((len(FEW_STRENGTHS), len(FEW_SIZES)))
    for reported in range(n_folds):
        errors = np.sum([few.errors(reported, judging) for judging in range(n_folds) if judging != reported], axis=0)
        pooled += errors
        fit = few.fit(np.where(folds == reported, FIRST, LEARN), errors, (n_folds - 2) / (n_folds - 1))
        held_out.append(HeldOutFit(fit, FIRST, int((folds == reported).sum())))
    return few.fit(np.zeros_like(folds), pooled, (n_folds - 2) / n_folds), held_out


@dataclass(frozen=True, eq=False)
class _FewRows:
    grower: Grower
    make_rows: MakeRows
    folds: NDArray[np.intp]
    n_outputs: int

    def errors(self, reported: int, judging: int) -> Floats:
        """Errors on one fold of fits that saw neither it nor the reported one, by strength and size."""
        group = np.where(self.folds == judging, FIRST, np.where(self.folds == reported, SECOND, LEARN))
        grown = self.grower.grow(self.make_rows(given_groups(group)), (LEARN, FIRST), (LEARN,), self.n_outputs)
        learn, judge = grown.sums.average((LEARN,)), grown.sums.average((FIRST,))
        search = Search(learn, {FIRST: judge}, self._penalty(grown, learn), _sizes(grown))
        search.prepare(FEW_STRENGTHS.tolist())
        return judge.n_rows * np.array([search.errors(strength, FIRST) for strength in FEW_STRENGTHS.tolist()])

    def fit(self, group: NDArray[np.intp], errors: Floats, rows_ratio: float) -> Fit:
        """Fit the rows of LEARN with the strength and size of least error; fits that were judged had fewer rows."""
        rows = self.make_rows(given_groups(group))
        grown = self.grower.grow(rows, (LEARN,), (LEARN,), self.n_outputs)
        normal = grown.sums.average((LEARN,))
        strength, share = np.unravel_index(errors.argmin(), errors.shape)
        size = _sizes(grown)[share]
        ridge = FEW_STRENGTHS[strength] * rows_ratio * self._penalty(grown, normal)[:size]
        return _fit(grown.columns.first(size), normal.first(size), ridge, rows, (LEARN,))

    def _penalty(self, grown: Grown, normal: Normal) -> Floats:
        return _weighed(self.grower, grown.columns, normal, FEW_WEIGHING)


def _sizes(grown: Grown) -> list[int]:
    n_main = grown.rounds[0]
    return [n_main + round(float(share) * (grown.columns.size - n_main)) for share in FEW_SIZES]


def _weighed(grower: Grower, columns: Columns, normal: Normal, strength: float) -> Floats:
    roughness = columns.roughness(grower.marginals)
    return weigh(columns, roughness, ridge_fit(normal, strength * roughness))


def _fit(columns: Columns, normal: Normal, ridge: Floats, rows: GroupedRows, groups: tuple[int, ...]) -> Fit:
    return Fit(columns, normal, ridge, ridge_fit(normal, ridge), rows, groups)
