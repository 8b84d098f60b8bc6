"""How strong the penalty is and how many columns stay, chosen without the rows on which fidelity is reported.

One Cholesky factor serves every leading number of columns, so that a whole path of fits costs little more than one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from anova_report.core.arrays import Floats
from anova_report.core.engines.threads import in_order
from anova_report.core.fit.design import Columns
from anova_report.core.fit.growth import GAINS, ROUNDS, ColumnSearch, FoundColumns, round_strength, weigh
from anova_report.core.fit.partition import Units
from anova_report.core.fit.row_blocks import GroupedRows, Groups, given_groups
from anova_report.core.fit.sums import Normal, factor, mean_squared_error, ridge_fit

LEARN, FIRST, SECOND = 0, 1, 2  # columns are chosen on LEARN; each of the others tunes the fit reported on the other
SHARES = (0.6, 0.2, 0.2)
START = -7  # where the search over strengths begins, in half decades
FURTHEST = 14  # half decades: strengths from 1e-7 to 1e7

FEW_ROWS = 4000  # with fewer, one split is too noisy: every row is held out once
MOST_IN_FOLDS = 10  # times as many, of unequal weight, are not divided into folds, whose fits would take too long
FOLDS = 5
FEW_STRENGTHS = 10.0 ** np.arange(-4, 2.1, 0.5)
FEW_WEIGHING = 3e-2  # strength of the fit that weighs components

MakeRows = Callable[[Groups], GroupedRows]  # from an assignment of groups to the rows


@dataclass(eq=False)
class StrengthSearch:
    """Errors of fits on some rows, measured on others, over the penalty's strength and the number of columns."""

    learn: Normal  # rows of the fits
    validation: Mapping[int, Normal]  # groups of rows on which errors are measured
    penalty: Floats  # shape (n_columns,)
    sizes: Sequence[int]  # leading numbers of columns to try
    _errors: dict[float, dict[int, Floats]] = field(default_factory=dict, init=False)

    def errors(self, strength: float, group: int) -> Floats:
        """Mean squared error for every size, averaged over outputs, which have unit variance."""
        self.prepare([strength])
        return self._errors[strength][group]

    def prepare(self, strengths: Sequence[float]) -> None:
        """Fit with several strengths side by side."""
        new = [strength for strength in strengths if strength not in self._errors]
        self._errors.update(zip(new, in_order(self._try, new), strict=True))

    def best(self, groups: Sequence[int], start: int) -> tuple[float, int]:
        """Walk downhill by half decades on the errors of these groups; `start` is an exponent in half decades."""
        tried: dict[int, Floats] = {}

        def height(step: int) -> float:
            if step not in tried:
                errors = [self.validation[group].n_rows * self.errors(10 ** (step / 2), group) for group in groups]
                tried[step] = np.sum(errors, axis=0)
            return float(tried[step].min())

        self.prepare([10 ** (step / 2) for step in (start, start - 1, start + 1)])
        for direction in (1, -1):
            at = start
            while abs(at + direction) <= FURTHEST and height(at + direction) < height(at):
                at += direction
        lowest = min(tried, key=height)
        return 10 ** (lowest / 2), self.sizes[int(tried[lowest].argmin())]

    def _try(self, strength: float) -> dict[int, Floats]:
        upper = factor(self.learn.gram, strength * self.penalty)
        half = solve_triangular(upper, self.learn.cross, trans=1, check_finite=False)
        fits = [solve_triangular(upper[:size, :size], half[:size], check_finite=False) for size in self.sizes]
        return {group: self._errors_of(fits, normal) for group, normal in self.validation.items()}

    def _errors_of(self, fits: Sequence[Floats], normal: Normal) -> Floats:
        """Evaluate fits of all sizes at once, as if each were one more output."""
        n_outputs = normal.cross.shape[1]
        together = np.zeros((len(normal.gram), len(fits) * n_outputs), order="F")
        for index, fit in enumerate(fits):
            together[: len(fit), index * n_outputs : (index + 1) * n_outputs] = fit
        repeated = Normal(normal.gram, np.tile(normal.cross, len(fits)), np.tile(normal.squares, len(fits)), 0)
        return np.asarray(mean_squared_error(repeated, together).reshape(len(fits), n_outputs).mean(axis=1))


