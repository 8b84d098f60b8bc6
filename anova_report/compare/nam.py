"""Neural additive models (Agarwal and others, 2021): one small network per feature, and their sum.

Here as models that are additive by construction, whose own shape functions an explanation must recover. Considered were
the packages nam, whose releases ended with 0.0.3, and dnamite, which trains another kind (on binned inputs) and brings
packages for survival analysis.
"""

from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from anova_report.compare.methods.request import numbers_of, require_complete
from anova_report.compare.nam_training import Layer, Loss, Training, evaluate, train
from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import read_answers
from anova_report.core.input.table import encode_rows, open_table, read_features
from anova_report.errors import InputError


class NeuralAdditiveModel(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A sum of one small network per feature; needs torch to be trained and nothing to answer.

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
        The average answer on the rows of the fit.
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
        return np.asarray(self._shapes(encode_rows(X, self.features_, type(self).__name__)) - self._averages)

    def _fit(self, X: Any, target: Floats, loss: Loss, unit: float) -> None:
        table = open_table(X)
        self.features_ = read_features(table)
        numbers = numbers_of(table, self.features_, "A NAM")
        require_complete(numbers, "A NAM")
        self._centre, spread = numbers.mean(axis=0), numbers.std(axis=0)
        self._spread, self._unit = np.where(spread > 0, spread, 1.0), unit
        self._layers, constant = train((numbers - self._centre) / self._spread, target, loss, self._training())
        self._averages = self._shapes(numbers).mean(axis=0)
        self.intercept_ = unit * constant + float(self._averages.sum())

    def _training(self) -> Training:
        return Training(
            tuple(self.hidden),
            self.learning_rate,
            self.weight_decay,
            self.batch_size,
            self.max_epochs,
            self.patience,
            self.random_state,
            self.progress,
        )

    def _shapes(self, numbers: Floats) -> Floats:
        require_complete(numbers, "A NAM")
        return np.asarray(self._unit * evaluate(self._layers, (numbers - self._centre) / self._spread))

    def _sum(self, X: Any) -> Floats:
        return np.asarray(self.intercept_ + self.shape_functions(X).sum(axis=1))


class NAMRegressor(RegressorMixin, NeuralAdditiveModel):  # type: ignore[misc]  # scikit-learn ships no types
    """A neural additive model of numbers."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a table of numbers and its targets."""
        target = read_answers(y, open_table(X).shape[0]).values[:, 0]
        centre, spread = float(target.mean()), float(target.std()) or 1.0
        self._fit(X, (target - centre) / spread, "squared", spread)
        self.intercept_ += centre
        return self

    def predict(self, X: Any) -> Floats:
        """Add up the intercept and what each feature adds, shape (n_rows,)."""
        return self._sum(X)


class NAMClassifier(ClassifierMixin, NeuralAdditiveModel):  # type: ignore[misc]  # scikit-learn ships no types
    """A neural additive model of the logit of two classes."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a table of numbers and its classes."""
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        if len(self.classes_) != 2:
            raise InputError(f"A NAM tells two classes apart, and {len(self.classes_)} came.")
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
