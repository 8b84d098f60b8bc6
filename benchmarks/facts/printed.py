"""Numbers as pages print them, read back: whether a text is the right way to print a value."""

import re
from math import inf, isfinite, log

TOKEN = re.compile(
    r"(?:< |> |less than (?=0\.1%)|more than (?=99\.9%))?"
    r"(?<![\w.,−-])[+−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?(?![\w])%?"
)
BOUNDS = {"about 0%": (-1e-3, 0.0), "about 0": (-5e-4, 0.0)}  # of texts that hold no digit of their own
FACTOR = "× "  # begins a number whose logarithm counts
TOUCHING = 1e-9  # relative: a value that lies on the border of two roundings may be printed either way


def reading(text: str) -> tuple[float, float]:
    """Return the smallest and the largest value that a text stands for.

    Examples
    --------
    >>> reading("12.3%"), reading("−1.5"), reading("> 99.9%")
    ((0.1225, 0.1235), (-1.55, -1.45), (0.999, 1.0))
    >>> [round(end, 4) for end in reading("× 2 (+100%)")]
    [0.4055, 0.9163]
    """
    text = text.strip()
    if text.startswith(FACTOR):
        return _factor(text)
    for start in ("more than ", "less than ", "± "):
        text = text.replace(start, {"more than ": "> ", "less than ": "< ", "± ": ""}[start])
    if text in BOUNDS:
        return BOUNDS[text]
    if text.startswith(">"):
        return reading(text[1:])[0] + _half(text[1:]), 1.0
    if text.startswith("<"):
        return 0.0, reading(text[1:])[1] - _half(text[1:])
    value = _value(text)
    return value - _half(text), value + _half(text)


def _factor(text: str) -> tuple[float, float]:
    """Read a factor as its logarithm, and see that it says the same in percent."""
    times, _, change = text.removeprefix(FACTOR).partition(" (")
    low, high = reading(times)
    if change:
        least, most = (1 + end for end in reading(change.rstrip(")")))
        low, high = max(low, least), min(high, most)
    if not high > 0 or low > high * (1 + TOUCHING):
        raise ValueError(f"{text} says two things.")
    return log(max(low, 1e-300)), log(high)


def agrees(text: str, value: float, slack: float = 0.0) -> bool:
    """Whether a text stands for a value, known up to some slack."""
    try:
        low, high = reading(text)
    except ValueError:
        return False
    room = slack + TOUCHING * max(abs(value), abs(high))
    return isfinite(value) and low - room <= value <= high + room


def between(text: str, values: tuple[float, float]) -> bool:
    """Whether a text stands for any value of a range."""
    low, high = reading(text)
    room = TOUCHING * max(map(abs, (low, high, *values)))
    return low - room <= values[1] and values[0] <= high + room


def numbers_in(sentence: str) -> list[str]:
    """List the numbers that a sentence prints.

    Examples
    --------
    >>> numbers_in("12 of 1,200 rows, R² = 0.93, x2 rises by −3.5e−5 (12.0%).")
    ['12', '1,200', '0.93', '−3.5e−5', '12.0%']
    """
    return [found.rstrip(",") for found in TOKEN.findall(sentence)]


def _value(text: str) -> float:
    plain = text.replace("−", "-").replace(",", "").strip()
    return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)


def _half(text: str) -> float:
    """Return half a unit of the last digit that is printed."""
    plain = text.replace("−", "-").replace(",", "").strip()
    unit = 0.01 if plain.endswith("%") else 1.0
    digits, _, exponent = plain.rstrip("%").partition("e")
    decimals = len(digits.partition(".")[2])
    return float(0.5 * 10.0 ** (int(exponent or 0) - decimals) * unit) if plain else inf
