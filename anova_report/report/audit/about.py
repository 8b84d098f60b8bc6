"""Who answers for a model, and what it is for: what an audit cannot know, and a validator must."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, TypeAlias

from anova_report.errors import InputError, listing

Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What a validator writes about a model; every field is optional.

    Parameters
    ----------
    purpose, owner, version, intended_use : tuple of str
        Sentences, or names.
    data_window, population : tuple of str
        From when to when rows are, and what they are: of training, of a test, or of production.
    limitations : tuple of str
    reviewers : tuple of str
        Each gets a line for a signature.
    """

    purpose: Texts = ()
    owner: Texts = ()
    version: Texts = ()
    intended_use: Texts = ()
    data_window: Texts = ()
    population: Texts = ()
    limitations: Texts = ()
    reviewers: Texts = ()

    @property
    def lines(self) -> tuple[tuple[str, Texts], ...]:
        """Everything that is known but the reviewers, with its heading."""
        named = ((item.name, getattr(self, item.name)) for item in fields(self) if item.name != "reviewers")
        return tuple((name.replace("_", " ").capitalize(), texts) for name, texts in named if texts)

    @property
    def result(self) -> str:
        """The line to which a page folds it."""
        said = [f"{name}: {', '.join(texts)}" for name, texts in self.lines if name in ("Owner", "Version")]
        return "; ".join([*said, f"to be signed by {', '.join(self.reviewers)}"] if self.reviewers else said)


def read_about(given: Mapping[str, Any] | About | None) -> About | None:
    """Read what a user has written about a model.

    Examples
    --------
    >>> read_about({"owner": "Pricing", "version": 3.1, "reviewers": ["A. Author", "B. Reader"]}).result
    'Owner: Pricing; Version: 3.1; to be signed by A. Author, B. Reader'
    """
    if given is None or isinstance(given, About):
        return given
    known = [item.name for item in fields(About)]
    if not isinstance(given, Mapping):
        raise InputError(f"about is a mapping with any of {listing(known, limit=len(known))}; got {given!r:.80}.")
    found = {}
    for key, value in given.items():
        name = str(key).strip().replace("-", "_").replace(" ", "_").lower()
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(known, limit=len(known))}."
            raise InputError(f"about has no entry {key!r}. {hint}")
        if name in found:
            raise InputError(f"about has the entry {name!r} twice. Write both as one list.")
        found[name] = _texts(name, value)
    return About(**found)


def _texts(name: str, value: Any) -> Texts:
    """Read one text, a number or a day, or a list of these."""
    if value is None:
        return ()
    texts = []
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, bool) or not isinstance(one, str | int | float | date):
            raise InputError(f"{name} of about must be text or a list of texts; got {value!r:.80}.")
        texts.append(" ".join(str(one).split()))
    return tuple(filter(None, texts))
