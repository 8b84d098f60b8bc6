"""Asking the model itself about one row, as it is or with values that someone has changed."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.asking import ask
from anova_report.core.data import ArrayTable, FrameTable, open_table
from anova_report.errors import AnovaReportError, InputError, ModelError
from anova_report.explorer.edits import Edits, Value, encoded_value
from anova_report.figures.columns import Rows


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
