"""What the first pass over the rows finds: which values occur and how often, and with that the functions of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, fit_nominal, fit_numeric
from anova_report.core.basis.splines import FAMILIES, FamilyName, coordinate
from anova_report.core.fit.row_blocks import Codebook, RowSource
from anova_report.core.input.features import Feature
from anova_report.core.input.fingerprint import Fingerprint, Fingerprinting
from anova_report.core.input.table import require_variation
from anova_report.errors import InputError

# Budget of memory: distinct values of a feature that are kept, as codes of two bytes; others join their neighbors.
MAX_NODES = 16_384


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct values of one column, ascending, how often each occurs, and how many rows have none."""

    values: Floats
    counts: NDArray[np.int64]
    n_missing: int
    masses: Floats | None = None  # shape (n_values + 1,): weights of the rows of each value, then of those without one

    @property
    def law(self) -> tuple[NDArray[Any], float]:
        """How much each value counts, and how much no value does: rows, or where these are weighted, their weight."""
        return (self.counts, self.n_missing) if self.masses is None else (self.masses[:-1], float(self.masses[-1]))


@dataclass(frozen=True, eq=False)
class Tally:
    """What the first pass over the rows finds."""

    n_rows: int
    columns: tuple[ValueCounts, ...]
    # center, spread, shape (n_outputs,): mean and standard deviation of the predictions
    center: Floats
    spread: Floats
    n_distinct: int  # rows that differ from each other
    known: Fingerprint  # of inputs and predictions
    effective: float  # number of rows, or where these are weighted, of rows of equal weight that would tell as much

    @property
    def fingerprint(self) -> str:
        """Hash of the inputs: the same for the same rows in the same order."""
        return self.known.inputs

    def books(self, features: Sequence[Feature], constant: bool = False) -> tuple[Codebook, ...]:
        """Choose codes for the values of every feature, which must vary unless they may be `constant`."""
        columns = tuple(zip(features, self.columns, strict=True))
        for feature, column in () if constant else columns:
            require_variation(feature, column.values, int(column.counts.sum()) + column.n_missing, column.n_missing)
        return tuple(_codebook(feature, column) for feature, column in columns)


def tally(source: RowSource, n_features: int) -> Tally:
    """Count values and average predictions, row block by row block."""
    pieces: list[list[ValueCounts]] = [[] for _ in range(n_features)]
    n_rows, total, origin = 0, 0.0, None
    first, second = np.zeros(1), np.zeros(1)
    seen = Fingerprinting()
    hashes: list[NDArray[np.uint64]] = []
    weights = None if source.weights is None else source.weights.values
    for values, predictions in source.blocks():
        own = None if weights is None else weights[n_rows : n_rows + len(values)]
        seen.add(values, predictions)
        hashes.append(np.unique(hash_rows(values)))
        n_rows += len(values)
        origin = predictions.mean(axis=0) if origin is None else origin
        moved = predictions - origin
        weighed = moved if own is None else own[:, None] * moved
        total += len(values) if own is None else float(own.sum())
        first = first + weighed.sum(axis=0)
        second = second + (weighed * moved).sum(axis=0)
        for index, piece in enumerate(pieces):
            piece.append(_count(values[:, index], own))
    if origin is None:
        raise InputError(
            "There are no rows. If they come in chunks, the function must return them anew each time it is called."
        )
    mean, n_distinct = first / total, len(np.unique(np.concatenate(hashes)))
    spread = np.sqrt(np.maximum(second / total - mean**2, 0.0))
    return Tally(n_rows, tuple(map(_merge, pieces)), origin + mean, spread, n_distinct, seen.finish(), total)


def hash_rows(values: Floats) -> NDArray[np.uint64]:
    """Give every row a number that equal rows share, and others practically never: missing equals missing.

    Examples
    --------
    >>> first, second, third = hash_rows(np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0]])).tolist()
    >>> first == second, first == third
    (True, False)
    """
    found = np.full(len(values), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in values.T:
        # Adding zero makes -0.0 the same as 0.0; NaN comes in more than one pattern of bits.
        found ^= np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
        # The finaliser of splitmix64: every bit of a value moves about half of the bits of the result.
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            found ^= found >> np.uint64(shift)
            found *= np.uint64(factor)
        found ^= found >> np.uint64(31)
    return found


def _count(column: Floats, weights: Floats | None) -> ValueCounts:
    values, counts = np.unique(column, return_counts=True)  # equal_nan: missing values are one value, the last
    n_values = len(values) - int(len(values) and np.isnan(values[-1]))
    masses: Floats | None = None
    if weights is not None:
        at = np.searchsorted(values, column)
        masses = np.bincount(at, weights=weights, minlength=n_values + 1).astype(np.float64)
    return ValueCounts(values[:n_values], counts[:n_values], int(counts[n_values:].sum()), masses)


def _merge(pieces: Sequence[ValueCounts]) -> ValueCounts:
    if len(pieces) == 1:
        return pieces[0]
    values, at = np.unique(np.concatenate([piece.values for piece in pieces]), return_inverse=True)

    def added(parts: list[NDArray[Any]]) -> Floats:
        return np.bincount(at, weights=np.concatenate(parts), minlength=len(values)).astype(np.float64)

    counts = added([piece.counts for piece in pieces]).astype(np.int64)
    known = [piece.masses for piece in pieces if piece.masses is not None]
    masses = np.append(added([mass[:-1] for mass in known]), sum(mass[-1] for mass in known)) if known else None
    return ValueCounts(values, counts, sum(piece.n_missing for piece in pieces), masses)


def _codebook(feature: Feature, column: ValueCounts) -> Codebook:
    values, (counts, missing) = column.values, column.law
    if len(values) <= MAX_NODES or feature.kind == "nominal":
        return Codebook(values, values, counts, missing)
    return thin_out(values, counts, missing)


def thin_out(values: Floats, counts: NDArray[Any], missing: float) -> Codebook:
    """Take neighboring values, ascending, together until few are left."""
    t, _ = coordinate(values, counts / counts.sum())
    step = (t * (MAX_NODES - 1)).astype(np.intp)
    # The ends stay what they are: what lies beyond them was not seen.
    starts = np.union1d(np.flatnonzero(np.diff(step, prepend=-1)), [1, len(values) - 1])
    last = np.append(starts[1:], len(values)) - 1
    together = np.add.reduceat(counts, starts)
    # A value alone is not rounded, so that rows are found to share it.
    nodes = np.where(last == starts, values[last], np.add.reduceat(values * counts, starts) / together)
    return Codebook(values[last], nodes, together, missing)


def make_marginals(
    features: Sequence[Feature], books: Sequence[Codebook], degree: int
) -> dict[FamilyName, tuple[Marginal, ...]]:
    """Make the functions of every feature, by family; levels have the same in each."""
    made = [_marginals(feature, book, degree) for feature, book in zip(features, books, strict=True)]
    return {family: tuple(of_feature[family] for of_feature in made) for family in FAMILIES}


def _marginals(feature: Feature, book: Codebook, degree: int) -> Mapping[FamilyName, Marginal]:
    if feature.kind != "nominal":
        return fit_numeric(book.nodes, book.counts, book.n_missing, degree)
    counts = np.zeros(len(feature.levels), dtype=book.counts.dtype)
    counts[book.nodes.astype(np.intp)] = book.counts
    return dict.fromkeys(FAMILIES, fit_nominal(counts, book.n_missing))
