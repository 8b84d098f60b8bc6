"""The published method's first step: every feature into [-1, 1]."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from anova_report.core.arrays import Floats, read_only
from anova_report.core.columns import Feature
from anova_report.errors import InputError

ScalingName: TypeAlias = Literal["tanh"] | None

EDGE_TOLERANCE = 1e-9  # rounding of data that were scaled to [-1, 1] elsewhere


@dataclass(frozen=True, eq=False)
class Scaling:
    """Centre and spread of each feature for standardise-then-tanh, or none for data already in [-1, 1].

    Parameters
    ----------
    centre, spread : array of shape (n_features,) or None
        None leaves the data as they are.
    """

    centre: Floats | None = None
    spread: Floats | None = None

    def __post_init__(self) -> None:
        read_only(self.centre, self.spread)

    def apply(self, values: Floats) -> Floats:
        """Bring rows into [-1, 1]; without scaling, what lies outside is held at the edge."""
        if self.centre is None or self.spread is None:
            return np.clip(values, -1.0, 1.0)
        return np.tanh((values - self.centre) / self.spread)


def fit_scaling(values: Floats, features: tuple[Feature, ...], scaling: ScalingName) -> Scaling:
    """Learn the scaling of the rows that are fitted.

    Examples
    --------
    >>> rows = np.array([[-1.0], [1.0]])
    >>> fit_scaling(rows, (Feature("x", "numeric"),), "tanh").apply(rows).round(3).tolist()
    [[-0.762], [0.762]]
    """
    if scaling == "tanh":
        return Scaling(values.mean(axis=0), values.std(axis=0))
    if scaling is not None:
        raise InputError(f"scaling must be 'tanh' or None; {scaling!r} came.")
    low, high = values.min(axis=0), values.max(axis=0)
    for index, feature in enumerate(features):
        if low[index] < -1 - EDGE_TOLERANCE or high[index] > 1 + EDGE_TOLERANCE:
            raise InputError(
                f"With scaling=None every feature must lie in [-1, 1], and column {feature.name!r} runs from "
                f"{low[index]:g} to {high[index]:g}. Scale it, or use scaling='tanh'."
            )
    return Scaling()
