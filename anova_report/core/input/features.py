"""One column of a table: what kind it is, and its values as floats.

Ordered columns keep their numbers (dates become seconds since 1970); nominal and ordinal columns become the
positions of their levels. A missing value is NaN; a level the fit has not seen is `UNSEEN`.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.errors import InputError, InputTypeError, listing

Kind: TypeAlias = Literal["numeric", "boolean", "datetime", "duration", "ordinal", "nominal"]

# Facts about floats.
EXACT = 2.0**53  # beyond it floats leave whole numbers out
LARGEST = 1e70  # fourth powers of larger numbers are beyond all floats; those below its inverse count as zero

# Statistics (`make bench`).
ROWS_EACH = 10  # that a function of one feature takes; of fewer, a level is pooled: its effect would be lost in noise
RARE_SHARE = 1e-3  # levels with a smaller share of the rows are pooled, too: each takes columns
NEARLY_ALL = 0.9  # a text that differs in more of the rows than this is a name or a comment, not a level
MANY_VALUES = 20  # levels may be called 1, 2, 3 and "other", and rows coincide on them; so many values are numbers

UNSEEN = -1.0  # code of a level that no row of the fit had: codes of levels count from 0
INTERCHANGEABLE = {"numeric", "boolean"}  # kinds of which new rows may hold one where the fit held the other
# Why columns without a message are left out.
EMPTY, CONSTANT = "empty in every row", "the same value in every row"
VANISHING = "values so small that they count as zero"
WRITTEN_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*%?\s*")
NUMBER_WITH_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)?\s*")

ARRAY_KINDS: dict[str, Kind] = {"b": "boolean", "i": "numeric", "u": "numeric", "f": "numeric"}
ARRAY_KINDS |= {"M": "datetime", "m": "duration", "U": "nominal", "S": "nominal"}
SERIES_KINDS: tuple[tuple[Any, Kind], ...] = (
    (nw.Boolean, "boolean"),
    (nw.Date, "datetime"),
    (nw.Datetime, "datetime"),
    (nw.Duration, "duration"),
    (nw.Enum, "ordinal"),  # narwhals' name for categories with a declared order
    (nw.String, "nominal"),
    (nw.Categorical, "nominal"),
)
OBJECT_KINDS: tuple[tuple[tuple[type, ...], Kind], ...] = (  # a boolean is a number, too: the first that fits counts
    ((bool, np.bool_), "boolean"),
    ((Real, Decimal, np.number), "numeric"),
    ((date,), "datetime"),
    ((time, timedelta), "duration"),
    ((str,), "nominal"),
)


@dataclass(frozen=True)
class Feature:
    """Name, kind and, for ordinal and nominal columns, levels of one input; the name is what it is known by."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()  # in code order; empty for the other kinds
    columns: tuple[str, ...] = ()  # of zeros and ones in the table that stand for its levels; empty for a column itself
    # how readers see it: another name, and what its numbers count
    label: str = ""
    unit: str = ""

    @property
    def title(self) -> str:
        """What readers see for its name."""
        return self.label or self.name

    @property
    def heading(self) -> str:
        """Title and unit, over an axis or a column.

        Examples
        --------
        >>> Feature("MedInc", "numeric", label="Median income", unit="10 000 $").heading
        'Median income (10 000 $)'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def has_levels(self) -> bool:
        """Whether values are codes of levels rather than numbers."""
        return self.kind in ("ordinal", "nominal")

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the table that it is read from."""
        return self.columns or (self.name,)


Column: TypeAlias = "nw.Series[Any] | NDArray[Any]"


def recognize(name: str, column: Column) -> Feature:
    """Find the kind, and the levels if any, of a column that is to be fitted."""
    kind = _kind(name, column)
    if kind == "ordinal":
        return Feature(name, kind, tuple(_text(level) for level in column.dtype.categories))  # type: ignore[union-attr]
    if kind == "nominal":
        levels = {level for level in _level_texts(column, as_list(column)).values() if level is not None}
        if not (isinstance(column, nw.Series) and column.dtype == nw.Categorical):
            _refuse_written_numbers(name, levels)
        return Feature(name, kind, tuple(sorted(levels)))
    return Feature(name, kind)


