"""Colors of rows by a feature: fifths of its values from low to high, or its most frequent levels."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anova_report.figures.geometry import Words
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Entry
from anova_report.figures.style import OVERLAYS, SLICES, spread
from anova_report.measures.values import quantiles, shown_range, value_text

FIFTHS = len(SLICES)
MISSING_VALUE = -1  # the shade of a row without a value
OTHERS = "other levels"
TAIL = 0.01


@dataclass(frozen=True)
class Shades:
    """What the colors of rows stand for: a feature, and the values of each color.

    Parameters
    ----------
    by : str
        What readers see for the feature.
    words : tuple of str
        The values of each color, in order where these are numbers; the last may be all other levels.
    ordered : bool
        Whether colors run from low to high.
    """

    by: str
    words: Words
    ordered: bool

    @property
    def colors(self) -> Words:
        """Names of the colors, one for each of `words`."""
        if self.ordered:
            return spread(SLICES, len(self.words))
        return tuple((*OVERLAYS, "rest")[min(at, len(OVERLAYS))] for at in range(len(self.words)))

    def entries(self, marks: Words) -> tuple[Entry, ...]:
        """Name the colors in a legend; the first line says whose values they are."""
        named = [f"{self.by}: {words}" if not at else words for at, words in enumerate(self.words)]
        return tuple(Entry(words, "bar", color, marks=marks) for words, color in zip(named, self.colors, strict=True))


def shaded(rows: Rows, index: int, drawn: NDArray[np.intp]) -> tuple[Shades, tuple[int, ...]]:
    """Choose what colors stand for by all rows, and find the color of those that are drawn."""
    feature, column = rows.dec.features[index], rows.values[:, index]
    known, own = column[~np.isnan(column)], rows.values[drawn, index]
    if feature.has_levels or feature.kind == "boolean":
        codes, counts = np.unique(known[known >= 0], return_counts=True)
        frequent = np.sort(np.argsort(-counts, kind="stable")[: len(OVERLAYS)])
        names = [value_text(feature, code) for code in codes[frequent].tolist()]
        shade = _among(own, codes[frequent])
        if len(frequent) < len(codes) or (known < 0).any():
            names.append(OTHERS)
        return Shades(feature.title, tuple(names), ordered=feature.kind == "ordinal"), shade
    ends = np.unique(quantiles(known, np.linspace(0, 1, FIFTHS + 1))) if len(known) else np.zeros(1)
    low, high = shown_range(known, TAIL) if len(known) else (0.0, 0.0)
    texts = [value_text(feature, end, high - low) for end in ends.tolist()]
    words = [f"{first} to {last}" for first, last in pairwise(texts)] or texts
    places = np.searchsorted(ends[1:-1], own, side="right")
    return Shades(feature.heading, tuple(words), ordered=True), _shades(places, np.isnan(own))


def _among(own: NDArray[np.float64], codes: NDArray[np.float64]) -> tuple[int, ...]:
    """Find the place of each value among some codes in order, which may be none; others come after them."""
    places = np.where(np.isin(own, codes), np.searchsorted(codes, own), len(codes))
    return _shades(places, np.isnan(own))


def _shades(places: NDArray[np.intp], missing: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.where(missing, MISSING_VALUE, places).tolist())
