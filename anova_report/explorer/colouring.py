"""Colours of points by the values of a feature: a few groups in order, the same live and still."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anova_report.figures.columns import Rows
from anova_report.figures.columns.axes import MISSING, quantiles, value_text
from anova_report.figures.columns.levels import level_scale
from anova_report.figures.style import SLICES, spread

MOST = len(SLICES)
OTHERS = "others"


@dataclass(frozen=True)
class Groups:
    """Points in groups.

    Parameters
    ----------
    feature : str
        Whose values tell them apart.
    names : tuple of str
    of_point : tuple of int
        Which group each point is in.
    """

    feature: str
    names: tuple[str, ...]
    of_point: tuple[int, ...]

    @property
    def colours(self) -> tuple[str, ...]:
        """Names of the colours of the groups."""
        return spread(SLICES, len(self.names))

    def points(self, group: int) -> list[int]:
        """Positions of the points of a group."""
        return [position for position, found in enumerate(self.of_point) if found == group]


def grouped(rows: Rows, feature: str, drawn: Sequence[int]) -> Groups:
    """Put rows into at most five groups: parts of equal size of a range, or the most frequent levels.

    Parameters
    ----------
    rows : Rows
    feature : str
    drawn : sequence of int
        Positions of the rows.
    """
    index = rows.feature(feature)
    column = rows.values[list(drawn), index]
    missing = np.isnan(column)
    names, part = _parts(rows, index, column, MOST - int(missing.any()))
    if missing.any() and MISSING not in names:
        part[missing] = len(names)
        names = [*names, MISSING]
    kept = [position for position in range(len(names)) if (part == position).any()]
    return Groups(feature, tuple(names[position] for position in kept), tuple(np.searchsorted(kept, part).tolist()))


def _parts(rows: Rows, index: int, column: NDArray[np.float64], most: int) -> tuple[list[str], NDArray[np.intp]]:
    scale = level_scale(rows, index, most if _is_short(rows, index, most) else most - 1)
    if scale is not None:
        part = scale.positions(column)
        others = part < 0
        part[others] = len(scale.names)
        return [*scale.names, OTHERS] if others.any() else list(scale.names), part
    known = column[~np.isnan(column)]
    ends = np.unique(quantiles(known, np.linspace(0, 1, most + 1)))
    texts = [value_text(rows.dec.features[index], end, float(np.ptp(ends))) for end in ends.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    return names, np.searchsorted(ends[1:-1], column, side="right")


def _is_short(rows: Rows, index: int, most: int) -> bool:
    """Whether all levels get a group of their own."""
    scale = level_scale(rows, index, most)
    return scale is None or not scale.n_left_out
