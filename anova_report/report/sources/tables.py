"""Reading the tables of the command line: CSV, Parquet and Excel, with errors that say what to fix."""

import codecs
import csv
import gzip
import io
import itertools
import os
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.input.table import NAMES_SHOWN
from anova_report.core.libraries import library
from anova_report.errors import InputError, listing
from anova_report.io.files import MEGABYTE, size_in_words
from anova_report.measures.column_roles import Unread
from anova_report.report.sources.inputs import require_columns
from anova_report.report.sources.workbooks import workbook_lines

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx")
SEPARATORS = (",", ";", "\t", "|")
# Beside what pandas takes for missing; the second is how the UCI repository writes it.
MISSING = ("?", " ?", "n.a.", "N.A.", "-")
GUESSED = {*MISSING, "None"}  # what may mean something else; "NA" and the like do not
BATCH = 65_536  # rows of a Parquet file that are read at once
LONGEST_LINE = 50_000_000  # letters of a header: of a million columns with long names
# A table unpacks to some five times its packed size, one of zeros to some hundred times; more is one line repeated.
LEAST_UNPACKED, MOST_UNPACKED = 200 * MEGABYTE, 200
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


def read_table(
    path: str | os.PathLike[str],
    *,
    encoding: str = "utf-8",
    columns: Sequence[str] | None = None,
    rows: NDArray[np.intp] | None = None,
) -> pd.DataFrame:
    """Read a table from a CSV, Parquet or Excel file, or a part of it: then no more than that part is held in memory.

    Text stays text, empty cells, "NA" and "?" are missing, and a column of ISO dates becomes dates. Which character
    separates the cells of a CSV file is taken from its header.

    Parameters
    ----------
    path : path
        Ending in .csv, .tsv (either may be followed by .gz), .parquet or .xlsx, of which the first sheet is read.
    encoding : str
        Encoding of the text in a CSV file.
    columns : sequence of str, optional
        The only columns to read; without any, the frame tells how many rows there are.
    rows : array of int, optional
        Positions of the only rows to read, ascending.

    Returns
    -------
    DataFrame
        The index is the position of a row in the file; `attrs` holds "notes", sentences on what was converted, and
        "unread", the cells that were taken for missing ones.

    Raises
    ------
    InputError
        If there is no such file, or it is empty, not a table, or not in this encoding.
    """
    file = Path(path)
    if not file.name.lower().endswith(ENDINGS):
        raise InputError(
            f"{file} cannot be read by its ending; tables end in {', '.join(ENDINGS)}. Save it as CSV or Parquet."
        )
    _require_file(file)
    ending = file.suffix.lower()
    if ending == ".parquet":
        frame = _read_parquet(file, columns, rows)
    elif ending == ".xlsx":
        frame = _read_workbook(file, columns, rows)
    else:
        frame = _read_text(file, encoding, columns, rows)
    if not len(frame):
        raise InputError(
            f"{file} has {frame.shape[1]:,} column(s) but no rows. Pass a table with some hundreds of rows."
        )
    if rows is None:
        return frame
    if len(rows) != len(frame):
        raise InputError(f"{file} has other rows than a moment ago. Run it again when nobody writes to the file.")
    return frame.set_axis(rows, axis=0)


def _require_file(file: Path) -> None:
    """Refuse what is no file that can be read."""
    try:
        if file.is_dir():
            raise InputError(f"{file} is a folder. Pass one file of it.")
        if not file.exists():
            raise InputError(f"There is no file {file}. Check the name and the folder ({Path.cwd()}).")
        if not file.is_file():  # a pipe can be read but once, and a device has no end
            raise InputError(f"{file} is no ordinary file. Save its rows as a file.")
        if not file.stat().st_size:
            raise InputError(f"{file} is empty (0 bytes).")
        if not os.access(file, os.R_OK):
            raise InputError(f"{file} may not be read by this user. Change its permissions.")
    except OSError as error:  # of a name that no file can have
        raise InputError(f"{str(file)!r:.200} cannot be opened ({error.strerror}).") from error


