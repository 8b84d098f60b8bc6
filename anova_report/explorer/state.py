"""The present choice: a term, a row, an output and more, as an object with rules and without widgets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import traitlets

from anova_report.core.arrays import Floats
from anova_report.errors import InputError, listing
from anova_report.explorer.user_input import NOTHING, Value, encoded_value, read_edits, read_overlays
from anova_report.figures.rows import Rows
from anova_report.measures.joint import JointEffect, joint_effect
from anova_report.measures.local import notable_rows
from anova_report.measures.variance import TermShare, variance_shares
from anova_report.report.audit.joint_facts import ReadTogether, read_together

NAMED_ROWS = ("typical", "highest", "lowest", "most extreme", "largest residual")
PROBABILITY = "probability"
# What can be taken back, each after those that it depends on.
REMEMBERED = ("output", "scale", "term", "group", "joint", "row", "edits", "colour_by", "search", "order", "overlays")
MOST_PAST = 100


class Choice(traitlets.TraitType[Any, Any]):
    """Anything, since the rules are those of `State`; unlike traitlets' own, None has to obey them, too."""


class State(traitlets.HasTraits):
    """The present choice; assign to change it, `observe` to follow its changes.

    A choice that makes no sense raises an error that says why, and leaves everything as it was.

    Parameters
    ----------
    rows : Rows
    table : table of shape (n_rows, n_features)
        The same rows as the user gave them.
    **choices
        First values of the attributes.

    Attributes
    ----------
    output : int
        Set by position or name.
    term : Term
        Set by indices or names, alone or several; at first the one with the largest structural share.
    row : int
        Set by position, or as "typical", "highest", "lowest", "most extreme" or "largest residual"; at first the
        typical one.
    edits : mapping of str to value
        What-if values of the row, by the names of their features; another row has none.
    scale : str
        "probability" shows logits of rows as probabilities.
    colour_by : str or None
        Feature that colours points.
    search : str
        Part of the labels of terms that are listed, whatever the case.
    order : int or None
        Order of the terms that are listed; None lists all.
    pointer : pair of floats or None
        Encoded values under the pointer on the surface of the term, for slices that follow it.
    joint : bool
        Whether the joint effect is shown instead of the term alone: of a pair the sum of its interaction and both main
        effects, of features that are read together in a group of three or more the sum of all their effects. At first
        where the features cannot be read alone.
    group : str or None
        A group of features that is shown instead of the term; another term takes it back.
    overlays : tuple of Attribution or FeatureLine
        Other explanations of main effects, drawn with ours: results of `compare.attribute`, or lines.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> predictions = X[:, 0] + 0.1 * X[:, 1]
    >>> dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, predictions).decomposition_
    >>> state = State(Rows.of(dec, X, predictions), X)
    >>> state.observe(lambda change: print(change.name, change.old, "→", change.new), "term")
    >>> state.term = "x1"
    term (0,) → (1,)
    """

    output: Any = Choice(0)
    term: Any = Choice(None)
    row: Any = Choice(None)
    edits: Any = Choice(NOTHING)
    scale: Any = Choice(None)
    colour_by: Any = Choice(None)
    search: Any = Choice("")
    order: Any = Choice(None)
    pointer: Any = Choice(None)
    joint: Any = Choice(False)
    group: Any = Choice(None)
    overlays: Any = Choice(())

    def __init__(self, rows: Rows, table: Any, **choices: Any) -> None:
        self.rows, self.table = rows, table
        self._is_consequence = True  # of being made
        self._shares: dict[int, tuple[TermShare, ...]] = {}
        self._named: dict[int, dict[str, int]] = {}
        self._together: dict[int, tuple[ReadTogether, ...]] = {}
        super().__init__()
        # One after the other, since the largest term and names of rows depend on the output.
        self.output = choices.pop("output", 0)
        self.term = choices.pop("term", self.shares[0].term)
        self.row = choices.pop("row", "typical")
        self.scale = choices.pop("scale", rows.dec.scale)
        for name, value in choices.items():
            setattr(self, name, value)
        self._past, self._now, self._is_consequence = list[dict[str, Any]](), self._choices(), False
        self.observe(self._remember, list(self._now))

    @property
    def has_past(self) -> bool:
        """Whether there is a choice that can be taken back."""
        return bool(self._past)

    def undo(self) -> None:
        """Take back the last choice, with all that it changed besides; nothing happens where there is none.

        Examples
        --------
        >>> from anova_report import FunctionalANOVA
        >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
        >>> dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, X[:, 0]).decomposition_
        >>> state = State(Rows.of(dec, X), X, row=3)
        >>> state.row = 7
        >>> state.undo()
        >>> state.row
        3
        """
        if not self._past:
            return
        with self._consequences():
            for name, value in self._past.pop().items():  # in an order in which none changes another one back
                setattr(self, name, value)
        self._now = self._choices()

    @property
    def scales(self) -> tuple[str, ...]:
        """Scales that can be chosen."""
        own = self.rows.dec.scale
        return (own, PROBABILITY) if own == "logit" else (own,)

    @property
    def shares(self) -> tuple[TermShare, ...]:
        """All terms with their shares of the variance of the output, the largest structural share first."""
        if self.output not in self._shares:
            self._shares[self.output] = variance_shares(self.rows.dec, self.output).ranked()
        return self._shares[self.output]

    @property
    def together(self) -> tuple[ReadTogether, ...]:
        """Features that are read together rather than alone."""
        if self.output not in self._together:
            self._together[self.output] = read_together(self.rows.dec, self.output)
        return self._together[self.output]

    @property
    def joint_of_many(self) -> JointEffect | None:
        """The joint effect of three or more features that the term belongs to; None where there is none."""
        groups = (item.joint for item in self.together if len(item.joint.features) > 2)
        found = next((joint for joint in groups if set(self.term) <= set(joint.features)), None)
        if found is None and len(self.term) > 2:
            return joint_effect(self.rows.dec, self.term, self.output)
        return found

    @property
    def has_joint(self) -> bool:
        """Whether there is a joint effect to be shown."""
        return len(self.term or ()) == 2 or (self.term is not None and self.joint_of_many is not None)

    @property
    def listed(self) -> tuple[TermShare, ...]:
        """The terms that match search and order."""
        wanted = self.search.casefold().split()
        return tuple(
            share
            for share in self.shares
            if self.order in (None, len(share.term)) and all(word in share.label.casefold() for word in wanted)
        )

    @property
    def share(self) -> TermShare:
        """The share of the present term."""
        return next(share for share in self.shares if share.term == self.term)

    @property
    def values(self) -> Floats:
        """Encoded values of the present row, edits included, shape (n_features,)."""
        values: Floats = self.rows.values[self.row].copy()
        for name, value in self.edits.items():
            index = self.rows.feature(name)
            values[index] = encoded_value(self.rows.dec.features[index], value)
        return values

    def edit(self, feature: str | int, value: Value) -> None:
        """Change one value of the row, and keep the edits made before."""
        name = self.rows.dec.feature_names[self.rows.feature(feature)]
        self.edits = {**self.edits, name: value}

    def reset(self) -> None:
        """Take back all edits."""
        self.edits = NOTHING

    def named_row(self, name: str) -> int:
        """Find a row by its name, such as "typical"; the first call evaluates many rows.

        Raises
        ------
        InputError
            If no row has this name.
        """
        if self.output not in self._named:
            self._named[self.output] = self._find_named()
        wanted = name.casefold().replace("_", " ").strip()
        if wanted in self._named[self.output]:
            return self._named[self.output][wanted]
        if wanted == "largest residual":
            raise InputError(
                "Without predictions no row is known to have the largest residual. Pass predictions= with the rows."
            )
        names = listing(list(self._named[self.output]))
        raise InputError(f"There is no row called {name!r}. Give a position from 0 on, or one of {names}.")

    def __repr__(self) -> str:
        dec = self.rows.dec
        words = f"State of output {dec.output_names[self.output]!r}, term {dec.label(self.term)!r}, row {self.row}"
        return f"{words}, edits {dict(self.edits)}" if self.edits else words

    def _choices(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in REMEMBERED}

    @contextmanager
    def _consequences(self) -> Iterator[None]:
        """Count changes within to the choice that they follow from."""
        before, self._is_consequence = self._is_consequence, True
        try:
            yield
        finally:
            self._is_consequence = before

    def _remember(self, _change: Any) -> None:
        """Keep what was chosen before a choice; what follows from the choice belongs to it."""
        if self._is_consequence:
            return
        self._past = [*self._past[1 - MOST_PAST :], self._now]
        self._now = self._choices()

    def _find_named(self) -> dict[str, int]:
        found = notable_rows(self.rows.dec, self.table, self.rows.predictions, self.output)
        named: dict[str, int] = {item.reason: item.row for item in found}
        ends = [named[name] for name in ("highest", "lowest") if name in named]
        if ends:
            mean = float(self.rows.dec.expansion.mean[self.output])
            explained = self.rows.dec.expansion.predict(self.rows.values[ends])[:, self.output]
            named["most extreme"] = ends[int(np.abs(explained - mean).argmax())]
        return named

    @traitlets.validate("output", "term", "row", "edits", "colour_by", "pointer", "overlays")
    def _read(self, proposal: Any) -> Any:
        """Read a choice that can be written in several ways."""
        rows, dec, given = self.rows, self.rows.dec, proposal["value"]
        readers: dict[str, Callable[[], Any]] = {
            "output": lambda: dec.output_index(given),
            "term": lambda: dec.resolve(given),
            "row": lambda: self._read_row(given),
            "edits": lambda: read_edits(rows, given),
            "colour_by": lambda: None if given is None else dec.feature_names[rows.feature(given)],
            "pointer": lambda: None if given is None or len(self.term) != 2 else tuple(map(float, given)),
            "overlays": lambda: read_overlays(rows, given),
        }
        return readers[proposal["trait"].name]()

    @traitlets.validate("scale", "search", "order", "joint", "group")
    def _check(self, proposal: Any) -> Any:
        """Check a choice that can be written in one way only."""
        name, given, dec = proposal["trait"].name, proposal["value"], self.rows.dec
        orders = sorted({len(term) for term in dec.terms})
        if name == "scale" and given not in self.scales:
            raise InputError(f"The predictions can be shown on the scale {listing(self.scales)}; got {given!r}.")
        if name == "group" and given not in (None, *dec.feature_groups):
            known = listing(list(dec.feature_groups)) or "none; name some with feature_groups"
            raise InputError(f"There is no group of features {given!r}. There are {known}.")
        if name == "search" and not isinstance(given, str):
            raise InputError(f"Terms are searched for by a part of their labels; got {given!r}.")
        if name == "order" and given not in (None, *orders):
            raise InputError(f"There are terms of order {listing(orders)}, or None for all; got {given!r}.")
        if name == "joint" and not isinstance(given, bool):
            raise InputError(f"joint is True for a joint effect or False for the term alone; got {given!r}.")
        if name == "joint" and given and not self.has_joint:
            raise InputError(
                "This feature is not read together with others. Choose a term of several features for a joint effect."
            )
        return given

    def _read_row(self, row: Any) -> int:
        if isinstance(row, str):
            return self.named_row(row)
        if not isinstance(row, int | np.integer) or isinstance(row, bool):
            raise InputError(f"A row is chosen by its position or a name such as 'typical'; got {row!r}.")
        return self.rows.position(int(row))

    @traitlets.observe("row")
    def _forget_edits(self, _change: Any) -> None:
        with self._consequences():
            self.edits = NOTHING

    @traitlets.observe("term", "output")
    def _begin_anew(self, _change: Any) -> None:
        with self._consequences():
            self.pointer = self.group = None
            term, inseparable = set(self.term or ()), [item.joint for item in self.together if item.inseparable]
            self.joint = self.has_joint and any(term <= set(joint.features) for joint in inseparable)
