"""The verdict in a sentence, the numbers that decide it, and tables of orthogonality and stability."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anova_report import FunctionalANOVA, explain, measures
from anova_report.core.input.scales import SCALES
from anova_report.measures.status import FEW_ROWS, LEAKAGE, Findings
from anova_report.measures.wording import portions, score
from anova_report.report.audit.sentences import (
    duration,
    measured,
)
from anova_report.report.audit.verdict import (
    MOST_COSINES,
    headlines,
    influential_table,
    leaving_out,
    limits_table,
    orthogonality_table,
    ranks,
    stability_table,
    verdict_words,
)
from tests.report.fits import classes, mixed, published, table


@pytest.fixture(scope="module")
def good() -> Findings:
    return measures.findings(mixed().dec, mixed().X)


def with_status(found: Findings, **statuses: str) -> Findings:
    """Change the status of some findings."""
    return Findings(tuple(replace(item, status=statuses.get(item.code, item.status)) for item in found.items))


def applied(found: Findings) -> int:
    return sum(item.status != "not applicable" for item in found.items)


def test_a_pass_says_that_the_explanation_can_be_relied_on_and_why(good):
    words = verdict_words(mixed().dec, good, 0)
    held_out = measures.fidelity(mixed().dec).held_out
    assert words.startswith(f"The explanation reproduces {portions(held_out)[0]} of the variance of the predictions")
    assert "on rows it has never seen" in words
    assert words.endswith(f"and 14 of {applied(good)} checks passed; 1 could not be tested (leakage).")
    assert verdict_words(mixed().dec, with_status(good, AR005="pass"), 0).endswith("all 15 checks passed.")


def test_a_warning_names_the_checks_that_gave_it(good):
    words = verdict_words(mixed().dec, with_status(good, AR002="warn", AR009="warn"), 0)
    assert f"but 2 of {applied(good)} checks call for caution (fidelity and extrapolation) and 1 of" in words
    assert "checks could not be tested (leakage)." in words


def test_a_failure_names_what_failed_and_not_what_only_warned(good):
    words = verdict_words(mixed().dec, with_status(good, AR004="fail", AR002="warn"), 0)
    assert words.startswith(f"1 of {applied(good)} checks failed (overlap of terms), although the explanation ")


def test_a_verdict_says_what_it_lacks_where_orthogonality_could_not_be_tested(good):
    found = with_status(good, AR004="not tested", AR005="not tested")
    assert found.verdict == "warn"
    assert "but 2 of 15 checks could not be tested (overlap of terms and leakage)." in verdict_words(
        mixed().dec, found, 0
    )
    tile = headlines(mixed().dec, found, 0)[2]
    assert tile.status == "not tested"
    assert tile.words.endswith("so these rows do not decide it.")


def test_where_a_few_rows_decide_the_figure_of_fidelity_says_what_it_rests_on():
    rng = np.random.default_rng(5)
    X = rng.lognormal(sigma=1.5, size=(400, 2))
    predictions = X.sum(axis=1) + X.prod(axis=1) / 10
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, predictions).decomposition_
    found = measures.findings(dec, X)
    fidelity = measures.fidelity(dec)
    assert not fidelity.estimable
    count = f"about {fidelity.rests_on}"
    assert f"a figure that rests on {count}" in verdict_words(dec, found, 0)
    first, second, _ = headlines(dec, found, 0)
    assert (first.value, first.status) == (score(fidelity.held_out), found["AR002"].status)
    assert all(
        count in words for words in (first.words, second.words, found["AR002"].sentence, found["AR012"].sentence)
    )
    listed = influential_table(dec, 0, None).rows
    assert len(listed) == math.ceil(fidelity.deciding_rows)
    assert listed[0][0] == f"row {measures.influential_rows(dec).rows[0].position:,}"
    # The logarithm, which the advice names, is one whose fidelity is estimable.
    assert "logarithm" in found["AR012"].advice
    logged = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, np.log(predictions)).decomposition_
    assert measures.findings(logged)["AR012"].status == "pass"
    assert influential_table(logged, 0, None) is None


def test_predictions_that_never_change_leave_nothing_to_explain():
    X = table(300)
    dec = explain(lambda rows: np.full(len(rows), 2.5), X, progress=False)
    found = measures.findings(dec, X)
    assert verdict_words(dec, found, 0) == "There is nothing to explain. The model predicts 2.5 whatever its inputs."
    assert headlines(dec, found, 0) == ()


def test_the_three_numbers_are_those_of_the_measures(good):
    dec = mixed().dec
    first, second, third = headlines(dec, good, 0)
    fidelity = measures.fidelity(dec)
    reached, unexplained = f"{fidelity.held_out:.3f}", f"{100 * fidelity.unexplained:.1f}%"
    assert (first.label, first.value) == ("Fidelity (R²)", "> 0.999" if reached == "1.000" else reached)
    assert (second.label, second.value) == ("Unexplained", "< 0.1%" if unexplained == "0.0%" else unexplained)
    assert third.label == "Overlap of terms"
    assert third.value == f"{abs(measures.orthogonality(dec, 0).worst.held_out):.3f}"
    assert f"{measures.orthogonality(dec, 0).worst.held_out_floor:.3f}" in third.words


def test_without_interactions_that_count_there_is_no_worst_cosine():
    known = classes()
    dec = FunctionalANOVA(1, random_state=0).fit(known.X, known.predictions).decomposition_
    third = headlines(dec, measures.findings(dec, known.X, 1), 1)[2]
    assert measures.orthogonality(dec, 1).worst is None
    assert (third.value, third.status) == ("–", "not applicable")
    assert "nothing to check" in third.words


def test_an_estimator_without_held_out_rows_says_so():
    fitted = published()
    found = measures.findings(fitted.dec, fitted.X)
    first, _, third = headlines(fitted.dec, found, 0)
    assert first.label == "Fidelity (R²), in sample"
    assert "holds out no rows" in first.words
    assert third.label == "Overlap of terms, in sample"
    assert "on the rows it was fitted to" in verdict_words(fitted.dec, found, 0)
    worst = measures.orthogonality(fitted.dec, 0).worst
    assert worst.judged == (worst.cosine, worst.noise_floor)


def test_every_check_that_has_limits_is_listed_with_them(good):
    listed = {row[0]: row for row in limits_table().rows}
    assert set(listed) == {item.code for item in good.items} - {"AR001"}
    assert listed["AR004"][2:4] == ("beyond 0.050", "beyond 0.200")
    assert listed["AR002"][2:4] == ("beyond 10.0%", "beyond 30.0%")
    assert listed["AR011"][2:4] == ("beyond 1.0%", "never")
    assert listed["AR012"][2:4] == ("below 40 rows, or 1 in 25 under long tails", "never")
    assert listed["AR008"][2:4] == ("beyond 0.700, or shares of 150% in all", "never")


def test_every_relation_of_an_interaction_and_its_parts_is_listed():
    dec = mixed().dec
    rows = orthogonality_table(dec, 0).rows
    wanted = {(dec.label(pair.term), dec.label(pair.part)) for pair in measures.orthogonality(dec).cosines if pair.part}
    assert {row[:2] for row in rows} == wanted
    assert len(rows) <= MOST_COSINES


def test_terms_that_count_come_first_and_then_the_largest_cosines():
    rows = orthogonality_table(mixed().dec, 0).rows
    assert [row[0] for row in rows] == ["income × region"] * 2 + ["age × region"] * 2
    held_out = [abs(float(row[4].replace("−", "-"))) for row in rows]
    assert held_out[0] >= held_out[1]
    assert held_out[2] >= held_out[3]


def test_leaving_out_a_chunk_is_exact_for_an_average():
    # For a mean of equal chunks the first order is all there is.
    chunks = np.random.default_rng(0).normal(size=(8, 25))
    mean = chunks.mean()
    contributions = (chunks - mean).sum(axis=1) / chunks.size
    without = [np.delete(chunks, chunk, axis=0).mean() for chunk in range(8)]
    assert leaving_out(np.array([mean]), contributions[None])[0] == pytest.approx(without)


def test_ranks_count_from_the_largest():
    estimates = np.array([[0.1, 0.9], [0.5, 0.5], [0.3, 0.1]])
    assert ranks(estimates).tolist() == [[2, 0], [0, 1], [1, 2]]


def test_the_table_of_stability_lists_the_largest_shares_first():
    shares = measures.variance_shares(mixed().dec).ranked()
    rows = stability_table(mixed().dec, 0).rows
    assert [row[0] for row in rows] == [share.label for share in shares]


def test_a_share_lies_between_its_lowest_and_its_highest_and_these_within_the_interval():
    for row in stability_table(mixed().dec, 0).rows[:4]:
        low, share, high = (float(row[at].rstrip("%")) for at in (3, 1, 4))
        first, last = (float(bound.rstrip("%")) for bound in row[2].split(" to "))
        assert first <= low <= share <= high <= last


def test_doubled_odds_are_what_the_words_say():
    assert "+0.69 doubles the odds" in SCALES["logit"].words
    assert math.exp(0.69) == pytest.approx(2, abs=0.01)
    assert f"by {math.e:.1f}" in SCALES["logit"].words


def test_the_value_of_a_finding_is_written_as_its_kind_of_number():
    assert measured("AR005", LEAKAGE.warn) == "2.0%"
    assert measured("AR007", FEW_ROWS.warn) == "0.02"
    assert measured("AR004", 0.0004) == "< 0.001"
    assert measured("AR001", 12345.6) == "12,346"
    assert measured("AR002", None) == "–"


@pytest.mark.parametrize(
    ("value", "limit", "texts"), [(0.75, 1.5, ["75.0%", "150.0%"]), (0.8, 0.7, ["0.800", "0.700"])]
)
def test_a_sum_of_shares_and_its_limit_are_written_alike_and_so_is_a_correlation(value, limit, texts):
    assert [measured("AR008", each, limit=limit) for each in (value, limit)] == texts


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 s"),
        (0.999, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (119.7, "2 min 0 s"),
        (3725, "62 min 5 s"),
    ],
)
def test_durations_read_like_durations(seconds, text):
    assert duration(seconds) == text
