"""Who moves the predictions: shares of their variance by term and by feature, as bars with intervals and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.figures.axes import rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import BELOW, legend_height, longest
from anova_report.figures.scene import Box, Dot, Entry, Legend, Primitive, Rule, Ruler, Scene, Text, unzip
from anova_report.figures.style import TEXT
from anova_report.measures.claims import Claim, Claims, Over
from anova_report.measures.fidelity import fidelity
from anova_report.measures.groups import GroupShare, group_shares
from anova_report.measures.intervals import Interval
from anova_report.measures.joint import JointEffect, joint_claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import shares_words, within_words
from anova_report.measures.variance import FeatureTotal, TermShare, feature_totals, variance_shares
from anova_report.measures.wording import percent

MOST_TERMS = 15
MOST_FEATURES = 15
MOST_PARTS = 8  # terms of a joint effect that are drawn
NAMED = 3  # items that a sentence names
WIDE = 500.0
ROW = 24.0  # pixels of a row
NAMES, NUMBERS = 190.0, 64.0  # pixels of the longest name, and for numbers at the right
HALF, THIN = 6 / ROW, 2.5 / ROW  # half the heights of bars


@dataclass(frozen=True)
class Shares:
    """Shares of the predictions' variance by term, in drawing order."""

    labels: Words
    terms: tuple[tuple[int, ...], ...]
    structural: Numbers
    correlative: Numbers
    total: Numbers
    # interval of the total; empty where none is known
    lower: Numbers
    upper: Numbers
    rest: float  # total of the terms that are not drawn
    n_rest: int
    unexplained: float | None  # on held-out rows, where there are any; None where a few rows make it more than all
    rest_structural: float | None = None  # sum over the terms that are not drawn; None in older documents

    def scene(self) -> Scene:
        """Lay out each term's structural share and, from its end, the correlative one, which leads to the total."""
        marks, entries = _parts(self, self.structural, self.total)
        ends = (*self.structural, *self.lower, *self.upper)
        return _scene("shares", self, self.total, ends, self.terms, "terms", marks, entries)


@dataclass(frozen=True)
class Totals:
    """Shares of the predictions' variance by feature (ANOVA-Shapley effects), in drawing order; fields as in `Shares`.

    `features` are the positions of the features; empty in older documents, and so are the structural shares. Where
    these are groups, `members` are the features of each, of which `features` has the first.
    """

    labels: Words
    share: Numbers
    lower: Numbers
    upper: Numbers
    rest: float
    n_rest: int
    unexplained: float | None
    features: tuple[int, ...] = ()
    structural: Numbers = ()
    members: tuple[tuple[int, ...], ...] = ()

    def scene(self) -> Scene:
        """Lay out each feature's structural share and, from its end, what leads to the total one."""
        marks, entries = _parts(self, self.structural, self.share) if self.structural else self._totals_only()
        keys = self.members or tuple((feature,) for feature in self.features)
        ends = (*self.structural, *self.lower, *self.upper)
        return _scene(
            "totals", self, self.share, ends, keys, "groups or features" if self.members else "features", marks, entries
        )

    def _totals_only(self) -> tuple[tuple[Primitive, ...], tuple[Entry, ...]]:
        """Draw the totals of an older document as bars."""
        at = tuple(map(float, range(len(self.share))))
        parts = zip(self.labels, self.share, _interval_tips(self), strict=True)
        tips = tuple(f"{label}\n{percent(share)}\n{interval}" for label, share, interval in parts)
        marks = (
            Box("bars", 0.0, self.share, *_sides(at, HALF), "structural", tips=tips),
            Box("correlative", (), (), (), (), "correlative"),
            _whiskers(self),
            Dot("total", (), (), "fg", radius=3.5),
        )
        entries: tuple[Entry, ...] = (
            Entry("own effect and its part of interactions", "bar", "structural", marks=("bars",)),
            Entry("95% interval", "line", "fg", marks=("whiskers",)),
        )
        return marks, entries[: 2 if self.lower else 1]


