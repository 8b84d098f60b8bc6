"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from operator import itemgetter
from typing import Any

from anova_report.core.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.joint import Inseparable, JointEffect, inseparable, share_words
from anova_report.measures.orthogonality import Orthogonality, orthogonality
from anova_report.measures.status import Finding, Findings, Limit
from anova_report.measures.support import Support, support
from anova_report.measures.variance import TermShare, VarianceShares, answer_variance, variance_shares
from anova_report.measures.wording import cosine, counted, percent, score

MOST_GROUPS = 3  # of features that a sentence names


def findings(dec: Decomposition, X: Any = None, output: str | int | None = None) -> Findings:
    """Check an explanation against stated limits.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features), optional
        Rows whose support is checked; without them that finding is not applicable.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> found = findings(FunctionalANOVA(random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).decomposition_, X)
    >>> found.verdict, found["AR002"].status
    ('pass', 'pass')
    """
    index = dec.output_index(output)
    spread = answer_variance(dec, dec.in_sample, index) ** 0.5
    if not spread:
        constant = f"The model answers {float(dec.expansion.mean[index]):g} whatever its inputs."
        advice = "Check that the right output was asked for and that the inputs reach the model."
        return Findings((Finding("AR001", "Answers vary", "fail", 0.0, 0.0, constant, advice),))
    varies = f"The answers have a standard deviation of {spread:.3g}."
    explained, angles, shares = fidelity(dec, index), orthogonality(dec, index), variance_shares(dec, index)
    groups = None if dec.dependence is None else inseparable(dec, index)
    return Findings(
        (
            Finding("AR001", "Answers vary", "pass", spread, 0.0, varies),
            _unexplained(explained),
            _optimism(explained),
            _orthogonal(angles),
            _leakage(angles),
            _certain_shares(shares, groups or ()),
            _enough_rows(dec.in_sample.n_rows, len(dec.features)),
            _negative_shares(shares),
            _supported(None if X is None else support(dec, X)),
            _separate(groups),
        )
    )


def _decide(code: str, title: str, limit: Limit, value: float, sentence: str, advice: str) -> Finding:
    judged = limit.judge(value)
    bound = limit.fail if judged == "fail" else limit.warn
    return Finding(code, title, judged, value, bound, sentence, "" if judged == "pass" else advice)


def _skip(code: str, title: str, sentence: str) -> Finding:
    return Finding(code, title, "not applicable", None, None, sentence)


def _unexplained(found: Fidelity) -> Finding:
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {percent(found.unexplained)} of the answers' "
        "variance is left unexplained."
    )
    advice = "Allow a higher max_order or pass more rows; read shares and curves as a part of the model only."
    return _decide("AR002", "Fidelity", status.UNEXPLAINED, found.unexplained, sentence, advice)


def _optimism(found: Fidelity) -> Finding:
    if found.held_out is None:
        return _skip("AR003", "Honest fit", "The estimator holds out no rows, so its optimism cannot be measured.")
    gap = found.in_sample - found.held_out
    sentence = f"R² is {score(found.in_sample)} on the rows of the fit and {score(found.held_out)} on held-out rows."
    return _decide("AR003", "Honest fit", status.OPTIMISM, gap, sentence, "Pass more rows, or lower max_order.")


def _orthogonal(measured: Orthogonality) -> Finding:
    found = measured.worst
    if found is None:
        return _skip(
            "AR004", "Orthogonality", "No interaction carries 1% of the variance, so there is nothing to check."
        )
    value, floor = found.judged
    beyond = abs(value) if found.beyond_noise > 0 else 0.0
    sentence = (
        f"The largest cosine between an interaction and a subterm is {cosine(value)} ({found.label}); chance alone "
        f"gives up to {cosine(floor)} in 95% of samples."
    )
    advice = "Read this interaction together with its main effects: part of one may sit in the other."
    return _decide("AR004", "Orthogonality", status.COSINE, beyond, sentence, advice)


