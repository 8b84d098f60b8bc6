"""The cells of an Excel workbook as text, so that a table in it is read by the rules of a CSV file."""

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from anova_report.core.input.table import NAMES_SHOWN
from anova_report.core.libraries import library
from anova_report.errors import InputError, listing
from anova_report.io.files import MEGABYTE, size_in_words

# A workbook unpacks to some ten times its packed size; more than this is one cell repeated.
LEAST_UNPACKED, MOST_UNPACKED = 200 * MEGABYTE, 200


def workbook_lines(file: Path) -> tuple[list[list[str]], tuple[str, ...]]:
    """Read the first sheet, blank lines left out, and say so where there are others; of formulas their last results.

    Raises
    ------
    InputError
        If it is no workbook, would unpack to far more than tables do, or its first sheet is empty.
    """
    openpyxl = library("openpyxl", f"Reading {file}")
    try:
        _require_bounded(file)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            sheets = book.worksheets
            lines = [list(map(_text, row)) for row in sheets[0].iter_rows(values_only=True)] if sheets else []
        finally:
            book.close()
    except InputError:
        raise
    except Exception as error:  # of a damaged file openpyxl raises whatever it meets
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{file} is not an .xlsx workbook ({reason}). Save the table again.") from error
    filled = [line for line in lines if any(line)]
    if not filled:
        raise InputError(f"The first sheet of {file} is empty. Move the table there, its names in the first line.")
    width = max(at + 1 for at, name in enumerate(filled[0]) if name)
    titles = [sheet.title for sheet in sheets]
    note = f"Read: the sheet {titles[0]!r}. Left out: {listing(titles[1:], NAMES_SHOWN)}."
    return [_cut(line, width) for line in filled], (note,) if len(titles) > 1 else ()


def _require_bounded(file: Path) -> None:
    most = max(LEAST_UNPACKED, MOST_UNPACKED * file.stat().st_size)
    with zipfile.ZipFile(file) as packed:
        if sum(entry.file_size for entry in packed.infolist()) > most:
            raise InputError(
                f"{file} would unpack to more than {size_in_words(most)}, far more than a table. Save it as CSV."
            )


def _cut(line: list[str], width: int) -> list[str]:
    """Leave out empty cells beyond the header; others stay, and are refused as in a CSV file."""
    while len(line) > width and not line[-1]:
        line = line[:-1]
    return line


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds())
    return repr(cell) if isinstance(cell, float) else str(cell)
