"""Whether interactions are free of main effects."""

from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.claims import Claim, Over
from anova_report.measures.orthogonality import Cosine, Orthogonality
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import leakage_words, overlap_words
from anova_report.measures.status import MATTERS, Finding, decide_beyond_chance, skip, untested


def overlap_claim(found: Cosine) -> Claim:
    """State how far an interaction overlaps with a part of it, and what chance gives."""
    value, floor = found.overlap
    over: Over = "rows of the fit" if found.held_out is None else "held-out rows"
    return Claim("overlap", {"cosine": value, "floor": floor}, (found.term, found.part), over=over)


def orthogonal(measured: Orthogonality, names: Names) -> Finding:
    """Judge the largest overlap of an interaction with a part of it."""
    code, title, found = "AR004", "Overlap of terms", measured.worst
    if found is None:
        return skip(code, title, "No interaction has a structural share of 1% or more, so there is nothing to check.")
    stated, (value, floor) = overlap_claim(found), found.overlap
    contained = "may be contained in the other. More rows would show whether it is" if value <= floor else ""
    advice = (
        f"Read {label(found.term, names.features)} together with its main effects: a part of one "
        f"{contained or 'is contained in the other'}."
    )
    sentence = overlap_words(stated, names)
    return _if_it_matters(
        found, decide_beyond_chance(code, title, status.COSINE, (value, floor), sentence, advice, (stated,))
    )


def leakage(measured: Orthogonality, names: Names, *, held_out: bool) -> Finding:
    """Judge how much of an interaction one part of it explains on held-out rows, if there are any."""
    code, title, found = "AR005", "Leakage", measured.leakiest
    if found is None and not held_out and measured.worst is not None:
        return untested(code, title, "The estimator holds out no rows, on which alone leakage can be seen.")
    if found is None:
        nothing = "No interaction has a structural or total share of 1% or more, so there is nothing to check."
        return skip(code, title, nothing)
    known = {} if found.leakage_floor is None else {"floor": found.leaked[1]}
    stated = Claim("leakage", {"share": found.leaked[0]} | known, (found.term, found.part), over="held-out rows")
    advice = f"Pass more rows, or read {label(found.term, names.features)} together with its main effects."
    sentence = leakage_words(stated, names)
    return _if_it_matters(
        found, decide_beyond_chance(code, title, status.LEAKAGE, found.leaked, sentence, advice, (stated,))
    )


def _if_it_matters(found: Cosine, decided: Finding) -> Finding:
    """Let what chance hides of small interactions keep no explanation from passing, where there are no larger ones."""
    if decided.status != "not tested" or max(found.share, abs(found.total)) >= MATTERS:
        return decided
    why = "The interaction is too small for that to matter, and no larger one is in doubt."
    kept = decided.sentence.replace(status.UNDECIDED, why)
    return Finding(decided.code, decided.title, "not applicable", None, None, kept, claims=decided.claims)
