"""Chunks of rows: sums over so many random parts of the rows show how much a sum over all of them varies.

Rows are dealt out at random, each on its own: tables are often sorted, and neighbours of a sorted table resemble each
other, so that sums over runs of rows would vary far more than sums over rows that were drawn one by one.
"""

from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals

CHUNKS = 64  # the standard error of a standard error is then 9%

Cuts: TypeAlias = list[tuple[int, slice]]
Array = TypeVar("Array", Floats, Reals)


def deal(n_rows: int, seed: int, block: int) -> NDArray[np.intp]:
    """Choose a chunk for every row of a block, by the number of the block alone."""
    return np.random.default_rng([seed, block, CHUNKS]).integers(CHUNKS, size=n_rows)


def runs(chunks: NDArray[np.intp]) -> Cuts:
    """Find where the rows of each chunk lie when they come one chunk after the other.

    Examples
    --------
    >>> runs(np.array([2, 2, 5]))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    found, starts = np.unique(chunks, return_index=True)
    edges = np.append(starts, len(chunks)).tolist()
    return [(chunk, slice(*cut)) for chunk, cut in zip(found.tolist(), pairwise(edges), strict=True)]


def joined(cuts: Cuts, n_chunks: int) -> Cuts:
    """Join neighbouring chunks to fewer ones, where sums over fewer tell enough.

    Examples
    --------
    >>> joined([(0, slice(0, 2)), (1, slice(2, 5)), (63, slice(5, 6))], n_chunks=2)
    [(0, slice(0, 5, None)), (1, slice(5, 6, None))]
    """
    spans: dict[int, slice] = {}
    for chunk, cut in cuts:
        number = chunk * n_chunks // CHUNKS
        spans[number] = slice(spans.get(number, cut).start, cut.stop)
    return list(spans.items())


def sum_runs(values: Array, cuts: Cuts) -> Array:
    """Sum over runs of rows, which cover the last axis one after the other; the runs are then the first axis.

    Examples
    --------
    >>> sum_runs(np.array([1.0, 2.0, 3.0]), [(2, slice(0, 2)), (5, slice(2, 3))])
    array([3., 3.])
    """
    return np.moveaxis(np.add.reduceat(values, [cut.start for _, cut in cuts], axis=-1), -1, 0)


def deviations(by_chunk: Floats, n_rows: Floats) -> Floats:
    """Subtract from each chunk's sum, along the first axis, what its rows would have on average."""
    shares = (n_rows / n_rows.sum()).reshape(-1, *(1,) * (by_chunk.ndim - 1))
    return np.asarray(by_chunk - shares * by_chunk.sum(axis=0))
