"""Groups of features that a user names: read together on pages, and recombined together where a model is asked."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from anova_report.core.input.features import Feature
from anova_report.errors import InputError, listing
from anova_report.io import sinks

FeatureGroups: TypeAlias = dict[str, tuple[int, ...]]  # positions of features, ascending


def read_groups(groups: Any, features: Sequence[Feature], left_out: Sequence[str] = ()) -> FeatureGroups:
    """Read groups of features, given by names of their columns or positions; no feature is in two of them.

    Columns that were `left_out` of the fit are in no group, and a group of which one feature is left is that feature.

    Examples
    --------
    >>> features = [Feature(name, "numeric") for name in ("Latitude", "Longitude", "Age")]
    >>> read_groups({"location": ["Latitude", "Longitude"]}, features)
    {'location': (0, 1)}
    """
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise InputError(
            "feature_groups is a mapping of names to columns, {'location': ['Latitude', 'Longitude']}; got "
            f"{groups!r:.200}."
        )
    places: dict[Any, int] = {name: at for at, feature in enumerate(features) for name in feature.sources}
    places |= {feature.name: at for at, feature in enumerate(features)} | {at: at for at in range(len(features))}
    found: FeatureGroups = {}
    for name, members in groups.items():
        own = _members(name, members, places, left_out)
        taken = next((other for other, held in found.items() if set(held) & set(own)), None)
        if taken is not None:
            both = [features[at].name for at in own if at in found[taken]]
            raise InputError(f"{listing(both)} cannot be in the groups {taken!r} and {name!r}. Leave it in one.")
        if len(own) < 2:
            continue
        if sinks.seen(name) in {sinks.seen(feature.name) for feature in features}:
            raise InputError(f"The group {name!r} has the name of a feature. Give it another one.")
        alike = next((other for other in found if sinks.seen(other) == sinks.seen(name)), None)
        if alike is not None:
            raise InputError(f"The groups {alike!r} and {name!r} would be shown alike. Give one another name.")
        found[name] = own
    return found


def _members(name: Any, members: Any, places: Mapping[Any, int], left_out: Sequence[str]) -> tuple[int, ...]:
    if not isinstance(name, str) or not sinks.seen(name):
        raise InputError(f"A group of features has a name; got {name!r}.")
    if isinstance(members, str) or not isinstance(members, Sequence) or len(set(members)) < 2:
        shown = repr(members) if isinstance(members, str) or not isinstance(members, Sequence) else listing(members)
        raise InputError(f"The group {name!r} must list two or more different columns; got {shown}.")
    known = [*places, *left_out]
    unknown = next((member for member in members if member not in known), None)
    if unknown is not None:
        near = difflib.get_close_matches(str(unknown), [own for own in known if isinstance(own, str)], n=1)
        named = [own for own in places if isinstance(own, str)]
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(named)}."
        raise InputError(f"The group {name!r} lists {unknown!r}, and there is no such column. {hint}")
    return tuple(sorted({places[member] for member in members if member in places}))
