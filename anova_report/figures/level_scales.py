"""Features that are drawn value by value: levels, truth values, and numbers of which there are few."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal
from anova_report.core.input.features import Feature
from anova_report.figures.rows import Rows
from anova_report.measures.values import value_text

FEW_VALUES = 12  # so many distinct numbers, each held by several rows, are drawn like levels
MOST_LEVELS = 20


@dataclass(frozen=True, eq=False)
class LevelScale:
    """The values of a feature that are drawn one by one."""

    codes: Floats  # shape (n_drawn,); encoded values; a missing one (NaN) is the last
    names: tuple[str, ...]
    count: NDArray[np.int64]  # shape (n_drawn,); rows of each
    # rarer values that are not drawn, and their rows
    n_left_out: int
    rows_left_out: int

    def positions(self, column: Floats) -> NDArray[np.intp]:
        """Find encoded values among those drawn; −1 where they are not."""
        found = np.full(len(column), -1, dtype=np.intp)
        for position, code in enumerate(self.codes):
            found[np.isnan(column) if np.isnan(code) else column == code] = position
        return found

    def position(self, value: float) -> int | None:
        """Find one encoded value among those drawn; None where it is not."""
        found = int(self.positions(np.array([value]))[0])
        return None if found < 0 else found

    def reordered(self, order: NDArray[np.intp]) -> "LevelScale":
        """Put the drawn values in another order."""
        names = tuple(self.names[position] for position in order)
        return LevelScale(self.codes[order], names, self.count[order], self.n_left_out, self.rows_left_out)


def level_scale(rows: Rows, index: int, most: int = MOST_LEVELS) -> LevelScale | None:
    """List the values of a feature in their order, at most so many and a missing one; None where it has numbers."""
    return column_levels(rows.dec.features[index], rows.values[:, index], most)


def column_levels(feature: Feature, column: Floats, most: int = MOST_LEVELS) -> LevelScale | None:
    """Do the same for the values of any column."""
    codes, count = np.unique(column, return_counts=True)  # missing values are one value, the last
    known = codes[~np.isnan(codes)]
    if not _is_listed(feature, known, int(count[: len(known)].sum())):
        return None
    frequent = np.sort(np.argsort(-count[: len(known)], kind="stable")[:most])
    kept = np.r_[frequent, np.arange(len(known), len(codes))]
    left_out = len(codes) - len(kept)
    return LevelScale(
        codes[kept], _names(feature, codes[kept]), count[kept], left_out, int(count.sum() - count[kept].sum())
    )


def pooled_levels(rows: Rows, index: int, codes: Floats) -> tuple[bool, ...]:
    """Tell which levels were too rare in the fit for an effect of their own."""
    reference = rows.dec.expansion.reference
    marginal = reference.marginals[index] if isinstance(reference, MarginalReference) else None
    pooled = marginal.pooled if isinstance(marginal, NominalMarginal) else ()
    return tuple(bool(code in pooled) for code in codes)


def _is_listed(feature: Feature, known: Floats, n_known: int) -> bool:
    if feature.has_levels or not len(known):
        return True
    few = 2 if feature.kind == "boolean" else FEW_VALUES
    # A handful of rows may hold as many numbers: that does not make them levels.
    return len(known) <= few and (feature.kind == "boolean" or 2 * len(known) <= n_known)


def _names(feature: Feature, codes: Floats) -> tuple[str, ...]:
    span = float(np.nanmax(codes) - np.nanmin(codes)) if not np.isnan(codes).all() else 0.0
    names = tuple(value_text(feature, code, span) for code in codes.tolist())
    return names if len(set(names)) == len(names) else tuple(f"{code:.15g}" for code in codes)
