"""What purified pairs still share with single features: functions too fine for any column of the fit.

Two rows with about the same value of a feature share what a pair holds of functions of it, and no noise: products of
the pair at both average to the variance of these functions. Purification knows no functions but the columns of the
fit; where the law of the features is rougher than these, as that of rounded measurements is, the rest stays behind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from anova_report.core.arrays import Floats, Reals
from anova_report.core.fit.lack_of_fit import shared_squares
from anova_report.core.fit.purification import Projection, Subterms
from anova_report.core.fit.row_blocks import SCREENED_ROWS, GroupBlock
from anova_report.core.fit.sums import SURE
from anova_report.core.result.terms import Term

MOST_CELLS = 256  # of a feature (budget); more would be finer than rounded values mostly are
ROWS_IN_CELL = 4  # statistic (`make bands`): on average; with fewer, too few rows meet another

CellSums: TypeAlias = dict[int, Floats]  # by feature, shape (n_cells, 2 + 3 · n_pairs · n_outputs)


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
        # Row by row, as sums over rows want them.
        weighed = np.moveaxis(interactions[:, :, :count], 2, 0) * weights[:, None, None]
        for feature, pairs in self._pairs.items():
            at = self._cells[feature][some.codes[feature]]
            own = weighed[:, :, pairs].reshape(count, -1)
            squared = own**2
            rows = np.concatenate([np.stack([weights, weights**2], axis=1), own, squared, squared**2], axis=1)
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

    def unmoved(self, projections: Mapping[Term, Projection], terms: tuple[Term, ...], spread: Floats) -> Unmoved:
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
            projection = projections[term]
            bias[place[term]] -= projection.excess
            parts = {feature: shared[term, feature] for feature in term if (term, feature) in shared}
            if not parts:
                continue
            found = np.array([value for value, _ in parts.values()])
            chance = np.sqrt(sum(error for _, error in parts.values()))
            # Of the columns' functions the rows hold what was not moved, less the noise that was.
            rest = found.sum(axis=0) - projection.excess
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
