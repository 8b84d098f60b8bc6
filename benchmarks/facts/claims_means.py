"""Claims of captions on joint effects that are averaged over rows."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.facts.checks import Check, equal, near
from benchmarks.facts.drawn_means import AVERAGED_ROWS, along
from benchmarks.facts.page import Page, Said

Checker = Callable[[Page, Said], Iterator[Check]]
STEADY = 0.8  # of all its ups and downs: what a line gains in all that is said to rise, or to fall
ROUNDED = 2e-4  # relative: the picture, which is checked against the rows, keeps five digits


def course(_page: Page, said: Said) -> Iterator[Check]:
    """Follow the means that are drawn, which are checked against rows as a picture."""
    data = said.holder["data"]
    value = np.array(data["value"])
    if "gaps" in data and data["gaps"] and not data["x"]["levels"]:
        at = np.array(data["at"])
        held = np.ones(len(at), dtype=bool)
        for low, high in data["gaps"]:
            ends = (at == low) & (low <= data["x"]["low"]) | (at == high) & (high >= data["x"]["high"])
            held &= ~(((at > low) & (at < high)) | ends)
        value = value[held] if held.any() else value
    room = ROUNDED * float(np.abs(value).max())
    yield near("first", said["first"], float(value[0]), room)
    yield near("last", said["last"], float(value[-1]), room)
    steady = abs(value[-1] - value[0]) >= (STEADY - 1e-3) * np.abs(np.diff(value)).sum()
    if said.kind == "winding means":
        yield near("lowest", said["low"], float(value.min()), room)
        yield near("highest", said["high"], float(value.max()), room)
        return
    yield equal("it hardly turns back", bool(steady), True)
    yield equal("it rises", bool(value[-1] > value[0]), said.kind == "rising means")


def throughout(_page: Page, said: Said) -> Iterator[Check]:
    """See that all means that are drawn are the same."""
    value = np.array(said.holder["data"]["value"])
    yield near("mean", said["value"], float(value.mean()), ROUNDED * float(np.abs(value).max()))


def extreme(_page: Page, said: Said) -> Iterator[Check]:
    """Compare the means of levels of enough rows."""
    data = said.holder["data"]
    few = data["few"] if not all(data["few"]) else [False] * len(data["few"])
    value = [value for value, is_few in zip(data["value"], few, strict=True) if not is_few]
    end = max(value) if said.kind == "highest mean" else min(value)
    yield near("mean", said["value"], end, ROUNDED * max(map(abs, value)))
    named = said.places[0].partition(" = ")[2]
    yield near(f"mean of {named}", data["value"][data["x"]["levels"].index(named)], end, 1e-9)


def direction(page: Page, said: Said) -> Iterator[Check]:
    """Compare the variance between the groups of rows with that of the joint effect."""
    yield from averaged(page, said)
    found = along(page, said)
    between = found.value[found.group].var() / (found.effect.var() or 1.0)
    yield near("share of its variance", said["explained"], float(between), 1e-6)


def averaged(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("rows that are averaged over", said["n_looked"], float(min(len(page.values), AVERAGED_ROWS)))


MEANS: dict[str, Checker] = {
    "rising means": course,
    "falling means": course,
    "winding means": course,
    "same mean throughout": throughout,
    "highest mean": extreme,
    "lowest mean": extreme,
    "common direction": direction,
    "averaged rows": averaged,
}
