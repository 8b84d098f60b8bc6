"""One picture and its words, whatever kind it is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from anova_report.figures.scene import Scene


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure as text: a heading, and rows of as many cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Data(Protocol):
    """What a kind of figure shows, as plain data; `kinds` lists them all."""

    def scene(self) -> Scene:
        """Lay the picture out."""


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
    data : Data
    table : Table
    """

    key: str
    title: str
    alt: str
    data: Data
    table: Table

    @property
    def kind(self) -> str:
        """Name of the kind of picture, "curve" or "surface" …."""
        return type(self.data).__name__.lower()

    @cached_property
    def scene(self) -> Scene:
        """The picture, laid out."""
        return self.data.scene()
