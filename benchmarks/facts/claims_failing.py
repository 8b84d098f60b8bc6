"""Claims on where the explanation fails, against residuals row by row and the rows of each rule."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anova_report.core.randomness import stream
from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.page import Floats, Page, Said, place

Checker = Callable[[Page, Said], Iterator[Check]]


def _looked_at(page: Page, said: Said) -> tuple[Any, Floats, Floats, Any]:
    """Return rows, their squared residuals, what they count, and the half that each is in."""
    if said.written["over"] == "held-out rows":
        known = page.dec.row_residuals
        rows, squares, counts, units = known.positions, known.residuals[:, said.output] ** 2, known.weights, known.units
    else:
        rows = np.arange(len(page.values))
        squares, counts = (page.predictions - page.explained)[:, said.output] ** 2, np.ones(len(rows))
        units = stream(0, "units of residuals").integers(64, size=len(rows))
    order = {unit: at for at, unit in enumerate(sorted(set(units.tolist())))}
    return rows, squares, counts, np.array([order[unit] % 2 for unit in units.tolist()])


def rules_tried(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows; of rules it is known that there are three at most in each half, and those that are listed."""
    rows, *_ = _looked_at(page, said)
    yield equal("rows", said["n_rows"], float(len(rows)))
    if said.kind == "rules tried":
        listed = sum(claim["kind"] == "failing region" for claim in said.holder["claims"])
        yield equal("a whole number of rules", said["n_tried"] % 1, 0.0)
        yield within("rules", said["n_tried"], listed, 6)


def failing_region(page: Page, said: Said) -> Iterator[Check]:
    """Choose the rows of the rule among those it was judged on, and add their squared residuals up."""
    rows, squares, counts, half = _looked_at(page, said)
    conditions = _rule(page, said)
    own = half == said["half"]
    values, squares, counts = page.values[rows[own]], squares[own], counts[own]
    inside = np.logical_and.reduce([_holds(one, values[:, one["feature"]]) for one in conditions])
    yield equal("features", sorted(said.features), sorted({one["feature"] for one in conditions}))
    yield equal("rows in it", said["n_inside"], float(inside.sum()))
    yield equal("rows it was judged on", said["n_judged"], float(own.sum()))
    yield near("share of the rows", said["share"], float(counts[inside].sum() / counts.sum()))
    held = float((counts * squares)[inside].sum() / (counts * squares).sum())
    yield near("share of what is unexplained", said["held"], held)
    left = float(np.average(squares[inside], weights=counts[inside]) / page.variance(said.output))
    yield near("variance that is left", said["left"], left, 1e-6 * left)
    yield within("interval", held, said["low"], said["high"])
    yield within("more than its share", said["low"], said["share"], 1.0)
    for one in conditions:
        yield from _written(page, said, one)


def _rule(page: Page, said: Said) -> list[dict[str, Any]]:
    """Find the conditions of a region: its section lists rules in the order of their claims."""
    section = page.document["outputs"][said.output]["failures"]
    regions = [claim["places"] for claim in section["claims"] if claim["kind"] == "failing region"]
    found: list[dict[str, Any]] = section["rules"][regions.index(said.written["places"])]["conditions"]
    return found


def _holds(condition: dict[str, Any], column: Floats) -> Any:
    value = condition["value"]
    ways = {"below": column < value, "from": column >= value, "is": column == value, "missing": np.isnan(column)}
    return ways[condition["relation"]]


def _written(page: Page, said: Said, condition: dict[str, Any]) -> Iterator[Check]:
    """See that the rule names the feature, and the threshold or level as it is."""
    index, text = condition["feature"], condition["text"]
    yield equal(f"the rule names {page.features[index]}", page.features[index] in said.places[0], True)
    if condition["relation"] == "missing":
        return
    yield equal(f"the rule says {text}", text in said.places[0], True)
    low, high = place(page.dec.features[index], text)
    room = 1e-9 * max(abs(low), abs(high), 1.0)
    yield within(f"{text}", condition["value"], low - room, high + room)


def largest_residuals(page: Page, said: Said) -> Iterator[Check]:
    """Sort all rows by their residuals."""
    residual = np.abs(page.predictions - page.explained)[:, said.output]
    yield equal("rows", said["n_listed"], float(len(said.rows)))
    listed = residual[said.rows]
    yield near("their part", said["held"], float((listed**2).sum() / ((residual**2).sum() or 1.0)))
    true = np.sort(residual)[::-1][: len(listed)]
    yield equal("largest first", bool(np.allclose(listed, true, rtol=1e-9, atol=1e-12 * residual.max())), True)


def beyond_the_fit(page: Page, said: Said) -> Iterator[Check]:
    """Ask the decomposition which values it has not seen; combinations are known to it alone."""
    outside = page.dec.outside(page.X).sum(axis=1)
    seen = {int(at) for at in np.flatnonzero(outside)}
    yield equal("rows that are listed", said["n_listed"], float(len(said.rows)))
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("a whole number of rows", said["n_beyond"] % 1, 0.0)
    yield within("rows beyond", said["n_beyond"], max(len(seen), len(said.rows)), len(page.values))
    first = sorted(seen, key=lambda at: -outside[at])[: len(said.rows)]
    yield equal("most unseen values first", outside[said.rows].tolist()[: len(first)], outside[first].tolist())


FAILING: dict[str, Checker] = {
    "rules tried": rules_tried,
    "too few rows for rules": rules_tried,
    "failing region": failing_region,
    "rows listed by residual": largest_residuals,
    "rows listed by what is unseen": beyond_the_fit,
}
