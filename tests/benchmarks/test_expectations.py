"""Expectations on functions known on paper: none is said to hold, or to be violated, against the truth."""

from benchmarks.expectations import CASES, measure, wrong_shares

CHOSEN = [case for case in CASES if case.name in ("bowl", "dip, tied")]


def test_nothing_is_said_against_the_truth():
    counts = measure(CHOSEN, samples=2, n_rows=300)
    assert {answer: wrong for answer, (wrong, _) in wrong_shares(CHOSEN, counts).items()} == {"holds": 0, "violated": 0}
    said = [found.get("holds", 0) + found.get("violated", 0) for found in counts.values()]
    assert sum(said) > 0.6 * 2 * len(counts)
