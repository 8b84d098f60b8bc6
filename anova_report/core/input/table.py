"""Reading tables of any form as columns of numbers with names and kinds; all checking of tables happens here."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse

from anova_report.core.arrays import Floats
from anova_report.core.input.features import (
    CONSTANT,
    UNSEEN,
    VANISHING,
    Column,
    Feature,
    encode,
    recognize,
    vanishes,
    why_left_out,
)
from anova_report.core.input.one_hot import fold, fold_values
from anova_report.errors import InputError, InputTypeError, listing

UNNAMED = "x"  # the columns of a table without names are x0, x1, …
NAMES_SHOWN = 8  # features or columns that one sentence names: more would hide what it says


@dataclass(frozen=True)
class LeftOut:
    """A column of a table that a fit leaves out: its name, its position, and why nothing is known about it."""

    name: str
    position: int
    reason: str


@dataclass(frozen=True, eq=False)
class ArrayTable:
    """A table given as an array or as nested lists: no names."""

    array: NDArray[Any]
    names: None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.array.shape[0], self.array.shape[1]

    def column(self, index: int) -> Column:
        """Return one column by position."""
        return self.array[:, index]

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return some rows as an array."""
        return self.array[start:stop]


@dataclass(frozen=True, eq=False)
class FrameTable:
    """A table given as a pandas, polars or pyarrow frame; pandas numbers columns that were given no name."""

    frame: "nw.DataFrame[Any]"

    @property
    def names(self) -> tuple[str, ...] | None:
        """Column names, where they were given."""
        return None if _only_numbered(self.frame.columns) else tuple(self.frame.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.frame.shape

    def column(self, index: int) -> Column:
        """Return one column by position."""
        return self.frame[:, index]

    def rows(self, start: int, stop: int) -> Any:
        """Return some rows as a frame of the library that made it."""
        return self.frame[start:stop].to_native()


InputTable: TypeAlias = ArrayTable | FrameTable


@dataclass(frozen=True, eq=False)
class Sample:
    """A table that has been read: what its columns are, and their values as floats."""

    features: tuple[Feature, ...]
    values: Floats  # shape (n_rows, n_features): numbers, or codes of levels; NaN where missing
    named: bool  # whether the table had names
    left_out: tuple[LeftOut, ...] = ()  # columns of the table that are not among the features
    columns: tuple[str, ...] = ()  # of the table, in its order


def open_table(X: Any) -> InputTable:
    """Recognize the form of a table: an array, nested lists, or a pandas, polars or pyarrow frame."""
    if sparse.issparse(X):
        raise InputTypeError("X is a sparse matrix, which cannot be read. Pass a dense array: X.toarray().")
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64 if X.dtype.kind in "biuf" else object), np.nan)
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        _check_names(X)
        raise
    if isinstance(frame, nw.LazyFrame):
        raise InputTypeError("X is a lazy frame, whose rows are not there yet. Pass X.collect().")
    if isinstance(frame, nw.DataFrame):
        _check_names(X)
        return FrameTable(frame)
    if isinstance(nw.from_native(X, allow_series=True, pass_through=True), nw.Series):
        raise InputError(
            "X must be a table of rows and columns; got a series. Pass X.to_frame() if it is one column; one row of a "
            "table is table[:1]."
        )
    array = _as_array(X)
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported. Pass the real and imaginary parts as two columns.")
    if array.ndim != 2:
        raise InputError(
            f"X must be a table of rows and columns; got {array.ndim} dimension(s). Reshape your data: "
            "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row."
        )
    return ArrayTable(array)


