"""Damaged documents: every way to change one place of some JSON, chosen so that its structure stays plausible."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[str | int, ...]

NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320, -1, 0, 2**53 + 1, 10**400, 3.5, True)
TEXTS = ("", "pass", "\x1b[2J", "\u202e", "\ud800", "<script>alert(1)</script>", "=1+1", "\n::add-mask::", "a" * 5000)
VALUES = (*NUMBERS, *TEXTS, None, [], {}, [[]], [0], {"kind": "curve"})


def places(document: Any, path: Path = ()) -> Iterator[Path]:
    """List the paths of all values inside, containers too."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def value_at(document: Any, path: Path) -> Any:
    """Return what stands at a place."""
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    """Copy a document with another value at one place."""
    made = copy.deepcopy(document)
    value_at(made, path[:-1])[path[-1]] = value
    return made


def without(document: Any, path: Path) -> Any:
    """Copy a document without one of its values."""
    made = copy.deepcopy(document)
    del value_at(made, path[:-1])[path[-1]]
    return made


def damaged(document: Any, random: Random) -> Any:
    """Change one place at random: its value, its presence, its number of occurrences, or swap it with another."""
    paths = list(places(document))
    # Arrays of numbers are most of a document, so a path is found by walking down.
    path: Path = ()
    inside = document
    while isinstance(inside, dict | list) and inside and (not path or random.random() < 0.85):
        key = random.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        path, inside = (*path, key), inside[key]
    match random.randrange(5):
        case 0:
            return without(document, path)
        case 1 if isinstance(path[-1], int):
            made = copy.deepcopy(document)
            value_at(made, path[:-1]).append(copy.deepcopy(inside))
            return made
        case 2:
            return changed(document, path, copy.deepcopy(value_at(document, random.choice(paths))))
        case _:
            return changed(document, path, random.choice(VALUES))
