"""Folders of Parquet files and lazy frames: the bits of the table, however they are cut, and faults that are named."""

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.core.large import parts
from anova_report.core.large.parts import parquet_parts
from anova_report.errors import InputError, InputTypeError, ModelError
from tests.core.large.large_tables import bits, few_are_many, fit, mixed_table, write_files


@pytest.fixture(autouse=True, scope="module")
def large() -> Iterator[None]:
    with few_are_many():
        yield


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table()


@pytest.fixture(scope="module")
def expected(table) -> Decomposition:
    return fit(table[["x", "level", "z"]], table["prediction"])


@pytest.mark.parametrize("cuts", [[], [1000, 1000, 9000, 30_000]], ids=["one file", "uneven files, one empty"])
def test_files_cut_anyhow_give_the_bits_of_the_table(table, expected, cuts, tmp_path):
    folder = write_files(tmp_path / "parts", table, cuts)
    assert bits(fit(folder, "prediction")) == bits(expected)


def test_a_list_of_files_and_lazy_frames_give_the_bits_of_the_table(table, expected, tmp_path):
    folder = write_files(tmp_path / "parts", table, [20_000])
    files = [str(folder / "part-000.parquet"), folder / "part-001.parquet"]
    lazy = pl.scan_parquet(files)
    relation = duckdb.read_parquet([str(file) for file in files])
    for X in (files, lazy, relation):
        assert bits(fit(X, "prediction")) == bits(expected)


def test_a_model_is_asked_about_every_row_once_and_gets_pandas(table, tmp_path):
    asked: list[pd.DataFrame] = []

    def model(rows: pd.DataFrame) -> np.ndarray:
        asked.append(rows)
        return np.nan_to_num(rows["x"]) + rows["z"].to_numpy() * (rows["level"] == "b").to_numpy()

    rows = table[["x", "level", "z"]]
    folder = write_files(tmp_path / "parts", rows, [10_000, 25_000])
    found = explain(model, folder, random_state=0, progress=False)
    whole = explain(model, rows, random_state=0, progress=False)
    assert sum(map(len, asked)) == 2 * (len(rows) + whole.asking.n_asked)
    assert bits(found) == bits(whole)


def test_a_slow_model_of_a_small_folder_is_asked_less(table, tmp_path, monkeypatch):
    clock = iter(range(0, 10**6, 600))  # ten minutes between any two looks at it
    monkeypatch.setattr("anova_report.core.large.parts_fit.perf_counter", lambda: float(next(clock)))
    folder = write_files(tmp_path / "parts", table[["x", "z"]][:600], [300])
    dec = explain(lambda rows: rows["z"].to_numpy() ** 2, folder, random_state=0, progress=False)
    assert dec.asking.n_asked <= 1200


def test_columns_of_a_folder_are_weights_and_groups(table, tmp_path):
    rng = np.random.default_rng(1)
    more = table.assign(weight=rng.integers(0, 3, len(table)), group=rng.integers(50, size=len(table)))
    folder = write_files(tmp_path / "parts", more, [7000])
    found = fit(folder, "prediction", sample_weight="weight", groups="group")
    known = {"sample_weight": more["weight"], "groups": more["group"]}
    assert bits(found) == bits(fit(table[["x", "level", "z"]], table["prediction"], **known))


def test_a_file_that_is_cut_is_named(table, tmp_path):
    folder = write_files(tmp_path / "parts", table[:3000], [1000])
    file = folder / "part-001.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"part-001\.parquet is not a whole Parquet file"):
        fit(folder, "prediction")


def test_a_file_is_read_whose_notes_of_pandas_are_damaged(table, tmp_path):
    folder = write_files(tmp_path / "parts", table[["x", "prediction"]].iloc[:400], [])
    file = folder / "part-000.parquet"
    file.write_bytes(file.read_bytes().replace(b'"index_columns"', b'"index_\xf3&lumns"'))
    assert fit(folder, "prediction").in_sample.n_rows == 400


def test_a_file_whose_pages_are_damaged_is_named(table, tmp_path):
    folder = write_files(tmp_path / "parts", table[:9000], [1000])
    file = folder / "part-001.parquet"
    content = bytearray(file.read_bytes())
    content[100 : len(content) // 2] = b"\xff" * (len(content) // 2 - 100)
    file.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"part-001\.parquet cannot be read"):
        fit(folder, "prediction")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda part: part.assign(x=part["x"].astype(str)), r"Column 'x' is (large_)?string in .*part-001\.parquet"),
        (lambda part: part.rename(columns={"x": "y"}), r"part-001\.parquet has other columns .* 'x', 'y'"),
    ],
)
def test_a_file_of_another_schema_is_named(table, tmp_path, change, words):
    folder = write_files(tmp_path / "parts", table[:1000], [])
    change(table[1000:2000]).to_parquet(folder / "part-001.parquet")
    with pytest.raises(InputError, match=words):
        fit(folder, "prediction")


