"""Other people's explanations of a feature, drawn over its main effect."""

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from anova_report.compare import Attribution
from anova_report.core.decomposition import Decomposition
from anova_report.core.input.predictions import scales_differ
from anova_report.errors import InputError, listing
from anova_report.explorer.pointing import place
from anova_report.explorer.what_if import encoded_value, read_value
from anova_report.figures.columns import Rows
from anova_report.figures.columns.overlays import overlay_line
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


Laid: TypeAlias = Overlay | Attribution


def read_overlays(rows: Rows, given: Any) -> tuple[Laid, ...]:
    """Read what `attribute` gave, overlays, mappings with their keys, or tuples of name, feature, values and effects.

    Raises
    ------
    InputError or UnknownTermError
        If a line has no such feature, or values and effects that do not fit; if an attribution is about other features,
        another output or another scale.
    """
    if isinstance(given, Attribution):
        return (_checked(rows.dec, given),)
    if isinstance(given, Overlay | Mapping | str) or not isinstance(given, Iterable):
        known = "a list of lines (name, feature, at, value), or of what `attribute` gave"
        raise InputError(f"Overlays come as {known}; {given!r} came.")
    return tuple(_read(rows, line) for line in given)


def overlaid(figure: Figure, rows: Rows, index: int, overlays: Sequence[Laid], output: int = 0) -> Figure:
    """Draw the overlays of a feature over its main effect; the axis of effects holds them, too."""
    data = figure.data
    if not isinstance(data, Curve | Levels):
        return figure
    # One that has nothing to say here keeps its place, so that each has one colour, and one switch, in all figures.
    lines = tuple(_one_line(rows, index, data.x, one, output) for one in _methods(overlays))
    effects = [effect for line in lines for effect in line.value]
    if not effects:
        return figure
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    alt = f"{figure.alt} Over it: {'; '.join(line.name for line in lines if line.at)}."
    return replace(figure, alt=alt, data=replace(data, y=y, overlays=lines))


def _methods(overlays: Sequence[Laid]) -> list[list[Laid]]:
    """Put together the lines of the same name over different features: they are one method's."""
    found: dict[Hashable, list[Laid]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for laid in overlays:
        key: Hashable = laid
        if isinstance(laid, Overlay):
            key = laid.name, seen[laid.name, laid.feature]
            seen[laid.name, laid.feature] += 1
        found.setdefault(key, []).append(laid)
    return list(found.values())


def _one_line(rows: Rows, index: int, axis: Axis, method: Sequence[Laid], output: int) -> Line:
    """Draw what one method says about a feature; an empty line where that is nothing."""
    feature, outputs = rows.dec.features[index], rows.dec.output_names
    for laid in method:
        if isinstance(laid, Overlay):
            if laid.feature == feature.name:
                return _line(rows, index, axis, laid)
        elif len(outputs) == 1 or laid.output == outputs[output]:
            return overlay_line(axis, feature, laid)
    first = method[0]
    return Line(first.name if isinstance(first, Overlay) else first.title, (), ())


def _checked(dec: Decomposition, other: Attribution) -> Attribution:
    """Refuse an attribution that answers another question than the decomposition."""
    if not set(other.feature_names) & set(dec.feature_names):
        theirs, ours = listing(other.feature_names), listing(dec.feature_names)
        raise InputError(f"{other.title} explains {theirs}, and none of {ours}. Explain the same features.")
    if scales_differ(dec.scale, other.scale):
        raise InputError(
            f"{other.title} is on the scale {other.scale!r}, and the decomposition on {dec.scale!r}. Pass like= the "
            "decomposition to attribute."
        )
    # Answers that were handed over as numbers have names of their own.
    told_apart = len(dec.output_names) > 1 or "identity" not in (dec.scale, other.scale)
    if told_apart and other.output not in dec.output_names:
        raise InputError(
            f"{other.title} explains the output {other.output!r}; the decomposition has {listing(dec.output_names)}. "
            "Pass one of these as output= to attribute."
        )
    return other


def _read(rows: Rows, line: Any) -> Laid:
    if isinstance(line, Attribution):
        return _checked(rows.dec, line)
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
