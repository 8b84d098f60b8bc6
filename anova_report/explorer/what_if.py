"""The row that is looked at, perhaps with changed values, and the model's own answer to it.

Changed values are read in many forms and kept in one; a row is taken apart once for all its pictures.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.black_box import ask
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.input.table import ArrayTable, FrameTable, open_table
from anova_report.errors import AnovaReportError, InputError, ModelError, listing
from anova_report.figures.columns import Rows, force, local_network, waterfall
from anova_report.figures.columns.axes import NOT_SEEN
from anova_report.figures.figure import Figure
from anova_report.measures.local import Explanation, encoded_explanation

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


@dataclass(frozen=True)
class Reply:
    """What the model said about a row, or, in words, why it said nothing."""

    answer: float | None
    trouble: str = ""


def asked(model: Any, rows: Rows, table: Any, row: int, edits: Edits, output: int) -> Reply:
    """Ask a model about one row of a table, on the scale of the decomposition; its failure is a reply, too.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
    rows : Rows
    table : table of shape (n_rows, n_features)
        The same rows as they came.
    row : int
    edits : mapping of str to value
        Values that take the place of the row's own.
    output : int
    """
    try:
        return Reply(_answer(model, rows, edited_row(rows, table, row, edits), output))
    except AnovaReportError as error:
        return Reply(None, str(error))


def edited_row(rows: Rows, table: Any, row: int, edits: Edits) -> Any:
    """Take one row out of a table, in the table's own form and types, and put changed values into it.

    Raises
    ------
    InputError
        If the table cannot hold such a value.
    """
    opened = open_table(table)
    taken = opened.rows(row, row + 1)
    try:
        if isinstance(opened, FrameTable):
            return _edited_frame(rows, opened, taken, edits)
        return _edited_array(rows, taken, edits) if isinstance(opened, ArrayTable) else taken
    except Exception as error:
        raise InputError(f"The table cannot hold such a value: {error}. Take the edit back.") from error


def _answer(model: Any, rows: Rows, one_row: Any, output: int) -> float:
    dec = rows.dec
    scale = "probability" if dec.scale == "probability" else "logit"
    named = dec.output_names[output] if hasattr(model, "classes_") else None
    found = ask(model, open_table(one_row), scale=scale, output=named, progress=False)  # type: ignore[arg-type]
    n_columns = found.values.shape[1]
    if n_columns not in (1, len(dec.output_names)):
        raise ModelError(
            f"The model answers with {n_columns} columns, and the decomposition has {len(dec.output_names)} output(s)."
        )
    return float(found.values[0, output if n_columns > 1 else 0])


def _edited_array(rows: Rows, taken: NDArray[Any], edits: Edits) -> NDArray[Any]:
    changed = taken.copy()
    for name, edit in edits.items():
        value = _native(rows, rows.feature(name), edit)
        if changed.dtype.kind in "biu" and (value is None or float(value) % 1):
            changed = changed.astype(np.float64)
        changed[0, rows.feature(name)] = np.nan if value is None and changed.dtype.kind == "f" else value
    return changed


def _edited_frame(rows: Rows, opened: FrameTable, taken: Any, edits: Edits) -> Any:
    frame = nw.from_native(taken, eager_only=True)
    columns = opened.frame.columns
    for name, value in edits.items():
        index = rows.feature(name)
        column = name if name in columns else columns[index]
        frame = frame.with_columns(_series(rows, opened, column, index, value).alias(column))
    return frame.to_native()


def _series(rows: Rows, opened: FrameTable, column: str, index: int, value: Value) -> "nw.Series[Any]":
    """Make a column of one value; a level is taken from a row that has it, which keeps all the column's categories."""
    whole, feature = opened.frame[column], rows.dec.features[index]
    if feature.has_levels:
        same = np.flatnonzero(_equals(rows.values[:, index], encoded_value(feature, value)))
        if len(same):
            return whole[int(same[0]) : int(same[0]) + 1]
    native, dtype = _native(rows, index, value), whole.dtype
    if dtype.is_integer() and (native is None or native % 1):
        dtype = nw.Float64()
    return nw.new_series(column, [native], dtype, backend=opened.frame.implementation)


def _native(rows: Rows, index: int, value: Value) -> Any:
    is_duration = rows.dec.features[index].kind == "duration" and isinstance(value, float)
    return timedelta(seconds=value) if is_duration else value  # type: ignore[arg-type]  # a float


def _equals(column: NDArray[np.float64], value: float) -> NDArray[np.bool_]:
    return np.isnan(column) if np.isnan(value) else column == value


EDITED = "with edited values"


@dataclass(frozen=True, eq=False)
class CaseRows(Rows):
    """Rows of which one has been taken apart already.

    Parameters
    ----------
    found : Explanation
        Of that row.
    """

    found: Explanation = field(kw_only=True)

    def explanation(self, row: int, output: int) -> Explanation:  # noqa: ARG002 only one row is ever asked for
        """Return what was found."""
        return self.found


@dataclass(frozen=True, eq=False)
class Case:
    """One row, and how its answer comes about.

    Parameters
    ----------
    rows : CaseRows
        All rows, this one with its edits.
    row, output : int
    is_edited : bool
    reply : Reply or None
        What the model itself said when it was asked.
    """

    rows: CaseRows
    row: int
    output: int
    is_edited: bool
    reply: Reply | None

    @property
    def found(self) -> Explanation:
        """The answer taken apart; without an answer where nobody knows it."""
        return self.rows.found

    def figures(self) -> dict[str, Figure]:
        """Draw how the answer comes about."""
        made = {
            "force": force(self.rows, self.row, self.output, key="row-force"),
            "waterfall": waterfall(self.rows, self.row, self.output, key="row-waterfall"),
            "local": local_network(self.rows, self.row, self.output, key="row-network"),
        }
        if not self.is_edited:
            return made
        return {name: replace(figure, title=f"{figure.title}, {EDITED}") for name, figure in made.items()}


def make_case(rows: Rows, row: int, output: int, values: Floats | None, reply: Reply | None) -> Case:
    """Take one row apart.

    Parameters
    ----------
    rows : Rows
    row, output : int
    values : array of shape (n_features,) or None
        Encoded values that take the place of the row's own; None where nothing was changed.
    reply : Reply or None
        What the model itself said; it counts where the answer is not known from the rows.
    """
    known = None if values is not None or rows.answers is None else float(rows.answers[row, output])
    answer = known if known is not None or reply is None else reply.answer
    shown = rows.values
    if values is not None:
        shown = rows.values.copy()
        shown[row] = values
    found = encoded_explanation(rows.dec, shown[row : row + 1], answer, output)
    return Case(CaseRows(rows.dec, shown, None, rows.seed, found=found), row, output, values is not None, reply)
