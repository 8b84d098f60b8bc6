"""What purified interactions still share with their subterms: functions that noise hid, and finer ones.

Two rows with about the same value of a feature share what a pair holds of functions of it, and no noise: products of
the pair at both average to the variance of these functions. Purification knows no functions but the columns of the
fit; where the law of the features is rougher than these, as that of rounded measurements is, the rest stays behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_ndtr

from anova_report.core.arrays import Floats, Reals
from anova_report.core.fit.lack_of_fit import shared_squares
from anova_report.core.fit.purification import Projection, Subterms, noise_of, spread_over
from anova_report.core.fit.row_blocks import SCREENED_ROWS, GroupBlock
from anova_report.core.fit.sums import SURE
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.result.terms import Term

MOST_CELLS = 256  # of a feature (budget); more would be finer than rounded values mostly are
ROWS_IN_CELL = 4  # statistic (`make bands`): on average; with fewer, too few rows meet another
SHARING_ROWS = 4 * ROWS_EACH  # for each axis of a projection, where rough ones may show alone that features depend
LIKELY = 2.0  # chances beyond noise: of some seven blocks one is often beyond one of them (`make bands`)

CellSums: TypeAlias = dict[int, Floats]  # by feature, shape (n_cells, 2 + 3 · n_pairs · n_outputs)


@dataclass(frozen=True, eq=False)
class LeftBehind:
    """What noise kept from moving, along the axes of a projection."""

    missed: Floats  # shape (n_outputs, n_axes): what probably belongs to subterms and was not moved
    lost: Floats  # shape (n_outputs, n_axes): standard deviation around that
    excess: Floats  # shape (n_outputs,): variance that was not moved, less the noise that was


def left_behind(projection: Projection, products: Floats, means: Floats, n_rows: float) -> LeftBehind:
    """Look at what is left of an interaction along the axes of its projection.

    `products` are sums of the columns of its subterms, the constant first, times the purified interaction, over each
    replicate, (n_outputs, n_replicates, n_columns), and `means` averages of these columns, without the constant. Noise
    is seen here, and not before anything moved: what moved varies most where rows are few, as its square would.
    """
    products = products[:, products.any(axis=(0, 2))]
    along = (products[:, :, 1:] - products[:, :, :1] * means) @ projection.turn.T / n_rows
    # As with residuals of a fit, what is left of an interaction is smaller by what the projection has used.
    used = np.maximum(1 - projection.kept.sum(axis=1) / n_rows, 0.1)
    each = zip(along, projection.found, projection.kept, used, strict=True)
    found = [_left_behind(own, shown, kept, projection.blocks, n_rows, share) for own, shown, kept, share in each]
    missed, lost, excess = (np.array(parts) for parts in zip(*found, strict=True))
    return LeftBehind(missed, lost, excess)


def _left_behind(
    along: Floats, found: Floats, kept: Floats, blocks: Sequence[slice], n_rows: float, used: float
) -> tuple[Floats, Floats, float]:
    """Find for one output what is missed along each axis, how surely, and what else was not moved less noise that was.

    What is found in a block, less noise, estimates how much belongs there; what is not kept of it is missed, and most
    likely where it was found: the mean and the standard deviation are those under a normal prior of that size. Where
    something is kept the features depend on each other, and in other blocks as much belongs as chance may hide.
    """
    missed, lost = np.zeros((2, len(found)))
    if len(along) < 2 or not blocks:  # nothing shows how it varies, or all was moved
        return missed, lost, 0.0
    spread, left = spread_over(along) / np.sqrt(used), along.sum(axis=0)
    noises, chances = np.array([noise_of(spread[:, block]) for block in blocks]).T
    lengths, remain = (np.array([(own[block] ** 2).sum() for block in blocks]) for own in (found, left))
    excess = lengths - noises
    sure = excess / np.maximum(chances, np.finfo(float).tiny)
    # What belongs there varies with chance as well, which makes more of it.
    chances *= np.sqrt(1 + 2 * np.maximum(excess, 0.0) / np.maximum(noises, np.finfo(float).tiny))
    belongs = np.where(excess > LIKELY * chances, excess, 0.0)
    # Rough functions seem to share something with an interaction by chance where they have few rows each.
    if kept.any() or sure[[block.stop <= n_rows / SHARING_ROWS for block in blocks]].max(initial=0.0) > SURE:
        belongs = np.array([mean_above_zero(*each) for each in zip(excess, chances, strict=True)])
    for block, own, noise in zip(blocks, belongs, noises, strict=True):
        likely = found[block] * own / max(own + noise, np.finfo(float).tiny)
        missed[block] = (1 - kept[block]) * likely
        around = max(own - float((likely**2).sum()), 0.0)
        lost[block] = (1 - kept[block]) * np.sqrt(around / (block.stop - block.start))
    return missed, lost, float((remain - noises).sum())


def mean_above_zero(estimate: float, error: float) -> float:
    """Expect a quantity that cannot be negative, of which an unbiased estimate and its standard error are known.

    Examples
    --------
    >>> round(mean_above_zero(5.0, 0.1), 6), round(mean_above_zero(0.0, 1.0), 3), round(mean_above_zero(-9.0, 1.0), 3)
    (5.0, 0.798, 0.109)
    """
    if not error > 0:
        return max(estimate, 0.0)
    ratio = estimate / error
    return float(estimate + error * np.exp(-(ratio**2) / 2 - log_ndtr(ratio)) / np.sqrt(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Unmoved:
    """Variance that pairs still share with single features, in the units of the predictions squared.

    Both have shape (n_terms, n_outputs). `variance` counts for the pair and for the main effects it belongs to; `bias`
    is what structural shares of the terms lack of what they are under the law, times the variance of the predictions.
    """

    variance: Floats
    bias: Floats


class SharedSums:
    """Sums over rows of about the same value, of the pairs that such a feature takes part in."""

    def __init__(self, subterms: Subterms, ranks: Mapping[int, Reals], n_outputs: int, n_rows: float) -> None:
        n_cells = int(np.clip(min(n_rows, SCREENED_ROWS) / ROWS_IN_CELL, 1, MOST_CELLS))
        pairs = [(at, feature) for at, term in enumerate(subterms.terms) if len(term) == 2 for feature in term]
        self._pairs: dict[int, list[int]] = {}
        for at, feature in pairs:
            if feature in ranks:
                self._pairs.setdefault(feature, []).append(at)
        self._cells = {
            feature: np.clip((ranks[feature] + 0.5) * n_cells, 0, n_cells - 1).astype(np.intp)
            for feature in self._pairs
        }
        self._subterms, self._share = subterms, SCREENED_ROWS / n_rows
        self.total: CellSums = {
            feature: np.zeros((n_cells, 2 + 3 * len(own) * n_outputs)) for feature, own in self._pairs.items()
        }

    def sums(self, interactions: Floats, block: GroupBlock) -> CellSums:
        """Sum over the rows of one block; `interactions` has shape (n_outputs, n_interactions, n_rows)."""
        some, found = block.leading(self._share), {}
        count = len(some.predictions)
        weights = np.ones(count) if some.weights is None else some.weights
        weighed = interactions[:, :, :count] * weights
        for feature, pairs in self._pairs.items():
            at = self._cells[feature][some.codes[feature]]
            own = weighed[:, pairs].reshape(-1, count)
            rows = np.concatenate([[weights, weights**2], own, own**2, own**4]).T
            shape = (count, len(self.total[feature]))
            found[feature] = csr_array((np.ones(count), at, np.arange(count + 1)), shape=shape).T @ rows
        return found

    def add(self, found: CellSums) -> None:
        """Count the rows of one block."""
        for feature, own in found.items():
            self.total[feature] += own

    def merge(self, other: "SharedSums") -> None:
        """Count other rows as well."""
        self.add(other.total)

    def unmoved(self, behind: Mapping[Term, LeftBehind], terms: tuple[Term, ...], spread: Floats) -> Unmoved:
        """Estimate what each pair shares with its features beyond what is known to be lost; zero where it is not sure.

        `spread` is the unit of the predictions.
        """
        shared = {
            (self._subterms.terms[at], feature): each
            for feature, pairs in self._pairs.items()
            for at, each in zip(pairs, _by_pair(self.total[feature], len(pairs)), strict=True)
        }
        place = {term: index for index, term in enumerate(terms)}
        variance, bias = np.zeros((2, len(terms), len(spread)))
        for term in self._subterms.terms:
            bias[place[term]] -= behind[term].excess
            parts = {feature: shared[term, feature] for feature in term if (term, feature) in shared}
            if not parts:
                continue
            found = np.array([value for value, _ in parts.values()])
            chance = np.sqrt(sum(error for _, error in parts.values()))
            # Of the columns' functions the rows hold what was not moved, less the noise that was.
            rest = found.sum(axis=0) - behind[term].excess
            rest = np.where(rest > SURE * chance, rest, 0.0)
            variance[place[term]] += rest
            bias[place[term]] -= rest
            for feature, own in zip(parts, np.maximum(found, 0.0), strict=True):
                part = rest * own / np.maximum(np.maximum(found, 0.0).sum(axis=0), np.finfo(float).tiny)
                if (feature,) in place:
                    variance[place[feature,]] += part
                    bias[place[feature,]] += part
        return Unmoved(variance * spread**2, bias * spread**2)


def _by_pair(total: Floats, n_pairs: int) -> list[tuple[Floats, Floats]]:
    """Estimate mean squares within cells, and their sampling variances, for each pair."""
    counted, sums = total[:, :2], total[:, 2:].reshape(len(total), 3, -1, n_pairs)
    return [
        shared_squares(np.concatenate([counted, sums[..., pair].reshape(len(total), -1)], axis=1))
        for pair in range(n_pairs)
    ]
