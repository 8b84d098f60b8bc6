"""What marks mean, in one or a few lines above a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anova_report.figures.style import SMALL
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import mark
from anova_report.figures.svg.text import clean, width

ROW = 17.0
GAP = 16.0
MARK = 16.0  # width of a sample of the mark
SPACE = 5.0

Shape: TypeAlias = Literal["line", "bar", "thin", "dot", "ring", "tick", "cross", "diamond", "triangle"]


@dataclass(frozen=True)
class Entry:
    """One kind of mark: its words, its shape, its colour (a name, or a reference to a pattern), its dashes."""

    words: str
    shape: Shape
    colour: str
    dash: str | None = None
    opacity: float | None = None


def height(entries: Sequence[Entry], room: float) -> float:
    """Return how many pixels a legend takes."""
    return ROW * len(_rows(entries, room))


def draw(canvas: Canvas, entries: Sequence[Entry], left: float, top: float, room: float) -> None:
    """Draw marks and their words from left to right, in as many rows as they need."""
    group = canvas.group("legend")
    words = canvas.notes("legend-words")
    for position, row in enumerate(_rows(entries, room)):
        x, middle = left, top + ROW * (position + 0.5)
        for entry in row:
            _mark(group, entry, x, middle)
            words.text(x + MARK + SPACE, middle + 4, entry.words, room=room - MARK - SPACE)
            x += _extent(entry) + GAP


def _extent(entry: Entry) -> float:
    return MARK + SPACE + width(clean(entry.words), SMALL)


def _rows(entries: Sequence[Entry], room: float) -> list[list[Entry]]:
    rows: list[list[Entry]] = []
    used = room
    for entry in entries:
        used += GAP + _extent(entry)
        if used > room:
            rows.append([])
            used = _extent(entry)
        rows[-1].append(entry)
    return rows


def _mark(group: Canvas, entry: Entry, x: float, middle: float) -> None:
    match entry.shape:
        case "line":
            group.line(x, middle, x + MARK, middle, stroke=entry.colour, stroke_width=2, stroke_dasharray=entry.dash)
        case "bar":
            group.rect(x, middle - 5, MARK, 10, fill=entry.colour, fill_opacity=entry.opacity)
        case "thin":
            group.rect(x, middle - 2, MARK, 4, fill=entry.colour)
        case "dot":
            group.line(x, middle, x + MARK, middle, stroke=entry.colour)
            group.circle(x + MARK / 2, middle, 3, fill=entry.colour)
        case "ring":
            group.rect(x + 2, middle - 5.5, 11, 11, rx=2, fill="none", stroke=entry.colour, stroke_width=2)
        case shape:
            outline = mark(shape, x + MARK / 2, middle, 5 if shape == "tick" else 4)
            group.path(outline, stroke=entry.colour, stroke_width=2.5 if shape == "tick" else 2, fill="none")
