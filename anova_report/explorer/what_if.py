"""The present row, perhaps with changed values: its explanation, its figures, and the model's own prediction for it."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.black_box import ask
from anova_report.core.input.scales import asked_again
from anova_report.core.input.table import ArrayTable, FrameTable, open_table
from anova_report.errors import AnovaReportError, InputError, ModelError
from anova_report.explorer.user_input import Edits, Value, encoded_value
from anova_report.figures.cases import force, waterfall
from anova_report.figures.figure import Figure
from anova_report.figures.networks import local_network
from anova_report.figures.rows import Rows
from anova_report.measures.local import RowExplanation, encoded_explanation

EDITED = "with edited values"


@dataclass(frozen=True)
class Reply:
    """The model's prediction for a row, or, in words, why there is none."""

    prediction: float | None
    trouble: str = ""


def asked(model: Any, rows: Rows, table: Any, row: int, edits: Edits, output: int) -> Reply:
    """Ask a model about one row of the user's table, on the scale of the decomposition; its failure is a reply, too."""
    dec = rows.dec
    named = dec.output_names[output] if hasattr(model, "classes_") else None
    try:
        one_row = open_table(edited_row(rows, table, row, edits))
        found = ask(model, one_row, scale=asked_again(dec.scale), output=named, progress=False)
        n_columns = found.values.shape[1]
        if n_columns not in (1, len(dec.output_names)):
            outputs = f"the decomposition has {len(dec.output_names)} output(s)"
            raise ModelError(f"The model returns {n_columns:,} columns, and {outputs}.")
    except AnovaReportError as error:
        return Reply(None, str(error))
    return Reply(float(found.values[0, output if n_columns > 1 else 0]))


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


def _edited_array(rows: Rows, taken: NDArray[Any], edits: Edits) -> NDArray[Any]:
    changed = taken.copy()
    for name, edit in edits.items():
        index = rows.feature(name)
        value, column = _native(rows, index, edit), rows.dec.columns[index]
        if changed.dtype.kind in "biu" and (value is None or float(value) % 1):
            changed = changed.astype(np.float64)
        changed[0, column] = np.nan if value is None and changed.dtype.kind == "f" else value
    return changed


def _edited_frame(rows: Rows, opened: FrameTable, taken: Any, edits: Edits) -> Any:
    frame = nw.from_native(taken, eager_only=True)
    columns = opened.frame.columns
    for name, value in edits.items():
        index = rows.feature(name)
        feature = rows.dec.features[index]
        if feature.columns:  # one of them is one
            code = encoded_value(feature, value)
            ones = [None if np.isnan(code) else int(code == at) for at in range(len(feature.columns))]
            pairs = zip(feature.columns, ones, strict=True)
            frame = frame.with_columns(nw.lit(one, opened.frame[own].dtype).alias(own) for own, one in pairs)
            continue
        column = name if name in columns else columns[rows.dec.columns[index]]
        frame = frame.with_columns(_series(rows, opened, column, index, value).alias(column))
    return frame.to_native()


def _series(rows: Rows, opened: FrameTable, column: str, index: int, value: Value) -> "nw.Series[Any]":
    """Make a column of one value; a level is taken from a row that has it, which keeps all the column's categories."""
    whole, feature, own = opened.frame[column], rows.dec.features[index], rows.values[:, index]
    if feature.has_levels:
        encoded = encoded_value(feature, value)
        same = np.flatnonzero(np.isnan(own) if np.isnan(encoded) else own == encoded)
        if len(same):
            return whole[int(same[0]) : int(same[0]) + 1]
    native, dtype = _native(rows, index, value), whole.dtype
    if dtype.is_integer() and (native is None or native % 1):
        dtype = nw.Float64()
    return nw.new_series(column, [native], dtype, backend=opened.frame.implementation)


def _native(rows: Rows, index: int, value: Value) -> Any:
    is_duration = rows.dec.features[index].kind == "duration" and isinstance(value, float)
    return timedelta(seconds=value) if is_duration else value  # type: ignore[arg-type]  # a float


@dataclass(frozen=True, eq=False)
class CaseRows(Rows):
    """Rows of which one has been explained already."""

    found: RowExplanation = field(kw_only=True)  # of that row

    def explanation(self, row: int, output: int) -> RowExplanation:  # noqa: ARG002 only one row is ever asked for
        """Return the explanation of the one row."""
        return self.found


@dataclass(frozen=True, eq=False)
class Case:
    """One row, and how its prediction comes about."""

    rows: Rows  # all rows, this one with its edits
    row: int
    output: int
    found: RowExplanation  # of the row; without a prediction where none is known
    is_edited: bool
    reply: Reply | None  # of the model itself, where it was asked

    def figures(self) -> dict[str, Figure]:
        """Draw how the prediction comes about."""
        made = {
            "force": force(self.rows, self.row, self.output, key="row-force"),
            "waterfall": waterfall(self.rows, self.row, self.output, key="row-waterfall"),
            "local": local_network(self.rows, self.row, self.output, key="row-network"),
        }
        if not self.is_edited:
            return made
        return {name: replace(figure, title=f"{figure.title}, {EDITED}") for name, figure in made.items()}


def make_case(rows: Rows, row: int, output: int, values: Floats | None, reply: Reply | None) -> Case:
    """Explain one row, with encoded values that replace its own unless they are None.

    The model's own reply counts where the prediction is not known from the rows.
    """
    known = None if values is not None or rows.predictions is None else float(rows.predictions[row, output])
    prediction = known if known is not None or reply is None else reply.prediction
    shown = rows.values
    if values is not None:
        shown = rows.values.copy()
        shown[row] = values
    found = encoded_explanation(rows.dec, shown[row : row + 1], prediction, output)
    explained = CaseRows(rows.dec, shown, None, rows.seed, found=found)
    return Case(explained, row, output, found, values is not None, reply)
