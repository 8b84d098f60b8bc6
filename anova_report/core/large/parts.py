"""Tables in parts, which are never read whole: folders of Parquet files, lazy frames, and Dask collections."""

import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.input.exposure import read_exposure
from anova_report.core.libraries import library
from anova_report.errors import AnovaReportError, InputError, InputTypeError, listing

FOOTER_END = 8  # bytes behind a footer: its length, and four letters
BATCH_ROWS = BLOCK_ROWS * 8  # of a part that are read at once: bounds memory, and a batch more costs little


@dataclass(frozen=True, eq=False)
class TablePart:
    """A piece of a table that can be read alone."""

    name: str  # what messages call it
    read: Callable[[Sequence[str] | None], Iterator[Any]]  # tables of some columns, or all, one after the other

    def tables(self, columns: Sequence[str] | None) -> Iterator[Any]:
        """Read the part; whatever is wrong with it, the message says which part it is."""
        try:
            yield from self.read(columns)
        except AnovaReportError:
            raise
        except (ValueError, OSError, KeyError, TypeError) as error:
            words = " ".join(str(error).split()).rstrip(".")
            raise InputError(f"{self.name} cannot be read ({words:.300}). Write it again, or leave it out.") from error


@dataclass(frozen=True, eq=False)
class TableParts:
    """A table in parts, in a fixed order."""

    parts: tuple[TablePart, ...]
    names: tuple[str, ...] | None  # of the columns; None where they have none
    delayed: tuple[Any, ...] = ()  # the parts as Dask knows them, if it does
    chosen: tuple[str, ...] | None = None  # columns that are read; all by default

    def select(self, columns: Sequence[str]) -> "TableParts":
        """Read some columns only, in this order."""
        unknown = [name for name in columns if name not in (self.names or ())]
        if unknown:
            known = listing(self.names or (), limit=20)
            raise InputError(f"There is no column {unknown[0]!r} in the table; its columns are {known}.")
        return replace(self, chosen=tuple(columns))

    def tables(self) -> Iterator[Any]:
        """Read all parts, one after the other."""
        for part in self.parts:
            yield from part.tables(self.chosen)


def open_parts(X: Any) -> TableParts | None:
    """Recognize what holds a table in parts; None for anything else.

    Examples
    --------
    >>> open_parts([[1.0, 2.0]]) is None
    True
    """
    if isinstance(X, str | os.PathLike):
        return parquet_parts([Path(X)])
    if isinstance(X, list | tuple) and X and all(isinstance(each, str | os.PathLike) for each in X):
        return parquet_parts([Path(each) for each in X])
    room = type(X).__module__.partition(".")[0]
    if is_dask(X):
        return _dask(X)
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:  # a table in memory; what is wrong with its names is said where it is read
        return None
    if not isinstance(frame, nw.LazyFrame):
        return None
    if room not in LAZY:
        raise InputTypeError(
            f"X is a lazy frame of {room}, which cannot be read in batches here. Pass a table in memory, a folder of "
            "Parquet files, or a lazy frame of polars or DuckDB."
        )
    names = tuple(frame.collect_schema().names())
    return TableParts((TablePart(f"The {room} frame", partial(LAZY[room], X)),), names)


