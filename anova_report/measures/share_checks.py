"""Whether shares can be read as they stand."""

from collections.abc import Sequence
from math import ceil
from operator import itemgetter

from anova_report.core.result.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.intervals import Interval
from anova_report.measures.joint import MOVING, Correlated, Inseparable, JointEffect, share_words
from anova_report.measures.status import Finding, decide, untested
from anova_report.measures.variance import TermShare, VarianceShares
from anova_report.measures.wording import cosine, counted, enumeration, percent

MOST_RANKS = 3  # shares that a sentence names


def certain_shares(dec: Decomposition, output: int, shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    """Judge the widest interval of a share for its size: where it is too wide, ranks and signs may change."""
    # More rows do not cure concurvity, which is a finding of its own: there the joint share counts.
    grouped = {index for group in groups for index in group.features}
    alone = [share for share in shares.terms if grouped.isdisjoint(share.term)]
    every: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    widths = [(relative_width(share.total, known), share) for share in every if (known := share.total_interval)]
    code, title = "AR006", "Precision of shares"
    if not widths:
        return untested(code, title, "The estimator does not estimate uncertainty.")
    width, share = max(widths, key=itemgetter(0))
    sentence = (
        f"The least precise share for its size is that of {share.label}: {share_words(share)}, "
        f"± {percent(width)} of {'it' if abs(share.total) >= status.SMALL_SHARE else f'{status.SMALL_SHARE:.0%}'}."
    )
    if width > status.ROUGH_SHARES.warn:
        sentence += f" {_consequence(share, [other for other in every if other is not share])}"
    return decide(code, title, status.ROUGH_SHARES, width, sentence, _more_precision(dec, output, share, width))


def _consequence(share: TermShare | JointEffect, others: Sequence[TermShare | JointEffect]) -> str:
    """Say what may change on other rows: a sign, or ranks."""
    bounds = share.total_interval or Interval(share.total, share.total)
    if bounds.low <= 0 <= bounds.high:
        return "It may be zero, or have the other sign."
    passed = [other.label for other in others if bounds.low <= other.total <= bounds.high]
    return (
        f"Its rank may change with {enumeration(passed, MOST_RANKS)}."
        if passed
        else "Its rank is certain, its size is not."
    )


def relative_width(share: float, known: Interval) -> float:
    """Give half the width of an interval as a part of its share; a small share is held against a fixed one.

    Examples
    --------
    >>> relative_width(0.4, Interval(0.3, 0.5)), round(relative_width(0.01, Interval(-0.02, 0.04)), 2)
    (0.25, 0.3)
    """
    return (known.high - known.low) / 2 / max(abs(share), status.SMALL_SHARE)


def _more_precision(dec: Decomposition, output: int, share: TermShare | JointEffect, width: float) -> str:
    """Advise more rows, and how many, unless features stand for each other: then no number of rows helps."""
    known, features = dec.dependence, share.term if isinstance(share, TermShare) else ()
    bound = [] if known is None else [at for at in features if known.imitated[at, output] >= status.CONCURVITY.fail]
    if known is not None and bound:
        others = sorted({other for at in bound for other in known.imitators[output][at]})
        named, by = (enumeration([dec.feature_names[at] for at in each]) for each in (bound, others))
        return (
            f"More rows do not help: in these data, functions of {by or 'other features'} stand for {named}. Read "
            "their joint effect, or leave some of them out."
        )
    wanted = dec.in_sample.effective_rows * (width / status.ROUGH_SHARES.warn) ** 2
    return (
        f"Pass more rows before ranking shares (about {rounded_up(wanted)} in all: intervals shrink with the root of "
        "their number)."
    )


def rounded_up(count: float) -> str:
    """Write a count with two digits, rounded up.

    Examples
    --------
    >>> rounded_up(1234.5), rounded_up(68.1)
    ('1,300', '69')
    """
    step = 10 ** max(len(str(ceil(count))) - 2, 0)
    return f"{ceil(count / step) * step:,}"


def moving_together(shares: VarianceShares, pairs: tuple[Correlated, ...]) -> Finding:
    """Report effects that cancel or repeat each other: it may be so in the model, so that it never fails."""
    code, title, alike = "AR008", "Effects that move together", status.ALIKE.warn
    together = sum(share.structural for share in shares.terms)
    if not pairs:
        sentence = (
            f"No two effects with structural shares of {MOVING:.0%} or more correlate beyond {cosine(alike)}, and the "
            f"structural shares add up to {percent(together)}, which is no more than {status.CANCELLATION:.0%}."
        )
        return Finding(code, title, "pass", together, status.CANCELLATION, sentence)
    strongest = pairs[0]
    first, second = strongest.terms
    own = {part.term: f"{part.label} (structural share {percent(part.structural)})" for part in strongest.joint.parts}
    how = "against each other" if strongest.correlation < 0 else "together"
    more = f", and so do {counted(len(pairs) - 1, 'other pair', 'other pairs')}" if len(pairs) > 1 else ""
    sentence = (
        f"{own[first]} and {own[second]} move {how} (correlation {cosine(strongest.correlation)}){more}; together, "
        f"{strongest.joint.label} carry {share_words(strongest.joint)} of the variance."
    )
    repeated = "cancels a part of" if strongest.correlation < 0 else "repeats a part of"
    advice = (
        f"Read the joint effect of {strongest.joint.label} rather than each curve by itself: one {repeated} what the "
        "other shows."
    )
    if abs(strongest.correlation) > alike:
        return Finding(code, title, "warn", abs(strongest.correlation), alike, sentence, advice)
    sentence += f" The structural shares of all terms add up to {percent(together)}: effects take from each other."
    return Finding(code, title, "warn", together, status.CANCELLATION, sentence, advice)
