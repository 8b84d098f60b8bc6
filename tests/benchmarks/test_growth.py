"""The benchmark of growth in a small version: its model, its lines, and how it goes on after a failure."""

import re

import numpy as np
import pytest

from benchmarks import growth
from benchmarks.growth import CORRELATION, SERIES, Cost, Size, draw, line
from tests.benchmarks.stand_ins import in_this_process

SMALL = Size(200, 6)


def test_neighbouring_features_are_correlated_and_all_have_unit_variance():
    X, _ = draw(Size(20_000, 6))
    correlations = np.corrcoef(X.T)
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    # Each follows from the one before it alone, so correlations multiply along the chain.
    np.testing.assert_allclose(correlations, CORRELATION**steps, atol=0.03)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.03)


def test_answers_are_functions_of_the_features_with_interactions():
    X, answers = draw(SMALL)
    assert answers.shape == (200,)
    additive = np.column_stack([np.ones(200), X, X**2, np.sin(2 * X), X > 0.3, X > 0, X > 0.5])
    left = answers - additive @ np.linalg.lstsq(additive, answers, rcond=None)[0]
    assert left.var() > 0.1 * answers.var()


def test_the_same_seed_draws_the_same_rows():
    for ours, theirs in zip(draw(SMALL, seed=3), draw(SMALL, seed=3), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(draw(SMALL, seed=3)[0], draw(SMALL, seed=4)[0])


def test_one_class_is_the_first_of_all_classes():
    pytest.importorskip("xgboost")
    one, three = (draw(Size(300, 8, classes)) for classes in (1, 3))
    np.testing.assert_array_equal(one[0], three[0])
    assert (one[1].shape, three[1].shape) == ((300,), (300, 3))
    np.testing.assert_array_equal(one[1], three[1][:, 0])


def test_data_are_held_in_double_precision():
    assert growth.hold(SMALL) == 200 * (6 + 1) * 8


def test_a_fit_takes_time_and_the_rest_is_memory(monkeypatch):
    monkeypatch.setattr(growth, "in_own_process", in_this_process)
    cost = growth.measure(Size(4000, 5))
    assert cost.seconds > 0
    assert (cost.peak_mb, cost.above_bare_mb) == (100.0, 0.0)


@pytest.mark.parametrize("stage", ["hold", "fit"])
def test_where_there_is_no_result_there_is_a_reason(monkeypatch, stage):
    def fail(size: Size) -> float:
        raise MemoryError(size.n_rows)

    monkeypatch.setattr(growth, "in_own_process", in_this_process)
    monkeypatch.setattr(growth, "fit", lambda _size: 1.0)
    monkeypatch.setattr(growth, stage, fail)
    assert growth.measure(SMALL) == "MemoryError: 200"


def test_a_line_has_seconds_memory_and_how_they_grew():
    text = line(Size(20_000, 81), Cost(3.0, 250.0, 400.0), Cost(1.5, 100.0, 100.0))
    assert "20,000 rows × 81 features,  1 outputs" in text
    assert re.search(r" 3\.00 s  \+ +250 MB  peak +400 MB  ×2 seconds, ×4 peak$", text)


@pytest.mark.parametrize("previous", [None, "out of memory"])
def test_without_a_size_before_it_a_line_has_no_growth(previous):
    assert "×2" not in line(SMALL, Cost(3.0, 250.0, 400.0), previous)
    assert line(SMALL, Cost(3.0, 250.0, 400.0), previous).endswith("400 MB")


def test_a_line_without_a_result_has_the_reason():
    assert line(SMALL, "out of memory", Cost(1.0, 1.0, 1.0)).endswith("1 outputs  out of memory")


def test_a_series_goes_on_after_a_failure_and_compares_neighbours(monkeypatch, capsys):
    costs = iter([Cost(1.0, 10.0, 100.0), "out of memory", Cost(8.0, 10.0, 100.0), Cost(16.0, 20.0, 300.0)])
    monkeypatch.setattr(growth, "measure", lambda _size: next(costs))
    growth.grow("rows", [Size(10**power) for power in range(1, 5)])
    head, first, failed, after, last = capsys.readouterr().out.splitlines()
    assert head == "Growth with rows:"
    assert "out of memory" in failed
    assert not any("seconds" in text for text in (first, failed, after))
    assert last.endswith("×2 seconds, ×3 peak")


def test_the_command_measures_the_series_that_were_asked_for(monkeypatch, capsys):
    sizes = []
    monkeypatch.setattr(growth, "measure", lambda size: sizes.append(size) or "skipped")
    growth.main(["--only", "features", "--only", "outputs", "--rows", "50"])
    assert [size.n_features for size in sizes] == [
        size.n_features for name in ("features", "outputs") for size in SERIES[name]
    ]
    assert {size.n_rows for size in sizes} == {50}
    assert [row for row in capsys.readouterr().out.splitlines() if row.startswith("Growth")] == [
        "Growth with features:",
        "Growth with outputs:",
    ]


def test_by_default_all_series_are_measured_in_full(monkeypatch):
    sizes = []
    monkeypatch.setattr(growth, "measure", lambda size: sizes.append(size) or "skipped")
    growth.main([])
    assert sizes == [size for series in SERIES.values() for size in series]
