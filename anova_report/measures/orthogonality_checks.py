"""Whether interactions are free of main effects."""

from anova_report.measures import status
from anova_report.measures.orthogonality import Orthogonality
from anova_report.measures.status import Finding, decide_beyond_chance, skip, untested
from anova_report.measures.wording import cosine, percent


def orthogonal(measured: Orthogonality) -> Finding:
    """Judge the overlap of an interaction with a part of it that decides."""
    code, title, found = "AR004", "Overlap of terms", measured.worst
    if found is None:
        return skip(code, title, "No interaction has a structural share of 1% or more, so there is nothing to check.")
    value, floor = found.overlap
    sentence = (
        f"The overlap that decides, of an interaction with a part of it, is {cosine(value)} (absolute cosine of "
        f"{found.label}); chance alone can give {cosine(floor)}."
    )
    interaction = found.label.partition(" | ")[0]
    advice = (
        f"Read {interaction} together with its main effects: a part of one may be contained in the other. More rows "
        "show whether it is so."
        if value <= floor
        else f"Read {interaction} together with its main effects: a part of one is contained in the other."
    )
    return decide_beyond_chance(code, title, status.COSINE, (value, floor), sentence, advice)


def leakage(measured: Orthogonality, *, held_out: bool) -> Finding:
    """Judge how much of an interaction one part of it explains on held-out rows, if there are any."""
    code, title, found = "AR005", "Leakage", measured.leakiest
    if found is None and not held_out and measured.worst is not None:
        return untested(code, title, "The estimator holds out no rows, on which alone leakage can be seen.")
    if found is None:
        nothing = "No interaction has a structural or total share of 1% or more, so there is nothing to check."
        return skip(code, title, nothing)
    known = found.leakage_floor is not None
    sentence = (
        f"One part explains {percent(found.leaked[0])} of the variance of an interaction on held-out rows "
        f"({found.label}){f'; chance alone can give {percent(found.leaked[1])}' if known else ''}."
    )
    advice = f"Pass more rows, or read {found.label.partition(' | ')[0]} together with its main effects."
    return decide_beyond_chance(code, title, status.LEAKAGE, found.leaked, sentence, advice)
