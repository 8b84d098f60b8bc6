"""Shapley values as the package shap gives them: one form for the many it knows."""

from typing import Any

import numpy as np

from anova_report.compare.request import Request
from anova_report.core.arrays import Floats
from anova_report.errors import InputError


def by_output(values: Any) -> Floats:
    """Write Shapley values with a last axis of outputs.

    Examples
    --------
    >>> by_output([np.zeros((5, 2)), np.zeros((5, 2)), np.zeros((5, 2))]).shape
    (5, 2, 3)
    """
    if isinstance(values, list):
        values = np.stack(values, axis=-1)
    array = np.asarray(values, dtype=np.float64)
    return array[:, :, None] if array.ndim == 2 else array


def one_output(request: Request, values: Floats, base: Any) -> tuple[Floats, float]:
    """Choose the contributions and the base value of the output that was asked for.

    Parameters
    ----------
    request : Request
    values : array of shape (n_rows, n_features, n_outputs)
    base : float or array of shape (n_outputs,)

    Returns
    -------
    contributions : array of shape (n_rows, n_features)
    base : float
    """
    bases = np.atleast_1d(np.asarray(base, dtype=np.float64))
    if values.shape[2] == 1:
        # Of two classes the second alone is explained.
        return request.sign * values[:, :, 0], request.sign * float(bases[0])
    position = request.labels.index(request.answers.names[0]) if request.labels else request.output
    if position is None:
        raise InputError(f"The model has {values.shape[2]} outputs. Choose one with output=.")
    return values[:, :, position], float(bases[position])
