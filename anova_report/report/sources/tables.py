"""Reading the tables of the command line: CSV and Parquet, with errors that say what to fix."""

import csv
import gzip
import os
import re
import warnings
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types

from anova_report.core.libraries import library
from anova_report.errors import InputError, listing

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
SEPARATORS = (",", ";", "\t", "|")
# Beside what pandas takes for missing; the second is how the UCI repository writes it.
MISSING = ("?", " ?", "n.a.", "N.A.", "-")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


def read_table(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> pd.DataFrame:
    """Read a table from a CSV or Parquet file.

    Text stays text, empty cells, "NA" and "?" are missing, and a column of ISO dates becomes dates. Which character
    separates the cells of a CSV file is taken from its header.

    Parameters
    ----------
    path : path
        Ending in .csv, .tsv (either may be followed by .gz) or .parquet.
    encoding : str
        Encoding of the text in a CSV file.

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
    if file.is_dir():
        raise InputError(f"{file} is a folder. Pass one file of it.")
    if not file.exists():
        raise InputError(f"There is no file {file}. Check the name and the folder ({Path.cwd()}).")
    if not file.stat().st_size:
        raise InputError(f"{file} is empty (0 bytes).")
    if not os.access(file, os.R_OK):
        raise InputError(f"{file} may not be read by this user. Change its permissions.")
    frame = _read_parquet(file) if file.name.lower().endswith(".parquet") else _read_text(file, encoding)
    if not len(frame):
        raise InputError(f"{file} has {frame.shape[1]} column(s) but no rows. Pass a table with some hundreds of rows.")
    return frame


def _read_text(file: Path, encoding: str) -> pd.DataFrame:
    # A byte order mark at the start is no part of the first name.
    known = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    try:
        names, separator = _header(file, known)
        _check_names(file, names)
        with warnings.catch_warnings():
            # Raised when rows are longer than the header: pandas would cut them.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            options = {"na_values": list(MISSING), "index_col": False, "low_memory": False}
            frame = pd.read_csv(file, sep=separator, encoding=known, **options)
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
    short = _short_rows(file, known, separator, len(names)) if frame.iloc[:, -1].isna().any() else 0
    for name in frame.columns:
        dates = _as_dates(frame[name])
        frame[name] = frame[name] if dates is None else dates
    if short:
        said = f"{short:,} of {len(frame):,} rows have fewer cells than the header; what they lack counts as missing."
        frame.attrs["notes"] = (said,)
    return frame


def _reason(error: Exception) -> str:
    if isinstance(error, pd.errors.ParserWarning):
        return "its rows have more cells than its header has names"
    return " ".join(str(error).removeprefix("Error tokenizing data. C error: ").split()).rstrip(".")


def _short_rows(file: Path, encoding: str, separator: str, n_columns: int) -> int:
    """Count the rows that have fewer cells than there are columns; pandas fills them up without a word."""
    with _opened(file, encoding) as stream:
        return sum(0 < len(row) < n_columns for row in csv.reader(stream, delimiter=separator))


def _opened(file: Path, encoding: str) -> Any:
    opener: Any = partial(gzip.open, file) if file.name.lower().endswith(".gz") else file.open
    return opener("rt", encoding=encoding, newline="")


def _header(file: Path, encoding: str) -> tuple[list[str], str]:
    """Names of the columns, and the separator that finds most of them."""
    with _opened(file, encoding) as stream:
        line = next((line for line in stream if line.strip()), None)
    if line is None:
        raise InputError(f"{file} holds nothing but empty lines.")
    separators = ("\t",) if ".tsv" in file.suffixes else SEPARATORS
    rows = {separator: next(csv.reader([line], delimiter=separator)) for separator in separators}
    best = max(rows, key=lambda separator: len(rows[separator]))
    return rows[best], best


def _check_names(file: Path, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if name and names.count(name) > 1})
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


def _read_parquet(file: Path) -> pd.DataFrame:
    parquet = library("pyarrow.parquet", f"Reading {file}")
    try:
        with parquet.ParquetFile(file) as opened:
            _check_names(file, opened.schema_arrow.names)
            table = opened.read()
            arrow = library("pyarrow", "Reading Parquet")
            for position, field in enumerate(table.schema):
                if arrow.types.is_decimal(field.type):
                    table = table.set_column(position, field.name, table.column(position).cast(arrow.float64()))
            # Without its metadata the index of a pandas frame is a column like any other, as in a CSV file.
            return table.to_pandas(ignore_metadata=True, date_as_object=False)
    except InputError:
        raise
    except Exception as error:  # of a damaged file pyarrow raises whatever it meets
        raise InputError(f"{file} is not a Parquet file ({_reason(error)}). Save the table again.") from error
