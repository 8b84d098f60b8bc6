"""Words and numbers of a page."""

import math

import pytest

from anova_report.measures.findings import FEW_ROWS, LEAKAGE
from anova_report.report.audit.sentences import (
    SCALES,
    duration,
    measured,
)


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