def test_a_model_that_fails_in_one_file_names_it(table, tmp_path):
    folder = write_files(tmp_path / "parts", table[["x", "z"]].iloc[:9000], [8000])

    def model(rows: pd.DataFrame) -> np.ndarray:
        if len(rows) < 8000:
            raise ValueError("no such customer")
        return rows["z"].to_numpy()

    with pytest.raises(ModelError, match=r"part-001\.parquet: The model failed .* no such customer"):
        explain(model, folder, progress=False, batch_size=10_000)


def test_what_cannot_be_read_in_parts_says_so(table, tmp_path):
    with pytest.raises(InputError, match="There is no file or folder"):
        fit(tmp_path / "nothing", "prediction")
    with pytest.raises(InputError, match="There is no Parquet file"):
        fit(tmp_path, "prediction")
    folder = write_files(tmp_path / "parts", table[:100], [])
    with pytest.raises(InputError, match="There is no column 'answer'"):
        fit(folder, "answer")
    with pytest.raises(InputTypeError, match="y must name the column"):
        fit(folder, table["prediction"][:100])
    with pytest.raises(InputError, match="cannot read a table in parts"):
        FunctionalANOVA.published().fit(folder, "prediction")


def replaced(path: Path, rows: pd.DataFrame) -> None:
    """Put another file in the place of one, as those do who write whole files."""
    rows.to_parquet(path.with_suffix(".new"), row_group_size=5000)
    path.with_suffix(".new").replace(path)


def written_over(path: Path, rows: pd.DataFrame) -> None:
    rows.to_parquet(path, row_group_size=5000)


def replaced_by_its_twin(path: Path, rows: pd.DataFrame) -> None:
    """Put another file in the place of one, of the same size, time and footer."""
    before, about = path.read_bytes(), path.stat()
    twin = path.with_suffix(".new")
    twin.write_bytes(before[:100] + rows.to_numpy().tobytes()[:50] + before[150:])
    os.utime(twin, ns=(about.st_atime_ns, about.st_mtime_ns))
    twin.replace(path)


@pytest.mark.parametrize("change", [replaced, written_over, replaced_by_its_twin])
def test_a_file_that_changes_during_a_fit_is_refused_rather_than_mixed(table, tmp_path, change):
    rows = table[["x", "z"]]
    folder = write_files(tmp_path / "parts", rows, [20_000])
    changed = []

    def model(asked: pd.DataFrame) -> np.ndarray:
        if not changed:  # while the first file is read; the second is the one that changes
            changed.append(change(folder / "part-001.parquet", 3 * rows[20_000:]))
        return asked["z"].to_numpy()

    with pytest.raises(InputError, match=r"part-001\.parquet was written again during the run"):
        explain(model, folder, progress=False)


def test_a_file_that_is_written_over_while_it_is_read_is_refused(table, tmp_path):
    folder = write_files(tmp_path / "parts", table[["x", "z"]], [])
    part = parquet_parts([folder]).parts[0].read
    batches = part(None)
    next(batches)
    os.utime(folder / "part-000.parquet", ns=(0, 0))
    with pytest.raises(InputError, match="was written again during the run"):
        list(batches)


def test_what_is_no_file_with_rows_is_refused_and_folders_called_like_files_are_looked_into(table, tmp_path):
    folder = write_files(tmp_path / "parts.parquet", table[:2000], [1000])
    outer = tmp_path / "outer"
    outer.mkdir()
    folder.rename(outer / "parts.parquet")
    assert [part.name[-12:] for part in parquet_parts([outer]).parts] == ["-000.parquet", "-001.parquet"]
    write_files(tmp_path / "empty", table[:0], [])
    with pytest.raises(InputError, match="have no rows"):
        fit(tmp_path / "empty", "prediction")
    os.mkfifo(outer / "pipe.parquet")
    with pytest.raises(InputError, match=r"pipe\.parquet is no ordinary file"):
        fit(outer, "prediction")
    (outer / "pipe.parquet").unlink()
    (outer / "pipe.parquet").symlink_to(outer / "pipe.parquet")
    with pytest.raises(InputError, match=r"pipe\.parquet is no ordinary file"):
        fit(outer, "prediction")


def test_columns_of_one_name_are_refused(tmp_path):
    twice = pa.table([pa.array([1.0, 2.0]), pa.array([1.0, 2.0])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(InputError, match=r"twice\.parquet has more than one column named 'a'"):
        fit(tmp_path, "a")


@pytest.mark.parametrize(("read", "words"), [(parts._polars, "polars 1.34 or newer"), (parts._duckdb, "DuckDB 1.5")])
def test_a_lazy_frame_of_an_earlier_version_is_refused_in_a_sentence(read, words):
    with pytest.raises(InputError, match=f"cannot be read in batches, which takes {words}"):
        next(read(object(), None))
