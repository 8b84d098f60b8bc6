"""What one comparison of a page with the rows found, and the ways to compare."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from benchmarks.facts.printed import agrees, between

DIGITS = 5  # that drawn numbers keep over the range they are looked at
COMPUTED = 1e-6  # relative: sums over rows in another order


@dataclass(frozen=True)
class Check:
    """One number, name or order of a page, beside what the rows say."""

    what: str
    said: str
    true: str
    holds: bool


def equal(what: str, said: Any, true: Any) -> Check:
    """Compare what must be the same: names, counts, orders."""
    return Check(what, str(said)[:200], str(true)[:200], said == true)


def within(what: str, said: float, low: float, high: float) -> Check:
    """Compare a number with the range it must lie in."""
    return Check(what, f"{said:.8g}", f"{low:.8g} to {high:.8g}", isfinite(said) and low <= said <= high)


def near(what: str, said: float, true: float, slack: float = 0.0) -> Check:
    """Compare a number with its true value."""
    room = slack + COMPUTED * abs(true) + 1e-12
    return within(what, said, true - room, true + room)


def drawn(what: str, said: Sequence[float], true: Any, span: float | None = None, slack: Any = 0.0) -> Check:
    """Compare numbers of a picture, which keep five digits over a range: by default that of the largest."""
    values = np.asarray(true, dtype=float)
    given = np.asarray(said, dtype=float)
    if given.shape != values.shape:
        return equal(f"{what}: how many", given.shape, values.shape)
    largest = float(np.abs(values).max(initial=0.0)) if span is None else span
    unit = 10.0 ** (np.floor(np.log10(largest)) - DIGITS + 1) if largest > 0 else 1e-5
    off = np.abs(given - values) - (0.51 * unit + COMPUTED * np.abs(values) + slack)
    worst = int(np.argmax(off)) if off.size else 0
    if not off.size or off.flat[worst] <= 0:
        return Check(what, f"{given.size} numbers", "the same", True)
    return Check(f"{what}, number {worst}", f"{given.flat[worst]:.8g}", f"{values.flat[worst]:.8g}", False)


def printed(what: str, text: str, true: float, slack: float = 0.0) -> Check:
    """Compare a printed number with its true value, as closely as it is printed."""
    return Check(what, text, f"{true:.8g}", agrees(text, true, slack + COMPUTED * abs(true)))


def printed_between(what: str, text: str, values: tuple[float, float]) -> Check:
    """Compare a printed number with a range of true values."""
    return Check(what, text, f"{values[0]:.8g} to {values[1]:.8g}", between(text, values))


def false(checks: Iterable[Check]) -> Iterator[Check]:
    """Keep what does not hold."""
    return (check for check in checks if not check.holds)
