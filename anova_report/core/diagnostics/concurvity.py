"""How features go together in the rows of a fit, from sums the fit has made anyway.

How far main effects are estimable one by one is a question of what functions of the other features explain of each
(concurvity). Correlations of ranks, with the law of each feature, say enough of the joint law to make rows like those
of the fit, and to see whether the rows of another fit go together differently.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, LOOKED_AT_FEATURES, ROUNDING, Floats, Reals, read_only
from anova_report.core.diagnostics.functional_dependence import ENOUGH, Relation
from anova_report.core.diagnostics.sampled_effects import MOST_FUNCTIONS
from anova_report.core.fit.feature_screen import LowFunctions
from anova_report.core.fit.row_blocks import Codebook, CodedBlock, CodedRows, GroupedRows
from anova_report.core.fit.summary import Assembly
from anova_report.core.input.features import ROWS_EACH, Feature
from anova_report.core.large.spans import SpanBlock
from anova_report.core.result.terms import CARRIES
from anova_report.core.threads import in_order

# Budgets of time and of room in a file.
FUNCTIONS = 600  # over all features: dependence shows in the smooth ones, and the inverse stays cheap
MOST_CORRELATED = 1000  # features: the correlations of more would take more room than all else that is kept

# Statistics: what is said to explain a feature (`make verdicts`).
NOTABLE = 0.5  # share that others must explain before anyone asks which
MOST_NAMED = 4  # features that explain one: a longer list is no advice
ALIKE = 0.01  # two shares that differ by less say the same: samples do not tell which is larger
AS_WELL = 0.95  # share that still others explain: a group without them would trade effects with them


@dataclass(frozen=True, eq=False)
class Dependence:
    """How far functions of the other features explain main effects: their concurvity."""

    # Shape (n_features, n_outputs): share of Var(ν_j) that main effects of all other features explain, beyond chance.
    # Where ν_j is next to nothing, the share of the feature itself, in ranks: others may stand for its effect.
    imitated: Floats
    # By output and feature: the fewest other features, four at most, that explain almost all of that, and where those
    # left explain nearly as much, the fewest of them as well; empty where less than half is explained.
    imitators: tuple[tuple[tuple[int, ...], ...], ...]
    # Effects that others explain value by value, or through their interactions; of main effects they say more than the
    # above, which is in accord with them.
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.imitated)

    def with_relations(self, found: Sequence[Relation]) -> "Dependence":
        """Keep those that say more than functions of the others one by one, or as much of fewer features."""
        imitated, imitators = self.imitated.copy(), [list(of_output) for of_output in self.imitators]
        kept = []
        for relation in found:
            if len(relation.term) == 1:
                at, output = relation.term[0], relation.output
                # Said of fewer features, or value by value, the same share says more.
                room = len(imitators[output][at]) - (relation.n_values is None)
                if relation.share <= imitated[at, output] + (-ALIKE if len(relation.others) <= room else ALIKE):
                    continue
                imitated[at, output] = max(imitated[at, output], relation.share)
                imitators[output][at] = relation.others
            kept.append(relation)
        return Dependence(imitated, tuple(map(tuple, imitators)), tuple(kept))


def dependence(assembly: Assembly) -> Dependence:
    """Measure how far others explain each main effect, from the Gram matrix alone.

    With H the inverse of the Gram of the functions of all features, the part of a function of feature j that is beyond
    all functions of the others has the Gram H_jj⁻¹ (a Schur complement).
    """
    fit = assembly.fit
    n_features, n_rows = len(fit.rows.marginals), int(fit.normal.n_rows)
    most = min(FUNCTIONS // n_features, n_rows // ROWS_EACH // n_features)
    width = min(MOST_FUNCTIONS, max(most, 1))
    columns = [fit.columns.positions.get((j,), np.zeros(0, np.intp))[:width] for j in range(n_features)]
    own = np.split(np.arange(sum(map(len, columns))), np.cumsum([len(at) for at in columns])[:-1])
    at = np.concatenate(columns)
    means = fit.normal.gram[0, at]
    gram = fit.normal.gram[np.ix_(at, at)] - np.outer(means, means) + ROUNDING * np.eye(len(at))
    inverse: Floats = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    coefficients = _completed(gram, assembly.moved[at], own)
    chance = min(len(at) / n_rows, 0.5)
    explained = np.array([_explained(gram, inverse, coefficients, mine) for mine in own])
    explained = np.clip(1 - (1 - explained) / (1 - chance), 0.0, 1.0)
    explained_by = tuple(
        tuple(_explained_by(gram, inverse, coefficients[:, o], own, j, explained[j, o]) for j in range(n_features))
        for o in range(coefficients.shape[1])
    )
    return Dependence(explained, explained_by)


def dependence_of_many(assembly: Assembly, low: LowFunctions, rows: GroupedRows) -> Dependence:
    """Measure by lowest functions alone how far others explain features, whether or not they have columns.

    Looked at are the features with a main effect and those most like them, in the rows that chose these.
    """
    n_features, groups = len(low.widths), assembly.fit.groups
    n_rows = sum(block.n_rows for block in rows.blocks(groups))
    read = rows, groups, low.most_rows / n_rows
    listed = np.array([term[0] for term in assembly.terms if len(term) == 1], dtype=np.intp)
    alike = np.abs(_correlations(*read, low, listed, low.features)).max(axis=0, initial=0.0)
    most = max(min(FUNCTIONS, int(n_rows) // ROWS_EACH), 1)
    near = np.sort(low.features[np.argsort(-alike, kind="stable")[:most]])
    gram = _correlations(*read, low, near, near) + ROUNDING * np.eye(len(near))
    chance = min(len(near) / n_rows, 0.5)
    inverse: Floats = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    found = np.clip(1 - 1 / np.diag(inverse) / (1 - chance), 0.0, 1.0)
    own, single = list(np.arange(len(near)).reshape(-1, 1)), np.ones(len(near))
    explained, explained_by = np.zeros((n_features, assembly.moved.shape[1])), dict[int, tuple[int, ...]]()
    explained[near] = found[:, None]
    for at in np.flatnonzero(found >= NOTABLE).tolist():
        chosen = _explained_by(gram, inverse, single, own, at, float(found[at]))
        explained_by[int(near[at])] = tuple(near[list(chosen)].tolist())
    by_feature = tuple(explained_by.get(feature, ()) for feature in range(n_features))
    return Dependence(explained, (by_feature,) * explained.shape[1])


def _completed(gram: Floats, coefficients: Floats, own: Sequence[NDArray[np.intp]]) -> Floats:
    """Put the lowest function in the place of main effects that are next to nothing."""
    completed = coefficients.copy()
    for mine in (each for each in own if each.size):
        variance = (coefficients[mine] * (gram[np.ix_(mine, mine)] @ coefficients[mine])).sum(axis=0)
        completed[np.ix_(mine, variance < CARRIES)] = np.eye(len(mine))[:, :1]
    return completed


def _explained(gram: Floats, inverse: Floats, coefficients: Floats, own: NDArray[np.intp]) -> Floats:
    """Share of the variance of one feature's main effect that others explain, for every output."""
    weights = coefficients[own]
    variance = (weights * (gram[np.ix_(own, own)] @ weights)).sum(axis=0)
    beyond = (weights * np.linalg.solve(inverse[np.ix_(own, own)], weights)).sum(axis=0) if own.size else variance
    return np.asarray(1 - np.divide(beyond, variance, out=np.ones_like(variance), where=variance > ROUNDING))


