"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from anova_report.core.decomposition import Decomposition
from anova_report.measures.fidelity import fidelity
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.status import (
    COSINE,
    FEW_ROWS,
    LEAKAGE,
    NEGATIVE,
    OPTIMISM,
    OUTSIDE,
    ROUGH_SHARES,
    SEVERITY,
    UNEXPLAINED,
    Finding,
    Findings,
    Limit,
    Status,
    worst,
)
from anova_report.measures.support import Support, support
from anova_report.measures.variance import answer_variance, variance_shares
from anova_report.measures.wording import cosine, counted, percent, score

__all__ = [
    "COSINE",
    "FEW_ROWS",
    "LEAKAGE",
    "NEGATIVE",
    "OPTIMISM",
    "OUTSIDE",
    "ROUGH_SHARES",
    "SEVERITY",
    "UNEXPLAINED",
    "Finding",
    "Findings",
    "Limit",
    "Status",
    "findings",
    "worst",
]


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
    if not answer_variance(dec, dec.in_sample, index):
        constant = f"The model answers {float(dec.expansion.mean[index]):g} whatever its inputs."
        advice = "Check that the right output was asked for and that the inputs reach the model."
        return Findings((Finding("AR001", "Answers vary", "fail", 0.0, 0.0, constant, advice),))
    supported = _supported(None if X is None else support(dec, X))
    return Findings((*(check(dec, index) for check in CHECKS), supported))


def _decide(code: str, title: str, limit: Limit, value: float, sentence: str, advice: str) -> Finding:
    status = limit.judge(value)
    bound = limit.fail if status == "fail" else limit.warn
    return Finding(code, title, status, value, bound, sentence, "" if status == "pass" else advice)


def _skip(code: str, title: str, sentence: str) -> Finding:
    return Finding(code, title, "not applicable", None, None, sentence)


def _varies(dec: Decomposition, output: int) -> Finding:
    spread = answer_variance(dec, dec.in_sample, output) ** 0.5
    return Finding(
        "AR001", "Answers vary", "pass", spread, 0.0, f"The answers have a standard deviation of {spread:.3g}."
    )


def _unexplained(dec: Decomposition, output: int) -> Finding:
    found = fidelity(dec, output)
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {percent(found.unexplained)} of the answers' "
        "variance is left unexplained."
    )
    advice = "Allow a higher max_order or pass more rows; read shares and curves as a part of the model only."
    return _decide("AR002", "Fidelity", UNEXPLAINED, found.unexplained, sentence, advice)


def _optimism(dec: Decomposition, output: int) -> Finding:
    found = fidelity(dec, output)
    if found.held_out is None:
        return _skip("AR003", "Honest fit", "The estimator holds out no rows, so its optimism cannot be measured.")
    gap = found.in_sample - found.held_out
    sentence = f"R² is {score(found.in_sample)} on the rows of the fit and {score(found.held_out)} on held-out rows."
    return _decide("AR003", "Honest fit", OPTIMISM, gap, sentence, "Pass more rows, or lower max_order.")


def _orthogonal(dec: Decomposition, output: int) -> Finding:
    found = orthogonality(dec, output).worst
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
    return _decide("AR004", "Orthogonality", COSINE, beyond, sentence, advice)


def _leakage(dec: Decomposition, output: int) -> Finding:
    known = [pair for pair in orthogonality(dec, output).cosines if pair.counts and pair.leakage is not None]
    if not known:
        return _skip("AR005", "Leakage", "No interaction carries 1% of the variance on held-out rows.")
    value, label = max(((pair.leakage or 0.0, pair.label) for pair in known), key=itemgetter(0))
    sentence = f"The most that a subterm explains of an interaction's variance is {percent(value)} ({label})."
    advice = "Pass more rows, or read the pair with its main effects."
    return _decide("AR005", "Leakage", LEAKAGE, value, sentence, advice)


def _certain_shares(dec: Decomposition, output: int) -> Finding:
    bounds = [(share.label, share.total_interval) for share in variance_shares(dec, output).terms]
    widths = [((known.high - known.low) / 2, label) for label, known in bounds if known is not None]
    if not widths:
        return _skip("AR006", "Certain shares", "The estimator keeps no track of uncertainty.")
    width, label = max(widths, key=itemgetter(0))
    sentence = f"The least certain share, that of {label}, is known to ± {percent(width)}."
    advice = "Pass more rows before shares of similar size are ranked."
    return _decide("AR006", "Certain shares", ROUGH_SHARES, width, sentence, advice)


def _enough_rows(dec: Decomposition, output: int) -> Finding:  # noqa: ARG001 the same for every output
    n_rows, n_features = dec.in_sample.n_rows, len(dec.features)
    sentence = f"{n_rows:,} rows for {n_features} features."
    return _decide("AR007", "Enough rows", FEW_ROWS, n_features / n_rows, sentence, "Pass more rows or fewer features.")


def _negative_shares(dec: Decomposition, output: int) -> Finding:
    negative = [share for share in variance_shares(dec, output).terms if share.total < 0]
    total = -sum(share.total for share in negative)
    if not negative:
        return Finding("AR008", "Shares add up plainly", "pass", 0.0, NEGATIVE.warn, "No term has a negative share.")
    lowest = min(negative, key=lambda share: share.total)
    sentence = (
        f"{counted(len(negative), 'negative share', 'negative shares')}, {percent(-total)} together, most of all "
        f"{lowest.label} ({percent(lowest.total)}): such terms move against what they depend on and calm the answers."
    )
    advice = "Compare structural and correlative shares before a term is called unimportant."
    return _decide("AR008", "Shares add up plainly", NEGATIVE, total, sentence, advice)


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
    return _decide("AR009", "Support", OUTSIDE, share, sentence, advice)


CHECKS: tuple[Callable[[Decomposition, int], Finding], ...] = (
    *(_varies, _unexplained, _optimism, _orthogonal, _leakage, _certain_shares, _enough_rows, _negative_shares),
)
