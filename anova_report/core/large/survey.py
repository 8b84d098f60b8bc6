"""The first pass over more rows than memory holds: all that is kept of them has a bounded size.

It finds how many rows there are, the moments of the predictions, the values of columns that have few, the ends of the
others, what rows are known again by, how often rows are repeated, and a sample of rows drawn at random. Codes of a
column with many values are cut at values of the sample; the next pass counts how many rows of all have each code.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, EvenRows, Floats
from anova_report.core.basis.tally import MAX_NODES, hash_rows, thin_out
from anova_report.core.diagnostics.near_duplicates import Windows, block_serial
from anova_report.core.fit.row_blocks import Codebook, encode
from anova_report.core.input.features import Feature
from anova_report.core.input.fingerprint import (
    MOST_AT_ONCE,
    MOST_PREDICTIONS,
    Fingerprint,
    digest_block,
    digest_of_digests,
)
from anova_report.core.large.spans import SPAN_BLOCKS, SpanBlock
from anova_report.core.randomness import stream
from anova_report.errors import InputError

SAMPLE_ROWS = MOST_AT_ONCE  # rows that choose; tables with no more are read whole (`make scale`)
SLACK = 1.25  # so many times as many may come, or wait, to be thinned out: too few never come, and sorting takes time
KEPT_STEP = MOST_AT_ONCE // MOST_PREDICTIONS  # of predictions that are kept at first; it divides a row block


@dataclass
class SamplingPlan:
    """How the sample is drawn: which rows have a chance to be in it, the less the more rows are known."""

    seed: int
    n_rows: int  # that are drawn
    bound: float = 1.0  # rows that drew a larger number have none

    def numbers(self, block: int, n_rows: int) -> Floats:
        """Draw a number for each row of a block, by the number of the block alone."""
        return stream(self.seed, "sample", block).random(n_rows)


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows that were drawn, in the order of the table."""

    numbers: Floats  # that were drawn
    positions: NDArray[np.int64]  # among the rows that count
    values: Floats
    predictions: Floats
    weights: Floats | None

    def chosen(self, at: Any) -> "SampledRows":
        """Keep some of them."""
        chosen: list[Any] = [None if each is None else each[at] for each in vars(self).values()]
        return SampledRows(*chosen)


def join(parts: Sequence[SampledRows]) -> SampledRows:
    """Put rows one after the other."""
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    joined: list[Any] = [None if each[0] is None else np.concatenate(each) for each in columns]
    return SampledRows(*joined)


@dataclass(eq=False)
class RowHashes:
    """Hashes of different rows below a bound that falls as rows become many, and how many rows have each."""

    level: int = 0  # the bound is 2^(64 - level)
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, other: "RowHashes") -> None:
        """Count other rows as well."""
        self.level = max(self.level, other.level)
        hashes, counts = np.concatenate([self.hashes, other.hashes]), np.concatenate([self.counts, other.counts])
        while True:
            low = hashes >> np.uint64(64 - self.level) == 0 if self.level else np.ones(len(hashes), dtype=bool)
            hashes, counts = hashes[low], counts[low]
            self.hashes, at = np.unique(hashes, return_inverse=True)
            if len(self.hashes) <= BLOCK_ROWS:  # then their copies tell how many rows are copies
                break
            self.level += 1
        self.counts = np.bincount(at, weights=counts, minlength=len(self.hashes)).astype(np.int64)

    @property
    def repeated(self) -> float:
        """Share of the rows that are copies of earlier ones."""
        total = int(self.counts.sum())
        return 1 - len(self.hashes) / total if total else 0.0


@dataclass(eq=False)
class PredictionMoments:
    """Mean and squared deviations of predictions, and sums of weights."""

    weight: float = 0.0
    squared_weight: float = 0.0
    mean: Floats = field(default_factory=lambda: np.zeros(1))
    deviations: Floats = field(default_factory=lambda: np.zeros(1))  # squared, summed

    @staticmethod
    def of(predictions: Floats, weights: Floats | None) -> "PredictionMoments":
        """Sum over the rows of one block."""
        own = np.ones(len(predictions)) if weights is None else weights
        mean = own @ predictions / own.sum()
        return PredictionMoments(float(own.sum()), float((own**2).sum()), mean, own @ np.square(predictions - mean))

    def merge(self, other: "PredictionMoments") -> None:
        """Count other rows as well (Chan's formula)."""
        if not other.weight:
            return
        total = self.weight + other.weight
        step = other.mean - self.mean
        self.deviations = self.deviations + other.deviations + step**2 * (self.weight * other.weight / total)
        self.mean = self.mean + step * (other.weight / total)
        self.weight, self.squared_weight = total, self.squared_weight + other.squared_weight


