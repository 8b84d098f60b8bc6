"""Measures against hand-made decompositions and against their definitions on rows."""

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.errors import InputError
from tests.ground_truth import FGM


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return FGM.draw(3000, np.random.default_rng(5))


@pytest.fixture(scope="module")
def predictions(X) -> np.ndarray:
    return FGM.predictions(X) + X[:, 2]


@pytest.fixture(scope="module")
def dec(X, predictions) -> Decomposition:
    return FunctionalANOVA.published(K=2, d=5, d_density=2, scaling=None).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def two_outputs(X, predictions) -> Decomposition:
    both = np.column_stack([predictions, X[:, 0]])
    return FunctionalANOVA.published(K=1, d=5, d_density=2, scaling=None).fit(X, both).decomposition_


def test_shares_are_variances_and_covariances_over_the_variance_of_the_predictions(dec, X, predictions):
    components = dec.components(X)
    for index, share in enumerate(measures.variance_shares(dec).terms):
        own = components[:, index]
        rest = predictions - own
        assert share.structural == pytest.approx(own.var() / predictions.var(), abs=1e-10)
        assert share.correlative == pytest.approx(np.cov(own, rest, bias=True)[0, 1] / predictions.var(), abs=1e-10)


def test_unexplained_is_the_covariance_of_residual_and_predictions(dec, X, predictions):
    residual = predictions - dec.predict(X)
    expected = np.cov(residual, predictions, bias=True)[0, 1] / predictions.var()
    assert measures.variance_shares(dec).unexplained == pytest.approx(expected, abs=1e-10)


def test_feature_totals_are_covariances_of_shapley_values_with_the_predictions(dec, X, predictions):
    shapley = dec.shapley(X)
    for index, total in enumerate(measures.feature_totals(dec).features):
        expected = np.cov(shapley[:, index], predictions, bias=True)[0, 1] / predictions.var()
        assert total.share == pytest.approx(expected, abs=1e-10)


def test_one_output_of_several_is_chosen_by_name_or_position(two_outputs):
    by_name = measures.fidelity(two_outputs, output="prediction 1")
    assert by_name == measures.fidelity(two_outputs, output=1)
    assert by_name.in_sample == pytest.approx(1)
    assert measures.variance_shares(two_outputs, 1).ranked()[0].term == (0,)


@pytest.mark.parametrize("measure", [measures.fidelity, measures.variance_shares, measures.orthogonality])
def test_an_unclear_choice_of_output_is_refused(two_outputs, measure):
    with pytest.raises(InputError, match="Choose one of the outputs 'prediction 0', 'prediction 1'; got None"):
        measure(two_outputs)
    with pytest.raises(InputError, match="got 'third'"):
        measure(two_outputs, output="third")