def _read_text(file: Path, encoding: str, columns: Sequence[str] | None, rows: NDArray[np.intp] | None) -> pd.DataFrame:
    try:
        codecs.lookup(encoding)
    except (LookupError, ValueError) as error:
        raise InputError(f"There is no encoding {encoding!r:.60}. Pass utf-8, latin-1, cp1252 or utf-16.") from error
    # A byte order mark at the start is no part of the first name.
    known = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    try:
        if file.suffix.lower() == ".gz":
            _require_bounded(file)
        names, separator = _header(file, known)
        _check_names(file, names)
        records = partial(_records, file, known, separator, len(names))
        if columns is not None or rows is not None:
            return _part(names, records(), columns, rows)
        frame = _parsed(file, sep=separator, encoding=known)
        return _with_notes(frame, records() if frame.isna().any(axis=None) else (), names)
    except (UnicodeDecodeError, UnicodeError) as error:
        raise InputError(
            f"{file} is not text in {encoding} ({error}). Save it as UTF-8, or name its encoding: --encoding latin-1."
        ) from error
    except LookupError as error:
        raise InputError(f"There is no encoding {encoding!r}. Pass utf-8, latin-1, cp1252 or utf-16.") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{file} ends in .gz but cannot be unpacked ({error}). Pack it again.") from error
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning) as error:
        raise InputError(f"{file} is not a table: {_reason(error)}. Fix the file, or quote cells.") from error


def _read_workbook(file: Path, columns: Sequence[str] | None, rows: NDArray[np.intp] | None) -> pd.DataFrame:
    (names, *records), notes = workbook_lines(file)
    names = [name or f"Unnamed: {at}" for at, name in enumerate(names)]
    _check_names(file, names)
    too_long = next((line for line in records if len(line) > len(names)), None)
    if too_long is not None:
        raise InputError(f"{file} has cells beside its table: {listing(too_long[len(names) :], 3)}. Remove them.")
    if columns is not None or rows is not None:
        return _part(names, iter(records), columns, rows)
    frame = _with_notes(_parsed(_written([names, *records])), records, names)
    frame.attrs["notes"] = (*notes, *frame.attrs["notes"])
    return frame


def _part(
    names: Sequence[str], records: Iterator[list[str]], columns: Sequence[str] | None, rows: NDArray[np.intp] | None
) -> pd.DataFrame:
    """Parse some columns, or some rows, of a table of texts."""
    if columns is not None or rows is None:
        require_columns(names, columns or ())
        return _some_columns(records, names, columns or ())
    wanted = {*rows.tolist()}
    kept = [record for at, record in enumerate(records) if at in wanted]
    return _with_notes(_parsed(_written([names, *kept])), kept, names)


def _parsed(source: Any, **options: Any) -> pd.DataFrame:
    with warnings.catch_warnings():
        # Raised when rows are longer than the header: pandas would cut them.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(source, na_values=list(MISSING), index_col=False, low_memory=False, **options)


def _records(file: Path, encoding: str, separator: str, n_columns: int) -> Iterator[list[str]]:
    """Read row after row as text, without the header and blank lines, as pandas does; too long a row is refused."""
    with _opened(file, encoding) as stream:
        lines = csv.reader(stream, delimiter=separator)
        for line in itertools.islice(_filled(lines), 1, None):
            if len(line) > n_columns:
                raise csv.Error(f"Expected {n_columns} fields in line {lines.line_num}, saw {len(line)}")
            yield line


