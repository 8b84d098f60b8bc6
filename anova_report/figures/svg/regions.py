"""How large the gap is in regions of each feature."""

from anova_report.figures.kinds import Regions
from anova_report.figures.style import DARK, LIGHT, SIZES, SMALL, size
from anova_report.figures.svg import heat
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.scales import Frame
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import number

COLUMNS = 10
CELL = 34.0
NAMES = 150.0
TOP = 46.0
ROW = SIZES["regions"].row
NOWHERE, EMPTY = heat.COLOURS, heat.COLOURS + 1  # no such region; a region without rows
COLOURS: heat.Themes = (
    (*heat.SEQUENTIAL[0], LIGHT["surface"], LIGHT["shade"]),
    (*heat.SEQUENTIAL[1], DARK["surface"], DARK["shade"]),
)


def draw(canvas: Canvas, data: Regions) -> None:
    """Draw a row of cells for each feature, and name the region with its largest gap."""
    wide = size(data)[0]
    left = min(NAMES, max((width(clean(name), 12) for name in data.features), default=0.0)) + 12
    place = Frame(left, TOP, left + CELL * COLUMNS, TOP + ROW * len(data.features))
    bar = Frame(14, 5, 134, 15)
    heat.scale_across(canvas, heat.SEQUENTIAL, bar, ("0", number(data.limit)))
    words = "typical gap in a region, in standard deviations of the answers"
    canvas.note(bar.right + 14 + width(number(data.limit), SMALL), 14, words)
    canvas.note(place.left, TOP - 7, "regions of each feature, in order")
    canvas.note(place.right + 14, TOP - 7, "largest gap in")
    cells = canvas.group("cells")
    heat.image(cells, [_pixels(data, position) for position in range(len(data.features))], COLOURS, place)
    heat.gaps(cells, place, COLUMNS, len(data.features))
    for position, name in enumerate(data.features):
        _row(canvas, data, position, place, wide)
        canvas.text(left - 10, _middle(position) + 4, name, room=left - 12, text_anchor="end")


def _middle(position: int) -> float:
    return TOP + ROW * (position + 0.5)


def _pixels(data: Regions, position: int) -> list[int]:
    pairs = list(zip(data.gap[position], data.count[position], strict=False))[:COLUMNS]
    found = [heat.index(gap, data.limit) if count else EMPTY for gap, count in pairs]
    return found + [NOWHERE] * (COLUMNS - len(found))


def _row(canvas: Canvas, data: Regions, position: int, place: Frame, wide: float) -> None:
    """Write the largest gap of a feature into its cell, and the name of that region beside the row."""
    seen = [(gap, -cell) for cell, gap in enumerate(data.gap[position][:COLUMNS]) if data.count[position][cell]]
    if not seen:
        canvas.note(place.right + 14, _middle(position) + 4, "no rows")
        return
    gap, cell = max(seen)[0], -max(seen)[1]
    weight = "700" if gap >= max((value for row in data.gap for value in row), default=0.0) else None
    ink = heat.ink(heat.signed_position(gap, data.limit))
    x, y = place.left + CELL * (cell + 0.5), _middle(position) + 4
    canvas.text(
        x,
        y,
        number(float(f"{gap:.2g}")),
        "largest",
        text_anchor="middle",
        font_size=SMALL,
        fill=ink,
        font_weight=weight,
    )
    canvas.note(place.right + 14, y, data.bins[position][cell], room=wide - place.right - 14)
