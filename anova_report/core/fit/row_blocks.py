"""Rows as the fit reads them: row blocks of fixed size, in groups.

The row blocks are the same whether rows are delivered in one table or in chunks, and so is every sum over them. Between
passes a row is a code for each feature, two bytes: the functions of a feature are tabulated once and looked up.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, Floats, Reals
from anova_report.core.basis.marginals import Marginal
from anova_report.core.basis.splines import FAMILIES
from anova_report.core.fit.jackknife_groups import Array, Slices, assign_replicates, replicate_slices
from anova_report.core.input.weights import RowWeights
from anova_report.core.large.spans import SpanBlock, Sums
from anova_report.core.randomness import stream
from anova_report.core.threads import in_order, side_by_side

# Budgets of memory and time (`make scale`).
PIECE_ROWS = 2500  # of one group: several pieces of a small table keep several cores busy
KEPT_BYTES = 256e6  # of codes, of tables, or of functions in all families: kept between passes if they take no more
MOST_EVALUATED = 4000  # functions that are evaluated anyway; of more features only those that get columns have theirs
SCREENED_ROWS = 50_000  # a sample of so many shows which products a fit lacks

Codes: TypeAlias = Sequence[NDArray[np.unsignedinteger[Any]]]  # of each feature, (n_rows,)
CodedBlock: TypeAlias = tuple[Codes, Floats]  # codes and predictions, (n_rows, n_outputs)
Groups: TypeAlias = Callable[[int, int], NDArray[np.intp]]  # from the number of a row block and its size


class FitRows(Protocol):
    """The rows of a fit, by group, wherever they lie."""

    @property
    def marginals(self) -> Sequence[Marginal]:
        """The functions of every feature."""

    @property
    def books(self) -> "Sequence[Codebook]":
        """What the codes of each feature stand for."""

    @property
    def center(self) -> Floats:
        """What predictions are taken relative to, shape (n_outputs,)."""

    @property
    def spread(self) -> Floats:
        """In what units predictions are taken, shape (n_outputs,)."""

    def fold(self, start: Callable[[], Sums], groups: Collection[int], name: str) -> Sums:
        """Sum over the rows of some groups; `start` makes sums of no rows, `name` is what progress calls the pass."""

    def together(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Do pieces of work that read the rows: at the same time where that is faster."""