def _leakage(measured: Orthogonality) -> Finding:
    known = [pair for pair in measured.cosines if pair.counts and pair.leakage is not None]
    if not known:
        return _skip("AR005", "Leakage", "No interaction carries 1% of the variance on held-out rows.")
    value, label = max(((pair.leakage or 0.0, pair.label) for pair in known), key=itemgetter(0))
    sentence = f"The most that a subterm explains of an interaction's variance is {percent(value)} ({label})."
    advice = "Pass more rows, or read the pair with its main effects."
    return _decide("AR005", "Leakage", status.LEAKAGE, value, sentence, advice)


def _certain_shares(shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    # More rows do not help where features imitate each other, which is a finding of its own: their joint share counts.
    grouped = {index for group in groups for index in group.features}
    alone = [share for share in shares.terms if grouped.isdisjoint(share.term)]
    judged: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    bounds = [(share.label, share.total_interval) for share in judged]
    widths = [((known.high - known.low) / 2, label) for label, known in bounds if known is not None]
    if not widths:
        return _skip("AR006", "Certain shares", "The estimator keeps no track of uncertainty.")
    width, label = max(widths, key=itemgetter(0))
    sentence = f"The least certain share, that of {label}, is known to ± {percent(width)}."
    advice = "Pass more rows before shares of similar size are ranked."
    return _decide("AR006", "Certain shares", status.ROUGH_SHARES, width, sentence, advice)


def _enough_rows(n_rows: int, n_features: int) -> Finding:
    sentence, advice = f"{n_rows:,} rows for {n_features} features.", "Pass more rows or fewer features."
    return _decide("AR007", "Enough rows", status.FEW_ROWS, n_features / n_rows, sentence, advice)


def _negative_shares(shares: VarianceShares) -> Finding:
    negative = [share for share in shares.terms if share.total < 0]
    total = -sum(share.total for share in negative)
    if not negative:
        return Finding(
            "AR008", "Shares add up plainly", "pass", 0.0, status.NEGATIVE.warn, "No term has a negative share."
        )
    lowest = min(negative, key=lambda share: share.total)
    sentence = (
        f"{counted(len(negative), 'negative share', 'negative shares')}, {percent(-total)} together, most of all "
        f"{lowest.label} ({percent(lowest.total)}): such terms move against what they depend on and calm the answers."
    )
    advice = "Compare structural and correlative shares before a term is called unimportant."
    return _decide("AR008", "Shares add up plainly", status.NEGATIVE, total, sentence, advice)


def _supported(found: Support | None) -> Finding:
    if found is None:
        return _skip("AR009", "Support", "No rows were given whose support could be checked.")
    most = max(found.features, key=lambda feature: feature.outside)
    share = most.outside / found.n_rows
    sentence = (
        f"{percent(share)} of the rows lie outside what the fit has seen of {most.feature}, more than of any other "
        "feature."
        if most.outside
        else "All rows lie within what the fit has seen of every feature."
    )
    advice = "Do not rely on effects there; fit on rows like these."
    return _decide("AR009", "Support", status.OUTSIDE, share, sentence, advice)


def _separate(groups: tuple[Inseparable, ...] | None) -> Finding:
    code, title = "AR011", "Separate effects"
    if groups is None:
        return _skip(code, title, "The estimator does not look for features that imitate each other.")
    if not groups:
        sentence = (
            "No main effect of 1% or more can be imitated by those of other features: each curve can be read alone."
        )
        return Finding(code, title, "pass", 0.0, status.INSEPARABLE.warn, sentence)
    share = sum(abs(group.joint.total) for group in groups)
    sentence = " ".join(map(_group_words, groups[:MOST_GROUPS]))
    if len(groups) > MOST_GROUPS:
        sentence += f" So can those of {counted(len(groups) - MOST_GROUPS, 'further group', 'further groups')}."
    advice = (
        "Do not read their separate curves and shares: read the joint effect, which does not depend on who has which "
        "part; or leave out those that others stand for, or make one feature of them, and fit again."
    )
    return Finding(code, title, "warn", share, status.INSEPARABLE.warn, sentence, advice)


def _group_words(group: Inseparable) -> str:
    most = max(group.imitated)
    extent = "wholly" if most > status.EXACT else f"up to {percent(most)}"
    whose = "data cannot tell whose is whose" if group.is_open else "few rows tell whose is whose"
    return (
        f"The effects of {group.joint.label} can imitate each other ({extent}), so {whose}; together they carry "
        f"{share_words(group.joint)} of the variance."
    )