def why_left_out(feature: Feature, values: Floats, *, asked: bool = False) -> str:
    """Say why nothing is known about a column from its encoded values; empty where something can.

    Texts that name rows are no levels, unless the column was `asked` for.

    Examples
    --------
    >>> why_left_out(Feature("branch", "numeric"), np.array([7.0, 7.0, 7.0]))
    'the same value in every row'
    """
    present = values[~np.isnan(values)]
    if not present.size:
        return EMPTY
    if len(present) == len(values) and (present == present[0]).all():
        return CONSTANT
    if asked or feature.kind != "nominal":
        return ""
    counts = np.bincount(present.astype(np.intp))
    counts = counts[counts > 0]
    if len(counts) > max(NEARLY_ALL * len(present), 2):
        return "text that differs in nearly every row"
    if len(present) == len(values) and rare_levels(counts, len(values)).all():
        return f"levels that are all rare: {len(counts):,} in {len(values):,} rows"
    return ""


def vanishes(feature: Feature, column: Column) -> bool:
    """Whether the values of a column that is zero in every row are not, but too small to count."""
    return not feature.has_levels and bool(np.nan_to_num(_numbers(feature.name, feature.kind, column)).any())


def rare_levels(counts: NDArray[Any], n_rows: float) -> NDArray[np.bool_]:
    """Find the levels that are pooled, from how often each occurs among all rows, those without a value included."""
    rare: NDArray[np.bool_] = counts < max(min(ROWS_EACH, n_rows // len(counts)), RARE_SHARE * n_rows)
    if rare.sum() == 1 and len(counts) > 1:
        rare[:] = False  # one level cannot be pooled with anything
    return rare


def encode(feature: Feature, column: Column) -> Floats:
    """Write a column as floats by the rules of its feature; another kind and infinite values are refused."""
    if feature.has_levels:
        codes: dict[str | None, float] = {level: float(code) for code, level in enumerate(feature.levels)}
        codes[None] = np.nan
        held = as_list(column)
        code_of = {value: codes.get(text, UNSEEN) for value, text in _level_texts(column, held).items()}
        return np.array([code_of[value] for value in held], dtype=np.float64)
    kind = _kind(feature.name, column)
    if kind != feature.kind and {kind, feature.kind} != INTERCHANGEABLE:
        if all(is_missing(value) for value in as_list(column)):
            # A few new rows without a single date or duration may be a column of any type.
            return np.full(len(column), np.nan)
        raise InputError(
            f"Column {feature.name!r} was {feature.kind} when the decomposition was fitted and is {kind} now. "
            "Convert it to the same type."
        )
    values = _numbers(feature.name, kind, column)
    _require_exact(feature.name, column, values)
    beyond = np.flatnonzero(np.abs(values) > LARGEST)
    if beyond.size:
        what = "infinite values (inf)" if np.isinf(values).any() else f"values beyond {LARGEST:.0e}"
        raise InputError(
            f"Column {feature.name!r} holds {what} in {beyond.size:,} row(s), first at position "
            f"{listing(beyond.tolist())}. Replace them by numbers or by missing values."
        )
    return np.where(np.abs(values) < 1 / LARGEST, 0.0, values)


def _kind(name: str, column: Column) -> Kind:
    if not isinstance(column, nw.Series):
        return ARRAY_KINDS.get(column.dtype.kind) or _object_kind(name, column.tolist())
    if column.dtype.is_numeric():
        return "numeric"
    known = (kind for dtype, kind in SERIES_KINDS if column.dtype == dtype)
    return next(known, None) or _object_kind(name, column.to_list())


def _object_kind(name: str, values: Sequence[Any]) -> Kind:
    types = {type(value) for value in values if not is_missing(value)}
    if not types:
        return "numeric"
    for accepted, kind in OBJECT_KINDS:
        if all(issubclass(each, accepted) for each in types):
            return kind
    names = sorted(each.__name__ for each in types)
    raise InputTypeError(
        f"Column {name!r} holds values of type {', '.join(names)}. Each argument must be a string or a number, "
        "and a column must hold only one of the two: convert it, or leave it out."
    )


def is_missing(value: Any) -> bool:
    """Say whether a value stands for none."""
    # By name, since pandas is not needed to read other tables.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def as_list(column: Column) -> list[Any]:
    """List the values of a column."""
    return column.to_list() if isinstance(column, nw.Series) else column.tolist()


def _numbers(name: str, kind: Kind, column: Column) -> Floats:
    if isinstance(column, nw.Series) and column.dtype not in (nw.Object, nw.Time):
        return _series_numbers(kind, column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(np.float64)
    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        seconds = column.astype(f"{column.dtype.kind}8[us]").astype(np.float64) / 1e6
        seconds[np.isnat(column)] = np.nan
        return seconds
    try:
        return np.array([np.nan if is_missing(v) else _number(v) for v in as_list(column)], dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"Column {name!r} cannot be read as numbers: {error}.") from error


def _number(value: Any) -> float:
    """Write an object as a number: dates as seconds since 1970, times of day and durations as seconds."""
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def _require_exact(name: str, column: Column, values: Floats) -> None:
    """Refuse whole numbers that are so large that floats cannot tell them apart."""
    dtype = column.dtype
    whole = dtype.is_integer() if isinstance(dtype, nw.dtypes.DType) else dtype.kind in "iu"
    if whole and np.nanmax(np.abs(values), initial=0.0) >= EXACT and len(np.unique(values)) < len(set(as_list(column))):
        raise InputError(
            f"Column {name!r} holds whole numbers beyond 2^53, some of which are one number as floats. Subtract a "
            "constant, or pass them as text if they name rows."
        )


def _series_numbers(kind: Kind, column: "nw.Series[Any]") -> Floats:
    if kind == "datetime":
        column = column.dt.timestamp("us")
    elif kind == "duration":
        column = column.dt.total_microseconds()
    missing = column.is_null().to_numpy().astype(bool)
    values = np.full(len(column), np.nan)
    present = column.filter(~column.is_null())
    # Arrow refuses to write whole numbers as floats that do not hold them exactly; what that loses is looked at later.
    whole = present.dtype.is_integer()
    values[~missing] = present.to_numpy() if whole else present.cast(nw.Float64).to_numpy()
    return values / 1e6 if kind in ("datetime", "duration") else values  # from microseconds to seconds


def _refuse_written_numbers(name: str, levels: set[str]) -> None:
    """Refuse numbers that are written so that they would be read as levels: with a comma, with %, among other words.

    Levels can be declared as categories.
    """
    if any("," in level for level in levels) and all(map(NUMBER_WITH_COMMA.fullmatch, levels)):
        example = min(level for level in levels if "," in level)
        raise InputError(
            f"Column {name!r} holds numbers as text with a comma, such as {example!r}. Pass numbers (pandas: "
            f"X[{name!r}].str.replace(',', '.').astype(float)), or a column of categories if they are levels."
        )
    written = {level for level in levels if WRITTEN_NUMBER.fullmatch(level)}
    others = sorted(levels - written) or sorted(level for level in levels if "%" in level)
    if len(written) >= max(MANY_VALUES, NEARLY_ALL * len(levels)) and others:
        raise InputError(
            f"Column {name!r} holds numbers as text, and {listing(others, 3)}. Pass numbers, and missing values where "
            "there is none, or a column of categories if they are levels."
        )


def _level_texts(column: Column, values: list[Any]) -> dict[Any, str | None]:
    """Text of each distinct value; None where it stands for a missing one."""
    texts: dict[Any, str] = {}
    if isinstance(column, nw.Series) and column.dtype in (nw.Categorical, nw.Enum):
        # pandas writes intervals of whole numbers as intervals of floats where a row is missing: equal to their
        # category, but another text. Of dictionaries of Arrow it knows no categories.
        with suppress(AttributeError):
            texts = {category: _text(category) for category in column.cat.get_categories().to_list()}
    # NaN is found again because it is the same object: the very values must be looked up, not equal ones.
    return {value: None if is_missing(value) else texts.get(value) or _text(value) for value in set(values)}


def _text(level: Any) -> str:
    # Whole numbers turn into floats as soon as one row is missing, and stay the same level.
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