def read_sample(X: Any, asked: Sequence[str] = (), *, fold_one_hot: bool = False) -> Sample:
    """Read a table that is to be fitted, and leave out columns about which its rows tell nothing.

    Refused are too few rows or columns, infinite values, and names that are not distinct texts. Texts that seem to name
    rows rather than to be levels are left out unless their column is among those `asked` for. Columns that stand for
    the levels of one feature are read as this feature if `fold_one_hot`.

    Examples
    --------
    >>> sample = read_sample([[1.0, 2.0, 7.0], [3.0, 5.0, 7.0]])
    >>> [feature.name for feature in sample.features], left_out_words(sample.left_out)
    (['x0', 'x1'], ("Left out: 'x2' (the same value in every row).",))
    """
    table = open_table(X)
    features, n_rows = read_features(table), table.shape[0]
    if n_rows < 2:
        raise InputError(
            f"The table has n_samples={n_rows:,} row(s); a decomposition describes how predictions vary over rows and "
            "needs at least 2, better some hundreds."
        )
    kept: list[Feature] = []
    columns: list[Floats] = []
    left_out: list[LeftOut] = []
    names = tuple(feature.name for feature in features)
    encoded = [encode(feature, table.column(position)) for position, feature in enumerate(features)]
    if fold_one_hot and table.names is not None:
        features = fold(features, encoded)
    for feature in features:
        position = names.index(feature.sources[0])
        values = encoded[position]
        if feature.columns:
            values = fold_values(feature, _stack([encoded[names.index(name)] for name in feature.columns]))
        reason = why_left_out(feature, values, asked=feature.name in asked or bool(feature.columns))
        if reason == CONSTANT and not values.any() and vanishes(feature, table.column(position)):
            reason = VANISHING
        if reason:
            left_out.append(LeftOut(feature.name, position, reason))
        else:
            kept.append(feature)
            columns.append(values)
    if not kept:
        raise InputError(
            f"No column is left to explain: {'; '.join(_grouped(left_out))}. Pass a table with the model's inputs."
        )
    return Sample(tuple(kept), _stack(columns), table.names is not None, tuple(left_out), names)


