"""Whether shares can be read as they stand."""

from operator import itemgetter

from anova_report.measures import status
from anova_report.measures.joint import Correlated, Inseparable, JointEffect, share_words
from anova_report.measures.status import Finding, Status, decide, skip
from anova_report.measures.variance import TermShare, VarianceShares
from anova_report.measures.wording import cosine, counted, percent, points


def certain_shares(shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    """Judge how well shares are known."""
    # More rows do not cure concurvity, which is a finding of its own: there the joint share counts.
    grouped = {index for group in groups for index in group.features}
    alone = [share for share in shares.terms if grouped.isdisjoint(share.term)]
    judged: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    bounds = [(share.label, share.total_interval) for share in judged]
    widths = [((known.high - known.low) / 2, label) for label, known in bounds if known is not None]
    if not widths:
        return skip("AR006", "Precision of shares", "The estimator does not estimate uncertainty.")
    width, label = max(widths, key=itemgetter(0))
    sentence = f"The least precise share, that of {label}, is known to {points(width)} (95% interval)."
    advice = "Pass more rows before ranking shares of similar size."
    return decide("AR006", "Precision of shares", status.ROUGH_SHARES, width, sentence, advice)


def cancelling(shares: VarianceShares, pairs: tuple[Correlated, ...]) -> Finding:
    """Report effects that cancel or overlap: it may be so in the model, so that it never fails."""
    limit, title = status.CANCELLATION.warn, "Cancelling effects"
    together = sum(share.structural for share in shares.terms)
    sentence = f"The structural shares of all terms add up to {percent(together)}"
    if not pairs:
        judged: Status = "warn" if together > limit else "pass"
        return Finding("AR008", title, judged, together, limit, f"{sentence}, and no two large terms move together.")
    first, second = pairs[0].terms
    own = {part.term: f"{part.label} (structural share {percent(part.structural)})" for part in pairs[0].joint.parts}
    how = "against each other" if pairs[0].correlation < 0 else "together"
    more = f", and so do {counted(len(pairs) - 1, 'other pair', 'other pairs')}" if len(pairs) > 1 else ""
    sentence += (
        f". {own[first]} and {own[second]} move {how} (correlation {cosine(pairs[0].correlation)}){more}; "
        f"together, {pairs[0].joint.label} carry {share_words(pairs[0].joint)} of the variance."
    )
    advice = (
        f"Read the joint effect of {pairs[0].joint.label} rather than each curve by itself: one cancels, or repeats, "
        "what the other shows."
    )
    return Finding("AR008", title, "warn", together, limit, sentence, advice)
