"""Training the networks of a neural additive model with torch; afterwards plain numpy serves."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from tqdm.auto import tqdm

from anova_report.core.arrays import Floats
from anova_report.core.libraries import library
from anova_report.core.progress import DELAY

Loss: TypeAlias = Literal["squared", "logistic"]
Layer: TypeAlias = tuple[Floats, Floats]  # weights (n_features, n_in, n_out) and offsets (n_features, n_out)

HELD_OUT = 0.2  # share of the rows that decide when to stop


@dataclass(frozen=True)
class Training:
    """How networks are trained.

    Parameters
    ----------
    hidden : tuple of int
        Units in the layers of each feature's network.
    learning_rate, weight_decay : float
        Of Adam.
    batch_size, max_epochs : int
    patience : int
        Epochs without improvement on held-out rows after which training stops.
    seed : int
    progress : bool
    """

    hidden: tuple[int, ...]
    learning_rate: float
    weight_decay: float
    batch_size: int
    max_epochs: int
    patience: int
    seed: int
    progress: bool


def evaluate(layers: Sequence[Layer], numbers: Floats) -> Floats:
    """Evaluate one network per feature, shape (n_rows, n_features); a rectifier follows every layer but the last."""
    values = numbers[:, :, None]
    for index, (weights, offsets) in enumerate(layers):
        values = np.einsum("npi,pio->npo", values, weights, optimize=True) + offsets
        if index + 1 < len(layers):
            values = np.maximum(values, 0.0)
    return values[:, :, 0]


def train(numbers: Floats, target: Floats, loss: Loss, how: Training) -> tuple[tuple[Layer, ...], float]:
    """Train one network per feature so that their sum, plus a constant, meets the target.

    Parameters
    ----------
    numbers : array of shape (n_rows, n_features)
        Standardised.
    target : array of shape (n_rows,)
        Standardised numbers, or 0 and 1.
    loss : {"squared", "logistic"}
    how : Training

    Returns
    -------
    layers : tuple of Layer
    constant : float
    """
    torch = library("torch", "A NAM")
    rng = np.random.default_rng(how.seed)
    weights = _start(torch, numbers.shape[1], how.hidden, rng)
    held_out = rng.permutation(len(target)) < max(1, round(HELD_OUT * len(target)))
    rows, goals = (torch.as_tensor(array, dtype=torch.float32) for array in (numbers, target))
    with _one_thread(torch):
        best = _Learner(torch, weights, loss, how).run(rows, goals, held_out, rng)
    *flat, constant = (tensor.astype(np.float64) for tensor in best)
    return tuple(zip(flat[::2], flat[1::2], strict=True)), float(constant[0])


def _start(torch: Any, n_features: int, hidden: Sequence[int], rng: np.random.Generator) -> list[Any]:
    """Draw weights as torch's linear layers do, from numpy so that torch's global generator is left alone."""
    sizes = [1, *hidden, 1]
    arrays = []
    for n_in, n_out in pairwise(sizes):
        bound = 1 / np.sqrt(n_in)
        arrays += [
            rng.uniform(-bound, bound, (n_features, n_in, n_out)),
            rng.uniform(-bound, bound, (n_features, n_out)),
        ]
    arrays.append(np.zeros(1))
    return [torch.tensor(array, dtype=torch.float32, requires_grad=True) for array in arrays]


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """Keep torch to one thread for a while: networks this small lose more by sharing than they gain."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Learner:
    """One run of training: weights, optimiser and loss."""

    def __init__(self, torch: Any, weights: list[Any], loss: Loss, how: Training) -> None:
        self.torch, self.weights, self.how = torch, weights, how
        self.adam = torch.optim.Adam(weights, lr=how.learning_rate, weight_decay=how.weight_decay)
        functional = torch.nn.functional
        self.loss = functional.mse_loss if loss == "squared" else functional.binary_cross_entropy_with_logits

    def run(self, rows: Any, goals: Any, held_out: Any, rng: np.random.Generator) -> list[Any]:
        """Train until held-out rows stop improving; return the best weights as arrays."""
        kept = np.flatnonzero(~held_out)
        best, lowest, waited = self._arrays(), np.inf, 0
        epochs = range(self.how.max_epochs)
        with tqdm(epochs, desc="NAM", unit="epoch", delay=DELAY, disable=not self.how.progress, leave=False) as bar:
            for _ in bar:
                self._epoch(rows, goals, rng.permutation(kept))
                with self.torch.no_grad():
                    now = float(self.loss(self._answers(rows[held_out]), goals[held_out]))
                best, lowest, waited = (self._arrays(), now, 0) if now < lowest else (best, lowest, waited + 1)
                if waited >= self.how.patience:
                    break
        return best

    def _epoch(self, rows: Any, goals: Any, order: Any) -> None:
        for start in range(0, len(order), self.how.batch_size):
            batch = order[start : start + self.how.batch_size]
            self.adam.zero_grad()
            self.loss(self._answers(rows[batch]), goals[batch]).backward()
            self.adam.step()

    def _answers(self, rows: Any) -> Any:
        *flat, constant = self.weights
        values = rows[:, :, None]
        for index in range(0, len(flat), 2):
            values = self.torch.einsum("npi,pio->npo", values, flat[index]) + flat[index + 1]
            if index + 2 < len(flat):
                values = values.relu()
        return values.sum(dim=(1, 2)) + constant

    def _arrays(self) -> list[Any]:
        return [tensor.detach().numpy().copy() for tensor in self.weights]
