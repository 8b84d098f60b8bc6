"""Tuning on other rows: which family, how many columns, and which smoothing parameter.

Rows are divided into five folds. A *round* leaves two folds out, selects columns on the other three and measures errors
on both. Everything about a fit is chosen by errors on folds that it has not seen, and never by the fold it is reported
on. Few rows afford three rounds, in which every row is held out; many need one.

Where the model was asked at recombined rows as well, these are learned from with the fold of their parents, and errors
are measured on rows of the data alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from anova_report.core.arrays import NEGLIGIBLE, Floats
from anova_report.core.basis.design import Columns
from anova_report.core.basis.splines import POWERS, FamilyName
from anova_report.core.fit.fits import Candidate, Fit, HeldOutFit, OffData
from anova_report.core.fit.forward_selection import ROUNDS
from anova_report.core.fit.found_columns import GAINS, FoundColumns, Selection
from anova_report.core.fit.partition import ASKED, FIRST, LEARN, SECOND, Round
from anova_report.core.fit.row_blocks import GroupedRows, Groups
from anova_report.core.fit.smoothing import SmoothingSearch, penalties
from anova_report.core.fit.sums import (
    GroupSums,
    Normal,
    combined,
    factor,
    mean_squared_error,
    ridge_fit,
    solve_factored,
)
from anova_report.core.threads import in_order

# Statistics (`make truth`, `make bench`).
CENTER = {1: 30.0, 2: 0.3}  # of the smoothing parameters that are tried, times the rows, by the power of roughness
DECADES = (-9, 4)  # around it: products of polynomials that are exact want next to no penalty
HOPELESS = 1.3  # times the least error of the first decades tried: families that are further off are given up
CONTENDS = 1.1  # times the least error: families that are further off are not tried with low-order tensor products
# Of two ways that are about as good on other rows, the smoother: share of the error by which the rougher penalty, and
# low-order tensor products, must lower it; and the rougher family. By as much a smoother fit with low-order tensor
# products may exceed the least: it has learned least by heart.
CLEARLY, ROUGH_FAMILY = 0.003, 0.01
NOTHING = 1e-4  # share of the error: columns that lower it by less are left out
LEAST = 0.95  # of the least error tried: no parabola through decades is trusted below
ANCHORS = (1.0, 10.0, 100.0, 1000.0)  # times the smoothing parameter: how firmly the rows keep to what was asked
ASKED_LOSS = 0.02  # share of the error that may be lost for effects that only recombined rows distinguish (`make ask`)
ANCHOR_GAIN = 0.005  # share of the error that a fit of the rows must lower, or the asked fit stays as it is


Candidates: TypeAlias = Mapping[FamilyName, Candidate]
MakeRows: TypeAlias = Callable[[Groups], GroupedRows]  # from an assignment of groups to the rows


Criterion: TypeAlias = tuple[tuple[int, int], ...]  # errors that decide: of these rounds, on FIRST or SECOND


@dataclass(frozen=True, eq=False)
class TuningChoice:
    """A way of fitting, and its mean squared error on the rows that chose it."""

    family: FamilyName
    penalty: int  # which of two
    smoothing: float  # the parameter, times the rows learned from
    size: int  # position among the sizes that were tried
    error: float
    anchor: float | None = None  # times the smoothing parameter


def tune(candidates: Candidates, rounds: Sequence[Round], n_outputs: int) -> tuple[Fit, list[HeldOutFit]]:
    """Choose family, columns and smoothing parameter by errors on other rows, and fit all rows.

    Returned are the fit on all rows, and fits on some of the rows with all choices made without the fold each is
    reported on, in the order of the folds. Where recombined rows make errors on rows of the data larger, everything is
    chosen once more without them, and each fit takes them only if that costs next to nothing.
    """
    fit, held_out = _tune(candidates, rounds, n_outputs)
    if fit.off_data is None or fit.off_data.asked <= fit.off_data.rows_only:
        return fit, held_out
    without = {family: replace(own, asked=None) for family, own in candidates.items()}
    alone, alone_held_out = _tune(without, rounds, n_outputs)

    def better(asked: Fit, rows_only: Fit) -> bool:
        return rows_only.tuning_error < (1 - ASKED_LOSS) * asked.tuning_error

    chosen = [own if better(asked.fit, own.fit) else asked for asked, own in zip(held_out, alone_held_out, strict=True)]
    return replace(alone, off_data=fit.off_data) if better(fit, alone) else fit, chosen


def _tune(candidates: Candidates, rounds: Sequence[Round], n_outputs: int) -> tuple[Fit, list[HeldOutFit]]:
    keys = [(family, at) for family in candidates for at in range(len(rounds))]
    made = (RoundTrial.of(candidates[family], rounds[at], n_outputs) for family, at in keys)
    tuner = Tuner(dict(zip(keys, made, strict=True)))
    everything: Criterion = tuple((at, group) for at in range(len(rounds)) for group in (FIRST, SECOND))
    places: dict[int, list[tuple[int, int]]] = {}
    for at, group in everything:
        places.setdefault(rounds[at].fold(group), []).append((at, group))
    # A fit without a fold is chosen by errors on the fold that was left out beside it.
    beside = {fold: tuple((at, FIRST + SECOND - group) for at, group in own) for fold, own in places.items()}
    tuner.explore([everything, *beside.values()])

    def without(fold: int) -> HeldOutFit:
        (at, group), choice = places[fold][0], tuner.best(beside[fold])
        trial = tuner.trials[choice.family, at]
        return HeldOutFit(trial.refitted(choice, group), group, trial.validation[group].n_rows)

    held_out = list(in_order(without, sorted(places)))
    choice = tuner.best(everything)
    candidate = candidates[choice.family]
    for other in candidates.keys() - {choice.family}:
        candidates[other].search.low.forget()
    off_data = None if candidate.asked is None else tuner.off_data(choice, len(candidate.search.marginals))
    if len(rounds) == 1:  # rows enough to have selected columns on three folds of them
        fit = tuner.trials[choice.family, 0].extended_to_all(choice)
    else:
        tuner.trials.clear()
        fit = fit_all(candidate, choice, n_outputs)
    return replace(fit, off_data=off_data), held_out


class Tuner:
    """Errors of every family in every round, and the ways that are best by some of them."""

    def __init__(self, trials: dict[tuple[FamilyName, int], "RoundTrial"]) -> None:
        self.trials = trials
        self._tried: dict[FamilyName, dict[float, dict[tuple[int, int], Floats]]] = {name: {} for name, _ in trials}
        # What each criterion has left to choose from: families, and their penalties.
        self._may_choose: dict[Criterion, dict[FamilyName, tuple[int, ...]]] = {}

    def explore(self, criteria: Sequence[Criterion]) -> None:
        """Try smoothing parameters; of families that are about as good, with low-order tensor products as well."""
        self._may_choose = {own: dict.fromkeys(self._tried, (0, 1)) for own in criteria}
        for family in self._tried:
            self._try(family, (-1, 0, 1))
        for family in self._left(HOPELESS):
            self._walk(family)
        contenders = self._left(CONTENDS)
        self.trials = {key: trial for key, trial in self.trials.items() if key[0] in contenders}
        for family in contenders:
            rounds = [at for name, at in self.trials if name == family]
            extended = {(family, at): self.trials[family, at].with_low_order() for at in rounds}
            if all(extended[key] is self.trials[key] for key in extended):
                continue
            start = self._least(family, criteria[0])
            for own in (own for own in criteria if family in self._may_choose[own]):
                errors = self._judged(family, own).min(axis=1)
                self._may_choose[own][family] = tuple(np.flatnonzero(errors <= CONTENDS * errors.min()).tolist())
            self.trials.update(extended)
            self._tried[family] = {}
            self._try(family, (start, start + 1))
            self._walk(family)

    def _left(self, times: float) -> list[FamilyName]:
        """Give up families that by some criterion have so many times the least error; list those that are left."""
        for own, families in self._may_choose.items():
            errors = {family: self._best_of(family, own).error for family in families}
            most = times * min(errors.values())
            self._may_choose[own] = {family: families[family] for family in families if errors[family] <= most}
        return [family for family in self._tried if any(family in each for each in self._may_choose.values())]

    def _walk(self, family: FamilyName) -> None:
        """Try further decades until each criterion has its least error inside of what was tried."""
        while True:
            at = [self._least(family, own) for own, families in self._may_choose.items() if family in families]
            lowest, highest = min(self._tried[family]), max(self._tried[family])
            wanted = [lowest - 1] if lowest in at and lowest > DECADES[0] else []
            wanted += [highest + 1] if highest in at and highest < DECADES[1] else []
            if not wanted:
                return
            self._try(family, wanted)

    def best(self, criterion: Criterion) -> TuningChoice:
        """Choose the way of least error; of ways that are about as good, the smoother."""
        found = [self._best_of(family, criterion) for family in self._may_choose[criterion]]
        choice = min(found, key=lambda own: own.error * (1 + ROUGH_FAMILY * (POWERS[own.family] == 1)))
        if not self.trials[choice.family, criterion[0][0]].is_asked:
            return choice
        errors = sum(self.trials[choice.family, at].anchor_errors(choice, group) for at, group in criterion)
        *anchored, first = np.asarray(errors).tolist()
        if min(anchored) >= (1 - ANCHOR_GAIN) * first:
            return choice
        return replace(choice, anchor=ANCHORS[int(np.argmin(anchored))], error=choice.error * min(anchored) / first)

    def off_data(self, choice: TuningChoice, n_features: int) -> OffData:
        """Compare fits with and without recombined rows, of the same columns, on the same rows of the data."""
        own = [trial for (family, _), trial in self.trials.items() if family == choice.family]
        errors = np.mean([trial.rows_only(choice) for trial in own], axis=0)
        differences = own[0].difference(choice, n_features)
        return OffData(float(errors[0]), float(errors[1]), tuple(differences))

    def _best_of(self, family: FamilyName, criterion: Criterion) -> TuningChoice:
        (steps, errors), judged = self._errors(family, criterion), self._judged(family, criterion)
        chosen = int(judged.min(axis=1).argmin())
        size = int((judged[chosen] <= (1 + NOTHING) * judged.min() + NEGLIGIBLE).argmax())
        tolerance = ROUGH_FAMILY if size >= len(GAINS) else 0.0
        step, error = parabola(steps, errors[:, chosen, size], tolerance)
        smoothing = CENTER[self.trials[family, criterion[0][0]].search.power] * 10**step
        return TuningChoice(family, chosen, smoothing, size, error)

    def _judged(self, family: FamilyName, criterion: Criterion) -> Floats:
        """Find the least errors of penalties, those left to choose from, and sizes; rougher ways must be better."""
        steps, errors = self._errors(family, criterion)
        judged = np.full(errors.shape[1:], np.inf)
        for penalty in self._may_choose[criterion][family]:
            judged[penalty] = [parabola(steps, own)[1] for own in errors[:, penalty].T]
        judged[1:] *= 1 + CLEARLY
        judged[:, -1] *= 1 + CLEARLY
        return judged

    def _errors(self, family: FamilyName, criterion: Criterion) -> tuple[Floats, Floats]:
        """Mean squared errors by decade, penalty and size, of the decades in the first array."""
        steps = sorted(self._tried[family])
        weights = [self.trials[family, at].validation[group].n_rows for at, group in criterion]
        by_step = [
            np.average([self._tried[family][step][part] for part in criterion], axis=0, weights=weights)
            for step in steps
        ]
        return np.array(steps, dtype=float), np.maximum(by_step, 0.0) + NEGLIGIBLE

    def _least(self, family: FamilyName, criterion: Criterion) -> float:
        """Find the decade of least error."""
        steps, errors = self._errors(family, criterion)
        penalties = self._may_choose[criterion].get(family, (0, 1))
        return float(steps[errors[:, penalties].min(axis=(1, 2)).argmin()])

    def _try(self, family: FamilyName, steps: Sequence[float]) -> None:
        rounds = sorted(at for name, at in self.trials if name == family)
        penalties = sorted({each for families in self._may_choose.values() for each in families.get(family, ())})
        works = [(at, step, penalty) for at in rounds for step in steps for penalty in penalties]
        found = in_order(lambda work: self.trials[family, work[0]].errors(*work[1:]), works)
        for (at, step, penalty), errors in zip(works, found, strict=True):
            for group, own in errors.items():
                not_tried = np.full((2, len(own)), np.inf)
                self._tried[family].setdefault(step, {}).setdefault((at, group), not_tried)[penalty] = own


def parabola(steps: Floats, errors: Floats, tolerance: float = 0.0) -> tuple[float, float]:
    """Find the power of ten of least error, or the largest at which it exceeds that by no more than a share; and both.

    By the parabola of the logarithm through the least error that was tried and its neighbors, and no further than the
    next of these.

    Examples
    --------
    >>> steps = np.arange(-4.0, 3.0)
    >>> errors = np.exp((steps + 1.25) ** 2 / 10)
    >>> np.round(parabola(steps, errors), 9).tolist(), parabola(steps, 8 + steps)
    ([-1.25, 1.0], (-4.0, 4.0))
    >>> round(parabola(steps, errors, 0.01)[0], 3)
    -0.934
    """
    at = int(errors.argmin())
    if at in (0, len(errors) - 1):
        return float(steps[at]), float(errors[at])
    before, tried, after = np.log(errors[at - 1 : at + 2]).tolist()
    bend = before - 2 * tried + after
    if bend <= 0:
        return float(steps[at]), float(errors[at])
    lowest = (before - after) / bend / 2
    least = max(math.exp(tried - bend / 2 * lowest**2), LEAST * float(errors[at]))
    return float(steps[at] + min(lowest + math.sqrt(2 * tolerance / bend), 1.0)), least


class RoundTrial:
    """Columns of one family that were selected without two folds, and errors of fits with them on these folds."""

    def __init__(self, candidate: Candidate, rows: GroupedRows, found: FoundColumns) -> None:
        self.candidate, self.search, self.rows, self.found = candidate, candidate.search, rows, found
        self.is_asked = candidate.asked is not None
        self.learn = found.sums.average((LEARN, ASKED) if self.is_asked else (LEARN,))
        self.validation = {group: found.sums.average((group,)) for group in (FIRST, SECOND)}
        self.penalties = penalties(self.search, found.columns, self.learn)
        self.searches = [
            SmoothingSearch(self.learn, self.validation, penalty, found.all_sizes) for penalty in self.penalties
        ]

    @classmethod
    def of(cls, candidate: Candidate, one: Round, n_outputs: int) -> "RoundTrial":
        """Select columns on the rows of LEARN."""
        rows = candidate.rows(one.groups)
        groups, learn = [LEARN, FIRST, SECOND], [LEARN]
        if candidate.asked is not None:
            groups, learn = [*groups, *(ASKED + group for group in groups)], [LEARN, ASKED]
        return cls(candidate, rows, candidate.search.select(rows, groups, learn, n_outputs))

    def with_low_order(self) -> "RoundTrial":
        """Add low-order tensor products, if there are any that might be worth it."""
        blocks = self.search.low_order_products(self.found.columns)
        return RoundTrial(self.candidate, self.rows, self.found.extended(self.rows, blocks)) if blocks else self

    def errors(self, step: float, penalty: int) -> dict[int, Floats]:
        """Mean squared errors on the rows of FIRST and SECOND, by size."""
        return self.searches[penalty].errors(CENTER[self.search.power] * 10.0**step / self.learn.n_rows)

    def anchor_errors(self, choice: TuningChoice, group: int) -> Floats:
        """Mean squared errors on the rows of a group of second fits, by anchor; the first fit, without one, is last."""
        size = self.found.all_sizes[choice.size]
        normal, penalty = self.found.sums.average((LEARN,), size), self.penalties[choice.penalty][:size]
        smoothing = choice.smoothing / self.learn.n_rows
        first = solve_factored(factor(self.learn.gram[:size, :size], smoothing * penalty), self.learn.cross[:size])
        fits = [
            solve_factored(
                factor(normal.gram, smoothing * times * penalty),
                normal.cross + (smoothing * times * penalty)[:, None] * first,
            )
            for times in ANCHORS
        ]
        return np.array([float(mean_squared_error(self.validation[group], fit).mean()) for fit in (*fits, first)])

    def rows_only(self, choice: TuningChoice) -> tuple[float, float]:
        """Mean squared error on both folds of the best fit of the rows alone, and of the chosen one with asked rows."""
        both = self.searches[choice.penalty]
        alone = replace(both, learn=self.found.sums.average((LEARN,)))
        smoothing = choice.smoothing / self.learn.n_rows

        def error(found: dict[int, Floats]) -> float:
            return float(np.mean([own[choice.size] for own in found.values()]))

        tried = [error(alone.errors(smoothing * times)) for times in (1.0, *ANCHORS[1:3])]
        return min(tried), error(both.errors(smoothing))

    def difference(self, choice: TuningChoice, n_features: int) -> list[float]:
        """Variance of the difference of main effects between a fit of the rows alone and one with asked rows."""
        ridge = choice.smoothing / self.learn.n_rows * self.penalties[choice.penalty]
        apart = ridge_fit(self.found.sums.average((LEARN,)), 10 * ridge) - ridge_fit(self.learn, ridge)
        positions = self.found.columns.positions
        found = [positions.get((feature,), np.zeros(0, dtype=np.intp)) for feature in range(n_features)]
        return [float((apart[at] ** 2).sum(axis=0).mean()) for at in found]

    def refitted(self, choice: TuningChoice, reported: int) -> Fit:
        """Fit all groups but the one that is reported on."""
        size, groups = self.found.all_sizes[choice.size], (LEARN, FIRST + SECOND - reported)
        return self._fit(choice, self.found.columns.first(size), groups, self.penalties[choice.penalty][:size])

    def extended_to_all(self, choice: TuningChoice) -> Fit:
        """Fit all rows with the columns of LEARN; if all that stood out were worth having, look for others."""
        search, found, size = self.search, self.found, self.found.all_sizes[choice.size]
        columns, groups = found.columns.first(size), (LEARN, FIRST, SECOND)
        self.searches.clear()
        search.steps.start("all rows")
        if size >= found.n_called_for and search.max_order > 1:
            parts = {LEARN: groups} | ({ASKED: tuple(ASKED + group for group in groups)} if self.is_asked else {})
            selection = Selection(self.rows, found.sums.merged(size, parts), tuple(parts), columns)
            selection.add(search.pairs(selection, ROUNDS[-1])[0])
            normal, asked = _averages(selection.sums, (LEARN,))
            system = normal if asked is None else combined([normal, asked])
            penalty = penalties(search, selection.columns, system)[choice.penalty]
            return _chosen_fit(choice, selection.columns, (normal, asked), penalty, self.rows, groups)
        return self._fit(choice, columns, groups, self.penalties[choice.penalty][:size])

    def _fit(self, choice: TuningChoice, columns: Columns, groups: tuple[int, ...], penalty: Floats) -> Fit:
        averages = _averages(self.found.sums, groups, columns.size)
        return _chosen_fit(choice, columns, averages, penalty, self.rows, groups)


Averages: TypeAlias = tuple[Normal, Normal | None]  # over rows of the data, and over recombined rows if there are any


def _averages(sums: GroupSums, groups: Sequence[int], size: int | None = None) -> Averages:
    asked = [ASKED + group for group in groups if ASKED + group in sums.groups]
    return sums.average(groups, size), sums.average(asked, size) if asked else None


def _chosen_fit(
    choice: TuningChoice,
    columns: Columns,
    averages: Averages,
    penalty: Floats,
    rows: GroupedRows,
    groups: tuple[int, ...],
) -> Fit:
    """Fit in the way that was chosen; the penalty is per row: with more rows the same prior weighs less."""
    normal, asked = averages
    ridge = choice.smoothing / (normal.n_rows + (0.0 if asked is None else asked.n_rows)) * penalty
    anchor = None if choice.anchor is None else choice.anchor * ridge
    parents = None if rows.asked is None or rows.by_donor is None else (rows.asked, rows.by_donor)
    return Fit(columns, normal, ridge, rows, groups, choice.error, None, asked, parents, anchor)


def fit_all(candidate: Candidate, choice: TuningChoice, n_outputs: int) -> Fit:
    """Select columns on all rows, and fit them in the way that was chosen."""
    search = candidate.search
    rows = candidate.rows(lambda _, n_rows: np.zeros(n_rows, dtype=np.intp))
    groups = (LEARN,) if candidate.asked is None else (LEARN, ASKED)
    found = search.select(rows, groups, groups, n_outputs)
    if choice.size == len(found.all_sizes) - 1:
        found = found.extended(rows, search.low_order_products(found.columns))
    # With more rows a block may be expected to explain a little less than in the rounds, and is wanted all the same.
    size = found.all_sizes[choice.size + (0 < choice.size < len(GAINS) - 1)]
    penalty = penalties(search, found.columns, found.sums.average(groups))[choice.penalty][:size]
    averages = _averages(found.sums, (LEARN,), size)
    return _chosen_fit(choice, found.columns.first(size), averages, penalty, rows, (LEARN,))
