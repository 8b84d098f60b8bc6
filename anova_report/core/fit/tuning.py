"""How strong the penalty is and how many columns stay, chosen without the rows on which fidelity is reported.

One Cholesky factor serves every leading number of columns, so that a whole path of fits costs little more than one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.engines.threads import in_order, side_by_side
from anova_report.core.fit.cell_table import CellSolution
from anova_report.core.fit.design import Columns
from anova_report.core.fit.growth import (
    ROUNDS,
    WORTH_BACKGROUND,
    ColumnSearch,
    Degrees,
    FoundColumns,
    round_strength,
)
from anova_report.core.fit.replicates import REPLICATES
from anova_report.core.fit.row_blocks import CodedRows, FitRows, GroupedRows, Groups
from anova_report.core.fit.splines import POWERS, FamilyName
from anova_report.core.fit.sums import Normal, factor, mean_squared_error, ridge_fit, solve_factored, solve_upper

LEARN, FIRST, SECOND = 0, 1, 2  # columns are chosen on LEARN; each of the others tunes the fit reported on the other
SHARES = (0.6, 0.2, 0.2)
START = -7  # where the search over strengths begins, in half decades
FURTHEST = 14  # half decades: strengths from 1e-7 to 1e7

NOTHING = 1e-9  # share of the predictions' variance: columns that explain less on other rows are left out

FEW_ROWS = 4000  # with fewer, one split is too noisy: every row is held out once
MOST_IN_FOLDS = 10  # times as many, of unequal weight, are not divided into folds, whose fits would take too long
FOLDS = 5  # of which each is held out once

# Standard deviations beyond noise of coefficients that are no noise; if smoother ones may be, rough ones need more.
SURE, VERY_SURE = 3.0, 6.0
DOUBTFUL = 1000.0  # the others are penalised so much more

# A family is chosen by small fits on some of the rows on which columns are chosen: pairs tell families apart, with the
# smoothest products beside those that stand out, perhaps by chance.
TRIAL_ROWS, TRIAL_COLUMNS, TRIAL_BACKGROUND = 8000, 600, 300
TRIAL_DEGREES = Degrees(16, 12)
TRIAL_STEPS = range(-10, -1, 2)  # strengths that are tried, in half decades
TRIAL_SHARE = 0.75  # of these rows are learnt from, the others judge
# Of two ways that are about as good on other rows, the smoother: how much better the rougher must be, as a share.
ROUGH_FAMILY, ROUGH_PENALTY = 0.01, 0.003


@dataclass(eq=False)
class StrengthSearch:
    """Errors of fits on some rows, measured on others, over the penalty's strength and the number of columns."""

    learn: Normal  # rows of the fits
    validation: Mapping[int, Normal]  # groups of rows on which errors are measured
    penalty: Floats  # shape (n_columns,)
    sizes: Sequence[int]  # leading numbers of columns to try
    doubtful: bool = False  # whether the last size has a background, and must do better than the others
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
                if self.doubtful:
                    tried[step][-1] += WORTH_BACKGROUND * sum(self.validation[group].n_rows for group in groups)
            return float(tried[step].min())

        self.prepare([10 ** (step / 2) for step in (start, start - 1, start + 1)])
        for direction in (1, -1):
            at = start
            while abs(at + direction) <= FURTHEST and height(at + direction) < height(at):
                at += direction
        lowest = min(tried, key=height)
        # Columns that change next to nothing are not worth having.
        enough = tried[lowest] <= height(lowest) + NOTHING * sum(self.validation[group].n_rows for group in groups)
        return 10 ** (lowest / 2), self.sizes[int(enough.argmax())]

    def error(self, groups: Sequence[int], strength: float, size: int) -> float:
        """Mean squared error of one fit on the rows of these groups."""
        at, n_rows = list(self.sizes).index(size), [self.validation[group].n_rows for group in groups]
        errors = [float(self.errors(strength, group)[at]) for group in groups]
        return float(np.average(errors, weights=n_rows))

    def _try(self, strength: float) -> dict[int, Floats]:
        upper = factor(self.learn.gram, strength * self.penalty)
        half = solve_upper(upper, self.learn.cross, transposed=True)
        # With the rest set to zero, the system of all columns is that of the leading ones.
        leading = np.arange(len(half))[:, None] < np.asarray(self.sizes)
        fits = solve_upper(upper, (leading[:, :, None] * half[:, None]).reshape(len(half), -1))
        return {
            group: mean_squared_error(normal, fits).reshape(len(self.sizes), -1).mean(axis=1)
            for group, normal in self.validation.items()
        }


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit on the rows of some groups, penalised unless it solves a table of cells."""

    columns: Columns
    normal: Normal  # averages over the rows of the fit
    ridge: Floats  # shape (n_columns,): penalty of each coefficient
    rows: FitRows
    groups: tuple[int, ...]  # which of the rows the fit has seen
    tuning_error: float = np.inf  # mean squared error, on the rows that tuned it, of such a fit without them
    solution: CellSolution | None = None  # of the table of cells, if the fit solves it

    @cached_property
    def upper(self) -> Floats:
        """Upper Cholesky factor of the penalised Gram matrix."""
        return factor(self.normal.gram, self.ridge)

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients of the columns, shape (n_columns, n_outputs)."""
        return solve_factored(self.upper, self.normal.cross) if self.solution is None else self.solution.coefficients


