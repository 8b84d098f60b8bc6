"""Claims on what a model is expected to do, on waivers and on who answers for it, against rows and components."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.claims_shares import EXACT, interval
from benchmarks.facts.page import Page, Said, place

SLOPES = {"increasing": 1.0, "decreasing": -1.0}
BENDS = {"convex": 1.0, "concave": -1.0}
POINTWISE, MOST_WIDE = 1.95, 9.0  # standard errors: bounds that hold at all places at once are no narrower
DEFAULT = 0.01  # of the variance: what an effect may have that is none


def shape(page: Page, said: Said) -> Iterator[Check]:
    """Evaluate the effect at the places that are named, and hold them against each other and against rows."""
    form, index, column = said.places[0], said.features[0], page.values[:, said.features[0]]
    known = column[~np.isnan(column)]
    at = np.array([said[name] for name in ("first_at", "middle_at", "last_at") if name in said.numbers])
    for text, value in zip(said.places[1:], at, strict=True):
        low, high = place(page.dec.features[index], text)
        yield within("place", float(value), low - abs(low) * EXACT, high + abs(high) * EXACT)
        yield equal("a row has the value", bool(np.isclose(known, value, rtol=1e-12).any()), True)
    weights = np.array([1.0, -1.0]) * SLOPES[form] if form in SLOPES else _chord(at) * BENDS[form]
    yield near("departure", said["departure"], float(weights @ page.at((index,), {index: at}, said.output)), EXACT)
    yield from _bounds(page, said, said["departure"], weights, {index: at})
    every = page.at((index,), {index: known}, said.output)
    yield within("range", said["range"], 0.0, float(np.ptp(every)) * (1 + EXACT) + EXACT)
    yield near("what is allowed", said["allowed"], said["part"] * said["range"])
    between = (known >= said["first_at"]) & (known <= said["last_at"])
    yield equal("rows between", said["n_between"], float(between.sum()))
    yield from _whole("places", said["n_places"], len(np.unique(known)))
    yield from _judged(said, said["low"] > said["allowed"], said["high"] <= said["allowed"])


def _chord(at: Any) -> Any:
    part = (at[1] - at[0]) / (at[2] - at[0])
    return np.array([part - 1, 1.0, -part])


def _whole(what: str, count: float, most: int) -> Iterator[Check]:
    yield equal(f"{what}: a whole number", count % 1, 0.0)
    yield within(what, count, 1.0, float(most))


def _bounds(page: Page, said: Said, estimate: float, weights: Any, points: Any) -> Iterator[Check]:
    """See that bounds lie evenly around an estimate, and are no narrower than those of a single place."""
    yield near("middle of the interval", (said["low"] + said["high"]) / 2, estimate, EXACT)
    (index,) = points
    traced = page.errors((index,), points, said.output)
    if traced is not None:
        replicates = weights @ traced
        error = float(np.sqrt((replicates**2).sum() * len(replicates) / (len(replicates) - 1)))
        half = (said["high"] - said["low"]) / 2
        yield within("half of the interval", half, POINTWISE * error - EXACT, MOST_WIDE * error + EXACT)


def _asked(said: Said, value: float, share: bool) -> Iterator[Check]:
    """See that a limit is what the expectation itself says."""
    texts = re.findall(r"(×?)\s*([-−]?\d+(?:\.\d+)?)%?", _form(said))
    wanted = [np.log(float(text)) if factor else float(text.replace("−", "-")) for factor, text in texts]
    limits = [number / 100 for number in wanted] if share else wanted
    yield equal("limit", bool(np.isclose(limits or [DEFAULT], value).any()), True)


def _form(said: Said) -> str:
    return str(said.holder["title"]).rpartition(": ")[2]


def _judged(said: Said, is_violated: bool, holds: bool) -> Iterator[Check]:
    """Compare the status of the finding with what its numbers say."""
    true = "fail" if is_violated else "pass" if holds else "not tested"
    yield equal("status", said.holder["status"], true)
    start = {"fail": "Violated", "pass": "Holds", "not tested": "Cannot"}[true]
    yield equal("first word", said.holder["sentence"].split()[0].rstrip(":"), start)


def bounded(page: Page, said: Said) -> Iterator[Check]:
    """Evaluate the effect at the place that is named."""
    index, column = said.features[0], page.values[:, said.features[0]]
    known, at = column[~np.isnan(column)], np.array([said["at"]])
    low, high = place(page.dec.features[index], said.places[0])
    yield within("place", said["at"], low - abs(low) * EXACT, high + abs(high) * EXACT)
    yield near("value", said["value"], float(page.at((index,), {index: at}, said.output)[0]), EXACT)
    yield from _bounds(page, said, said["value"], np.ones(1), {index: at})
    for bound in (said["least"], said["most"]):
        yield from _asked(said, bound, share=False)
    yield equal("bound", said["bound"] in (said["least"], said["most"]), True)
    if "first_at" in said.numbers:
        known = known[(known >= said["first_at"]) & (known <= said["last_at"])]
        for edge in (said["first_at"], said["last_at"]):
            yield from _asked(said, edge, share=False)
    every = page.at((index,), {index: known}, said.output)
    yield equal("rows beyond", said["n_beyond"], float(((every < said["least"]) | (every > said["most"])).sum()))
    yield from _whole("places", said["n_places"], len(np.unique(known)))
    is_violated = said["low"] > said["most"] or said["high"] < said["least"]
    yield from _judged(said, is_violated, said["low"] >= said["least"] and said["high"] <= said["most"])


def total_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute the total share from all rows."""
    if len(said.features) == 1:
        yield near("share", said["share"], page.feature_shares(said.features[0], said.output)[1], EXACT)
    elif said.features in page.terms:
        yield near("share", said["share"], page.share([said.features], said.output)[1], EXACT)
    yield from _judged_share(said)


