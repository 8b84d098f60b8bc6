"""Fits of few rows, where one split would be too noisy: every fold of the rows is held out once."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.engines.threads import in_order
from anova_report.core.fit.design import Columns
from anova_report.core.fit.growth import WORTH_BACKGROUND, ColumnSearch, FoundColumns
from anova_report.core.fit.row_blocks import GroupedRows, given_groups
from anova_report.core.fit.splines import FamilyName
from anova_report.core.fit.sums import factor, solve_factored
from anova_report.core.fit.tuning import (
    FIRST,
    FOLDS,
    LEARN,
    SECOND,
    Candidates,
    Fit,
    HeldOutFit,
    StrengthSearch,
    penalties,
    weighed_penalties,
)

SEARCHES_OF_FEW = FOLDS * 2 + FOLDS + 1  # every two neighbouring folds with two families, every fold, all rows
# Powers of ten, by that of roughness in the penalty: strengths that are tried.
STEPS = {1: np.arange(-4.0, 3.0), 2: np.arange(-6.0, 1.0)}
TOLERANCE = 0.01  # with a background: of fits that are about as good, the smoothest has learnt least by heart
WEIGHING = 3e-2  # strength of the fit that weighs components
FEWER_ROWS = 0.6  # than that share of the columns: then fits through rows are faster
LEAST_PENALTY = 1e-9  # of a column in a fit through rows, which divides by it

Trial: TypeAlias = tuple[FamilyName, int, int]  # two folds that a fit with a family has not seen


def _trial(name: FamilyName, fold: int, other: int) -> Trial:
    """Name a trial, whichever of two folds comes first."""
    return name, min(fold, other), max(fold, other)


def fit_few(
    candidates: Candidates, folds: NDArray[np.intp], n_outputs: int, weights: Floats | None = None
) -> tuple[Fit, list[HeldOutFit]]:
    """Fit few rows: every fold is held out once, and everything is chosen again without it.

    The two neighbours of a fold choose how the fit without it is made, and all folds how that of all rows is: to try
    more would cost more than it tells.
    """
    every = range(int(folds.max()) + 1)
    n_folds, sizes = len(every), np.bincount(folds, weights=weights).tolist()
    beside = [sorted({(fold + 1) % n_folds, (fold - 1) % n_folds}) for fold in every]
    wanted = sorted({_trial(name, fold, other) for name in candidates for fold in every for other in beside[fold]})
    trials = FoldTrials(candidates, folds, n_outputs)
    errors = dict(zip(wanted, in_order(trials.errors, wanted), strict=True))

    def tried(name: FamilyName, fold: int) -> Floats:
        return np.asarray(np.sum([errors[_trial(name, fold, other)][other] for other in beside[fold]], axis=0))

    by_fold = [{name: tried(name, fold) for name in candidates} for fold in every]

    def without(fold: int) -> HeldOutFit:
        group, n_tried = np.where(folds == fold, FIRST, LEARN), sum(sizes[other] for other in beside[fold])
        fit = trials.best(by_fold[fold], group, n_tried, (n_folds - 2) / (n_folds - 1))
        return HeldOutFit(fit, FIRST, sizes[fold])

    held_out = list(in_order(without, every))
    by_all = {name: np.sum([found[name] for found in by_fold], axis=0) for name in candidates}
    n_tried = sum(sizes[other] for fold in every for other in beside[fold])
    return trials.best(by_all, np.zeros_like(folds), n_tried, (n_folds - 2) / n_folds), held_out


@dataclass(frozen=True, eq=False)
class FoldTrials:
    """Tries fits on some folds, with columns that evidence calls for and with a background of smooth ones."""

    candidates: Candidates
    folds: NDArray[np.intp]
    n_outputs: int

    def errors(self, trial: Trial) -> dict[int, Floats]:
        """Sum squared errors on each of two folds of fits that have seen neither.

        By penalty, strength and size: as many columns as promised this or that, then all with the background.
        """
        name, first, second = trial
        search = self.candidates[name].search
        group = np.where(self.folds == first, FIRST, np.where(self.folds == second, SECOND, LEARN))
        rows = self.candidates[name].rows(given_groups(group))
        found = search.grow(rows, (LEARN, FIRST, SECOND), (LEARN,), self.n_outputs)
        tried = _errors_from_sums(search, found)
        smooth = search.background(found.columns)
        columns = found.columns.with_blocks(smooth)
        if not smooth:  # as where evidence called for all of them
            more = {at: own[:, :, -1:] for at, own in tried.items()}
        elif np.count_nonzero(group == LEARN) < FEWER_ROWS * columns.size:
            more = _errors_from_rows(search, columns, rows)
        else:
            more = _errors_from_sums(search, found.extended(rows, smooth), only_last=True)
        tried = {at: np.concatenate([own, more[at]], axis=2) for at, own in tried.items()}
        return {fold: found.sums.n_rows[at] * tried[at] for fold, at in ((first, FIRST), (second, SECOND))}

    def best(self, errors: dict[FamilyName, Floats], group: NDArray[np.intp], n_tried: float, rows_ratio: float) -> Fit:
        """Fit the rows of LEARN in the way of least error; fits that were tried had fewer rows by a ratio."""
        judged = {name: own.copy() for name, own in errors.items()}
        for own in judged.values():
            own[:, :, -1] += WORTH_BACKGROUND * n_tried
        name = min(judged, key=lambda name: float(judged[name].min()))
        which, step, gain = (int(at) for at in np.unravel_index(judged[name].argmin(), judged[name].shape))
        search, rows = self.candidates[name].search, self.candidates[name].rows(given_groups(group))
        found = search.grow(rows, (LEARN,), (LEARN,), self.n_outputs)
        with_background = gain == len(found.sizes)
        tolerance = TOLERANCE if with_background else 0.0
        strength = 10 ** _smoothest(STEPS[search.power], errors[name][which, :, gain], tolerance)
        if with_background:
            found = found.extended(rows, search.background(found.columns))
        normal, size = found.sums.average((LEARN,)), found.sizes[min(gain, len(found.sizes) - 1)]
        penalty = penalties(search, found.columns, normal, WEIGHING)[which]
        ridge = strength * rows_ratio * penalty[:size]
        error = float(errors[name][which, step, gain]) / n_tried
        return Fit(found.columns.first(size), normal.first(size), ridge, rows, (LEARN,), error)


def _smoothest(steps: Floats, errors: Floats, tolerance: float = 0.0) -> float:
    """Find the largest power of ten at which errors exceed the least by no more than a share of it.

    By the parabola through the least error that was tried and its neighbours, and no further than the next of these.

    Examples
    --------
    >>> steps = np.arange(-4.0, 3.0)
    >>> errors = 1 + (steps + 1.25) ** 2
    >>> _smoothest(steps, errors), round(_smoothest(steps, errors, 0.01), 3), _smoothest(steps, steps)
    (-1.25, -1.15, -4.0)
    """
    at = int(errors.argmin())
    if at in (0, len(errors) - 1):
        return float(steps[at])
    before, tried, after = errors[at - 1 : at + 2].tolist()
    bend = before - 2 * tried + after
    if bend <= 0:
        return float(steps[at])
    lowest = (before - after) / bend / 2
    least = max(tried - bend / 2 * lowest**2, 0.0)
    return float(steps[at] + min(lowest + math.sqrt(2 * tolerance * least / bend), 1.0))


def _errors_from_sums(search: ColumnSearch, found: FoundColumns, only_last: bool = False) -> dict[int, Floats]:
    """Mean squared errors on the rows of FIRST and SECOND by penalty, strength and size, or the last size alone."""
    sizes = found.sizes[-1:] if only_last else found.sizes
    normal = found.sums.average((LEARN,))
    validation = {at: found.sums.average((at,)) for at in (FIRST, SECOND)}
    strengths = (10.0 ** STEPS[search.power]).tolist()
    tried = [
        StrengthSearch(normal, validation, penalty, sizes)
        for penalty in penalties(search, found.columns, normal, WEIGHING)
    ]
    return {at: np.array([[own.errors(each, at) for each in strengths] for own in tried]) for at in validation}


def _errors_from_rows(search: ColumnSearch, columns: Columns, rows: GroupedRows) -> dict[int, Floats]:
    """Mean squared errors on the rows of FIRST and SECOND by penalty and strength, with a last axis of one size."""
    learn, *others = (RowsOfGroup.read(rows, (group,), columns) for group in (LEARN, FIRST, SECOND))
    roughness = columns.roughness(search.marginals)
    (first,) = learn.fits(roughness, [WEIGHING])
    weighed = weighed_penalties(search, columns, WEIGHING, first, learn.error(first), learn.n_rows)
    fits = [learn.fits(penalty, (10.0 ** STEPS[search.power]).tolist()) for penalty in weighed]
    return {
        at: np.array([[[own.error(fit)] for fit in of_penalty] for of_penalty in fits])
        for at, own in zip((FIRST, SECOND), others, strict=True)
    }


@dataclass(frozen=True, eq=False)
class RowsOfGroup:
    """Columns and predictions of some rows, for fits of more columns than rows: they cost what rows cost."""

    design: Floats  # shape (n_rows, n_columns), the constant first
    predictions: Floats  # shape (n_rows, n_outputs)
    weights: Floats  # shape (n_rows,): of the rows, adding up to one
    n_rows: float

    @classmethod
    def read(cls, rows: GroupedRows, groups: Collection[int], columns: Columns) -> "RowsOfGroup":
        """Evaluate columns on the rows of some groups."""
        blocks = list(rows.blocks(groups))
        designs = [
            columns.design(block.functions, np.empty((columns.size, len(block.predictions)), dtype=np.float32))
            for block in blocks
        ]
        weights = np.concatenate([block.weighed(np.ones(len(block.predictions))) for block in blocks])
        design = np.concatenate(designs, axis=1).T.astype(np.float64)
        predictions = np.concatenate([block.predictions for block in blocks])
        return cls(design, predictions, weights / weights.sum(), float(weights.sum()))

    def fits(self, penalty: Floats, strengths: Iterable[float]) -> list[Floats]:
        """Fit with several strengths of a penalty, each fit of shape (n_columns, n_outputs).

        (BᵀWB + λP)⁻¹ BᵀWy = P⁻¹BᵀW^½ (W^½BP⁻¹BᵀW^½ + λ)⁻¹ W^½y, for centred columns: the constant costs nothing.
        """
        means, centre = self.weights @ self.design[:, 1:], self.weights @ self.predictions
        root = np.sqrt(self.weights)[:, None]
        centred, left = (self.design[:, 1:] - means) * root, (self.predictions - centre) * root
        cheap = centred / np.maximum(penalty[1:], LEAST_PENALTY)
        products = cheap @ centred.T
        found = []
        for strength in strengths:
            slopes = cheap.T @ solve_factored(factor(products, np.full(len(products), strength)), left)
            found.append(np.concatenate([(centre - means @ slopes)[None], slopes]))
        return found

    def error(self, coefficients: Floats) -> float:
        """Mean squared error of a fit on these rows, averaged over outputs, which have unit variance."""
        gaps = self.predictions - self.design @ coefficients
        return float((self.weights @ gaps**2).mean())
