"""Axes, and values along them: rounded for the page, written for the reader."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.geometry import Axis, Numbers
from anova_report.measures.sentences.names import prediction_name
from anova_report.measures.values import decimals

PADDING = 0.05


def effect_label(dec: Decomposition, output: int) -> str:
    """Say what one unit of an effect is: "effect on the logit", "factor of the prediction"."""
    name = prediction_name(dec, output)
    return f"factor of the {name}" if scale_of(dec.scale).factors else f"effect on the {_counted(name, dec)}"


def prediction_axis(dec: Decomposition, output: int, *values: Floats, label: str = "") -> Axis:
    """Make an axis of predictions; the label is what they are, unless another is given."""
    held = value_axis(_counted(label or prediction_name(dec, output), dec), *values)
    return replace(held, log="values") if scale_of(dec.scale).factors else held


def effects_axis(dec: Decomposition, output: int, *values: Floats) -> Axis:
    """Make an axis of effects, which holds zero: no effect."""
    held = value_axis(effect_label(dec, output), *values, origin=True)
    return replace(held, log="factors") if scale_of(dec.scale).factors else held


def _counted(label: str, dec: Decomposition) -> str:
    is_counted = dec.prediction_unit and (dec.scale == "identity" or scale_of(dec.scale).factors)
    return f"{label} ({dec.prediction_unit})" if is_counted else label


def number_axis(feature: Feature, low: float, high: float) -> Axis:
    """Make the axis of a feature along numbers."""
    if low == high:
        low, high = low - (abs(low) * PADDING or 1.0), high + (abs(high) * PADDING or 1.0)
    label = f"{feature.title} (seconds)" if feature.kind == "duration" else feature.heading
    if feature.kind == "datetime":
        # A rounded second may lie on another day.
        return Axis(label, float(math.floor(low)), float(math.ceil(high)), time=True)
    return Axis(label, *_rounded_outwards(low, high))


def level_axis(label: str, names: tuple[str, ...]) -> Axis:
    """Make an axis along levels."""
    return Axis(label, -0.5, len(names) - 0.5, levels=names)


def value_axis(label: str, *values: Floats, origin: bool = False) -> Axis:
    """Make an axis that holds all values with some room, and zero if wanted."""
    held = np.concatenate([np.zeros(1), *values] if origin else values)
    low, high = float(held.min()), float(held.max())
    room = PADDING * (high - low) or max(abs(high) * PADDING, 1.0)
    return Axis(label, *_rounded_outwards(low - room, high + room))


def rounded(values: Floats, span: float | None = None) -> Numbers:
    """Round to what can be seen over a range, by default that of the largest value.

    Examples
    --------
    >>> rounded(np.array([1.23456789, 0.000123456789]))
    (1.2346, 0.0001)
    >>> rounded(np.array([1300000000.123, 1300000050.456]), 50.333)
    (1300000000.123, 1300000050.456)
    """
    span = float(np.abs(values).max(initial=0.0)) if span is None else span
    kept = np.round(values, decimals(span)) + 0.0  # no negative zeros
    return tuple(kept.tolist())


def row_shares(counts: Floats | NDArray[np.integer[Any]], n_rows: int) -> Numbers:
    """Write how many of the rows these are, with so many digits that what is printed of them is not rounded twice.

    Examples
    --------
    >>> row_shares(np.array([9.0, 1980.0]), 1989)  # 0.5% and 99.5%, where 0.0045 would read as 0.4%
    (0.004524887, 0.995475113)
    """
    return rounded(np.asarray(counts / n_rows), 1e-5)


def along(axis: Axis, values: Floats) -> Numbers:
    """Round values that lie on an axis, so that they still do.

    Examples
    --------
    >>> axis = Axis("sold", 1577836400.0, 1640000000.0, time=True)
    >>> along(axis, np.array([1577836400.0, 1600000456.0]))  # rounded alone the first would lie before the axis
    (1577836400.0, 1600000000.0)
    """
    held = np.clip(rounded(values, axis.high - axis.low), axis.low, axis.high)
    return tuple(held.tolist())


def _rounded_outwards(low: float, high: float) -> tuple[float, float]:
    """Round the ends of a range so that it still holds everything."""
    span, step = high - low, 10.0 ** -decimals(high - low)
    ends = np.array([low, high])
    inside = (np.round(ends, decimals(span)) - ends) * np.array([1.0, -1.0]) > 0
    lower, upper = rounded(ends + inside * step * np.array([-1.0, 1.0]), span)
    return lower, upper
