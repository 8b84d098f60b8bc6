"""The paper's MLP as a torch module that takes rows as they are; needs the extra `torch`."""

import numpy as np
import pytest

from anova_report.core.input.model_forms import askable
from benchmarks.mlp import train_mlp

torch = pytest.importorskip("torch", reason="needs the extra `torch`")

SETTINGS = {
    "hidden": (16, 8),
    "dropout": 0.0,
    "learning_rate": 0.01,
    "weight_decay": 1e-4,
    "batch_size": 64,
    "max_epochs": 80,
    "patience": 80,
}


@pytest.fixture(scope="module")
def problem():
    numbers = np.random.default_rng(0).normal(size=(400, 3)) * [1.0, 1000.0, 0.01] + [5.0, -2000.0, 0.0]
    truth = 300 + 20 * (numbers[:, 0] - 5) + 10 * (numbers[:, 1] + 2000) / 1000
    return numbers, truth


def learn(problem, **changes):
    numbers, truth = problem
    settings = SETTINGS | {name: value for name, value in changes.items() if name in SETTINGS}
    given = {"classes": False, "seed": 0} | {name: value for name, value in changes.items() if name not in SETTINGS}
    return train_mlp(numbers, truth, np.arange(300), np.arange(300, 400), settings, **given)


def predictions(network, numbers):
    return np.asarray(askable(network)(numbers)).ravel()


def test_it_learns_a_straight_line_in_the_units_of_rows_and_target(problem):
    numbers, truth = problem
    said = predictions(learn(problem), numbers[300:])
    assert np.sqrt(np.mean((said - truth[300:]) ** 2)) < 0.1 * truth.std()


def test_classes_are_predicted_by_a_logit(problem):
    numbers, _ = problem
    classes = (numbers[:, 0] > 5).astype(float)
    said = predictions(learn((numbers, classes), classes=True), numbers[300:])
    assert np.mean((said > 0) == classes[300:]) > 0.95
    assert np.abs(said).max() > 1


def test_the_same_seed_gives_the_same_network_and_leaves_torch_as_it_was(problem):
    numbers, _ = problem
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    first = predictions(learn(problem, max_epochs=2), numbers)
    assert torch.equal(torch.random.get_rng_state(), before)
    np.testing.assert_array_equal(predictions(learn(problem, max_epochs=2), numbers), first)
    assert not np.array_equal(predictions(learn(problem, max_epochs=2, seed=1), numbers), first)