def _parts(data: Shares | Totals, own: Numbers, total: Numbers) -> tuple[tuple[Primitive, ...], tuple[Entry, ...]]:
    """Draw structural shares as bars, from their ends correlative ones, and at their ends the total; with a legend."""
    at = tuple(map(float, range(len(total))))
    parts = zip(data.labels, total, _interval_tips(data), own, strict=True)
    tips = tuple(
        f"{label}\ntotal {percent(whole)}\n{interval}\nstructural {percent(size)}\ncorrelative {percent(whole - size)}"
        for label, whole, interval, size in parts
    )
    marks = (
        Box("bars", 0.0, own, *_sides(at, HALF), "structural", tips=tips),
        Box("correlative", own, total, *_sides(at, THIN), "correlative"),
        _whiskers(data),
        Dot("total", total, at, "fg", radius=3.5),
    )
    entries = (
        Entry("structural", "bar", "structural", marks=("bars",)),
        Entry("correlative (back to the left where it cancels)", "thin", "correlative", marks=("correlative",)),
        Entry("total" + (", 95% interval" if data.lower else ""), "dot", "fg", marks=("total",)),
    )
    return marks, entries


def _scene(
    kind: str,
    data: Shares | Totals,
    totals: Numbers,
    ends: Numbers,
    keys: tuple[Term, ...],
    counted: str,
    marks: tuple[Primitive, ...],
    entries: tuple[Entry, ...],
) -> Scene:
    """Lay out what both kinds have in common, and below the named rows what is not drawn and what is not explained."""
    rest = ((f"{data.n_rest} further {counted}", data.rest, "rest"),) if data.n_rest else ()
    others = rest if data.unexplained is None else (*rest, ("unexplained", data.unexplained, "unexplained"))
    words, values, colors = unzip(others, 3)
    names, numbers = (*data.labels, *words), (*totals, *values)
    rows = tuple(map(float, range(len(names))))
    axis, n_named = _axis((*ends, *numbers)), len(data.labels)
    left, top = longest(names, TEXT, NAMES) + 12, legend_height(entries, WIDE) + 7
    bottom = top + ROW * len(rows)
    panel = Panel.of_rows(Frame(left, top, WIDE - NUMBERS, bottom), axis.span, len(rows))
    low, high = panel.x
    sides = low - panel.units_across(left), high + panel.units_across(NUMBERS)
    ink = ("fg",) * n_named + ("muted",) * len(others)
    tips = tuple(f"{name}\n{percent(value)}" for name, value, _ in others)
    items = (
        Ruler(axis, "below", grid=True, percent=True),
        Rule("zero", 0.0, -0.5, 0.0, len(rows) - 0.5),
        Text("names", low, rows, names, dx=-10.0, anchor="end", color=ink, room=left - 12),
        Text("numbers", high, rows, tuple(map(percent, numbers)), dx=NUMBERS, anchor="end", color=ink),
        Box("others", 0.0, values, *_sides(rows[n_named:], HALF), colors, tips=tips),
        *marks,
        Box("rows", *sides, *_sides(rows[: len(keys)], 0.5), None, keys=keys),
        Legend(entries, room=WIDE),
    )
    return Scene(kind, (WIDE, bottom + BELOW), (panel,), items)


def _axis(ends: Numbers) -> Axis:
    """Make an axis that holds all shares, and zero."""
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = 0.02 * (high - low)
    return Axis("share of the variance", low - room if low < 0 else 0.0, high + room or 1.0)


def _sides(at: Numbers, half: float) -> tuple[Numbers, Numbers]:
    """Return the lower and the upper edges of bars in some rows."""
    return tuple(row + half for row in at), tuple(row - half for row in at)


def _whiskers(data: Shares | Totals) -> Rule:
    at = tuple(map(float, range(len(data.lower))))
    return Rule("whiskers", data.lower, at, data.upper, at, "fg", width=1.25, rimmed=True)


def _interval_tips(data: Shares | Totals) -> Sequence[str]:
    ends = zip(data.lower, data.upper, strict=True)
    return [f"95% interval {percent(low)} to {percent(high)}" for low, high in ends] or [""] * len(data.labels)


