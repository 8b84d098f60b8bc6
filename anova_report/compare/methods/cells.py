"""Rows that mix the values of other rows, in the form in which the table was passed.

Most methods ask the model about rows that nobody has seen: this value here, the others from elsewhere. Every such row
is put together from cells of the table, so levels, dates and missing values stay what they are and the model meets a
table of its own kind.
"""

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import encode
from anova_report.core.input.table import FrameTable, InputTable, open_table, read_features

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct values of every column, each known by a row that holds it.

    Examples
    --------
    >>> cells = Cells.of(open_table(np.array([[5.0, 1.0], [3.0, 1.0], [5.0, 2.0]])))
    >>> cells.codes.tolist()
    [[1, 0], [0, 0], [1, 1]]
    >>> cells.mixed(np.array([[0, 1], [1, 1]])).rows(0, 2)
    array([[3., 2.],
           [5., 2.]])
    """

    table: InputTable
    codes: Positions  # shape (n_rows, n_columns): which distinct value of its column a cell holds; a missing one last
    values: tuple[Floats, ...]  # for each column, its distinct values as floats
    holders: tuple[Positions, ...]  # for each column, the position of a row that holds each distinct value

    @classmethod
    def of(cls, table: InputTable) -> "Cells":
        """Find the distinct values of a table."""
        values, holders, codes = [], [], []
        for index, feature in enumerate(read_features(table)):
            column = encode(feature, table.column(index))
            distinct, first, code = np.unique(column, return_index=True, return_inverse=True)
            values.append(distinct)
            holders.append(first)
            codes.append(code.ravel())
        return cls(table, np.column_stack(codes), tuple(values), tuple(holders))

    def with_value(self, rows: Positions, column: int, code: Positions | int) -> Positions:
        """Return the codes of some rows in which one column holds other values."""
        codes = self.codes[rows].copy()
        codes[:, column] = code
        return codes

    def mixed(self, codes: Positions) -> InputTable:
        """Make a table of rows given by codes, shape (n_rows, n_columns)."""
        positions = np.column_stack([holder[code] for holder, code in zip(self.holders, codes.T, strict=True)])
        return mix(self.table, positions)


def mix(table: InputTable, positions: Positions) -> InputTable:
    """Make a table whose cell (i, j) is that of row `positions[i, j]` in column j."""
    if isinstance(table, FrameTable):
        frame = table.frame
        columns = {name: frame[:, j][positions[:, j]] for j, name in enumerate(frame.columns)}
        return FrameTable(nw.from_dict(columns))
    # Columns of an array share its type, so one choice serves all.
    array: NDArray[Any] = table.rows(0, table.shape[0])
    return open_table(array[positions, np.arange(array.shape[1])])


def pick(table: InputTable, rows: Positions) -> InputTable:
    """Keep some rows of a table, given by position."""
    if isinstance(table, FrameTable):
        return FrameTable(table.frame[rows])
    return open_table(table.rows(0, table.shape[0])[rows])
