"""Replicates: sums over random parts of the rows show how much a sum over all of them varies.

Every row is assigned to a replicate at random, on its own: tables are often sorted, and neighbors of a sorted table
resemble each other, so that sums over consecutive rows would vary far more than sums over rows drawn one by one.
"""

from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.randomness import stream

REPLICATES = 64  # the standard error of a standard error is then 9%; files grow with it (`make bands`)

Slices: TypeAlias = list[tuple[int, slice]]
Array = TypeVar("Array", Floats, Reals)


def assign_replicates(n_rows: int, seed: int, block: int) -> NDArray[np.intp]:
    """Choose a replicate for every row of a row block, by the number of the block alone."""
    return stream(seed, "replicates", block).integers(REPLICATES, size=n_rows)


def replicate_slices(replicates: NDArray[np.intp]) -> Slices:
    """Find the slice of each replicate in rows that are sorted by replicate.

    Examples
    --------
    >>> replicate_slices(np.array([2, 2, 5]))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    found, starts = np.unique(replicates, return_index=True)
    edges = np.append(starts, len(replicates)).tolist()
    return [(replicate, slice(*ends)) for replicate, ends in zip(found.tolist(), pairwise(edges), strict=True)]


def joined(slices: Slices, n_replicates: int) -> Slices:
    """Join neighboring replicates into fewer ones.

    Examples
    --------
    >>> joined([(0, slice(0, 2)), (1, slice(2, 5)), (63, slice(5, 6))], n_replicates=2)
    [(0, slice(0, 5, None)), (1, slice(5, 6, None))]
    """
    spans: dict[int, slice] = {}
    for replicate, rows in slices:
        number = replicate * n_replicates // REPLICATES
        spans[number] = slice(spans.get(number, rows).start, rows.stop)
    return list(spans.items())


def sum_slices(values: Array, slices: Slices) -> Array:
    """Sum over consecutive slices of the last axis; the slices become the first axis.

    Examples
    --------
    >>> sum_slices(np.array([1.0, 2.0, 3.0]), [(2, slice(0, 2)), (5, slice(2, 3))])
    array([3., 3.])
    """
    return np.moveaxis(np.add.reduceat(values, [rows.start for _, rows in slices], axis=-1), -1, 0)


def deviations(by_replicate: Floats, n_rows: Floats) -> Floats:
    """Subtract from each replicate's sum, along the first axis, what its rows would have on average."""
    shares = (n_rows / n_rows.sum()).reshape(-1, *(1,) * (by_replicate.ndim - 1))
    return np.asarray(by_replicate - shares * by_replicate.sum(axis=0))
