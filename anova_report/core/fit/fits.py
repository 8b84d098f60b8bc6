"""What tuning hands on: a fit, the rows it is judged on, and a family with what looks for its columns."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.design import Columns
from anova_report.core.fit.cell_table import CellSolution
from anova_report.core.fit.forward_selection import ColumnSearch
from anova_report.core.fit.partition import ASKED
from anova_report.core.fit.row_blocks import CodedRows, FitRows, GroupedRows, Groups, given_groups
from anova_report.core.fit.sums import Normal, combined, factor, solve_factored


@dataclass(frozen=True)
class OffData:
    """Whether a model behaves off the data as it does on them: errors on rows of the data that fits have not seen.

    Both are mean squares over the variance of the predictions.
    """

    rows_only: float  # of a fit on rows of the data
    asked: float  # of a fit on these and recombined rows
    by_feature: tuple[float, ...]  # variance of the difference of both along each feature, over that of predictions


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit on the rows of some groups, penalized unless it solves a table of cells.

    The function is approximated on rows of the data and on recombined rows together, and decomposed under the rows of
    the data alone. Where `anchor` is given, a second fit of the rows alone shrinks toward the first, not toward zero:
    (G + A) b = c + A b₁.
    """

    columns: Columns
    normal: Normal  # averages over the rows of the data, under which it is decomposed
    ridge: Floats  # shape (n_columns,): penalty of each coefficient
    rows: FitRows
    groups: tuple[int, ...]  # which rows of the data the fit has seen
    tuning_error: float = np.inf  # mean squared error, on the rows that tuned it, of such a fit without them
    solution: CellSolution | None = None  # of the table of cells, if the fit solves it
    asked: Normal | None = None  # averages over the recombined rows of these groups
    asked_by: tuple[GroupedRows, GroupedRows] | None = None  # these rows, by the replicates of either parent
    anchor: Floats | None = None  # shape (n_columns,)
    off_data: OffData | None = None  # what recombined rows do to errors on rows of the data
    # Coefficients, where they come from other rows than these, in which functions do not average to zero.
    known: Floats | None = None

    @cached_property
    def system(self) -> Normal:
        """Averages over all rows that the function is approximated on."""
        return self.normal if self.asked is None else combined([self.normal, self.asked])

    @cached_property
    def upper(self) -> Floats:
        """Upper Cholesky factor of the penalized Gram matrix."""
        return factor(self.system.gram, self.ridge)

    @cached_property
    def anchored(self) -> Floats | None:
        """Upper Cholesky factor of the second fit, of the rows alone."""
        return None if self.anchor is None else factor(self.normal.gram, self.anchor)

    @cached_property
    def first_coefficients(self) -> Floats:
        """Coefficients of the fit of all rows, before the rows of the data have the last word."""
        return solve_factored(self.upper, self.system.cross) if self.solution is None else self.solution.coefficients

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients of the columns, shape (n_columns, n_outputs)."""
        if self.known is not None:
            return self.known
        if self.anchor is None or self.anchored is None:
            return self.first_coefficients
        pulled = self.normal.cross + self.anchor[:, None] * self.first_coefficients
        return solve_factored(self.anchored, pulled)


@dataclass(frozen=True, eq=False)
class HeldOutFit:
    """A fit, and a group of rows whose predictions no step that led to it has seen."""

    fit: Fit
    group: int
    n_rows: float  # sum of the weights of the rows of that group


@dataclass(frozen=True, eq=False)
class AskedRows:
    """Recombined rows, with predictions: both parents of each belong to one fold."""

    coded: CodedRows
    base: NDArray[np.intp]  # shape (n_asked,): the row whose columns were kept
    donor: NDArray[np.intp]  # the row that the others were taken from


@dataclass(frozen=True, eq=False)
class Candidate:
    """A family: what looks for columns made of its functions, and the rows on which they are evaluated."""

    search: ColumnSearch
    coded: CodedRows
    replicates: Groups
    ranks: NDArray[np.intp] | None = None  # of the rows, as in `GroupedRows`
    asked: AskedRows | None = None

    def rows(self, groups: Groups) -> GroupedRows:
        """Divide the rows into groups; recombined rows follow their parents."""
        rows = GroupedRows(self.coded, self.search.marginals, groups, self.replicates, self.ranks)
        if self.asked is None:
            return rows
        group = rows.by_row(groups)[self.asked.base] + ASKED
        parents = [rows.by_row(self.replicates)[parent] for parent in (self.asked.base, self.asked.donor)]
        asked, by_donor = (
            GroupedRows(self.asked.coded, self.search.marginals, given_groups(group), given_groups(parent))
            for parent in parents
        )
        return replace(rows, asked=asked, by_donor=by_donor)
