"""What readers see for columns and predictions: labels and units, which never say which column is meant."""

import difflib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from anova_report.core.input.features import Feature
from anova_report.errors import InputError, InputTypeError, listing
from anova_report.io import sinks

Texts = Mapping[str, str]


def labelled_features(
    features: tuple[Feature, ...], labels: Texts | None, units: Texts | None, others: Collection[str] = ()
) -> tuple[Feature, ...]:
    """Give features labels and units, by the names of their columns; `others` are further columns that may be named.

    Examples
    --------
    >>> column, units = Feature("MedInc", "numeric"), {"MedInc": "10 000 $"}
    >>> [found] = labelled_features((column,), {"MedInc": "Median income"}, units)
    >>> found.heading, found.name
    ('Median income (10 000 $)', 'MedInc')
    """
    known = (*(feature.name for feature in features), *others)
    names, counted = require_texts("labels", labels, known), require_texts("units", units, known)
    found = tuple(
        replace(each, label=names.get(each.name, each.label), unit=counted.get(each.name, each.unit))
        for each in features
    )
    shown = [sinks.seen(feature.title) for feature in found]
    for title, count in Counter(shown).items():
        alike = [feature.name for feature, own in zip(found, shown, strict=True) if own == title]
        if count > 1 and any(feature.label for feature in found if feature.name in alike):
            raise InputError(
                f"Columns {listing(alike)} would all be shown as {title!r}. Give each a label of its own, unlike the "
                "names of the others."
            )
    return found


def require_texts(what: str, given: Texts | None, known: Collection[str]) -> dict[str, str]:
    """Check texts for columns; `what` is what messages call them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputTypeError(
            f"{what} must give a text for each column that has one, {{'column': 'text'}}; got {given!r:.80}."
        )
    for column, text in given.items():
        if not isinstance(text, str) or not sinks.seen(text):
            raise InputError(f"{what} must hold texts; for column {column!r} it holds {text!r}.")
        if column not in known:
            near = difflib.get_close_matches(str(column), list(known), n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(list(known), limit=12)}."
            raise InputError(f"{what} names the column {column!r}, which the table does not have. {hint}")
    return {column: " ".join(text.split()) for column, text in given.items()}
