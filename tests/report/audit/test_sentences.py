"""Words and numbers of a page."""

import math

import pytest

from anova_report.measures.findings import FEW_ROWS, LEAKAGE
from anova_report.measures.wording import counted
from anova_report.report.audit.sentences import (
    COSINES,
    PLAIN_NUMBERS,
    SCALES,
    duration,
    enumeration,
    measured,
    scale_words,
    whole,
)
from anova_report.report.audit.verdict import LIMITS


@pytest.mark.parametrize("scale", ["identity", "logit", "probability", "margin"])
def test_every_scale_of_an_answer_is_explained(scale):
    assert scale_words(scale) == SCALES[scale]
    assert scale_words(scale).endswith(".")


def test_a_scale_that_nobody_has_described_is_at_least_named():
    assert "dollars" in scale_words("dollars")


def test_doubled_odds_are_what_the_words_say():
    assert "+0.69 doubles the odds" in SCALES["logit"]
    assert math.exp(0.69) == pytest.approx(2, abs=0.01)
    assert f"by {math.e:.1f}" in SCALES["logit"]


def test_the_value_of_a_finding_is_written_as_its_kind_of_number():
    assert measured("AR005", LEAKAGE.warn) == "2.0%"
    assert measured("AR007", FEW_ROWS.warn) == "0.02"
    assert measured("AR004", 0.0004) == "< 0.001"
    assert measured("AR001", 12345.6) == "12,346"
    assert measured("AR002", None) == "–"


def test_codes_that_are_not_shares_are_codes_of_findings():
    assert set(COSINES) <= set(LIMITS)
    assert set(PLAIN_NUMBERS) <= set(LIMITS) | {"AR001"}


def test_words_are_joined_as_one_speaks():
    assert enumeration(()) == ""
    assert enumeration(("a", "b", "c", "d")) == "a, b, c and d"


def test_counts_have_separators_and_the_right_noun():
    assert whole(1234567) == "1,234,567"
    assert counted(0, "row", "rows") == "0 rows"
    assert counted(1, "row", "rows") == "1 row"


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
