"""Rows as the fit reads them: row blocks of fixed size, in groups, and the first pass that counts values.

The row blocks are the same whether rows are delivered in one table or in chunks, and so is every sum over them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.fingerprint import Fingerprint, Fingerprinting
from anova_report.core.fit.families import Marginal, fit_nominal, fit_numeric
from anova_report.core.fit.replicates import Slices, assign_replicates, replicate_slices
from anova_report.core.input.features import Feature
from anova_report.core.input.table import require_variation
from anova_report.core.randomness import stream
from anova_report.errors import InputError

BLOCK_ROWS = 8192  # large enough for fast products, small enough for bounded memory
KEEP_BYTES = 256e6  # functions of all rows are kept between passes when they take no more than this
MOST_EVALUATED = 4000  # functions: of many features only those that get columns are asked for theirs

Groups: TypeAlias = Callable[[int, int], NDArray[np.intp]]  # from the number of a row block and its size


class RowSource(Protocol):
    """Encoded rows and their answers, for any number of passes."""

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield values (n_rows, n_features) and answers (n_rows, n_outputs), `BLOCK_ROWS` rows at a time."""


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows that are all in memory."""

    values: Floats
    answers: Floats

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive row blocks."""
        for start in range(0, len(self.values), BLOCK_ROWS):
            yield self.values[start : start + BLOCK_ROWS], self.answers[start : start + BLOCK_ROWS]


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Rows that a caller delivers in chunks of any size, anew for every pass."""

    chunks: Callable[[], Iterable[tuple[Floats, Floats]]]

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive row blocks, whatever the size of the chunks."""
        values: list[Floats] = []
        answers: list[Floats] = []
        waiting = 0
        for chunk_values, chunk_answers in self.chunks():
            values.append(chunk_values)
            answers.append(chunk_answers)
            waiting += len(chunk_values)
            if waiting >= BLOCK_ROWS:
                joined = ArrayRows(np.concatenate(values), np.concatenate(answers))
                whole = waiting - waiting % BLOCK_ROWS
                yield from ArrayRows(joined.values[:whole], joined.answers[:whole]).blocks()
                values, answers, waiting = [joined.values[whole:]], [joined.answers[whole:]], waiting - whole
        if waiting:
            yield np.concatenate(values), np.concatenate(answers)


class BlockFunctions(Sequence[Reals]):
    """The functions of each feature on some rows, (n_functions, n_rows), evaluated when first asked for.

    Of many features most have no column, and theirs are never made.
    """

    def __init__(self, marginals: Sequence[Marginal], values: Floats) -> None:
        self._marginals, self._values = marginals, values
        self._found: dict[int, Reals] = {}

    def __len__(self) -> int:
        return len(self._marginals)

    def __getitem__(self, feature: Any) -> Any:
        found = self._found.get(feature)
        if found is None:
            found = self._marginals[feature].evaluate(self._values[:, feature], np.float32)
            self._found[feature] = found
        return found


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """The rows of one group in one row block, sorted by replicate."""

    group: int
    values: Floats  # shape (n_rows, n_features)
    answers: Floats  # shape (n_rows, n_outputs): standardised
    marginals: Sequence[Marginal]
    slices: Slices  # which rows belong to which replicate
    positions: NDArray[np.intp]  # of the rows in the whole table

    @cached_property
    def functions(self) -> Sequence[Reals]:
        """The functions of each feature, (n_functions, n_rows), evaluated by the thread that first asks."""
        return BlockFunctions(self.marginals, self.values)

    def leading(self, share: float) -> "GroupBlock":
        """Keep that share of the rows, the first ones: a random choice, since replicates are random."""
        if share >= 1:
            return self
        count = ceil(share * len(self.values))
        slices = [
            (replicate, slice(at.start, min(at.stop, count))) for replicate, at in self.slices if at.start < count
        ]
        kept = self.values[:count], self.answers[:count]
        return GroupBlock(self.group, *kept, self.marginals, slices, self.positions[:count])


