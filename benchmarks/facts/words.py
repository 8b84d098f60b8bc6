"""Sentences against their claims: every number that a sentence prints is one of a claim beside it."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check
from benchmarks.facts.page import Page, Said
from benchmarks.facts.printed import agrees, numbers_in
from benchmarks.facts.two import Two

WORDED = ("alt", "words", "summary", "sentence", "advice", "title", "verdict_words", "why", "note", "result", "support")
WORDED += ("line", "functions_words", "linear_words", "base")
LISTED = ("notes", "asking", "shown")

SHIFTS = ("distribution that moved", "correlation that moved")
DEFINED = ("95% interval", "95% half-width", "in 95% of samples", "1% or more")
DEFINED += ("95 of 100 samples", "99 of 100 samples")
DEFINED += ("an exposure of 1",)
DEFINED += ("0 if terms are separate, 1 if they are the same",)  # limits in words
NAMED = (2, 3, 4, 5)  # of several, so many are named, and the others counted
LARGEST_LOGARITHM = 100.0
ROUNDED_ONCE = 5.01e-4  # a share and what it leaves are rounded together, so that they add up to 100%


def unfounded(page: Page | Two, holder: dict[str, Any]) -> Iterator[Check]:
    """Look for numbers in the sentences of a holder of claims that no claim states."""
    claims = [Said(written, holder) for written in holder["claims"]]
    factors = page.has_factors
    sentences = [holder.get(field) for field in WORDED] + [note for field in LISTED for note in holder.get(field, ())]
    for sentence in sentences:
        if isinstance(sentence, str):
            plain = _without_names(page, _without_counts(sentence, claims), claims)
            wrong = [text for text in numbers_in(plain) if not any(_states(said, text, factors) for said in claims)]
            yield Check(f"numbers of “{sentence[:120]}” that no claim states", ", ".join(wrong), "none", not wrong)


def _without_counts(sentence: str, claims: list[Said]) -> str:
    """Take "and 2 more" out where so many are left of what some claim, or claims of one kind, are about."""
    lengths = [len(items) for said in claims for items in (said.features, said.rows, said.places, said.others)]
    shifts = sum(said.kind in SHIFTS for said in claims)  # of one list
    lengths += [shifts]
    left = {length - named for length in lengths for named in NAMED if length > named}
    return re.sub(r"and (\d+) more", lambda found: "…" if int(found[1]) in left else found[0], sentence)


def _without_names(page: Page | Two, sentence: str, claims: list[Said]) -> str:
    """Take names of features, of rows and of values out, which may hold digits."""
    places = [place for said in claims for place in said.places]
    rows = [f"row {row:,}" for said in claims for row in said.rows]
    names = {*places, *rows, *page.words, *DEFINED}
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w.,−+-])(?:{longest_first})(?![\w%]|[.,]\d)", "…", sentence)


def _states_factor(text: str, value: float) -> bool:
    return agrees(text, float(np.expm1(value))) if text[0] in "+−" else agrees(text, float(np.exp(value)))


def _states(said: Said, text: str, factors: bool) -> bool:
    """Whether a claim states a printed number: as it is, its size where no sign is printed, or what it leaves of 1.

    Of logarithms it may be what they are the logarithms of, or how much that is more than 1.
    """
    signless = text[0] not in "+−"
    for value in said.numbers.values():
        if agrees(text, value) or (signless and agrees(text, abs(value))):
            return True
        if factors and abs(value) < LARGEST_LOGARITHM and _states_factor(text, value):
            return True
        if text.endswith("%") and signless and agrees(text, 1 - value, ROUNDED_ONCE):
            return True
    of_rows = "rows" in said.numbers and "n_rows" in said.numbers
    return of_rows and agrees(text, said["rows"] / said["n_rows"])
