"""Using all cores without losing determinism: whole pieces of work in threads, each with one BLAS thread.

Threads inside BLAS wait for each other by spinning: beside any other busy process a fit was ten times slower with two
of them than with one. Pieces of work that run side by side do not wait, and as their results are added up in a fixed
order, the outcome does not depend on how many cores there are.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count
from threadpoolctl import threadpool_limits

from anova_report.core.arrays import Reals

Item = TypeVar("Item")
Result = TypeVar("Result")

# Threads do not inherit it, so that a worker finds none.
_pool: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("pool", default=None)


class Scratch(threading.local):
    """Memory of each thread for large passing results: fetching it from the system anew can cost more than the work."""

    def __init__(self) -> None:
        self._memory: Reals = np.empty(0, dtype=np.float32)

    def matrix(self, n_rows: int, n_columns: int) -> Reals:
        """Return a matrix in single precision; the next call overwrites it."""
        if self._memory.size < n_rows * n_columns:
            self._memory = np.empty(n_rows * n_columns, dtype=np.float32)
        return self._memory[: n_rows * n_columns].reshape(n_rows, n_columns)

    def __reduce__(self) -> tuple[type["Scratch"], tuple[()]]:
        return Scratch, ()  # another process has memory of its own


class _BlasAlone:
    """Keeps BLAS to one thread while any thread is inside, and gives back as many as the first one found.

    What a later one found is the limit of the first.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0
        self._first: Any = None

    def __enter__(self) -> None:
        with self._lock:
            limit = threadpool_limits(limits=1, user_api="blas")
            self._first = self._first if self._inside else limit
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            # From every thread: of two, only one may be allowed to.
            self._first.restore_original_limits()


_blas_alone = _BlasAlone()


@contextmanager
def workers(n_workers: int | None = None) -> Iterator[None]:
    """Let `in_order` use so many threads, by default one for each core, and keep BLAS to one thread in each."""
    n_workers = cpu_count() if n_workers is None else n_workers
    with _blas_alone:
        if n_workers == 1:
            yield
            return
        with ThreadPoolExecutor(n_workers) as pool:
            token = _pool.set((pool, n_workers))
            try:
                yield
            finally:
                _pool.reset(token)


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Do pieces of work side by side, inside `workers`, and yield their results in the order of the items.

    Only a few results are waiting at any time, so memory stays bounded. Work that was itself given to a worker goes on
    in that worker alone.

    Examples
    --------
    >>> with workers():
    ...     list(in_order(lambda number: number**2, range(5)))
    [0, 1, 4, 9, 16]
    """
    found = _pool.get()
    if found is None:
        yield from map(work, items)
        return
    pool, n_workers = found
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > n_workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for left in waiting:  # of a reader that stopped early, or work that failed
            left.cancel()


def side_by_side(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Do long pieces of work at the same time, inside `workers`; each may call `in_order`, and all share its threads.

    What one of them does alone, such as a factorisation, goes on while another has rows to read. The first stays in the
    thread of the caller, and nothing goes on once this returns or fails.

    Examples
    --------
    >>> with workers():
    ...     side_by_side([lambda: "fit", lambda: "check"])
    ['fit', 'check']
    """
    if _pool.get() is None:
        return [work() for work in works]
    others: list[Future[Any]] = [Future() for _ in works[1:]]
    for work, future in zip(works[1:], others, strict=True):
        threading.Thread(target=copy_context().run, args=(_settle, future, work)).start()
    try:
        return [works[0](), *(each.result() for each in others)]
    finally:
        wait(others)


def _settle(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
