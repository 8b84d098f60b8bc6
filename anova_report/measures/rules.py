"""Short rules that pick rows out: found condition by condition, as a shallow tree finds its branches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.measures.values import DAY, decimals, quantiles, value_text

Relation: TypeAlias = Literal["below", "from", "is", "missing"]
Mask: TypeAlias = NDArray[np.bool_]

MOST_CONDITIONS = 3  # a rule of more is not read in one go
# Statistics (`make regions`).
PARTS = 16  # of the rows of a feature, between which a rule may divide them
BRANCHES = 6  # rules that are carried on: the first condition alone need not show where an explanation fails
FEWEST_ROWS, LEAST_SHARE = 15, 0.02  # of a rule: with fewer rows a few of them decide
SHORTER = 0.92  # a further condition must pick rows out that much better
OUTERMOST = 0.01  # of the values at each end, which do not decide how finely thresholds are written


@dataclass(frozen=True)
class Condition:
    """One condition on a feature.

    Parameters
    ----------
    feature : int
    relation : {"below", "from", "is", "missing"}
    value : float
        The threshold, or the code of the level; 0 where values are missing.
    text : str
        The value as readers see it; empty where values are missing.
    """

    feature: int
    relation: Relation
    value: float
    text: str = ""

    def holds(self, values: Floats) -> Mask:
        """Tell which encoded rows fulfil it, from values of shape (n_rows, n_features)."""
        column = values[:, self.feature]
        match self.relation:
            case "below":
                return np.asarray(column < self.value)
            case "from":
                return np.asarray(column >= self.value)
            case "is":
                return np.asarray(column == self.value)
            case "missing":
                return np.isnan(column)


Conditions: TypeAlias = tuple[Condition, ...]


def holds(conditions: Conditions, values: Floats) -> Mask:
    """Tell which encoded rows fulfil all conditions."""
    return np.asarray(np.all([condition.holds(values) for condition in conditions], axis=0))


@dataclass(frozen=True, eq=False)
class Divisions:
    """Into which parts the rows fall along one feature, and the conditions that take parts together."""

    parts: NDArray[np.intp]  # of every row
    n_parts: int
    conditions: Conditions
    taken: Mask  # shape (n_conditions, n_parts)

    @classmethod
    def of(cls, index: int, feature: Feature, column: Floats) -> "Divisions":
        """Divide rows at thresholds that are written in full, or by levels; missing values are a part of their own."""
        missing = np.isnan(column)
        if feature.has_levels or feature.kind == "boolean":
            values = np.unique(column[~missing & (column >= 0)])
            conditions = [Condition(index, "is", value, value_text(feature, value)) for value in values.tolist()]
            parts = np.searchsorted(values, column)
            parts = np.where(column >= 0, parts, len(values))
            taken = np.eye(len(values), len(values) + 2, dtype=bool)
        else:
            edges, span = thresholds(feature, column[~missing])
            parts = np.searchsorted(edges, column, side="right")
            at, places = np.arange(len(edges))[:, None], np.arange(len(edges) + 3)
            below = places <= at
            taken = np.concatenate([below, ~below & (places <= len(edges))])
            texts = [value_text(feature, edge, span) for edge in edges.tolist()]
            sides: tuple[Relation, Relation] = ("below", "from")
            conditions = [
                Condition(index, side, edge, text)
                for side in sides
                for edge, text in zip(edges.tolist(), texts, strict=True)
            ]
        n_parts = taken.shape[1]
        if missing.any():
            conditions.append(Condition(index, "missing", 0.0))
            taken = np.concatenate([taken, np.arange(n_parts)[None] == n_parts - 1])
        return cls(np.where(missing, n_parts - 1, parts), n_parts, tuple(conditions), taken)

    def sums(self, rows: NDArray[np.intp], amounts: Floats) -> Floats:
        """Add amounts, (n_amounts, n_rows), up over the rows of each condition, shape (n_conditions, n_amounts)."""
        parts = self.parts[rows]
        by_part = [np.bincount(parts, weights=amount, minlength=self.n_parts) for amount in amounts[:, rows]]
        return np.asarray(self.taken @ np.stack(by_part, axis=1))


def thresholds(feature: Feature, known: Floats) -> tuple[Floats, float]:
    """Choose thresholds between parts of about as many rows, rounded as they are written, and the range of the values.

    Examples
    --------
    >>> thresholds(Feature("age", "numeric"), np.arange(0.0, 100.0, 0.25) + 0.1)[0][:3].tolist()
    [6.1, 12.4, 18.6]
    """
    if not len(known):
        return np.zeros(0), 0.0
    low, high = (float(end) for end in quantiles(known, np.array([OUTERMOST, 1 - OUTERMOST])))
    span = high - low or float(np.ptp(known))
    edges = quantiles(known, np.arange(1, PARTS) / PARTS)
    if feature.kind == "datetime":
        edges = np.floor(edges / DAY) * DAY if span >= 2 * DAY else np.floor(edges)
    else:
        edges = np.round(edges, decimals(span) - 2) + 0.0  # no negative zeros
    edges = np.unique(edges)
    return edges[(edges > known.min()) & (edges <= known.max())], span


@dataclass(frozen=True, eq=False)
class _Grown:
    """A rule in the making: its rows, and how much more than their share these hold."""

    conditions: Conditions
    rows: NDArray[np.intp]
    worth: float


def grow(divisions: Sequence[Divisions], weights: Floats, amounts: Floats) -> Conditions:
    """Find the rule whose rows hold most of some amounts beyond their share of the rows; empty where there is none.

    Parameters
    ----------
    divisions : sequence of Divisions
        Of every feature, of the same rows.
    weights, amounts : arrays of shape (n_rows,)
        How much each row counts, and what it holds.

    Examples
    --------
    >>> x = np.arange(400.0)
    >>> divided = [Divisions.of(0, Feature("x", "numeric"), x)]
    >>> [(found.relation, found.value) for found in grow(divided, np.ones(400), np.where(x < 100, 5.0, 1.0))]
    [('below', 99.0)]
    """
    both = np.stack([weights / weights.sum(), amounts / amounts.sum(), np.ones(len(weights))])
    least = max(FEWEST_ROWS, LEAST_SHARE * len(weights))
    branches, best = [_Grown((), np.arange(len(weights)), 0.0)], _Grown((), np.zeros(0, np.intp), 0.0)
    for length in range(1, MOST_CONDITIONS + 1):
        longer = [_further(branch, divisions, both, least) for branch in branches]
        every = sorted((own for found in longer for own in found), key=lambda rule: -rule.worth)
        distinct: dict[bytes, _Grown] = {}
        for rule in every:
            if len(distinct) < BRANCHES:
                distinct.setdefault(np.sort(rule.rows).tobytes(), rule)
        branches = list(distinct.values())
        first = branches[0] if branches else best
        if first.worth * SHORTER ** (length - 1) > best.worth * SHORTER ** max(len(best.conditions) - 1, 0):
            best = first
    # A second threshold on the same side lies inside the first.
    return tuple({(one.feature, one.relation): one for one in best.conditions}.values())


def _further(branch: _Grown, divisions: Sequence[Divisions], both: Floats, least: float) -> list[_Grown]:
    """Add one condition to a rule in the ways that pick rows out best."""
    found = []
    for at, own in enumerate(divisions):
        if not own.conditions:
            continue
        share, amount, count = own.sums(branch.rows, both).T
        worth = np.where(count >= least, amount - share, -np.inf)
        found += [(float(worth[choice]), at, int(choice)) for choice in np.argsort(-worth, kind="stable")[:BRANCHES]]
    grown = []
    for best, at, choice in sorted(found, reverse=True)[:BRANCHES]:
        own = divisions[at]
        inside = branch.rows[own.taken[choice][own.parts[branch.rows]]]
        if best > branch.worth and len(inside) < len(branch.rows):
            grown.append(_Grown((*branch.conditions, own.conditions[choice]), inside, best))
    return grown