class RowSource(Protocol):
    """Encoded rows and their predictions, for any number of passes."""

    @property
    def weights(self) -> RowWeights | None:
        """How much each row counts; None where all count the same, and each is a row of the user's table."""

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield values (n_rows, n_features) and predictions (n_rows, n_outputs), `BLOCK_ROWS` rows at a time."""


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows that are all in memory."""

    values: Floats
    predictions: Floats
    weights: RowWeights | None = None

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive row blocks."""
        for start in range(0, len(self.values), BLOCK_ROWS):
            yield self.values[start : start + BLOCK_ROWS], self.predictions[start : start + BLOCK_ROWS]


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Rows that a caller delivers in chunks of any size, anew for every pass."""

    chunks: Callable[[], Iterable[tuple[Floats, Floats]]]
    weights: RowWeights | None = None

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield consecutive row blocks, whatever the size of the chunks."""
        values: list[Floats] = []
        predictions: list[Floats] = []
        waiting = 0
        for chunk_values, chunk_predictions in self.chunks():
            values.append(chunk_values)
            predictions.append(chunk_predictions)
            waiting += len(chunk_values)
            if waiting >= BLOCK_ROWS:
                joined = ArrayRows(np.concatenate(values), np.concatenate(predictions))
                whole = waiting - waiting % BLOCK_ROWS
                yield from ArrayRows(joined.values[:whole], joined.predictions[:whole]).blocks()
                values, predictions, waiting = [joined.values[whole:]], [joined.predictions[whole:]], waiting - whole
        if waiting:
            yield np.concatenate(values), np.concatenate(predictions)


def span_blocks(source: RowSource) -> Iterator[SpanBlock]:
    """Give row blocks their numbers, weights and the positions of their rows."""
    known = source.weights
    for number, (values, predictions) in enumerate(source.blocks()):
        own = slice(number * BLOCK_ROWS, number * BLOCK_ROWS + len(values))
        weights = None if known is None or known.values is None else known.values[own]
        yield SpanBlock(number, values, predictions, weights, positions=None if known is None else known.positions[own])


def chosen_rows(source: RowSource, at: NDArray[np.intp], weights: RowWeights) -> RowSource:
    """Choose rows by their positions, ascending; a source that is larger than memory stays where it is."""
    if isinstance(source, ArrayRows):
        return ArrayRows(np.asfortranarray(source.values[at]), source.predictions[at], weights)

    def chunks() -> Iterator[tuple[Floats, Floats]]:
        start = 0
        for values, predictions in source.blocks():
            own = at[slice(*np.searchsorted(at, (start, start + len(values))))] - start
            start += len(values)
            yield values[own], predictions[own]

    return ChunkedRows(chunks, weights)


@dataclass(frozen=True, eq=False)
class Codebook:
    """Which code stands for which values of one feature; one more code stands for a missing value."""

    last: Floats  # shape (n_codes,): the largest value of each code, ascending
    nodes: Floats  # shape (n_codes,): the value that stands for all of them
    counts: NDArray[Any]  # shape (n_codes,): how many rows have one of them, or how much they weigh
    n_missing: float

    def encode(self, values: Floats) -> NDArray[np.unsignedinteger[Any]]:
        """Write values that were counted as codes."""
        codes = np.searchsorted(self.last, values)  # missing ones sort last
        return codes.astype(np.uint16 if len(self.last) <= np.iinfo(np.uint16).max else np.uint32)

    def decode(self, codes: NDArray[np.unsignedinteger[Any]]) -> Floats:
        """Give codes back the values that stand for them."""
        return np.asarray(np.append(self.nodes, np.nan)[codes])

    def ranks(self) -> Reals:
        """Centered mid-ranks of the codes, shape (n_codes + 1,); missing values lie in the middle."""
        return np.append((np.cumsum(self.counts) - self.counts / 2) / self.counts.sum() - 0.5, 0.0).astype(np.float32)

    def tabulate(self, marginal: Marginal) -> Reals:
        """Evaluate functions at every code, shape (n_functions, n_codes + 1)."""
        # Function by function: otherwise every lookup would bring the whole table into that order.
        return np.ascontiguousarray(marginal.evaluate(np.append(self.nodes, np.nan), np.float32))


def encode(books: Sequence[Codebook], values: Floats) -> Codes:
    """Write rows as codes, feature by feature."""
    return [book.encode(values[:, feature]) for feature, book in enumerate(books)]


def decode(books: Sequence[Codebook], codes: Codes) -> Floats:
    """Give codes back the values that stand for them, shape (n_rows, n_features)."""
    return np.column_stack([book.decode(own) for book, own in zip(books, codes, strict=True)])


class OnDemand(Sequence[Reals]):
    """Arrays by feature that are made when first asked for, and kept while there is room, in bytes.

    Of many features most have no column, and their functions are never asked for.
    """

    def __init__(self, make: Callable[[int], Reals], n_features: int, room: float) -> None:
        self._make, self._n_features, self._room = make, n_features, room
        self._found: dict[int, Reals] = {}

    def __len__(self) -> int:
        return self._n_features

    def __getitem__(self, feature: Any) -> Any:
        found = self._found.get(feature)
        if found is None:
            found = self._make(feature)
            if found.nbytes <= self._room:
                self._room -= found.nbytes
                self._found[feature] = found
        return found


@dataclass(eq=False)
class CodedRows:
    """The rows of a fit as codes, with standardized predictions, for any number of passes."""

    source: RowSource
    books: Sequence[Codebook]
    # center, spread, shape (n_outputs,): predictions are taken relative to these; then single precision is enough
    center: Floats
    spread: Floats
    _kept: list[CodedBlock] | None = field(default=None, init=False)
    _tables: dict[tuple[Marginal, ...], OnDemand] = field(default_factory=dict, init=False)

    def tables(self, marginals: Sequence[Marginal]) -> Sequence[Reals]:
        """Look the functions of each feature up at its codes; they are evaluated once, those of many when asked for."""
        own = tuple(marginals)
        if own not in self._tables:
            tables = OnDemand(lambda feature: self.books[feature].tabulate(own[feature]), len(own), KEPT_BYTES)
            if sum(len(marginal.roughness) for marginal in own) <= MOST_EVALUATED:
                list(tables)  # before several threads ask for the same
            self._tables[own] = tables
        return self._tables[own]

    def blocks(self) -> Iterator[CodedBlock]:
        """Yield codes (n_features, n_rows) and predictions (n_rows, n_outputs) of every row block."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[CodedBlock] = []
        n_bytes = 0
        for codes, predictions in in_order(self._encode, self.source.blocks()):
            n_bytes += predictions.nbytes + sum(each.nbytes for each in codes)
            if n_bytes <= KEPT_BYTES:
                kept.append((codes, predictions))
            else:
                kept.clear()
            yield codes, predictions
        # Reached only when the whole pass was wanted, so what was gathered is complete.
        if n_bytes <= KEPT_BYTES:
            self._kept = kept

    def forget(self) -> None:
        """Give up what is kept between passes; it is made again when asked for."""
        self._kept, self._tables = None, {}

    def _encode(self, block: tuple[Floats, Floats]) -> CodedBlock:
        values, predictions = block
        return encode(self.books, values), (predictions - self.center) / self.spread


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """The rows of one group in one row block, sorted by replicate."""

    group: int
    codes: Codes
    predictions: Floats  # shape (n_rows, n_outputs): standardized
    tables: Sequence[Reals]  # the functions of each feature at its codes, (n_functions, n_codes + 1)
    slices: Slices  # which rows belong to which replicate
    positions: NDArray[np.intp]  # of the rows in the user's table
    weights: Floats | None = None  # how much each row counts; None where all count 1
    n_table_rows: int = 0  # rows of the user's table that these are, copies included
    places: NDArray[np.intp] | None = None  # of the rows among those that are read, where these are not `positions`

    @property
    def n_rows(self) -> float:
        """How many rows these count as: the sum of their weights."""
        return float(len(self.predictions) if self.weights is None else self.weights.sum())

    def weighed(self, values: Array) -> Array:
        """Multiply rows, along the last axis, by how much they count."""
        return values if self.weights is None else np.multiply(values, self.weights, dtype=values.dtype)

    @cached_property
    def functions(self) -> Sequence[Reals]:
        """The functions of each feature, (n_functions, n_rows), looked up once, by the thread that first asks."""
        tables, codes, room = self.tables, self.codes, 4 * MOST_EVALUATED * len(self.predictions)
        return OnDemand(lambda feature: tables[feature].take(codes[feature], axis=1), len(codes), room)

    def chosen(self, at: NDArray[np.intp]) -> "GroupBlock":
        """Keep the rows at some positions, whatever their replicates."""
        kept = [codes[at] for codes in self.codes], self.predictions[at], self.tables
        weights = None if self.weights is None else self.weights[at]
        places = None if self.places is None else self.places[at]
        return GroupBlock(self.group, *kept, [], self.positions[at], weights, len(at), places)

    def leading(self, share: float) -> "GroupBlock":
        """Keep that share of the rows, the first ones: a random choice, since replicates are random."""
        if share >= 1:
            return self
        count = ceil(share * len(self.predictions))
        slices = [
            (replicate, slice(at.start, min(at.stop, count))) for replicate, at in self.slices if at.start < count
        ]
        kept = [codes[:count] for codes in self.codes], self.predictions[:count], self.tables
        weights = None if self.weights is None else self.weights[:count]
        places = None if self.places is None else self.places[:count]
        return GroupBlock(self.group, *kept, slices, self.positions[:count], weights, count, places)


