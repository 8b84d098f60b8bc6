"""Which columns a fit gets: main effects first, then the interactions that the residual calls for."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.basis.marginals import Marginal, NominalMarginal
from anova_report.core.fit.feature_screen import LOW, FeatureScreen, LowFunctions, in_turn, partners, screen_features
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.screening import (
    NEGLIGIBLE,
    ScreeningRule,
    choose_blocks,
    choose_triples,
    screen_pairs,
    strongest,
)
from anova_report.core.fit.sums import GroupSums, Normal, mean_squared_error, ridge_fit
from anova_report.core.progress import Steps
from anova_report.core.result.terms import Term

ROUNDS = (ScreeningRule(3.5, 4), ScreeningRule(3.5, 5))
MORE_ROUNDS = 3  # at most, like the last, as long as each leaves a clearly smaller residual than the one before
CLEARLY_LESS = 0.5  # of the variance that was left: trees leave nine tenths after the second round, and are done
MAX_COLUMNS = 2550  # the Gram of so many columns takes 52 MB and its factor a quarter of a second
ROUND_STRENGTH = 1e-3  # of the penalty in fits whose residual is screened; the choice of strength comes later
LITTLE_LEFT, WEAKEST = 0.01, 1e-2  # of the variance: below it the penalty is weaker in proportion, but not more
ROUND_ROWS = 1e4  # with more rows than this the penalty may be weaker
MAX_DEGREE, MAX_PAIR_DEGREE = 60, 40
MAIN_COLUMNS, PAIR_FUNCTIONS = 1600, 2000  # over all features, so that many features get fewer each
SCREENED_ROWS = 200_000  # with more, a sample of them tells which products are worth a column
WORTH_ANOTHER_ORDER = 0.03  # share of the predictions' variance left below which no other order is thought of
LEAST_BEYOND, LEAST_BEYOND_SHARE = 0.01, 0.1  # what an interaction must promise: of the variance, and of what is left
MOST_BEYOND = 5
ROWS_PER_FUNCTION = 4  # and few rows allow few
FEW_COLUMNS, FEW_EXPLAINED = 0.01, 0.02  # of the columns there are, and of the residual's variance
# So many features have columns from the start; of more, those that evidence asks for. Few rows allow fewer.
FEW, MANY, ROWS_PER_FEATURE = 20, 100, 10
ROWS_PER_PROMISING = 100  # then: so many rows for each feature that is tried in pairs
MANY_DEGREE = 16  # then: functions are made of every feature before most of them turn out to need none
MAIN_ROUNDS = 12  # in which features with an effect of their own are looked for
WEAK_ROUNDS = 3  # and in which weak ones are looked for together
COMPARABLE = 0.1  # of what the strongest promises: the others wait, their evidence may be its reflection
MOST_A_ROUND = 16  # features that get columns at once: of those that move together one may be enough
ALWAYS = 5  # features that have a main effect however little they promise
WORTH_ALL = 0.01  # share of the predictions' variance from which a main effect gets all functions, not the notable ones
WORTH_WEAK, MANY_WEAK = 0.01, 5.0  # what lowest functions must promise together: that share, so far beyond chance
LEADERS = 12  # features whose partners in pairs are looked for among all
TRIPLE_COLUMNS = 500  # that triples may have where pairs have taken all the room
TRIPLE_FEATURES = 12  # triples are looked for among so many features: 220 of them
# Shares of the predictions' variance: blocks that promised less may be left out, from all interactions to none.
GAINS = (np.inf, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0)
TRIPLE_GAINS = (0.1, 0.01, 0.001, 0.0001, 0.0)  # likewise, beside all pairs
# Products of pairs that are added for their smoothness alone: how many, with how many rows at the most, and how rough.
BACKGROUND, MOST_ROWS = 1000, 50_000  # more rows speak for all that is worth a column
ROUGHEST = 144.0  # as degrees 3 and 4 together, or 1 and 12
WORTH_BACKGROUND = 3e-4  # share of the predictions' variance that must be left for them to be tried; `make bench`
NO_EVIDENCE = -1.0  # what they promise: less than all others
NO_PRODUCTS = np.zeros((0, 2), dtype=np.intp)


@dataclass(frozen=True)
class Degrees:
    """Highest degree of main effects, and of the factors of interactions."""

    main: int
    pair: int
    promising: int | None = None  # so many features are tried in pairs, where there are too many to try all


def degrees_for(n_rows: float, n_features: int) -> Degrees:
    """Choose how fine functions may be, and whether each feature has columns before evidence asks for them.

    Examples
    --------
    >>> degrees_for(600, 8), degrees_for(20_000, 81)
    (Degrees(main=18, pair=18, promising=None), Degrees(main=19, pair=24, promising=None))
    >>> degrees_for(5000, 500)
    Degrees(main=16, pair=16, promising=50)
    """
    if n_features <= min(MANY, max(FEW, int(n_rows) // ROWS_PER_FEATURE)):
        return _degrees(n_rows, n_features)
    promising = min(MANY, max(FEW, int(n_rows) // ROWS_PER_PROMISING))
    degrees = _degrees(n_rows, promising)
    return Degrees(min(degrees.main, MANY_DEGREE), min(degrees.pair, MANY_DEGREE), promising)


def _degrees(n_rows: float, n_features: int) -> Degrees:
    few = max(5, int(n_rows) // (ROWS_PER_FUNCTION * n_features))
    main = min(MAX_DEGREE, max(10, MAIN_COLUMNS // n_features), few)
    return Degrees(main, min(MAX_PAIR_DEGREE, max(6, PAIR_FUNCTIONS // n_features), few))


@dataclass(frozen=True, eq=False)
class CompleteColumns(Columns):
    """Columns that get no background: they have one, or leave less than it would have to explain."""


@dataclass(frozen=True, eq=False)
class FoundColumns:
    """Columns with their sums in every group."""

    # Main effects first, then pairs in the order of the variance they are expected to explain, then smooth products
    # of pairs that nothing speaks for, then triples.
    columns: Columns
    sums: GroupSums
    max_order: int = 2

    @property
    def sizes(self) -> list[int]:
        """Leading numbers of columns worth trying: pairs expected to explain at least as much as each of `GAINS`.

        Where triples are allowed, then all that comes before them, and triples likewise by `TRIPLE_GAINS`: always so
        many sizes, so that one search can be compared with another. With a background after these, all columns come
        last.
        """
        ends = list(zip(self.columns.blocks, self.columns.starts[1:], strict=True))
        pairs = [(block.gain, end) for block, end in ends if len(block.term) < 3]
        sizes = [max((end for gain, end in pairs if gain >= least), default=1) for least in GAINS]
        if self.max_order > 2:
            most = self.n_called_for if self.background else self.columns.size
            triples = [(block.gain, end) for block, end in ends if len(block.term) > 2]
            before = most - sum(len(block.functions) for block in self.columns.blocks if len(block.term) > 2)
            sizes.append(before)
            sizes += [max((end for gain, end in triples if gain >= least), default=before) for least in TRIPLE_GAINS]
        return [*sizes, self.columns.size] if self.background else sizes

    @property
    def all_sizes(self) -> list[int]:
        """The same, with an entry for low-order tensor products whether there are any or not."""
        return self.sizes if self.background else [*self.sizes, self.sizes[-1]]

    @property
    def background(self) -> bool:
        """Whether blocks that nothing speaks for were added last, after a search that ended without them."""
        complete = isinstance(self.columns, CompleteColumns) or not self.columns.blocks
        return not complete and self.columns.blocks[-1].gain == NO_EVIDENCE

    @property
    def n_called_for(self) -> int:
        """Number of columns up to the last one that something speaks for."""
        ends = zip(self.columns.blocks, self.columns.starts[1:], strict=True)
        return max((end for block, end in ends if block.gain != NO_EVIDENCE), default=1)

    def extended(self, rows: GroupedRows, blocks: Sequence[ColumnBlock]) -> "FoundColumns":
        """Add column blocks after all others."""
        if not blocks:
            return self
        columns = self.columns.with_blocks(blocks)
        self.sums.extend(rows, columns)
        return replace(self, columns=columns)


@dataclass(frozen=True)
class ColumnSearch:
    """Looks for the columns that a fit needs."""

    marginals: Sequence[Marginal]
    degrees: Degrees
    max_order: int
    steps: Steps
    rounds: Sequence[ScreeningRule] = ROUNDS
    max_columns: int = MAX_COLUMNS
    known: LowFunctions | None = None  # what another search of the same functions has evaluated
    power: int = 1  # of their roughness, which is what functions cost in the end
    n_background: int = 0  # products of pairs that may be added for their smoothness alone
    unread: frozenset[int] = frozenset()  # features that the model does not read, and that have no columns

    @property
    def many(self) -> bool:
        """Whether features are too many for each to have columns."""
        return self.degrees.promising is not None

    @property
    def _tries(self) -> int:
        """How many pairs the best are chosen from; where all are tried at the start, each speaks for itself."""
        return math.comb(self.degrees.promising, 2) if self.degrees.promising is not None else 1

    @cached_property
    def low(self) -> LowFunctions:
        """The lowest functions of all features: one search after the other looks at the same rows."""
        return LowFunctions(self.marginals) if self.known is None else self.known

    def grow(self, rows: GroupedRows, groups: Sequence[int], learn: Collection[int], n_outputs: int) -> FoundColumns:
        """Add columns round by round, by looking at the groups `learn`; sums are made for all `groups`."""
        self.steps.start("main effects")
        columns = Columns(()) if self.many else main_columns(self.marginals, self.degrees.main, self.unread)
        sums = GroupSums(groups, n_outputs)
        sums.extend(rows, columns)
        columns = self._with_mains(rows, columns, sums, learn) if self.many else columns
        columns = self._with_pairs(rows, columns, sums, learn) if self.max_order > 1 else columns
        columns, positions = columns.by_gain()
        sums.reorder(positions)
        complete = self._settled(columns, sums, learn)
        if self.max_order > 2:
            columns, complete = self._with_triples(rows, columns, sums, learn, complete)
        return FoundColumns(CompleteColumns(columns.blocks) if complete else columns, sums, self.max_order)

    def _with_triples(
        self, rows: GroupedRows, columns: Columns, sums: GroupSums, learn: Collection[int], complete: bool
    ) -> tuple[Columns, bool]:
        """Add triples after all pairs and, where rows allow, their background, so that they alone may be left out.

        Also tells whether the columns are then complete.
        """
        smooth = [] if complete else self.background(columns)
        few = sum(sums.n_rows[group] for group in learn) < self.n_background
        triples = self._called_for_triples(rows, columns, sums, learn, smooth if few else [])
        with_triples = columns.with_blocks(triples)
        if triples:
            sums.extend(rows, with_triples)
            complete = complete or self._settled(with_triples, sums, learn)
        if complete or few or not smooth:
            return with_triples, complete
        sums.extend(rows, with_triples.with_blocks(smooth))
        size, middle, end = columns.size, with_triples.size, with_triples.with_blocks(smooth).size
        sums.reorder(np.r_[:size, middle:end, size:middle])
        return columns.with_blocks([*smooth, *triples]), True

    def _settled(self, columns: Columns, sums: GroupSums, learn: Collection[int]) -> bool:
        """Say whether other rows would have less left than what makes a background worthwhile.

        By generalised cross-validation, as if every column were free: rather too much is left than too little.
        """
        fitted, n_rows = self._interim_fit(columns, sums, learn), sum(sums.n_rows[group] for group in learn)
        return fitted is not None and fitted[2] < WORTH_BACKGROUND * (1 - columns.size / n_rows) ** 2

    def _with_pairs(self, rows: GroupedRows, columns: Columns, sums: GroupSums, learn: Collection[int]) -> Columns:
        """Add pairs round by round; after the first rounds only while each leaves clearly less than the one before."""
        # A search of one round is a trial, which is to be short.
        more = (self.rounds[-1],) * (MORE_ROUNDS if len(self.rounds) > 1 else 0)
        before = np.inf
        for number, rule in enumerate((*self.rounds, *more)):
            self.steps.start("pairs")
            most = CLEARLY_LESS * before if number >= len(self.rounds) else np.inf
            pairs, before = self._pairs_and_left(rows, columns, sums, learn, rule, most)
            if not pairs:
                break
            columns = columns.with_blocks(pairs)
            sums.extend(rows, columns)
            # Less is left now, so weaker effects show.
            columns = self._with_mains(rows, columns, sums, learn) if self.many else columns
        return columns

    def _with_mains(self, rows: GroupedRows, columns: Columns, sums: GroupSums, learn: Collection[int]) -> Columns:
        """Add main effects that the residual calls for, the strongest first, then what the others leave."""
        for number in range(MAIN_ROUNDS + WEAK_ROUNDS):
            fitted = self._interim_fit(columns, sums, learn)
            if fitted is None:
                break
            members = _members(sums, learn)
            screen = self._screen(rows, members, Evaluator(columns, fitted[0]), sums.average(learn).n_rows)
            room = min(MAIN_COLUMNS - columns.size, fitted[1])
            blocks = self._strong_mains(screen, columns, room // 2) if number < MAIN_ROUNDS else []
            blocks = blocks or self._weak_mains(screen, columns, room)
            if not blocks:
                break
            columns = columns.with_blocks(blocks)
            sums.extend(rows, columns)
        return columns

    def _strong_mains(self, screen: FeatureScreen, columns: Columns, room: int) -> list[ColumnBlock]:
        """Choose features by what they promise; a few have a main effect whatever that is, so that there are some."""
        order = np.lexsort((-screen.each.sum(axis=1), -screen.gains))[:MOST_A_ROUND].tolist()
        blocks = []
        for rank, feature in enumerate(order):
            promised, always = float(screen.gains[feature]), not columns.blocks and rank < ALWAYS
            if always or promised > COMPARABLE * screen.gains[order[0]]:
                width = self.degrees.main + 1 if promised >= WORTH_ALL else max(int(screen.asked[feature]), 1)
                blocks += self._main_block(feature, width, np.inf if always else promised, columns)
        return strongest(blocks, room)

    def _weak_mains(self, screen: FeatureScreen, columns: Columns, room: int) -> list[ColumnBlock]:
        """Give features their lowest functions where many weak effects promise much together, though none alone."""
        for width in range(1, LOW + 1):
            promised = screen.each[:, :width].sum(axis=1)
            if promised.sum() >= max(WORTH_WEAK, MANY_WEAK * screen.chance * np.sqrt(width * len(promised))):
                order = np.argsort(-promised, kind="stable").tolist()
                blocks = [block for feature in order for block in self._main_block(feature, width, 0.0, columns)]
                return strongest(blocks, room)
        return []

    def _main_block(self, feature: int, width: int, gain: float, columns: Columns) -> list[ColumnBlock]:
        """Give a feature its lowest functions but for those it has, which stay in front of the others."""
        if feature in self.unread:
            return []
        width, had = min(len(self.marginals[feature].roughness), width), len(columns.positions.get((feature,), ()))
        gain = min([gain, *(block.gain for block in columns.blocks if block.term == (feature,))])
        return [ColumnBlock((feature,), np.arange(had, width).reshape(-1, 1), gain)] if had < width else []

    def more_pairs(
        self, rows: GroupedRows, columns: Columns, sums: GroupSums, learn: Collection[int], rule: ScreeningRule
    ) -> list[ColumnBlock]:
        """Choose products of pairs that the residual of the present columns calls for."""
        return self._pairs_and_left(rows, columns, sums, learn, rule)[0]

    def _pairs_and_left(
        self,
        rows: GroupedRows,
        columns: Columns,
        sums: GroupSums,
        learn: Collection[int],
        rule: ScreeningRule,
        most: float = np.inf,
    ) -> tuple[list[ColumnBlock], float]:
        """Choose products of pairs, none if more than `most` is left; also tells the share of the variance left."""
        fitted = self._interim_fit(columns, sums, learn)
        if fitted is None or fitted[2] > most:
            return [], 0.0
        coefficients, room, left = fitted
        room = room // 2 if self.many else room  # main effects of the features may have to come along
        members, n_rows = _members(sums, learn), sum(sums.n_rows[group] for group in learn)
        evaluator = Evaluator(columns, coefficients)
        widths = self._pair_widths(rows, members, evaluator, n_rows)
        screen = screen_pairs(rows, members, evaluator, widths, SCREENED_ROWS / n_rows)
        blocks = choose_blocks(screen, columns, rule, room, self._tries)
        # A pass over the rows is not worth it for a handful of columns, unless the handful is what matters.
        few = sum(len(block.functions) for block in blocks) < FEW_COLUMNS * columns.size
        if few and sum(block.gain for block in blocks) < FEW_EXPLAINED * screen.left:
            return [], left
        return [*self._mains_of(blocks, columns, room), *blocks], left

    def _mains_of(self, pairs: Sequence[ColumnBlock], columns: Columns, room: int) -> list[ColumnBlock]:
        """Give features that enter with pairs, the strongest first, low main effects: what pairs share moves there."""
        gains: dict[int, float] = {}
        for pair in pairs:
            for feature in pair.term:
                gains.setdefault(feature, pair.gain)
        new = {feature: gain for feature, gain in gains.items() if (feature,) not in columns.positions}
        blocks = [block for feature, gain in new.items() for block in self._main_block(feature, LOW, gain, columns)]
        return strongest(blocks, room)

    def background(self, columns: Columns) -> list[ColumnBlock]:
        """Choose the smoothest products of all pairs that are not there yet, for their smoothness alone.

        Rows that are not very many speak for few products. Those they do not speak for are weak one by one, but not
        together. Where functions are unbounded, products reach far beyond the rows, and need evidence each. Triples
        take no room from them.
        """
        if self.max_order < 2 or self.many or not self.n_background or isinstance(columns, CompleteColumns):
            return []
        features = [at for at, marginal in enumerate(self.marginals) if marginal.bounded and at not in self.unread]
        products: dict[Term, Floats] = {}
        for one, other in combinations(features, 2):
            first, second = (self.marginals[feature].roughness[: self.degrees.pair] for feature in (one, other))
            products[one, other] = np.outer(first, second)
        costs = np.sort(np.concatenate([np.zeros(0), *(each.ravel() for each in products.values())]))
        n_columns = 1 + sum(len(block.functions) for block in columns.blocks if len(block.term) < 3)
        room = max(min(self.n_background, self.max_columns - n_columns), 0)
        limit = costs[room] if len(costs) > room else np.inf
        blocks = []
        for term, cost in products.items():
            keep, had = (cost < limit) & (cost <= ROUGHEST), columns.functions.get(term, NO_PRODUCTS)
            keep[tuple(had[(had < keep.shape).all(axis=1)].T)] = False
            blocks += [ColumnBlock(term, np.argwhere(keep), NO_EVIDENCE)] if keep.any() else []
        return blocks

    def beyond(
        self, rows: GroupedRows, groups: Collection[int], columns: Columns, coefficients: Floats, left: float
    ) -> tuple[tuple[Term, float], ...]:
        """List interactions of the next order that the residual of a fit calls for, those that promise most first.

        With each comes the share of the predictions' variance that it promises to explain; `left` is the share that is
        not explained. Little left is not looked into.
        """
        if left < WORTH_ANOTHER_ORDER or self.max_order > 2 or len(self.marginals) <= self.max_order:
            return ()
        evaluator = Evaluator(columns, coefficients)
        if self.max_order == 1:
            widths = self._pair_widths(rows, groups, evaluator)
            found = choose_blocks(
                screen_pairs(rows, groups, evaluator, widths), columns, ROUNDS[0], MAX_COLUMNS, self._tries
            )
        else:
            found = self._triples(rows, groups, evaluator, MAX_COLUMNS)
        worthwhile = [block for block in found if block.gain >= max(LEAST_BEYOND, LEAST_BEYOND_SHARE * left)]
        ranked = sorted(worthwhile, key=lambda block: -block.gain)[:MOST_BEYOND]
        return tuple((block.term, min(block.gain, left)) for block in ranked)

    def _called_for_triples(
        self,
        rows: GroupedRows,
        columns: Columns,
        sums: GroupSums,
        learn: Collection[int],
        smooth: Sequence[ColumnBlock],
    ) -> list[ColumnBlock]:
        """Choose triples that the residual calls for, here and in a fit that has smooth products of pairs as well."""
        fitted = self._interim_fit(columns, sums, learn, TRIPLE_COLUMNS)
        if fitted is None:
            return []
        coefficients, room, _ = fitted
        if smooth:  # what pairs explain together, triples would explain by chance
            columns, only = columns.with_blocks(smooth), GroupSums(tuple(learn), len(coefficients.T))
            only.extend(rows, columns)
            coefficients, _ = self._ridge_fit(only.average(learn), columns)
        # There other rows do not tell triples from smooth products, so more is asked of each.
        return self._triples(rows, learn, Evaluator(columns, coefficients), room, each_alone=not smooth)

    def _triples(
        self,
        rows: GroupedRows,
        groups: Collection[int],
        evaluator: Evaluator,
        room: int,
        *,
        each_alone: bool = True,
    ) -> list[ColumnBlock]:
        """Choose triples; where features are many, of those on which the size of the residual depends most."""
        features = [feature for feature in range(len(self.marginals)) if feature not in self.unread]
        if len(features) > TRIPLE_FEATURES:
            scatter = self._screen(rows, groups, evaluator).scatter
            scatter[list(self.unread)] = -np.inf
            features = np.sort(np.argsort(-scatter, kind="stable")[:TRIPLE_FEATURES]).tolist()
        return choose_triples(rows, groups, evaluator, features, room, each_alone=each_alone)

    def _pair_widths(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None = None
    ) -> list[int]:
        """Say how many functions of each feature are tried in pairs: many features, but for the promising, have none.

        Promising are those on which the size of the residual depends, and those with large main effects.
        """
        widths = np.array([min(self.degrees.pair, len(marginal.roughness)) for marginal in self.marginals])
        if self.many:
            promising = self._promising(rows, groups, evaluator, n_rows)
            widths[np.setdiff1d(np.arange(len(widths)), promising)] = 0
        widths[list(self.unread)] = 0
        return [int(width) for width in widths]

    def _promising(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None
    ) -> list[int]:
        """Choose features that may take part in pairs."""
        mains = {term[0]: float((own**2).sum()) for term, own in evaluator.coefficients.items() if len(term) == 1}
        by_size = sorted(mains, key=lambda feature: -mains[feature])
        scatter = self._screen(rows, groups, evaluator, n_rows).scatter
        by_scatter = np.argsort(-scatter, kind="stable").tolist()
        leaders = in_turn([by_scatter, by_size], LEADERS)
        share = self.low.most_rows / n_rows if n_rows else 1.0
        evidence = partners(rows, groups, evaluator, self.low, leaders, share)
        by_evidence = np.argsort(-evidence, kind="stable").tolist()
        return in_turn([by_scatter, by_size, by_evidence], self.degrees.promising or MANY)

    def _screen(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None = None
    ) -> FeatureScreen:
        n_rows = sum(block.n_rows for block in rows.blocks(groups)) if n_rows is None else n_rows
        return screen_features(rows, groups, evaluator, self.low, self.low.most_rows / n_rows)

    def _interim_fit(
        self, columns: Columns, sums: GroupSums, learn: Collection[int], least_room: int = 0
    ) -> tuple[Floats, int, float] | None:
        """Fit the present columns; None if nothing is left to explain or there is no room for more.

        Returned are coefficients, the room for columns, `least_room` if rows allow it, and the share of the variance
        that is left.
        """
        normal = sums.average(learn)
        n_evident = 1 + sum(len(block.functions) for block in columns.blocks if block.gain != NO_EVIDENCE)
        room = min(max(self.max_columns - columns.size, least_room), int(normal.n_rows) - n_evident)
        if room <= 0 or len(self.marginals) < 2:
            return None
        coefficients, left = self._ridge_fit(normal, columns)
        if (left <= NEGLIGIBLE * normal.variance).all():
            return None
        return coefficients, room, float(left.mean())

    def _ridge_fit(self, normal: Normal, columns: Columns) -> tuple[Floats, Floats]:
        """Fit columns with a wide prior; also tells the mean squared residual of each output.

        A prior is weighed against noise. Where little is left there is little of it, and the prior is made weaker: what
        it takes from strong columns would otherwise be most of the residual, and hide what other columns explain.
        """
        penalty = round_strength(normal.n_rows) * columns.roughness(self.marginals)
        coefficients = ridge_fit(normal, penalty)
        left = mean_squared_error(normal, coefficients)
        if left.mean() < LITTLE_LEFT:
            coefficients = ridge_fit(normal, max(left.mean() / LITTLE_LEFT, WEAKEST) * penalty)
            left = mean_squared_error(normal, coefficients)
        return coefficients, np.maximum(left, 0.0)


def _members(sums: GroupSums, groups: Collection[int]) -> list[int]:
    return [member for group in groups for member in sums.groups[group]]


def round_strength(n_rows: float) -> float:
    """Strength of the penalty before it is chosen: a wide prior that keeps the system well conditioned."""
    return ROUND_STRENGTH * min(1.0, ROUND_ROWS / n_rows)


def main_columns(marginals: Sequence[Marginal], degree: int, unread: Collection[int] = ()) -> Columns:
    """Start with the functions of every feature; levels and missing values keep all of theirs."""
    blocks = []
    for feature, marginal in enumerate(marginals):
        n_functions = 0 if feature in unread else len(marginal.roughness)
        width = n_functions if isinstance(marginal, NominalMarginal) else min(n_functions, degree + 1)
        blocks.append(ColumnBlock((feature,), np.arange(width).reshape(-1, 1)))
    return Columns(tuple(block for block in blocks if len(block.functions)))
