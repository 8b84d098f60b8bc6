"""Captions of joint effects that are averaged over rows: along a common direction, and by one of the features."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.effects import looked_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import percent


def along_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how a joint effect runs along the direction in which its features move together."""
    course, direction = claims
    return (
        f"Along the direction in which {names.several(course.features)} move together, their joint effect "
        f"{_course(course, names)}; the direction accounts for {percent(direction['explained'])} of its variance over "
        f"{looked_words(direction)}."
    )


def by_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how a joint effect runs by one of its features, the others moving along as they do in the rows."""
    averaged = claims[-1]
    by, rows = names.features[averaged.features[0]], looked_words(averaged)
    course = _course(claims[0], names)
    ends = [*chosen(claims, "highest mean"), *chosen(claims, "lowest mean")]
    if ends:
        feature = averaged.features[0]
        highest, lowest = (f"{names.at(feature, claim.places[0])} ({names.brief(claim['value'])})" for claim in ends)
        course = f"is highest for {highest} and lowest for {lowest}"
    joint = names.several(claims[0].features)
    return f"By {by}, the others moving along as they do in {rows}, the joint effect of {joint} {course}."


def _course(claim: Claim, names: Names) -> str:
    """Say how a line of means runs from one end to the other."""
    if claim.kind == "same mean throughout":
        return f"is {names.effect(claim['value'])} throughout"
    if claim.kind in ("highest mean", "lowest mean"):
        return ""
    first, last = (
        f"{names.effect(claim[end])} ({at})" for end, at in zip(("first", "last"), claim.places, strict=True)
    )
    if claim.kind == "winding means":
        between = f"between {names.effect(claim['low'])} and {names.effect(claim['high'])}"
        return f"goes from {first} to {last} and lies {between} on the way"
    return f"{'rises' if claim.kind == 'rising means' else 'falls'} from {first} to {last}"
