"""Documents on disk: dataclasses as versioned JSON, checked field by field when they are read, never executed."""

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from anova_report.errors import InputError, StorageError
from anova_report.io import files, sinks

Record = TypeVar("Record")

_SURROGATE = re.compile("[\ud800-\udfff]")
LARGEST_NUMBER = 1e300  # larger ones are read as this: differences, as axes take them, must be numbers still
LARGEST = 300_000_000  # bytes of a file that is read; three times what the largest decompositions have
# Every list and every text of a document takes some fifty bytes of memory, however short it is. Documents have less
# than one list in 45 letters, and less than one of either in 10.
LETTERS_FOR_LIST, LETTERS_FOR_PIECE, FREE_PIECES = 16, 6, 10_000

# Fields that files of the first versions have under another name.
FORMER_NAMES = {"answer": "prediction", "answers": "predictions", "answers_digest": "predictions_digest"}


def plain(value: Any) -> Any:
    """Write dataclasses, tuples and mappings as JSON types.

    A class that is more than its fields has a method `to_document`, and a class method `from_document` for `read`.
    """
    if hasattr(value, "to_document"):
        return value.to_document()
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def plain_fields(value: Any) -> dict[str, Any]:
    """Write the fields of a dataclass as JSON types."""
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}


def read(value: Any, wanted: type[Record], where: str = "") -> Record:
    """Read what `plain` made of a dataclass, each field of its type; errors name it `where`, or as its class."""
    found: Record = _read(value, wanted, where or wanted.__name__)
    return found


def read_fields(written: dict[str, Any], wanted: type[Record], where: str, **types: Any) -> Record:
    """Read a dataclass from its fields; `types` says of which type fields are where the class leaves that open."""
    known = get_type_hints(wanted) | types
    written = {name if name in known else FORMER_NAMES.get(name, name): item for name, item in written.items()}
    unknown = [name for name in written if name not in known]
    if unknown:
        raise StorageError(f"{where} has unknown fields: {', '.join(map(repr, unknown))}.")
    found = {name: _read(item, known[name], f"{where}.{name}") for name, item in written.items()}
    try:
        return wanted(**found)
    except TypeError as error:
        raise StorageError(f"{where} is not complete: {error}.") from error


