"""What a fit gets of each part of a table: inputs, and predictions that are columns of it or that a model makes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import LOOKED_AT_ROWS, Floats
from anova_report.core.input.black_box import ask, ask_where_possible
from anova_report.core.input.predictions import Predictions, read_predictions
from anova_report.core.input.scales import Scale
from anova_report.core.input.table import InputTable, open_table
from anova_report.core.large.parts import TableParts, choose, column_values, partitions
from anova_report.core.large.spans import BlockFile
from anova_report.core.libraries import library
from anova_report.core.randomness import stream
from anova_report.errors import InputError, InputTypeError, ModelError

Chunk: TypeAlias = Any  # a table and its predictions, and perhaps its weights
Predict: TypeAlias = Callable[[Any], Predictions]  # from a table in memory


@dataclass(frozen=True, eq=False)
class InColumns:
    """Predictions that are columns of the table."""

    names: tuple[str, ...]

    def __call__(self, table: Any) -> Predictions:
        """Read the predictions of some rows."""
        found = read_predictions(column_values(table, self.names), open_table(table).shape[0])
        return replace(found, names=self.names)


@dataclass(frozen=True, eq=False)
class AskModel:
    """Predictions that a model makes; it gets rows as pandas frames, if the table has names, or arrays."""

    model: Any
    columns: tuple[str, ...] | None  # that the model takes; all by default
    scale: Scale
    output: Any
    batch_size: int

    def __call__(self, table: Any) -> Predictions:
        """Ask the model about some rows."""
        return ask(self.model, self._rows(table), **self._how)

    def where_possible(self, table: Any) -> tuple[Floats, NDArray[np.bool_]]:
        """Ask the model about rows for which it may have no finite prediction, and say for which it has."""
        return ask_where_possible(self.model, self._rows(table), **self._how)

    def _rows(self, table: Any) -> InputTable:
        return open_table(for_model(choose(table, self.columns)))

    @property
    def _how(self) -> dict[str, Any]:
        return {"scale": self.scale, "output": self.output, "batch_size": self.batch_size, "progress": False}


def for_model(table: Any) -> Any:
    """Write rows as models take them: pyarrow tables as pandas frames."""
    if type(table).__module__.partition(".")[0] != "pyarrow":
        return table
    # Without its metadata, which may be damaged, the index of a pandas frame is a column like any other.
    return table.replace_schema_metadata(None).to_pandas(date_as_object=False)


@dataclass(frozen=True, eq=False)
class Paired:
    """Rows whose predictions come beside them."""

    X: Any
    y: Any

    def __len__(self) -> int:
        return len(self.X)


def _paired(found: Paired) -> Predictions:
    return read_predictions(found.y, len(found))


@dataclass(frozen=True, eq=False)
class PartRows:
    """A table in parts with its predictions."""

    parts: TableParts
    predict: Predict
    inputs: tuple[str, ...] | None = None  # columns that are explained; all by default
    weight: str | None = None  # column that says how much rows count

    @classmethod
    def in_columns(cls, parts: TableParts, y: Any, others: Sequence[str] = (), weight: str | None = None) -> "PartRows":
        """Take the predictions from columns, by name; these and `others` are not explained."""
        if parts.delayed and hasattr(y, "to_delayed"):
            return cls(_beside(parts, y), _paired)
        names = (y,) if isinstance(y, str) else tuple(y) if isinstance(y, list | tuple) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise InputTypeError(
                f"X is a table in parts, so that y must name the column(s) of X that hold the predictions; got "
                f"{type(y).__name__}. Pass the name, or ask a model: explain(model, X)."
            )
        parts.select(names)  # refuses names that are not there
        inputs = tuple(name for name in parts.names or () if name not in (*names, *others, weight))
        return cls(parts, InColumns(names), inputs, weight)

    @classmethod
    def of_model(
        cls, parts: TableParts, model: Any, others: Sequence[str], weight: str | None, **asked: Any
    ) -> "PartRows":
        """Let a model make the predictions: it gets the columns it names, or all but `others` and the weights."""
        left_out = [name for name in (*others, weight) if name is not None]
        parts.select(left_out)  # refuses names that are not there
        names = [str(name) for name in getattr(model, "feature_names_in_", ())]
        if not names or not set(names) <= set(parts.names or ()):
            names = [name for name in parts.names or () if name not in left_out]
        columns = tuple(names) or None
        return cls(parts, AskModel(model, columns, **asked), columns, weight)

    def of_table(self, table: Any) -> "Chunk":
        """Divide a table in memory into inputs, predictions and perhaps weights; rows without weight are not asked."""
        if self.weight is None:
            return self.inputs_of(table), self.predict(table)
        weights = np.asarray(column_values(table, [self.weight]))
        counting = np.flatnonzero(weights != 0)
        if not counting.size:
            return choose(table, self.inputs)[:0], np.zeros(0), weights[:0]
        found = self.predict(take(table, counting))
        values = np.zeros((len(weights), found.values.shape[1]))
        values[counting] = found.values
        return choose(table, self.inputs), replace(found, values=values), weights

    def inputs_of(self, table: Any) -> Any:
        """Choose what is explained of a table in memory."""
        return table.X if isinstance(table, Paired) else choose(table, self.inputs)

    def column(self, name: str | None) -> Any:
        """Read one column of all parts."""
        if name is None:
            return None
        return np.concatenate([column_values(table, [name]) for table in self.parts.select([name]).tables()])

    def chunks(self) -> "Iterator[Chunk]":
        """Read all parts in this process, one after the other."""
        for part in self.parts.parts:
            for table in part.tables(self.parts.chosen):
                yield named_by(part.name, self.of_table, table)


def _beside(parts: TableParts, y: Any) -> TableParts:
    """Put partitions of predictions beside those of a table."""
    others = np.ravel(y.to_delayed())
    if len(others) != len(parts.delayed):
        raise InputError(
            f"X has {len(parts.delayed)} partitions and y has {len(others)}. Divide both in the same way: "
            "y.rechunk(X.chunks[0]), or take y from the same frame as X."
        )
    pair = library("dask", "A Dask collection").delayed(Paired)
    delayed = tuple(pair(X, own) for X, own in zip(parts.delayed, others, strict=True))
    return replace(parts, parts=partitions(delayed), delayed=delayed)


def named_by(name: str, work: Callable[..., Any], *given: Any) -> Any:
    """Do something with a part of a table; if it fails, say which part it was."""
    try:
        return work(*given)
    except ModelError as error:
        raise type(error)(f"{name}: {error}", rows=error.rows) from error
    except InputTypeError as error:
        raise InputTypeError(f"{name}: {error}") from error
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


class AskedOnce(AbstractContextManager["AskedOnce"]):
    """Chunks whose predictions are made in the first pass and kept in a temporary file for the others."""

    def __init__(self, rows: PartRows) -> None:
        self._rows, self._file, self._complete = rows, BlockFile(), False

    def __call__(self) -> "Iterator[Chunk]":
        """Read all chunks with their predictions."""
        if self._complete:
            tables = (self._rows.inputs_of(table) for table in self._rows.parts.tables())
            yield from ((X, *others) for X, others in zip(tables, self._file.read(), strict=True))
            return
        for X, *others in self._rows.chunks():
            self._file.write(others)
            yield X, *others
        self._complete = True  # reached only when the whole pass was wanted

    def __exit__(self, *error: object) -> None:
        self._file.close()


def sampled_positions(n_rows: int, seed: int) -> NDArray[np.intp]:
    """Draw rows of a table in parts that pages show, in the order of the table."""
    if n_rows <= LOOKED_AT_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(seed, "rows of pages").choice(n_rows, size=LOOKED_AT_ROWS, replace=False, shuffle=False))


def rows_at(chunks: "Callable[[], Iterator[Chunk]]", positions: NDArray[np.intp]) -> tuple[list[Any], Floats]:
    """Read some rows of all chunks: tables of them, and their predictions."""
    start, tables, predictions = 0, [], []
    for X, y, *_ in chunks():
        own = positions[slice(*np.searchsorted(positions, (start, start + len(y.values))))] - start
        start += len(y.values)
        if own.size:
            tables.append(take(X, own))
            predictions.append(y.values[own])
    return tables, np.concatenate(predictions)


def take(table: Any, at: NDArray[np.intp]) -> Any:
    """Choose rows of a table in memory, as models take them."""
    frame = nw.from_native(table, pass_through=True)
    return for_model(frame[at].to_native()) if isinstance(frame, nw.DataFrame) else table[at]
