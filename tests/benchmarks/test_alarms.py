"""The benchmark of false alarms in a small version: what it compares, and when a promise is broken."""

import numpy as np
import pytest

from benchmarks import alarms

SMALL = 4000  # from here on one fit serves all rows, which is fast


def plain_table():
    X = np.random.default_rng(0).normal(size=(3 * SMALL, 3))
    return X, X[:, 0] + X[:, 1] + 0.5 * X[:, 2]


BOX = alarms.BlackBox("a line", plain_table, alarms.linear)


def test_a_line_keeps_all_promises():
    rates = alarms.Rates()
    for promise, kept in alarms.sample(BOX, 0, SMALL):
        rates.add(promise, kept)
    assert rates.broken() == []
    assert str(rates) == "equal, with rows 0 of 1; equal, without rows 0 of 1; planted 1 of 1; told apart 2 of 2"


def test_halves_share_no_row_and_a_planted_change_has_its_size():
    one, other = BOX.halves(0, SMALL)
    assert len(one) == len(other) == SMALL
    assert not set(one) & set(other)
    for seed in range(3):
        change = BOX.planted(seed)
        assert change.std() == pytest.approx(alarms.PLANTED * BOX.asked[1].std())


@pytest.mark.parametrize(
    ("promise", "hits", "broken"),
    [("equal, with rows", 1, False), ("equal, with rows", 2, True), ("planted", 17, True)],
)
def test_a_promise_is_broken_beyond_its_limit(promise, hits, broken):
    rates = alarms.Rates({promise: [True] * hits + [False] * (20 - hits)})
    assert rates.broken() == ([promise] if broken else [])
