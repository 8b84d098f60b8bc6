"""Which of many features get columns: those with an effect of their own, and those the residual's size depends on.

A product of two features may leave no trace in the average along either of them, but where one is far from its middle,
what main effects leave is larger. So the features that take part in interactions are known without trying all pairs.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from anova_report.core.arrays import AT_ONCE, BLOCK_ROWS, Floats, Reals
from anova_report.core.basis.design import Evaluator
from anova_report.core.basis.marginals import Marginal, NominalMarginal
from anova_report.core.fit.row_blocks import KEPT_BYTES, Codebook, Codes, GroupBlock, GroupedRows
from anova_report.core.fit.screening import LOW, Residuals
from anova_report.core.fit.sums import SURE
from anova_report.core.threads import in_order

# Statistics, where features are many: what passes costs columns, what does not has no effect (`make bench`).
MOST_CONTRASTS = LOW * 4  # of levels, which have no order by smoothness: bounds the memory of features with many
FALSE_ALARM = 0.1  # how often one of all features passes a test by chance: one for nothing costs little
PARTNER_DEGREE = 3  # functions of a leader that are tried with all features: the work grows with it
LARGE = 10.0  # squared residuals beyond so many times their mean count as much as that: few must not decide


class LowFunctions:
    """The lowest functions of all features, kept for the rows that were looked at: every round looks at the same."""

    def __init__(self, marginals: Sequence[Marginal]) -> None:
        self.marginals = [marginal.lowest(LOW) for marginal in marginals]
        most = [MOST_CONTRASTS if isinstance(marginal, NominalMarginal) else LOW for marginal in marginals]
        self.widths = np.minimum([len(marginal.roughness) for marginal in marginals], most)
        self.features = np.flatnonzero(self.widths)  # levels that are all pooled have no functions
        self.offsets = np.cumsum([0, *self.widths[self.features]])
        self._kept: dict[int, tuple[NDArray[np.bool_], Reals]] = {}  # by row block: which rows, and their functions

    @property
    def most_rows(self) -> int:
        """How many rows are looked at: those whose functions can be kept."""
        return int(KEPT_BYTES / 4 / max(self.offsets[-1], 1))

    def forget(self) -> None:
        """Give the memory back."""
        self._kept.clear()

    def pieces(self) -> list[slice]:
        """Cut the features that have functions into pieces, as columns of what is kept."""
        edges = [*self.offsets[:-1:AT_ONCE].tolist(), int(self.offsets[-1])]
        return [slice(*ends) for ends in pairwise(edges)]

    def lowest(self, features: NDArray[np.intp]) -> NDArray[np.intp]:
        """Find the lowest functions of some features; of ordered ones not the indicator of missing values."""
        starts = self.offsets[np.searchsorted(self.features, features)]
        after = [int(getattr(self.marginals[feature], "missing", 0.0) > 0) for feature in features]
        return np.asarray(starts + np.minimum(after, self.widths[features] - 1))

    def of(self, rows: GroupedRows, block: GroupBlock) -> tuple[NDArray[np.intp], Reals]:
        """Return the places of the rows of a block in what is kept, and that, shape (BLOCK_ROWS, n_functions)."""
        number, within = divmod(block.positions if block.places is None else block.places, BLOCK_ROWS)
        if int(number[0]) not in self._kept:
            # Memory that is never written to is never taken.
            room = np.empty((BLOCK_ROWS, self.offsets[-1]), dtype=np.float32)
            self._kept[int(number[0])] = np.zeros(BLOCK_ROWS, dtype=bool), room
        known, kept = self._kept[int(number[0])]
        new = ~known[within]
        if new.any():
            self._evaluate(rows.coded.books, [codes[new] for codes in block.codes], within[new], kept)
            known[within] = True
        return within, kept

    def _evaluate(self, books: Sequence[Codebook], codes: Codes, at: NDArray[np.intp], kept: Reals) -> None:
        def evaluate(features: NDArray[np.intp]) -> Reals:
            found = [self.marginals[j].evaluate(books[j].decode(codes[j]), np.float32) for j in features]
            return np.concatenate([own[:width] for own, width in zip(found, self.widths[features], strict=True)])

        together = [self.features[start : start + AT_ONCE] for start in range(0, len(self.features), AT_ONCE)]
        for piece, found in zip(self.pieces(), in_order(evaluate, together), strict=True):
            kept[at, piece] = found.T


@dataclass(frozen=True, eq=False)
class FeatureScreen:
    """Evidence about every feature, shapes (n_features,); what the fit has columns for does not count."""

    gains: Floats  # expected explained variance of its main effect, over that of predictions; 0 where it may be chance
    asked: NDArray[np.intp]  # how many functions it takes to hold those that are notable
    each: Floats  # shape (n_features, LOW): the same of each function; chance alone gives 0 on average
    chance: float  # standard deviation of that where there is nothing
    heteroscedasticity: Floats  # how far beyond chance the size of the residual depends on it, in standard deviations


def screen_features(
    rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, low: LowFunctions, share: float = 1.0
) -> FeatureScreen:
    """Correlate the residuals of a fit, and their size, with the lowest functions of all features.

    `share` says how much of every block is looked at.
    """
    residuals = Residuals(evaluator, rows, groups)

    def weigh(block: GroupBlock) -> Reals:
        left = residuals.of(block)
        sizes = residuals.squared(left).mean(axis=0)
        sizes = np.minimum(sizes, LARGE * block.weighed(sizes).sum() / block.n_rows)
        return np.concatenate([left, (sizes - block.weighed(sizes).sum() / block.n_rows)[None]])

    means, variances, spread = _correlate(rows, groups, low, share, weigh)
    squared, starts, widths = means**2 / variances, low.offsets[:-1], low.widths[low.features]
    sizes = np.add.reduceat(squared[-1], starts)
    # Single precision leaves of a column that is in the fit more than of one that is not.
    place = np.arange(low.offsets[-1]) - np.repeat(starts, widths)
    had = np.array([len(evaluator.functions.get((int(feature),), ())) for feature in low.features])
    squared, new = squared[:-1], place >= np.repeat(had, widths)
    gain = np.where(new, means[:-1] ** 2 - variances[:-1], 0.0) / np.maximum(spread[:-1], np.finfo(float).tiny)[:, None]
    chance = FALSE_ALARM / squared[:, starts].size
    from_strong = np.add.reduceat(np.where(squared > chi2.isf(chance / LOW, 1), gain, 0.0), starts, axis=1)
    together = np.add.reduceat(np.where(new, squared, 1.0), starts, axis=1) > chi2.isf(chance, widths)
    expected = np.maximum(from_strong, np.where(together, np.add.reduceat(gain, starts, axis=1), 0.0)).max(axis=0)
    each, low_place = np.zeros((len(low.widths), LOW)), place < LOW
    each[np.repeat(low.features, widths)[low_place], place[low_place]] = gain.mean(axis=0)[low_place]
    # A function is kept with less evidence where others of its feature speak for an effect.
    notable = (new & (squared > SURE**2)).any(axis=0)

    def of_all(values: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = np.zeros(len(low.widths), dtype=values.dtype)
        found[low.features] = values
        return found

    return FeatureScreen(
        gains=of_all(np.where(expected > residuals.needed, expected, 0.0) * residuals.left),
        asked=of_all(np.maximum.reduceat(np.where(notable, place + 1, 0), starts)),
        each=each * residuals.left,
        chance=float(np.sqrt(2) * np.median(variances[:-1] / spread[:-1, None]) * residuals.left),
        heteroscedasticity=of_all((sizes - widths) / np.sqrt(2 * widths)),
    )


def partners(
    rows: GroupedRows,
    groups: Collection[int],
    evaluator: Evaluator,
    low: LowFunctions,
    leaders: Sequence[int],
    share: float = 1.0,
) -> Floats:
    """Tell how much speaks for a pair of each feature with one of the leaders, shape (n_features,).

    The size of the residual depends on both features of most products, but not on one that only turns the sign of what
    another does, as two groups of rows may. It is the largest squared correlation, in units of chance.
    """
    residuals = Residuals(evaluator, rows, groups)

    def weigh(block: GroupBlock) -> Reals:
        functions = np.concatenate([block.functions[leader][:PARTNER_DEGREE] for leader in leaders])
        weighted: Reals = residuals.of(block)[:, None] * functions
        return weighted.reshape(-1, functions.shape[1])

    means, variances, _ = _correlate(rows, groups, low, share, weigh)
    most = np.maximum.reduceat(means**2 / variances, low.offsets[:-1], axis=1)
    owner = [leader for leader in leaders for _ in low.marginals[leader].roughness[:PARTNER_DEGREE]]
    most[np.tile(owner, len(residuals.directions))[:, None] == low.features] = 0.0
    found = np.zeros(len(low.widths))
    found[low.features] = most.max(axis=0)
    return found


def _correlate(
    rows: GroupedRows, groups: Collection[int], low: LowFunctions, share: float, weigh: Callable[[GroupBlock], Reals]
) -> tuple[Floats, Floats, Floats]:
    """Average weight times low function; also gives the sampling variances, and the average squared weights.

    `weigh` makes weights of shape (n_weights, n_rows) for a block, on top of what its rows count.
    """
    total, squares, spread, n_rows = np.zeros(1), np.zeros(1), np.zeros(1), 0.0
    pieces = low.pieces()
    for block in (whole.leading(share) for whole in rows.blocks(groups)):
        weights = weigh(block)
        counted = block.weighed(weights)
        at, kept = low.of(rows, block)

        def multiply(piece: slice, counted: Reals = counted, at: NDArray[np.intp] = at, kept: Reals = kept) -> Reals:
            functions = kept[at, piece]
            return np.stack([counted @ functions, counted**2 @ functions**2])

        products, squared = np.concatenate(list(in_order(multiply, pieces)), axis=2).astype(np.float64)
        total, squares = total + products, squares + squared
        spread = spread + block.weighed(weights.astype(np.float64) ** 2).sum(axis=1)
        n_rows += block.n_rows
    return total / n_rows, np.maximum(squares / n_rows**2, np.finfo(float).tiny), spread / n_rows


def in_turn(rankings: Sequence[Sequence[int]], most: int) -> list[int]:
    """Take the first of every ranking, then the second of each, until there are so many; in ascending order.

    Examples
    --------
    >>> in_turn([[5, 3, 1], [5, 2]], most=3)
    [2, 3, 5]
    """
    turns = chain.from_iterable(zip_longest(*(ranking[:most] for ranking in rankings)))
    return sorted(list(dict.fromkeys(feature for feature in turns if feature is not None))[:most])
