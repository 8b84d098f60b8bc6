"""What someone who reads nothing else must know: the verdict in a sentence and the three numbers that decide it.

Besides, tables that let a reader check an explanation: how separate its terms are, and how stable its shares.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.figure import Table
from anova_report.measures import status as checks
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.fidelity import fidelity
from anova_report.measures.fidelity_checks import agreement_claims
from anova_report.measures.influential_rows import influential_rows
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.orthogonality_checks import overlap_claim
from anova_report.measures.sentences.fidelity import count_words, reproduced_words, tile_words, unexplained_tile_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import overlap_tile_words
from anova_report.measures.status import (
    COUNTED,
    UNEXPLAINED,
    WAIVED,
    Finding,
    Findings,
    Limit,
    counted_claims,
)
from anova_report.measures.variance import TermShare, variance_shares
from anova_report.measures.wording import cosine, percent, portions, score
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.joint_facts import read_together, verdict_note
from anova_report.report.audit.sentences import UNKNOWN, measured

MOST_COSINES = 20
IN_SAMPLE = ", in sample"  # after the name of a number that is not of held-out rows
MOST_SHARES = 12
BEYOND_CHANCE = "where beyond its noise floor, less two thirds of the floor"  # what the 95% interval allows for
LIMITS: dict[str, tuple[str, Limit]] = {
    "AR002": ("Unexplained share of the variance", checks.UNEXPLAINED),
    "AR003": ("R² in sample minus R² held out", checks.OPTIMISM),
    "AR004": (
        f"Overlap of an interaction with a part of it (cosine), {BEYOND_CHANCE}",
        checks.COSINE,
    ),
    "AR005": (f"Share of an interaction that one part of it explains, {BEYOND_CHANCE}", checks.LEAKAGE),
    "AR006": ("Half the width of the widest 95% interval, as a part of its share", checks.ROUGH_SHARES),
    "AR007": ("Features per row", checks.FEW_ROWS),
    "AR008": ("Correlation of two effects with structural shares of 5% or more", checks.ALIKE),
    "AR009": ("Rows outside the values that the fit has seen", checks.OUTSIDE),
    "AR010": ("Rows with combinations of values that the fit has not seen, beyond chance", checks.UNSEEN_TOGETHER),
    "AR011": ("Share of the variance in effects that cannot be distinguished", checks.INSEPARABLE),
    "AR012": ("Number of rows that R² rests on", checks.FEW_DECIDE),
    "AR013": ("Held-out rows with near-duplicates among the rows of the fit", checks.DEPENDENT_ROWS),
    "AR014": ("Columns that number rows or look like the target", checks.NOT_INPUTS),
    "AR015": ("Share of the cells of a column that were not read as they stand", checks.UNREAD),
    "AR016": ("Error that recombined rows add on held-out rows of the data", checks.OFF_DATA),
}


def limits_table() -> Table:
    """List what each check measures, its limits and why they are what they are."""
    rows = (
        (code, name, _beyond(code, limit.warn), _beyond(code, limit.fail), limit.reason)
        for code, (name, limit) in LIMITS.items()
    )
    return Table(("Check", "Measures", "Caution", "Fails", "Why"), tuple(rows))


def _beyond(code: str, limit: float) -> str:
    """Write a limit with the side on which it is passed, and what else passes it."""
    if limit == inf:
        return "never"
    match code:
        case "AR008":
            return f"beyond {measured(code, limit)}, or shares of {checks.CANCELLATION:.0%} in all"
        case "AR012":
            return f"below {measured(code, limit)}, or 1 in {checks.LONG_TAILS} under long tails"
        case _:
            return f"beyond {measured(code, limit)}"


def verdict_claims(dec: Decomposition, found: Findings, output: int) -> Claims:
    """State what the verdict is made of: how much is reproduced, and how many checks have which status."""
    if found["AR001"].status == "fail":
        return found["AR001"].claims
    counts = [claim for claim in counted_claims(found.items) if claim["count"]]
    together = (Claim("read together", features=item.joint.features) for item in read_together(dec, output))
    stated = (*agreement_claims(fidelity(dec, output)), *counts, *together)
    return tuple(replace(claim, output=output) for claim in stated)


def verdict_words(dec: Decomposition, found: Findings, output: int) -> str:
    """Say in one sentence why the explanation may be relied on, or not; the verdict itself stands before it."""
    if found["AR001"].status == "fail":
        return f"There is nothing to explain. {found['AR001'].sentence}"
    claims = verdict_claims(dec, found, output)
    passed = found.verdict == "pass"
    counts = {
        claim.kind: count_words(claim, of_all=not passed or claim.kind == COUNTED["pass"])
        for claim in claims
        if claim.kind in (*COUNTED.values(), WAIVED)
    }
    waived = f"; {counts[WAIVED]}" if WAIVED in counts else ""
    reproduced, agreement = reproduced_words(claims, Names.of(dec, output)), fidelity(dec, output)
    match found.verdict:
        case "fail":
            # What failed comes first: a good figure of fidelity must not read as a reason.
            contrast = "although" if agreement.estimable and found["AR002"].status != "fail" else "and"
            said = f"{counts['checks failed']}, {contrast} {reproduced}{waived}."
        case "warn":
            open_points = [
                counts[kind] for kind in ("checks that call for caution", "checks not tested") if kind in counts
            ]
            said = f"{reproduced}, but {' and '.join(open_points)}{waived}."
        case _:
            untested = [counts[kind] for kind in ("checks not tested",) if kind in counts]
            said = "; ".join([f"{reproduced}, and {counts['checks passed']}", *untested]) + f"{waived}."
    return said[0].upper() + said[1:] + verdict_note(read_together(dec, output))


def headlines(dec: Decomposition, found: Findings, output: int) -> tuple[Headline, ...]:
    """Give the three numbers that decide the verdict; none of predictions that never change."""
    if found["AR001"].status == "fail":
        return ()
    agreement, status = fidelity(dec, output), found["AR002"].status
    where = IN_SAMPLE if agreement.held_out is None else ""
    stated = tuple(replace(claim, output=output) for claim in agreement_claims(agreement))
    limits = Claim("limits", {"warn": UNEXPLAINED.warn, "fail": UNEXPLAINED.fail}, output=output)
    left = portions(agreement.best)[1].replace("less than", "<")
    return (
        Headline(
            "Fidelity (R²)" + where, score(agreement.best), status, tile_words(stated, Names.of(dec, output)), stated
        ),
        Headline("Unexplained" + where, left, status, unexplained_tile_words((*stated, limits)), (*stated, limits)),
        _orthogonality_headline(dec, found["AR004"], output),
    )


def _orthogonality_headline(dec: Decomposition, finding: Finding, output: int) -> Headline:
    worst = orthogonality(dec, output).worst
    label = finding.title + ("" if dec.held_out is not None else IN_SAMPLE)
    if worst is None:
        return Headline(label, UNKNOWN, finding.status, finding.sentence)
    stated = replace(overlap_claim(worst), output=output)
    words = overlap_tile_words(stated, Names.of(dec, output), tested=finding.status != "not tested")
    return Headline(label, cosine(stated["cosine"]), finding.status, words, (stated,))


def influential_table(dec: Decomposition, output: int, names: Sequence[object] | None) -> Table | None:
    """List the rows that R² rests on, where these are few."""
    if fidelity(dec, output).estimable:
        return None
    head = ("Row", "Share of the squared residuals", "Share of the variance of the predictions", "R² without it")
    rows = (
        (
            Names((), rows=names).row(row.position),
            percent(row.residual_share),
            UNKNOWN if row.prediction_share is None else percent(row.prediction_share),
            UNKNOWN if row.r_squared_without is None else score(row.r_squared_without),
        )
        for row in influential_rows(dec, output).rows
    )
    return Table(head, tuple(rows))


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
            cosine(pair.overlap[1]),
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
