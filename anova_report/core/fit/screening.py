"""Which pairs and triples, and which of their products, the residual of a fit calls for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.fit.row_blocks import SCREENED_ROWS, GroupBlock, GroupedRows
from anova_report.core.fit.sums import SURE
from anova_report.core.result.terms import Term
from anova_report.core.threads import in_order

# Statistics: too many columns follow noise, too few leave much unexplained (`make bench`, `make truth`).
LITTLE = 0.01  # share of a variance: a term that explains so much of what is left, or of all, is worth its columns
EVIDENCE = 1e-3  # share of what is left that a term must be expected to explain
WORTHWHILE = 2e-4  # and of the predictions' variance: trees leave many small terms, not worth their columns
LOW = 5  # functions of an ordered feature that are looked at where products or features are many: 125 a triple

# Budgets of time (`make bench`).
DIRECTIONS = 3  # leading ones, along which many outputs are screened; up to one output more, each by itself
FIRST_ROWS = 4000  # that show how much is left


@dataclass(frozen=True)
class ScreeningRule:
    """How strict one round of screening is."""

    sigmas: float  # a single product enters when its coefficient is so many standard deviations from zero
    base: int  # side of the block of lowest products that is judged as a whole
    base_sigmas: float = SURE  # beyond noise, of the sum of these

    def stricter(self, tries: int) -> "ScreeningRule":
        """Ask for more where evidence is the best of so many tries."""
        chances = 2 * np.log(tries)
        return ScreeningRule(
            float(np.sqrt(self.sigmas**2 + chances)), self.base, float(np.sqrt(self.base_sigmas**2 + chances))
        )


TRIPLE_RULE = ScreeningRule(3.5, 3)


class Residuals:
    """Residuals of a fit, along few directions, as single-precision rows (n_directions, n_rows).

    The first rows fix the directions, the outputs themselves or the leading ones where outputs are many, the share of
    the variance that is left, `left`, and the share of that, `needed`, which a term must be expected to explain.
    """

    def __init__(self, evaluator: Evaluator, rows: GroupedRows, groups: Collection[int]) -> None:
        first = _first(rows, groups)
        left = [block.predictions.T - evaluator.total(block.functions) for block in first]
        n_rows = sum(block.n_rows for block in first)
        self.evaluator = evaluator
        self._own = len(left[0]) <= DIRECTIONS + 1
        squares = sum(block.weighed(own**2).sum(axis=1) for block, own in zip(first, left, strict=True)) / n_rows
        spread = np.sqrt(np.maximum(squares, np.finfo(float).tiny))
        if self._own:
            self.directions = np.diag(1 / spread)
        else:
            scaled = [own / spread[:, None] for own in left]
            products = sum(block.weighed(own) @ own.T for block, own in zip(first, scaled, strict=True))
            sizes, vectors = np.linalg.eigh(products / n_rows)
            leading = vectors / np.sqrt(np.maximum(sizes, np.finfo(float).eps))
            self.directions = leading.T[: -DIRECTIONS - 1 : -1] / spread  # shape (n_directions, n_outputs)
        # Predictions have unit variance, so the mean square is the share of it that is left.
        self.left = float(squares.mean())
        self.needed = max(EVIDENCE, min(WORTHWHILE / max(self.left, np.finfo(float).tiny), LITTLE))

    def of(self, block: GroupBlock) -> Reals:
        """Evaluate on some rows."""
        left = block.predictions.T - self.evaluator.total(block.functions)
        return np.asarray(self.directions @ left, dtype=np.float32)

    def squared(self, left: Reals) -> Reals:
        """Square what is left, for sampling variances; directions of many outputs, of unit variance, share one."""
        return left**2 if self._own else (left**2).mean(axis=0, keepdims=True)


def _first(rows: GroupedRows, groups: Collection[int]) -> list[GroupBlock]:
    """Return the first blocks of some groups: enough rows to say how much is left."""
    first: list[GroupBlock] = []
    for block in rows.blocks(groups):
        first.append(block)
        if sum(len(each.predictions) for each in first) >= FIRST_ROWS:
            break
    return first


@dataclass(frozen=True, eq=False)
class PairScreen:
    """Evidence for every pair at once."""

    mean: Floats  # shape (n_directions, n_functions, n_functions)
    variance: Floats  # of the same shape
    offsets: Sequence[int]  # where the functions of each feature begin
    spread: Floats  # shape (n_directions,): variance of the residuals
    left: float  # share of the predictions' variance that is left
    needed: float  # share of what is left that a pair must be expected to explain


def screen_pairs(
    rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, n_functions: Sequence[int]
) -> PairScreen:
    """Correlate the residuals of a fit with all products of two functions, in one pass over the rows.

    `n_functions` says how many functions of each feature are tried, of some perhaps none.
    """
    residuals = Residuals(evaluator, rows, groups)
    offsets = np.cumsum([0, *n_functions]).tolist()

    def correlate(block: GroupBlock) -> tuple[Reals, Reals, Floats, float]:
        left = residuals.of(block)
        counted = block.weighed(left)
        functions = np.concatenate([block.functions[j][:width] for j, width in enumerate(n_functions) if width])
        products = np.stack([_upper_products(functions, functions * direction, offsets) for direction in counted])
        squared = functions**2
        weights = residuals.squared(counted)
        weighted = np.stack([_upper_products(squared, squared * weight, offsets) for weight in weights])
        return products, weighted, block.weighed(left.astype(np.float64) ** 2).sum(axis=1), block.n_rows

    total, squares, spread = np.zeros(1), np.zeros(1), np.zeros(1)
    n_rows = 0.0
    for products, weighted, left_squares, count in in_order(correlate, rows.blocks(groups)):
        total = total + products
        squares = squares + weighted
        spread = spread + left_squares
        n_rows += count
    variance = np.broadcast_to(squares / n_rows**2, total.shape)
    return PairScreen(total / n_rows, variance, offsets, spread / n_rows, residuals.left, residuals.needed)


def _upper_products(left: Reals, right: Reals, offsets: Sequence[int]) -> Reals:
    """Products of every feature's functions with those of all later features."""
    products = np.zeros((len(left), len(right)), dtype=left.dtype)
    for start, stop in pairwise(offsets[:-1]):
        products[start:stop, stop:] = left[start:stop] @ right[stop:].T
    return products


