"""Values of a row that someone changes to see what would be if: read in many forms, kept in one."""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from anova_report.core.columns import UNSEEN, Feature
from anova_report.errors import InputError, listing
from anova_report.figures.columns import Rows
from anova_report.figures.columns.axes import NOT_SEEN

Value: TypeAlias = float | str | bool | datetime | None
Edits: TypeAlias = Mapping[str, Value]

NOTHING: Edits = MappingProxyType({})
TRUTH = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}


def read_edits(rows: Rows, given: object) -> Edits:
    """Read changed values by the names or positions of their features; the result cannot be changed.

    Raises
    ------
    InputError or UnknownTermError
        If a value is not one of its feature, or there is no such feature.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"Edits are a mapping of features to values, such as {{'age': 40}}; {given!r} came.")
    dec, positions = rows.dec, {rows.feature(feature): value for feature, value in given.items()}
    complete = dec.expansion.reference.complete_numbers_only
    read = {index: read_value(dec.features[index], value) for index, value in positions.items()}
    missing = [dec.feature_names[index] for index, value in read.items() if value is None]
    if complete and missing:
        raise InputError(f"This decomposition knows no missing values, and {listing(missing)} is to be one.")
    return MappingProxyType({dec.feature_names[index]: value for index, value in read.items()})


def read_value(feature: Feature, value: Any) -> Value:
    """Read a value of a feature: a number, a level, a truth value or a date; None and NaN are missing values.

    Examples
    --------
    >>> read_value(Feature("age", "numeric"), "41"), read_value(Feature("sold", "datetime"), "2024-05-01")
    (41.0, datetime.datetime(2024, 5, 1, 0, 0))
    """
    if _is_missing(value):
        return None
    try:
        return _READERS[feature.kind](feature, value)
    except (TypeError, ValueError, OverflowError, KeyError) as error:
        raise InputError(f"{value!r} is no value of {feature.name!r}. {_expected(feature)}") from error


def encoded_value(feature: Feature, value: Value) -> float:
    """Write a value that `read_value` gave as the float that components are functions of."""
    if value is None:
        return math.nan
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC).timestamp()
    return float(feature.levels.index(value)) if isinstance(value, str) else float(value)


def decoded_value(feature: Feature, encoded: float) -> Value:
    """Write an encoded value as `read_value` would give it; a level that the fit has not seen is called so."""
    if math.isnan(encoded):
        return None
    if feature.has_levels:
        return NOT_SEEN if encoded == UNSEEN else feature.levels[int(encoded)]
    if feature.kind == "datetime":
        return datetime.fromtimestamp(encoded, UTC).replace(tzinfo=None)
    return bool(encoded) if feature.kind == "boolean" and encoded in (0.0, 1.0) else float(encoded)


def _is_missing(value: Any) -> bool:
    # pandas' own are told by name, before a comparison that they would refuse.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return math.isnan(value) if isinstance(value, float) else isinstance(value, str) and not value


def _number(_feature: Feature, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def _level(feature: Feature, value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return feature.levels[feature.levels.index(str(int(value)) if whole else str(value))]


def _truth(_feature: Feature, value: Any) -> bool:
    return TRUTH[str(value).casefold()]


def _date(_feature: Feature, value: Any) -> datetime:
    if isinstance(value, int | float):
        raise TypeError("a number may count from anywhere")
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    moment = np.datetime64(value.replace(tzinfo=None) if isinstance(value, datetime) else value, "us")
    read: datetime = moment.astype(datetime)
    return read


def _duration(feature: Feature, value: Any) -> float:
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "us")) / 1e6
    return value.total_seconds() if isinstance(value, timedelta) else _number(feature, value)


_READERS: dict[str, Callable[[Feature, Any], Value]] = {
    "numeric": _number,
    "boolean": _truth,
    "datetime": _date,
    "duration": _duration,
    "ordinal": _level,
    "nominal": _level,
}


def _expected(feature: Feature) -> str:
    if feature.has_levels:
        return f"Its levels are {listing(feature.levels, limit=12)}."
    words = {"boolean": "True or False", "datetime": "a date, such as '2024-05-01'", "duration": "a number of seconds"}
    return f"Give {words.get(feature.kind, 'a finite number')}, or None for a missing value."
