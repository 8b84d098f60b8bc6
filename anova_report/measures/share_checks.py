"""Whether shares can be read as they stand."""

from collections.abc import Sequence
from math import ceil, inf

from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import CARRIES
from anova_report.measures import status
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.intervals import Interval
from anova_report.measures.joint import MOVING, Correlated, Inseparable, JointEffect, joint_claim, moving_claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import more_rows_words, moving_words, precision_words
from anova_report.measures.status import ROUGH_SHARES as ROUGH
from anova_report.measures.status import Finding, decide, untested
from anova_report.measures.variance import TermShare, VarianceShares
from anova_report.measures.wording import enumeration


def certain_shares(dec: Decomposition, output: int, shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    """Judge the widest interval of a share for its size: where it is too wide, ranks and signs may change."""
    # What moves with a term that carries next to nothing says nothing of its own share, and nobody ranks it.
    # More rows do not cure concurvity, which is a finding of its own: there the joint share counts.
    grouped = {index for group in groups for index in group.features}
    large = [each for each in shares.terms if max(each.structural, abs(each.total)) >= CARRIES] or shares.terms
    alone = [share for share in large if grouped.isdisjoint(share.term)]
    every: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    widths = [(relative_width(share.total, known), share) for share in every if (known := share.total_interval)]
    code, title = "AR006", "Precision of shares"
    if not widths:
        return untested(code, title, "The estimator does not estimate uncertainty.")
    changes = {other: _consequence(other, [each for each in every if each is not other]) for _, other in widths}
    harmless = {other: width <= ROUGH.fail and changes[other].kind == "rank is certain" for width, other in widths}
    width, share = max(widths, key=lambda each: (each[0] > ROUGH.warn and not harmless[each[1]], each[0]))
    stated = [_precision_claim(share, width)]
    if width > ROUGH.warn:
        stated.append(changes[share])
    advice, wanted = _more_precision(dec, output, share, width)
    sentence, claims = precision_words(stated, Names(dec.feature_titles)), (*stated, *wanted)
    if width > ROUGH.warn and harmless[share]:
        return Finding(code, title, "pass", width, ROUGH.fail, sentence, claims=claims)
    return decide(code, title, ROUGH, width, sentence, advice, claims)


def _precision_claim(share: TermShare | JointEffect, width: float) -> Claim:
    """State half the width of an interval as a part of its share, or of the share that small ones are held against."""
    bounds = share.total_interval or Interval(share.total, share.total)
    numbers = {"share": share.total, "width": width, "of": max(abs(share.total), status.SMALL_SHARE)}
    numbers |= {"low": bounds.low, "high": bounds.high}
    if isinstance(share, TermShare):
        return Claim("least precise share", numbers, (share.term,))
    return Claim("least precise share", numbers, share.terms, share.features)


def _consequence(share: TermShare | JointEffect, others: Sequence[TermShare | JointEffect]) -> Claim:
    """State what may change on other rows: a sign, or ranks."""
    bounds = share.total_interval or Interval(share.total, share.total)
    if bounds.low <= 0 <= bounds.high:
        return Claim("sign may change")
    passed = tuple(other.label for other in others if bounds.low <= other.total <= bounds.high)
    return Claim("rank may change", places=passed) if passed else Claim("rank is certain")


def relative_width(share: float, known: Interval) -> float:
    """Give half the width of an interval as a part of its share; a small share is held against a fixed one.

    Examples
    --------
    >>> relative_width(0.4, Interval(0.3, 0.5)), round(relative_width(0.01, Interval(-0.02, 0.04)), 2)
    (0.25, 0.3)
    """
    return (known.high - known.low) / 2 / max(abs(share), status.SMALL_SHARE)


def _more_precision(
    dec: Decomposition, output: int, share: TermShare | JointEffect, width: float
) -> tuple[str, Claims]:
    """Advise more rows, and how many, unless features stand for each other: then no number of rows helps."""
    known, features = dec.dependence, share.term if isinstance(share, TermShare) else ()
    bound = [] if known is None else [at for at in features if known.imitated[at, output] >= status.CONCURVITY.fail]
    if known is not None and bound:
        others = sorted({other for at in bound for other in known.imitators[output][at]})
        named, by = (enumeration([dec.feature_titles[at] for at in each]) for each in (bound, others))
        advice = (
            f"More rows do not help: in these data, functions of {by or 'other features'} stand for {named}. Read "
            "their joint effect, or leave some of them out."
        )
        return advice, ()
    wanted = rounded_up(dec.in_sample.effective_rows * (width / ROUGH.warn) ** 2)
    stated = Claim("rows for precise shares", {"n_rows": float(wanted)})
    return more_rows_words(stated), (stated,)


def rounded_up(count: float) -> int:
    """Round a count up to two digits.

    Examples
    --------
    >>> rounded_up(1234.5), rounded_up(68.1)
    (1300, 69)
    """
    step: int = 10 ** max(len(str(ceil(count))) - 2, 0)
    return ceil(count / step) * step


def moving_together(dec: Decomposition, shares: VarianceShares, pairs: tuple[Correlated, ...]) -> Finding:
    """Report effects that cancel or repeat each other: it may be so in the model, so that it never fails."""
    code, title, names = "AR008", "Effects that move together", Names(dec.feature_titles)
    alike = min(status.ALIKE.warn, 1.0)
    together = sum(share.structural for share in shares.terms)
    limits = {"moving": MOVING, "alike": alike, "cancelling": status.CANCELLATION}
    stated: Claims = (Claim("sum of structural shares", {"sum": together}), Claim("limits of moving together", limits))
    if not pairs:
        return Finding(code, title, "pass", together, status.CANCELLATION, moving_words(stated, names), claims=stated)
    strongest = pairs[0]
    stated = (*stated, moving_claim(strongest, len(pairs) - 1), joint_claim(strongest.joint))
    sentence, repeated = moving_words(stated, names), "cancels" if strongest.correlation < 0 else "repeats"
    advice = (
        f"Read the joint effect of {strongest.joint.label} rather than each curve by itself: one {repeated} a part of "
        "what the other shows."
    )
    value, limit = together, status.CANCELLATION
    if abs(strongest.correlation) > alike:
        value, limit = abs(strongest.correlation), alike
    if status.ALIKE.warn == inf:
        return Finding(code, title, "pass", value, None, sentence, claims=stated)
    return Finding(code, title, "warn", value, limit, sentence, advice, stated)