def candidate_pairs(screen: PairScreen, rule: ScreeningRule) -> list[Term]:
    """List the pairs whose strong or lowest products could be worth a look: most of many pairs are not."""
    features = np.flatnonzero(np.diff(screen.offsets))  # of which functions were tried
    offsets = np.array(screen.offsets)[features]
    low = np.concatenate([np.arange(width) < rule.base for width in np.diff(screen.offsets)])
    most = np.zeros((len(offsets), len(offsets)))
    spread = np.maximum(screen.spread, np.finfo(float).tiny)
    for mean, variance, size in zip(screen.mean, screen.variance, spread, strict=True):
        gain = (mean**2 - variance) / size
        for mask in (mean**2 > rule.sigmas**2 * variance, np.outer(low, low)):
            sums = np.add.reduceat(np.add.reduceat(np.where(mask, gain, 0.0), offsets, axis=0), offsets, axis=1)
            most = np.maximum(most, sums)
    return [(int(i), int(j)) for i, j in features[np.argwhere(np.triu(most, 1) > screen.needed)]]


def choose_blocks(
    screen: PairScreen,
    columns: Columns,
    rule: ScreeningRule,
    room: int,
    tries: int = 1,
    alike: Collection[Term] = (),
) -> list[ColumnBlock]:
    """Choose new products of pairs, the pair with the strongest evidence first, at most `room` of them.

    Of a pair that has none yet, more is asked where it is one of many `tries`. The lowest products of two features that
    are `alike` are nearly main effects: no residual shows what is left of them, so they enter with any other product.
    """
    stricter = rule.stricter(tries)
    ranked = []
    for term in candidate_pairs(screen, rule):
        i, j = (slice(screen.offsets[feature], screen.offsets[feature + 1]) for feature in term)
        had = columns.functions.get(term)
        asked = stricter if had is None else rule
        score, keep = judge(screen.mean[:, i, j], screen.variance[:, i, j], screen.spread, asked, screen.needed)
        if term in alike and keep.any():
            keep[: rule.base, : rule.base] = True
        if had is not None:
            inside = (had < keep.shape).all(axis=1)
            keep[tuple(had[inside].T)] = False
        if keep.any():
            ranked.append(ColumnBlock(term, np.argwhere(keep), score * screen.left))
    return strongest(ranked, room)


