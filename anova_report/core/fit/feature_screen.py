"""Which of many features get columns: those with an effect of their own, and those on which the residual's size depends.

A product of two features may leave no trace in the average along either of them, but where one is far from its middle,
what main effects leave is larger. So the features that take part in interactions can be told without trying all pairs.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from anova_report.core.arrays import Floats, Reals
from anova_report.core.engines.threads import in_order
from anova_report.core.fit.design import Evaluator
from anova_report.core.fit.families import Marginal, NominalMarginal
from anova_report.core.fit.row_blocks import BLOCK_ROWS, GroupBlock, GroupedRows
from anova_report.core.fit.screening import Residuals

LOW = 5  # functions of an ordered feature that are looked at
MOST_CONTRASTS = 20  # of levels, which have no order by smoothness
LOW_BYTES = 2e8  # low functions are kept for as many rows as take no more than this; more rows are not looked at
AT_ONCE = 64  # features whose products are made at once, which bounds memory
LARGE = 10.0  # squared residuals beyond so many times their mean count as much as that: few must not decide


class LowFunctions:
    """The lowest functions of all features, kept for the rows that were looked at: every round looks at the same."""

    def __init__(self, marginals: Sequence[Marginal]) -> None:
        self.marginals = marginals
        most = [MOST_CONTRASTS if isinstance(marginal, NominalMarginal) else LOW for marginal in marginals]
        self.widths = np.minimum([len(marginal.roughness) for marginal in marginals], most)
        self.features = np.flatnonzero(self.widths)  # levels that are all pooled have no functions
        self.offsets = np.cumsum([0, *self.widths[self.features]])
        self._kept: dict[int, tuple[NDArray[np.intp], Reals]] = {}

    @property
    def most_rows(self) -> int:
        """How many rows are looked at."""
        return int(LOW_BYTES / 4 / max(self.offsets[-1], 1))

    def pieces(self) -> list[slice]:
        """Cut the features that have functions into pieces, as columns of what is kept."""
        edges = [*self.offsets[:-1:AT_ONCE].tolist(), int(self.offsets[-1])]
        return [slice(*ends) for ends in pairwise(edges)]

    def of(self, block: GroupBlock) -> tuple[NDArray[np.intp], Reals]:
        """Return where the rows of a block are in what is kept, and that, shape (n_kept, n_functions)."""
        number, within = divmod(block.positions, BLOCK_ROWS)
        at, kept = self._kept.get(
            int(number[0]), (np.full(BLOCK_ROWS, -1), np.zeros((0, self.offsets[-1]), dtype=np.float32))
        )
        new = at[within] < 0
        if new.any():
            at[within[new]] = len(kept) + np.arange(new.sum())
            kept = np.concatenate([kept, self._evaluate(block.values[new])])
            self._kept[int(number[0])] = at, kept
        return at[within], kept

    def _evaluate(self, values: Floats) -> Reals:
        functions = np.empty((len(values), self.offsets[-1]), dtype=np.float32)

        def fill(piece: slice) -> None:
            for at in range(piece.start, piece.stop):
                feature = self.features[at]
                found = self.marginals[feature].evaluate(values[:, feature], np.float32)
                functions[:, self.offsets[at] : self.offsets[at + 1]] = found[: self.widths[feature]].T

        n_features = len(self.features)
        list(in_order(fill, [slice(at, min(at + AT_ONCE, n_features)) for at in range(0, n_features, AT_ONCE)]))
        return functions


@dataclass(frozen=True, eq=False)
class FeatureScreen:
    """Evidence about every feature, shapes (n_features,)."""

    gains: Floats  # share of the answers' variance that its main effect promises to explain; 0 where it may be chance
    scatter: Floats  # how far beyond chance the size of the residual depends on it, in standard deviations
    weak: Floats  # squared correlation of the residual with its lowest function, in units of what chance gives


def screen_features(
    rows: GroupedRows, groups: Collection[int], evaluator: Evaluator, low: LowFunctions, share: float = 1.0
) -> FeatureScreen:
    """Correlate the residuals of a fit, and their size, with the lowest functions of all features.

    `share` says how much of every block is looked at.
    """
    residuals = Residuals(evaluator, next(rows.blocks(groups)))
    n_weights = len(residuals.directions) + 1
    total, squares = (np.zeros((n_weights, low.offsets[-1])) for _ in range(2))
    spread, n_rows = np.zeros(n_weights - 1), 0
    for whole in rows.blocks(groups):
        block = whole.leading(share)
        left = residuals.of(block)
        sizes = residuals.squared(left).mean(axis=0)
        sizes = np.minimum(sizes, LARGE * sizes.mean())
        weights = np.concatenate([left, (sizes - sizes.mean())[None]])
        at, kept = low.of(block)

        def multiply(piece: slice, weights: Reals = weights, at: NDArray[np.intp] = at, kept: Reals = kept) -> Reals:
            functions = kept[at, piece]
            return np.stack([weights @ functions, weights**2 @ functions**2])

        for piece, (products, squared) in zip(low.pieces(), in_order(multiply, low.pieces()), strict=True):
            total[:, piece] += products
            squares[:, piece] += squared
        spread, n_rows = spread + (left.astype(np.float64) ** 2).sum(axis=1), n_rows + left.shape[1]
    variance = np.maximum(squares / n_rows**2, np.finfo(float).tiny)
    return _judged(total / n_rows, variance, spread / n_rows, residuals, low)


def _judged(means: Floats, variances: Floats, spread: Floats, residuals: Residuals, low: LowFunctions) -> FeatureScreen:
    """Weigh the evidence: `means` and `variances` have the directions of the residuals first, their size last."""
    starts, widths = low.offsets[:-1], low.widths[low.features]
    squared = means**2 / variances
    together = np.add.reduceat(squared, starts, axis=1)
    # Of so many features and directions about one passes each of the tests by chance.
    chance = 1 / (len(widths) * len(spread))
    strong = squared[:-1] > chi2.isf(chance / LOW, 1)
    gain = (means[:-1] ** 2 - variances[:-1]) / np.maximum(spread, np.finfo(float).tiny)[:, None]
    from_strong = np.add.reduceat(np.where(strong, gain, 0.0), starts, axis=1)
    from_all = np.where(together[:-1] > chi2.isf(chance, widths), np.add.reduceat(gain, starts, axis=1), 0.0)
    gains, scatter, weak = (np.zeros(len(low.widths)) for _ in range(3))
    promised = np.maximum(from_strong, from_all).max(axis=0)
    gains[low.features] = np.where(promised > residuals.needed, promised, 0.0) * residuals.left
    scatter[low.features] = (together[-1] - widths) / np.sqrt(2 * widths)
    weak[low.features] = squared[:-1][:, starts].max(axis=0)
    return FeatureScreen(gains, scatter, weak)


def in_turn(rankings: Sequence[Sequence[int]], most: int) -> list[int]:
    """Take the first of every ranking, then the second of each, until there are so many; in ascending order.

    Examples
    --------
    >>> in_turn([[5, 3, 1], [5, 2]], most=3)
    [2, 3, 5]
    """
    longest = max(map(len, rankings), default=0)
    turns = chain.from_iterable([ranking[at] for ranking in rankings if at < len(ranking)] for at in range(longest))
    return sorted(list(dict.fromkeys(turns))[:most])