def _explained_by(
    gram: Floats, inverse: Floats, coefficients: Floats, own: Sequence[NDArray[np.intp]], feature: int, explained: float
) -> tuple[int, ...]:
    """Choose the fewest features that explain one and, where the others could do so as well, the fewest of these."""
    chosen = _fewest(gram, coefficients, own, feature, explained)
    alone = np.zeros((len(gram), 1))
    alone[own[feature], 0] = coefficients[own[feature]]
    together = np.concatenate([own[j] for j in (feature, *chosen)])
    left = float(_explained(gram, inverse, alone, together)[0]) if chosen else 0.0
    if left >= AS_WELL:
        chosen = [*chosen, *_fewest(gram, coefficients, own, feature, left, without=chosen)]
    return tuple(sorted(chosen))


def _fewest(
    gram: Floats,
    coefficients: Floats,
    own: Sequence[NDArray[np.intp]],
    feature: int,
    explained: float,
    without: Sequence[int] = (),
) -> list[int]:
    """Choose features one after the other, each time the one with which most is explained."""
    if explained < NOTABLE:
        return []
    mine = own[feature]
    products = gram[:, mine] @ coefficients[mine]
    variance = coefficients[mine] @ products[mine]
    strongest = np.abs(gram[:, mine]).max(axis=1, initial=0.0)
    alike = [float(strongest[each].max(initial=0.0)) for each in own]
    nearest = sorted(set(range(len(own))) - {feature, *without}, key=lambda j: -alike[j])[:LOOKED_AT_FEATURES]
    candidates = np.sort(np.array(nearest, dtype=np.intp))
    # All candidates are tried at once: each has as many places as the widest, and those it does not use are zeros.
    width = max((len(own[j]) for j in nearest), default=0)
    at, used = np.zeros((len(own), width), dtype=np.intp), np.zeros((len(own), width), dtype=bool)
    for j in nearest:
        at[j, : len(own[j])], used[j, : len(own[j])] = own[j], True
    most = min(MOST_NAMED, len(candidates))
    chosen: list[int] = []
    reached = 0.0
    while reached < ENOUGH * explained and len(chosen) < most:
        places, inside = at[candidates], used[candidates]
        blocks, cross = gram[places[:, :, None], places[:, None]], products[places]
        if chosen:  # what they say goes first
            those = np.concatenate([own[j] for j in chosen])
            solved = np.linalg.solve(gram[np.ix_(those, those)], gram[those])[:, places]
            blocks = blocks - np.einsum("caw,cav->awv", gram[those][:, places], solved)
            cross = cross - np.einsum("c,caw->aw", products[those], solved)
        both = inside[:, :, None] & inside[:, None]
        cross = np.where(inside, cross, 0.0)
        solution = np.linalg.solve(np.where(both, blocks, np.eye(width)), cross[:, :, None])[:, :, 0]
        gains = (cross * solution).sum(axis=1) / variance
        best = int(gains.argmax())
        reached += float(gains[best])
        chosen.append(int(candidates[best]))
        candidates = np.delete(candidates, best)
    return chosen