def shares_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_TERMS, key: str | None = None
) -> Figure:
    """Draw the shares of the terms with the largest structural ones."""
    chosen = dec.output_index(output)
    ranked = variance_shares(dec, chosen).ranked()
    terms, left = ranked[:top], ranked[top:]
    lower, upper = _bounds([share.total_interval for share in terms])
    data = Shares(
        labels=tuple(share.label for share in terms),
        terms=tuple(share.term for share in terms),
        structural=_rounded([share.structural for share in terms]),
        correlative=_rounded([share.correlative for share in terms]),
        total=_rounded([share.total for share in terms]),
        lower=lower,
        upper=upper,
        rest=float(sum(share.total for share in left)),
        n_rest=len(left),
        unexplained=_unexplained(dec, chosen),
        rest_structural=float(sum(share.structural for share in left)),
    )
    claims = (
        *(
            Claim(
                "shares of a term", {"structural": share.structural, "total": share.total}, (share.term,), output=chosen
            )
            for share in terms[:NAMED]
        ),
        *_left(dec, chosen, data),
    )
    title, alt = "Shares of the variance by term", shares_words(claims, Names.of(dec, chosen))
    return Figure(key or f"o{chosen}-shares", title, alt, data, _terms_table(data, terms), claims)


def totals_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_FEATURES, key: str | None = None
) -> Figure:
    """Draw the shares of the features with the largest structural ones (ANOVA-Shapley effects)."""
    chosen = dec.output_index(output)
    found, order = feature_totals(dec, chosen).features, largest_features(dec, chosen)
    lines = [(dec.feature_titles[at], (at,), found[at]) for at in order]
    return _totals(dec, chosen, lines, "feature", top, key or f"o{chosen}-totals")


def group_totals_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_FEATURES, key: str | None = None
) -> Figure:
    """Draw the shares of groups of features, and of the features of no group, as those of features."""
    chosen = dec.output_index(output)
    lines = [(own.member.name, own.member.features, own) for own in group_shares(dec, chosen).ranked()]
    return _totals(dec, chosen, lines, "group", top, key or f"o{chosen}-groups")


def _totals(
    dec: Decomposition,
    output: int,
    lines: Sequence[tuple[str, tuple[int, ...], FeatureTotal | GroupShare]],
    kind: str,
    top: int,
    key: str,
) -> Figure:
    """Draw shares of features, or of groups of features, the largest structural one first."""
    shown, left = lines[:top], lines[top:]
    shares = [share for _, _, share in shown]
    lower, upper = _bounds([share.interval for share in shares])
    data = Totals(
        labels=tuple(label for label, _, _ in shown),
        share=_rounded([share.share for share in shares]),
        lower=lower,
        upper=upper,
        rest=float(sum(share.share for _, _, share in left)),
        n_rest=len(left),
        unexplained=_unexplained(dec, output),
        features=tuple(features[0] for _, features, _ in shown),
        structural=_rounded([share.structural for share in shares]),
        members=tuple(features for _, features, _ in shown) if kind == "group" else (),
    )
    cells = (
        (label, percent(share.structural), percent(share.share), _interval(share.interval)) for label, _, share in shown
    )
    rest = "features" if kind == "feature" else "groups or features"
    head = (kind if kind == "feature" else "group or feature", "structural", "total", "95% interval of the total")
    table = Table(head, (*cells, *_closing(data.rest, data.n_rest, data.unexplained, rest)))
    claims = (
        *(
            Claim(
                f"shares of a {kind}",
                {"structural": share.structural, "total": share.share},
                features=features,
                output=output,
                places=(label,) if kind == "group" else (),
            )
            for label, features, share in shown[:NAMED]
        ),
        *_left(dec, output, data),
    )
    title, alt = f"Shares of the variance by {kind}", shares_words(claims, Names.of(dec, output))
    return Figure(key, title, alt, data, table, claims)


def joint_shares(dec: Decomposition, joint: JointEffect, *, key: str) -> Figure:
    """Draw the share of a joint effect, and below it those of the largest terms that it is made of.

    All other terms are one row.
    """
    found = variance_shares(dec, joint.output)
    drawn = sorted(range(len(joint.parts)), key=lambda at: -joint.parts[at].structural)[:MOST_PARTS]
    lines: list[JointEffect | TermShare] = [joint, *(joint.parts[at] for at in drawn)]
    lower, upper = _bounds([line.total_interval for line in lines])
    data = Shares(
        labels=("joint effect", *(line.label for line in lines[1:])),
        terms=(joint.features, *(joint.terms[at] for at in drawn)),
        structural=_rounded([line.structural for line in lines]),
        correlative=_rounded([line.correlative for line in lines]),
        total=_rounded([line.total for line in lines]),
        lower=lower,
        upper=upper,
        rest=float(sum(share.total for share in found.terms)) - joint.total,
        n_rest=len(found.terms) - len(joint.parts),
        unexplained=_unexplained(dec, joint.output),
    )
    within = {"n_terms": float(len(joint.parts)), "n_left_out": float(len(joint.parts) - len(drawn))}
    within["sum"] = sum(part.structural for part in joint.parts)
    claims = (
        joint_claim(joint),
        Claim("structural shares within", within, features=joint.features, output=joint.output),
    )
    title = f"Shares within the joint effect of {joint.label}"
    return Figure(
        key, title, within_words(claims, Names.of(dec, joint.output)), data, _terms_table(data, lines), claims
    )