def _some_columns(records: Iterator[list[str]], names: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    if not columns:
        return pd.DataFrame(index=range(sum(1 for _ in records)))
    places = [names.index(name) for name in columns]
    cells = ([line[at] if at < len(line) else "" for at in places] for line in records)
    return _parsed(_written(itertools.chain([columns], cells)))


def _written(lines: Iterable[Sequence[str]]) -> io.StringIO:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    text.seek(0)
    return text


def _with_notes(frame: pd.DataFrame, records: Iterable[list[str]], names: Sequence[str]) -> pd.DataFrame:
    """Turn dates into dates, and say what was converted or taken for missing, which pandas does without a word."""
    dates = {name: found for name in frame.columns if (found := _as_dates(frame[name])) is not None}
    for name, column in dates.items():
        frame[name] = column
    n_short, lacking, guessed = 0, Counter[int](), Counter[tuple[int, str]]()
    for line in records:
        n_short += len(line) < len(names)
        lacking.update(range(len(line), len(names)))
        guessed.update((at, cell.strip()) for at, cell in enumerate(line) if cell in GUESSED)
    words, n_rows = sorted({cell for _, cell in guessed}), len(frame)
    too_short = f"{n_short:,} of {n_rows:,} rows have fewer cells than the header; what they lack counts as missing."
    touched = sorted({at for at, _ in guessed} | set(lacking))
    shares = {at: (lacking[at] + sum(guessed[at, cell] for cell in words)) / n_rows for at in touched}
    in_words = listing([names[at] for at in sorted({at for at, _ in guessed})], NAMES_SHOWN)
    said = (
        (too_short, n_short),
        (f"Read as missing: {guessed.total():,} cells of {in_words} that say {listing(words)}.", guessed),
        (f"Read as dates: {listing(list(dates), NAMES_SHOWN)}.", dates),
    )
    frame.attrs["notes"] = tuple(sentence for sentence, so in said if so)
    frame.attrs["unread"] = tuple(Unread(names[at], share, "read as missing") for at, share in shares.items())
    return frame


def _reason(error: Exception) -> str:
    if isinstance(error, pd.errors.ParserWarning):
        return "its rows have more cells than its header has names"
    return " ".join(str(error).removeprefix("Error tokenizing data. C error: ").split()).rstrip(".")


def _opened(file: Path, encoding: str) -> Any:
    opener: Any = partial(gzip.open, file) if file.name.lower().endswith(".gz") else file.open
    return opener("rt", encoding=encoding, newline="")


def _require_bounded(file: Path) -> None:
    """Refuse a packed file that would unpack to far more than tables do."""
    most = max(LEAST_UNPACKED, MOST_UNPACKED * file.stat().st_size)
    with gzip.open(file) as stream:
        unpacked = 0
        while piece := stream.read(MEGABYTE):
            unpacked += len(piece)
            if unpacked > most:
                raise InputError(
                    f"{file} would unpack to more than {size_in_words(most)}, {MOST_UNPACKED} times what it has and "
                    "far more than a table. Unpack it, and pass what is inside."
                )


def _header(file: Path, encoding: str) -> tuple[list[str], str]:
    """Names of the columns, and the separator that finds most of them."""
    found = {}
    for separator in ("\t",) if ".tsv" in file.suffixes else SEPARATORS:
        with _opened(file, encoding) as stream:
            lines = iter(partial(stream.readline, LONGEST_LINE), "")
            # By another separator than its own, a header of many names is one name, too long for any reader.
            with suppress(csv.Error):
                found[separator] = next(_filled(csv.reader(lines, delimiter=separator)), None)
    if not found:
        raise csv.Error("its header holds a name of more than 131,072 letters")
    names, best = max(((names or [], separator) for separator, names in found.items()), key=lambda pair: len(pair[0]))
    if not names:
        raise InputError(f"{file} holds nothing but empty lines.")
    return [name or f"Unnamed: {at}" for at, name in enumerate(names)], best  # as pandas calls them


def _filled(lines: Iterable[list[str]]) -> Iterator[list[str]]:
    """Skip blank lines, as pandas does."""
    return (line for line in lines if len(line) > 1 or (line and line[0].strip()))


def _check_names(file: Path, names: Sequence[str]) -> None:
    twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if twice:
        raise InputError(f"{file} has more than one column named {listing(twice)}. Give every column its own name.")


def _as_dates(column: Any) -> Any:
    """Write a column of ISO dates as times (UTC where they name an offset); None if it holds anything else."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return None
    present = column.dropna()
    if present.empty or not all(isinstance(value, str) and ISO_DATE.fullmatch(value) for value in present):
        return None
    try:
        return pd.to_datetime(column, format="ISO8601", utc=True).dt.tz_localize(None)
    except ValueError:
        # 2023-02-31 looks like a date and is none.
        return None


def _read_parquet(file: Path, columns: Sequence[str] | None, rows: NDArray[np.intp] | None) -> pd.DataFrame:
    parquet, arrow = library("pyarrow.parquet", f"Reading {file}"), library("pyarrow", "Reading Parquet")
    try:
        with parquet.ParquetFile(file) as opened:
            _check_names(file, opened.schema_arrow.names)
            if columns is not None:
                require_columns(opened.schema_arrow.names, columns)
                if not columns:
                    return pd.DataFrame(index=range(opened.metadata.num_rows))
            if rows is None:
                table = opened.read(columns=columns if columns is None else list(columns))
            else:
                table = arrow.Table.from_batches(_some_rows(opened, rows), opened.schema_arrow).unify_dictionaries()
            for position, field in enumerate(table.schema):
                if arrow.types.is_decimal(field.type):
                    table = table.set_column(position, field.name, table.column(position).cast(arrow.float64()))
            # Without its metadata the index of a pandas frame is a column like any other, as in a CSV file.
            return table.to_pandas(ignore_metadata=True, date_as_object=False)
    except InputError:
        raise
    except Exception as error:  # of a damaged file pyarrow raises whatever it meets
        raise InputError(f"{file} is not a Parquet file ({_reason(error)}). Save the table again.") from error


def _some_rows(opened: Any, rows: NDArray[np.intp]) -> Iterator[Any]:
    start = 0
    for batch in opened.iter_batches(BATCH):
        first, last = np.searchsorted(rows, (start, start + len(batch)))
        if last > first:
            yield batch.take(rows[first:last] - start)
        start += len(batch)
