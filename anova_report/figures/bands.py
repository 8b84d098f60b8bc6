"""An effect with its band, as figures and tables hold it."""

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.figures.axes import effect_label, rounded, value_axis
from anova_report.figures.geometry import Axis, Numbers
from anova_report.figures.rows import Effect
from anova_report.measures.wording import signed


def bounds(effect: Effect) -> tuple[Numbers, Numbers]:
    """Round the bounds as finely as the effect; empty where none are known."""
    size = float(np.abs(effect.value).max()) or None
    lower, upper = (() if bound is None else rounded(bound, size) for bound in (effect.lower, effect.upper))
    return lower, upper


def effect_axis(dec: Decomposition, effect: Effect, output: int) -> Axis:
    """Hold the effect and its band; where the band runs wild it may leave the picture, the effect may not."""
    label, value = effect_label(dec, output), effect.value
    if effect.lower is None or effect.upper is None:
        return value_axis(label, value, origin=True)
    reach = np.ptp(value) or np.inf
    band = np.r_[effect.lower, effect.upper].clip(value.min() - reach, value.max() + reach)
    return value_axis(label, value, band, origin=True)


def effect_head(effect: Effect) -> tuple[str, ...]:
    """Name the columns of a table of effects."""
    return ("effect",) if effect.lower is None else ("effect", "95% from", "95% to")


def effect_columns(effect: Effect) -> list[list[str]]:
    """Write effects and, where they are known, their bounds."""
    series = (effect.value, effect.lower, effect.upper)
    return [[signed(value) for value in column.tolist()] for column in series if column is not None]
