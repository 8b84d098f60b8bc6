"""The first pass over the rows: how often each value occurs, and how the answers are spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.columns import Feature
from anova_report.core.data import require_variation
from anova_report.core.marginals import Marginal, fit_nominal, fit_numeric
from anova_report.core.rows import RowSource
from anova_report.errors import InputError


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct values of one column, ascending, how often each occurs, and how many rows have none."""

    values: Floats
    counts: NDArray[np.int64]
    n_missing: int


@dataclass(frozen=True, eq=False)
class Tally:
    """What one pass over the rows tells.

    Parameters
    ----------
    n_rows : int
    columns : tuple of ValueCounts
    centre, spread : arrays of shape (n_outputs,)
        Mean and standard deviation of the answers.
    fingerprint : str
        Of the inputs, row by row: the same for the same rows in the same order.
    """

    n_rows: int
    columns: tuple[ValueCounts, ...]
    centre: Floats
    spread: Floats
    fingerprint: str

    def marginals(self, features: Sequence[Feature], degree: int) -> tuple[Marginal, ...]:
        """Make the functions of every feature."""
        return tuple(_marginal(feature, counts, degree) for feature, counts in zip(features, self.columns, strict=True))


def tally(source: RowSource, n_features: int) -> Tally:
    """Count values and average answers, block by block."""
    pieces: list[list[ValueCounts]] = [[] for _ in range(n_features)]
    n_rows, origin = 0, None
    first, second = np.zeros(1), np.zeros(1)
    seen = blake2b(digest_size=16)
    for values, answers in source.blocks():
        seen.update(values.tobytes())
        n_rows += len(values)
        origin = answers.mean(axis=0) if origin is None else origin
        first = first + (answers - origin).sum(axis=0)
        second = second + ((answers - origin) ** 2).sum(axis=0)
        for index, piece in enumerate(pieces):
            piece.append(_count(values[:, index]))
    if not n_rows:
        raise InputError(
            "There are no rows. If they come in chunks, the function must return them anew each time it is called."
        )
    mean = first / n_rows
    spread = np.sqrt(np.maximum(second / n_rows - mean**2, 0.0))
    centre = mean if origin is None else origin + mean
    return Tally(n_rows, tuple(map(_merge, pieces)), centre, spread, seen.hexdigest())


def _count(column: Floats) -> ValueCounts:
    values, counts = np.unique(column, return_counts=True)  # equal_nan: missing values are one value, the last
    if len(values) and np.isnan(values[-1]):
        return ValueCounts(values[:-1], counts[:-1], int(counts[-1]))
    return ValueCounts(values, counts, 0)


def _merge(pieces: Sequence[ValueCounts]) -> ValueCounts:
    values, at = np.unique(np.concatenate([piece.values for piece in pieces]), return_inverse=True)
    weights = np.concatenate([piece.counts for piece in pieces])
    counts = np.bincount(at, weights=weights, minlength=len(values)).astype(np.int64)
    return ValueCounts(values, counts, sum(piece.n_missing for piece in pieces))


def _marginal(feature: Feature, column: ValueCounts, degree: int) -> Marginal:
    require_variation(feature, column.values, int(column.counts.sum()) + column.n_missing, column.n_missing)
    if feature.kind != "nominal":
        return fit_numeric(column.values, column.counts, column.n_missing, degree)
    counts = np.zeros(len(feature.levels), dtype=np.int64)
    counts[column.values.astype(np.intp)] = column.counts
    return fit_nominal(counts, column.n_missing)
