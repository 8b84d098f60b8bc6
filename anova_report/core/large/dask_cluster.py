"""Sums over rows that lie on the workers of a Dask cluster.

Partitions are read, the model is asked, and rows are cut into spans and written as codes where they lie; only sums, a
sample of rows and what stands at the ends of partitions travel. Every piece of work is pure: what a lost worker held is
made again by others, with the same bits.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.large.spans import SPAN_BLOCKS, TOGETHER, Span, SpanBlock, Start, Sums, merge_all, sum_span
from anova_report.core.libraries import library
from anova_report.core.progress import Passes
from anova_report.errors import AnovaReportError, RunError


def current_client() -> Any:
    """Return the Dask client that is in use; None if there is none, or no `distributed` at all."""
    try:
        distributed = library("distributed", "A Dask cluster")
        return distributed.get_client()
    except (ValueError, AnovaReportError):
        return None


@contextmanager
def local_workers(n_workers: int, **settings: Any) -> Iterator[Any]:
    """Start workers on this machine, of one thread each; that one was lost is no error when they are stopped."""
    distributed = library("distributed", "A Dask cluster")

    class Workers(distributed.LocalCluster):  # type: ignore[name-defined, misc]
        def _update_worker_status(self, op: str, msg: Any) -> None:
            with suppress(KeyError):  # the end of a lost worker may be reported twice
                super()._update_worker_status(op, msg)

    with Workers(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **settings) as cluster:
        yield cluster


@dataclass(frozen=True, eq=False)
class RowPiece:
    """Consecutive rows of one partition: which partition, and from which row to which."""

    partition: int
    start: int
    stop: int


def cut(sizes: Sequence[int], span_rows: int) -> list[list[RowPiece]]:
    """Cut partitions of these sizes into spans of rows.

    Examples
    --------
    >>> [[(piece.partition, piece.start, piece.stop) for piece in span] for span in cut([3, 0, 4], 5)]
    [[(0, 0, 3), (2, 0, 2)], [(2, 2, 4)]]
    """
    spans: list[list[RowPiece]] = []
    room = 0
    for partition, size in enumerate(sizes):
        start = 0
        while start < size:
            if not room:
                spans.append([])
                room = span_rows
            stop = min(size, start + room)
            spans[-1].append(RowPiece(partition, start, stop))
            room -= stop - start
            start = stop
    return spans


@dataclass(eq=False)
class ClusterSpans:
    """Spans on a cluster: delayed work that makes them anew for every pass, or what workers keep."""

    client: Any
    spans: Sequence[Any]  # delayed or futures, each a `Span`
    sizes: Sequence[int]  # rows of each
    passes: Passes
    _held: dict[int, tuple[Any, Any]] = field(default_factory=dict, init=False)

    def fold(self, start: "Start[Sums]", shared: Any, name: str) -> Sums:
        """Sum over the spans on the workers, in the tree that their numbers make."""
        delayed = library("dask", "A Dask cluster").delayed
        with on_cluster(self.client):
            common = hold(self.client, start), self.hold(shared)
            level = [delayed(_sum_span, pure=False)(*common, span) for span in self.spans]
            marks = [delayed(_size, pure=False)(size, part) for size, part in zip(self.sizes, level, strict=True)]
            while True:
                groups = [level[at : at + TOGETHER] for at in range(0, len(level), TOGETHER)]
                level = [delayed(merge_all, pure=False)(*common, group) for group in groups]
                if len(level) == 1:
                    break
            # In one graph, so that sums are merged, and given up, before more are made.
            total, *marks = self.client.compute([level[0], *marks])
            self._watch(marks, name)
            found: Sums = total.result()
            return found

    def map(self, work: Callable[[SpanBlock], SpanBlock], name: str) -> "ClusterSpans":
        """Make other row blocks of these, and keep them on the workers."""
        delayed = library("dask", "A Dask cluster").delayed
        with on_cluster(self.client):
            held = hold(self.client, work)
            futures = self.client.compute([delayed(_map_span, pure=False)(held, span) for span in self.spans])
            marks = self.client.map(_size, self.sizes, futures, pure=False)
            self._watch(marks, name)
            return ClusterSpans(self.client, futures, self.sizes, self.passes)

    def close(self) -> None:
        """Let the workers forget what they keep."""
        self.spans, self._held = (), {}

    def hold(self, shared: Any) -> Any:
        """Send what all spans share to the cluster once."""
        if id(shared) not in self._held:
            self._held[id(shared)] = shared, hold(self.client, shared)  # the object stays, and so does its id
        return self._held[id(shared)][1]

    def _watch(self, marks: Sequence[Any], name: str) -> None:
        """Count rows as spans are done; the first error ends the pass."""
        as_completed = library("distributed", "A Dask cluster").as_completed
        with self.passes.start(name, int) as counted:
            for _ in counted(future.result() for future in as_completed(marks)):
                pass


def hold(client: Any, thing: Any) -> Any:
    """Make a task of an object: unlike scattered data it is not lost with the workers that have it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")  # it is sent once, and then between workers
        return client.submit(_same, thing, pure=False)


@contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Say in one sentence what went wrong with a cluster; errors of the work itself pass."""
    distributed = library("distributed", "A Dask cluster")
    try:
        yield
    except AnovaReportError:
        raise
    except distributed.KilledWorker as error:
        raise RunError(
            f"Several workers died of the same piece of work: {' '.join(str(error).split()):.300}. Give workers more "
            "memory, or make partitions smaller."
        ) from error
    except (distributed.client.FutureCancelledError, distributed.comm.CommClosedError, RuntimeError, OSError) as error:
        if client.status == "running" and not isinstance(error, distributed.comm.CommClosedError):
            words = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise RunError(f"A piece of work on the cluster failed ({words:.300}). Nothing was written.") from error
        raise RunError(
            f"The Dask client {client!r} was closed, or lost its scheduler, before the run was done ({error}). Nothing "
            "was written. Connect again, and run it again."
        ) from error


def _same(thing: Any) -> Any:
    return thing


def _size(size: int, _: Any) -> int:
    return size


def _sum_span(start: Any, shared: Any, span: Span) -> Any:
    # As in this process, so that sums have the same bits.
    with threadpool_limits(limits=1, user_api="blas"):
        return sum_span(start, shared, span)


def _map_span(work: Callable[[SpanBlock], SpanBlock], span: Span) -> Span:
    return [work(block) for block in span]


def number_blocks(span: int, values: Any, predictions: Any) -> Span:
    """Cut the rows of a span into row blocks, which are numbered from the start of the table."""
    first, starts = span * SPAN_BLOCKS, range(0, len(values), BLOCK_ROWS)
    return [
        SpanBlock(
            first + at,
            np.asfortranarray(values[start : start + BLOCK_ROWS]),
            np.ascontiguousarray(predictions[start : start + BLOCK_ROWS]),
        )
        for at, start in enumerate(starts)
    ]
