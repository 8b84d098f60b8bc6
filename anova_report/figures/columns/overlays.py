"""Other explanations drawn over a main effect: from contributions row by row to one line, or one mark for each level.

The line of a method is the mean of its contributions over rows with about the same value. For methods that share
interactions among features it is held against the main effect, too: a pair is orthogonal to every function of its
features, so the mean of an ANOVA-Shapley value over rows with the same value is the main effect.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.attribution import Attribution
from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.columns.axes import along, rounded, value_text
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Axis, Curve, Levels, Line

MOST_POINTS = 60  # of a line
ROWS_PER_POINT = 15  # fewer rows than these make a mean a guess
STEADY = 1e-6  # of the spread: contributions that vary less among rows of the same value are a function of it


def overlaid(figure: Figure, feature: Feature, others: Sequence[Attribution]) -> Figure:
    """Draw other explanations of a feature over its main effect; the axis of effects holds them, too.

    Parameters
    ----------
    figure : Figure
        Of the main effect.
    feature : Feature
        As the decomposition knows it.
    others : sequence of Attribution
    """
    data = figure.data
    if not isinstance(data, Curve | Levels):
        return figure
    # A method that has nothing to say keeps its place, so that each has one colour in all figures.
    lines = tuple(overlay_line(data.x, feature, other) for other in others)
    if not any(line.at for line in lines):
        return figure
    effects = [value for line in lines for value in line.value]
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    names = "; ".join(line.name for line in lines if line.at)  # names of methods hold commas
    alt = f"{figure.alt} Beside it, averaged over rows with about the same value: {names}."
    return replace(figure, alt=alt, data=replace(data, y=y, overlays=lines))


def overlay_line(x: Axis, feature: Feature, other: Attribution) -> Line:
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
        return Line(other.title, (), ())
    values, contributions = other.column(feature.name)
    known = np.isfinite(contributions)
    values, contributions = values[known], contributions[known]
    if x.levels:
        theirs = other.features[other.feature_names.index(feature.name)]
        return _marks(x, theirs, other.title, values, contributions)
    shown = ~np.isnan(values) & (values >= x.low) & (values <= x.high)
    at, means = conditional_means(values[shown], contributions[shown])
    return Line(other.title, along(x, at), rounded(means))


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


def _marks(x: Axis, feature: Feature, name: str, values: Floats, contributions: Floats) -> Line:
    """Average over the rows of each level that is drawn; levels are found by what they are called."""
    codes, group = np.unique(values, return_inverse=True)
    span = float(np.nanmax(codes) - np.nanmin(codes)) if np.isfinite(codes).any() else 0.0
    means = np.bincount(group, weights=contributions) / np.bincount(group)
    named = {value_text(feature, float(code), span): mean for code, mean in zip(codes, means, strict=True)}
    found = [(float(position), named[level]) for position, level in enumerate(x.levels) if level in named]
    return Line(name, tuple(at for at, _ in found), rounded(np.array([mean for _, mean in found])))