def judge(
    means: Floats, variances: Floats, spread: Floats, rule: ScreeningRule, needed: float
) -> tuple[float, NDArray[np.bool_]]:
    """Weigh the evidence for one term.

    A product is strong when its coefficient is far from zero. Chance alone makes some strong, so the sum of the strong
    is compared with what chance would give. Weak but many low products count as one block.

    `means` and `variances`, of shape (n_directions, …), are averages of product times residual, for each product of the
    term, and their sampling variances; `spread` is the variance of the residuals along each direction. Returned are the
    share of what is left that the term is expected to explain, which must exceed `needed`, and the products to enter.
    """
    chances = 2 * np.log(len(spread))  # several directions are several chances
    sigmas = np.sqrt(rule.sigmas**2 + chances)
    # E[z² − 1; |z| > sigmas] of a normal z
    by_chance = 2 * sigmas * np.exp(-(sigmas**2) / 2) / np.sqrt(2 * np.pi)
    base = (slice(0, rule.base),) * (means.ndim - 1)
    keep = np.zeros(means.shape[1:], dtype=bool)
    score = 0.0
    sizes = np.maximum(spread, np.finfo(float).tiny)
    for mean, variance, size in zip(means, variances, sizes, strict=True):
        gain = mean**2 - variance
        strong = mean**2 > sigmas**2 * variance
        from_strong = (gain[strong].sum() - by_chance * variance.sum()) / size
        from_base = gain[base].sum() / size
        noise = np.sqrt((rule.base_sigmas**2 + chances) * 2 * (variance[base] ** 2).sum()) / size
        if from_strong > needed:
            keep |= strong
        if from_base > max(needed, noise):
            keep |= strong
            keep[base] = True
        score = max(score, from_strong, from_base)
    return float(score), keep


def strongest(blocks: Sequence[ColumnBlock], room: int) -> list[ColumnBlock]:
    """Keep the blocks that are expected to explain most while there is room for all of their columns."""
    kept = []
    for block in sorted(blocks, key=lambda block: -block.gain):
        if len(block.functions) > room:
            break
        kept.append(block)
        room -= len(block.functions)
    return kept


def choose_triples(
    rows: GroupedRows,
    learn: Collection[int],
    evaluator: Evaluator,
    features: Sequence[int],
    room: int,
    *,
    each_alone: bool = True,
) -> list[ColumnBlock]:
    """Choose products of functions of three of some features that the residual calls for, the strongest first.

    Unless each speaks for itself, more is asked of it as one of many that were tried.
    """
    if len(features) < 3:
        return []
    share = SCREENED_ROWS / sum(len(block.predictions) for block in rows.blocks(learn))
    residuals = Residuals(evaluator, rows, learn)
    offsets = np.cumsum([0, *(min(LOW, rows.marginals[j].roughness.size) for j in features)]).tolist()
    pairs = list(combinations(range(len(features) - 1), 2))

    def correlate(whole: GroupBlock) -> tuple[list[tuple[Floats, Floats]], Floats, float]:
        block = whole.leading(share)
        left = residuals.of(block)
        counted = block.weighed(left)
        functions = np.concatenate([block.functions[j][:LOW] for j in features])
        sums = []
        for i, j in pairs:
            first, second = (functions[slice(*offsets[at : at + 2])] for at in (i, j))
            products = (first[:, None] * second[None]).reshape(-1, left.shape[1])
            third = functions[offsets[j + 1] :].T
            weighted = (counted[:, None] * products) @ third, (counted[:, None] * products) ** 2 @ third**2
            sums.append((weighted[0].astype(float), weighted[1].astype(float)))
        return sums, block.weighed(left.astype(np.float64) ** 2).sum(axis=1), block.n_rows

    totals = [(np.zeros(1), np.zeros(1))] * len(pairs)
    spread, n_rows = np.zeros(1), 0.0
    for sums, squares, count in in_order(correlate, rows.blocks(learn)):
        totals = [(total + own, other + more) for (total, other), (own, more) in zip(totals, sums, strict=True)]
        spread, n_rows = spread + squares, n_rows + count
    rule = TRIPLE_RULE if each_alone else TRIPLE_RULE.stricter(comb(len(features), 3))
    found = []
    for (i, j), (mean, variance) in zip(pairs, totals, strict=True):
        for k in range(j + 1, len(features)):
            at = slice(offsets[k] - offsets[j + 1], offsets[k + 1] - offsets[j + 1])
            shape = (len(spread), *(offsets[each + 1] - offsets[each] for each in (i, j, k)))
            means, variances = mean[..., at].reshape(shape) / n_rows, variance[..., at].reshape(shape) / n_rows**2
            score, keep = judge(means, variances, spread / n_rows, rule, residuals.needed)
            if keep.any():
                triple = (features[i], features[j], features[k])
                found.append(ColumnBlock(triple, np.argwhere(keep), score * residuals.left))
    return strongest(found, room)
