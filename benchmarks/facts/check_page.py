"""Everything a page states, checked: its claims, its pictures and tables, and the numbers in its sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.facts.checks import Check, equal
from benchmarks.facts.claims_apart import APART
from benchmarks.facts.claims_effects import EFFECTS
from benchmarks.facts.claims_rows import ROWS
from benchmarks.facts.claims_shares import SHARES
from benchmarks.facts.claims_trust import TRUST
from benchmarks.facts.figures import FIGURES
from benchmarks.facts.page import Page, Said, Subject
from benchmarks.facts.words import unfounded

CHECKERS = ROWS | EFFECTS | SHARES | TRUST | APART
OF_ONE_ROW = ("prediction", "explained value", "way from the mean", "sum of contributions", "contribution")
OF_ONE_ROW += ("further contributions", "what is drawn", "not seen in the fit")


@dataclass(frozen=True)
class Judged:
    """A claim, or a picture, of a page with all that was compared."""

    kind: str
    where: str
    checks: tuple[Check, ...]

    @property
    def wrong(self) -> list[Check]:
        """What does not hold."""
        return [check for check in self.checks if not check.holds]


def judge(page: Page) -> Iterator[Judged]:
    """Check all claims and pictures of a page, and its sentences.

    Raises
    ------
    KeyError
        If nothing checks a kind of claim or picture.
    """
    for where, holder in holders(page.document):
        for written in holder["claims"]:
            yield judge_claim(page, Said(written, holder), where)
        yield Judged("sentence", where, tuple(unfounded(page, holder)))
    for key, figure in page.document["figures"].items():
        kind = figure["kind"]
        yield Judged(f"picture: {kind}", key, tuple(FIGURES[kind](page, figure, subject(key))))


def judge_claim(page: Page, said: Said, where: str = "") -> Judged:
    """Check one claim; a kind that nothing checks is an error, and so is a claim that cannot be checked."""
    single = {claim["rows"][0] for claim in said.holder["claims"] if claim["kind"] in OF_ONE_ROW and claim["rows"]}
    one_row = equal("rows that claims in one place are about", sorted(single), sorted(single)[:1])
    return Judged(said.kind, where, (*CHECKERS[said.kind](page, said), one_row))


def holders(document: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through all parts of a document that hold claims."""
    if isinstance(document, dict):
        if "claims" in document:
            yield where, document
        for name, part in document.items():
            if name != "claims":
                yield from holders(part, f"{where}.{name}".lstrip("."))
    elif isinstance(document, list):
        for at, part in enumerate(document):
            yield from holders(part, f"{where}[{at}]")


def subject(key: str) -> Subject:
    """Say what a figure is about."""
    if found := re.fullmatch(r"feature-(\d+)", key):
        return Subject(features=(int(found[1]),))
    if found := re.fullmatch(r"o(\d+)-joint-shares-(\d+)", key):
        return Subject(int(found[1]), joint=True)
    if found := re.fullmatch(r"o(\d+)-(main|pair|joint|slices)-([\d-]+)", key):
        return Subject(int(found[1]), tuple(map(int, found[3].split("-"))), joint=found[2] == "joint")
    if found := re.fullmatch(r"o(\d+)-row-(\d+)-\w+", key):
        return Subject(int(found[1]), row=int(found[2]))
    return Subject(int(key[1 : key.index("-")]))
