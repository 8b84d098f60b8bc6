"""Rows as the fit visits them: blocks of fixed size, in groups, and the first pass that counts values and answers.

Whoever delivers the rows, in one table or chunk by chunk, the blocks are the same, and so is every sum over them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.fit.families import Marginal, fit_nominal, fit_numeric
from anova_report.core.fit.replicates import Cuts, deal, runs
from anova_report.core.input.features import Feature
from anova_report.core.input.table import require_variation
from anova_report.errors import InputError

BLOCK_ROWS = 8192  # large enough for fast products, small enough for bounded memory
KEEP_BYTES = 256e6  # functions of all rows are kept between passes when they take no more than this

Groups: TypeAlias = Callable[[int, int], NDArray[np.intp]]


class RowSource(Protocol):
    """Encoded rows and their answers, as often as they are asked for."""

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield values (n_rows, n_features) and answers (n_rows, n_outputs), `BLOCK_ROWS` rows at a time."""


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows that are all in memory."""

    values: Floats
    answers: Floats

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive blocks."""
        for start in range(0, len(self.values), BLOCK_ROWS):
            yield self.values[start : start + BLOCK_ROWS], self.answers[start : start + BLOCK_ROWS]


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Rows that a caller delivers in chunks of any size, anew for every pass."""

    chunks: Callable[[], Iterable[tuple[Floats, Floats]]]

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive blocks, cut independently of the chunks."""
        values: list[Floats] = []
        answers: list[Floats] = []
        waiting = 0
        for chunk_values, chunk_answers in self.chunks():
            values.append(chunk_values)
            answers.append(chunk_answers)
            waiting += len(chunk_values)
            if waiting >= BLOCK_ROWS:
                all_values, all_answers = np.concatenate(values), np.concatenate(answers)
                whole = waiting - waiting % BLOCK_ROWS
                for start in range(0, whole, BLOCK_ROWS):
                    yield all_values[start : start + BLOCK_ROWS], all_answers[start : start + BLOCK_ROWS]
                values, answers, waiting = [all_values[whole:]], [all_answers[whole:]], waiting - whole
        if waiting:
            yield np.concatenate(values), np.concatenate(answers)


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of one group.

    Parameters
    ----------
    group : int
    values : array of shape (n_rows, n_features)
    answers : array of shape (n_rows, n_outputs)
        Standardised.
    marginals : sequence of Marginal
    cuts : list of chunk and slice
        Which rows belong to which chunk.
    """

    group: int
    values: Floats
    answers: Floats
    marginals: Sequence[Marginal]
    cuts: Cuts

    @cached_property
    def functions(self) -> list[Reals]:
        """The functions of each feature, (n_functions, n_rows), evaluated by the thread that first asks."""
        return [marginal.evaluate(self.values[:, j], np.float32) for j, marginal in enumerate(self.marginals)]

    def leading(self, share: float) -> "Part":
        """Keep the first rows only, that share of them; which these are is left to chance, as chunks are."""
        if share >= 1:
            return self
        count = ceil(share * len(self.values))
        cuts = [(chunk, slice(cut.start, min(cut.stop, count))) for chunk, cut in self.cuts if cut.start < count]
        return Part(self.group, self.values[:count], self.answers[:count], self.marginals, cuts)


@dataclass(eq=False)
class GroupedRows:
    """The rows of a fit, by group, with standardised answers.

    Parameters
    ----------
    source : RowSource
    marginals : sequence of Marginal
    centre, spread : arrays of shape (n_outputs,)
        Answers are taken relative to these, so that single precision is enough for products.
    groups : callable
        From the number of a block and its rows to the group of each row.
    seed : int
        Decides which rows make a chunk.
    """

    source: RowSource
    marginals: Sequence[Marginal]
    centre: Floats
    spread: Floats
    groups: Groups
    seed: int = 0
    _kept: list[Part] | None = field(default=None, init=False)

    def parts(self, groups: Collection[int]) -> Iterator[Part]:
        """Yield the rows of some groups, block by block."""
        for part in self._kept if self._kept is not None else self._visit():
            if part.group in groups:
                yield part

    def _visit(self) -> Iterator[Part]:
        n_functions = sum(len(marginal.roughness) for marginal in self.marginals)
        kept: list[Part] = []
        n_rows = 0
        for number, (values, answers) in enumerate(self.source.blocks()):
            parts = self._split(number, values, answers)
            n_rows += len(values)
            if n_rows * n_functions * 4 <= KEEP_BYTES:
                kept.extend(parts)
            else:
                kept.clear()
            yield from parts
        # Reached only when the whole pass was wanted, so what was gathered is complete.
        if kept:
            self._kept = kept

    def _split(self, number: int, values: Floats, answers: Floats) -> list[Part]:
        group, chunk = self.groups(number, len(values)), deal(len(values), self.seed, number)
        answers = (answers - self.centre) / self.spread
        parts = []
        for g in np.unique(group).tolist():
            rows = np.flatnonzero(group == g)
            rows = rows[np.argsort(chunk[rows], kind="stable")]
            parts.append(Part(g, values[rows], answers[rows], self.marginals, runs(chunk[rows])))
        return parts


def random_groups(shares: Sequence[float], seed: int) -> Groups:
    """Assign rows to groups at random, by the number of their block alone."""

    def assign(number: int, n_rows: int) -> NDArray[np.intp]:
        return np.random.default_rng([seed, number]).choice(len(shares), size=n_rows, p=shares)

    return assign


def given_groups(group: NDArray[np.intp]) -> Groups:
    """Assign rows to the groups they were given."""

    def assign(number: int, n_rows: int) -> NDArray[np.intp]:
        start = number * BLOCK_ROWS
        return group[start : start + n_rows]

    return assign


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
