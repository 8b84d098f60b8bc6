"""Errors planted in true pages: a number changed by 2%, a wrong row, a swapped sign, a wrong rank."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.facts.check_page import holders, judge_claim
from benchmarks.facts.page import Page, Said
from benchmarks.facts.two import Two

Rng = np.random.Generator
Plant = Callable[[dict[str, Any], Page | Two, Rng], bool]
CHANGE = 0.02
TOO_SMALL = 1e-3  # of the largest number of a claim: 2% of less than this is below what is printed
NOTHING = 1e-4  # and so is 2% of less than this, of any number


def missed(page: Page | Two, how_many: int, rng: Rng) -> list[str]:
    """Plant errors one by one, each in a claim of another place, and name those that nobody notices."""
    document = copy.deepcopy(page.document)
    page = replace(page, document=document)
    places = [(where, holder, at) for where, holder in holders(document) for at in range(len(holder["claims"]))]
    unseen = []
    for number in range(how_many):
        name, plant = list(PLANTS.items())[number % len(PLANTS)]
        for place in rng.permutation(len(places)):
            where, holder, at = places[place]
            true = copy.deepcopy(holder["claims"][at])
            planted = plant(holder["claims"][at], page, rng)
            if planted and all(check.holds for check in judge_claim(page, Said(holder["claims"][at], holder)).checks):
                unseen.append(f"{name} in {where}: {holder['claims'][at]}")
            holder["claims"][at] = true
            if planted:
                break
    return unseen


def change(claim: dict[str, Any], _page: Page | Two, rng: Rng) -> bool:
    """Change a number by 2%."""
    return _scale(claim, rng, 1 + CHANGE)


def swap(claim: dict[str, Any], _page: Page | Two, rng: Rng) -> bool:
    """Swap the sign of a number."""
    return _scale(claim, rng, -1.0)


def _scale(claim: dict[str, Any], rng: Rng, factor: float) -> bool:
    largest = max(map(abs, claim["numbers"].values()), default=0.0)
    least = max(TOO_SMALL * largest, NOTHING)
    able = [name for name, value in claim["numbers"].items() if abs(value) > least and name not in ENDS]
    if able:
        claim["numbers"][str(rng.choice(able))] *= factor
    return bool(able)


SAID_OF_ANY = ("version of an effect", "effect that is lacking")  # others may be held, or lacked, just as well
ENDS = ("low", "high", "all_low", "all_high")  # of intervals, which only their estimate is known to lie between


def other_row(claim: dict[str, Any], page: Page | Two, rng: Rng) -> bool:
    """Name another row; of a reason, one with other values of its features, since the same may hold of their equals."""
    if not claim["rows"] or not claim["numbers"] or isinstance(page, Two):
        return False
    own = claim["rows"][0]
    able = np.flatnonzero(np.arange(len(page.values)) != own)
    if claim["kind"] == "reason":
        values = np.nan_to_num(page.values[:, claim["features"]], nan=np.inf)
        able = np.flatnonzero((values != values[own]).any(axis=1))
    if able.size:
        claim["rows"] = [int(rng.choice(able))]
    return bool(able.size)


def other_term(claim: dict[str, Any], page: Page | Two, rng: Rng) -> bool:
    """Name another term, as a wrong rank would."""
    if len(claim["terms"]) != 1 or len(page.terms) < 2 or claim["kind"] in SAID_OF_ANY:
        return False
    own = claim["terms"][0]
    claim["terms"] = [list(term) for term in [page.terms[rng.integers(len(page.terms))]] if list(term) != own]
    if not claim["terms"]:
        claim["terms"] = [list(next(term for term in page.terms if list(term) != own))]
    return True


PLANTS: dict[str, Plant] = {"2%": change, "sign": swap, "row": other_row, "rank": other_term}
