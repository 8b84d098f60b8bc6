"""Where a picture has rows: enough of them close to a place, in units of the axes that are shown.

Curves, planes, slices, levels and versions side by side share this one definition. Cells of equal frequency would
stretch over gaps; what a reader sees is a distance on the page.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.measures.claims import Claim

LEAST_ROWS = 5  # one or two may be slips of the pen; five that agree are a case
DISTANCE = 0.05  # of an axis: as far as a reader looks from a tick; a tenth of a plane's side holds its cells apart
ROWS_PER_NEED = 10  # of fewer than fifty rows a tenth is enough, so that small tables have pictures, too
MARGIN = 3.0  # times the rows needed lie around a place of an evenly filled plane: then chance leaves few holes
MOST_DISTANCE = 0.5  # of an axis: from its middle that is all of it
BLOCK = 65_536  # rows that are counted at once: a budget of memory


@dataclass(frozen=True)
class Reach:
    """How many rows must lie how close to a place, so that a picture shows an effect there.

    Parameters
    ----------
    rows : int
        So many rows at least.
    distance : float
        Within this share of the length of an axis, on a plane of both. Levels have no neighbors: there only rows of
        the level itself count.
    """

    rows: int
    distance: float

    @classmethod
    def of(cls, n_rows: int) -> Self:
        """Choose it for pictures of so many rows: of few, fewer must lie close, and further away.

        Examples
        --------
        >>> Reach.of(10_000), Reach.of(250).rows, round(Reach.of(250).distance, 2), Reach.of(10).rows
        (Reach(rows=5, distance=0.05), 5, 0.12, 1)
        """
        rows = min(LEAST_ROWS, math.ceil(max(n_rows, 1) / ROWS_PER_NEED))
        # A square of this half side around a place holds MARGIN times the rows, if they are spread evenly.
        even = math.sqrt(MARGIN * rows / max(n_rows, 1)) / 2
        return cls(rows, min(max(DISTANCE, even), MOST_DISTANCE))

    @property
    def claim(self) -> Claim:
        """The rule, which holds for all pictures of a page."""
        return Claim("reach of pictures", {"n_least": float(self.rows), "distance": self.distance})

    def gaps(self, column: Floats, low: float, high: float) -> tuple[tuple[float, float], ...]:
        """Find the ranges of an axis that have too few rows, or lie beyond all of them; between them there are enough.

        Examples
        --------
        >>> Reach(2, 0.1).gaps(np.array([0.5, 1.5, 9.0, 9.0, 50.0]), 0.0, 10.0)
        ((0.0, 0.5), (1.5, 8.0))
        """
        away = self.distance * (high - low)
        known = np.sort(column[~np.isnan(column)])
        first, last = known[: max(len(known) - self.rows + 1, 0)], known[self.rows - 1 :]
        # So many neighbors in their order lie within reach of all places between these ends.
        starts, ends = last - away, first + away
        held = (starts <= ends) & (ends >= low) & (starts <= high)
        outermost = (low, high)
        if len(known) and known[0] < known[-1]:  # a single value has its surroundings
            outermost = max(low, float(known[0])), min(high, float(known[-1]))
        starts, ends = starts[held].clip(*outermost), ends[held].clip(*outermost)
        found, end = [], low
        for start, stop in zip(starts.tolist(), ends.tolist(), strict=True):  # both ascend
            if start > end:
                found.append((end, start))
            end = max(end, stop)
        return tuple(found if end >= high else [*found, (end, high)])

    def enough(self, near: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Tell in which cells of a plane enough rows lie close, shape (n_first, n_second).

        Parameters
        ----------
        near : pair of arrays of bool, of shape (n_first, n_rows) and (n_second, n_rows)
            Which rows lie close to each place along either axis, as `near` finds them.
        """
        first, second = near
        counts = np.zeros((len(first), len(second)))
        for start in range(0, first.shape[1], BLOCK):
            rows = slice(start, start + BLOCK)
            counts += first[:, rows].astype(np.float32) @ second[:, rows].astype(np.float32).T
        return np.asarray(counts >= self.rows)

    def near(self, column: Floats, at: Floats, span: float) -> NDArray[np.bool_]:
        """Tell which rows lie close to each place along an axis of some length, shape (n_places, n_rows)."""
        # Rounding must not part rows that lie just at the end of the distance.
        return np.asarray(np.abs(column - at[:, None]) <= self.distance * span * (1 + 1e-9))
