import contextlib
import gzip
import os
import tracemalloc
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report.errors import InputError
from anova_report.report.sources.tables import read_table

MIXED = "age,job,hired,member\n31,clerk,2021-03-04,True\n,?,,False\n45,NA,2020-12-31,True\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_csv_file_keeps_numbers_text_dates_and_missing_values(tmp_path):
    frame = read_table(write(tmp_path, "people.csv", MIXED))
    assert frame["age"].tolist()[::2] == [31.0, 45.0]
    assert frame["job"].tolist()[0] == "clerk"
    assert frame["job"].isna().tolist() == [False, True, True]
    assert frame["hired"].dtype.kind == "M"
    assert frame["hired"].isna().tolist() == [False, True, False]
    assert frame["hired"][2] == pd.Timestamp("2020-12-31")
    assert frame["member"].tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("name", "separator"), [("a.tsv", "\t"), ("a.csv", ";"), ("a.csv", "|"), ("a.CSV", ","), ("a.csv", "\t")]
)
def test_the_separator_is_taken_from_the_header(tmp_path, name, separator):
    frame = read_table(write(tmp_path, name, separator.join("xyz") + "\n" + separator.join("123") + "\n"))
    assert frame.to_dict("list") == {"x": [1], "y": [2], "z": [3]}


def test_a_packed_file_reads_like_the_plain_one(tmp_path):
    plain = read_table(write(tmp_path, "people.csv", MIXED))
    packed = read_table(write(tmp_path, "people.csv.gz", gzip.compress(MIXED.encode(), mtime=0)))
    pd.testing.assert_frame_equal(plain, packed)


@pytest.mark.parametrize("cell", ["2023-02-31", "2023-13-01", "31.12.2023", "2023", "20230101"])
def test_what_is_not_an_iso_date_stays_what_it_is(tmp_path, cell):
    frame = read_table(write(tmp_path, "a.csv", f"when\n2023-01-01\n{cell}\n"))
    assert frame["when"].tolist() == ["2023-01-01", cell]


