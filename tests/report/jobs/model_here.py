"""A model that is asked in this process, where a test looks into it."""

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator

from anova_report.core.input.model_forms import about


class ModelHere:
    """Stands in for a model in a process of its own."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.name = about(model)
        self.takes_arrays = isinstance(model, BaseEstimator) and not hasattr(model, "feature_names_in_")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def do(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Do some work with the model as the first argument."""
        return work(self.model, *arguments, **named)
