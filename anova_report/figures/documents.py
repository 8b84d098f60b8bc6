"""Frozen dataclasses as JSON types, and back: what comes from a file is checked field by field."""

import sys
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from anova_report.errors import StorageError
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import KINDS

Record = TypeVar("Record")


def plain(value: Any) -> Any:
    """Write dataclasses, tuples and mappings as JSON types; a figure also says its kind."""
    if isinstance(value, Figure):
        return {"kind": value.kind} | _fields(value)
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def read(value: Any, wanted: type[Record]) -> Record:
    """Read what `plain` made of a dataclass.

    Raises
    ------
    StorageError
        If a field is missing, unknown or not of its type.
    """
    found: Record = _read(value, wanted, wanted.__name__)
    return found


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}


@dataclass(frozen=True)
class _Words:
    """A figure without its data."""

    key: str
    title: str
    alt: str
    table: Table


def _figure(written: dict[str, Any]) -> Figure:
    kind = written.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise StorageError(f"There is no kind of figure {kind!r}; there are {', '.join(KINDS)}.")
    data = _read(written.get("data"), KINDS[kind], kind)
    words = _record({name: value for name, value in written.items() if name not in ("kind", "data")}, _Words, "Figure")
    return Figure(words.key, words.title, words.alt, data, words.table)


def _read(value: Any, wanted: Any, where: str) -> Any:
    """Check a JSON value against a type, and turn lists into tuples and objects into dataclasses."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return value
    if origin is UnionType:
        return None if value is None else _read(value, next(kind for kind in inner if kind is not NoneType), where)
    if isinstance(value, list | dict):
        return _collection(value, wanted, where)
    if (origin is Literal and value in inner) or (wanted in (int, str, bool) and type(value) is wanted):
        return value
    if wanted is float and type(value) in (int, float) and abs(value) <= sys.float_info.max:  # False for NaN
        return float(value)
    raise _mismatch(value, wanted, where)


def _collection(value: Any, wanted: Any, where: str) -> Any:
    origin, inner = get_origin(wanted), get_args(wanted)
    if isinstance(value, list) and origin is tuple:
        return _tuple(value, inner, where)
    if isinstance(value, dict) and origin is dict:
        return {str(name): _read(item, inner[1], f"{where}[{name!r}]") for name, item in value.items()}
    if isinstance(value, dict) and is_dataclass(wanted):
        return _figure(value) if wanted is Figure else _record(value, wanted, where)
    raise _mismatch(value, wanted, where)


def _mismatch(value: Any, wanted: Any, where: str) -> StorageError:
    return StorageError(f"{where} is {value!r:.60}, which is not {getattr(wanted, '__name__', wanted)}.")


def _tuple(value: list[Any], inner: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if inner[-1] is Ellipsis:
        return tuple(_read(item, inner[0], f"{where}[{position}]") for position, item in enumerate(value))
    if len(value) != len(inner):
        raise StorageError(f"{where} has {len(value)} entries instead of {len(inner)}.")
    return tuple(_read(item, kind, where) for item, kind in zip(value, inner, strict=True))


def _record(value: dict[str, Any], wanted: Any, where: str) -> Any:
    types = get_type_hints(wanted)
    unknown = [name for name in value if name not in types]
    if unknown:
        raise StorageError(f"{where} has unknown fields: {', '.join(map(repr, unknown))}.")
    found = {name: _read(item, types[name], f"{where}.{name}") for name, item in value.items()}
    try:
        return wanted(**found)
    except TypeError as error:
        raise StorageError(f"{where} is not complete: {error}.") from error
