"""Pictures of all rows at a glance, and claims on them, against the components of every row."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, near, printed
from benchmarks.facts.page import Floats, Page, Said, Subject
from benchmarks.facts.printed import reading

MISSING = -1


def shapley(page: Page, index: int, output: int) -> Floats:
    """Share every component equally among its features, in all rows."""
    own = [(at, len(term)) for at, term in enumerate(page.terms) if index in term]
    return np.asarray(sum(page.components[:, at, output] / order for at, order in own) + np.zeros(len(page.values)))


def swarm(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Find the contributions and the color of every point, and the means of the table."""
    data, rows = figure["data"], figure["data"]["rows"]
    by_feature = figure["claims"][0]["kind"] == "widest contributions of a feature"
    span = data["x"]["high"] - data["x"]["low"]
    yield equal("rows in all", data["n_rows"], len(page.values))
    yield equal("rows are drawn once", len(set(rows)), len(rows))
    lines = zip(data["labels"], data["terms"], data["value"], data["shade"], data["shades"], strict=True)
    for (label, term, value, shade, shades), table in zip(lines, figure["table"]["rows"], strict=True):
        every = (
            shapley(page, term[0], subject.output)
            if by_feature
            else page.components[:, page.terms.index(tuple(term)), subject.output]
        )
        yield equal("name", label, page.label(term))
        yield drawn(f"contributions of {label}", value, every[rows], span)
        yield from _colors(page, shades, shade, rows)
        own = every[rows]
        for text, true in zip(table[1:4], (own.min(), np.median(own), own.max()), strict=True):
            yield printed(f"contributions of {label}", page.size(text), float(true), 1e-9 * span)
        for at, text in zip((0, len(shades["words"]) - 1), table[5:], strict=True):
            inside = own[np.array(shade) == at]
            if len(inside):
                mean = text.removesuffix(f" ({shades['words'][at]})")
                yield printed(f"mean of {label}", page.size(mean), float(inside.mean()), 1e-6 * span)


def _colors(page: Page, shades: dict[str, Any], shade: list[int], rows: list[int]) -> Iterator[Check]:
    """See that colors run from low to high with the values, or that each is one level."""
    by = next(at for at in range(len(page.features)) if _is(page, at, shades))
    feature, column, colors = page.dec.features[by], page.values[rows, by], np.array(shade)
    yield equal(f"rows without {shades['by']}", (colors == MISSING).tolist(), np.isnan(column).tolist())
    known = [column[colors == at] for at in range(len(shades["words"]))]
    if feature.levels or feature.kind == "boolean":
        for words, held in zip(shades["words"], known, strict=True):
            if words != "other levels":
                names = {_level(feature, code) for code in held.tolist()}
                yield equal(f"level of {shades['by']}", names <= {words}, True)
        return
    ends = [(float(held.min()), float(held.max())) for held in known if len(held)]
    rising = all(high <= low for (_, high), (low, _) in pairwise(ends))
    yield equal(f"colors of {shades['by']} rise with its values", rising, True)
    every = page.values[:, by]
    parts = [((every >= low) & (every <= high)).sum() for low, high in ends]
    if len(shades["words"]) == 5 and len(np.unique(every[~np.isnan(every)])) > 50:
        yield equal("no color has half of the rows", bool(max(parts) < 0.5 * len(every)), True)


def _is(page: Page, at: int, shades: dict[str, Any]) -> bool:
    feature = page.dec.features[at]
    return shades["by"] in {page.features[at], f"{page.features[at]} ({feature.unit})"}


def _level(feature: Any, code: float) -> str:
    if feature.kind == "boolean":
        return str(bool(code))
    return str(feature.levels[int(code)])


def row_effects(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Find place, contribution and color of every point, and the means of the table."""
    data, rows, index = figure["data"], figure["data"]["rows"], figure["claims"][0]["features"][0]
    own, column = shapley(page, index, subject.output)[rows], page.values[rows, index]
    absent = np.isnan(column)
    yield drawn("contributions", data["value"], own, data["y"]["high"] - data["y"]["low"])
    yield equal("rows without the value", data["absent"], absent.tolist())
    at = np.array(data["at"])[~absent]
    if data["x"]["levels"]:
        pairs = set(zip(at.tolist(), column[~absent].tolist(), strict=True))
        yield equal("one place for each level", len(pairs), len({place for place, _ in pairs}))
        yield equal("one level for each place", len(pairs), len({level for _, level in pairs}))
    else:
        yield drawn("values", at.tolist(), column[~absent], data["x"]["high"] - data["x"]["low"])
    if data["shades"] is not None:
        yield from _colors(page, data["shades"], data["shade"], rows)
    counts = [int(line[1].replace(",", "")) for line in figure["table"]["rows"]]
    yield equal("rows of the table", sum(counts), len(rows))
    means = [_number(page, line[3]) for line in figure["table"]["rows"]]
    whole = float(np.average(means, weights=counts))
    yield near("means of the table", whole, float(own.mean()), 0.01 * float(np.abs(own).max()) + 1e-12)


def _number(page: Page, text: str) -> float:
    low, high = reading(page.size(text))
    return (low + high) / 2


def widest(page: Page, said: Said) -> Iterator[Check]:
    """Look for the line whose points reach farthest."""
    data = said.holder.get("data")
    if data is None:  # the line of a section says how many rows are drawn
        alike = [one for one in page.document["figures"].values() if one["kind"] == "swarm"]
        data = next(
            one["data"]
            for one in alike
            if (one["claims"][0]["kind"], one["claims"][0]["output"]) == (said.kind, said.written["output"])
        )
    rows = data["rows"]
    yield equal("rows that are drawn", said["n_drawn"], float(len(rows)))
    yield equal("rows", said["n_rows"], float(len(page.values)))
    term = said.terms[0] if said.terms else said.features
    reaches = {tuple(line): max(value) - min(value) for line, value in zip(data["terms"], data["value"], strict=True)}
    slack = 1e-4 * max(reaches.values())
    yield equal("it reaches farthest", reaches.get(tuple(term), -1.0) >= max(reaches.values()) - slack, True)
    whole = term in page.terms and not said.features
    every = page.components[:, page.terms.index(term), said.output] if whole else shapley(page, term[0], said.output)
    yield near("lowest", said["low"], float(every[rows].min()), 1e-9 * slack)
    yield near("highest", said["high"], float(every[rows].max()), 1e-9 * slack)


def of_a_feature(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows, and look for the ends of their contributions."""
    rows, index = said.holder["data"]["rows"], said.features[0]
    own = shapley(page, index, said.output)[rows]
    yield equal("rows that are drawn", said["n_drawn"], float(len(rows)))
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("rows without the value", said["n_missing"], float(np.isnan(page.values[rows, index]).sum()))
    yield near("lowest", said["low"], min(float(own.min()), 0.0))
    yield near("highest", said["high"], max(float(own.max()), 0.0))


GLANCE: dict[str, Callable[[Page, Said], Iterator[Check]]] = {
    "widest contributions of a feature": widest,
    "widest contributions of a term": widest,
    "contributions of a feature": of_a_feature,
}
