"""Names as text in a picture: legal characters only, how wide they run, and cut where there is no room."""

import unicodedata
from functools import cache

from anova_report.io.sinks import clean

__all__ = ["clean", "shorten", "width"]

ELLIPSIS = "…"
_JOINS = ("\u200d", "\ufe0e", "\ufe0f")

# Widths in ems of a wide sans-serif, so that text fits whichever font a reader's system has.
_WIDTHS = {
    **dict.fromkeys("ijl'|!.,:; ·", 0.33),
    **dict.fromkeys("frtI()[]{}-/\\°", 0.45),
    **dict.fromkeys("mwMW@%…", 0.96),
    **dict.fromkeys("+−=<>×±~→", 0.8),
}
_LOWER, _UPPER, _WIDE = 0.62, 0.7, 1.15


def width(words: str, size: float) -> float:
    """Return about how many pixels text takes in a font of `size`, rather too many than too few."""
    return size * sum(map(_em, words))


def shorten(words: str, room: float, size: float) -> str:
    """Cut text with an ellipsis so that it fits into `room` pixels.

    Examples
    --------
    >>> shorten("median income", 66, 12), shorten("age", 66, 12)
    ('median i…', 'age')
    """
    if width(words, size) <= room:
        return words
    left = room - width(ELLIPSIS, size)
    kept = 0
    for character in words:
        left -= size * _em(character)
        if left < 0:
            break
        kept += 1
    return _whole(words, kept).rstrip(" ×=,") + ELLIPSIS


def _whole(words: str, kept: int) -> str:
    """Cut before what combines with its left neighbor, never between them."""
    while 0 < kept < len(words) and (_combines(words[kept]) or words[kept - 1] in _JOINS):
        kept -= 1
    return words[:kept]


def _combines(character: str) -> bool:
    return character in _JOINS or unicodedata.combining(character) > 0


@cache
def _em(character: str) -> float:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return _WIDE
    return _UPPER if character.isupper() else _LOWER
