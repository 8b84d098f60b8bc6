import base64
import struct
import zlib

import pytest

from anova_report.figures.style import rgb
from anova_report.figures.svg.png import SIGNATURE, data_uri, png


def decode(body: bytes) -> tuple[int, int, list[list[str]]]:
    """Read a palette PNG by hand, checking every chunk."""
    assert body[:8] == SIGNATURE
    chunks, at = {}, 8
    while at < len(body):
        (length,) = struct.unpack(">I", body[at : at + 4])
        name, content = body[at + 4 : at + 8], body[at + 8 : at + 8 + length]
        assert struct.unpack(">I", body[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + content)
        chunks[name] = content
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    wide, high, *form = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert form == [8, 3, 0, 0, 0]
    table = [chunks[b"PLTE"][k : k + 3] for k in range(0, len(chunks[b"PLTE"]), 3)]
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[k : k + wide + 1] for k in range(0, len(raw), wide + 1)]
    assert all(row[0] == 0 for row in rows)
    return wide, high, [["#" + table[pixel].hex() for pixel in row[1:]] for row in rows]


@pytest.mark.parametrize(("wide", "high"), [(1, 1), (3, 2), (36, 36), (1, 65), (10, 8)])
def test_a_png_decodes_to_the_same_pixels(wide, high):
    colours = [f"#{40 * k % 256:02x}{90 * k % 256:02x}{k:02x}" for k in range(7)]
    pixels = [[(3 * i + 5 * j) % 7 for i in range(wide)] for j in range(high)]
    found = decode(png(pixels, colours))
    assert found == (wide, high, [[colours[pixel] for pixel in row] for row in pixels])


def test_a_palette_may_have_256_colours():
    colours = [f"#{k:02x}{255 - k:02x}00" for k in range(256)]
    assert decode(png([list(range(256))], colours))[2] == [colours]


def test_the_address_holds_the_picture():
    address = data_uri([[0, 1]], ["#000000", "#ffffff"])
    kind, _, body = address.partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(body) == png([[0, 1]], ["#000000", "#ffffff"])


def test_equal_pixels_give_equal_bytes():
    assert png([[0, 1], [1, 0]], ["#102030", "#a0b0c0"]) == png([[0, 1], [1, 0]], ["#102030", "#a0b0c0"])


def test_a_smooth_field_of_36_by_36_cells_stays_small():
    pixels = [[(i + j) // 2 for i in range(36)] for j in range(36)]
    assert len(png(pixels, [f"#{k:02x}{k:02x}{k:02x}" for k in range(65)])) < 700


def test_colours_are_read_as_three_bytes():
    assert rgb("#1f5fa8") == (0x1F, 0x5F, 0xA8)
