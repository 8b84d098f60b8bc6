"""Groups of columns as users write them: a mapping of names to lists, or location=Latitude,Longitude."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from anova_report.errors import InputError

NAMED = re.compile(r'\s*"((?:[^"]|"")*)"\s*=(.*)|([^=]*)=(.*)', re.DOTALL)  # "a name", with = in it, or a name


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
    named = _named(key, value, "must name groups of columns, such as location=Latitude,Longitude")
    if not all(name and columns for name, columns in named):
        raise InputError(f"{key} must name groups of columns, such as location=Latitude,Longitude; got {value!r}.")
    try:
        return tuple((name, tuple(next(csv.reader([columns], skipinitialspace=True)))) for name, columns in named)
    except csv.Error as error:
        raise InputError(f"{key} cannot be read ({error}). Write location=Latitude,Longitude.") from error


def column_texts(key: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Read texts for columns, given as a mapping or typed as column=text.

    Examples
    --------
    >>> column_texts("labels", ["MedInc=Median income"]), column_texts("units", {"AveRooms": "rooms"})
    ((('MedInc', 'Median income'),), (('AveRooms', 'rooms'),))
    """
    if isinstance(value, Mapping):
        return tuple((str(column), str(text).strip()) for column, text in value.items())
    return _named(key, value, 'must give texts for columns, such as MedInc="Median income"')


def _named(key: str, value: Any, wanted: str) -> tuple[tuple[str, str], ...]:
    """Read what is typed as name=text; a name in quotation marks may have = in it."""
    typed = value if isinstance(value, list | tuple) else [value]
    found = [NAMED.fullmatch(one) if isinstance(one, str) else None for one in typed]
    made = tuple(
        (each[3].strip(), each[4].strip()) if each[1] is None else (each[1].replace('""', '"'), each[2].strip())
        for each in found
        if each is not None
    )
    if len(made) < len(found):
        raise InputError(f"{key} {wanted}; got {value!r}.")
    twice = next((name for name, count in Counter(name for name, _ in made).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{key} names {twice!r} twice. Name it once.")
    return made


def typed_text(column: str, text: str) -> str:
    """Write the text of a column as it is typed.

    Examples
    --------
    >>> typed_text("size", "Size"), typed_text("region=north", "North")
    ('size=Size', '"region=north"=North')
    """
    plain = "=" not in column and not column.startswith('"') and column == column.strip()
    return f"{column if plain else _quoted(column)}={text}"


def typed_group(name: str, columns: Sequence[str]) -> str:
    """Write a group as it is typed: columns with commas stand in quotation marks.

    Examples
    --------
    >>> typed_group("place", ["lat", "long, east"])
    'place=lat,"long, east"'
    """
    written = (_quoted(column) if re.search(r'^\s|^$|[",\r\n]|\s$', column) else column for column in columns)
    return typed_text(name, ",".join(written))


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
