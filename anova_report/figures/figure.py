"""One picture and its words, whatever kind it is."""

from dataclasses import dataclass
from typing import Any, Self, get_args

from anova_report.core.documents import plain_fields, read, read_fields
from anova_report.errors import StorageError
from anova_report.figures.contrasts import Contrasted
from anova_report.figures.kinds import Data

KINDS: dict[str, type] = {kind.__name__.lower(): kind for kind in get_args(Data)}
STILL: dict[str, type] = {kind.__name__.lower(): kind for kind in get_args(Contrasted)}  # kinds without a live twin


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure as text: a heading, and rows of as many cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """One picture and its words.

    Parameters
    ----------
    key : str
        Unique on a page; letters, digits and hyphens.
    title : str
    alt : str
        What is to be seen, in a sentence with numbers.
    data : Data or Contrasted
    table : Table
    """

    key: str
    title: str
    alt: str
    data: Data | Contrasted
    table: Table

    @property
    def kind(self) -> str:
        """Name of the kind of picture, "curve" or "surface" …."""
        return type(self.data).__name__.lower()

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
        kind, kinds = written.get("kind"), KINDS | STILL
        if not isinstance(kind, str) or kind not in kinds:
            raise StorageError(f"There is no kind of figure {kind!r}; there are {', '.join(kinds)}.")
        data: Any = read(written.get("data"), kinds[kind], kind)
        rest = {name: value for name, value in written.items() if name != "kind"}
        return read_fields(rest | {"data": data}, cls, "Figure", data=Any)
