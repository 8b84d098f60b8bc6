"""What every estimator here owes to scikit-learn: settings as given, one fit at a time, answers of the right shape."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from anova_report import Decomposition, FunctionalANOVA
from anova_report.core.estimator import AnovaRegressor
from anova_report.core.input.predictions import Answers
from anova_report.core.input.table import Sample
from anova_report.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(200, 3))
FRAME = pd.DataFrame(X, columns=["age", "hours", "pay"])
ANSWERS = X[:, 0] + X[:, 1] * X[:, 2]
BOTH = np.column_stack([ANSWERS, 10 * X[:, 2]])


def published(**settings: Any) -> AnovaRegressor:
    return FunctionalANOVA.published(**{"K": 2, "d": 2, "d_density": 1, "scaling": None, **settings})


@pytest.mark.parametrize("answers", [ANSWERS, BOTH, ANSWERS[:, None]], ids=["one", "two", "one column"])
def test_predictions_are_those_of_the_decomposition_in_the_shape_of_the_answers(answers):
    estimator = published().fit(X, answers)
    assert estimator.predict(X).shape == answers.shape
    np.testing.assert_array_equal(estimator.predict(X), estimator.decomposition_.predict(X))


def test_a_second_fit_forgets_the_first():
    two_columns = FRAME[["pay", "age"]]
    again = published().fit(FRAME, ANSWERS).fit(two_columns, BOTH)
    assert again.n_features_in_ == 2
    assert again.feature_names_in_.tolist() == ["pay", "age"]
    alone = published().fit(two_columns, BOTH)
    np.testing.assert_array_equal(again.predict(two_columns), alone.predict(two_columns))


@pytest.mark.parametrize("estimator", [FunctionalANOVA(max_order=1, random_state=0), published(K=1)])
def test_a_wrong_number_of_columns_is_told_with_the_estimators_name(estimator):
    estimator.fit(X[:60], ANSWERS[:60])
    words = f"X has 2 features, but {type(estimator).__name__} is expecting 3 features"
    with pytest.raises(InputError, match=words):
        estimator.predict(X[:, :2])


def test_an_estimator_is_a_step_of_a_pipeline_and_can_be_cross_validated():
    pipeline = make_pipeline(StandardScaler(), published(scaling="tanh", d=4))
    assert cross_val_score(pipeline, X, ANSWERS, cv=3).min() > 0.9


class Recording(AnovaRegressor):
    """An estimator that only writes down what it was given."""

    def __init__(self, *, seen: list | None = None) -> None:
        self.seen = seen

    def decompose(self, sample: Sample, answers: Answers) -> Decomposition:
        self.seen.append((sample, answers))
        return published(K=1).decompose(sample, answers)


def test_an_estimator_of_ones_own_gets_rows_and_answers_that_have_been_read():
    seen: list[tuple[Sample, Answers]] = []
    estimator = Recording(seen=seen).fit(FRAME, pd.Series(ANSWERS, name="claim"))
    ((sample, answers),) = seen
    np.testing.assert_array_equal(sample.values, X)
    assert [feature.name for feature in sample.features] == ["age", "hours", "pay"]
    assert answers.names == ("claim",)
    assert estimator.decomposition_.output_names == ("claim",)
