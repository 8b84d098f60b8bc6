"""One picture and its words, whatever kind it is."""

from dataclasses import dataclass
from typing import get_args

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
