"""Which columns a fit gets: main effects first, then the interactions that the residual calls for."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from anova_report.core.arrays import LOOKED_AT_FEATURES, NEGLIGIBLE, Floats
from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.basis.marginals import Marginal, NominalMarginal
from anova_report.core.basis.splines import ROWS_PER_FUNCTION
from anova_report.core.fit.feature_screen import FeatureScreen, LowFunctions, in_turn, partners, screen_features
from anova_report.core.fit.found_columns import GAINS, NO_EVIDENCE, CompleteColumns, FoundColumns, Selection
from anova_report.core.fit.moments import NAMED
from anova_report.core.fit.partition import ASKED
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.screening import (
    LITTLE,
    LOW,
    ScreeningRule,
    choose_blocks,
    choose_triples,
    screen_pairs,
    strongest,
)
from anova_report.core.fit.sums import VERY_SURE, GroupSums, Normal, mean_squared_error, ridge_fit
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.progress import Steps
from anova_report.core.result.terms import Term

ROUNDS = (ScreeningRule(3.5, 4), ScreeningRule(3.5, 5))

# Statistics: too many columns follow noise, too few leave much unexplained (`make bench`, `make truth`).
INTERIM = 1e-3  # smoothing parameter of fits whose residual is screened, before it is tuned
FIRST_FIT = 10.0  # the same divided by the rows, and of the fit that weighs components: strong ones are left alone
ROUGHEST = 144.0  # of low-order tensor products: as degrees 3 and 4 together, or 1 and 12
COMPARABLE = 0.1  # of the strongest effect, or of all that is left: others wait, their evidence may be its reflection
ALIKE = 0.95  # correlation of two features from which on 99% or more of a low product of them is main effects
MOST_A_ROUND = 16  # features that get columns at once: of those that move together one may be enough
FEW, MANY = 20, LOOKED_AT_FEATURES  # so many have columns from the start; of more, those that evidence asks for

# Budgets of memory and time (`make bench`, `make scale`).
MAX_COLUMNS = 2550  # the Gram of so many columns takes 52 MB and its factor a quarter of a second
LOW_ORDER_COLUMNS = 1000  # low-order tensor products, added to pairs for their smoothness alone
MAIN_FUNCTIONS, PAIR_FUNCTIONS = (60, 1600), (40, 2000)  # of one feature, and of all: many features get fewer each
MANY_DEGREE = 16  # where features are many, functions are made of all before most of them turn out to need none
MAIN_ROUNDS = 12  # in which features with an effect of their own are looked for
MORE_ROUNDS = 3  # of pairs, as long as each halves the residual, and of weak main effects together
LEADERS = 12  # features among which triples are looked for, 220 of them, and whose partners in pairs among all


@dataclass(frozen=True)
class Degrees:
    """Highest degree of main effects, and of the factors of interactions."""

    main: int
    pair: int
    candidates: int | None = None  # so many features are tried in pairs, where there are too many to try all


def degrees_for(n_rows: float, n_features: int) -> Degrees:
    """Choose how fine functions may be, and whether each feature has columns before evidence asks for them.

    Examples
    --------
    >>> degrees_for(600, 8), degrees_for(20_000, 81)
    (Degrees(main=18, pair=18, candidates=None), Degrees(main=19, pair=24, candidates=None))
    >>> degrees_for(5000, 500)
    Degrees(main=16, pair=16, candidates=50)
    """
    rows, candidates = int(n_rows), None
    if n_features > min(MANY, max(FEW, rows // ROWS_EACH)):
        n_features = candidates = min(MANY, max(FEW, rows // ROWS_EACH**2))  # any two of them may have a product
    few = max(5, rows // (ROWS_PER_FUNCTION * n_features))
    most = few if candidates is None else min(few, MANY_DEGREE)
    main, pair = (
        min(of_one, max(least, of_all // n_features), most)
        for least, (of_one, of_all) in ((10, MAIN_FUNCTIONS), (6, PAIR_FUNCTIONS))
    )
    return Degrees(main, pair, candidates)


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
    n_low_order: int = 0  # low-order tensor products of pairs that may be added for their smoothness alone
    reserved: int = 0  # of the columns, for these: other products take no more than the rest
    unread: frozenset[int] = frozenset()  # features that the model does not read, and that have no columns

    @property
    def many(self) -> bool:
        """Whether features are too many for each to have columns."""
        return self.degrees.candidates is not None

    @property
    def n_pairs(self) -> int:
        """Number of pairs of features."""
        return math.comb(len(self.marginals), 2)

    @property
    def _tries(self) -> int:
        """How many pairs the best are chosen from; where all are tried at the start, each speaks for itself."""
        return math.comb(self.degrees.candidates, 2) if self.degrees.candidates is not None else 1

    @cached_property
    def low(self) -> LowFunctions:
        """The lowest functions of all features: one search after the other looks at the same rows."""
        return LowFunctions(self.marginals) if self.known is None else self.known

    def select(self, rows: GroupedRows, groups: Sequence[int], learn: Collection[int], n_outputs: int) -> FoundColumns:
        """Add columns round by round, by looking at the groups `learn`; sums are made for all `groups`."""
        self.steps.start("main effects")
        columns = Columns(()) if self.many else main_columns(self.marginals, self.degrees.main, self.unread)
        selection = Selection(rows, GroupSums(groups, n_outputs), learn, columns)
        selection.sums.extend(rows, columns)
        if self.many:
            self._add_mains(selection)
        if self.max_order > 1:
            if ASKED in learn and not self.many and self.n_pairs > self.n_low_order > 0:
                self._add_pairs_of_rows(selection)
            self._add_pairs(selection)
        complete = self._settled(selection)
        selection.order(*selection.columns.by_gain())
        if self.max_order > 2:
            complete = self._add_triples(selection, complete)
        columns = CompleteColumns(selection.columns.blocks) if complete else selection.columns
        return FoundColumns(columns, selection.sums, self.max_order)

    def _add_triples(self, selection: Selection, complete: bool) -> bool:
        """Add triples after all pairs and, where rows allow, low-order products, so that they alone may be left out.

        Returns whether the columns are then complete.
        """
        before = selection.columns
        smooth = [] if complete else self.low_order_products(before)
        few = selection.n_rows < self.n_low_order
        triples = self._called_for_triples(selection, smooth if few else [])
        selection.add(triples)
        complete = complete or (bool(triples) and self._settled(selection))
        if complete or few or not smooth:
            return complete
        size, middle = before.size, selection.columns.size
        selection.add(smooth)
        order = np.r_[:size, middle : selection.columns.size, size:middle]
        selection.order(before.with_blocks([*smooth, *triples]), order)
        return True

    def _add_pairs_of_rows(self, selection: Selection) -> None:
        """Add pairs that the rows of the data call for by themselves, some hundred columns of them.

        Recombined rows of many features call for more products than there is room for. Those that matter where the
        rows are would find none left, and asking would cost fidelity (`make ask`).
        """
        rows = [group for group in selection.learn if group < ASKED]
        alone = Selection(selection.rows, selection.sums, rows, selection.columns)
        search = replace(self, known=self.low, max_columns=selection.columns.size + self.n_low_order)
        for rule in self.rounds:
            alone.add(search.pairs(alone, rule)[0])
        selection.columns, selection.fitted = alone.columns, None

    def _settled(self, selection: Selection) -> bool:
        """Say whether other rows would have less left than what makes low-order tensor products worthwhile.

        By generalized cross-validation, as if every column were free: rather too much is left than too little.
        """
        fitted, free = self._interim_fit(selection), 1 - selection.columns.size / selection.n_rows
        return fitted is not None and fitted[2] < GAINS[-2] * free**2

    def _add_pairs(self, selection: Selection) -> None:
        """Add pairs round by round; after the first rounds only while each halves what is left (of trees none does)."""
        # A search of one round is a trial, which is to be short.
        more = (self.rounds[-1],) * (MORE_ROUNDS if len(self.rounds) > 1 else 0)
        before = np.inf
        for number, rule in enumerate((*self.rounds, *more)):
            self.steps.start("pairs")
            pairs, before = self.pairs(selection, rule, before / 2 if number >= len(self.rounds) else np.inf)
            if not pairs:
                break
            selection.add(pairs)
            if self.many:  # less is left now, so weaker effects show
                self._add_mains(selection)

    def _add_mains(self, selection: Selection) -> None:
        """Add main effects that the residual calls for, the strongest first, then what the others leave."""
        for number in range(MAIN_ROUNDS + MORE_ROUNDS):
            fitted = self._interim_fit(selection)
            if fitted is None:
                break
            columns, evaluator = selection.columns, Evaluator(selection.columns, fitted[0])
            screen = self._screen(selection.rows, selection.members, evaluator, selection.n_rows)
            room = min(MAIN_FUNCTIONS[1] - columns.size, fitted[1])
            blocks = self._strong_mains(screen, columns, room // 2) if number < MAIN_ROUNDS else []
            blocks = blocks or self._weak_mains(screen, columns, room)
            if not blocks:
                break
            selection.add(blocks)

    def _strong_mains(self, screen: FeatureScreen, columns: Columns, room: int) -> list[ColumnBlock]:
        """Choose features by expected explained variance; a few get a main effect anyway, so that there are some."""
        order = np.lexsort((-screen.each.sum(axis=1), -screen.gains))[:MOST_A_ROUND].tolist()
        blocks = []
        for rank, feature in enumerate(order):
            expected, always = float(screen.gains[feature]), not columns.blocks and rank < NAMED
            if always or expected > COMPARABLE * screen.gains[order[0]]:
                width = self.degrees.main + 1 if expected >= LITTLE else max(int(screen.asked[feature]), 1)
                blocks += self._main_block(feature, width, np.inf if always else expected, columns)
        return strongest(blocks, room)

    def _weak_mains(self, screen: FeatureScreen, columns: Columns, room: int) -> list[ColumnBlock]:
        """Give features their lowest functions where many weak effects explain much together, though none alone."""
        for width in range(1, LOW + 1):
            expected = screen.each[:, :width].sum(axis=1)
            if expected.sum() >= max(LITTLE, VERY_SURE * screen.chance * np.sqrt(width * len(expected))):
                order = np.argsort(-expected, kind="stable").tolist()
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

    def pairs(self, selection: Selection, rule: ScreeningRule, most: float = np.inf) -> tuple[list[ColumnBlock], float]:
        """Choose products of pairs that the residual calls for, none if more than `most` is left; also what is left."""
        fitted = self._interim_fit(selection)
        if fitted is None or fitted[2] > most:
            return [], 0.0
        columns, (coefficients, room, left) = selection.columns, fitted
        room = room // 2 if self.many else room  # main effects of the features may have to come along
        evaluator = Evaluator(columns, coefficients)
        widths = self._pair_widths(selection.rows, selection.members, evaluator, selection.n_rows)
        screen = screen_pairs(selection.rows, selection.members, evaluator, widths)
        blocks = choose_blocks(screen, columns, rule, room, self._tries, _alike(selection))
        # A pass over the rows is not worth it for a handful of columns, unless the handful is what matters.
        few = sum(len(block.functions) for block in blocks) < LITTLE * columns.size
        if few and sum(block.gain for block in blocks) < 2 * LITTLE * screen.left:
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

    def low_order_products(self, columns: Columns) -> list[ColumnBlock]:
        """Choose the smoothest products of all pairs that are not there yet, for their smoothness alone.

        Rows that are not very many speak for few products. Those they do not speak for are weak one by one, but not
        together. Where functions are unbounded, products reach far beyond the rows, and need evidence each. Triples
        take no room from them.
        """
        if self.max_order < 2 or self.many or not self.n_low_order or isinstance(columns, CompleteColumns):
            return []
        features = [at for at, marginal in enumerate(self.marginals) if marginal.bounded and at not in self.unread]
        products: dict[Term, Floats] = {}
        for one, other in combinations(features, 2):
            first, second = (self.marginals[feature].roughness[: self.degrees.pair] for feature in (one, other))
            products[one, other] = np.outer(first, second)
        costs = np.sort(np.concatenate([np.zeros(0), *(each.ravel() for each in products.values())]))
        n_columns = 1 + sum(len(block.functions) for block in columns.blocks if len(block.term) < 3)
        room = max(min(self.n_low_order, self.max_columns - n_columns), 0)
        limit = costs[room] if len(costs) > room else np.inf
        blocks = []
        for term, cost in products.items():
            keep, had = (cost < limit) & (cost <= ROUGHEST), columns.functions.get(term)
            if had is not None:
                keep[tuple(had[(had < keep.shape).all(axis=1)].T)] = False
            blocks += [ColumnBlock(term, np.argwhere(keep), NO_EVIDENCE)] if keep.any() else []
        return blocks

    def beyond(
        self, rows: GroupedRows, groups: Collection[int], columns: Columns, coefficients: Floats, left: float
    ) -> tuple[tuple[Term, float], ...]:
        """List interactions of the next order that the residual of a fit calls for, those that explain most first.

        With each comes the share of the predictions' variance that it is expected to explain; `left` is not explained.
        Little left is not looked into.
        """
        if left < 3 * LITTLE or self.max_order > 2 or len(self.marginals) <= self.max_order:
            return ()
        evaluator = Evaluator(columns, coefficients)
        if self.max_order == 1:
            widths = self._pair_widths(rows, groups, evaluator)
            found = choose_blocks(
                screen_pairs(rows, groups, evaluator, widths), columns, ROUNDS[0], MAX_COLUMNS, self._tries
            )
        else:
            found = self._triples(rows, groups, evaluator, MAX_COLUMNS)
        worthwhile = [block for block in found if block.gain >= max(LITTLE, COMPARABLE * left)]
        ranked = sorted(worthwhile, key=lambda block: -block.gain)[:NAMED]
        return tuple((block.term, min(block.gain, left)) for block in ranked)

    def _called_for_triples(self, selection: Selection, smooth: Sequence[ColumnBlock]) -> list[ColumnBlock]:
        """Choose triples that the residual calls for, here and in a fit that has smooth products of pairs as well."""
        rows, learn, columns = selection.rows, selection.learn, selection.columns
        fitted = self._interim_fit(selection, LOW_ORDER_COLUMNS // 2)
        if fitted is None:
            return []
        coefficients, room, left = fitted
        if left < LITTLE:  # of smooth functions: what is left is structure, and such a fit would learn it by heart
            smooth = ()
        if smooth:  # what pairs explain together, triples would explain by chance
            columns, only = columns.with_blocks(smooth), GroupSums(tuple(learn), len(coefficients.T))
            only.extend(rows, columns)
            coefficients, _ = self._ridge_fit(only.average(learn), columns)
        # There other rows do not distinguish triples from smooth products, so more is asked of each.
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
        if len(features) > LEADERS:
            scores = self._screen(rows, groups, evaluator).heteroscedasticity
            scores[list(self.unread)] = -np.inf
            features = np.sort(np.argsort(-scores, kind="stable")[:LEADERS]).tolist()
        return choose_triples(rows, groups, evaluator, features, room, each_alone=each_alone)

    def _pair_widths(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None = None
    ) -> list[int]:
        """Say how many functions of each feature are tried in pairs: of many features only candidates have some.

        These are features on which the size of the residual depends, and those with large main effects.
        """
        widths = np.array([min(self.degrees.pair, len(marginal.roughness)) for marginal in self.marginals])
        if self.many:
            candidates = self._candidates(rows, groups, evaluator, n_rows)
            widths[np.setdiff1d(np.arange(len(widths)), candidates)] = 0
        widths[list(self.unread)] = 0
        return [int(width) for width in widths]

    def _candidates(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None
    ) -> list[int]:
        """Choose features that may take part in pairs."""
        mains = {term[0]: float((own**2).sum()) for term, own in evaluator.coefficients.items() if len(term) == 1}
        by_size = sorted(mains, key=lambda feature: -mains[feature])
        scores = self._screen(rows, groups, evaluator, n_rows).heteroscedasticity
        by_score = np.argsort(-scores, kind="stable").tolist()
        leaders = in_turn([by_score, by_size], LEADERS)
        share = self.low.most_rows / n_rows if n_rows else 1.0
        evidence = partners(rows, groups, evaluator, self.low, leaders, share)
        by_evidence = np.argsort(-evidence, kind="stable").tolist()
        return in_turn([by_score, by_size, by_evidence], self.degrees.candidates or MANY)

    def _screen(
        self, rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_rows: float | None = None
    ) -> FeatureScreen:
        n_rows = sum(block.n_rows for block in rows.blocks(groups)) if n_rows is None else n_rows
        return screen_features(rows, groups, evaluator, self.low, self.low.most_rows / n_rows)

    def _interim_fit(self, selection: Selection, least_room: int = 0) -> tuple[Floats, int, float] | None:
        """Fit the present columns; None if nothing is left to explain or there is no room for more.

        Returned are coefficients, the room for columns, `least_room` if rows allow it, and the share of the variance
        that is left.
        """
        columns = selection.columns
        n_evident = 1 + sum(len(block.functions) for block in columns.blocks if block.gain != NO_EVIDENCE)
        room = min(max(self.max_columns - self.reserved - columns.size, least_room), int(selection.n_rows) - n_evident)
        if room <= 0 or len(self.marginals) < 2:
            return None
        if selection.fitted is None:
            normal = selection.sums.average(selection.learn)
            selection.fitted = *self._ridge_fit(normal, columns), normal.variance
        coefficients, left, variance = selection.fitted
        if (left <= NEGLIGIBLE * variance).all():
            return None
        return coefficients, room, float(left.mean())

    def _ridge_fit(self, normal: Normal, columns: Columns) -> tuple[Floats, Floats]:
        """Fit columns with a wide prior; also find the mean squared residual of each output.

        A prior is weighed against noise. Where little is left there is little of it, and the prior is made weaker: what
        it takes from strong columns would otherwise be most of the residual, and hide what other columns explain.
        """
        penalty = min(INTERIM, FIRST_FIT / normal.n_rows) * columns.roughness(self.marginals)
        coefficients = ridge_fit(normal, penalty)
        left = mean_squared_error(normal, coefficients)
        if left.mean() < LITTLE:
            coefficients = ridge_fit(normal, max(left.mean() / LITTLE, LITTLE) * penalty)
            left = mean_squared_error(normal, coefficients)
        return coefficients, np.maximum(left, 0.0)


def _alike(selection: Selection) -> set[Term]:
    """List the pairs of features of which one is nearly a function of the other, by their lowest functions."""
    lowest = {term[0]: int(at[0]) for term, at in selection.columns.positions.items() if len(term) == 1}
    products = selection.sums.products(selection.learn, list(lowest.values()))
    return {(one, other) for (i, one), (j, other) in combinations(enumerate(lowest), 2) if abs(products[i, j]) > ALIKE}


def main_columns(marginals: Sequence[Marginal], degree: int, unread: Collection[int] = ()) -> Columns:
    """Start with the functions of every feature; levels and missing values keep all of theirs."""
    blocks = []
    for feature, marginal in enumerate(marginals):
        n_functions = 0 if feature in unread else len(marginal.roughness)
        width = n_functions if isinstance(marginal, NominalMarginal) else min(n_functions, degree + 1)
        blocks.append(ColumnBlock((feature,), np.arange(width).reshape(-1, 1)))
    return Columns(tuple(block for block in blocks if len(block.functions)))
