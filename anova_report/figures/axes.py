"""Axes, and values along them: rounded for the page, written for the reader."""

import math

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.geometry import Axis, Numbers
from anova_report.measures.sentences.names import prediction_name
from anova_report.measures.wording import SMALLEST_PLAIN, number

MISSING = "(missing)"
NOT_SEEN = "(not seen in the fit)"
DIGITS = 5  # digits of what is drawn: more cannot be seen, and a page holds many numbers
WIDE = 1.25  # where all rows lie within so many times the range of most of them, no tail is cut off
PADDING = 0.05
MOST_DECIMALS = 300  # numpy cannot round beyond the range of doubles
DAY = 86_400.0


def effect_label(dec: Decomposition, output: int) -> str:
    """Say what one unit of an effect is: "effect on the logit"."""
    return f"effect on the {prediction_name(dec, output)}"


def number_axis(feature: Feature, low: float, high: float) -> Axis:
    """Make the axis of a feature along numbers."""
    if low == high:
        low, high = low - (abs(low) * PADDING or 1.0), high + (abs(high) * PADDING or 1.0)
    label = f"{feature.name} (seconds)" if feature.kind == "duration" else feature.name
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


def shown_range(column: Floats, tail: float) -> tuple[float, float]:
    """Find the range to draw: without the outermost rows at each end, unless these lie close by.

    Examples
    --------
    >>> shown_range(np.r_[np.arange(1000.0), 1e6], tail=0.01)
    (10.0, 990.0)
    >>> shown_range(np.arange(1001.0), tail=0.01)
    (0.0, 1000.0)
    """
    low, high = (float(value) for value in quantiles(column, np.array([tail, 1 - tail])))
    lowest, highest = float(column.min()), float(column.max())
    if low == high or highest - lowest <= WIDE * (high - low):
        return lowest, highest
    return low, high


def quantiles(column: Floats, levels: Floats) -> Floats:
    """Find quantiles that are values of rows, so that an effect there is that of rows."""
    return np.asarray(np.quantile(column, levels, method="inverted_cdf"))


def decimals(span: float) -> int:
    """Count the decimals of numbers that are looked at over a range."""
    return min(DIGITS - 1 - math.floor(math.log10(span)), MOST_DECIMALS) if span > 0 else DIGITS


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


def value_text(feature: Feature, value: float, span: float = 0.0) -> str:
    """Write a value of a feature, with as many digits as tell values apart over a range.

    Examples
    --------
    >>> value_text(Feature("year", "numeric"), 2011.0, span=7.0), value_text(Feature("gain", "numeric"), 3464.0, 1e5)
    ('2011', '3,464')
    >>> value_text(Feature("sold", "datetime"), 1.3e9, span=1e8)
    '2011-03-13'
    >>> value_text(Feature("colour", "nominal", ("blue", "red")), 1.0)
    'red'
    """
    if math.isnan(value):
        return MISSING
    if feature.has_levels:
        return NOT_SEEN if value == UNSEEN else feature.levels[int(value)]
    if feature.kind == "boolean" and value in (0.0, 1.0):
        return str(bool(value))
    if feature.kind == "datetime":
        unit = "D" if span >= DAY * 2 else "s"
        return str(np.datetime64(math.floor(value), "s").astype(f"datetime64[{unit}]")).replace("T", " ")
    return _number_text(value, span) + (" s" if feature.kind == "duration" else "")


def _rounded_outwards(low: float, high: float) -> tuple[float, float]:
    """Round the ends of a range so that it still holds everything."""
    span, step = high - low, 10.0 ** -decimals(high - low)
    ends = np.array([low, high])
    inside = (np.round(ends, decimals(span)) - ends) * np.array([1.0, -1.0]) > 0
    lower, upper = rounded(ends + inside * step * np.array([-1.0, 1.0]), span)
    return lower, upper


def _number_text(value: float, span: float) -> str:
    if not SMALLEST_PLAIN <= span < 1e7 or abs(value) >= 1e9:
        return number(value)
    # Years have no separator: numbers of four digits, over a range that is short beside them.
    separator = "," if abs(value) >= 10_000 or span >= 1000 else ""
    text = f"{value:{separator}.{max(decimals(span) - 2, 0)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace("-", "−")
