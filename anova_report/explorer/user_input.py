"""What users write: values of features, edits of a row, and lines to draw over main effects."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from anova_report.compare import Attribution
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.input.predictions import scales_differ
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.figures.rows import Rows
from anova_report.measures.values import NOT_SEEN

Value: TypeAlias = float | str | bool | datetime | None
Edits: TypeAlias = Mapping[str, Value]

NOTHING: Edits = MappingProxyType({})
TRUTH = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}
EXPECTED = {"boolean": "True or False", "datetime": "a date, such as '2024-05-01'", "duration": "a number of seconds"}
PARTS = ("name", "feature", "at", "value")


def read_edits(rows: Rows, given: object) -> Edits:
    """Read changed values by the names or positions of their features; the result cannot be changed.

    Raises
    ------
    InputError or UnknownTermError
        If a value is not one of its feature, or there is no such feature.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"Edits are a mapping of features to values, such as {{'age': 40}}; got {given!r}.")
    dec, positions = rows.dec, {rows.feature(feature): value for feature, value in given.items()}
    read = {index: read_value(dec.features[index], value) for index, value in positions.items()}
    missing = [dec.feature_names[index] for index, value in read.items() if value is None]
    if missing and dec.expansion.reference.complete_numbers_only:
        raise InputError(f"This decomposition allows no missing values. Give a number for {listing(missing)}.")
    return MappingProxyType({dec.feature_names[index]: value for index, value in read.items()})


def read_value(feature: Feature, value: Any) -> Value:
    """Read a value of a feature: a number, a level, a truth value or a date; None and NaN are missing values.

    Examples
    --------
    >>> read_value(Feature("age", "numeric"), "41"), read_value(Feature("sold", "datetime"), "2024-05-01")
    (41.0, datetime.datetime(2024, 5, 1, 0, 0))
    """
    # pandas' own missing values are recognised by name, before a comparison that they would refuse.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if (isinstance(value, float) and math.isnan(value)) or (isinstance(value, str) and not value):
        return None
    try:
        return _read(feature, value)
    except (TypeError, ValueError, OverflowError, KeyError) as error:
        known = f"Its levels are {listing(feature.levels, limit=12)}."
        give = f"Give {EXPECTED.get(feature.kind, 'a finite number')}, or None for a missing value."
        advice = known if feature.has_levels else give
        raise InputError(f"{value!r} is not a value of {feature.name!r}. {advice}") from error


def _read(feature: Feature, value: Any) -> Value:
    match feature.kind:
        case "boolean":
            return TRUTH[str(value).casefold()]
        case "datetime":
            if isinstance(value, int | float):
                raise TypeError("the origin of a number of seconds or days is not known")
            if isinstance(value, date) and not isinstance(value, datetime):
                value = datetime(value.year, value.month, value.day)
            moment = np.datetime64(value.replace(tzinfo=None) if isinstance(value, datetime) else value, "us")
            read: datetime = moment.astype(datetime)
            return read
        case "duration" if isinstance(value, timedelta | np.timedelta64):
            return float(np.timedelta64(value) / np.timedelta64(1, "us")) / 1e6
        case "ordinal" | "nominal":
            whole = isinstance(value, float) and value.is_integer()
            return feature.levels[feature.levels.index(str(int(value)) if whole else str(value))]
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def encoded_value(feature: Feature, value: Value) -> float:
    """Write a value that `read_value` gave as the float that components are functions of."""
    if value is None:
        return math.nan
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC).timestamp()
    return float(feature.levels.index(value)) if isinstance(value, str) else float(value)


def decoded_value(feature: Feature, encoded: float) -> Value:
    """Write an encoded value as `read_value` would give it; a level that the fit has not seen is called so."""
    if math.isnan(encoded):
        return None
    if feature.has_levels:
        return NOT_SEEN if encoded == UNSEEN else feature.levels[int(encoded)]
    if feature.kind == "datetime":
        return datetime.fromtimestamp(encoded, UTC).replace(tzinfo=None)
    return bool(encoded) if feature.kind == "boolean" and encoded in (0.0, 1.0) else float(encoded)


@dataclass(frozen=True)
class FeatureLine:
    """One line over a main effect, or one mark for each level.

    Parameters
    ----------
    name : str
        The method that explains, "SHAP" or "partial dependence".
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


OtherExplanation: TypeAlias = FeatureLine | Attribution


def read_overlays(rows: Rows, given: Any) -> tuple[OtherExplanation, ...]:
    """Read results of `attribute`, lines, mappings with their keys, or tuples of name, feature, values and effects.

    Raises
    ------
    InputError or UnknownTermError
        If a line has no such feature, or values and effects that do not fit; if an attribution is about other features,
        another output or another scale.
    """
    lines = [given] if isinstance(given, Attribution) else given
    if isinstance(lines, FeatureLine | Mapping | str) or not isinstance(lines, Iterable):
        known = "a list of lines (name, feature, at, value), or of results of `attribute`"
        raise InputError(f"Overlays are {known}; got {given!r}.")
    return tuple(_checked(rows.dec, one) if isinstance(one, Attribution) else _read_line(rows, one) for one in lines)


def _checked(dec: Decomposition, other: Attribution) -> Attribution:
    """Refuse an attribution of other features, another scale or another output than those of the decomposition."""
    other = other.folded(dec.features)
    if not set(other.feature_names) & set(dec.feature_names):
        theirs, ours = listing(other.feature_names), listing(dec.feature_names)
        raise InputError(f"{other.title} explains {theirs}, and none of {ours}. Explain the same features.")
    if scales_differ(dec.scale, other.scale):
        raise InputError(
            f"{other.title} is on the scale {other.scale!r}, and the decomposition on {dec.scale!r}. Pass like= the "
            "decomposition to attribute."
        )
    # Predictions that were handed over as numbers have names of their own.
    is_named = len(dec.output_names) > 1 or "identity" not in (dec.scale, other.scale)
    if is_named and other.output not in dec.output_names:
        raise InputError(
            f"{other.title} explains the output {other.output!r}; the decomposition has {listing(dec.output_names)}. "
            "Pass one of these as output= to attribute."
        )
    return other


def _read_line(rows: Rows, line: Any) -> FeatureLine:
    is_encoded = isinstance(line, FeatureLine)
    parts = vars(line) if is_encoded else line
    try:
        name, feature, at, value = (parts[name] for name in PARTS) if isinstance(parts, Mapping) else parts
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"An overlay is a line of {', '.join(PARTS)}; got {line!r}.") from error
    kind = rows.dec.features[rows.feature(feature)]
    places = tuple(float(place) if is_encoded else encoded_value(kind, read_value(kind, place)) for place in at)
    try:
        effects = tuple(np.asarray(value, dtype=np.float64).ravel().tolist())
    except (TypeError, ValueError) as error:
        raise InputError(f"The effects of the overlay {name!r} are not numbers: {error}.") from error
    if len(effects) != len(places) or not np.isfinite(effects).all():
        raise InputError(
            f"The overlay {name!r} has {len(places):,} values and {len(effects)} effects. Pass one finite effect for "
            "each value."
        )
    return FeatureLine(str(name), kind.name, places, effects)