@dataclass(eq=False)
class GroupedRows:
    """The rows of a fit, by group, with the functions of every feature."""

    coded: CodedRows
    marginals: Sequence[Marginal]
    groups: Groups  # takes the number of a row block and how many rows it has, returns the group of each row
    replicates: Groups = field(default_factory=lambda: random_replicates(0))  # likewise the replicate of each row
    ranks: NDArray[np.intp] | None = None  # a place of each row that does not depend on the order of the table
    asked: "GroupedRows | None" = None  # recombined rows, in groups of their own
    by_donor: "GroupedRows | None" = None  # the same in the replicates of their other parents
    _kept: list[GroupBlock] | None = field(default=None, init=False)

    @property
    def center(self) -> Floats:
        """What predictions are taken relative to, shape (n_outputs,)."""
        return self.coded.center

    @property
    def spread(self) -> Floats:
        """In what units predictions are taken, shape (n_outputs,)."""
        return self.coded.spread

    def fold(self, start: Callable[[], Sums], groups: Collection[int], name: str) -> Sums:  # noqa: ARG002 few rows
        """Sum over the rows of some groups, block by block; `start` makes sums of no rows."""
        total = start()
        for found in in_order(total.sums, self.blocks(groups)):
            total.add(found)
        return total

    def together(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Do pieces of work that read the rows at the same time: what each does beside reading takes one core."""
        return side_by_side(works)

    @property
    def books(self) -> Sequence[Codebook]:
        """What the codes of each feature stand for."""
        return self.coded.books

    def blocks(self, groups: Collection[int]) -> Iterator[GroupBlock]:
        """Yield the rows of some groups, row block by row block."""
        for block in self._kept if self._kept is not None else self._read():
            if block.group in groups:
                yield block
        if self.asked is not None:
            yield from self.asked.blocks(groups)

    def by_row(self, groups: Groups) -> NDArray[np.intp]:
        """Find the group of every row."""
        sizes = [len(predictions) for _, predictions in self.coded.blocks()]
        return np.concatenate([groups(number, size) for number, size in enumerate(sizes)])

    def forget(self) -> None:
        """Give up what is kept between passes; it is made again when asked for."""
        self._kept = None
        self.coded.forget()
        for rows in (self.asked, self.by_donor):
            if rows is not None:
                rows.forget()

    def _read(self) -> Iterator[GroupBlock]:
        tables = self.coded.tables(self.marginals)
        bytes_per_row = 4 * min(sum(len(marginal.roughness) for marginal in self.marginals), MOST_EVALUATED)
        n_rows = sum(float(book.counts.sum()) + book.n_missing for book in self.coded.books[:1])
        keep = n_rows * bytes_per_row <= KEPT_BYTES / len(FAMILIES)
        kept: list[GroupBlock] = []
        for number, (codes, predictions) in enumerate(self.coded.blocks()):
            blocks = self._split(number, codes, predictions, tables)
            if keep:
                kept.extend(blocks)
            yield from blocks
        # Reached only when the whole pass was wanted, so what was gathered is complete.
        if keep:
            self._kept = kept

    def _split(self, number: int, codes: Codes, predictions: Floats, tables: Sequence[Reals]) -> list[GroupBlock]:
        group, replicate = self.groups(number, len(predictions)), self.replicates(number, len(predictions))
        start, known = number * BLOCK_ROWS, self.coded.source.weights
        blocks = []
        for g in np.unique(group).tolist():
            rows = np.flatnonzero(group == g)
            if self.ranks is not None:  # sums in single precision depend on the order of the rows
                rows = rows[np.argsort(self.ranks[start + rows])]
            rows = rows[np.argsort(replicate[rows], kind="stable")]
            for own in np.array_split(rows, -(-len(rows) // PIECE_ROWS)):
                slices = replicate_slices(replicate[own])
                piece = g, [each[own] for each in codes], predictions[own], tables, slices
                if known is None:
                    blocks.append(GroupBlock(*piece, start + own, None, len(own)))
                    continue
                weights = None if known.values is None else known.values[start + own]
                positions, n_table_rows = known.positions[start + own], int(known.copies[start + own].sum())
                blocks.append(GroupBlock(*piece, positions, weights, n_table_rows, start + own))
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
