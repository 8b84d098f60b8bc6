"""One network per feature: evaluated as written, trained until held-out rows stop improving."""

from typing import Any

import numpy as np
import pytest

from anova_report.compare import nam_training
from anova_report.compare.nam_training import Training, evaluate, train
from tests.compare.peers import needs

HOW = Training((8,), 0.01, 0.0, 64, 30, 5, seed=0, progress=False)


def test_networks_are_evaluated_layer_by_layer_with_a_rectifier_between() -> None:
    # For both features |x| = max(x, 0) + max(-x, 0); the second is doubled and shifted.
    first = (np.array([[[1.0, -1.0]], [[1.0, -1.0]]]), np.zeros((2, 2)))
    last = (np.array([[[1.0], [1.0]], [[2.0], [2.0]]]), np.array([[0.0], [3.0]]))
    numbers = np.array([[-1.5, 2.0], [0.5, -1.0]])
    np.testing.assert_allclose(evaluate([first, last], numbers), [[1.5, 7.0], [0.5, 5.0]])


@needs("torch")
def test_training_finds_a_line() -> None:
    numbers = np.random.default_rng(0).normal(size=(400, 2))
    layers, constant = train(numbers, numbers[:, 0] - 0.5 * numbers[:, 1], "squared", HOW)
    explained = evaluate(layers, numbers).sum(axis=1) + constant
    assert np.corrcoef(explained, numbers[:, 0] - 0.5 * numbers[:, 1])[0, 1] > 0.99


@needs("torch")
def test_it_stops_when_held_out_rows_stop_improving(monkeypatch: pytest.MonkeyPatch) -> None:
    epochs: list[int] = []
    real = nam_training._Learner._epoch
    monkeypatch.setattr(nam_training._Learner, "_epoch", lambda self, *args: epochs.append(1) or real(self, *args))
    noise = np.random.default_rng(0).normal(size=(300, 3))
    train(noise[:, :2], noise[:, 2], "squared", Training((32, 32), 0.02, 0.0, 32, 500, 4, seed=0, progress=False))
    assert 5 <= len(epochs) < 200  # noise cannot be learnt, so patience runs out long before the last epoch


@needs("torch")
def test_it_keeps_the_weights_of_the_best_epoch_not_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    after_each_epoch: list[list[np.ndarray]] = []
    real = nam_training._Learner._epoch

    def recording(self: Any, *args: Any) -> None:
        real(self, *args)
        after_each_epoch.append(self._arrays())

    monkeypatch.setattr(nam_training._Learner, "_epoch", recording)
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 1))
    target = numbers[:, 0] + 0.5 * rng.normal(size=300)
    patient = Training((16,), 0.02, 0.0, 32, 500, 5, seed=0, progress=False)
    _, constant = train(numbers, target, "squared", patient)
    constants = [float(weights[-1][0]) for weights in after_each_epoch]
    assert constants.index(constant) == len(constants) - 1 - 5
