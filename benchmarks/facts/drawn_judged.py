"""Pictures of truth against predictions and of ledgers, against the rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, printed, within
from benchmarks.facts.claims_judged import amounts, cells, going_with, held
from benchmarks.facts.claims_judged import observed as truth_of
from benchmarks.facts.page import Page, Said, Subject

PARTS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SUMS = {
    "in all": "association",
    "directly": "association directly",
    "through other columns": "association through others",
    "residual": "association of the residual",
}


def observed(page: Page, figure: dict[str, Any], _subject: Subject) -> Iterator[Check]:
    """Average truth and predictions over the rows of every cell."""
    said, data, lines = Said(figure["claims"][0], figure), figure["data"], figure["table"]["rows"]
    own, _ = cells(page, said.output, said.features[0] if said.features else None)
    span = data["y"]["high"] - data["y"]["low"]
    truth, expected = [float(cell.y.mean()) for cell in own], [float(cell.p.mean()) for cell in own]
    yield drawn("mean truth", data["observed"], truth, span)
    yield drawn("mean prediction", data["predicted"] or data["at"], expected, span)
    yield equal("rows", list(data["rows"]), [len(cell.y) for cell in own])
    for low, seen, high in zip(data["lower"], truth, data["upper"], strict=True):
        yield within("interval", seen, low - 1e-4 * span, high + 1e-4 * span)
    if data["x"]["levels"]:
        yield equal("names of cells", list(data["x"]["levels"]), [line[0] for line in lines])
    for line, cell in zip(lines, own, strict=True):
        yield equal(f"rows of {line[0]}", line[1], f"{len(cell.y):,}")
        yield printed(f"prediction at {line[0]}", line[2], float(cell.p.mean()))
        yield printed(f"truth at {line[0]}", line[3], float(cell.y.mean()))
        yield printed(f"difference at {line[0]}", line[5].removeprefix("+"), cell.apart)


def ledger(page: Page, figure: dict[str, Any], _subject: Subject) -> Iterator[Check]:
    """Compute every amount that is drawn or listed."""
    said, data = Said(figure["claims"][0], figure), figure["data"]
    sums, values = amounts(page, said), {}
    for at, term in enumerate(page.terms):
        values[page.label(term)] = going_with(page, said, page.components[:, at, said.output])
    known = values | {name: sums[kind] for name, kind in SUMS.items()}
    names = list(data["labels"])
    true = [known[name] for name in names]
    yield drawn("amounts", data["value"], true)
    span = float(np.abs(true).max())
    for low, value, high in zip(data["lower"], true, data["upper"], strict=True):
        yield within("interval", value, low - 1e-4 * span, high + 1e-4 * span)
    lines = figure["table"]["rows"]
    yield equal("every term is listed", len(lines), len(page.terms) + 2)
    own = page.features.index(said.places[0]) if said.places[0] in page.features else -1
    for line in lines:
        yield printed(f"through {line[0]}", line[2].removeprefix("+"), known[line[0]])
        term = page.named(line[0])
        yield equal(f"{line[0]} is of the column itself", bool(line[1]), term is not None and own in term)


def gains(page: Page, figure: dict[str, Any], _subject: Subject) -> Iterator[Check]:
    """Add up the truth of every part of the rows, by prediction and at best."""
    said, data, lines = Said(figure["claims"][0], figure), figure["data"], figure["table"]["rows"]
    seen = truth_of(page, said.output)
    y, p = seen.at(seen.judged)
    true, most = held(y, p, PARTS), held(y, y, PARTS)
    yield equal("parts", tuple(data["rows"]), PARTS)
    yield drawn("what they hold", data["held"], true, 1.0)
    yield drawn("the most they could hold", data["best"], most, 1.0)
    for low, share, high in zip(data["lower"], true, data["upper"], strict=True):
        yield within("interval", float(share), low - 1e-4, high + 1e-4)
    for line, part, share, best in zip(lines, PARTS, true, most, strict=True):
        yield printed("part", line[0], part)
        yield printed(f"held by {line[0]}", line[1], float(share))
        yield printed(f"lift of {line[0]}", line[3], float(share) / part)
        yield printed(f"at most by {line[0]}", line[4], float(best))
