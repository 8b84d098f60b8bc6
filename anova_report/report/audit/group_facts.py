"""Groups of features, reasons of a row and cohorts on a page: tables, figures, and words about them."""

from collections.abc import Callable, Iterable

from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.figure import Figure, Table
from anova_report.figures.rows import Rows
from anova_report.figures.shares import group_totals_figure
from anova_report.measures.claims import Claim
from anova_report.measures.cohorts import cohort_differences
from anova_report.measures.groups import GroupShare, GroupShares, group_claim, group_shares
from anova_report.measures.intervals import Interval
from anova_report.measures.joint import JointEffect
from anova_report.measures.reasons import encoded_reasons, reason_claims
from anova_report.measures.sentences.groups import cohort_words, groups_words, reason_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import enumeration, percent
from anova_report.report.audit.groups import CohortFacts, GroupFacts, JointFacts, ReasonFacts
from anova_report.report.audit.joint_facts import ReadTogether, joint_facts

MOST_BETWEEN = 12  # interactions between groups that are listed


def group_facts(rows: Rows, output: int, keep: Callable[[Figure], str]) -> GroupFacts | None:
    """Draw the groups of a decomposition; None where it has none."""
    dec = rows.dec
    if not dec.feature_groups:
        return None
    found = group_shares(dec, output)
    named = [own for own in found.groups if own.member.is_group]
    between = found.interactions[:MOST_BETWEEN]
    claims = (*(group_claim(own, output) for own in named), *map(_between_claim, between))
    joints = _joints(rows, named, keep)
    return GroupFacts(
        groups_words(claims),
        keep(group_totals_figure(dec, output)),
        _within(dec, found),
        _between(between),
        joints,
        claims,
    )


def _joints(rows: Rows, named: Iterable[GroupShare], keep: Callable[[Figure], str]) -> tuple[JointFacts, ...]:
    """Draw the joint effect of each group."""
    names = rows.dec.feature_titles
    together = [
        ReadTogether(own.effect, False, "", f"{enumeration([names[at] for at in own.member.features])}.")
        for own in named
        if own.effect.parts
    ]
    return joint_facts(rows, together, keep, kind="group")


def _between_claim(own: JointEffect) -> Claim:
    numbers = {"structural": own.structural, "total": own.total}
    bounds = own.total_interval
    known = {} if bounds is None else {"low": bounds.low, "high": bounds.high}
    return Claim(
        "interaction of groups", numbers | known, own.terms, own.features, output=own.output, places=(own.label,)
    )


def _within(dec: Decomposition, found: GroupShares) -> Table:
    head = (
        "Group or feature",
        "Features",
        "Structural",
        "Total",
        "95% interval",
        "With its part of interactions",
        "95% interval",
    )
    lines = (
        (
            own.member.name,
            ", ".join(dec.feature_titles[at] for at in own.member.features) if own.member.is_group else "",
            percent(own.effect.structural),
            percent(own.effect.total),
            _interval(own.effect.total_interval),
            percent(own.share),
            _interval(own.interval),
        )
        for own in found.ranked()
    )
    return Table(head, tuple(lines))


def _between(found: tuple[JointEffect, ...]) -> Table | None:
    lines = (
        (own.label, str(len(own.parts)), percent(own.structural), percent(own.total), _interval(own.total_interval))
        for own in found
    )
    return Table(("Between", "Terms", "Structural", "Total", "95% interval"), tuple(lines)) if found else None


def _interval(bounds: Interval | None) -> str:
    return "not known" if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"


def reason_facts(rows: Rows, row: int, output: int) -> tuple[ReasonFacts, ...]:
    """Find the reasons of a row."""
    (own,) = encoded_reasons(rows.dec, rows.values[row : row + 1], output=output).rows
    claims, names = reason_claims(own, row, output), Names.of(rows.dec, output)
    return tuple(
        ReasonFacts(reason.name, reason_words(claim, names), (claim,))
        for reason, claim in zip(own, claims, strict=True)
    )


def cohort_facts(dec: Decomposition, whole: Decomposition | None, output: int) -> CohortFacts | None:
    """Say which rows a cohort is and what is different there; None where these are all rows."""
    if whole is None or dec.population is None or not dec.population.where:
        return None
    found = cohort_differences(dec, whole, output)
    claims = found.claims(output)
    head = ("Feature or group", "Share here", "95% interval", "Share in all rows", "95% interval", "Differs")
    lines = (
        (
            share.cohort.member.name,
            percent(share.cohort.share),
            _interval(share.cohort.interval),
            percent(share.whole.share),
            _interval(share.whole.interval),
            "yes" if share.differs else "not beyond intervals",
        )
        for share in found.shares
    )
    return CohortFacts(cohort_words(claims, Names.of(dec, output)), Table(head, tuple(lines)), claims)
