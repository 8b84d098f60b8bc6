"""Groups of columns as users write them: a mapping of names to lists, or location=Latitude,Longitude."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from anova_report.errors import InputError


def column_groups(key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read groups of columns, given as a mapping of names to columns or as texts.

    Examples
    --------
    >>> column_groups("feature_groups", ["location=Latitude,Longitude"])
    (('location', ('Latitude', 'Longitude')),)
    """
    if isinstance(value, Mapping):
        held = [(str(name), own if isinstance(own, list | tuple) else [own]) for name, own in value.items()]
        return tuple((name, tuple(map(str, own))) for name, own in held)
    texts = value if isinstance(value, list | tuple) else [value]
    named = [one.partition("=") for one in texts if isinstance(one, str)]
    if len(named) < len(texts) or not all(name.strip() and columns.strip() for name, _, columns in named):
        raise InputError(f"{key} must name groups of columns, such as location=Latitude,Longitude; got {value!r}.")
    try:
        rows = [next(csv.reader([columns], skipinitialspace=True)) for _, _, columns in named]
    except csv.Error as error:
        raise InputError(f"{key} cannot be read ({error}). Write location=Latitude,Longitude.") from error
    return _once(key, tuple((name.strip(), tuple(own)) for (name, _, _), own in zip(named, rows, strict=True)))


def column_texts(key: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Read texts for columns, given as a mapping or typed as column=text.

    Examples
    --------
    >>> column_texts("labels", ["MedInc=Median income"]), column_texts("units", {"AveRooms": "rooms"})
    ((('MedInc', 'Median income'),), (('AveRooms', 'rooms'),))
    """
    if isinstance(value, Mapping):
        return tuple((str(column), str(text)) for column, text in value.items())
    typed = value if isinstance(value, list | tuple) else [value]
    found = [tuple(one.split("=", 1)) for one in typed if isinstance(one, str) and "=" in one]
    if len(found) < len(typed):
        raise InputError(f'{key} must give texts for columns, such as MedInc="Median income"; got {value!r}.')
    return _once(key, tuple((column.strip(), text.strip()) for column, text in found))


def _once(key: str, found: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Refuse what is typed twice: one of the two would be lost."""
    twice = next((name for name, count in Counter(name for name, _ in found).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{key} names {twice!r} twice. Name it once.")
    return found


def typed_text(column: str, text: str) -> str:
    """Write the text of a column as it is typed."""
    return f"{column}={text}"


def typed_group(name: str, columns: Sequence[str]) -> str:
    """Write a group as it is typed: columns with commas stand in quotation marks.

    Examples
    --------
    >>> typed_group("place", ["lat", "long, east"])
    'place=lat,"long, east"'
    """
    quoted = (f'"{column}"' if "," in column else column for column in columns)
    return f"{name}={','.join(quoted)}"
