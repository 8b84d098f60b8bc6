"""Differences in words, on made-up figures."""

import pytest

from benchmarks.differences import FACTOR, PAPER_R2, SAME_R2, against_paper, against_published, summary
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
    ("paper", "ours", "words"),
    [
        (0.1, 0.1 * FACTOR * 0.99, "MaxCorr as in the paper"),
        (0.1, 0.1 / FACTOR * 0.99, "MaxCorr smaller than in the paper"),
        (0.1, 0.3, "MaxCorr larger than in the paper"),
        (0.0, 1e-16, "MaxCorr as in the paper"),
        (0.0, 0.01, "MaxCorr larger than in the paper"),
        (0.1, 0.0, "MaxCorr smaller than in the paper"),
    ],
)
def test_the_largest_cosine_agrees_up_to_a_factor_and_zero_with_zero_only(paper, ours, words):
    row = Row(2, 5, 4, 0.1, 0.85, paper, 0.24)
    found = against_paper(row, figures(max_corr=ours))
    assert words in found.words
    assert found.status == ("pass" if "as in" in words else "warn")


def test_a_fall_on_held_out_rows_is_told_though_the_paper_does_not_look():
    assert "R² 0.050 lower on held-out rows" in against_paper(PAPER, figures(r2=0.85, held_out_r2=0.80)).words
    assert "held-out" not in against_paper(PAPER, figures(r2=0.85, held_out_r2=0.85)).words


def test_cosines_beyond_noise_are_counted():
    assert "1 cosine beyond noise" in against_paper(PAPER, figures(n_above=1)).words
    assert "3 cosines beyond noise" in against_published(figures(), figures(n_above=3)).words


@pytest.mark.parametrize(
    ("gap", "words", "status"),
    [
        (0.1, "Held-out R² 0.100 above the published method", "pass"),
        (SAME_R2 / 2, "Held-out R² as of the published method", "pass"),
        (-SAME_R2 / 2, "Held-out R² as of the published method", "pass"),
        (-0.1, "Held-out R² 0.100 below the published method", "warn"),
    ],
)
def test_ours_is_held_against_the_published_method_on_held_out_rows(gap, words, status):
    found = against_published(figures(r2=1.0), figures(r2=0.0, held_out_r2=0.80 + gap))
    assert found.words.startswith(words)
    assert found.status == status


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.5, "4.0 times as fast"), (2.1, "about as fast"), (6.0, "3.0 times slower")]
)
def test_times_are_compared_within_one_machine(seconds, words):
    assert words in against_published(figures(seconds=2.0), figures(seconds=seconds)).words


def test_without_the_published_method_there_is_nothing_to_compare_with():
    assert against_published(None, figures()).words == "Nothing to compare with yet."


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
