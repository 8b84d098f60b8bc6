"""The judge against figures worked out by hand, and processes that end in every way."""

import os
import time

import numpy as np
import pytest

from benchmarks import judge

# Four rows on which the products can be done in the head.
MAIN = np.array([1.0, 1.0, -1.0, -1.0])
OTHER = np.array([1.0, -1.0, 1.0, -1.0])
PAIR = np.array([2.0, 0.0, 0.0, 0.0])


def fail():
    raise ValueError("two\nlines")


def import_the_missing():
    import no_such_library  # noqa: F401, PLC0415 - the failing import is what is tested


def sleep():
    time.sleep(60)


def die():
    os._exit(3)


def fill_memory():
    np.ones(2**32)


def hold_megabytes(count):
    held = np.ones(count * 2**17)
    return len(held)


def test_r_squared_is_one_minus_the_unexplained_share():
    predictions = np.array([1.0, 2.0, 3.0, 4.0])
    assert judge.r_squared(predictions, predictions) == 1.0
    assert judge.r_squared(predictions, np.full(4, 2.5)) == 0.0
    assert judge.r_squared(predictions, -predictions) < -1


def test_a_cosine_and_its_noise_follow_their_formulas():
    # E[SM] = 1/2, E[S²] = 1, E[M²] = 1, E[S²M²] = 1, n = 4.
    measured = judge.cosine((0, 1), (0,), PAIR, MAIN)
    assert measured.value == pytest.approx(0.5)
    assert measured.sd == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("value", "sd", "above"), [(0.04, 0.001, False), (-0.06, 0.001, True), (0.2, 0.07, False), (0.22, 0.07, True)]
)
def test_a_cosine_counts_if_it_is_visible_and_more_than_noise(value, sd, above):
    assert judge.Cosine((0, 1), (0,), value, sd).above is above


def test_the_worst_cosine_is_found_among_all_parts():
    rows = 500
    main, other = np.repeat(MAIN, rows), np.repeat(OTHER, rows)
    pair = 0.3 * main - 0.6 * other + main * other
    judged = judge.judge_orthogonality(((0,), (1,), (0, 1)), np.stack([main, other, pair], axis=1), main + other + pair)
    assert (judged.worst.term, judged.worst.part) == ((0, 1), (1,))
    assert judged.worst.value == pytest.approx(-0.6 / np.sqrt(0.3**2 + 0.6**2 + 1))
    assert (judged.n_above, judged.n_cosines) == (2, 2)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (fail, "ValueError: two lines"),
        (import_the_missing, "not installed: no_such_library"),
        (die, "the process ended without a result (exit code 3)"),
        (fill_memory, "out of memory"),
    ],
)
def test_a_process_that_fails_gives_the_reason_in_one_line(function, reason):
    assert judge.in_own_process(function, limit=30, memory_gb=4) == judge.Outcome(reason=reason)


def test_a_process_that_is_too_slow_is_ended():
    start = time.monotonic()
    assert judge.in_own_process(sleep, limit=1).reason == "no result within 1 s"
    assert time.monotonic() - start < 10


def test_the_memory_of_a_process_is_its_own():
    ballast = np.ones(150 * 2**17)  # a parent of more than 150 MB
    small, large = (judge.in_own_process(hold_megabytes, count, limit=30) for count in (1, 51))
    assert (small.value, large.value) == (2**17, 51 * 2**17)
    assert large.peak_mb - small.peak_mb == pytest.approx(50, abs=10)
    assert small.peak_mb < ballast.nbytes / 2**20
