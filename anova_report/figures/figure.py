"""One picture and its words, whatever kind it is."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

from anova_report.errors import StorageError, listing
from anova_report.figures.scene import Scene
from anova_report.io.documents import plain_fields, read, read_fields
from anova_report.measures.claims import Claims

KEY = re.compile(r"[A-Za-z][\w-]{0,199}")


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure as text: a heading, and rows of as many cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def from_document(cls, written: dict[str, Any]) -> Self:
        """Read a table, and refuse rows that are longer or shorter than the heading."""
        found = read_fields(written, cls, "Table")
        if any(len(row) != len(found.head) for row in found.rows):
            raise StorageError("A table has a row with more or fewer cells than its heading.")
        return found


class Data(Protocol):
    """What a kind of figure shows, as plain data; `kinds` lists them all."""

    def scene(self) -> Scene:
        """Lay the picture out."""


@dataclass(frozen=True)
class Figure:
    """One picture and its words."""

    key: str  # unique on a page; letters, digits and hyphens
    title: str
    alt: str  # what is to be seen, in a sentence with numbers
    data: Data
    table: Table
    claims: Claims = ()  # what `alt` is made of; none in documents of earlier versions

    @property
    def kind(self) -> str:
        """Name of the kind of picture, "curve" or "surface" …."""
        return type(self.data).__name__.lower()

    @cached_property
    def scene(self) -> Scene:
        """The picture, laid out."""
        try:
            return self.data.scene()
        except (ValueError, LookupError, ArithmeticError) as error:  # a file whose columns do not belong together
            raise StorageError(f"The figure {self.key} cannot be drawn: {error} Make the document again.") from error

    def to_document(self) -> dict[str, Any]:
        """Write the figure as JSON types, with the name of its kind."""
        return {"kind": self.kind} | plain_fields(self)

    @classmethod
    def from_document(cls, written: dict[str, Any]) -> Self:
        """Read what `to_document` wrote.

        Raises
        ------
        StorageError
            If there is no such kind, or a field is missing, unknown or not of its type.
        """
        from anova_report.figures.kinds import EQUALLY_LONG, KINDS  # noqa: PLC0415 kinds are filled by modules that make figures

        kind = written.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise StorageError(f"There is no kind of figure {kind!r}; there are {', '.join(KINDS)}.")
        data = read(written.get("data"), KINDS[kind], kind)
        lengths = {len(getattr(data, name)) for name in EQUALLY_LONG.get(kind, ())} - {0}
        if len(lengths) > 1:
            raise StorageError(f"The columns of a {kind} differ in length: {listing(sorted(lengths))}.")
        rest = {name: value for name, value in written.items() if name != "kind"}
        found = read_fields(rest | {"data": data}, cls, "Figure", data=Any)
        if not KEY.fullmatch(found.key):
            raise StorageError(f"A figure cannot have the key {found.key!r:.60}: only letters, digits and hyphens.")
        return found
