"""Other people's explanations of a feature, drawn over its main effect."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anova_report.errors import InputError
from anova_report.explorer.edits import encoded_value, read_value
from anova_report.explorer.marking import place
from anova_report.figures.columns import Rows
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Axis, Curve, Levels, Line

PARTS = ("name", "feature", "at", "value")


@dataclass(frozen=True)
class Overlay:
    """One line over a main effect, or one mark for each level.

    Parameters
    ----------
    name : str
        What explains, "SHAP" or "partial dependence".
    feature : str
    at : tuple of float
        Encoded values of the feature.
    value : tuple of float
        The effect there, on the scale of the decomposition.
    """

    name: str
    feature: str
    at: tuple[float, ...]
    value: tuple[float, ...]


def read_overlays(rows: Rows, given: Any) -> tuple[Overlay, ...]:
    """Read lines as overlays, mappings with the same keys, or tuples of name, feature, values and effects.

    Raises
    ------
    InputError or UnknownTermError
        If a line has no such feature, or values and effects that do not fit.
    """
    if isinstance(given, Overlay | Mapping | str) or not isinstance(given, Iterable):
        raise InputError(f"Overlays come as a list of lines (name, feature, at, value); {given!r} came.")
    return tuple(_read(rows, line) for line in given)


def overlaid(figure: Figure, rows: Rows, index: int, overlays: Sequence[Overlay]) -> Figure:
    """Draw the overlays of a feature over its main effect; the axis of effects holds them, too."""
    name, data = rows.dec.feature_names[index], figure.data
    own = [overlay for overlay in overlays if overlay.feature == name]
    if not own or not isinstance(data, Curve | Levels):
        return figure
    lines = tuple(_line(rows, index, data.x, overlay) for overlay in own)
    effects = [effect for line in lines for effect in line.value]
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    return replace(figure, data=replace(data, y=y, overlays=lines))


def _read(rows: Rows, line: Any) -> Overlay:
    if isinstance(line, Overlay):
        return _made(rows, line.name, line.feature, line.at, line.value, encoded=True)
    try:
        name, feature, at, value = operator.itemgetter(*PARTS)(line) if isinstance(line, Mapping) else line
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"An overlay is a line of {', '.join(PARTS)}; {line!r} came.") from error
    return _made(rows, name, feature, at, value)


def _made(rows: Rows, name: Any, feature: Any, at: Any, value: Any, *, encoded: bool = False) -> Overlay:
    kind = rows.dec.features[rows.feature(feature)]
    where = tuple(float(v) if encoded else encoded_value(kind, read_value(kind, v)) for v in at)
    try:
        effects = tuple(np.asarray(value, dtype=np.float64).ravel().tolist())
    except (TypeError, ValueError) as error:
        raise InputError(f"The effects of the overlay {name!r} are no numbers: {error}.") from error
    if len(effects) != len(where) or not np.isfinite(effects).all():
        raise InputError(
            f"The overlay {name!r} has {len(where)} values and {len(effects)} effects. Pass one finite effect for each "
            "value."
        )
    return Overlay(str(name), kind.name, where, effects)


def _line(rows: Rows, index: int, axis: Axis, overlay: Overlay) -> Line:
    spots = [(place(rows, index, axis, at), value) for at, value in zip(overlay.at, overlay.value, strict=True)]
    drawn = sorted((spot, value) for spot, value in spots if spot is not None and axis.low <= spot <= axis.high)
    return Line(overlay.name, tuple(spot for spot, _ in drawn), tuple(value for _, value in drawn))
