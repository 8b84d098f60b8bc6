"""Tables that let a reader check an explanation: how separate its parts are, and how stable its shares."""

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.figures.figure import Table
from anova_report.measures.orthogonality import Cosine, orthogonality
from anova_report.measures.variance import TermShare, variance_shares
from anova_report.measures.wording import cosine, percent

MOST_COSINES = 20
MOST_SHARES = 12
UNKNOWN = "–"


def orthogonality_table(dec: Decomposition, output: int) -> Table:
    """List the largest cosines between interactions and their parts, those of terms that count first."""
    cosines = [pair for pair in orthogonality(dec, output).cosines if pair.part]
    ranked = sorted(cosines, key=lambda pair: (not pair.counts, -abs(pair.judged[0])))
    head = ("Interaction", "Part of it", "Share", "Cosine", "Held out", "Noise floor", "Leakage")
    return Table(head, tuple(_cosine_row(dec, pair) for pair in ranked[:MOST_COSINES]))


def _cosine_row(dec: Decomposition, pair: Cosine) -> tuple[str, ...]:
    return (
        dec.label(pair.term),
        dec.label(pair.part),
        percent(pair.share),
        cosine(pair.cosine),
        UNKNOWN if pair.held_out is None else cosine(pair.held_out),
        cosine(pair.judged[1]),
        UNKNOWN if pair.leakage is None else percent(pair.leakage),
    )


def stability_table(dec: Decomposition, output: int) -> Table:
    """List how the largest shares move when any one chunk of rows is left out; empty where that is not known."""
    head = ("Term", "Share", "95% interval", "Lowest", "Highest", "Keeps its rank")
    if dec.uncertainty is None:
        return Table(head, ())
    shares = variance_shares(dec, output).terms
    total = np.array([share.total for share in shares])
    without = leaving_out(total, dec.uncertainty.total[:, :, output])
    kept = (ranks(without) == ranks(total[:, None])).mean(axis=1)
    largest = np.argsort(-total, kind="stable")[:MOST_SHARES]
    rows = (_stability_row(shares[at], without[at], float(kept[at])) for at in largest)
    return Table(head, tuple(rows))


def leaving_out(estimate: Floats, contributions: Floats) -> Floats:
    """Estimate, to first order, what a fit without each of the chunks would have given, shape (n_terms, n_chunks)."""
    n_chunks = contributions.shape[1]
    return np.asarray(estimate[:, None] - contributions * n_chunks / (n_chunks - 1))


def ranks(estimates: Floats) -> Floats:
    """Rank each column, the largest first, from 0."""
    return np.argsort(np.argsort(-estimates, axis=0, kind="stable"), axis=0, kind="stable").astype(float)


def _stability_row(share: TermShare, without: Floats, kept: float) -> tuple[str, ...]:
    bounds = share.total_interval
    interval = UNKNOWN if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
    lowest, highest = percent(float(without.min())), percent(float(without.max()))
    return share.label, percent(share.total), interval, lowest, highest, f"{kept:.0%}"
