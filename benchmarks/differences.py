"""Differences in words: the published method by us against the paper, and our default against the published method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anova_report.measures.wording import counted
from benchmarks.experiments import Figures
from benchmarks.paper import Row
from benchmarks.reproduction import Entry

Status: TypeAlias = Literal["pass", "warn"]

PAPER_R2 = 0.015  # the paper gives two digits, and a model trained by another version predictions a little differently
SAME_R2 = 0.005  # smaller differences on held-out rows are of no consequence
FACTOR = 2.0  # MaxCorr is the largest of many, and moves by so much between two runs
ZERO = 1e-6  # what rounding leaves of a cosine that is zero
FASTER = 1.2


@dataclass(frozen=True)
class Difference:
    """A difference: whether it is as hoped for, and how it reads."""

    status: Status
    words: str


def against_paper(paper: Row, found: Figures) -> Difference:
    """Compare the published method, run by us, with what the paper says."""
    close = abs(found.r2 - paper.r2) <= PAPER_R2
    alike = _alike(paper.max_corr, found.max_corr)
    size = f"{abs(found.r2 - paper.r2):.2f}"
    r2 = "R² as in the paper" if close else f"R² {size} {'above' if found.r2 > paper.r2 else 'below'} the paper"
    larger = "larger" if found.max_corr > paper.max_corr else "smaller"
    corr = "MaxCorr as in the paper" if alike else f"MaxCorr {larger} than in the paper"
    fall = found.r2 - found.held_out_r2
    lower = f"; R² {fall:.3f} lower on held-out rows" if fall > SAME_R2 else ""
    return Difference("pass" if close and alike else "warn", f"{r2}, {corr}{lower}{_beyond(found)}.")


def against_published(published: Figures | None, found: Figures) -> Difference:
    """Compare our default with the published method, on held-out rows."""
    if published is None:
        return Difference("pass", f"Nothing to compare with yet{_beyond(found)}.")
    gap = found.held_out_r2 - published.held_out_r2
    if abs(gap) <= SAME_R2:
        r2 = "Held-out R² as of the published method"
    else:
        r2 = f"Held-out R² {abs(gap):.3f} {'above' if gap > 0 else 'below'} the published method"
    return Difference(
        "pass" if gap >= -SAME_R2 else "warn", f"{r2}, {_speed(published.seconds, found.seconds)}{_beyond(found)}."
    )


def summary(entries: Sequence[Entry]) -> list[str]:
    """Summarize the finished rows in a few sentences."""
    rows = [(entry.paper, entry.published, entry.ours) for entry in entries if entry.published and entry.ours]
    if not rows:
        return []
    total = counted(len(rows), "finished row", "finished rows")
    close = sum(abs(published.r2 - paper.r2) <= PAPER_R2 for paper, published, _ in rows)
    gaps = [ours.held_out_r2 - published.held_out_r2 for _, published, ours in rows]
    better, worse = sum(gap > SAME_R2 for gap in gaps), sum(gap < -SAME_R2 for gap in gaps)
    faster = [(paper.K > 1, ours.seconds < published.seconds) for paper, published, ours in rows]
    with_pairs = [quick for pairs, quick in faster if pairs]
    return [
        f"The published method, run by us, has the paper's R² (within {PAPER_R2:g}) in {close} of {total}.",
        "On rows that no fit has seen, our default follows the model more closely than the published method in "
        f"{better} of {total}, as closely in {len(rows) - better - worse}, and less closely in {worse}.",
        f"Our default takes less time in {sum(quick for _, quick in faster)} of {total}, and in {sum(with_pairs)} of "
        f"the {len(with_pairs)} in which the published method looks for pairs, as ours always does.",
    ]


def _alike(paper: float, found: float) -> bool:
    if max(paper, found) < ZERO:
        return True
    return paper > ZERO and found > ZERO and 1 / FACTOR <= found / paper <= FACTOR


def _speed(theirs: float, own: float) -> str:
    if own * FASTER < theirs:
        return f"{theirs / own:.1f} times as fast"
    return f"{own / theirs:.1f} times slower" if theirs * FASTER < own else "about as fast"


def _beyond(found: Figures) -> str:
    """Say that cosines on held-out rows are more than noise, if any is."""
    return f"; {counted(found.n_above, 'cosine', 'cosines')} beyond noise on held-out rows" if found.n_above else ""