def largest_features(dec: Decomposition, output: int, most: int | None = None) -> list[int]:
    """List features, the largest structural share first."""
    found = feature_totals(dec, output).features
    return sorted(range(len(found)), key=lambda at: -found[at].structural)[:most]


def linked_features(ranked: Sequence[int], sizes: Mapping[Term, float], most: int, n_linked: int) -> list[int]:
    """Choose features: first those of the largest pairs, then the first of a ranking; in the order of the ranking.

    Of many features the largest alone may have no pair in common, and a picture of pairs would show none.

    Parameters
    ----------
    ranked : sequence of int
    sizes : mapping of Term to float
        What makes a pair large, whatever its sign.
    most : int
        Features in all.
    n_linked : int
        Features that pairs may choose.
    """
    chosen: set[int] = set()
    for term in sorted((term for term in sizes if len(term) == 2), key=lambda term: -abs(sizes[term])):
        if len(chosen.union(term)) <= min(n_linked, most):
            chosen.update(term)
    others = (index for index in ranked if index not in chosen)
    chosen.update(islice(others, most - len(chosen)))
    return [index for index in ranked if index in chosen]


def _rounded(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values), 0.1)


def _bounds(intervals: Sequence[Interval | None]) -> tuple[Numbers, Numbers]:
    known = [interval for interval in intervals if interval is not None]
    if len(known) < len(intervals):
        return (), ()
    return _rounded([interval.low for interval in known]), _rounded([interval.high for interval in known])


def _terms_table(data: Shares, lines: Sequence[TermShare | JointEffect]) -> Table:
    cells = (
        (label, *map(percent, (line.structural, line.correlative, line.total)), _interval(line.total_interval))
        for label, line in zip(data.labels, lines, strict=True)
    )
    return Table(
        ("term", "structural", "correlative", "total", "95% interval of the total"),
        (*cells, *_closing(data.rest, data.n_rest, data.unexplained, "terms", data.rest_structural, blank=1)),
    )


def _interval(interval: Interval | None) -> str:
    return "not known" if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"


def _closing(
    rest: float, n_rest: int, unexplained: float | None, kind: str, structural: float | None = None, blank: int = 0
) -> list[tuple[str, ...]]:
    """Lines of a table for what is not drawn and for what nothing explains."""
    gap, own = ("",) * blank, "" if structural is None else percent(structural)
    lines = [(f"{n_rest} further {kind}", own, *gap, percent(rest), "")] if n_rest else []
    return lines if unexplained is None else [*lines, ("unexplained", "", *gap, percent(unexplained), "")]


def _left(dec: Decomposition, output: int, data: Shares | Totals) -> Claims:
    """State what is not drawn, and what is unexplained, where pictures show it."""
    over: Over = "rows of the fit" if dec.held_out is None else "held-out rows"
    rest = [{"n_rest": float(data.n_rest), "total": data.rest}] if data.n_rest else []
    known = [] if data.unexplained is None else [{"share": fidelity(dec, output).unexplained}]
    return (
        *(Claim("shares that are not drawn", numbers, output=output) for numbers in rest),
        *(Claim("unexplained share", numbers, output=output, over=over) for numbers in known),
    )


def _unexplained(dec: Decomposition, output: int) -> float | None:
    """Give the one figure of what is unexplained: that of the verdict, rounded as it is printed there."""
    found = fidelity(dec, output)
    if not found.estimable and found.unexplained > 1:
        return None  # a figure of a few rows that would dwarf all shares
    return found.unexplained if found.best >= 0.9995 else round(1 - round(found.best, 3), 3)