class RankProducts:
    """Sums of products of ranks of ordered features, given the ranks of their codes."""

    def __init__(self, ranks: Mapping[int, Reals]) -> None:
        self.products = np.zeros((len(ranks), len(ranks)))
        self._ranks = ranks

    def sums(self, block: SpanBlock) -> "RankProducts":
        """Multiply the ranks in one row block."""
        found = RankProducts(self._ranks)
        ranks = np.array([of_codes[block.inputs[feature]] for feature, of_codes in self._ranks.items()])
        counted = ranks if block.weights is None else ranks * block.weights.astype(np.float32)
        found.products = counted @ ranks.T
        return found

    def merge(self, other: "RankProducts") -> None:
        """Count other rows as well."""
        self.products += other.products

    add = merge  # what `sums` finds are products of one block

    def correlations(self, n_features: int) -> Floats:
        """Correlate, shape (n_features, n_features); levels have no ranks, and get zeros."""
        found, ordered = np.eye(n_features), list(self._ranks)
        if ordered:
            spread = np.sqrt(np.maximum(np.diag(self.products), np.finfo(float).tiny))
            correlations = np.clip(self.products / np.outer(spread, spread), -1.0, 1.0)
            # With fewer than 100 million rows their error is larger than what further digits say.
            found[np.ix_(ordered, ordered)] = correlations.round(4)
        return found


def code_ranks(books: Sequence[Codebook], features: Sequence[Feature]) -> dict[int, Reals] | None:
    """Rank the codes of every ordered feature; None of too many."""
    if len(features) > MOST_CORRELATED:
        return None
    return {at: book.ranks() for at, book in enumerate(books) if features[at].kind != "nominal"}


def rank_correlations(coded: CodedRows, features: Sequence[Feature]) -> Floats | None:
    """Correlate the ranks of ordered features, shape (n_features, n_features); None of too many."""
    ranks = code_ranks(coded.books, features)
    if ranks is None:
        return None
    weights = None if coded.source.weights is None else coded.source.weights.values
    total = RankProducts(ranks)

    def multiply(numbered: tuple[int, CodedBlock]) -> RankProducts:
        number, (codes, predictions) = numbered
        own = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
        return total.sums(SpanBlock(number, codes, predictions, None if weights is None else weights[own]))

    for found in in_order(multiply, enumerate(coded.blocks())) if ranks else ():
        total.add(found)
    return total.correlations(len(features))


def _correlations(
    rows: GroupedRows,
    groups: Collection[int],
    share: float,
    low: LowFunctions,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> Floats:
    """Correlate the lowest functions of some features with those of others, in as many rows as are kept."""
    n_rows = 0.0
    one, other = low.lowest(first), low.lowest(second)
    products, sums, squares = np.zeros((len(first), len(second))), [np.zeros(1)] * 2, [np.zeros(1)] * 2
    for block in rows.blocks(groups):
        part = block.leading(share)
        within, kept = low.of(rows, part)
        found = [kept[np.ix_(within, each)].T.astype(np.float64) for each in (one, other)]
        products += part.weighed(found[0]) @ found[1].T
        n_rows += part.n_rows
        sums = [total + part.weighed(each).sum(axis=1) for total, each in zip(sums, found, strict=True)]
        squares = [total + part.weighed(each**2).sum(axis=1) for total, each in zip(squares, found, strict=True)]
    means = [total / n_rows for total in sums]
    spreads = [
        np.sqrt(np.maximum(total / n_rows - mean**2, np.finfo(float).tiny))
        for total, mean in zip(squares, means, strict=True)
    ]
    return np.asarray(np.clip((products / n_rows - np.outer(*means)) / np.outer(*spreads), -1.0, 1.0))
