"""The multilayer perceptron of the paper, trained with torch (of the extra `torch`)."""

import copy
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.libraries import library
from benchmarks.judge import Floats

Rows = NDArray[np.intp]


def train_mlp(
    numbers: Floats, truth: Floats, rows: Rows, watched: Rows, settings: Mapping[str, Any], *, classes: bool, seed: int
) -> Any:
    """Train a network, and return it as a torch module that takes rows as they are.

    Parameters
    ----------
    numbers : array of shape (n_rows, n_features)
    truth : array of shape (n_rows,)
        Numbers, or 0 and 1.
    rows : array of int
        Positions to learn from.
    watched : array of int
        Positions that decide when to stop, as those of the paper's XGBoost models do.
    settings : mapping
        `hidden`, `dropout`, `learning_rate`, `weight_decay`, `batch_size`, `max_epochs`, `patience`.
    classes : bool
        Whether the module predicts with the logit of 1.
    seed : int
        Of weights, batches and dropout; torch's own generator is left as it was.
    """
    torch = library("torch", "An MLP")
    centre, spread = numbers[rows].mean(axis=0), _spread(numbers[rows])
    shift, unit = (0.0, 1.0) if classes else (float(truth[rows].mean()), float(truth[rows].std()))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _layers(torch, numbers.shape[1], settings)
        inputs, goals = (_tensor(torch, each) for each in ((numbers - centre) / spread, (truth - shift) / unit))
        loss = torch.nn.functional.binary_cross_entropy_with_logits if classes else torch.nn.functional.mse_loss
        _fit(torch, network, loss, (inputs[rows], goals[rows]), (inputs[watched], goals[watched]), settings)
        first = _fixed(torch, np.diag(1 / spread), -centre / spread)
        last = _fixed(torch, np.array([[unit]]), np.array([shift]))
    return torch.nn.Sequential(first, *network, last).eval()


def _spread(numbers: Floats) -> Floats:
    spread = numbers.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


def _layers(torch: Any, n_features: int, settings: Mapping[str, Any]) -> Any:
    layers: list[Any] = []
    sizes = (n_features, *settings["hidden"])
    for n_in, n_out in pairwise(sizes):
        layers += [torch.nn.Linear(n_in, n_out), torch.nn.ReLU(), torch.nn.Dropout(settings["dropout"])]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], 1))


def _fixed(torch: Any, weights: Floats, offsets: Floats) -> Any:
    """Make a layer that is not trained: methods that look into a module know it as any other linear one."""
    layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
    with torch.no_grad():
        layer.weight.copy_(_tensor(torch, weights))
        layer.bias.copy_(_tensor(torch, offsets))
    return layer.requires_grad_(False)


def _fit(torch: Any, network: Any, loss: Any, learnt: tuple[Any, Any], watched: tuple[Any, Any], settings: Any) -> None:
    """Train until the watched rows have not improved for a while, and keep the best weights."""
    adam = torch.optim.Adam(network.parameters(), lr=settings["learning_rate"], weight_decay=settings["weight_decay"])
    best, lowest, waited = copy.deepcopy(network.state_dict()), float("inf"), 0
    for _ in range(settings["max_epochs"]):
        _epoch(torch, network, loss, learnt, adam, settings["batch_size"])
        network.eval()
        with torch.no_grad():
            now = float(loss(network(watched[0])[:, 0], watched[1]))
        waited += 1
        if now < lowest:
            best, lowest, waited = copy.deepcopy(network.state_dict()), now, 0
        if waited >= settings["patience"]:
            break
    network.load_state_dict(best)


def _epoch(torch: Any, network: Any, loss: Any, learnt: tuple[Any, Any], adam: Any, batch_size: int) -> None:
    network.train()
    inputs, goals = learnt
    for batch in torch.randperm(len(goals)).split(batch_size):
        adam.zero_grad()
        loss(network(inputs[batch])[:, 0], goals[batch]).backward()
        adam.step()


def _tensor(torch: Any, array: Floats) -> Any:
    return torch.as_tensor(np.ascontiguousarray(array), dtype=torch.float32)
