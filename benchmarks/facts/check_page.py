"""Everything a page states, checked: its claims, its pictures and tables, and the numbers in its sentences."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.facts.checks import Check, equal
from benchmarks.facts.claims_apart import APART
from benchmarks.facts.claims_effects import EFFECTS
from benchmarks.facts.claims_expected import EXPECTED
from benchmarks.facts.claims_failing import FAILING
from benchmarks.facts.claims_groups import GROUPS
from benchmarks.facts.claims_judged import JUDGED
from benchmarks.facts.claims_means import MEANS
from benchmarks.facts.claims_notes import NOTES
from benchmarks.facts.claims_rows import ROWS
from benchmarks.facts.claims_shares import SHARES
from benchmarks.facts.claims_trust import TRUST
from benchmarks.facts.claims_two import OF_TWO
from benchmarks.facts.drawn_glance import GLANCE
from benchmarks.facts.drawn_means import means
from benchmarks.facts.drawn_two import PICTURES, tables
from benchmarks.facts.figures import FIGURES
from benchmarks.facts.page import Page, Said, Subject
from benchmarks.facts.two import Two
from benchmarks.facts.words import unfounded

CHECKERS = ROWS | EFFECTS | SHARES | TRUST | APART | MEANS | EXPECTED | GROUPS | NOTES | JUDGED | FAILING | GLANCE
OF_A_ROW = ("network", "waterfall", "force")  # pictures
AVERAGED = ("averaged rows", "common direction")
OF_ONE_ROW = ("prediction", "explained value", "way from the mean", "sum of contributions", "contribution")
OF_ONE_ROW += ("further contributions", "what is drawn", "not seen in the fit", "reason")


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


def judge(page: Page | Two) -> Iterator[Judged]:
    """Check all claims and pictures of a page, of an audit or of a comparison, and its sentences.

    Raises
    ------
    KeyError
        If nothing checks a kind of claim or picture.
    """
    for where, holder in holders(page.document):
        for written in holder["claims"]:
            yield judge_claim(page, Said(written, holder), where)
        yield Judged("sentence", where, tuple(unfounded(page, holder)))
    if isinstance(page, Two):
        yield Judged("tables", "", tuple(tables(page)))
    for key, figure in page.document["figures"].items():
        if isinstance(page, Two):
            yield Judged(f"picture: {figure['kind']}", key, tuple(PICTURES[figure["kind"]](page, figure)))
            continue
        averaged = any(claim["kind"] in AVERAGED for claim in figure["claims"])
        check = means if averaged else FIGURES[figure["kind"]]
        yield Judged(f"picture: {check.__name__}", key, tuple(check(page, figure, subject(figure))))


def judge_claim(page: Page | Two, said: Said, where: str = "") -> Judged:
    """Check one claim; a kind that nothing checks is an error, and so is a claim that cannot be checked."""
    if isinstance(page, Two):
        return Judged(said.kind, where, tuple(_of_two(page, said)))
    single = {claim["rows"][0] for claim in said.holder["claims"] if claim["kind"] in OF_ONE_ROW and claim["rows"]}
    one_row = equal("rows that claims in one place are about", sorted(single), sorted(single)[:1])
    return Judged(said.kind, where, (*CHECKERS[said.kind](page, said), one_row))


def _of_two(two: Two, said: Said) -> Iterator[Check]:
    """Check a claim of a comparison; one that an audit has, too, is about the side that it names."""
    if said.kind in OF_TWO:
        yield from OF_TWO[said.kind](two, said)
        return
    side = two.names.index(said.places[0])
    own = said.written | {"output": two.output(said.output, side)}
    yield from CHECKERS[said.kind](two.sides[side], Said(own, said.holder))


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


def subject(figure: dict[str, Any]) -> Subject:
    """Say what a figure is about, as the claims of its caption say."""
    first, kind = Said(figure["claims"][0], figure), figure["kind"]
    joint = any(claim["kind"] == "joint share" for claim in figure["claims"]) or len(first.terms) > 1
    features = tuple(sorted(first.features)) if kind in ("surface", "slices") else first.features
    return Subject(first.output, features, first.rows[0] if kind in OF_A_ROW and first.rows else None, joint)
