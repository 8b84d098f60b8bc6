"""Tables in Excel workbooks are read as the same table in a CSV file."""

import zipfile
from datetime import date, datetime

import pandas as pd
import pytest

from anova_report.errors import InputError
from anova_report.report.sources import workbooks
from anova_report.report.sources.tables import read_table

openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")

LINES = [
    ["age", "job", "hired", "at", "member", None],
    [31, "clerk", date(2021, 3, 4), datetime(2021, 3, 4, 5, 6, 7), True],
    [None, "?", None, None, False],
    [None] * 5,
    [45.5, "NA", date(2020, 12, 31), datetime(2020, 1, 1, 0, 0, 1), True],
]


def write(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, lines in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {number}")
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def test_a_workbook_is_read_as_the_same_table_in_csv(tmp_path):
    frame = read_table(write(tmp_path / "people.xlsx", LINES))
    text = "age,job,hired,at,member\n31,clerk,2021-03-04,2021-03-04T05:06:07,True\n,?,,,False\n"
    (tmp_path / "people.csv").write_text(f"{text}45.5,NA,2020-12-31,2020-01-01T00:00:01,True\n", encoding="utf-8")
    same = read_table(tmp_path / "people.csv")
    pd.testing.assert_frame_equal(frame, same)
    assert frame.attrs["notes"] == same.attrs["notes"]
    assert frame.attrs["unread"] == same.attrs["unread"]


def test_of_several_sheets_the_first_is_read_and_that_is_said(tmp_path):
    frame = read_table(write(tmp_path / "a.xlsx", LINES, [["b"], [1]]))
    assert frame.attrs["notes"][0] == "Read: the sheet 'sheet 0'. Left out: 'sheet 1'."


def test_some_columns_and_some_rows_are_read(tmp_path):
    path = write(tmp_path / "a.xlsx", LINES)
    assert read_table(path, columns=["age"])["age"].dropna().tolist() == [31.0, 45.5]
    assert read_table(path, columns=[]).shape == (3, 0)
    whole = read_table(path)
    part = read_table(path, rows=whole.index.to_numpy()[[0, 2]])
    assert part.index.tolist() == [0, 2]
    assert part["job"].tolist()[0] == "clerk"


def test_of_a_formula_the_last_result_is_read(tmp_path):
    path = write(tmp_path / "a.xlsx", [["a", "b"], [1, "=1+1"]])  # no program has computed it yet
    assert read_table(path)["b"].isna().all()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "first sheet of .* is empty"),
        ([["a", "a"], [1, 2]], "more than one column named 'a'"),
        ([["a"], [1, 2]], "has cells beside its table: '2'"),
        ([["a"]], "no rows"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, lines, words):
    with pytest.raises(InputError, match=words):
        read_table(write(tmp_path / "a.xlsx", lines))


def test_what_is_no_workbook_or_too_large_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"is not an \.xlsx workbook"):
        read_table(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as packed:
        packed.writestr("nothing.txt", "")
    with pytest.raises(InputError, match=r"is not an \.xlsx workbook"):
        read_table(tmp_path / "b.xlsx")
    path = write(tmp_path / "c.xlsx", LINES)
    monkeypatch.setattr(workbooks, "LEAST_UNPACKED", 10)
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 0)
    with pytest.raises(InputError, match="far more than a table"):
        read_table(path)
