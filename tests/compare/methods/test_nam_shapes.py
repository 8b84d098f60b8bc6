"""A NAM needs torch to be trained, never to be asked."""

import numpy as np
import pytest

from anova_report.compare import NAMRegressor, attribute
from anova_report.core.input.table import open_table, read_features


@pytest.fixture
def trained_elsewhere() -> NAMRegressor:
    """A NAM with weights written by hand: |x0| and 2 |x1|, in standardised units."""
    model = NAMRegressor()
    X = np.random.default_rng(0).normal(size=(100, 2))
    model.features_ = read_features(open_table(X))
    first = (np.array([[[1.0, -1.0]], [[1.0, -1.0]]]), np.zeros((2, 2)))
    last = (np.array([[[1.0], [1.0]], [[2.0], [2.0]]]), np.zeros((2, 1)))
    model._layers, model._centre, model._spread, model._unit = (first, last), np.zeros(2), np.ones(2), 1.0
    model._averages = np.array([0.25, 0.5])
    model.intercept_ = 4.0
    return model


def test_its_own_functions_are_shown_without_torch(trained_elsewhere: NAMRegressor) -> None:
    X = np.random.default_rng(1).normal(size=(50, 2))
    found = attribute("nam", trained_elsewhere, X)
    expected = np.abs(X) * [1.0, 2.0]
    np.testing.assert_allclose(found.contributions, expected - expected.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(trained_elsewhere.predict(X), 4.0 + (expected - [0.25, 0.5]).sum(axis=1), atol=1e-12)
    assert found.note == "All 50 rows."
