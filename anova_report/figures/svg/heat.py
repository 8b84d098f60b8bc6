"""Cells in colours: a picture for each theme, of which a page shows one, numbers that can be read on it, a scale."""

from collections.abc import Sequence
from typing import TypeAlias

from anova_report.figures.style import (
    DARK_ONLY,
    DIVERGING_DARK,
    DIVERGING_LIGHT,
    LIGHT_ONLY,
    SEQUENTIAL_DARK,
    SEQUENTIAL_LIGHT,
    SWITCH,
    Stops,
    palette,
)
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.paths import stroke
from anova_report.figures.svg.png import data_uri
from anova_report.figures.svg.scales import Frame

COLOURS = 65  # odd, so that zero has a colour of its own

Pixels: TypeAlias = Sequence[Sequence[int]]
Themes: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def themes(light: Stops, dark: Stops) -> Themes:
    """Return the colours of a scale in both themes."""
    return palette(light, COLOURS), palette(dark, COLOURS)


DIVERGING = themes(DIVERGING_LIGHT, DIVERGING_DARK)
SEQUENTIAL = themes(SEQUENTIAL_LIGHT, SEQUENTIAL_DARK)


def signed_position(value: float, limit: float) -> float:
    """Return where a value stands between −limit and limit, from −1 to 1.

    Examples
    --------
    >>> signed_position(0.2, 0.4), signed_position(-9.0, 0.4), signed_position(0.0, 0.0)
    (0.5, -1.0, 0.0)
    """
    return max(-1.0, min(1.0, value / limit)) if limit > 0 else 0.0


def signed_index(value: float, limit: float) -> int:
    """Return which colour of a diverging scale a value has."""
    return round((signed_position(value, limit) + 1) / 2 * (COLOURS - 1))


def index(value: float, limit: float) -> int:
    """Return which colour of a sequential scale a size has."""
    return round(max(0.0, signed_position(value, limit)) * (COLOURS - 1))


def ink(position: float) -> str:
    """Return the colour of numbers on a position of a scale."""
    return "on-strong" if abs(position) > SWITCH else "on-pale"


def image(canvas: Canvas, pixels: Pixels, colours: Themes, place: Frame) -> None:
    """Draw cells, rows from the top."""
    if not pixels or not pixels[0]:
        return
    for chosen, shown, fallback in zip(colours, (LIGHT_ONLY, DARK_ONLY), ("inline", "none"), strict=True):
        canvas.image(data_uri(pixels, chosen), place, display=f"var(--{shown}, {fallback})")


def gaps(canvas: Canvas, place: Frame, columns: int, rows: int) -> None:
    """Draw thin gaps between cells."""
    across, down = place.width / max(columns, 1), place.height / max(rows, 1)
    lines = "".join(
        stroke(place.left + across * position, place.top, place.left + across * position, place.bottom)
        for position in range(1, columns)
    ) + "".join(
        stroke(place.left, place.top + down * position, place.right, place.top + down * position)
        for position in range(1, rows)
    )
    if lines:
        canvas.path(lines, "gaps", stroke="surface", stroke_width=1.5, fill="none")


def scale_down(canvas: Canvas, colours: Themes, place: Frame, texts: Sequence[str]) -> None:
    """Draw an upright scale of colours with texts at its right, the first at the top."""
    group = canvas.group("scale")
    image(group, [[colour] for colour in reversed(range(COLOURS))], colours, place)
    for position, words in enumerate(texts):
        y = place.top + place.height * position / max(len(texts) - 1, 1)
        group.note(place.right + 5, y + 4, words)


def scale_across(canvas: Canvas, colours: Themes, place: Frame, texts: tuple[str, str]) -> None:
    """Draw a flat scale of colours with its low end named at the left and its high end at the right."""
    group = canvas.group("scale")
    image(group, [list(range(COLOURS))], colours, place)
    middle = (place.top + place.bottom) / 2 + 4
    group.note(place.left - 6, middle, texts[0], text_anchor="end")
    group.note(place.right + 6, middle, texts[1])