@dataclass(eq=False)
class GroupedRows:
    """The rows of a fit, by group, with standardised answers."""

    source: RowSource
    marginals: Sequence[Marginal]
    # centre, spread, shape (n_outputs,): answers are taken relative to these; then single precision is enough
    centre: Floats
    spread: Floats
    groups: Groups  # takes the number of a row block and how many rows it has, returns the group of each row
    replicates: Groups = field(default_factory=lambda: random_replicates(0))  # likewise the replicate of each row
    _kept: list[GroupBlock] | None = field(default=None, init=False)

    def blocks(self, groups: Collection[int]) -> Iterator[GroupBlock]:
        """Yield the rows of some groups, row block by row block."""
        for block in self._kept if self._kept is not None else self._read():
            if block.group in groups:
                yield block

    def _read(self) -> Iterator[GroupBlock]:
        n_functions = min(sum(len(marginal.roughness) for marginal in self.marginals), MOST_EVALUATED)
        kept: list[GroupBlock] = []
        n_rows = 0
        for number, (values, answers) in enumerate(self.source.blocks()):
            blocks = self._split(number, values, answers)
            n_rows += len(values)
            if n_rows * n_functions * 4 <= KEEP_BYTES:
                kept.extend(blocks)
            else:
                kept.clear()
            yield from blocks
        # Reached only when the whole pass was wanted, so what was gathered is complete.
        if kept:
            self._kept = kept

    def _split(self, number: int, values: Floats, answers: Floats) -> list[GroupBlock]:
        group, replicate = self.groups(number, len(values)), self.replicates(number, len(values))
        answers = (answers - self.centre) / self.spread
        blocks = []
        for g in np.unique(group).tolist():
            rows = np.flatnonzero(group == g)
            rows = rows[np.argsort(replicate[rows], kind="stable")]
            slices = replicate_slices(replicate[rows])
            positions = number * BLOCK_ROWS + rows
            blocks.append(GroupBlock(g, values[rows], answers[rows], self.marginals, slices, positions))
        return blocks


def random_groups(shares: Sequence[float], seed: int) -> Groups:
    """Assign rows to groups at random, by the number of their row block alone."""
    return lambda number, n_rows: stream(seed, "groups", number).choice(len(shares), size=n_rows, p=shares)


def random_replicates(seed: int) -> Groups:
    """Assign rows to replicates at random, each on its own."""
    return lambda number, n_rows: assign_replicates(n_rows, seed, number)


def given_groups(group: NDArray[np.intp]) -> Groups:
    """Assign rows to the groups in an array."""
    return lambda number, n_rows: group[number * BLOCK_ROWS : number * BLOCK_ROWS + n_rows]


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct values of one column, ascending, how often each occurs, and how many rows have none."""

    values: Floats
    counts: NDArray[np.int64]
    n_missing: int


@dataclass(frozen=True, eq=False)
class Tally:
    """What the first pass over the rows finds."""

    n_rows: int
    columns: tuple[ValueCounts, ...]
    # centre, spread, shape (n_outputs,): mean and standard deviation of the answers
    centre: Floats
    spread: Floats
    n_distinct: int  # rows that differ from each other
    known: Fingerprint  # of inputs and answers

    @property
    def fingerprint(self) -> str:
        """Hash of the inputs: the same for the same rows in the same order."""
        return self.known.inputs

    def marginals(self, features: Sequence[Feature], degree: int) -> tuple[Marginal, ...]:
        """Make the functions of every feature."""
        return tuple(_marginal(feature, counts, degree) for feature, counts in zip(features, self.columns, strict=True))


def tally(source: RowSource, n_features: int) -> Tally:
    """Count values and average answers, row block by row block."""
    pieces: list[list[ValueCounts]] = [[] for _ in range(n_features)]
    n_rows, origin = 0, None
    first, second = np.zeros(1), np.zeros(1)
    seen = Fingerprinting()
    hashes: list[NDArray[np.uint64]] = []
    for values, answers in source.blocks():
        seen.add(values, answers)
        hashes.append(np.unique(hash_rows(values)))
        n_rows += len(values)
        origin = answers.mean(axis=0) if origin is None else origin
        first = first + (answers - origin).sum(axis=0)
        second = second + ((answers - origin) ** 2).sum(axis=0)
        for index, piece in enumerate(pieces):
            piece.append(_count(values[:, index]))
    if origin is None:
        raise InputError(
            "There are no rows. If they come in chunks, the function must return them anew each time it is called."
        )
    mean, n_distinct = first / n_rows, len(np.unique(np.concatenate(hashes)))
    spread = np.sqrt(np.maximum(second / n_rows - mean**2, 0.0))
    return Tally(n_rows, tuple(map(_merge, pieces)), origin + mean, spread, n_distinct, seen.finish())


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
