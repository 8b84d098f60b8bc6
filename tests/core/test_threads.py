"""Working side by side: order, errors and results do not depend on the number of workers."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from anova_report import FunctionalANOVA
from anova_report.core import threads
from anova_report.core.threads import in_order, side_by_side, workers


@pytest.fixture(params=[1, 3])
def n_workers(request) -> Iterator[int]:
    with workers(request.param):
        yield request.param


@pytest.mark.usefixtures("n_workers")
def test_results_come_in_the_order_of_the_items():
    def slowest_first(number: int) -> int:
        time.sleep(0.002 * (8 - number))
        return number**2

    assert list(in_order(slowest_first, range(8))) == [number**2 for number in range(8)]


@pytest.mark.usefixtures("n_workers")
def test_the_exception_of_a_worker_reaches_the_caller():
    def fail_on_three(number: int) -> int:
        if number == 3:
            raise ZeroDivisionError("three")
        return number

    results = in_order(fail_on_three, range(6))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError, match="three"):
        next(results)


def test_only_a_few_items_are_taken_ahead_of_the_results(n_workers):
    taken = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = in_order(abs, items())
    next(results)
    assert len(taken) <= n_workers + 1
    results.close()


def test_pieces_of_work_run_side_by_side():
    both_here = threading.Barrier(2, timeout=5)  # breaks if one of them has to wait for the other to end
    with workers(2):
        assert len(list(in_order(lambda _: both_here.wait(), range(2)))) == 2


def test_work_inside_of_work_goes_on_in_its_worker():
    def outer(_: int) -> set[int]:
        time.sleep(0.002)
        return {threading.get_ident(), *in_order(lambda _: threading.get_ident(), range(5))}

    with workers(2):
        found = list(in_order(outer, range(4)))
    assert all(len(idents) == 1 for idents in found)
    assert threading.get_ident() not in set.union(*found)


def test_outside_of_workers_everything_runs_in_the_calling_thread():
    with workers(2):
        pass
    assert set(in_order(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}


def test_blas_is_kept_to_one_thread_and_let_go_again():
    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with workers(2):
        assert set(threads()) <= {1}
    assert threads() == before


def test_pieces_of_work_side_by_side_share_the_pool_and_keep_their_order():
    started = threading.Barrier(3, timeout=30)

    def work(number: int) -> list[int]:
        started.wait()  # none gets further unless all have begun
        return list(in_order(lambda item: number * item, range(4)))

    with workers(2):
        assert side_by_side([partial(work, number) for number in range(3)]) == [
            [0, 0, 0, 0],
            [0, 1, 2, 3],
            [0, 2, 4, 6],
        ]


@pytest.mark.parametrize("failing", [0, 1])
def test_a_piece_of_work_that_fails_fails_all_once_the_others_are_done(failing):
    done = []

    def work(number: int) -> None:
        if number == failing:
            raise ValueError("half-way")
        time.sleep(0.05)
        done.append(number)

    with workers(2), pytest.raises(ValueError, match="half-way"):
        side_by_side([partial(work, number) for number in range(2)])
    assert done == [1 - failing]


@pytest.mark.parametrize("n_rows", [100, 4000])
def test_a_fit_makes_one_pool(monkeypatch, n_rows):
    made = []

    class CountedPool(ThreadPoolExecutor):
        def __init__(self, n_workers: int) -> None:
            made.append(n_workers)
            super().__init__(n_workers)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", CountedPool)
    monkeypatch.setattr(threads, "cpu_count", lambda: 3)
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    FunctionalANOVA(random_state=0, progress=False).fit(X, X[:, 0] * X[:, 1])
    assert made == [3]


@pytest.mark.parametrize("n_rows", [150, 9000])
def test_a_fit_does_not_depend_on_the_number_of_workers(monkeypatch, n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    X[:, 1] += X[:, 0]
    predictions = np.column_stack([X[:, 0] * X[:, 1] + rng.normal(size=n_rows), np.sin(X[:, 2])])
    found = []
    for count in (1, 3):
        monkeypatch.setattr(threads, "cpu_count", lambda count=count: count)
        found.append(FunctionalANOVA(random_state=0).fit(X, predictions).decomposition_)
    one, three = found
    np.testing.assert_array_equal(one.components(X), three.components(X))
    np.testing.assert_array_equal(one.predict(X), three.predict(X))
    np.testing.assert_array_equal(one.held_out.seconds, three.held_out.seconds)
    assert one.settings["family"] == three.settings["family"]
    np.testing.assert_array_equal(one.uncertainty.structural, three.uncertainty.structural)


def test_work_in_two_threads_gives_blas_its_threads_back():
    code = """
import threading
import numpy
from threadpoolctl import threadpool_info
from anova_report.core.threads import workers

def threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

before, inside = threads(), threading.Event()

def first():
    with workers(1):
        inside.set()
        entered.wait(10)

def second():
    inside.wait(10)
    with workers(1):
        entered.set()
        one.join(10)

entered = threading.Event()
one, two = threading.Thread(target=first), threading.Thread(target=second)
one.start(), two.start(), two.join()
assert threads() == before, (threads(), before)
"""
    # In a process of its own: whoever limits BLAS first in this one decides.
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "2"})  # noqa: S603 our own