def part(page: Page, said: Said) -> Iterator[Check]:
    """Add the structural shares of all terms that are named."""
    least = 1 if said.kind == "effect expected" else 2
    own = [term for term in page.terms if set(said.features) <= set(term) and len(term) >= least]
    yield equal("terms", said.terms, own)
    true = sum(page.share([term], said.output)[0] for term in own)
    yield near("share", said["share"], true, EXACT)
    yield from interval(said, said["share"])
    yield from _judged_share(said)


def _judged_share(said: Said) -> Iterator[Check]:
    yield from _asked(said, said["limit"], share=True)
    below = said.places[0] == "below"
    is_violated = said["low"] > said["limit"] if below else said["high"] < said["limit"]
    holds = said["high"] <= said["limit"] if below else said["low"] >= said["limit"]
    yield from _judged(said, is_violated, holds)


def difference(page: Page, said: Said) -> Iterator[Check]:
    """Add the components of two rows."""
    least = 1 if said.kind == "difference expected" else 2
    own = [term for term in page.terms if set(said.features) <= set(term) and len(term) >= least]
    yield equal("terms", said.terms, own)
    yield equal("two rows", len(said.rows), 2)
    if len(said.rows) != 2:
        return
    at = [page.terms.index(term) for term in own]
    first, second = page.components[said.rows][:, at, said.output].sum(axis=1).tolist()
    yield near("difference", said["difference"], second - first, EXACT)
    yield near("middle of the interval", (said["low"] + said["high"]) / 2, said["difference"], EXACT)
    every = page.components[:, at, said.output].sum(axis=1)
    yield equal("rows", said["n_rows"], float(len(every)))
    yield from _asked(said, said["limit"], share=False)
    yield equal("rows beyond", said["n_beyond"], float((every - every[said.rows[0]] > said["limit"]).sum()))
    yield from _judged(said, said["low"] > said["limit"], said["high"] <= said["limit"])


def waivers(page: Page, said: Said) -> Iterator[Check]:
    """Count the findings that are waived."""
    waived = [item["code"] for item in page.document["outputs"][said.output]["findings"] if item["waiver"]]
    yield equal("waivers", said["count"], float(len(waived)))
    yield equal("their codes", said.places[1:], waived)


def waiver(page: Page, said: Said) -> Iterator[Check]:
    """See that a waiver that does not apply marks nothing."""
    findings = page.document["outputs"][said.output]["findings"]
    named = [item for item in findings if said.places[0] in (item["code"], item["title"])]
    yield equal("findings of that name", bool(named), said.kind != "waiver of nothing")
    yield equal("waived", [item["code"] for item in named if item["waiver"]], [])


EXPECTED = {
    "shape expected": shape,
    "values expected": bounded,
    "total share expected": total_share,
    "effect expected": part,
    "interaction expected": part,
    "difference expected": difference,
    "difference of interactions expected": difference,
    "waivers that apply": waivers,
    "waiver that expired": waiver,
    "waiver of nothing": waiver,
    "waiver without need": waiver,
}