def dumps(document: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Write JSON types as text; NaN and infinity are refused because JSON has no such numbers."""
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent, default=default)
        if text.isascii() or not _SURROGATE.search(text):
            return text
        # Half a character, as damaged files have it, can be escaped but not written.
        return json.dumps(document, allow_nan=False, indent=indent, default=default)
    except (TypeError, ValueError) as error:
        raise StorageError(f"The document cannot be written as JSON: {error}.") from error


@dataclass(frozen=True)
class Stamp:
    """What a file says it holds."""

    schema: str
    version: int  # the newest that this software reads, and the one it writes
    noun: str  # what it is called in errors, "an audit"
    cure: str  # a sentence on what to pass instead of another file
    ignored: tuple[str, ...] = ()  # fields of older files that are not read

    def text(self, document: Any, *, indent: int | None = None) -> str:
        """Write a dataclass, or JSON types, as JSON with this stamp."""
        return dumps({"schema": self.schema, "version": self.version} | plain(document), indent=indent) + "\n"

    def body(self, path: str | os.PathLike[str]) -> dict[str, Any]:
        """Read the fields of a file as JSON types, without the stamp itself."""
        written = _content(path, self.cure)
        if not isinstance(written, dict) or written.get("schema") != self.schema:
            raise StorageError(f"{os.fspath(path)} does not hold {self.noun}. {self.cure}")
        version = written.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or not 0 < version <= self.version:
            raise StorageError(
                f"{os.fspath(path)} holds {self.noun} of version {version!r}, and this version of anova_report reads "
                f"up to version {self.version}. Upgrade anova_report."
            )
        dropped = ("schema", "version", *self.ignored)
        return {name: value for name, value in written.items() if name not in dropped}


class Document:
    """A dataclass that is saved as a file of its own; `stamp` says what the file holds."""

    stamp: ClassVar[Stamp]
    in_full: ClassVar[tuple[str, ...]] = ()  # fields of which texts are saved whole, however long

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the document to a file as versioned JSON."""
        return files.write_text(path, self.text())

    def text(self) -> str:
        """Write the document as versioned JSON; what stands in many places is cut as it is where it is drawn."""
        written = plain_fields(self)
        return self.stamp.text(
            {name: value if name in self.in_full else _cut(value) for name, value in written.items()}
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a document that `save` wrote; nothing in the file is executed.

        Raises
        ------
        StorageError
            If the file holds something else, contradicts itself, or was written by a newer version.
        """
        found = read(cls.stamp.body(path), cls)
        wrong = found.contradiction()
        if wrong:
            raise StorageError(f"{os.fspath(path)} contradicts itself: {wrong}. {cls.stamp.cure}")
        return found

    def contradiction(self) -> str:
        """Say which parts cannot be true together, though each is of its type; empty where all can."""
        return ""


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return sinks.cut(value)
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def schema_of(path: str | os.PathLike[str], cure: str) -> str:
    """Read what a document says it is, empty where it says nothing; `cure` says what to pass instead of other files."""
    written = _content(path, cure)
    return str(written.get("schema", "")) if isinstance(written, dict) else ""


def parse(text: str) -> Any:
    """Read JSON as JSON has it: no NaN, no infinity, no number that is too large for one, no more depth than sense.

    What would take far more memory than its text has is refused before it is read.
    """
    lists = text.count("[") + text.count("{")
    pieces = lists + text.count('"') // 2
    if lists > FREE_PIECES + len(text) // LETTERS_FOR_LIST or pieces > FREE_PIECES + len(text) // LETTERS_FOR_PIECE:
        raise ValueError(f"it is made of {pieces:,} lists and texts, more than any document of its size")
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_number, parse_int=_whole_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"it holds {text[:20]}, which is no number that JSON knows")


def _number(text: str) -> float:
    found = float(text)
    return found if abs(found) <= sys.float_info.max else _refuse(text)


def _whole_number(text: str) -> int:
    return int(text) if len(text) < 20 else _refuse(text)


def _content(path: str | os.PathLike[str], cure: str) -> Any:
    try:
        written = files.read_bytes(path, LARGEST)
    except InputError as error:
        raise StorageError(f"{error} {cure}") from error
    try:
        return parse(written.decode())
    except ValueError as error:  # also of what is not UTF-8
        raise StorageError(f"{os.fspath(path)} is not JSON ({error}). {cure}") from error


def _read(value: Any, wanted: Any, where: str) -> Any:
    """Check a JSON value against a type, and turn lists into tuples and objects into dataclasses."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if (
        wanted is Any
        or (origin is Literal and value in inner)
        or (wanted in (int, str, bool) and type(value) is wanted)
    ):
        return value
    if origin in (UnionType, Union):
        return None if value is None else _read(value, next(kind for kind in inner if kind is not NoneType), where)
    if isinstance(value, list) and origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(value) != len(kinds):
            raise StorageError(f"{where} has {len(value)} entries instead of {len(kinds)}.")
        pairs = enumerate(zip(value, kinds, strict=True))
        return tuple(_read(item, kind, f"{where}[{at}]") for at, (item, kind) in pairs)
    if isinstance(value, dict) and origin is dict:
        return {str(name): _read(item, inner[1], f"{where}[{name!r}]") for name, item in value.items()}
    if isinstance(value, dict) and isinstance(wanted, type) and is_dataclass(wanted):
        return wanted.from_document(value) if hasattr(wanted, "from_document") else read_fields(value, wanted, where)
    if wanted is float and type(value) in (int, float) and abs(value) <= sys.float_info.max:  # False for NaN
        return min(max(float(value), -LARGEST_NUMBER), LARGEST_NUMBER)
    raise StorageError(f"{where} is {value!r:.60}, which is not {getattr(wanted, '__name__', wanted)}.")
