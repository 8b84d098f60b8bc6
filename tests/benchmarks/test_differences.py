"""Differences in words, on made-up figures."""

import pytest

from benchmarks.differences import PAPER_R2, SAME_R2, against_paper, against_published, summary
from benchmarks.paper import Row
from tests.benchmarks.figures import entry, figures, finished

PAPER = Row(2, 5, 4, 0.1, 0.85, 0.1, 0.24)


@pytest.mark.parametrize(
    ("r2", "words"),
    [
        (0.85, "R² as in the paper"),
        (0.85 + PAPER_R2 / 2, "R² as in the paper"),
        (0.91, "R² 0.06 above the paper"),
        (0.80, "R² 0.05 below the paper"),
    ],
)
def test_r2_agrees_with_the_paper_up_to_its_two_digits(r2, words):
    found = against_paper(PAPER, figures(r2=r2, held_out_r2=r2))
    assert found.words.startswith(words)
    assert found.status == ("pass" if "as in" in words else "warn")


@pytest.mark.parametrize(
    ("gap", "words", "status"),
    [
        (0.1, "Held-out R² 0.100 above the published method", "pass"),
        (SAME_R2 / 2, "Held-out R² as of the published method", "pass"),
        (-SAME_R2 / 2, "Held-out R² as of the published method", "pass"),
        (-0.1, "Held-out R² 0.100 below the published method", "warn"),
    ],
)
def test_ours_is_compared_with_the_published_method_on_held_out_rows(gap, words, status):
    found = against_published(figures(r2=1.0), figures(r2=0.0, held_out_r2=0.80 + gap))
    assert found.words.startswith(words)
    assert found.status == status


def test_the_summary_counts_finished_rows_only():
    rows = [
        finished(ours_held_out_r2=0.9, ours_seconds=1.0),
        finished(published_r2=0.5, ours_held_out_r2=0.7),
        finished("superconductivity", ours_held_out_r2=0.801, published_r2=0.86),
        entry(ours=figures()),
    ]
    first, second, third = summary(rows)
    assert first.endswith("(within 0.015) in 2 of 3 finished rows.")
    assert "in 1 of 3 finished rows, as closely in 1, and less closely in 1." in second
    assert third == (
        "Our default takes less time in 1 of 3 finished rows, and in 1 of the 2 in which the published method looks "
        "for pairs, as ours always does."
    )
    assert summary([entry()]) == []
