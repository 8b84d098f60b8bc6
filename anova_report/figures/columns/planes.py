"""The plane of two features: its cells, and where rows lie in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.figures.columns.axes import level_axis, number_axis, quantiles, shown_range
from anova_report.figures.columns.levels import LevelScale, level_scale
from anova_report.figures.columns.rows import Rows
from anova_report.figures.kinds import Axis
from anova_report.measures.support import CELLS, thin_cells

TAIL = 0.01  # of the rows at each end is not drawn where it lies far out
CELLS_ALONG = 36
ROWS_PER_CELL = 20  # fewer rows than these could leave a cell empty by chance


@dataclass(frozen=True, eq=False)
class Side:
    """One side of the plane.

    Parameters
    ----------
    axis : Axis
    at : array of shape (n_cells,)
        Encoded values at the middles of the cells.
    scale : LevelScale or None
        Of the levels, where the feature has any.
    column : array of shape (n_rows,)
        Encoded values of the rows.
    """

    axis: Axis
    at: Floats
    scale: LevelScale | None
    column: Floats

    def drawn(self) -> NDArray[np.bool_]:
        """Tell which rows have a value that can be drawn."""
        return ~np.isnan(self.column) if self.scale is None else self.scale.positions(self.column) >= 0

    def coarse(self, values: Floats, rows: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Put values into coarse cells of about equal frequency, or each level into its own."""
        if self.scale is not None:
            return self.scale.positions(values)
        n_cells = int(np.clip(np.sqrt(rows.sum() / ROWS_PER_CELL), 2, CELLS))
        edges = quantiles(self.column[rows], np.linspace(0, 1, n_cells + 1)[1:-1])
        return np.searchsorted(np.unique(edges), values, side="right")


def side(rows: Rows, index: int) -> Side:
    """Make one side of a plane: equal cells along numbers, or a cell for each level."""
    feature, column = rows.dec.features[index], rows.values[:, index]
    scale = level_scale(rows, index)
    if scale is not None:
        return Side(level_axis(feature.name, scale.names), scale.codes, scale, column)
    axis = number_axis(feature, *shown_range(column[~np.isnan(column)], TAIL))
    edges = np.linspace(axis.low, axis.high, CELLS_ALONG + 1)
    return Side(axis, (edges[1:] + edges[:-1]) / 2, None, column)


def thin(x: Side, y: Side) -> NDArray[np.bool_]:
    """Tell in which cells of the plane hardly a row lies, shape (n_cells of y, n_cells of x)."""
    rows = x.drawn() & y.drawn()
    if not rows.any():
        return np.ones((len(y.at), len(x.at)), dtype=bool)
    counts, few = thin_cells(x.coarse(x.column[rows], rows), y.coarse(y.column[rows], rows))
    found = np.ones((len(x.at) + 1, len(y.at) + 1), dtype=bool)  # what no row reaches is thin, too
    found[: counts.shape[0], : counts.shape[1]] = few | (counts == 0)
    return found[np.ix_(x.coarse(x.at, rows), y.coarse(y.at, rows))].T
