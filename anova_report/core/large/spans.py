"""Sums over more rows than memory holds: spans of row blocks, each summed alone, then added up in a fixed order.

Spans are counted from the start of the table, whatever chunks, files or partitions it comes in, and their sums are
added up in a tree that depends on their numbers alone. So a sum over rows has the same bits in this process and on a
cluster, however many workers it has and whichever of them is first.
"""

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.progress import Passes
from anova_report.core.threads import in_order
from anova_report.errors import RunError

# Budgets of memory (`make scale`).
SPAN_BLOCKS = 16  # row blocks: work long enough to be worth a task, little enough to lie in memory
TOGETHER = 8  # sums that are added up at each level of the tree: shallow, and none waits for many


class RowSums(Protocol):
    """Sums over rows in the making."""

    def sums(self, block: Any) -> Any:
        """Do the work on one row block; nothing else is changed, so that blocks may be worked on side by side."""

    def add(self, found: Any) -> None:
        """Count what `sums` found, block after block."""

    def merge(self, other: Any) -> None:
        """Count the rows of later blocks, which have been summed alone; these sums stay as they are."""


Sums = TypeVar("Sums", bound=RowSums)
Start: TypeAlias = Callable[[Any], Sums]  # makes sums of no rows from what all spans share


@dataclass(frozen=True, eq=False)
class SpanBlock:
    """One row block, as it is read or as it is kept between passes."""

    number: int
    inputs: Any  # values (n_rows, n_features), or codes of each feature
    predictions: Floats  # shape (n_rows, n_outputs)
    weights: Floats | None = None
    units: NDArray[np.uint64] | None = None  # a number that rows of one unit share
    positions: NDArray[np.intp] | None = None  # of the rows in the user's table, where these are not consecutive

    # places and values of rows in windows of a feature, that are looked at one by one
    window: tuple[NDArray[np.intp], Floats] | None = None

    def __len__(self) -> int:
        return len(self.predictions)


Span: TypeAlias = list[SpanBlock]


class Spans(Protocol):
    """Rows in spans, wherever they lie."""

    passes: Passes

    def fold(self, start: "Start[Sums]", shared: Any, name: str) -> Sums:
        """Sum over all rows: `start` makes sums from `shared`, and `name` is what progress calls the pass."""

    def map(self, work: Callable[[SpanBlock], SpanBlock], name: str) -> "Spans":
        """Make other row blocks of these, and keep them where they lie."""

    def close(self) -> None:
        """Give up what is kept."""


def sum_span(start: "Start[Sums]", shared: Any, span: Iterable[SpanBlock]) -> Sums:
    """Sum over one span, block after block."""
    total = start(shared)
    for found in in_order(total.sums, span):
        total.add(found)
    return total


def merge_all(start: "Start[Sums]", shared: Any, parts: Iterable[Sums]) -> Sums:
    """Add sums up from the first to the last; none of them is changed."""
    total = start(shared)
    for part in parts:
        total.merge(part)
    return total


def tree_sum(start: "Start[Sums]", shared: Any, parts: Iterable[Sums]) -> Sums:
    """Add up sums that come one after the other in the tree that `TOGETHER` at a time make.

    Only the lowest level is in memory: the others wait in files, so that more rows, which make more levels, take no
    more memory.
    """
    with _Levels(start, shared) as levels:
        levels.add(0, parts)
        return levels.total()  # type: ignore[no-any-return]  # of the class that `start` makes


class _Levels(ExitStack):
    """The sums in the making at each level of a tree, the lowest first, and of how many parts each is."""

    def __init__(self, start: "Start[Any]", shared: Any) -> None:
        super().__init__()
        self._start, self._shared = start, shared
        self._lowest: Any = None
        self._counts: list[int] = []
        self._files: dict[int, BlockFile] = {}

    def add(self, level: int, parts: Iterable[Any]) -> None:
        """Add parts at a level; what is complete there is a part of the next."""
        for part in parts:
            at = level
            while True:
                if at == len(self._counts):
                    self._counts.append(0)
                total = self._take(at)
                total.merge(part)
                self._counts[at] += 1
                if self._counts[at] < TOGETHER:
                    break
                self._counts[at] = 0
                part, at = total, at + 1  # noqa: PLW2901 the part that was merged is given up at once
            self._put(at, total)
            del part, total  # before the next one is made

    def total(self) -> Any:
        """Add up the levels, from the lowest to the highest."""
        level = 0
        while level < len(self._counts) - 1:
            if self._counts[level]:
                self._counts[level] = 0
                # Taken while it is added, so that nobody else holds it.
                self.add(level + 1, (self._take(level) for _ in range(1)))
            level += 1
        return self._take(level)

    def _take(self, level: int) -> Any:
        if level == 0 and self._lowest is not None:
            found, self._lowest = self._lowest, None
            return found
        if level in self._files:
            with self._files.pop(level) as file:
                return next(file.read())
        return self._start(self._shared)

    def _put(self, level: int, total: Any) -> None:
        if level == 0:
            self._lowest = total
            return
        self._files[level] = self.enter_context(BlockFile())
        self._files[level].write(total)


def in_spans(blocks: Iterable[SpanBlock]) -> Iterator[Iterator[SpanBlock]]:
    """Cut row blocks into spans, which are read one after the other."""
    blocks = iter(blocks)
    for first in blocks:
        rest = islice(blocks, SPAN_BLOCKS - 1)
        yield chain([first], rest)
        for _ in rest:  # what the reader of the span has left
            pass


@dataclass(eq=False)
class LocalSpans:
    """Rows that are read in this process, anew for every pass: from the user, or from a temporary file."""

    blocks: Callable[[], Iterable[SpanBlock]]
    passes: Passes
    file: "BlockFile | None" = None  # that goes with them

    def fold(self, start: "Start[Sums]", shared: Any, name: str) -> Sums:
        """Sum over all rows, with as many threads as `workers` allows."""
        with self.passes.start(name, len) as counted:
            spans = in_spans(counted(self.blocks()))
            return tree_sum(start, shared, (sum_span(start, shared, span) for span in spans))

    def map(self, work: Callable[[SpanBlock], SpanBlock], name: str) -> "LocalSpans":
        """Make other row blocks of these, and keep them in a temporary file."""
        file = BlockFile()
        with self.passes.start(name, len) as counted:
            for block in in_order(work, counted(self.blocks())):
                file.write(block)
        return LocalSpans(file.read, self.passes, file)

    def close(self) -> None:
        """Remove the file, if there is one."""
        if self.file is not None:
            self.file.close()


class BlockFile(AbstractContextManager["BlockFile"]):
    """Row blocks in a temporary file without a name: nothing is left of it, however the process ends."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="anova_report-")  # noqa: SIM115 closed with the object
        self._count = 0

    def write(self, block: Any) -> None:
        """Append a row block, or what else belongs to some rows."""
        try:
            pickle.dump(block, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise RunError(
                f"What is kept of the rows between passes cannot be written into {tempfile.gettempdir()}: {error}. It "
                "takes two bytes for each value; set TMPDIR to a folder with more room."
            ) from error
        self._count += 1

    def read(self) -> Iterator[Any]:
        """Yield all that was written, in its order."""
        self._file.seek(0)
        for _ in range(self._count):
            yield pickle.load(self._file)  # noqa: S301 this process has written it into a file without a name

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

    def __exit__(self, *error: object) -> None:
        self.close()
