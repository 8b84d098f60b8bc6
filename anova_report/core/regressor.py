"""The scikit-learn side of every estimator here: reading inputs, fitting, predicting."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Answers, read_answers, require_variation
from anova_report.core.input.table import Sample, read_sample


class AnovaRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A regressor whose fit is a decomposition; children say how it is made."""

    decomposition_: Decomposition
    n_features_in_: int
    feature_names_in_: Any

    @abstractmethod
    def decompose(self, sample: Sample, answers: Answers) -> Decomposition:
        """Make the decomposition of answers on rows that have been read and checked."""

    def fit(self, X: Any, y: Any) -> Self:
        """Decompose a black box from its inputs and answers.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array, nested lists, or a pandas, polars or pyarrow frame.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The answers.
        """
        sample = read_sample(X)
        answers = read_answers(y, len(sample.values))
        require_variation(answers)
        return self.fit_sample(sample, answers)

    def fit_sample(self, sample: Sample, answers: Answers) -> Self:
        """Fit on rows and answers that have been read; a model that never changes its answer is allowed here."""
        self._remember_names(sample.named, sample.features)
        self.decomposition_ = self.decompose(sample, answers)
        return self

    def _remember_names(self, named: bool, features: Sequence[Feature]) -> None:
        self.n_features_in_ = len(features)
        if named:
            self.feature_names_in_ = np.array([feature.name for feature in features], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def predict(self, X: Any) -> Floats:
        """Answer as the explanation would: the mean plus all components.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
        """
        check_is_fitted(self)
        dec = self.decomposition_
        answers = dec.expansion.predict(dec.encode(X, reader=type(self).__name__))
        return answers[:, 0] if dec.single_output else answers

    def settings(self) -> dict[str, Any]:
        """Say which estimator with which settings this is, as JSON types."""
        return {"estimator": type(self).__name__, **self.get_params()}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
