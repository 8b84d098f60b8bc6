"""Rows mixed from cells of a table keep its form, its types and its values."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anova_report.compare.methods.cells import Cells, mix, pick
from anova_report.core.input.table import open_table

FRAME = pd.DataFrame(
    {
        "size": [1.5, np.nan, 0.5, 1.5],
        "color": pd.Categorical(["red", "blue", "red", "green"], categories=["red", "green", "blue"]),
        "day": pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01", "2024-01-01"]),
        "count": [4, 3, 2, 1],
    },
    index=[7, 7, 3, 1],  # labels that repeat and do not ascend must not matter
)
POSITIONS = np.array([[0, 1, 2, 3], [3, 3, 0, 0], [1, 0, 1, 2]])


def plain(table: Any) -> list[list[Any]]:
    """Rows of a pandas, polars or pyarrow table as Python values, a missing value as None."""
    frame = table if isinstance(table, pd.DataFrame) else table.to_pandas()
    return [[None if pd.isna(value) else str(value) for value in row] for row in frame.itertuples(index=False)]


EXPECTED = [
    ["1.5", "blue", "2024-02-01 00:00:00", "1"],
    ["1.5", "green", "2024-03-01 00:00:00", "4"],
    [None, "red", "2024-01-01 00:00:00", "2"],
]


@pytest.mark.parametrize("form", [lambda x: x, pl.from_pandas, lambda x: pa.Table.from_pandas(x, preserve_index=False)])
def test_every_cell_comes_from_the_row_it_was_taken_from(form: Any) -> None:
    table = form(FRAME)
    mixed = mix(open_table(table), POSITIONS).rows(0, 3)
    assert type(mixed) is type(table)
    assert plain(mixed) == EXPECTED


def test_arrays_stay_arrays_of_their_type() -> None:
    array = np.array([[1, 10], [2, 20], [3, 30]], dtype=np.int32)
    mixed = mix(open_table(array), np.array([[2, 0], [0, 1]])).rows(0, 2)
    assert mixed.dtype == np.int32
    assert mixed.tolist() == [[3, 10], [1, 20]]


@pytest.mark.parametrize("form", [lambda x: x, pl.from_pandas, lambda x: pa.Table.from_pandas(x, preserve_index=False)])
def test_a_table_put_together_from_its_own_codes_is_the_table(form: Any) -> None:
    table = form(FRAME)
    cells = Cells.of(open_table(table))
    assert plain(cells.mixed(cells.codes).rows(0, 4)) == plain(table)


def test_rows_are_picked_by_position_not_by_label() -> None:
    assert pick(open_table(FRAME), np.array([2, 0])).rows(0, 2)["count"].tolist() == [2, 4]
    assert pick(open_table([[1, 2], [3, 4]]), np.array([1])).rows(0, 1).tolist() == [[3, 4]]
