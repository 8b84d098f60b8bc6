"""Residuals row by row, of rows that the fit has not seen: where an explanation fails is looked for among them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, read_only


@dataclass(frozen=True, eq=False)
class RowResiduals:
    """Residuals of held-out rows, each by a fit that has not seen it; of very many rows those of a sample.

    A decomposition in memory holds them; files do not, since they say something of every row.

    Parameters
    ----------
    positions : array of int of shape (n_rows,)
        Of the rows in the table of the fit, ascending.
    residuals : array of shape (n_rows, n_outputs)
        In the units of the predictions.
    weights : array of shape (n_rows,)
        How much each row counts.
    units : array of int of shape (n_rows,)
        The jackknife group of each: rows that belong together are in one.
    """

    positions: NDArray[np.int64]
    residuals: Floats
    weights: Floats
    units: NDArray[np.intp]

    def __post_init__(self) -> None:
        read_only(self.positions, self.residuals, self.weights, self.units)
