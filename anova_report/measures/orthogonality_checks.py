"""Whether interactions are free of main effects."""

from anova_report.measures import status
from anova_report.measures.orthogonality import Orthogonality
from anova_report.measures.status import Finding, decide, skip
from anova_report.measures.wording import cosine, percent


def orthogonal(measured: Orthogonality) -> Finding:
    """Judge the largest overlap of an interaction with a part of it."""
    found = measured.worst
    if found is None:
        nothing = "No interaction has a structural share of 1% or more, so there is nothing to check."
        return skip("AR004", "Overlap of terms", nothing)
    value, floor = found.judged
    beyond = abs(value) if found.beyond_noise > 0 else 0.0
    sentence = (
        f"The largest overlap of an interaction with a part of it is {cosine(abs(value))} (absolute cosine of "
        f"{found.label}); by chance alone it stays below {cosine(floor)} in 95% of samples."
    )
    advice = (
        f"Read {found.label.partition(' | ')[0]} together with its main effects: a part of one may be contained in the "
        "other."
    )
    return decide("AR004", "Overlap of terms", status.COSINE, beyond, sentence, advice)


def leakage(measured: Orthogonality) -> Finding:
    """Judge how much of an interaction one part of it explains."""
    found = measured.leakiest
    if found is None:
        return skip(
            "AR005",
            "Leakage",
            "No interaction has a structural or total share of 1% or more, so there is nothing to check.",
        )
    chance = (
        ""
        if found.leakage_floor is None
        else f"; without leakage, 95% of samples of this size stay below {percent(found.leakage_floor)}"
    )
    sentence = (
        f"The most that one part explains of the variance of an interaction is {percent(found.leakage or 0.0)} "
        f"({found.label}){chance}."
    )
    advice = f"Pass more rows, or read {found.label.partition(' | ')[0]} together with its main effects."
    return decide("AR005", "Leakage", status.LEAKAGE, found.leakage_beyond_chance, sentence, advice)
