"""A pair as colours over the plane of its two features."""

from itertools import pairwise

from anova_report.figures.kinds import Surface
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg import axes, heat
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import box
from anova_report.figures.svg.scales import Frame, horizontal, vertical
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import number, signed

BAR = 10.0  # width of the scale of colours
NUMBERS = (6, 10)  # cells of levels across and down that have room for their numbers


def draw(canvas: Canvas, data: Surface) -> None:
    """Draw the cells of a pair, what is extrapolated behind hatching, a row as a cross, and the scale of colours."""
    wide, high = size(data)
    texts = [number(value) for value in (data.limit, 0.0, -data.limit)]
    right = wide - BAR - 20 - max(width(text, SMALL) for text in texts)
    place = axes.frame(data.x, data.y, Frame(0, 0, right, high))
    _cells(canvas, data, place)
    bar = Frame(right + 12, place.top, right + 12 + BAR, min(place.bottom, place.top + 170))
    _thin(canvas, data, place, bar)
    _numbers(canvas, data, place)
    axes.draw_x(canvas, data.x, place)
    axes.draw_y(canvas, data.y, place, grid=False, room=wide - 12 - min(width(clean(data.label), TEXT), wide / 2))
    canvas.note(wide, place.top - 11, data.label, room=wide / 2, text_anchor="end")
    heat.scale_down(canvas, heat.DIVERGING, bar, texts)
    _marked(canvas, data, place)


def _cells(canvas: Canvas, data: Surface, place: Frame) -> None:
    group = canvas.group("cells")
    pixels = [[heat.signed_index(value, data.limit) for value in row] for row in reversed(data.value)]
    heat.image(group, pixels, heat.DIVERGING, place)
    if data.value:
        columns = len(data.x.levels) if data.x.levels else 1
        heat.gaps(group, place, columns, len(data.y.levels) if data.y.levels else 1)


def _thin(canvas: Canvas, data: Surface, place: Frame, bar: Frame) -> None:
    """Veil and hatch the cells without rows, one box for each run of them, and say so below the scale of colours."""
    boxes = "".join(box(*edges) for edges in _runs(data, place))
    if not boxes:
        return
    group, hatched = canvas.group("thin"), canvas.hatch("muted")
    group.path(boxes, fill="surface", fill_opacity=0.68)
    group.path(boxes, fill=hatched)
    words = canvas.notes()
    canvas.rect(bar.left, bar.bottom + 22, BAR, 22, fill=hatched, stroke="grid")
    words.text(bar.right + 5, bar.bottom + 31, "few")
    words.text(bar.right + 5, bar.bottom + 44, "rows")


def _runs(data: Surface, place: Frame) -> list[tuple[float, float, float, float]]:
    """Join neighbouring thin cells of a row, and equal runs of rows that touch."""
    found: list[tuple[float, float, float, float]] = []
    open_runs: dict[tuple[int, int], int] = {}
    down = place.height / max(len(data.thin), 1)
    for position, row in enumerate((*data.thin, ())):
        runs = _spans(row)
        for start, end in set(open_runs) - set(runs):
            across = place.width / max(len(data.thin[0]), 1)
            low, high = place.bottom - down * open_runs.pop((start, end)), place.bottom - down * position
            found.append((place.left + across * start, high, place.left + across * end, low))
        for run in runs:
            open_runs.setdefault(run, position)
    return sorted(found)


def _spans(row: tuple[bool, ...]) -> list[tuple[int, int]]:
    edges = [position for position, (before, after) in enumerate(pairwise((False, *row, False))) if before != after]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _numbers(canvas: Canvas, data: Surface, place: Frame) -> None:
    """Write the effect into cells of few levels."""
    if not (data.x.levels and data.y.levels and data.value):
        return
    columns, rows = len(data.value[0]), len(data.value)
    if columns > NUMBERS[0] or rows > NUMBERS[1]:
        return
    group = canvas.group("numbers", text_anchor="middle", font_size=SMALL)
    inks = {ink: group.group(fill=ink) for ink in ("on-pale", "on-strong", "fg")}
    for j, row in enumerate(data.value):
        for i, value in enumerate(row):
            x = place.left + place.width * (i + 0.5) / columns
            y = place.bottom - place.height * (j + 0.5) / rows + 4
            colour = "fg" if data.thin and data.thin[j][i] else heat.ink(heat.signed_position(value, data.limit))
            inks[colour].text(x, y, signed(value))


def _marked(canvas: Canvas, data: Surface, place: Frame) -> None:
    """Draw a cross where a row lies; around a cell of two levels, which may hold a number, a frame."""
    if data.marked is None:
        return
    x, y = horizontal(data.x, place), vertical(data.y, place)
    across, up = x.inside(data.marked[0]), y.inside(data.marked[1])
    if data.x.levels and data.y.levels:
        half, height = abs(x(0.5) - x(0)) - 2, abs(y(0.5) - y(0)) - 2
        shape = box(across - half, up - height, across + half, up + height)
    else:
        shape = f"M{across - 5:.1f} {up - 5:.1f}l10 10m0-10l-10 10"
    group = canvas.group("marked", fill="none", stroke_linecap="round")
    group.path(shape, stroke="surface", stroke_width=5)
    group.path(shape, stroke="fg", stroke_width=2)