class Survey:
    """What is known of all rows after the first pass; `shared` says how rows are drawn."""

    def __init__(self, shared: SamplingPlan) -> None:
        self.drawing = shared
        self.n_rows = 0
        self.moments = PredictionMoments()
        self.values: list[Floats | None] = []  # different ones of each column; None where there are many
        self.ends = np.zeros((2, 0))  # least and largest value of each
        self.digests: list[tuple[bytes, bytes]] = []
        self.kept: list[Floats] = []  # every `KEPT_STEP`th prediction
        self.hashes = RowHashes()
        self.serial: list[tuple[Floats, int]] = []  # correlations with the next row, as `median_serial` takes them
        self._drawn: list[SampledRows] = []

    def sums(self, block: SpanBlock) -> "Survey":
        """Look at one row block."""
        found, values, predictions = Survey(self.drawing), block.inputs, block.predictions
        found.n_rows = len(values)
        found.moments = PredictionMoments.of(predictions, block.weights)
        many = [of is None for of in self.values] or [False] * values.shape[1]
        found.values = [None if skip else different(own) for skip, own in zip(many, values.T, strict=True)]
        with np.errstate(all="ignore"):
            found.ends = np.stack([np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)])
        found.digests = [(digest_block(values), digest_block(predictions))]
        found.kept = [predictions[::KEPT_STEP].copy()]
        found.hashes = RowHashes(0, *np.unique(hash_rows(values), return_counts=True))
        serial = None if block.number % SPAN_BLOCKS else block_serial(values)
        found.serial = [] if serial is None else [serial]
        numbers = self.drawing.numbers(block.number, len(values))
        at, positions = numbers <= self.drawing.bound, block.number * BLOCK_ROWS + np.arange(len(values))
        found._drawn = [SampledRows(numbers, positions, values, predictions, block.weights).chosen(at)]
        return found

    def merge(self, other: "Survey") -> None:
        """Count the rows of later blocks as well."""
        if not other.n_rows:
            return
        self.n_rows += other.n_rows
        self.moments.merge(other.moments)
        self._see(other.values, other.ends)
        self.digests += other.digests
        self.kept += other.kept
        self.hashes.add(other.hashes)
        self.serial += other.serial
        self._drawn += other._drawn
        if sum(len(part.numbers) for part in self._drawn) > SLACK * self.drawing.n_rows:
            self._thin()

    add = merge  # what `sums` finds is a survey of one block

    def _see(self, values: Sequence[Floats | None], ends: Floats) -> None:
        if not self.values:
            self.values, self.ends = list(values), ends
            return
        self.ends = np.stack([np.fmin(self.ends[0], ends[0]), np.fmax(self.ends[1], ends[1])])
        for at, (ours, theirs) in enumerate(zip(self.values, values, strict=True)):
            joined = None if ours is None or theirs is None else np.union1d(ours, theirs)
            self.values[at] = None if joined is None or len(joined) > MAX_NODES else joined

    def _thin(self) -> None:
        rows, most = join(self._drawn), self.drawing.n_rows
        if len(rows.numbers) > most:
            rows = rows.chosen(np.sort(np.argpartition(rows.numbers, most - 1)[:most]))
            # A row that drew more than all of these has no chance, wherever in the table it is.
            self.drawing.bound = min(self.drawing.bound, float(rows.numbers.max()))
        self._drawn = [rows]

    @property
    def sample(self) -> SampledRows:
        """The rows that were drawn, all of them where they are few."""
        if not self.n_rows:
            raise InputError(
                "There are no rows. If they come in chunks, the function must return them anew each time it is called."
            )
        self._thin()
        return self._drawn[0]

    @property
    def spread(self) -> Floats:
        """Standard deviation of the predictions, shape (n_outputs,)."""
        return np.asarray(np.sqrt(self.moments.deviations / self.moments.weight))

    def fingerprint(self) -> Fingerprint:
        """Return what the rows and predictions are known again by."""
        even = EvenRows(MOST_PREDICTIONS)
        even.add(np.concatenate(self.kept))
        inputs, predictions = (digest_of_digests(each) for each in zip(*self.digests, strict=True))
        return Fingerprint(self.n_rows, inputs, predictions, even.step * KEPT_STEP, even.rows())

    def books(self, features: Sequence[Feature]) -> list[Codebook]:
        """Choose codes for the values of every feature; how many rows have each is counted later."""
        sample, books = self.sample.values, []
        for at, feature in enumerate(features):
            known = np.arange(float(len(feature.levels))) if feature.kind == "nominal" else self.values[at]
            if known is None:
                books.append(cut_codes(sample[:, at], *self.ends[:, at]))
            else:
                books.append(Codebook(known, known, np.zeros(len(known), np.int64), 0))
        return books


