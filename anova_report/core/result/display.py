"""How results show themselves: a few lines of text, and in notebooks a small table made from a template.

What is worth showing of a decomposition is found by `measures`, and templates are filled by `report`. Both are rooms
above this one: the package hands their functions down in `rooms_above`, and importing numbers imports neither.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anova_report.io.sinks import cleaned

MOST_ROWS = 6  # of a table in a notebook: a glance, and not a report


@dataclass(frozen=True)
class Overview:
    """What is shown of a result: what it is, sentences about it, and a table of a few lines."""

    title: str
    lines: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def text(self) -> str:
        """Write it for a terminal."""
        shown = cleaned(self)
        table = [text_table(shown.head, shown.rows)] if shown.rows else []
        return "\n".join([shown.title, *shown.lines, *table])


@dataclass
class RoomsAbove:
    """What rooms above this one make of a result; the package names them when it is imported."""

    overview: Callable[[Any], Overview] = field(init=False)  # of a decomposition
    html: Callable[[Overview], str] = field(init=False)


rooms_above = RoomsAbove()


class Shown:
    """A result with a short `repr`, and a table in notebooks; by default the first lines of its `frame()`."""

    ranked_by: ClassVar[str] = ""  # the column of `frame()` by which lines are ordered, the largest first
    summed: ClassVar[tuple[str, ...]] = ()  # columns of which it is said what the lines that are not shown add up to

    def overview(self) -> Overview:
        """Choose what is shown."""
        columns: dict[str, list[object]] = self.frame()  # type: ignore[attr-defined]  # of the class that is shown
        shown = {name: held for name, held in columns.items() if name != "indices"}
        rows = list(zip(*shown.values(), strict=True))
        if self.ranked_by:
            at = list(shown).index(self.ranked_by)
            rows.sort(key=lambda row: -float(row[at]))
        more = f", of which {MOST_ROWS} are shown" if len(rows) > MOST_ROWS else ""
        title = f"{type(self).__name__}: {len(rows):,} {'line' if len(rows) == 1 else 'lines'}{more}"
        first = tuple(tuple(map(_cell, row)) for row in rows[:MOST_ROWS])
        return Overview(title, self._left_out(tuple(shown), rows[MOST_ROWS:]), tuple(shown), first)

    def _left_out(self, head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> tuple[str, ...]:
        """Say what the lines that are not shown add up to."""
        if not rows or not self.summed:
            return ()
        sums = (f"{name} {_cell(float(sum(row[head.index(name)] for row in rows)))}" for name in self.summed)
        lines = "line" if len(rows) == 1 else "lines"
        return (f"{len(rows):,} {lines} not shown: {', '.join(sums)}",)

    def __repr__(self) -> str:
        return self.overview().text()

    def _repr_html_(self) -> str:
        return rooms_above.html(self.overview())


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Set a table in plain text, the first column to the left, the others to the right.

    Examples
    --------
    >>> print(text_table(("term", "share"), [("age", "12.3%"), ("sex × age", "4.0%")]))
    term       share
    ─────────  ─────
    age        12.3%
    sex × age   4.0%
    """
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([line(headers), "  ".join("─" * width for width in widths), *map(line, rows)])


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
