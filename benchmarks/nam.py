"""Neural additive models (Agarwal and others, 2021): one small network per feature, and their sum.

Models that are additive by construction, whose own shape functions an explanation must recover. They are trained with
torch (of the extra `torch`) and evaluated with numpy. The packages nam, last released as 0.0.3, and dnamite, which
trains another kind of model (on binned inputs) and brings packages for survival analysis, were considered instead.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted
from tqdm.auto import tqdm

from anova_report.compare.methods.request import numbers_of, require_complete
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import read_predictions
from anova_report.core.input.table import encode_rows, open_table, read_features
from anova_report.core.libraries import library
from anova_report.core.progress import DELAY
from anova_report.errors import InputError
from benchmarks.judge import Floats

Loss: TypeAlias = Literal["squared", "logistic"]
Layer: TypeAlias = tuple[Floats, Floats]  # weights (n_features, n_in, n_out) and offsets (n_features, n_out)

HELD_OUT = 0.2  # share of the rows that decide when to stop


class NeuralAdditiveModel(BaseEstimator):
    """A sum of one small network per feature; training needs torch, evaluation does not.

    Parameters
    ----------
    hidden : tuple of int
        Units in the layers of each network.
    learning_rate, weight_decay : float
        Of Adam.
    batch_size, max_epochs : int
    patience : int
        Epochs without improvement on held-out rows after which training stops.
    random_state : int
    progress : bool
        Show a bar once training has taken two seconds.

    Attributes
    ----------
    intercept_ : float
        The average prediction on the rows of the fit.
    """

    intercept_: float
    features_: tuple[Feature, ...]
    _layers: tuple[Layer, ...]
    _centre: Floats
    _spread: Floats
    _averages: Floats
    _unit: float

    def __init__(
        self,
        *,
        hidden: tuple[int, ...] = (64, 64, 32),
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
        batch_size: int = 256,
        max_epochs: int = 500,
        patience: int = 30,
        random_state: int = 0,
        progress: bool = True,
    ) -> None:
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.random_state = random_state
        self.progress = progress

    def shape_functions(self, X: Any) -> Floats:
        """Evaluate what each feature adds, shape (n_rows, n_features); zero on average over the rows of the fit."""
        check_is_fitted(self)
        return self._shapes(encode_rows(X, self.features_, type(self).__name__)) - self._averages

    def _fit(self, X: Any, target: Floats, loss: Loss, unit: float) -> None:
        table = open_table(X)
        self.features_ = read_features(table)
        self.feature_names_in_ = np.array([feature.name for feature in self.features_], dtype=object)
        numbers = numbers_of(table, self.features_, "A NAM")
        require_complete(numbers, "A NAM")
        self._centre, spread = numbers.mean(axis=0), numbers.std(axis=0)
        self._spread, self._unit = np.where(spread > 0, spread, 1.0), unit
        self._layers, constant = train((numbers - self._centre) / self._spread, target, loss, self)
        self._averages = self._shapes(numbers).mean(axis=0)
        self.intercept_ = unit * constant + float(self._averages.sum())

    def _shapes(self, numbers: Floats) -> Floats:
        require_complete(numbers, "A NAM")
        return self._unit * evaluate(self._layers, (numbers - self._centre) / self._spread)

    def _sum(self, X: Any) -> Floats:
        return self.intercept_ + self.shape_functions(X).sum(axis=1)


class NAMRegressor(RegressorMixin, NeuralAdditiveModel):
    """A neural additive model of numbers."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a table of numbers and its targets."""
        target = read_predictions(y, open_table(X).shape[0]).values[:, 0]
        centre, spread = float(target.mean()), float(target.std()) or 1.0
        self._fit(X, (target - centre) / spread, "squared", spread)
        self.intercept_ += centre
        return self

    def predict(self, X: Any) -> Floats:
        """Add up the intercept and what each feature adds, shape (n_rows,)."""
        return self._sum(X)


class NAMClassifier(ClassifierMixin, NeuralAdditiveModel):
    """A neural additive model of the logit of two classes."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a table of numbers and its classes."""
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        if len(self.classes_) != 2:
            raise InputError(f"A NAM takes two classes; got {len(self.classes_)}.")
        self._fit(X, target.astype(np.float64), "logistic", 1.0)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Add up the intercept and what each feature adds: the logit of the second class, shape (n_rows,)."""
        return self._sum(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of both classes, shape (n_rows, 2)."""
        logits = self._sum(X)
        return np.column_stack([expit(-logits), expit(logits)])

    def predict(self, X: Any) -> Any:
        """Return the likelier class."""
        return self.classes_[(self._sum(X) > 0).astype(np.intp)]


def evaluate(layers: Sequence[Layer], numbers: Floats) -> Floats:
    """Evaluate one network per feature, shape (n_rows, n_features); a rectifier follows every layer but the last."""
    values = numbers[:, :, None]
    for index, (weights, offsets) in enumerate(layers):
        values = np.einsum("npi,pio->npo", values, weights, optimize=True) + offsets
        if index + 1 < len(layers):
            values = np.maximum(values, 0.0)
    return values[:, :, 0]


def train(numbers: Floats, target: Floats, loss: Loss, how: NeuralAdditiveModel) -> tuple[tuple[Layer, ...], float]:
    """Train one network per feature so that their sum, plus a constant, approximates the target.

    Parameters
    ----------
    numbers : array of shape (n_rows, n_features)
        Standardized.
    target : array of shape (n_rows,)
        Standardized numbers, or 0 and 1.
    loss : {"squared", "logistic"}
    how : NeuralAdditiveModel
        Its settings.

    Returns
    -------
    layers : tuple of Layer
    constant : float
    """
    torch = library("torch", "A NAM")
    rng = np.random.default_rng(how.random_state)
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

    def __init__(self, torch: Any, weights: list[Any], loss: Loss, how: NeuralAdditiveModel) -> None:
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
                    now = float(self.loss(self._predictions(rows[held_out]), goals[held_out]))
                best, lowest, waited = (self._arrays(), now, 0) if now < lowest else (best, lowest, waited + 1)
                if waited >= self.how.patience:
                    break
        return best

    def _epoch(self, rows: Any, goals: Any, order: Any) -> None:
        for start in range(0, len(order), self.how.batch_size):
            batch = order[start : start + self.how.batch_size]
            self.adam.zero_grad()
            self.loss(self._predictions(rows[batch]), goals[batch]).backward()
            self.adam.step()

    def _predictions(self, rows: Any) -> Any:
        *flat, constant = self.weights
        values = rows[:, :, None]
        for index in range(0, len(flat), 2):
            values = self.torch.einsum("npi,pio->npo", values, flat[index]) + flat[index + 1]
            if index + 2 < len(flat):
                values = values.relu()
        return values.sum(dim=(1, 2)) + constant

    def _arrays(self) -> list[Any]:
        return [tensor.detach().numpy().copy() for tensor in self.weights]
