"""Effects that are read together: which ones and why, in words, and their figures on the page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.figures.figure import Figure
from anova_report.figures.joint_effects import joint_pictures
from anova_report.figures.pairs import pair_surface
from anova_report.figures.rows import Rows
from anova_report.figures.shares import joint_shares
from anova_report.measures.joint import (
    Correlated,
    Inseparable,
    JointEffect,
    correlated,
    inseparable,
    joint_effect,
    share_words,
)
from anova_report.measures.status import EXACT
from anova_report.measures.wording import cosine, percent
from anova_report.report.audit.audit import JointFacts

MOST_JOINT = 6  # joint effects that are shown; the finding counts them all
MOST_MEMBERS = 3  # features by which a joint effect is drawn
MOST_NAMED = 2  # in the sentence of the verdict


@dataclass(frozen=True)
class ReadTogether:
    """Features that are read together.

    Parameters
    ----------
    joint : JointEffect
    inseparable : bool
        Whether data cannot tell their separate effects apart; otherwise these are known, but mislead one by one.
    how : str
        How they belong together, after their names: "move against each other".
    why : str
        What that means, in sentences.
    """

    joint: JointEffect
    inseparable: bool
    how: str
    why: str


def read_together(dec: Decomposition, output: int) -> tuple[ReadTogether, ...]:
    """List the features that are read together: first what data cannot tell apart, then what moves together."""
    groups = inseparable(dec, output)
    known = [set(group.features) for group in groups]
    pairs = []
    for pair in correlated(dec, output):
        if not any(set(pair.joint.features) <= features for features in known):
            known.append(set(pair.joint.features))
            pairs.append(pair)
    return (*map(_not_separate, groups), *(_moving(dec, pair) for pair in pairs))


def _not_separate(group: Inseparable) -> ReadTogether:
    most = max(group.concurvity)
    extent = "all" if most > EXACT else f"up to {percent(most)}"
    how, whose = "cannot be distinguished", "the data cannot tell which feature it belongs to"
    if not group.is_open:
        how, whose = (
            "can hardly be distinguished",
            "only the few rows in which they differ tell which one it belongs to",
        )
    why = (
        f"Functions of the others explain {extent} of the effect of one of these features (concurvity), so {whose}. "
        "How it is divided among them is largely a choice of the fit; their sum is not."
    )
    return ReadTogether(group.joint, True, how, why)


def _moving(dec: Decomposition, pair: Correlated) -> ReadTogether:
    shares = {part.term: percent(part.structural) for part in pair.joint.parts}
    (first, second), (one, other) = map(dec.label, pair.terms), (shares[term] for term in pair.terms)
    if pair.correlation < 0:
        how, which = "move against each other", "the other lowers it"
    else:
        how, which = "move together", "so does the other"
    why = (
        f"The effects of {first} and {second} {how} (correlation {cosine(pair.correlation)}): where one raises the "
        f"prediction, {which}. Their structural shares are {one} and {other}; that of both added up is "
        f"{percent(pair.joint.structural)}."
    )
    return ReadTogether(pair.joint, False, how, why)


def joint_facts(rows: Rows, found: Iterable[ReadTogether], keep: Callable[[Figure], str]) -> tuple[JointFacts, ...]:
    """Draw joint effects: over a plane of two features, along and by more of them, and the shares within."""
    facts = []
    for count, item in enumerate(list(found)[:MOST_JOINT]):
        joint, plane, along, members = item.joint, None, None, tuple[str, ...]()
        if len(joint.features) == 2:
            plane = keep(pair_surface(rows, joint.features, joint.output, joint=True))
        else:
            direction, by = joint_pictures(rows, joint, key=f"o{joint.output}-joint-{count}", most=MOST_MEMBERS)
            along, members = None if direction is None else keep(direction), tuple(map(keep, by))
        shares = keep(joint_shares(rows.dec, joint, key=f"o{joint.output}-joint-shares-{count}"))
        parts = tuple(part.label for part in joint.parts)
        facts.append(JointFacts(joint.label, share_words(joint), item.why, shares, plane, along, members, parts))
    return tuple(facts)


def joint_words(dec: Decomposition, pair: Term, output: int) -> str:
    """Say how much two features carry together, and of what their joint effect is made."""
    joint = joint_effect(dec, pair, output)
    return (
        f"Together, {joint.label} carry {share_words(joint)} of the variance: both main effects and their interaction, "
        "drawn as one function."
    )


def alone_note(found: Iterable[ReadTogether], term: Term) -> str:
    """Say of a term, if so, that it is not to be read alone."""
    for item in found:
        if set(term) <= set(item.joint.features):
            reading = "Do not read this alone" if item.inseparable else "Better not read alone"
            return f"{reading}: see the joint effect of {item.joint.label}."
    return ""


def verdict_note(found: tuple[ReadTogether, ...]) -> str:
    """Say at the verdict which features are read together, and why."""
    named = [f"{item.joint.label}, which {item.how}" for item in found[:MOST_NAMED]]
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f" Read together: {'; '.join(named)}{more}." if named else ""
