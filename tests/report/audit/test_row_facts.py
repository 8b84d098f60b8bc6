"""What the page says about features and answers."""

import numpy as np
import pytest

from anova_report.core.input.features import UNSEEN, Feature
from anova_report.report.audit.row_facts import answers_summary, feature_summary
from tests.report.fits import mixed

COLOURS = Feature("colour", "nominal", ("blue", "red", "white"))


def test_dates_read_as_dates():
    days = np.array(["2020-01-01", "2020-06-30", "2021-12-31"], dtype="datetime64[s]").astype(float)
    summary = feature_summary(Feature("sold", "datetime"), days)
    assert summary == "2020-01-01 to 2021-12-31, median 2020-06-30"


def test_levels_are_counted_and_the_most_frequent_is_named():
    assert feature_summary(COLOURS, np.array([2.0, 2.0, 0.0, np.nan])) == "2 levels, most often white (66.7%)"
    assert feature_summary(COLOURS, np.array([1.0])) == "1 level, most often red (100.0%)"


def test_levels_that_the_fit_has_not_seen_are_no_levels():
    assert feature_summary(COLOURS, np.array([UNSEEN, 0.0])) == "1 level, most often blue (50.0%)"
    assert feature_summary(COLOURS, np.array([UNSEEN])) == "only levels that the fit has not seen"


@pytest.mark.parametrize("kind", ["numeric", "boolean", "nominal", "datetime"])
def test_a_column_without_a_value_is_always_missing(kind):
    assert feature_summary(Feature("a", kind, ("x",)), np.full(3, np.nan)) == "always missing"


def test_answers_are_summed_up_by_quantiles_mean_and_spread():
    answers = np.array([[0.0], [1.0], [2.0], [3.0], [14.0]])
    summary = answers_summary(mixed().dec, answers, 0)
    assert "from 0 to 14; half of them lie between 1 and 3, around a median of 2" in summary
    assert "mean is 4, their standard deviation 5.1" in summary
