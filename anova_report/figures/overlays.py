"""Other explanations drawn over a main effect: from contributions row by row to one line, or one mark for each level.

The line of a method is the mean of its contributions over rows with about the same value. For methods that share
interactions among features it is compared with the main effect, too: a pair is orthogonal to every function of its
features, so the mean of an ANOVA-Shapley value over rows with the same value is the main effect.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.attribution import Attribution
from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.axes import along, rounded
from anova_report.figures.gaps import Ranges, pieces
from anova_report.figures.geometry import Axis, Numbers
from anova_report.figures.scene import Entry, Line, unzip
from anova_report.figures.style import OVERLAYS
from anova_report.measures.values import value_text

DASHES = ("5 3", "2 2", "8 3 2 3", "3 4")
MOST_POINTS = 60  # of a line
ROWS_PER_POINT = 15  # fewer rows than these make a mean a guess
STEADY = 1e-6  # of the spread: contributions that vary less among rows of the same value are a function of it


@dataclass(frozen=True)
class Overlay:
    """Another explanation of the same thing: a named line, or a mark for each level."""

    name: str
    at: Numbers
    value: Numbers
    gaps: Ranges = ()  # of its own: ranges with too few rows, in which nothing is drawn


def looks(position: int) -> tuple[str, int]:
    """Choose the color of an overlay, and which dashes or shape: those that share a color do not share these, too."""
    return OVERLAYS[position % len(OVERLAYS)], (position + position // len(OVERLAYS)) % len(DASHES)


def overlay_entries(overlays: Sequence[Overlay]) -> tuple[Entry, ...]:
    """Return the entries of a legend for lines of other explanations."""
    named = [(line.name, *looks(position)) for position, line in enumerate(overlays) if line.at]
    return tuple(Entry(name, "line", color, DASHES[dash], marks=(color,)) for name, color, dash in named)


def overlay_lines(overlays: Sequence[Overlay], gaps: Ranges = ()) -> tuple[Line, ...]:
    """Draw other explanations as lines between gaps, one primitive for each color, so that a legend can hide them."""
    drawn: dict[str, list[tuple[Overlay, str]]] = {color: [] for color in OVERLAYS}
    for position, line in enumerate(overlays):
        color, dash = looks(position)
        if line.at:
            drawn[color].append((line, DASHES[dash]))
    found = []
    for color, lines in drawn.items():
        parts = [(*piece, dash, line.name) for line, dash in lines for piece in pieces(line.at, line.value, gaps)]
        x, y, dashes, names = unzip(parts, 4)
        found.append(Line(color, x, y, color, width=1.5, dash=dashes, labels=names, tips=names))
    return tuple(found)


def overlay_line(x: Axis, feature: Feature, other: Attribution) -> Overlay:
    """Average the contributions of a feature over rows with about the same value, along an axis.

    Parameters
    ----------
    x : Axis
        Of numbers, or of the levels that are drawn.
    feature : Feature
    other : Attribution
        What it does not know is left out.
    """
    if feature.name not in other.feature_names:
        return Overlay(other.title, (), ())
    values, contributions = other.column(feature.name)
    known = np.isfinite(contributions)
    values, contributions = values[known], contributions[known]
    if x.levels:
        theirs = other.features[other.feature_names.index(feature.name)]
        return _marks(x, theirs, other.title, values, contributions)
    shown = ~np.isnan(values) & (values >= x.low) & (values <= x.high)
    at, means = conditional_means(values[shown], contributions[shown])
    return Overlay(other.title, along(x, at), rounded(means))


def conditional_means(values: Floats, contributions: Floats) -> tuple[Floats, Floats]:
    """Average contributions over runs of rows of about equal number, in the order of the values.

    Where contributions are a function of the value, rows stand for themselves: nothing needs to be averaged.

    Examples
    --------
    >>> at, means = conditional_means(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 5.0, 6.0]))
    >>> at.tolist(), means.tolist()
    ([2.25], [3.75])
    """
    order = np.argsort(values, kind="stable")
    values, contributions = values[order], contributions[order]
    if not len(values):
        return values, contributions
    distinct, first, group = np.unique(values, return_index=True, return_inverse=True)
    inside = contributions - contributions[first][group]
    if len(distinct) > 1 and _repeats(group) and np.abs(inside).max() <= STEADY * (np.ptp(contributions) or 1.0):
        chosen = np.unique(np.linspace(0, len(distinct) - 1, MOST_POINTS).round().astype(int))
        return distinct[chosen], contributions[first][chosen]
    n_runs = int(np.clip(len(values) // ROWS_PER_POINT, 1, MOST_POINTS))
    runs = np.searchsorted(np.linspace(0, len(values), n_runs + 1)[1:-1], first, side="right")[group]
    counts = np.bincount(runs, minlength=n_runs)
    sums = [np.bincount(runs, weights=column, minlength=n_runs) for column in (values, contributions)]
    held = counts > 0
    return sums[0][held] / counts[held], sums[1][held] / counts[held]


def _repeats(group: NDArray[np.intp]) -> bool:
    """Tell whether any value occurs twice, without which nothing is known about rows of the same value."""
    return bool(np.bincount(group).max() > 1)


def _marks(x: Axis, feature: Feature, name: str, values: Floats, contributions: Floats) -> Overlay:
    """Average over the rows of each level that is drawn; levels are found by what they are called."""
    codes, group = np.unique(values, return_inverse=True)
    span = float(np.nanmax(codes) - np.nanmin(codes)) if np.isfinite(codes).any() else 0.0
    means = np.bincount(group, weights=contributions) / np.bincount(group)
    named = {value_text(feature, float(code), span): mean for code, mean in zip(codes, means, strict=True)}
    found = [(float(position), named[level]) for position, level in enumerate(x.levels) if level in named]
    return Overlay(name, tuple(at for at, _ in found), rounded(np.array([mean for _, mean in found])))