class CodeCounts:
    """How many rows of all have each code, or how much they weigh, and the rows of windows that came along."""

    def __init__(self, shared: Sequence[int]) -> None:
        self.counts: list[NDArray[Any]] = [np.zeros(0)] * len(shared)
        self.windows: list[tuple[NDArray[np.intp], Floats]] = []
        self._sizes = shared

    def sums(self, block: SpanBlock) -> "CodeCounts":
        """Count the codes of one row block."""
        found, pairs = CodeCounts(self._sizes), zip(block.inputs, self._sizes, strict=True)
        found.counts = [np.bincount(codes, weights=block.weights, minlength=size + 1) for codes, size in pairs]
        found.windows = [] if block.window is None else [block.window]
        return found

    def merge(self, other: "CodeCounts") -> None:
        """Count the rows of later blocks as well."""
        if other.counts[0].size:
            pairs = zip(self.counts, other.counts, strict=True)
            self.counts = [new + (old if old.size else 0) for old, new in pairs]
            self.windows += other.windows

    add = merge  # what `sums` finds are counts of one block


def cut_codes(drawn: Floats, low: float, high: float) -> Codebook:
    """Cut a column with many values into codes by a sample of them and the ends of all.

    A value that many rows share has a code of its own, and so have the ends; all others stand for their neighbors in
    the sample. Codes hold about equal shares of the rows, so that their ranks are known to one part in some thousands.
    """
    values, counts = np.unique(drawn[~np.isnan(drawn)], return_counts=True)
    book = Codebook(values, values, counts, 0) if len(values) <= MAX_NODES else thin_out(values, counts, 0)
    shared = book.nodes[(book.last == book.nodes) & (book.counts * MAX_NODES >= counts.sum())]
    shared = np.union1d(shared, [low, high])
    last = np.unique(np.concatenate([book.last, shared, np.nextafter(shared, -np.inf)]))
    last = last[last >= low]
    at = np.searchsorted(book.last, last).clip(max=len(book.last) - 1)
    between = (last + np.r_[last[0], last[:-1]]) / 2  # of values the sample does not have
    nodes = np.where(np.isin(last, shared), last, np.where(book.last[at] == last, book.nodes[at], between))
    return Codebook(last, nodes, np.zeros(len(last), np.int64), 0)


@dataclass(frozen=True, eq=False)
class Encode:
    """Writes row blocks as codes and standardized predictions."""

    books: Sequence[Codebook]
    center: Floats
    spread: Floats
    windows: Windows
    hashed: bool  # whether rows with equal inputs are one unit

    def __call__(self, block: SpanBlock) -> SpanBlock:
        """Write one row block."""
        values = block.inputs
        inside = self.windows.inside(values)
        start = block.number * BLOCK_ROWS
        return SpanBlock(
            block.number,
            encode(self.books, values),
            (block.predictions - self.center) / self.spread,
            block.weights,
            hash_rows(values) if self.hashed else None,
            block.positions,
            (start + inside, values[inside][:, self.windows.columns]) if inside.size else None,
        )


def different(column: Floats) -> Floats:
    """Find the different values of a column, without missing ones."""
    values = np.unique(column)
    return values[: len(values) - int(len(values) and np.isnan(values[-1]))]
