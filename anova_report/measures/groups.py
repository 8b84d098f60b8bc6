"""Groups of features beside single features: what each carries, and what they carry only together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.measures.claims import Claim
from anova_report.measures.intervals import Interval, interval
from anova_report.measures.joint import JointEffect, summed_effect
from anova_report.measures.variance import feature_totals, variance_shares

MOST_NAMED = 3  # features of a group that its label names


@dataclass(frozen=True)
class Member:
    """What stands in a list of groups and single features: its name, and its features."""

    name: str
    features: tuple[int, ...]
    is_group: bool


@dataclass(frozen=True)
class GroupShare:
    """What a group of features, or a feature of no group, contributes to the variance of the predictions.

    Parameters
    ----------
    member : Member
    effect : JointEffect
        The sum of all terms that lie wholly within the group: Var(Σ ν_S) / Var(ν) is its structural share.
    share : float
        Its ANOVA-Shapley effect: the sum of those of its features, Cov(Σ φ_i, ν) / Var(ν).
    interval : Interval or None
        95% interval of that, where the estimator keeps track of uncertainty.
    structural : float
        The structural share of its effect, and for each term with features outside the part of it that counts for
        features of the group: how large its effects are, whatever moves with them.
    """

    member: Member
    effect: JointEffect
    share: float
    interval: Interval | None
    structural: float


@dataclass(frozen=True, repr=False)
class GroupShares(Shown):
    """Shares of groups and of the features of no group, and of what only several of them do together.

    Parameters
    ----------
    groups : tuple of GroupShare
        Groups first, in the order in which they were named, then features.
    interactions : tuple of JointEffect
        Of terms with features of several groups: those of the same groups are added up, the largest first. The totals
        of all effects and interactions, with the unexplained share, add up to 1.
    unexplained : float
    """

    groups: tuple[GroupShare, ...]
    interactions: tuple[JointEffect, ...]
    unexplained: float

    ranked_by = "structural"
    summed = ("share",)

    def ranked(self) -> tuple[GroupShare, ...]:
        """Rank groups and features by structural share, the largest first."""
        return tuple(sorted(self.groups, key=lambda own: -own.structural))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per group or feature."""
        return {
            "group": [own.member.name for own in self.groups],
            "structural": [own.structural for own in self.groups],
            "share": [own.share for own in self.groups],
            "low": [None if own.interval is None else own.interval.low for own in self.groups],
            "high": [None if own.interval is None else own.interval.high for own in self.groups],
            "within": [own.effect.structural for own in self.groups],
            "within_total": [own.effect.total for own in self.groups],
        }


def members(dec: Decomposition) -> tuple[Member, ...]:
    """List the groups of a decomposition, then the features of no group.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> dec = FunctionalANOVA(max_order=1).fit(X, X.sum(axis=1)).decomposition_.grouped({"place": ["x0", "x2"]})
    >>> [member.name for member in members(dec)]
    ['place', 'x1']
    """
    grouped = {at for own in dec.feature_groups.values() for at in own}
    alone = (at for at in range(len(dec.features)) if at not in grouped)
    return (
        *(Member(name, tuple(own), True) for name, own in dec.feature_groups.items()),
        *(Member(dec.feature_titles[at], (at,), False) for at in alone),
    )


def group_shares(dec: Decomposition, output: str | int | None = None) -> GroupShares:
    """Share the variance of the predictions among groups of features and the features of no group.

    Parameters
    ----------
    dec : Decomposition
        With groups: see `Decomposition.grouped`.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> dec = FunctionalANOVA().fit(X, X[:, 0] * X[:, 1] + X[:, 2]).decomposition_.grouped({"pair": ["x0", "x1"]})
    >>> [round(own.share, 1) for own in group_shares(dec).groups]
    [0.5, 0.5]
    """
    chosen, listed = dec.output_index(output), members(dec)
    shares, totals = variance_shares(dec, chosen), feature_totals(dec, chosen)
    place = {at: position for position, own in enumerate(listed) for at in own.features}
    sets = [frozenset(place[at] for at in term) for term in dec.terms]
    weights = dec.membership @ np.array([[at in own.features for own in listed] for at in range(len(dec.features))])
    traced = None if dec.uncertainty is None else weights.T @ dec.uncertainty.total[:, :, chosen]
    found = []
    for position, own in enumerate(listed):
        inside = [at for at, held in enumerate(sets) if held == {position}]
        effect = summed_effect(dec, inside, own.features, own.name, chosen, shares.terms)
        crossing = (at for at, held in enumerate(sets) if position in held and len(held) > 1)
        structural = effect.structural + sum(shares.terms[at].structural * weights[at, position] for at in crossing)
        share = float(sum(totals.features[at].share for at in own.features))
        bounds = None if traced is None else interval(share, traced[position])
        found.append(GroupShare(own, effect, share, bounds, float(structural)))
    between = []
    for held in sorted({held for held in sets if len(held) > 1}, key=sorted):
        features = tuple(sorted(at for position in held for at in listed[position].features))
        label = " × ".join(listed[position].name for position in sorted(held))
        inside = [at for at, other in enumerate(sets) if other == held]
        between.append(summed_effect(dec, inside, features, label, chosen, shares.terms))
    return GroupShares(tuple(found), tuple(sorted(between, key=lambda own: -own.structural)), shares.unexplained)


def group_claim(own: GroupShare, output: int) -> Claim:
    """State both shares of a group, or of a feature of no group."""
    numbers = {"structural": own.structural, "total": own.share}
    return Claim("shares of a group", numbers, features=own.member.features, output=output, places=(own.member.name,))


def group_values(dec: Decomposition, components: Floats, listed: Sequence[Member]) -> Floats:
    """Add up, from components of rows, the ANOVA-Shapley values of each group, shape (n_rows, n_members)."""
    belongs = np.array([[at in own.features for own in listed] for at in range(len(dec.features))], dtype=float)
    return np.asarray(components @ (dec.membership @ belongs))
