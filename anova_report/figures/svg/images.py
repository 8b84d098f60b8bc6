"""Cells in colors as pictures of pixels: the smallest PNG that browsers read, one for each theme."""

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from anova_report.figures.geometry import Frame
from anova_report.figures.scene import Coloring
from anova_report.figures.style import (
    DARK_ONLY,
    DIVERGING_DARK,
    DIVERGING_LIGHT,
    LIGHT_ONLY,
    SEQUENTIAL_DARK,
    SEQUENTIAL_LIGHT,
    palette,
    rgb,
)
from anova_report.figures.svg.canvas import Canvas

COLORS = 65  # odd, so that zero has a color of its own
EMPTY = COLORS  # the position of the transparent one
SIGNATURE = b"\x89PNG\r\n\x1a\n"
Pixels: TypeAlias = Sequence[Sequence[int]]
THEMES: Mapping[Coloring, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "diverging": (palette(DIVERGING_LIGHT, COLORS), palette(DIVERGING_DARK, COLORS)),
        "sequential": (palette(SEQUENTIAL_LIGHT, COLORS), palette(SEQUENTIAL_DARK, COLORS)),
    }
)


def draw_cells(canvas: Canvas, pixels: Pixels, coloring: Coloring, frame: Frame) -> None:
    """Draw cells, rows from the top, each the position of its color; a page shows the picture of its theme."""
    if not pixels or not pixels[0]:
        return
    for colors, shown, fallback in zip(THEMES[coloring], (LIGHT_ONLY, DARK_ONLY), ("inline", "none"), strict=True):
        address = "data:image/png;base64," + base64.b64encode(png(pixels, colors)).decode("ascii")
        canvas.image(address, frame, display=f"var(--{shown}, {fallback})")


def color_index(value: float | None, limit: float, coloring: Coloring) -> int:
    """Return the position of the color of a value.

    Examples
    --------
    >>> color_index(-9.0, 1.0, "diverging"), color_index(0.0, 1.0, "diverging"), color_index(2.0, 1.0, "sequential")
    (0, 32, 64)
    """
    if value is None:
        return EMPTY
    share = max(-1.0, min(1.0, value / limit)) if limit > 0 else 0.0
    return round(((share + 1) / 2 if coloring == "diverging" else max(share, 0.0)) * (COLORS - 1))


def png(pixels: Pixels, colors: Sequence[str]) -> bytes:
    """Encode pixels, rows from the top, each the position of its color among "#rrggbb"; the one after is clear."""
    wide, high = len(pixels[0]), len(pixels)
    header = struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)  # eight bits, a palette, no interlacing
    table = b"".join(bytes(rgb(color)) for color in colors)
    parts = [(b"IHDR", header), (b"PLTE", table)]
    if any(len(colors) in row for row in pixels):
        parts = [(b"IHDR", header), (b"PLTE", table + b"\0\0\0"), (b"tRNS", b"\xff" * len(colors) + b"\0")]
    rows = b"".join(b"\0" + bytes(row) for row in pixels)  # each row begins with its filter: none
    parts += [(b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(*part) for part in parts)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