def left_out_words(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Say in sentences, one for each reason, which columns were left out."""
    return tuple(f"Left out: {words}." for words in _grouped(left_out))


def _grouped(left_out: Sequence[LeftOut]) -> list[str]:
    return [
        f"{listing([column.name for column in left_out if column.reason == reason], NAMES_SHOWN)} ({reason})"
        for reason in dict.fromkeys(column.reason for column in left_out)
    ]


def read_features(table: InputTable) -> tuple[Feature, ...]:
    """Recognize the kind of every column."""
    n_rows, n_columns = table.shape
    if n_columns == 0:
        raise InputError(
            f"The table has 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required. Pass the "
            "columns the model was given."
        )
    return tuple(recognize(name, table.column(index)) for index, name in enumerate(column_names(table)))


def column_names(table: InputTable) -> tuple[str, ...]:
    """Name the columns of a table; without names they are x0, x1 and so on."""
    return table.names or tuple(f"{UNNAMED}{index}" for index in range(table.shape[1]))


def require_variation(feature: Feature, values: Floats, n_rows: int, n_missing: int) -> None:
    """Refuse a column that never changes, given its distinct values."""
    if n_missing == n_rows:
        raise InputError(f"Column {feature.name!r} is missing (NaN) in all {n_rows:,} rows. Leave it out.")
    if len(values) == 1 and not n_missing:
        shown = feature.levels[int(values[0])] if feature.has_levels else float(values[0])
        raise InputError(
            f"Column {feature.name!r} is constant: it holds {shown!r} in all {n_rows:,} rows, so these rows do "
            "not show what it does. Leave it out."
        )


def encode_rows(
    X: Any, features: Sequence[Feature], reader: str = "Decomposition", left_out: Sequence[LeftOut] = ()
) -> Floats:
    """Write new rows as floats by the features of a fit; frames are matched by name, arrays by position.

    `reader` is who is asking, for messages; columns that the fit left out are not read.
    """
    table = open_table(X)
    places = columns_of(table, features, left_out, reader)
    return _stack([_encoded(table, feature, own) for feature, own in zip(features, places, strict=True)])


def _encoded(table: InputTable, feature: Feature, places: Sequence[int]) -> Floats:
    if not feature.columns:
        return encode(feature, table.column(places[0]))
    parts = zip(feature.columns, places, strict=True)
    return fold_values(feature, _stack([encode(Feature(name, "numeric"), table.column(at)) for name, at in parts]))


def positions_in_table(n_features: int, left_out: Sequence[LeftOut]) -> list[int]:
    """List where the features of a fit are among the columns of its table."""
    skipped = {column.position for column in left_out}
    return [position for position in range(n_features + len(left_out)) if position not in skipped]


def require_complete_numbers(values: Floats, features: Sequence[Feature], method: str) -> None:
    """Refuse nominal columns, missing values and unseen levels, for methods that are defined on numbers only."""
    for index, feature in enumerate(features):
        if feature.kind == "nominal":
            raise InputError(
                f"Column {feature.name!r} holds text, and {method} is defined for numbers only. Encode it as "
                "numbers, or leave it out."
            )
        missing = np.flatnonzero(np.isnan(values[:, index]))
        if missing.size:
            raise InputError(
                f"Column {feature.name!r} has missing values (NaN) in {missing.size:,} row(s), first at position "
                f"{listing(missing.tolist())}, and {method} is defined for complete rows only. Fill them or drop "
                "these rows."
            )
        unseen = np.flatnonzero(values[:, index] == UNSEEN) if feature.has_levels else missing
        if unseen.size:
            raise InputError(
                f"Column {feature.name!r} holds a level that the fit has not seen in {unseen.size:,} row(s), first at "
                f"position {listing(unseen.tolist())}. The fit has seen {listing(feature.levels, limit=20)}."
            )


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Check a setting that counts something."""
    if not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def _stack(columns: list[Floats]) -> Floats:
    # Column by column is how every later stage reads the table.
    return np.asfortranarray(np.column_stack(columns))


def _as_array(X: Any) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(
            "X cannot be read as a table: its rows are of unequal length. Fill empty places with None."
        ) from error
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # One text among nested lists would turn every number beside it into text.
        return np.asarray(X, dtype=object)
    return array


def _check_names(X: Any) -> None:
    # Checked on the table as given: some libraries allow what narwhals then refuses in its own words.
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if _only_numbered(names):
        return
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(
                f"Column {index} is named {name!r}, of type {type(name).__name__}; names must be text. Rename the "
                "columns (pandas: X.columns = X.columns.astype(str)), or pass an array."
            )
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"Column names must be distinct; more than one column is named {listing(twice)}.")


def _only_numbered(names: Sequence[Any]) -> bool:
    return len(names) > 0 and list(names) == list(range(len(names)))


def columns_of(
    table: InputTable, features: Sequence[Feature], left_out: Sequence[LeftOut] = (), reader: str = "the decomposition"
) -> list[list[int]]:
    """Find the columns of a table that each feature is read from, by name or, where it has none, by position."""
    names = [name for feature in features for name in feature.sources]
    n_columns = len(names) + len(left_out)
    if table.names is None:
        if table.shape[1] != n_columns:
            raise InputError(
                f"X has {table.shape[1]} features, but {reader} is expecting {n_columns} features as input: "
                f"{listing(names)}."
            )
        return [[position] for position in positions_in_table(len(features), left_out)]
    missing = [name for name in names if name not in table.names]
    known = {*names, *(column.name for column in left_out)}
    extra = [name for name in table.names if name not in known]
    if missing or extra:
        parts = [f"lack the column(s) {listing(missing)}"] if missing else []
        parts += [f"have the column(s) {listing(extra)} that the fit has not seen"] if extra else []
        unnamed = all(re.fullmatch(rf"{UNNAMED}\d+", name) for name in names)
        cure = "the rows as an array, as in the fit" if unnamed else f"the {n_columns:,} columns of the fit"
        raise InputError(f"The new rows {' and '.join(parts)}. Pass {cure}.")
    places = {name: position for position, name in enumerate(table.names)}
    return [[places[name] for name in feature.sources] for feature in features]
