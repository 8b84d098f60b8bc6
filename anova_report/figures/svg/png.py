"""A picture of few colours as the smallest PNG that browsers read, for heat maps."""

import base64
import struct
import zlib
from collections.abc import Sequence

from anova_report.figures.style import rgb

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def data_uri(pixels: Sequence[Sequence[int]], colours: Sequence[str]) -> str:
    """Return a PNG as an address that holds it; see `png`."""
    return "data:image/png;base64," + base64.b64encode(png(pixels, colours)).decode("ascii")


def png(pixels: Sequence[Sequence[int]], colours: Sequence[str]) -> bytes:
    """Encode pixels, rows from the top, each the position of its colour among at most 256 "#rrggbb"."""
    wide, high = len(pixels[0]), len(pixels)
    header = struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)  # eight bits, a palette, no interlacing
    table = b"".join(bytes(rgb(colour)) for colour in colours)
    rows = b"".join(b"\0" + bytes(row) for row in pixels)  # each row begins with its filter: none
    return SIGNATURE + b"".join(
        _chunk(*part)
        for part in ((b"IHDR", header), (b"PLTE", table), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    )


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
