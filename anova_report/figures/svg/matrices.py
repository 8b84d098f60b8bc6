"""Orthogonality of pairs and main effects, feature by feature."""

import math

from anova_report.figures.kinds import Cell, Matrix
from anova_report.figures.style import DARK, LIGHT, MATRIX_LABELS, SMALL, TEXT, matrix_cell, size
from anova_report.figures.svg import heat, legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.paths import box
from anova_report.figures.svg.scales import Frame
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import cosine, number

NAMES = 86.0  # the longest name above a column
SLANT = 50  # degrees
NUMBERED = 10  # so many features still have room for numbers in their cells
NEUTRAL, NOWHERE = heat.COLOURS, heat.COLOURS + 1
COLOURS: heat.Themes = (
    (*heat.SEQUENTIAL[0], LIGHT["grid"], LIGHT["surface"]),
    (*heat.SEQUENTIAL[1], DARK["grid"], DARK["surface"]),
)


def draw(canvas: Canvas, data: Matrix) -> None:
    """Draw cells by the size of their cosine, rings around those beyond the limit."""
    count, side = len(data.features), matrix_cell(len(data.features))
    longest = max((width(clean(name), TEXT) for name in data.features), default=0.0)
    top = 16 + min(NAMES, longest) * math.sin(math.radians(SLANT))
    place = Frame(MATRIX_LABELS, top, MATRIX_LABELS + side * count, top + side * count)
    group = canvas.group("cells")
    heat.image(group, _pixels(data), COLOURS, place)
    heat.gaps(group, place, count, count)
    _marks(canvas, data, place, side)
    _names(canvas, data, place, side)
    _legend(canvas, data, place)


def _pixels(data: Matrix) -> list[list[int]]:
    count = len(data.features)
    pixels = [[NOWHERE] * count for _ in range(count)]
    for cell in _shown(data):
        drawn = NEUTRAL if cell.status == "fine" else heat.index(abs(cell.value), data.limit)
        pixels[cell.row][cell.column] = drawn
    return pixels


def _shown(data: Matrix) -> list[Cell]:
    return [cell for cell in data.cells if max(cell.row, cell.column) < len(data.features)]


def _marks(canvas: Canvas, data: Matrix, place: Frame, side: int) -> None:
    """Veil small terms, ring what is beyond the limit, write numbers where there is room."""
    cells = _shown(data)
    veiled = "".join(
        box(left, top, left + side, top + side)
        for left, top in (_corner(cell, place, side) for cell in cells if cell.status == "small")
    )
    if veiled:
        canvas.path(veiled, "small", fill="surface", fill_opacity=0.7)
    rings = canvas.group("beyond", fill="none", stroke="fail", stroke_width=2)
    for cell in cells:
        left, top = _corner(cell, place, side)
        if cell.status == "beyond":
            rings.rect(left + 1.5, top + 1.5, side - 3, side - 3, rx=3)
    if len(data.features) <= NUMBERED:
        _numbers(canvas, data, place, side)


def _corner(cell: Cell, place: Frame, side: int) -> tuple[float, float]:
    return place.left + side * cell.column, place.top + side * cell.row


def _numbers(canvas: Canvas, data: Matrix, place: Frame, side: int) -> None:
    group = canvas.group("numbers", text_anchor="middle", font_size=SMALL)
    inks = {ink: group.group(fill=ink) for ink in ("on-pale", "on-strong", "fg")}
    for cell in _shown(data):
        left, top = _corner(cell, place, side)
        plain = cell.status in ("small", "fine")
        colour = "fg" if plain else heat.ink(heat.signed_position(cell.value, data.limit))
        words = cosine(abs(cell.value)) if abs(cell.value) >= 0.0005 else "0"
        inks[colour].text(left + side / 2, top + side / 2 + 4, words)


def _names(canvas: Canvas, data: Matrix, place: Frame, side: int) -> None:
    """Name rows at the left and columns above; every so many where cells are small."""
    every = max(1, -(-13 // side))
    group = canvas.group("names", font_size=SMALL if side < 20 else TEXT)
    for position, name in list(enumerate(data.features))[::every]:
        middle = side * (position + 0.5)
        group.text(place.left - 8, place.top + middle + 4, name, room=MATRIX_LABELS - 10, text_anchor="end")
        x, y = place.left + middle + 3, place.top - 6
        group.text(x, y, name, room=NAMES, transform=f"rotate(-{SLANT} {x:.1f} {y:.1f})")


def _legend(canvas: Canvas, data: Matrix, place: Frame) -> None:
    wide = size(data)[0]
    top = place.bottom + 14
    bar = Frame(12, top, 112, top + 10)
    heat.scale_across(canvas, heat.SEQUENTIAL, bar, ("0", number(data.limit)))
    words = "cosine of the pair with the main effect of its row; diagonal: of the main effect with the mean"
    canvas.note(0, top + 30, words, room=wide)
    statuses = {cell.status for cell in data.cells}
    entries = (
        Entry("beyond the limit", "ring", "fail"),
        Entry("within what chance gives", "bar", "grid"),
        Entry("pale: term too small to count", "bar", "shade"),
    )
    chosen = [entry for entry, status in zip(entries, ("beyond", "fine", "small"), strict=True) if status in statuses]
    legends.draw(canvas, chosen, 0, top + 36, wide)
