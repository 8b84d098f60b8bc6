"""The models of the paper's tables: trained as it says, answering with numbers or logits."""

import numpy as np
import pytest
from scipy.special import expit

from tests.benchmarks.stand_ins import small_dataset

models = pytest.importorskip("benchmarks.models", reason="needs xgboost, of the extra `bench`")


@pytest.fixture(scope="module", params=["california_housing", "diabetes"])
def trained(request):
    loaded = small_dataset(request.param)
    return loaded, models.train_xgboost(loaded)


def test_numbers_are_answered_as_predicted_and_classes_by_their_logit(trained):
    loaded, blackbox = trained
    if loaded.dataset.positive is None:
        assert type(blackbox.model).__name__ == "XGBRegressor"
        np.testing.assert_array_equal(blackbox.answers, blackbox.model.predict(loaded.numbers))
    else:
        assert type(blackbox.model).__name__ == "XGBClassifier"
        probability = blackbox.model.predict_proba(loaded.numbers)[:, 1]
        np.testing.assert_allclose(expit(blackbox.answers), probability, atol=1e-6)


def test_every_row_is_answered_and_four_fifths_are_learnt(trained):
    loaded, blackbox = trained
    assert blackbox.answers.shape == (200,)
    assert blackbox.answers.dtype == np.float64
    agreement = np.corrcoef(blackbox.answers, loaded.y)[0, 1]
    assert agreement > 0.7


def test_the_settings_are_the_papers(trained):
    _, blackbox = trained
    settings = blackbox.model.get_params()
    assert (settings["n_estimators"], settings["max_depth"], settings["learning_rate"]) == (100, 10, 0.05)
    assert {name: settings[name] for name in models.XGBOOST} == models.XGBOOST
    assert blackbox.model.best_iteration < 100


def test_training_again_gives_the_same_answers(trained):
    loaded, blackbox = trained
    np.testing.assert_array_equal(models.train_xgboost(loaded).answers, blackbox.answers)