@dataclass(frozen=True, eq=False)
class HeldOutFit:
    """A fit, and a group of rows whose predictions no step that led to it has seen."""

    fit: Fit
    group: int
    n_rows: float  # sum of the weights of the rows of that group


def are_many(n_effective: float, n_rows: int) -> bool:
    """Say whether one split of the rows is enough, or every row is to be held out once."""
    return n_effective >= FEW_ROWS or n_rows >= MOST_IN_FOLDS * FEW_ROWS


@dataclass(frozen=True, eq=False)
class Candidate:
    """A family: what looks for columns made of its functions, and the rows on which they are evaluated."""

    search: ColumnSearch
    coded: CodedRows
    replicates: Groups
    ranks: NDArray[np.intp] | None = None  # of the rows, as in `GroupedRows`

    def rows(self, groups: Groups) -> GroupedRows:
        """Divide the rows into groups."""
        return GroupedRows(self.coded, self.search.marginals, groups, self.replicates, self.ranks)

    def small(self) -> "Candidate":
        """Look for few columns only, and add the smoothest products."""
        own = self.search.degrees
        degrees = replace(own, main=min(own.main, TRIAL_DEGREES.main), pair=min(own.pair, TRIAL_DEGREES.pair))
        marginals = [marginal.lowest(max(degrees.main, degrees.pair)) for marginal in self.search.marginals]
        small = replace(self.search, marginals=marginals, degrees=degrees, known=self.search.low, rounds=ROUNDS[:1])
        return replace(self, search=replace(small, max_columns=TRIAL_COLUMNS, n_background=TRIAL_BACKGROUND))


MakeRows: TypeAlias = Callable[[Groups], GroupedRows]  # from an assignment of groups to the rows
Candidates: TypeAlias = Mapping[FamilyName, Candidate]


def choose_family(candidates: Candidates, groups: Groups, n_rows: int, n_outputs: int) -> FamilyName:
    """Try every family on a sample of the rows of LEARN: small fits on some of them, judged on the others."""
    share = min(1.0, TRIAL_ROWS / (SHARES[LEARN] * n_rows))
    learn, judge = (max(1, round(REPLICATES * share * part)) for part in (TRIAL_SHARE, 1 - TRIAL_SHARE))

    def trial_groups(number: int, size: int) -> NDArray[np.intp]:
        replicate = next(iter(candidates.values())).replicates(number, size)
        part = np.where(replicate < learn, LEARN, np.where(replicate < learn + judge, FIRST, SECOND))
        return np.where(groups(number, size) == LEARN, part, SECOND)

    def error(candidate: Candidate) -> float:
        small = candidate.small()
        rows = small.rows(trial_groups)
        found = small.search.grow(rows, (LEARN, FIRST), (LEARN,), n_outputs)
        found = found.extended(rows, small.search.background(found.columns))
        normal, validation = found.sums.average((LEARN,)), found.sums.average((FIRST,))
        penalty, _ = penalties(small.search, found.columns, normal, round_strength(normal.n_rows))
        strengths = StrengthSearch(normal, {FIRST: validation}, penalty, found.sizes)
        return min(float(strengths.errors(10.0 ** (step / 2), FIRST).min()) for step in TRIAL_STEPS)

    tried = side_by_side([partial(error, candidate) for candidate in candidates.values()])
    errors: dict[FamilyName, float] = dict(zip(candidates, tried, strict=True))
    best = min(errors, key=lambda family: errors[family] * (1 + ROUGH_FAMILY * (POWERS[family] == 1)))
    for other in candidates.keys() - {best}:
        candidates[other].search.low.forget()
    return best