@dataclass(frozen=True, eq=False)
class Fit:
    """A penalised fit on the rows of some groups."""

    columns: Columns
    normal: Normal  # averages over the rows of the fit
    ridge: Floats  # shape (n_columns,): penalty of each coefficient
    rows: GroupedRows
    groups: tuple[int, ...]  # which of the rows the fit has seen

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients of the columns, shape (n_columns, n_outputs)."""
        return ridge_fit(self.normal, self.ridge)


@dataclass(frozen=True, eq=False)
class HeldOutFit:
    """A fit, and a group of rows whose answers no step that led to it has seen."""

    fit: Fit
    group: int
    n_rows: float  # sum of the weights of the rows of that group


def are_many(n_effective: float, n_rows: int) -> bool:
    """Say whether one split of the rows is enough, or every row is to be held out once."""
    return n_effective >= FEW_ROWS or n_rows >= MOST_IN_FOLDS * FEW_ROWS


def tune_and_solve(
    search: ColumnSearch, rows_in: MakeRows, many: bool, n_outputs: int, units: Units
) -> tuple[Fit, list[HeldOutFit]]:
    """Find columns, choose how strongly they are penalised and how many stay, and fit them.

    Returned are the fit on all rows, and fits on some of the rows with all choices made without the group each is
    reported on; every group is made of whole units.
    """
    if many:
        return fit_many(search, rows_in(units.groups(SHARES)), n_outputs)
    return fit_few(search, rows_in, units.folds(FOLDS), n_outputs, units.weights)


def fit_many(search: ColumnSearch, rows: GroupedRows, n_outputs: int) -> tuple[Fit, list[HeldOutFit]]:
    """Fit many rows: columns are chosen on three fifths of them, strength and size on each other fifth in turn."""
    found = search.grow(rows, (LEARN, FIRST, SECOND), (LEARN,), n_outputs)
    search.steps.start("smoothness")
    learn = found.sums.average((LEARN,))
    penalty = _weighed(search, found.columns, learn, round_strength(learn.n_rows))
    validation = {group: found.sums.average((group,)) for group in (FIRST, SECOND)}
    strengths = StrengthSearch(learn, validation, penalty, found.sizes)
    held_out = []
    for reported, tuning in ((FIRST, SECOND), (SECOND, FIRST)):
        strength, size = strengths.best((tuning,), START)
        normal = found.sums.average((LEARN, tuning)).first(size)
        # The penalty is per row: with more rows the same prior weighs less.
        ridge = strength * learn.n_rows / normal.n_rows * penalty[:size]
        fit = Fit(found.columns.first(size), normal, ridge, rows, (LEARN, tuning))
        held_out.append(HeldOutFit(fit, reported, validation[reported].n_rows))
    strength, size = strengths.best((FIRST, SECOND), START)
    del validation, strengths  # their Grams are not needed for the fit on all rows
    return _fit_all(search, found, rows, size, strength * learn.n_rows), held_out


def _fit_all(search: ColumnSearch, found: FoundColumns, rows: GroupedRows, size: int, strength: float) -> Fit:
    """Fit on all rows; `strength` is for one row. If every column was worth having, look once more for others."""
    search.steps.start("all rows")
    merged = found.sums.merged(size)
    columns = found.columns.first(size)
    if size == found.columns.size and search.max_order > 1:
        more = search.more_pairs(rows, columns, merged, (LEARN,), ROUNDS[-1])
        if more:
            columns = columns.with_blocks(more)
            merged.extend(rows, columns)
    normal = merged.average((LEARN,))
    penalty = _weighed(search, columns, normal, round_strength(normal.n_rows))
    return Fit(columns, normal, strength / normal.n_rows * penalty, rows, (LEARN, FIRST, SECOND))


def fit_few(
    search: ColumnSearch,
    rows_in: MakeRows,
    folds: NDArray[np.intp],
    n_outputs: int,
    weights: Floats | None = None,
) -> tuple[Fit, list[HeldOutFit]]:
    """Fit few rows: every fold is held out once, and everything is chosen again without it."""
    sizes = np.bincount(folds, weights=weights).tolist()

    def errors(reported: int, tuning: int) -> Floats:
        """Errors on one fold of fits that saw neither it nor the reported one, by strength and size."""
        group = np.where(folds == tuning, FIRST, np.where(folds == reported, SECOND, LEARN))
        found = search.grow(rows_in(given_groups(group)), (LEARN, FIRST), (LEARN,), n_outputs)
        learn, validation = found.sums.average((LEARN,)), found.sums.average((FIRST,))
        penalty = _weighed(search, found.columns, learn, FEW_WEIGHING)
        strengths = StrengthSearch(learn, {FIRST: validation}, penalty, found.sizes)
        strengths.prepare(FEW_STRENGTHS.tolist())
        tried = [strengths.errors(strength, FIRST) for strength in FEW_STRENGTHS.tolist()]
        return validation.n_rows * np.array(tried)

    def fit(group: NDArray[np.intp], tried: Floats, rows_ratio: float) -> Fit:
        """Fit the rows of LEARN with the strength and size of least error; fits that were tried had fewer rows."""
        rows = rows_in(given_groups(group))
        found = search.grow(rows, (LEARN,), (LEARN,), n_outputs)
        normal = found.sums.average((LEARN,))
        strength, gain = np.unravel_index(tried.argmin(), tried.shape)
        size = found.sizes[gain]
        penalty = _weighed(search, found.columns, normal, FEW_WEIGHING)
        ridge = FEW_STRENGTHS[strength] * rows_ratio * penalty[:size]
        return Fit(found.columns.first(size), normal.first(size), ridge, rows, (LEARN,))

    n_folds = int(folds.max()) + 1
    held_out, pooled = [], np.zeros((len(FEW_STRENGTHS), len(GAINS)))
    for reported in range(n_folds):
        tried = np.sum([errors(reported, tuning) for tuning in range(n_folds) if tuning != reported], axis=0)
        pooled += tried
        fold_fit = fit(np.where(folds == reported, FIRST, LEARN), tried, (n_folds - 2) / (n_folds - 1))
        held_out.append(HeldOutFit(fold_fit, FIRST, sizes[reported]))
    return fit(np.zeros_like(folds), pooled, (n_folds - 2) / n_folds), held_out


def _weighed(search: ColumnSearch, columns: Columns, normal: Normal, strength: float) -> Floats:
    roughness = columns.roughness(search.marginals)
    return weigh(columns, roughness, ridge_fit(normal, strength * roughness))
