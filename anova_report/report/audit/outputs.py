"""The audit of one output: verdict, drivers, effects, cases and what lets a reader trust them."""

from collections.abc import Sequence
from dataclasses import dataclass

from anova_report.core.decomposition import Decomposition
from anova_report.figures.columns import (
    Rows,
    answers_histogram,
    main_effect,
    matrix_figure,
    network_figure,
    pair_slices,
    pair_surface,
    regions_figure,
    scatter_figure,
    shares_figure,
    totals_figure,
)
from anova_report.figures.figure import Table
from anova_report.measures.findings import Findings
from anova_report.measures.variance import TermShare, answer_variance, variance_shares
from anova_report.measures.wording import number, percent
from anova_report.report.audit.audit import MainFacts, OutputAudit, PairFacts
from anova_report.report.audit.cases import Chosen, case
from anova_report.report.audit.facts import answers_summary
from anova_report.report.audit.gallery import Gallery
from anova_report.report.audit.others import Beside
from anova_report.report.audit.trust import UNKNOWN, orthogonality_table, stability_table
from anova_report.report.audit.verdict import finding_facts, headlines, verdict_words

SHARES_HEAD = ("Term", "Structural", "Correlative", "Total", "95% interval")


@dataclass(frozen=True)
class Ranked:
    """Terms of one order: those that are drawn, and the rest; both by total share, largest first."""

    drawn: tuple[TermShare, ...]
    rest: tuple[TermShare, ...]


def ranked(shares: Sequence[TermShare], order: int, most: int) -> Ranked:
    """Choose the terms of an order that move the answers most, in either direction."""
    own = [share for share in shares if len(share.term) == order]
    drawn = sorted(own, key=lambda share: -abs(share.total))[:most]
    left = [share for share in own if share not in drawn]
    first, second = (tuple(sorted(group, key=lambda share: -share.total)) for group in (drawn, left))
    return Ranked(first, second)


def output_audit(
    rows: Rows,
    output: int,
    found: Findings,
    chosen: Sequence[Chosen],
    gallery: Gallery,
    top: tuple[int, int],
    beside: Beside | None = None,
) -> OutputAudit:
    """Audit one output.

    Parameters
    ----------
    rows : Rows
    output : int
    found : Findings
    chosen : sequence of Chosen
        Rows to explain.
    gallery : Gallery
        Takes the figures.
    top : pair of int
        How many main effects and how many pairs are drawn at most.
    beside : Beside, optional
        Other explanations of the same rows.
    """
    dec, shares = rows.dec, variance_shares(rows.dec, output).terms
    mains, pairs, higher = ranked(shares, 1, top[0]), ranked(shares, 2, top[1]), ranked(shares, 3, 0)
    answered, paired = rows.answers is not None, bool(pairs.drawn)
    return OutputAudit(
        name=dec.output_names[output],
        anchor=f"output-{output}",
        summary=answers_summary(dec, rows.answers, output),
        answers=gallery.hang(answers_histogram(rows, output)) if answered else None,
        verdict=found.verdict,
        verdict_words=verdict_words(dec, found, output),
        headlines=headlines(dec, found, output),
        findings=finding_facts(found),
        totals=gallery.hang(totals_figure(dec, output)),
        shares=gallery.hang(shares_figure(dec, output)),
        network=gallery.hang(network_figure(dec, output)) if paired else None,
        mains=tuple(_main(rows, share, output, gallery, beside) for share in mains.drawn),
        pairs=tuple(_pair(rows, share, output, gallery) for share in pairs.drawn),
        cases=tuple(case(rows, row, output, gallery) for row in chosen),
        scatter=gallery.hang(scatter_figure(rows, output)) if answered else None,
        regions=gallery.hang(regions_figure(rows, output)) if answered else None,
        matrix=gallery.hang(matrix_figure(dec, output)) if paired else None,
        orthogonality=orthogonality_table(dec, output),
        stability=stability_table(dec, output),
        more_mains=shares_table(mains.rest),
        more_pairs=shares_table(pairs.rest),
        higher=shares_table(higher.rest),
        others=None if beside is None else beside.facts(dec, output),
    )


def count_figures(dec: Decomposition, top: tuple[int, int], n_cases: int) -> int:
    """Count the figures of all outputs, about: for a progress bar."""
    mains, pairs = (min(most, sum(len(term) == order for term in dec.terms)) for order, most in enumerate(top, 1))
    return len(dec.output_names) * (7 + mains + 2 * pairs) + 3 * n_cases


def shares_table(shares: Sequence[TermShare]) -> Table | None:
    """List terms that are not drawn; None where there are none."""
    return Table(SHARES_HEAD, tuple(_share_row(share) for share in shares)) if shares else None


def _share_row(share: TermShare) -> tuple[str, ...]:
    bounds = share.total_interval
    known = UNKNOWN if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
    return share.label, percent(share.structural), percent(share.correlative), percent(share.total), known


def _main(rows: Rows, share: TermShare, output: int, gallery: Gallery, beside: Beside | None) -> MainFacts:
    figure = main_effect(rows, share.term, output)
    if beside is not None:
        figure = beside.over(figure, rows.dec, share.term[0], output)
    return MainFacts(share.label, share.total, gallery.hang(figure))


def _pair(rows: Rows, share: TermShare, output: int, gallery: Gallery) -> PairFacts:
    return PairFacts(
        label=share.label,
        share=share.total,
        words=pair_words(rows.dec, share, output),
        surface=gallery.hang(pair_surface(rows, share.term, output)),
        slices=gallery.hang(pair_slices(rows, share.term, output)),
    )


def pair_words(dec: Decomposition, share: TermShare, output: int) -> str:
    """Say how much a pair moves the answers beyond its main effects."""
    size = (share.structural * answer_variance(dec, dec.in_sample, output)) ** 0.5
    first, second = (dec.feature_names[index] for index in share.term)
    return (
        f"Beyond what {first} and {second} do one by one, knowing both moves the answer by {number(size)} up or down "
        "(one standard deviation over the rows)."
    )
