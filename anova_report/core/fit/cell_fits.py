"""Whether the table of cells is solved, or a penalized fit taken: each fit by the evidence of the rows it may see."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from anova_report.core.arrays import DOUBLE_ROUNDING, ROUNDING, Floats
from anova_report.core.basis.design import Columns
from anova_report.core.fit.cell_table import CellSums, needed, solve_cells
from anova_report.core.fit.fits import Fit, HeldOutFit
from anova_report.core.fit.partition import FIRST, FOLDS, GROUPS, LEARN, SECOND, SHARES, Units
from anova_report.core.fit.row_blocks import FitRows, given_groups
from anova_report.core.fit.sums import Normal, mean_squared_error, ridge_fit
from anova_report.core.fit.tuning import MakeRows
from anova_report.core.input.features import ROWS_EACH

Fits: TypeAlias = tuple[Fit, list[HeldOutFit]]


@dataclass(frozen=True, eq=False)
class CellFits:
    """Fits of a table of cells without a penalty, and the evidence for them."""

    sums: CellSums
    rows: FitRows
    groups: tuple[int, ...]
    reported: tuple[int, ...]  # groups that are held out, all of them where every row is held out once

    @property
    def filled(self) -> bool:
        """Whether every cell that occurs has rows enough; the predictions are not looked at."""
        return self.sums.fewest_rows >= ROWS_EACH

    def determined(self, reported: int | None) -> bool:
        """Whether predictions are a function of the cells: there are more rows than columns, and nothing is left."""
        normal = self.sums.average(self._without(reported))
        return bool((mean_squared_error(normal, _unpenalized(normal)) <= DOUBLE_ROUNDING).all())

    def preferred(self, reported: int | None, rival: Fit) -> bool:
        """Whether to solve the cells of all groups but the reported one, rather than take a penalized fit.

        In cells of few rows an effect looks like noise, and a cell that was not seen has to be guessed.
        """
        determined = self.determined(reported)
        if self.filled == determined:  # both speak for it, or neither
            return determined
        return self._error(reported) <= rival.tuning_error

    def fit(self, reported: int | None) -> Fit:
        """Solve the cells of all groups but the reported one; without noise, interactions that hold nothing go."""
        groups = self._without(reported)
        columns, normal = self.sums.columns, self.sums.average(groups)
        solution = solve_cells(columns, normal)
        if self.determined(reported):
            columns, positions = needed(columns, solution)
            normal = normal.chosen(positions)
            solution = solve_cells(columns, normal)
        # Of the uncertainty only: columns that empty cells make dependent must not blow up rounding.
        ridge = np.full(columns.size, ROUNDING)
        ridge[0] = 0.0
        return Fit(columns, normal, ridge, self.rows, groups, solution=solution)

    def held_out(self, reported: int) -> HeldOutFit:
        """Solve the cells without the reported group."""
        return HeldOutFit(self.fit(reported), reported, self.sums.average((reported,)).n_rows)

    def _error(self, reported: int | None) -> float:
        """Mean squared error of the fits that a penalized one is tuned by: the same rows, and judged on the same."""
        trials = self._trials(reported)
        judged = [self.sums.average((group,)) for _, group in trials]
        tried = [_unpenalized(self.sums.average(learn)) for learn, _ in trials]
        errors = [mean_squared_error(*each).mean() for each in zip(judged, tried, strict=True)]
        return float(np.average(errors, weights=[normal.n_rows for normal in judged]))

    def _trials(self, reported: int | None) -> Sequence[tuple[tuple[int, ...], int]]:
        """List groups to learn from, each with the group that judges them; the reported group is in neither."""
        if self.groups == GROUPS and self.reported == (FIRST, SECOND):
            return [((LEARN,), group) for group in self.reported if group != reported]
        pairs = [(out, at) for out in self.groups for at in self.groups if out != at and reported in (None, out)]
        return [(tuple(group for group in self.groups if group not in pair), pair[1]) for pair in pairs]

    def _without(self, reported: int | None) -> tuple[int, ...]:
        return tuple(group for group in self.groups if group != reported)


def solve_or_tune(
    columns: Columns, rows_in: MakeRows, n_rounds: int, units: Units, penalized: Callable[[], Fits]
) -> Fits:
    """Solve the table of cells if the predictions are a function of it, or if other rows are predicted no worse.

    `columns` are all products of few-valued features, and `penalized` makes the fits that are taken otherwise: one on
    all rows and those without each of the groups that are reported on, as in the result.
    """
    groups: tuple[int, ...] = GROUPS
    reported: tuple[int, ...] = (FIRST, SECOND)
    if n_rounds == 1:
        rows = rows_in(units.groups(SHARES))
    else:
        folds = units.folds(FOLDS)
        rows = rows_in(given_groups(folds))
        groups = tuple(range(int(folds.max()) + 1))
        reported = groups[: 2 * n_rounds]
    cells = CellFits(CellSums(columns, rows, groups), rows, groups, reported)
    if cells.filled and cells.determined(None):  # by any of the groups, too: no held-out fit would choose otherwise
        return cells.fit(None), [cells.held_out(group) for group in reported]
    fit, held_out = penalized()
    chosen = [
        cells.held_out(group) if cells.preferred(group, rival.fit) else rival
        for group, rival in zip(reported, held_out, strict=True)
    ]
    return (cells.fit(None) if cells.preferred(None, fit) else fit), chosen


def _unpenalized(normal: Normal) -> Floats:
    return ridge_fit(normal, np.zeros(len(normal.gram)))
