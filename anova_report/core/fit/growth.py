"""Which columns a fit gets: main effects first, then the interactions that the residual calls for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.fit.design import ColumnBlock, Columns, Evaluator
from anova_report.core.fit.families import Marginal, NominalMarginal
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.screening import (
    NEGLIGIBLE,
    ScreeningRule,
    choose_blocks,
    choose_triples,
    left_of_pairs,
    screen_pairs,
)
from anova_report.core.fit.sums import GroupSums, ridge_fit
from anova_report.core.progress import Steps
from anova_report.core.terms import Term

ROUNDS = (ScreeningRule(3.5, 4), ScreeningRule(3.5, 5))
MAX_COLUMNS = 2350  # the Gram of so many columns takes 44 MB and its factor a fifth of a second
ROUND_STRENGTH = 1e-3  # of the penalty in fits whose residual is screened; the choice of strength comes later
ROUND_ROWS = 1e4  # with more rows than this the penalty may be weaker
MAX_DEGREE, MAX_PAIR_DEGREE = 60, 40
MAIN_COLUMNS, PAIR_FUNCTIONS = 1600, 2000  # over all features, so that many features get fewer each
SCREENED_ROWS = 200_000  # with more, a sample of them tells which products are worth a column
WORTH_ANOTHER_ORDER = 0.03  # share of the answers' variance left below which no other order is thought of
LEAST_BEYOND, LEAST_BEYOND_SHARE = 0.01, 0.1  # what an interaction must promise: of the variance, and of what is left
MOST_BEYOND = 5
ROWS_PER_FUNCTION = 4  # and few rows allow few
FEW_COLUMNS = 0.01  # of the columns there are
# Shares of the answers' variance: blocks that promised less may be left out, from all interactions to none.
GAINS = (np.inf, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0)


@dataclass(frozen=True)
class Degrees:
    """Highest degree of main effects, and of the factors of interactions."""

    main: int
    pair: int


def degrees_for(n_rows: float, n_features: int) -> Degrees:
    """Choose how fine functions may be.

    Examples
    --------
    >>> degrees_for(20_000, 8), degrees_for(600, 8), degrees_for(20_000, 81)
    (Degrees(main=60, pair=40), Degrees(main=18, pair=18), Degrees(main=19, pair=24))
    """
    few = max(5, int(n_rows) // (ROWS_PER_FUNCTION * n_features))
    main = min(MAX_DEGREE, max(10, MAIN_COLUMNS // n_features), few)
    return Degrees(main, min(MAX_PAIR_DEGREE, max(6, PAIR_FUNCTIONS // n_features), few))


@dataclass(frozen=True, eq=False)
class FoundColumns:
    """Columns with their sums in every group."""

    columns: Columns  # main effects first, then blocks in the order of what they promised
    sums: GroupSums

    @property
    def sizes(self) -> list[int]:
        """Leading numbers of columns worth trying: blocks that promised at least as much as each of `GAINS`."""
        ends = zip(self.columns.blocks, self.columns.starts[1:], strict=True)
        promised = [(block.gain, end) for block, end in ends]
        return [max((end for gain, end in promised if gain >= least), default=1) for least in GAINS]


@dataclass(frozen=True)
class ColumnSearch:
    """Looks for the columns that a fit needs."""

    marginals: Sequence[Marginal]
    degrees: Degrees
    max_order: int
    steps: Steps
    rounds: Sequence[ScreeningRule] = ROUNDS
    max_columns: int = MAX_COLUMNS

    def grow(self, rows: GroupedRows, groups: Sequence[int], learn: Collection[int], n_outputs: int) -> FoundColumns:
        """Add columns round by round, by looking at the groups `learn`; sums are made for all `groups`."""
        self.steps.start("main effects")
        columns = main_columns(self.marginals, self.degrees.main)
        sums = GroupSums(groups, n_outputs)
        sums.extend(rows, columns)
        for rule in self.rounds if self.max_order > 1 else ():
            self.steps.start("pairs")
            pairs = self.more_pairs(rows, columns, sums, learn, rule)
            if not pairs:
                break
            columns = columns.with_blocks(pairs)
            sums.extend(rows, columns)
        fitted = self._interim_fit(columns, sums, learn) if self.max_order > 2 else None
        triples = [] if fitted is None else choose_triples(rows, learn, Evaluator(columns, fitted[0]), fitted[1])
        if triples:
            columns = columns.with_blocks(triples)
            sums.extend(rows, columns)
        columns, positions = columns.by_gain()
        sums.reorder(positions)
        return FoundColumns(columns, sums)

    def more_pairs(
        self, rows: GroupedRows, columns: Columns, sums: GroupSums, learn: Collection[int], rule: ScreeningRule
    ) -> list[ColumnBlock]:
        """Choose products of pairs that the residual of the present columns calls for."""
        fitted = self._interim_fit(columns, sums, learn)
        if fitted is None:
            return []
        coefficients, room = fitted
        widths = [min(self.degrees.pair, len(marginal.roughness)) for marginal in self.marginals]
        members = [member for group in learn for member in sums.groups[group]]
        share = SCREENED_ROWS / sum(sums.n_rows[group] for group in learn)
        screen = screen_pairs(rows, members, Evaluator(columns, coefficients), widths, share)
        blocks = choose_blocks(screen, columns, rule, room)
        # A pass over the rows for a handful of columns is not worth it.
        return blocks if sum(len(block.functions) for block in blocks) >= FEW_COLUMNS * columns.size else []

    def left_of_pairs(
        self, rows: GroupedRows, groups: Collection[int], columns: Columns, coefficients: Floats
    ) -> dict[Term, float]:
        """Estimate what share of the squared gap of a fit belongs to each of its pairs."""
        pairs = [term for term in columns.positions if len(term) == 2]
        if not pairs:
            return {}
        widths = [min(self.degrees.pair, len(marginal.roughness)) for marginal in self.marginals]
        share = SCREENED_ROWS / sum(block.n_rows for block in rows.blocks(groups))
        return left_of_pairs(screen_pairs(rows, groups, Evaluator(columns, coefficients), widths, share), pairs)

    def beyond(
        self, rows: GroupedRows, groups: Collection[int], columns: Columns, coefficients: Floats, left: float
    ) -> tuple[tuple[Term, float], ...]:
        """List interactions of the next order that the residual of a fit calls for, those that promise most first.

        With each comes the share of the answers' variance that it promises to explain; `left` is the share that is not
        explained. Little left is not looked into.
        """
        if left < WORTH_ANOTHER_ORDER or self.max_order > 2 or len(self.marginals) <= self.max_order:
            return ()
        evaluator = Evaluator(columns, coefficients)
        if self.max_order == 1:
            widths = [min(self.degrees.pair, len(marginal.roughness)) for marginal in self.marginals]
            found = choose_blocks(screen_pairs(rows, groups, evaluator, widths), columns, ROUNDS[0], MAX_COLUMNS)
        else:
            found = choose_triples(rows, groups, evaluator, MAX_COLUMNS)
        worthwhile = [block for block in found if block.gain >= max(LEAST_BEYOND, LEAST_BEYOND_SHARE * left)]
        ranked = sorted(worthwhile, key=lambda block: -block.gain)[:MOST_BEYOND]
        return tuple((block.term, min(block.gain, left)) for block in ranked)

    def _interim_fit(self, columns: Columns, sums: GroupSums, learn: Collection[int]) -> tuple[Floats, int] | None:
        """Fit the present columns; None if nothing is left to explain or there is no room for more."""
        normal = sums.average(learn)
        room = min(self.max_columns, int(normal.n_rows)) - columns.size
        if room <= 0 or len(self.marginals) < 2:
            return None
        coefficients = ridge_fit(normal, round_strength(normal.n_rows) * columns.roughness(self.marginals))
        left = normal.squares - (coefficients * normal.cross).sum(axis=0)  # at least the squared gap of a ridge fit
        if (left <= NEGLIGIBLE * normal.variance).all():
            return None
        return coefficients, room


def round_strength(n_rows: float) -> float:
    """Strength of the penalty before it is chosen: a wide prior that keeps the system well conditioned."""
    return ROUND_STRENGTH * min(1.0, ROUND_ROWS / n_rows)


def main_columns(marginals: Sequence[Marginal], degree: int) -> Columns:
    """Start with the functions of every feature; levels and missing values keep all of theirs."""
    blocks = []
    for feature, marginal in enumerate(marginals):
        n_functions = len(marginal.roughness)
        width = n_functions if isinstance(marginal, NominalMarginal) else min(n_functions, degree + 1)
        blocks.append(ColumnBlock((feature,), np.arange(width).reshape(-1, 1)))
    return Columns(tuple(block for block in blocks if len(block.functions)))


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
