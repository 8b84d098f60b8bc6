"""The benchmark of growth in a small version: its model, its lines, and how it goes on after a failure."""

import numpy as np

from benchmarks import growth
from benchmarks.growth import CORRELATION, Cost, Size, draw

SMALL = Size(200, 6)


def test_neighboring_features_are_correlated_and_all_have_unit_variance():
    X, _ = draw(Size(20_000, 6))
    correlations = np.corrcoef(X.T)
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    # Each follows from the one before it alone, so correlations multiply along the chain.
    np.testing.assert_allclose(correlations, CORRELATION**steps, atol=0.03)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.03)


def test_predictions_are_functions_of_the_features_with_interactions():
    X, predictions = draw(SMALL)
    assert predictions.shape == (200,)
    additive = np.column_stack([np.ones(200), X, X**2, np.sin(2 * X), X > 0.3, X > 0, X > 0.5])
    left = predictions - additive @ np.linalg.lstsq(additive, predictions, rcond=None)[0]
    assert left.var() > 0.1 * predictions.var()


def test_a_series_goes_on_after_a_failure_and_compares_neighbors(monkeypatch, capsys):
    costs = iter([Cost(1.0, 10.0, 100.0), "out of memory", Cost(8.0, 10.0, 100.0), Cost(16.0, 20.0, 300.0)])
    monkeypatch.setattr(growth, "measure", lambda _size: next(costs))
    growth.grow("rows", [Size(10**power) for power in range(1, 5)])
    head, first, failed, after, last = capsys.readouterr().out.splitlines()
    assert head == "Growth with rows:"
    assert "out of memory" in failed
    assert not any("seconds" in text for text in (first, failed, after))
    assert last.endswith("×2 seconds, ×3 peak")
