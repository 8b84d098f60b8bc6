"""What someone who reads nothing else must know: the verdict in a sentence and the three numbers that decide it.

Besides, tables that let a reader check an explanation: how separate its terms are, and how stable its shares.
"""

from math import inf

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.figure import Table
from anova_report.measures import status as checks
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.status import UNEXPLAINED, Finding, Findings, Limit, Status
from anova_report.measures.variance import TermShare, variance_shares
from anova_report.measures.wording import cosine, enumeration, percent, portions, score
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.joint_facts import read_together, verdict_note
from anova_report.report.audit.sentences import UNDETERMINED, UNKNOWN, measured

MOST_COSINES = 20
IN_SAMPLE = ", in sample"  # after the name of a number that is not of held-out rows
MOST_SHARES = 12
LIMITS: dict[str, tuple[str, Limit]] = {
    "AR002": ("Unexplained share of the variance", checks.UNEXPLAINED),
    "AR003": ("R² in sample minus R² held out", checks.OPTIMISM),
    "AR004": ("Overlap of an interaction with a part of it (absolute cosine), where beyond chance", checks.COSINE),
    "AR005": ("Share of an interaction that one part of it explains, where beyond chance", checks.LEAKAGE),
    "AR006": ("Half the width of the widest 95% interval of a share", checks.ROUGH_SHARES),
    "AR007": ("Features per row", checks.FEW_ROWS),
    "AR008": ("Sum of the structural shares", checks.CANCELLATION),
    "AR009": ("Rows outside the values that the fit has seen", checks.OUTSIDE),
    "AR010": ("Rows with combinations of values that the fit has not seen, beyond chance", checks.UNSEEN_TOGETHER),
    "AR011": ("Share of the variance in effects that cannot be distinguished", checks.INSEPARABLE),
    "AR012": ("Number of rows that the fidelity depends on", checks.FEW_DECIDE),
    "AR013": ("Held-out rows with near-duplicates among the rows of the fit", checks.DEPENDENT_ROWS),
    "AR014": ("Columns that number rows or look like the truth", checks.NOT_INPUTS),
    "AR015": ("Share of the cells of a column that were not read as they stand", checks.UNREAD),
    "AR016": ("Error on held-out rows of the data that recombined rows add", checks.OFF_DATA),
}


def limits_table() -> Table:
    """List what each check measures, its limits and why they are what they are."""
    rows = (
        (code, name, _beyond(code, limit.warn), _beyond(code, limit.fail), limit.reason)
        for code, (name, limit) in LIMITS.items()
    )
    return Table(("Check", "Measures", "Caution", "Fails", "Why"), tuple(rows))


def _beyond(code: str, limit: float) -> str:
    """Write a limit with the side on which it is passed: of rows that decide, fewer are worse."""
    if limit == inf:
        return "never"
    return f"{'below' if code == 'AR012' else 'beyond'} {measured(code, limit)}"


def verdict_words(dec: Decomposition, found: Findings, output: int) -> str:
    """Say in one sentence why the explanation may be relied on, or not; the verdict itself stands before it."""
    if found["AR001"].status == "fail":
        return f"There is nothing to explain. {found['AR001'].sentence}"
    agreement = fidelity(dec, output)
    seen = "on rows it has never seen" if agreement.held_out is not None else "on the rows it was fitted to"
    reproduced = f"the explanation reproduces {portions(agreement.best)[0]} of the variance of the predictions {seen}"
    if not agreement.estimable:
        reproduced = (
            "how much of the variance of the predictions the explanation reproduces cannot be determined from these "
            "rows"
        )
    match found.verdict:
        case "fail":
            # What failed comes first: a good figure of fidelity must not read as a reason.
            contrast = "although" if agreement.estimable and found["AR002"].status != "fail" else "and"
            said = f"{_count(found, 'fail')}, {contrast} {reproduced}."
        case "warn":
            said = f"{reproduced}, but {_count(found, 'warn')}."
        case _:
            said = f"{reproduced}, and {_count(found, 'pass')}."
    return said[0].upper() + said[1:] + verdict_note(read_together(dec, output))


def headlines(dec: Decomposition, found: Findings, output: int) -> tuple[Headline, ...]:
    """Give the three numbers that decide the verdict; none of predictions that never change."""
    if found["AR001"].status == "fail":
        return ()
    agreement, status = fidelity(dec, output), found["AR002"].status
    words = (
        "What the model does that this explanation does not show: more than "
        f"{UNEXPLAINED.warn:.0%} calls for caution, more than {UNEXPLAINED.fail:.0%} fails."
    )
    share = portions(agreement.best)[1].replace("less than", "<") if agreement.estimable else UNDETERMINED
    unexplained = Headline("Unexplained" + ("" if agreement.held_out is not None else IN_SAMPLE), share, status, words)
    return _fidelity_headline(agreement, status), unexplained, _orthogonality_headline(dec, found["AR004"], output)


