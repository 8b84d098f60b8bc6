"""Values of features: which of them are shown, and how they are written for the reader."""

import math

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.measures.wording import SMALLEST_PLAIN, number

MISSING = "(missing)"
NOT_SEEN = "(not seen in the fit)"
DIGITS = 5  # digits of what is drawn: more cannot be seen, and a page holds many numbers
WIDE = 1.25  # where all rows lie within so many times the range of most of them, no tail is cut off
MOST_DECIMALS = 300  # numpy cannot round beyond the range of doubles
DAY = 86_400.0


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


def value_text(feature: Feature, value: float, span: float = 0.0) -> str:
    """Write a value of a feature, with as many digits as tell values apart over a range.

    Examples
    --------
    >>> value_text(Feature("year", "numeric"), 2011.0, span=7.0), value_text(Feature("gain", "numeric"), 3464.0, 1e5)
    ('2011', '3,464')
    >>> value_text(Feature("sold", "datetime"), 1.3e9, span=1e8)
    '2011-03-13'
    >>> value_text(Feature("color", "nominal", ("blue", "red")), 1.0)
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


def _number_text(value: float, span: float) -> str:
    if not SMALLEST_PLAIN <= span < 1e7 or abs(value) >= 1e9:
        return number(value)
    # Years have no separator: numbers of four digits, over a range that is short beside them.
    separator = "," if abs(value) >= 10_000 or span >= 1000 else ""
    text = f"{value:{separator}.{max(decimals(span) - 2, 0)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace("-", "−")
