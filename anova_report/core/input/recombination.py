"""Recombined rows: some columns of a row of the data with others of another row, at which a model can be asked.

Components belong to a function and a law. The law must come from the rows, the function need not: where inputs go
together, rows alone cannot tell their effects apart, and recombined rows can. Both parents of a recombined row belong
to one fold, so that rows that judge a fit are never parents of rows it has learned from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from anova_report.core.arrays import LOOKED_AT_ROWS, Floats
from anova_report.core.input.one_hot import indicator_sets
from anova_report.core.input.table import FrameTable, open_table

# Statistics (`make ask`).
# Share of the recombined rows with one set of columns from elsewhere, which show what the model reads; as many have two
# or three sets, and the others take each set with a chance of one half.
ALONE = 0.25
FEWEST_COPIES = 5  # rows a value has on average before what it determines is a function of it, and not of chance
SAME_ORDER = 0.99999  # correlation of ranks from which two numbers are one


@dataclass(frozen=True, eq=False)
class Recombination:
    """Which columns of which rows make up each recombined row."""

    base: NDArray[np.intp]  # shape (n_asked,): the row whose columns are kept
    donor: NDArray[np.intp]  # the row that the others come from
    taken: NDArray[np.bool_]  # shape (n_asked, n_features): which columns these are
    alone: NDArray[np.intp]  # shape (n_asked,): the one set of columns that was taken, or -1

    def at(self, rows: Any) -> "Recombination":
        """Choose some of the recombined rows."""
        return Recombination(self.base[rows], self.donor[rows], self.taken[rows], self.alone[rows])

    def only(self, feature: int) -> "Recombination":
        """Take this feature from the donor, and nothing else."""
        taken = np.zeros_like(self.taken)
        taken[:, feature] = True
        return replace(self, taken=taken)

    def values(self, values: Floats) -> Floats:
        """Recombine encoded rows."""
        return np.where(self.taken, values[self.donor], values[self.base])

    def among(self) -> tuple[NDArray[np.intp], "Recombination"]:
        """List the rows that are parents, ascending, and say the same with these rows numbered from zero."""
        rows, places = np.unique(np.concatenate([self.base, self.donor]), return_inverse=True)
        base, donor = places[: len(self.base)], places[len(self.base) :]
        return rows, Recombination(base, donor, self.taken, self.alone)

    def table(self, X: Any, columns: Sequence[Sequence[int]]) -> Any:
        """Recombine rows of a table in its own form; `columns` says where the columns of each feature are in it.

        Examples
        --------
        >>> plan = Recombination(np.array([0]), np.array([1]), np.array([[False, True]]), np.array([1]))
        >>> plan.table(np.array([[1, 2], [3, 4]]), [[0], [1]]).tolist()
        [[1, 4]]
        """
        table = open_table(X)
        taken = np.zeros((len(self.base), table.shape[1]), dtype=bool)
        for own, places in zip(self.taken.T, columns, strict=True):
            taken[:, list(places)] = own[:, None]
        at = np.where(taken, self.donor[:, None], self.base[:, None])
        if not isinstance(table, FrameTable):
            return np.take_along_axis(table.array, at, axis=0)
        whole: Any = table.frame
        moved = [whole[:, index][at[:, index]] for index in np.flatnonzero(taken.any(axis=0)).tolist()]
        rows: Any = nw.maybe_reset_index(whole[self.base])
        return rows.with_columns(*(nw.maybe_reset_index(column) for column in moved)).to_native()


def recombine(
    folds: NDArray[np.intp], sets: Sequence[Sequence[int]], n_features: int, n_asked: int, rng: np.random.Generator
) -> Recombination:
    """Plan recombined rows: every row is a base about equally often, its partner another row of its fold.

    A quarter takes one set of columns from the partner, a quarter two or three, and the others each set with a chance
    of one half: near the data and far from it.
    """
    n_rows, n_sets = len(folds), len(sets)
    base = np.concatenate([rng.permutation(n_rows) for _ in range(-(-n_asked // n_rows))])[:n_asked]
    donor = _partners(folds, base, rng)
    kind = rng.random(n_asked)
    order = rng.random((n_asked, n_sets)).argsort(axis=1).argsort(axis=1)
    few = np.where(kind < ALONE, 1, 2 + (rng.random(n_asked) < 0.5))
    by_half = rng.random((n_asked, n_sets)) < 0.5
    chosen = np.where((kind < 2 * ALONE)[:, None], order < few[:, None], by_half)
    taken = np.zeros((n_asked, n_features), dtype=bool)
    for at, members in enumerate(sets):
        taken[:, list(members)] = chosen[:, [at]]
    alone = np.where((chosen.sum(axis=1) == 1), chosen.argmax(axis=1), -1)
    return Recombination(base, donor, taken, alone)


def _partners(folds: NDArray[np.intp], base: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw another row of the same fold for each."""
    donor = np.empty_like(base)
    for fold in np.unique(folds):
        members, own = np.flatnonzero(folds == fold), np.flatnonzero(folds[base] == fold)
        place = np.searchsorted(members, base[own])
        steps = rng.integers(1, max(len(members), 2), size=len(own))
        donor[own] = members[(place + steps) % len(members)]
    return donor


def column_sets(values: Floats, names: Sequence[str], together: Sequence[Sequence[int]] = ()) -> list[list[int]]:
    """Find columns that only make sense together: levels of one feature as columns, and columns that determine others.

    What goes `together` is known of some.

    Examples
    --------
    >>> code = np.arange(40) % 4
    >>> rows = np.column_stack([code, code * 10 % 7, np.arange(40) ** 2 % 11])
    >>> column_sets(rows.astype(float), ["code", "name", "other"])
    [[0, 1], [2]]
    """
    some = values[:: -(-len(values) // LOOKED_AT_ROWS)]
    bound = np.eye(some.shape[1], dtype=bool)
    known = [*together, *(own for _, own in indicator_sets(values, names, certain=False))]
    for one, other in (*((own[0], other) for own in known for other in own[1:]), *_determined(some)):
        bound[one, other] = True
    found: dict[int, list[int]] = {}
    for feature, own in enumerate(connected_components(bound, directed=False)[1].tolist()):
        found.setdefault(own, []).append(feature)
    return list(found.values())


def _determined(values: Floats) -> list[tuple[int, int]]:
    """Pair columns of which one is a function of the other: few values that always come with one, or equal ranks."""
    codes = [np.unique(column, return_inverse=True)[1] for column in values.T]
    counts = [int(code.max()) + 1 for code in codes]
    pairs = []
    for one, (code, count) in enumerate(zip(codes, counts, strict=True)):
        for other in range(len(codes)):
            if other == one or counts[other] > count:
                continue
            if count * FEWEST_COPIES <= len(code):
                if len(np.unique(code.astype(np.int64) * counts[other] + codes[other])) == count:
                    pairs.append((one, other))
            elif count == counts[other] and other > one and abs(np.corrcoef(code, codes[other])[0, 1]) > SAME_ORDER:
                pairs.append((one, other))
    return pairs


Ask: TypeAlias = Callable[[Recombination], tuple[Floats, NDArray[np.bool_]]]  # predictions, and which rows have any