def test_parquet_keeps_levels_dates_decimals_and_the_index_as_a_column(tmp_path):
    frame = pd.DataFrame(
        {
            "level": pd.Categorical(["b", "a", None], categories=["b", "a"], ordered=True),
            "day": [date(2024, 1, 1), None, date(2024, 1, 3)],
            "price": [Decimal("1.50"), Decimal("2.25"), None],
        },
        index=["p", "q", "r"],
    )
    frame.to_parquet(tmp_path / "a.parquet")
    read = read_table(tmp_path / "a.parquet")
    assert read["level"].cat.categories.tolist() == ["b", "a"]
    assert read["day"].dtype.kind == "M"
    np.testing.assert_array_equal(read["price"], [1.5, 2.25, np.nan])
    assert read["__index_level_0__"].tolist() == ["p", "q", "r"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.ods", b"PK", r"cannot be read by its ending; tables end in \.csv, .*Save it as CSV or Parquet"),
        ("a.csv", b"", r"is empty \(0 bytes\)"),
        ("a.csv", b"\n\n", "nothing but empty lines"),
        ("a.csv", b"x,y\n", r"2 column\(s\) but no rows"),
        ("a.csv", b"x,y\n1,2\n1,2,3\n", "is not a table: Expected 2 fields in line 3, saw 3"),
        ("a.csv", b"x,y\n1,2,3\n1,2,3\n", "is not a table: its rows have more cells than its header"),
        ("a.csv", "straße\nß\n".encode("latin-1"), r"is not text in utf-8 .*--encoding latin-1"),
        ("a.csv", "x,y\n1,2\n".encode("utf-16"), "is not text in utf-8"),
        ("a.csv", b"x,y,x\n1,2,3\n", r"more than one column named 'x'"),
        ("a.csv.gz", b"x,y\n1,2\n", r"ends in \.gz but cannot be unpacked"),
        ("a.csv.gz", gzip.compress(MIXED.encode(), mtime=0)[:-12], r"ends in \.gz but cannot be unpacked"),
        ("a.parquet", b"x,y\n1,2\n", "is not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_a_sentence(tmp_path, name, content, words):
    path = write(tmp_path, name, content)
    with pytest.raises(InputError, match=words) as refused:
        read_table(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"There is no file .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path / "folder.csv")


def test_the_encoding_can_be_named_and_must_exist(tmp_path):
    path = write(tmp_path, "a.csv", "straße\nß\n".encode("latin-1"))
    assert read_table(path, encoding="latin-1").to_dict("list") == {"straße": ["ß"]}
    with pytest.raises(InputError, match="There is no encoding 'klingon'"):
        read_table(path, encoding="klingon")


def test_rows_that_are_too_short_are_counted_and_noted(tmp_path):
    (tmp_path / "a.csv").write_text('a,b\n1,2\n3\n"4\n",5\n\n6,\n', encoding="utf-8")
    frame = read_table(tmp_path / "a.csv")
    assert frame.attrs["notes"] == ("1 of 4 rows have fewer cells than the header; what they lack counts as missing.",)


def test_what_is_taken_for_missing_or_for_a_date_is_counted_and_noted(tmp_path):
    path = write(tmp_path, "a.csv", "a,b,when\n1,-,2024-01-01\nn.a.,x,\n3,None,2024-01-03\nNA,,2024-01-04\n")
    frame = read_table(path)
    assert frame.attrs["notes"] == (
        "Read as missing: 3 cells of 'a', 'b' that say '-', 'None', 'n.a.'.",
        "Read as dates: 'when'.",
    )
    assert [(item.column, item.share) for item in frame.attrs["unread"]] == [("a", 0.25), ("b", 0.5)]


AWKWARD = 'x;"a name\n in two lines";;p\n' + "".join(
    f'{at};"te""xt;\n{at % 7}";{"" if at % 5 else 7};{at / 8}\n' + "\n  \n" * (at % 3 == 0) for at in range(300)
)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_some_rows_are_those_of_the_whole_table_and_nothing_else_is_held(tmp_path, ending, monkeypatch):
    whole = read_table(write(tmp_path, "whole.csv", AWKWARD.replace("\n in two lines", "")))
    path = write(tmp_path, f"a.{ending}", gzip.compress(AWKWARD.encode(), mtime=0) if ending == "csv.gz" else AWKWARD)
    if ending == "parquet":
        whole.to_parquet(path, row_group_size=70)
        monkeypatch.setattr("anova_report.report.sources.tables.BATCH", 33)
    else:
        whole = read_table(path)
    rows = np.array([0, 1, 65, 66, 200, 299])
    pd.testing.assert_frame_equal(read_table(path, rows=rows), whole.iloc[rows], check_dtype=False)
    assert len(read_table(path, columns=())) == 300
    np.testing.assert_array_equal(read_table(path, columns=["p"])["p"], whole["p"])
    with pytest.raises(InputError, match="no column 'q'"):
        read_table(path, columns=["q"])


def test_a_sample_takes_the_memory_of_its_rows_only(tmp_path):
    row = ",".join(["0.123456789"] * 20) + "\n"
    path = write(tmp_path, "a.csv", ",".join(f"x{at}" for at in range(20)) + "\n" + row * 20_000)  # five megabytes
    tracemalloc.start()
    try:
        assert len(read_table(path, columns=())) == 20_000
        assert read_table(path, rows=np.arange(0, 20_000, 200)).shape == (100, 20)
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()


def test_rows_that_are_too_long_are_refused_in_a_sample_too(tmp_path):
    path = write(tmp_path, "a.csv", "x,y\n1,2\n1,2,3\n")
    with pytest.raises(InputError, match="is not a table: Expected 2 fields in line 3, saw 3"):
        read_table(path, rows=np.array([0]))


def test_damaged_parquet_files_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": range(50), "b": ["x", "y"] * 25}).to_parquet(path)
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(whole)
        for at in random.integers(0, len(whole), size=3):
            damaged[at] = random.integers(256)
        path.write_bytes(damaged)
        with contextlib.suppress(InputError):
            read_table(path)


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_header_of_many_columns_is_read(tmp_path, separator):
    names = [f"measurement_{at}" for at in range(20_000)]
    text = "\n".join([separator.join(names), separator.join(["1"] * 20_000), separator.join(["2"] * 20_000)])
    frame = read_table(write(tmp_path, "wide.csv", text))
    assert list(frame.columns) == names
    assert frame["measurement_19999"].tolist() == [1, 2]


def test_a_packed_file_that_unpacks_to_far_more_than_a_table_is_refused_before_it_is_held(tmp_path):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 60_000_000, mtime=0)
    path = write(tmp_path, "bomb.csv.gz", packed)
    del packed
    tracemalloc.start()
    with pytest.raises(InputError, match=r"would unpack to more than 200\.0 MB"):
        read_table(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_and_links_to_themselves_are_no_tables(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(InputError, match=r"pipe\.csv is no ordinary file"):
        read_table(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match=r"There is no file .*loop\.csv"):
        read_table(tmp_path / "loop.csv")