def _polars(frame: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    chosen = frame if columns is None else frame.select(list(columns))
    yield from _method(chosen, "collect_batches", "polars 1.34")(chunk_size=BATCH_ROWS, maintain_order=True)


def _duckdb(relation: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    arrow = library("pyarrow", "Reading from DuckDB")
    chosen = (
        relation if columns is None else relation.select(*('"' + name.replace('"', '""') + '"' for name in columns))
    )
    for batch in _method(chosen, "to_arrow_reader", "DuckDB 1.5")(BATCH_ROWS):
        yield arrow.Table.from_batches([batch])


def _method(frame: Any, name: str, since: str) -> Callable[..., Any]:
    """Find a method that earlier versions of a library do not have."""
    if not hasattr(frame, name):
        raise InputError(
            f"This lazy frame cannot be read in batches, which takes {since} or newer. Install that, or pass a table "
            "in memory."
        )
    found: Callable[..., Any] = getattr(frame, name)
    return found


LAZY: dict[str, Callable[[Any, Sequence[str] | None], Iterator[Any]]] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "_duckdb": _duckdb,
}


def parquet_parts(paths: Sequence[Path]) -> TableParts:
    """List Parquet files in the order in which they are given, those of a folder by name."""
    found = [file for path in paths for file in ([path] if not path.is_dir() else sorted(path.rglob("*.parquet")))]
    found = [file for file in found if not file.is_dir()]  # a folder may be called like the files that it holds
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise InputError(f"There is no file or folder {missing}. Check the name and the folder ({Path.cwd()}).")
    if not found:
        raise InputError(f"There is no Parquet file in {listing([str(path) for path in paths])}.")
    files = [_open(file) for file in found]
    first = next((file for file in files if file.n_rows), None)
    if first is None:
        raise InputError(f"The Parquet files of {listing([str(path) for path in paths])} have no rows.")
    for file in files:
        _check_schema(file, first)
    return TableParts(tuple(TablePart(file.path, file) for file in files if file.n_rows), tuple(first.schema.names))


@dataclass(frozen=True)
class FileState:
    """What stays the same of a Parquet file as long as nobody writes it again.

    Its footer says where its pages are, how long, and mostly their least and largest values; so every pass asks for
    this rather than for a digest of every byte.
    """

    size: int
    modified: int  # in nanoseconds
    footer: str  # a digest
    place: tuple[str, int, int]  # machine, device, and the number of the file there: what a link or a copy leads to

    @classmethod
    def of(cls, stream: Any) -> "FileState":
        """Look at an open file."""
        about = os.fstat(stream.fileno())
        stream.seek(max(about.st_size - FOOTER_END, 0))
        length = int.from_bytes(stream.read(FOOTER_END)[:4], "little")
        stream.seek(max(about.st_size - FOOTER_END - length, 0))
        footer = blake2b(stream.read(length), digest_size=16).hexdigest()
        return cls(about.st_size, about.st_mtime_ns, footer, (socket.gethostname(), about.st_dev, about.st_ino))

    def agrees(self, other: "FileState") -> bool:
        """Whether two looks, perhaps from two machines, were at the same file."""
        elsewhere = self.place[0] != other.place[0]
        return (elsewhere or self.place == other.place) and replace(self, place=other.place) == other


@dataclass(frozen=True, eq=False)
class ParquetPart:
    """One Parquet file, as it was when it was opened first."""

    path: str
    footer: Any  # its metadata
    state: FileState

    @property
    def n_rows(self) -> int:
        """How many rows it holds."""
        return int(self.footer.num_rows)

    @property
    def schema(self) -> Any:
        """Names and types of its columns."""
        return self.footer.schema.to_arrow_schema()

    def __call__(self, columns: Sequence[str] | None, groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Read some columns, some rows at a time, of all row groups or some."""
        arrow, parquet = library("pyarrow", "Reading Parquet"), library("pyarrow.parquet", "Reading Parquet")
        names = list(self.schema.names if columns is None else columns)
        # Python's own file: those of Arrow cannot be looked at before its version 22.
        with Path(self.path).open("rb") as stream, parquet.ParquetFile(stream) as file:
            self._require_unchanged(stream)
            for batch in file.iter_batches(BATCH_ROWS, columns=names, row_groups=groups):
                table = arrow.Table.from_batches([batch]).select(names)
                for position, own in enumerate(table.schema):
                    if arrow.types.is_decimal(own.type):
                        table = table.set_column(position, own.name, table.column(position).cast(arrow.float64()))
                yield table
            self._require_unchanged(stream)

    def _require_unchanged(self, stream: Any) -> None:
        if not self.state.agrees(FileState.of(stream)):
            raise InputError(
                f"{self.path} was written again during the run, which would mix its old rows with its new ones. Run it "
                "again when nobody writes to it."
            )

    def row_groups(self) -> Iterator[TablePart]:
        """List the row groups, each a part that may be read alone."""
        for group in range(self.footer.num_row_groups):
            yield TablePart(f"{self.path} (row group {group})", partial(self, groups=[group]))


def _open(file: Path) -> ParquetPart:
    parquet = library("pyarrow.parquet", f"Reading {file}")
    if not file.is_file():  # a pipe would be waited for
        raise InputError(f"{file} is no ordinary file. Leave it out.")
    try:
        with file.open("rb") as stream:
            state = FileState.of(stream)
            stream.seek(0)
            return ParquetPart(str(file), parquet.read_metadata(stream), state)
    except (ValueError, OSError) as error:
        words = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"{file} is not a whole Parquet file ({words:.200}). Write it again, or leave it out."
        ) from error


def _check_schema(file: ParquetPart, first: ParquetPart) -> None:
    """Refuse a file with other columns, or with a column of another kind, than the first, or two of one name."""
    ours, theirs = first.schema, file.schema
    twice = sorted(name for name, count in Counter(theirs.names).items() if count > 1)
    if twice:
        raise InputError(
            f"{file.path} has more than one column named {listing(twice)}. Give every column its own name."
        )
    if set(ours.names) != set(theirs.names):
        differ = sorted(set(ours.names) ^ set(theirs.names))
        raise InputError(
            f"{file.path} has other columns than {first.path}: only one of them has {listing(differ)}. Write the same "
            "columns into every file."
        )
    for name in ours.names:
        kinds = {_kind(each.field(name).type) for each in (ours, theirs)}
        if len(kinds - {"nothing"}) > 1:
            raise InputError(
                f"Column {name!r} is {theirs.field(name).type} in {file.path} and {ours.field(name).type} in "
                f"{first.path}. Convert it to one type."
            )


def _kind(arrow_type: Any) -> str:
    types = library("pyarrow.types", "Reading Parquet")
    if types.is_null(arrow_type):
        return "nothing"
    if types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "numbers"
    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return "text" if types.is_string(arrow_type) or types.is_large_string(arrow_type) else str(arrow_type)


def _dask(X: Any) -> TableParts:
    """Take the partitions of a Dask frame, or the row blocks of an array."""
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        delayed, names = tuple(X.to_delayed()), tuple(str(name) for name in X.columns)
    elif hasattr(X, "rechunk") and X.ndim == 2:
        delayed, names = tuple(X.rechunk({1: -1}).to_delayed().ravel()), None
    else:
        raise InputTypeError(
            f"X is a {type(X).__name__} of Dask, which is no table of rows and columns. Pass a dask.dataframe, or a "
            "dask.array of two dimensions."
        )
    return TableParts(partitions(delayed), names, delayed)


def is_dask(X: Any) -> bool:
    """Whether something is a collection of Dask."""
    return type(X).__module__.partition(".")[0] == "dask"


def over_partitions(X: Any, function: Callable[[Any], Any], width: tuple[int, ...]) -> Any:
    """Apply a function to every partition of a Dask collection, shape (n_rows, *width); nothing is computed yet."""
    array, delayed = library("dask.array", "A Dask collection"), library("dask", "A Dask collection").delayed
    shape = (np.nan, *width)
    made = [array.from_delayed(delayed(function)(part), shape, dtype=float) for part in _dask(X).delayed]
    return array.concatenate(made)


def on_dask(parts: TableParts) -> TableParts:
    """Let the workers of a cluster read Parquet files, row group by row group."""
    delayed = library("dask", "A cluster").delayed
    pieces = [piece for part in parts.parts for piece in part.read.row_groups()]  # type: ignore[attr-defined]
    made = tuple(delayed(_whole, pure=False)(piece, parts.chosen) for piece in pieces)
    return replace(parts, parts=tuple(pieces), delayed=made)


def _whole(part: TablePart, columns: Sequence[str] | None) -> Any:
    return library("pyarrow", "Reading Parquet").concat_tables(part.tables(columns))


def partitions(delayed: Sequence[Any]) -> tuple[TablePart, ...]:
    """Let partitions that Dask knows be read in this process."""
    return tuple(TablePart(f"Partition {at}", partial(_compute, each)) for at, each in enumerate(delayed))


def _compute(delayed: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    """Make one partition in this process."""
    table = delayed.compute(scheduler="threads")
    if len(table):
        yield choose(table, columns)


def choose(table: Any, columns: Sequence[str] | None) -> Any:
    """Choose columns of a table that is in memory."""
    return table if columns is None else nw.from_native(table).select(list(columns)).to_native()


def column_values(table: Any, names: Sequence[str]) -> Any:
    """Read one or several columns of a table as an array of shape (n_rows,) or (n_rows, n_names)."""
    frame = nw.from_native(table)
    found = [np.asarray(frame[name].to_numpy()) for name in names]
    return found[0] if len(found) == 1 else np.column_stack(found)


def parts_exposure(parts: TableParts, name: str) -> None:
    """Check the column of a table in parts that holds the exposure of each row."""
    tables = parts.select([name]).tables()
    values = np.concatenate([np.asarray(column_values(table, [name])) for table in tables])
    read_exposure(values, len(values), f"Column {name!r}")
