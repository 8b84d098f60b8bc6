"""Working side by side: order, errors and results do not depend on the number of workers."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from anova_report import FunctionalANOVA
from anova_report.core.engines import threads
from anova_report.core.engines.threads import in_order, one_blas_thread


@pytest.fixture(params=[1, 3])
def workers(request, monkeypatch) -> int:
    monkeypatch.setattr(threads, "cpu_count", lambda: request.param)
    return request.param


@pytest.mark.usefixtures("workers")
def test_results_come_in_the_order_of_the_items():
    def slowest_first(number: int) -> int:
        time.sleep(0.002 * (8 - number))
        return number**2

    assert list(in_order(slowest_first, range(8))) == [number**2 for number in range(8)]


@pytest.mark.usefixtures("workers")
def test_the_exception_of_a_worker_reaches_the_caller():
    def fail_on_three(number: int) -> int:
        if number == 3:
            raise ZeroDivisionError("three")
        return number

    results = in_order(fail_on_three, range(6))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError, match="three"):
        next(results)


def test_only_a_few_items_are_taken_ahead_of_the_results(workers):
    taken = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = in_order(abs, items())
    next(results)
    assert len(taken) <= workers + 1
    results.close()


def test_blas_is_kept_to_one_thread_and_let_go_again():
    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with one_blas_thread():
        assert set(threads()) <= {1}
    assert threads() == before


@pytest.mark.parametrize("n_rows", [200, 20_000])
def test_a_fit_does_not_depend_on_the_number_of_workers(monkeypatch, n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    X[:, 1] += X[:, 0]
    answers = np.column_stack([X[:, 0] * X[:, 1] + rng.normal(size=n_rows), np.sin(X[:, 2])])
    found = []
    for count in (1, 3):
        monkeypatch.setattr(threads, "cpu_count", lambda count=count: count)
        found.append(FunctionalANOVA(random_state=0).fit(X, answers).decomposition_)
    one, three = found
    np.testing.assert_array_equal(one.components(X), three.components(X))
    np.testing.assert_array_equal(one.predict(X), three.predict(X))
    np.testing.assert_array_equal(one.held_out.seconds, three.held_out.seconds)
    np.testing.assert_array_equal(one.uncertainty.structural, three.uncertainty.structural)
