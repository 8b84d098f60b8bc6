"""Names and numbers as text in a live plot: what bokeh would take for more than text is made plain."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from anova_report.figures.kinds import Axis
from anova_report.figures.svg.text import clean
from anova_report.measures.wording import number

TIP_LENGTH = 120  # characters of a name in hover text; the table beside the figure has all of it
DAY = 86_400.0
MOST_PLACES = 7  # smaller ranges are written with powers of ten
LARGEST_PLAIN = 1e12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# BokehJS sets text between these as formulas, with a library that pages do not hold.
_FORMULA = re.compile(r"\$(?=\$)|\\(?=[()\[\]])")
_UNSEEN = "\u200b"


def plain(words: str) -> str:
    r"""Make text that is shown as it is written, formulas too.

    An invisible character between the two that would begin or end a formula keeps them apart.

    Examples
    --------
    >>> plain("$$x$$").replace("\u200b", "_"), plain("price in $")
    ('$_$x$_$', 'price in $')
    """
    return _FORMULA.sub(lambda found: found[0] + _UNSEEN, clean(words))


def brief(words: str) -> str:
    """Cut a name for hover text, where a line has room for a few words only."""
    whole = clean(words)
    return whole if len(whole) <= TIP_LENGTH else whole[: TIP_LENGTH - 1].rstrip() + "…"


def lines(*parts: str) -> str:
    """Put parts of hover text below each other, leaving out empty ones."""
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True)
class Tip:
    """What is said under the pointer.

    BokehJS shows labels as text. It reads the rest as HTML and puts values in as text; so that rest is ours alone, and
    columns have names of our own: what a user named can only be read.

    Parameters
    ----------
    rows : tuple of (label, words with placeholders)
    formatters : dict of str to str
        How BokehJS is to read the values of placeholders.
    """

    rows: tuple[tuple[str, str], ...]
    formatters: dict[str, str]


LINES = Tip((("", '<span style="white-space: pre-line">@tip</span>'),), {})  # a column of texts, one for each mark


def tip(*rows: tuple[str, str] | tuple[str, str, dict[str, str]]) -> Tip:
    """Put rows below each other: a label, words, and what `placeholder` says of reading them."""
    readers = {field: reader for row in rows for found in row[2:] for field, reader in found.items()}
    return Tip(tuple((brief(row[0]), row[1]) for row in rows), readers)


def value_text(axis: Axis, value: float) -> str:
    """Write a value on an axis: a level's name, a date, or a number with digits that tell its neighbours apart.

    Examples
    --------
    >>> value_text(Axis("weather", -0.5, 1.5, levels=("clear", "rain")), 1.0)
    'rain'
    >>> value_text(Axis("sold", 1.7e9, 1.71e9, time=True), 1_704_067_200.0), value_text(Axis("x", 30.0, 31.0), 30.1234)
    ('2024-01-01', '30.123')
    """
    if axis.levels:
        return brief(axis.levels[min(max(round(value), 0), len(axis.levels) - 1)])
    span = abs(axis.high - axis.low)
    if axis.time:
        return _moment(value, span)
    decimals = places(span)
    if decimals > MOST_PLACES or span >= LARGEST_PLAIN:
        return number(value)
    return f"{value:,.{decimals}f}".replace("-", "−")


def places(span: float) -> int:
    """Count the decimals that tell numbers apart over a range.

    Examples
    --------
    >>> places(14.5), places(0.02), places(5e6)
    (2, 5, 0)
    """
    return max(0, 3 - math.floor(math.log10(span))) if span > 0 else 3


def placeholder(field: str, axis: Axis, *, sign: bool = False) -> tuple[str, dict[str, str]]:
    """Return what stands in hover text for a number that BokehJS is to write, and how it is to read it.

    Parameters
    ----------
    field : str
        "@" and a column of ours, or "$x" or "$y", where the pointer is.
    axis : Axis
    sign : bool
        Put a sign in front of gains, too.

    Examples
    --------
    >>> placeholder("@y", Axis("effect", -1.0, 1.0), sign=True), placeholder("$x", Axis("sold", 0.0, 1e9, time=True))
    (('@y{+0,0.000}', {}), ('$x{%F}', {'$x': 'datetime'}))
    """
    span = abs(axis.high - axis.low)
    if axis.time:
        return field + ("{%F}" if span >= 2 * DAY else "{%F %T}"), {field: "datetime"}
    decimals = places(span)
    if decimals > MOST_PLACES or span >= LARGEST_PLAIN:
        return field + ("{%+.3e}" if sign else "{%.3e}"), {field: "printf"}
    return f"{field}{{{'+' if sign else ''}0,0{'.' * (decimals > 0)}{'0' * decimals}}}", {}


def _moment(value: float, span: float) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=value)
    except OverflowError:
        return number(value)
    return f"{moment:%Y-%m-%d}" if span >= 2 * DAY else f"{moment:%Y-%m-%d %H:%M:%S}"
