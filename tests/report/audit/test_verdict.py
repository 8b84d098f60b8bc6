"""The verdict in a sentence, and the three numbers that decide it."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import explain, measures
from anova_report.measures.findings import Findings
from anova_report.report.audit.verdict import (
    headlines,
    limits_table,
    verdict_words,
)
from tests.report.fits import classes, mixed, published, table


@pytest.fixture(scope="module")
def good() -> Findings:
    return measures.findings(mixed().dec, mixed().X)


def with_status(found: Findings, **statuses: str) -> Findings:
    """Change the status of some findings."""
    return Findings(tuple(replace(item, status=statuses.get(item.code, item.status)) for item in found.items))


def test_a_pass_says_that_the_explanation_can_be_relied_on_and_why(good):
    words = verdict_words(mixed().dec, good, 0)
    held_out = measures.fidelity(mixed().dec).held_out
    assert words.startswith("This explanation can be relied on: on rows it has never seen")
    assert f"{100 * held_out:.1f}% of the variance" in words
    assert words.endswith("all 9 checks passed.")


def test_a_warning_names_the_checks_that_gave_it(good):
    words = verdict_words(mixed().dec, with_status(good, AR002="warn", AR009="warn"), 0)
    assert words.startswith("Use this explanation with care")
    assert "2 of 9 checks (fidelity and support) gave a warning" in words


def test_a_failure_names_what_failed_and_not_what_only_warned(good):
    words = verdict_words(mixed().dec, with_status(good, AR004="fail", AR002="warn"), 0)
    assert words.startswith("Do not rely on this explanation")
    assert "1 of 9 checks (orthogonality) failed" in words


def test_answers_that_never_change_leave_nothing_to_explain():
    X = table(300)
    dec = explain(lambda rows: np.full(len(rows), 2.5), X, progress=False)
    found = measures.findings(dec, X)
    assert verdict_words(dec, found, 0) == "There is nothing to explain. The model answers 2.5 whatever its inputs."
    assert headlines(dec, found, 0) == ()


def test_the_three_numbers_are_those_of_the_measures(good):
    dec = mixed().dec
    first, second, third = headlines(dec, good, 0)
    fidelity = measures.fidelity(dec)
    assert (first.label, first.value) == ("Held-out fidelity", f"{fidelity.held_out:.3f}")
    assert (second.label, second.value) == ("Unexplained share", f"{100 * fidelity.unexplained:.1f}%")
    assert third.label == "Worst held-out orthogonality"
    assert third.value.replace("−", "-") == f"{measures.orthogonality(dec, 0).worst.held_out:.3f}"
    assert f"{measures.orthogonality(dec, 0).worst.held_out_floor:.3f}" in third.words


def test_without_interactions_that_count_there_is_no_worst_cosine():
    dec, X = classes().dec, classes().X
    third = headlines(dec, measures.findings(dec, X, 1), 1)[2]
    assert measures.orthogonality(dec, 1).worst is None
    assert (third.value, third.status) == ("–", "not applicable")
    assert "nothing to check" in third.words


def test_an_estimator_without_held_out_rows_says_so():
    fitted = published()
    found = measures.findings(fitted.dec, fitted.X)
    first, _, third = headlines(fitted.dec, found, 0)
    assert first.label == "Fidelity, in sample"
    assert "holds out no rows" in first.words
    assert third.label == "Worst orthogonality"
    assert "on the rows it was fitted to" in verdict_words(fitted.dec, found, 0)
    worst = measures.orthogonality(fitted.dec, 0).worst
    assert worst.judged == (worst.cosine, worst.noise_floor)


def test_every_check_that_has_limits_is_listed_with_them(good):
    listed = {row[0]: row for row in limits_table().rows}
    assert set(listed) == {item.code for item in good.items} - {"AR001"}
    assert listed["AR004"][2:4] == ("0.050", "0.200")
    assert listed["AR002"][2:4] == ("10.0%", "30.0%")