def _count(found: Findings, status: Status) -> str:
    """Say how many of the checks that apply have a status and, unless all passed, which."""
    names = tuple(item.title.lower() for item in found.items if item.status == status)
    applied = sum(item.status != "not applicable" for item in found.items)
    if status == "pass":
        return f"all {applied} checks passed"
    verb = "failed" if status == "fail" else "calls for caution" if len(names) == 1 else "call for caution"
    return f"{len(names)} of {applied} checks {verb} ({enumeration(names)})"


def _fidelity_headline(found: Fidelity, status: Status) -> Headline:
    if found.held_out is None:
        words = (
            f"On the rows of the fit the explanation reproduces {portions(found.in_sample)[0]} of the variance of the "
            "predictions. This estimator holds out no rows; on other rows it may reproduce less."
        )
        return Headline("Fidelity (R²)" + IN_SAMPLE, score(found.in_sample), status, words)
    if not found.estimable:
        words = (
            "How much of the variance of the predictions the explanation reproduces depends on about "
            f"{round(found.deciding_rows or 0):,} of {found.n_held_out:,} held-out rows; other rows may give another "
            "number."
        )
        return Headline("Fidelity (R²)", UNDETERMINED, status, words)
    bounds = found.held_out_interval
    known = "" if bounds is None else f" (95% interval {percent(bounds.low)} to {percent(min(bounds.high, 1.0))})"
    words = (
        f"On rows the fit has never seen, the explanation reproduces {portions(found.held_out)[0]} of the variance of "
        f"the predictions{known}."
    )
    return Headline("Fidelity (R²)", score(found.held_out), status, words)


def _orthogonality_headline(dec: Decomposition, finding: Finding, output: int) -> Headline:
    worst = orthogonality(dec, output).worst
    label = "Largest overlap" + ("" if dec.held_out is not None else IN_SAMPLE)
    if worst is None:
        return Headline(label, UNKNOWN, finding.status, finding.sentence)
    value, floor = worst.judged
    words = (
        f"Absolute cosine of {dec.label(worst.term)} with its part {dec.label(worst.part)}: 0 if terms are separate, 1 "
        f"if they are the same. Chance alone stays below {cosine(floor)} in 95% of samples."
    )
    return Headline(label, cosine(abs(value)), finding.status, words)


def orthogonality_table(dec: Decomposition, output: int) -> Table:
    """List the largest cosines between interactions and their subterms, those of terms that count first."""
    cosines = [pair for pair in orthogonality(dec, output).cosines if pair.part]
    ranked = sorted(cosines, key=lambda pair: (not pair.counts, -abs(pair.judged[0])))
    rows = (
        (
            dec.label(pair.term),
            dec.label(pair.part),
            percent(pair.share),
            cosine(pair.cosine),
            UNKNOWN if pair.held_out is None else cosine(pair.held_out),
            cosine(pair.judged[1]),
            UNKNOWN if pair.leakage is None else percent(pair.leakage),
            UNKNOWN if pair.leakage_floor is None else percent(pair.leakage_floor),
        )
        for pair in ranked[:MOST_COSINES]
    )
    head = (
        "Interaction",
        "Part of it",
        "Structural share",
        "Cosine, rows of the fit",
        "Cosine, held out",
        "Noise floor",
        "Leakage",
        "Floor of leakage",
    )
    return Table(head, tuple(rows))


def stability_table(dec: Decomposition, output: int) -> Table:
    """List how the largest shares move when any one replicate is left out; empty where that is not known."""
    head = ("Term", "Total share", "95% interval", "Lowest", "Highest", "Keeps its rank")
    if dec.uncertainty is None:
        return Table(head, ())
    shares = variance_shares(dec, output).terms
    total = np.array([share.total for share in shares])
    without = leaving_out(total, dec.uncertainty.total[:, :, output])
    kept = (ranks(without) == ranks(total[:, None])).mean(axis=1)
    rows = []
    for at in np.argsort([-share.structural for share in shares], kind="stable")[:MOST_SHARES]:
        ends = (percent(float(end)) for end in (without[at].min(), without[at].max()))
        rows.append((shares[at].label, percent(shares[at].total), interval_words(shares[at]), *ends, f"{kept[at]:.0%}"))
    return Table(head, tuple(rows))


def interval_words(share: TermShare) -> str:
    """Write the interval of the total share of a term."""
    bounds = share.total_interval
    return UNKNOWN if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"


def leaving_out(estimate: Floats, contributions: Floats) -> Floats:
    """Estimate, to first order, what a fit without each replicate would have given, (n_terms, n_replicates)."""
    n_replicates = contributions.shape[1]
    return np.asarray(estimate[:, None] - contributions * n_replicates / (n_replicates - 1))


def ranks(estimates: Floats) -> Floats:
    """Rank each column, the largest first, from 0."""
    return np.argsort(np.argsort(-estimates, axis=0, kind="stable"), axis=0, kind="stable").astype(float)
