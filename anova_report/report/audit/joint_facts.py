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
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.identifiability import group_claims
from anova_report.measures.joint import (
    Correlated,
    Inseparable,
    JointEffect,
    correlated,
    inseparable,
    joint_claim,
    joint_effect,
    moving_claim,
)
from anova_report.measures.sentences.identifiability import carried_words, moving_together_words, not_separate_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import joint_share_words
from anova_report.report.audit.groups import JointFacts

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
    claims : tuple of Claim
        What these are made of.
    """

    joint: JointEffect
    inseparable: bool
    how: str
    why: str
    claims: Claims = ()


def read_together(dec: Decomposition, output: int) -> tuple[ReadTogether, ...]:
    """List the features that are read together: first what data cannot tell apart, then what moves together."""
    groups = inseparable(dec, output)
    known = [set(group.features) for group in groups]
    pairs = []
    for pair in correlated(dec, output):
        if not any(set(pair.joint.features) <= features for features in known):
            known.append(set(pair.joint.features))
            pairs.append(pair)
    return (*(_not_separate(dec, group) for group in groups), *(_moving(dec, pair) for pair in pairs))


def _not_separate(dec: Decomposition, group: Inseparable) -> ReadTogether:
    claims, how = group_claims(group), "cannot be distinguished" if group.is_open else "can hardly be distinguished"
    why = not_separate_words(claims, Names(dec.feature_titles), is_known=group.is_known_jointly)
    return ReadTogether(group.joint, True, how, why, claims)


def _moving(dec: Decomposition, pair: Correlated) -> ReadTogether:
    joint = pair.joint
    both = Claim(
        "joint structural share", {"share": joint.structural}, joint.terms, joint.features, output=joint.output
    )
    claims = (moving_claim(pair), both)
    how = "move against each other" if pair.correlation < 0 else "move together"
    return ReadTogether(joint, False, how, moving_together_words(claims, Names(dec.feature_titles)), claims)


def joint_facts(
    rows: Rows, found: Iterable[ReadTogether], keep: Callable[[Figure], str], *, kind: str = "joint"
) -> tuple[JointFacts, ...]:
    """Draw joint effects: over a plane of two features, along and by more of them, and the shares within.

    The keys of figures hold their `kind`, so that those of groups are others than those of features read together.
    """
    facts = []
    for count, item in enumerate(list(found)[:MOST_JOINT]):
        joint, plane, along, members = item.joint, None, None, tuple[str, ...]()
        if len(joint.features) == 2:
            key = None if kind == "joint" else f"o{joint.output}-{kind}-plane-{count}"
            plane = keep(pair_surface(rows, joint.features, joint.output, key=key, joint=True))
        else:
            direction, by = joint_pictures(rows, joint, key=f"o{joint.output}-{kind}-{count}", most=MOST_MEMBERS)
            along, members = None if direction is None else keep(direction), tuple(map(keep, by))
        shares = keep(joint_shares(rows.dec, joint, key=f"o{joint.output}-{kind}-shares-{count}"))
        parts, claims = tuple(part.label for part in joint.parts), (*item.claims, joint_claim(joint))
        share = joint_share_words(claims[-1])
        facts.append(JointFacts(joint.label, share, item.why, shares, plane, along, members, parts, claims))
    return tuple(facts)


def joint_words(dec: Decomposition, pair: Term, output: int) -> str:
    """Say how much two features carry together, and of what their joint effect is made."""
    return carried_words(joint_claim(joint_effect(dec, pair, output)), Names.of(dec, output))


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
