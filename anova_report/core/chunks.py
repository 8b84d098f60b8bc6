"""Chunks of rows: sums over so many parts of the rows show how much a sum over all of them varies."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.rows import Part

Cuts: TypeAlias = list[tuple[int, slice]]

CHUNKS = 64  # the standard error of a standard error is then 9%


class ChunkCutter:
    """Cuts rows, as they come, into runs of equal length that are dealt out to the chunks in turn.

    Parameters
    ----------
    n_rows : int
        How many rows will come.

    Examples
    --------
    >>> cutter = ChunkCutter(n_rows=192)
    >>> list(cutter.cut(4))
    [(0, slice(0, 3, None)), (1, slice(3, 4, None))]
    >>> list(cutter.cut(3))
    [(1, slice(0, 2, None)), (2, slice(2, 3, None))]
    >>> cutter.n_rows[:4].tolist()
    [3.0, 3.0, 1.0, 0.0]
    """

    def __init__(self, n_rows: int) -> None:
        self._length = max(1, -(-n_rows // CHUNKS))
        self._seen = 0
        self.n_rows = np.zeros(CHUNKS)

    def cut(self, n_rows: int) -> Iterator[tuple[int, slice]]:
        """Yield, for the next rows, the chunks they are counted in."""
        at = 0
        while at < n_rows:
            chunk, inside = divmod(self._seen, self._length)
            stop = min(n_rows, at + self._length - inside)
            self._seen += stop - at
            self.n_rows[chunk % CHUNKS] += stop - at
            yield chunk % CHUNKS, slice(at, stop)
            at = stop

    def with_cuts(self, parts: Iterable[Part]) -> Iterator[tuple[Part, Cuts]]:
        """Yield rows with the chunks they are counted in."""
        for part in parts:
            yield part, list(self.cut(len(part.answers)))


def deviations(by_chunk: Floats, n_rows: Floats) -> Floats:
    """Subtract from each chunk's sum, along the first axis, what its rows would have on average."""
    shares = (n_rows / n_rows.sum()).reshape(-1, *(1,) * (by_chunk.ndim - 1))
    return np.asarray(by_chunk - shares * by_chunk.sum(axis=0))
