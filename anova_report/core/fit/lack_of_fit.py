"""Lack of fit of each pair, whatever its shape, seen in the residuals of rows that the fit has not seen.

Two rows of one cell of a plane share what the fit lacks there, and no noise: the products of their residuals average to
the variance it lacks. Products of smooth functions would not show what is finer than they are, as the edge of a step
is. So some cells are as narrow along one feature as the rows allow and wide along the other; others are square. Where
these are too small to show anything beyond noise, larger ones may.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from anova_report.core.arrays import Floats, Reals
from anova_report.core.fit.row_blocks import SCREENED_ROWS, GroupBlock
from anova_report.core.fit.sums import SURE
from anova_report.core.result.row_residuals import RowResiduals
from anova_report.core.result.terms import Term
from anova_report.core.threads import in_order

# Statistics (`make bands`): bands that allow for too little are too narrow where steps are sharp.
WIDE = 4  # cells along the feature in which they are wide, so that along the other they may be narrow
LATER_LOOK = SURE / 2  # errors that what larger cells show must exceed: a second look is a second chance to be wrong


@dataclass(frozen=True, eq=False)
class LackOfFit:
    """Variance of what a fit lacks of each term, in the units of the predictions squared; zero where nothing is sure.

    Both arrays have shape (n_terms, n_outputs).
    """

    variance: Floats
    error: Floats  # standard error of the variance


# Of some rows: ranks, residuals, weights, positions and jackknife groups.
KeptResiduals: TypeAlias = tuple[list[Reals], Floats, Floats, NDArray[np.intp], NDArray[np.intp]]


@dataclass(eq=False)
class HeldOutResiduals:
    """Residuals of rows that were held out, with the ranks of the features of the pairs among some terms."""

    terms: Sequence[Term]
    n_rows: float  # that will come
    _kept: list[KeptResiduals] = field(default_factory=list, init=False)

    @property
    def features(self) -> list[int]:
        """Features that take part in a pair."""
        return sorted({feature for term in self.terms if len(term) == 2 for feature in term})

    def of(self, block: GroupBlock, residual: Floats, ranks: Mapping[int, Reals]) -> KeptResiduals:
        """Choose some rows of a block; `residual` has shape (n_outputs, n_rows)."""
        some = block.leading(SCREENED_ROWS / self.n_rows)
        count = len(some.predictions)
        own = [ranks[feature][some.codes[feature]] for feature in self.features]
        units = np.concatenate([np.full(at.stop - at.start, unit) for unit, at in some.slices]).astype(np.intp)
        weights = np.ones(count) if some.weights is None else some.weights
        # Copies, which do not keep the whole block in memory.
        return own, residual[:, :count].copy(), weights, some.positions.copy(), units

    def add(self, found: KeptResiduals) -> None:
        """Keep rows of one block."""
        self._kept.append(found)

    def merge(self, other: "HeldOutResiduals") -> None:
        """Keep rows of later blocks as well."""
        self._kept += other._kept

    def lack_of_fit(self, spread: Floats) -> LackOfFit:
        """Estimate the lack of fit of each pair, from all rows that were kept; residuals are in units of `spread`."""
        by_block, all_residuals, all_weights, *_ = zip(*self._kept, strict=True)
        residuals, weights = np.concatenate(all_residuals, axis=1), np.concatenate(all_weights)
        ranks = dict(zip(self.features, map(np.concatenate, zip(*by_block, strict=True)), strict=True))
        side = 2 ** int(np.log2(max(len(weights), 1)) / 2)  # a power of two, and as many cells as rows at most

        def of(term: Term) -> tuple[Floats, Floats]:
            if len(term) != 2 or side < WIDE:
                return np.zeros(len(residuals)), np.zeros(len(residuals))
            one, other = (ranks[feature] for feature in term)
            return pair_lack_of_fit(one, other, residuals, weights, side)

        found = np.array(list(in_order(of, self.terms))).reshape(len(self.terms), 2, len(residuals)) * spread**2
        return LackOfFit(found[:, 0], found[:, 1])

    def by_row(self, spread: Floats) -> RowResiduals:
        """Give all that were kept in the order of their rows, in the units of the predictions."""
        _, residuals, *others = zip(*self._kept, strict=True)
        weights, positions, units = map(np.concatenate, others)
        order = np.argsort(positions, kind="stable")
        in_units = np.concatenate(residuals, axis=1).T[order] * spread
        return RowResiduals(positions[order].astype(np.int64), in_units, weights[order], units[order])


def pair_lack_of_fit(one: Reals, other: Reals, residuals: Floats, weights: Floats, side: int) -> tuple[Floats, Floats]:
    """Estimate what residuals, (n_outputs, n_rows), hold of the interaction of two features, given by centered ranks.

    `side` is the number of square cells along a feature, a power of two. Returned are variances and their standard
    errors, (n_outputs,), both zero where nothing is sure.
    """
    fine = side**2 // WIDE
    narrow = [np.clip((rank + 0.5) * fine, 0, fine - 1).astype(np.intp) for rank in (one, other)]
    wide, square = ([place // (fine // width) for place in narrow] for width in (WIDE, side))
    squared = (weights * residuals) ** 2
    rows = np.column_stack([weights, weights**2, (weights * residuals).T, squared.T, (squared**2).T])

    def cells(first: np.ndarray, second: np.ndarray, shape: tuple[int, int]) -> Floats:
        at = np.ravel_multi_index((first, second), shape)
        member = csr_array((np.ones(len(at)), at, np.arange(len(at) + 1)), shape=(len(at), side**2))
        return np.asarray(member.T @ rows).reshape(*shape, -1)

    tall = cells(narrow[0], wide[1], (fine, WIDE))
    flat = cells(wide[0], narrow[1], (WIDE, fine))
    even = cells(square[0], square[1], (side, side))
    wider = even.reshape(side, WIDE, side // WIDE, -1).sum(axis=2), even.reshape(WIDE, -1, *even.shape[1:]).sum(axis=1)
    found = [shared_squares(each) for each in (tall, flat, even)]
    # What several of these planes hold counts once; what a strip of one feature holds is no interaction.
    counted = [*wider, tall.sum(axis=1), flat.sum(axis=0)]
    whole = shared_squares(even.sum(axis=(0, 1)))[0]
    variance = sum(value for value, _ in found) - sum(shared_squares(each)[0] for each in counted) + whole
    error = np.sqrt(sum(by_chance for _, by_chance in found))
    sure = variance > error
    while len(even) > WIDE:  # larger cells show less, but what is smooth they show more surely
        even = even.reshape(len(even) // 2, 2, len(even) // 2, 2, -1).sum(axis=(1, 3))
        value, by_chance = shared_squares(even)
        value = value - shared_squares(even.sum(axis=0))[0] - shared_squares(even.sum(axis=1))[0] + whole
        found_now = ~sure & (value > LATER_LOOK * np.sqrt(by_chance))
        variance, error = np.where(found_now, value, variance), np.where(found_now, np.sqrt(by_chance), error)
        sure |= found_now
    return np.where(sure, variance, 0.0), np.where(sure, error, 0.0)


def shared_squares(cells: Floats) -> tuple[Floats, Floats]:
    """Average, over rows, the squared mean residual of their cell without noise, and its sampling variance without any.

    The last axis of `cells` holds sums over rows of weights, of their squares, and for each output of weight times
    residual, of its square and of its fourth power.
    """
    count, squares, *sums = np.moveaxis(cells.reshape(-1, cells.shape[-1]), 1, 0)
    pairs = count**2 - squares
    shared = pairs > 1e-9 * count**2  # a row alone shows nothing
    if not shared.any():
        n_outputs = len(sums) // 3
        return np.zeros(n_outputs), np.zeros(n_outputs)
    mean, second, fourth = np.reshape(sums, (3, -1, len(count)))[:, :, shared]
    share = count[shared] / count[shared].sum() / pairs[shared]
    return (mean**2 - second) @ share, 2 * (second**2 - fourth) @ share**2