def fit_many(search: ColumnSearch, rows: GroupedRows, n_outputs: int) -> tuple[Fit, list[HeldOutFit]]:
    """Fit many rows: columns are chosen on three fifths of them, strength and size on each other fifth in turn."""
    found = search.grow(rows, (LEARN, FIRST, SECOND), (LEARN,), n_outputs)
    search.steps.start("smoothness")
    found = found.extended(rows, search.background(found.columns))
    learn, *others = in_order(lambda group: found.sums.average((group,)), (LEARN, FIRST, SECOND))
    validation = dict(zip((FIRST, SECOND), others, strict=True))
    penalty = penalties(search, found.columns, learn, round_strength(learn.n_rows))
    searches = [StrengthSearch(learn, validation, each, found.sizes, found.background) for each in penalty]

    def tuned(at: int) -> list[tuple[float, int, float, int]]:
        """Error, which penalty, strength and size it is of; on each of the groups, and on both."""
        strengths, found = searches[at], []
        for groups in ((FIRST,), (SECOND,), (FIRST, SECOND)):
            strength, size = strengths.best(groups, START)
            found.append((strengths.error(groups, strength, size), at, strength, size))
        return found

    tried = side_by_side([partial(tuned, at) for at in range(len(searches))])
    by_first, by_second, by_both = (
        min(each, key=lambda own: own[0] * (1 + ROUGH_PENALTY * own[1])) for each in zip(*tried, strict=True)
    )
    held_out = []
    for reported, tuning, (error, at, strength, size) in ((FIRST, SECOND, by_second), (SECOND, FIRST, by_first)):
        normal = found.sums.average((LEARN, tuning), size)
        # The penalty is per row: with more rows the same prior weighs less.
        ridge = strength * learn.n_rows / normal.n_rows * penalty[at][:size]
        fit = Fit(found.columns.first(size), normal, ridge, rows, (LEARN, tuning), error)
        held_out.append(HeldOutFit(fit, reported, validation[reported].n_rows))
    error, at, strength, size = by_both
    searches.clear()
    del validation  # the Grams of both are not needed for the fit on all rows
    return replace(_fit_all(search, found, rows, size, strength * learn.n_rows, at), tuning_error=error), held_out


def _fit_all(
    search: ColumnSearch, found: FoundColumns, rows: GroupedRows, size: int, strength: float, which: int
) -> Fit:
    """Fit on all rows; `strength`, of one of the `penalties`, is for one row.

    If every column that evidence called for was worth having, it looks once more for others.
    """
    search.steps.start("all rows")
    merged = found.sums.merged(size)
    columns = found.columns.first(size)
    if size >= found.n_called_for and search.max_order > 1:
        more = search.more_pairs(rows, columns, merged, (LEARN,), ROUNDS[-1])
        if more:
            columns = columns.with_blocks(more)
            merged.extend(rows, columns)
    normal = merged.average((LEARN,))
    penalty = penalties(search, columns, normal, round_strength(normal.n_rows))[which]
    return Fit(columns, normal, strength / normal.n_rows * penalty, rows, (LEARN, FIRST, SECOND))


def penalties(search: ColumnSearch, columns: Columns, normal: Normal, strength: float) -> tuple[Floats, Floats]:
    """Penalties to choose from, of one row and a strength of one, by a first fit with a wide prior."""
    roughness = columns.roughness(search.marginals)
    coefficients = ridge_fit(normal, strength * roughness)
    gap = float(mean_squared_error(normal, coefficients).mean())
    return weighed_penalties(search, columns, strength, coefficients, gap, normal.n_rows)


def weighed_penalties(
    search: ColumnSearch, columns: Columns, strength: float, coefficients: Floats, gap: float, n_rows: float
) -> tuple[Floats, Floats]:
    """Weigh penalties by a first fit, which leaves a mean squared gap: functions that may be noise cost more, or not.

    Smooth models want the first, and those with steps too small to be told from noise one by one the second.
    """
    roughness = columns.roughness(search.marginals)
    plain = weigh(columns, roughness**search.power, coefficients)
    return plain * doubt(columns, roughness, strength * roughness, coefficients, gap, n_rows), plain


def weigh(columns: Columns, penalty: Floats, coefficients: Floats) -> Floats:
    """Penalise weak components more and strong ones less: one round of reweighting by energy.

    The root of the inverse energy, within a factor of 30: the full inverse would drop components for good.
    """
    energy = (coefficients**2 / np.maximum((coefficients[1:] ** 2).sum(axis=0), np.finfo(float).tiny)).mean(axis=1)
    weights = np.ones_like(penalty)
    for positions in columns.positions.values():
        share = max(float(energy[positions].sum()), np.finfo(float).tiny)
        weights[positions] = np.clip((1 / len(columns.positions) / share) ** 0.5, 1 / 30, 30)
    return penalty * weights


def doubt(
    columns: Columns, roughness: Floats, ridge: Floats, coefficients: Floats, gap: float, n_rows: float
) -> Floats:
    """Penalise functions of main effects more where all of about their roughness may be noise, shape (n_columns,).

    One penalty serves all features, so that a rough main effect would leave the others rough. What chance makes of
    coefficients is told as if columns were orthonormal: where they are not it is more, and they are left alone. `gap`
    is the mean square of what the fit leaves.
    """
    kept, weights = 1 / (1 + ridge), np.ones_like(roughness)
    noise = max(gap, 0.0) / max(1 - kept.sum() / n_rows, 0.1) / n_rows
    squares = (coefficients**2).mean(axis=1)
    for positions in (own for term, own in columns.positions.items() if len(term) == 1):
        level, sigmas = np.floor(np.log2(np.maximum(roughness[positions], 1.0)) / 2), SURE
        for own in np.unique(level[level > 0]):
            at = positions[level == own]
            expected, chance = (kept[at] ** 2).sum(), np.sqrt(2 * (kept[at] ** 4).sum())
            if squares[at].sum() < noise * (expected + sigmas * chance):
                weights[at], sigmas = DOUBTFUL, VERY_SURE
    return weights
