import math

import numpy as np
import pytest
from anova_report.figures.columns import Rows, scatter_figure

from anova_report.explorer.views import ProbabilityRows, probability, probability_words
from anova_report.measures.local import Explanation
from tests.explorer import examples


@pytest.fixture(scope="module")
def rows() -> Rows:
    return examples.logits().state().rows


def test_points_are_the_probabilities_of_the_model_itself(rows):
    example = examples.logits()
    data = scatter_figure(ProbabilityRows.from_logits(rows)).data
    expected = example.model.predict_proba(example.X)[list(data.rows), 1]
    np.testing.assert_allclose(data.value, expected, atol=1e-4)
    np.testing.assert_allclose(data.at, expected, atol=0.02)  # its logits are additive, so the explanation is right


def test_the_axes_speak_of_probabilities(rows):
    figure = scatter_figure(ProbabilityRows.from_logits(rows))
    assert figure.data.y.label == "probability"
    assert figure.data.x.label == "explanation of the probability"


def test_only_the_whole_of_an_explanation_becomes_a_probability(rows):
    logits = rows.explanation(3, 0)
    found = ProbabilityRows.from_logits(rows).explanation(3, 0)
    assert found.explained == pytest.approx(1 / (1 + math.exp(-logits.explained)))
    assert (found.mean, found.contributions) == (logits.mean, logits.contributions)


def test_rows_without_answers_have_none_as_probabilities_either():
    assert ProbabilityRows.from_logits(examples.logits().state(answered=False).rows).answers is None


@pytest.mark.parametrize("logit", [-800.0, 0.0, 800.0])
def test_extreme_logits_stay_within_zero_and_one(logit):
    assert probability(logit) == pytest.approx(0.5 + 0.5 * np.sign(logit))


def test_the_way_of_a_row_is_told_in_probabilities():
    found = Explanation(0.0, (), math.log(3), math.log(9), math.log(3), ())
    assert (
        probability_words(found) == "As probabilities: from 50.0% at the mean to 75.0% explained; the answer is 90.0%."
    )
