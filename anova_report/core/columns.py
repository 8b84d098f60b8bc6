"""One column of a table: what kind it is, and its values as floats.

Ordered columns keep their numbers (dates become seconds since 1970); nominal and ordinal columns become the
positions of their levels. A missing value is NaN; a level the fit has not seen is `UNSEEN`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.errors import InputError, InputTypeError, listing

Floats: TypeAlias = NDArray[np.float64]
Kind: TypeAlias = Literal["numeric", "boolean", "datetime", "duration", "ordinal", "nominal"]

UNSEEN = -1.0
MICROSECONDS = 1e6


@dataclass(frozen=True)
class Feature:
    """Name, kind and, for ordinal and nominal columns, levels of one input.

    Parameters
    ----------
    name : str
    kind : {"numeric", "boolean", "datetime", "duration", "ordinal", "nominal"}
    levels : tuple of str
        In code order; empty for the other kinds.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()

    @property
    def has_levels(self) -> bool:
        """Whether values are codes of levels rather than numbers."""
        return self.kind in ("ordinal", "nominal")


Column: TypeAlias = "nw.Series[Any] | NDArray[Any]"


def recognise(name: str, column: Column) -> Feature:
    """Find the kind, and the levels if any, of a column that is to be fitted."""
    kind = _kind(name, column)
    if kind == "ordinal":
        return Feature(name, kind, tuple(str(level) for level in column.dtype.categories))  # type: ignore[union-attr]
    if kind == "nominal":
        levels = {str(value) for value in _as_list(column) if not _is_missing(value)}
        return Feature(name, kind, tuple(sorted(levels)))
    return Feature(name, kind)


def encode(feature: Feature, column: Column) -> Floats:
    """Write a column as floats by the rules of its feature.

    Raises
    ------
    InputError
        If the column is not of the feature's kind, or holds an infinite value.
    """
    if feature.has_levels:
        return _level_codes(feature, column)
    kind = _kind(feature.name, column)
    if kind in ("nominal", "ordinal") or (kind == "datetime") != (feature.kind == "datetime"):
        raise InputError(
            f"Column {feature.name!r} was {feature.kind} when the decomposition was fitted and is {kind} now. "
            "Convert it to the same type."
        )
    values = _numbers(feature.name, kind, column)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise InputError(
            f"Column {feature.name!r} holds infinite values (inf) in {infinite.size} row(s), first at position "
            f"{listing(infinite.tolist())}. Replace them by numbers or by missing values."
        )
    return values


def _kind(name: str, column: Column) -> Kind:
    if isinstance(column, nw.Series):
        return _series_kind(name, column)
    if column.dtype.kind == "b":
        return "boolean"
    if column.dtype.kind in "iuf":
        return "numeric"
    if column.dtype.kind == "M":
        return "datetime"
    if column.dtype.kind == "m":
        return "duration"
    if column.dtype.kind in "US":
        return "nominal"
    return _object_kind(name, column.tolist())


def _series_kind(name: str, column: "nw.Series[Any]") -> Kind:
    dtype = column.dtype
    if dtype.is_numeric():
        return "numeric"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.Date, nw.Datetime):
        return "datetime"
    if dtype == nw.Duration:
        return "duration"
    if dtype == nw.Enum:
        return "ordinal"
    if dtype in (nw.String, nw.Categorical):
        return "nominal"
    return _object_kind(name, column.to_list())


def _object_kind(name: str, values: Sequence[Any]) -> Kind:
    kinds = {type(value) for value in values if not _is_missing(value)}
    if kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return "boolean"
    if all(issubclass(kind, Real | np.number) for kind in kinds):
        return "numeric"
    if all(issubclass(kind, str) for kind in kinds):
        return "nominal"
    names = sorted(kind.__name__ for kind in kinds)
    raise InputTypeError(
        f"Column {name!r} holds values of type {', '.join(names)}. Each argument must be a string or a number, "
        "and a column must hold only one of the two: convert it, or leave it out."
    )


def _is_missing(value: Any) -> bool:
    # pandas' NA and NaT are not equal to themselves, nor is NaN; NA refuses to be used as a truth value.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value  # noqa: PLR0124 NaN


def _as_list(column: Column) -> list[Any]:
    return column.to_list() if isinstance(column, nw.Series) else column.tolist()


def _numbers(name: str, kind: Kind, column: Column) -> Floats:
    if isinstance(column, nw.Series) and column.dtype != nw.Object:
        return _series_numbers(kind, column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(np.float64)
    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        seconds = column.astype(f"{column.dtype.kind}8[us]").astype(np.float64) / MICROSECONDS
        seconds[np.isnat(column)] = np.nan
        return seconds
    try:
        return np.array([np.nan if _is_missing(v) else float(v) for v in _as_list(column)], dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"Column {name!r} cannot be read as numbers: {error}.") from error


def _series_numbers(kind: Kind, column: "nw.Series[Any]") -> Floats:
    unit = 1.0
    if kind == "datetime":
        column, unit = column.cast(nw.Datetime("us")).dt.timestamp("us"), MICROSECONDS
    elif kind == "duration":
        column, unit = column.dt.total_microseconds(), MICROSECONDS
    missing = column.is_null().to_numpy().astype(bool)
    values = np.full(len(column), np.nan)
    values[~missing] = column.filter(~column.is_null()).cast(nw.Float64).to_numpy()
    return values / unit


def _level_codes(feature: Feature, column: Column) -> Floats:
    codes = {level: float(code) for code, level in enumerate(feature.levels)}
    values = _as_list(column)
    return np.array([np.nan if _is_missing(v) else codes.get(str(v), UNSEEN) for v in values], dtype=np.float64)
