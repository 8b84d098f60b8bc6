"""Every feature into [-1, 1]: by standardising and tanh, or left as it is and held at the edge."""

import numpy as np
import pytest

from anova_report.core.input.features import Feature
from anova_report.core.published.densities import EDGE_TOLERANCE, Scaling, fit_scaling
from anova_report.errors import InputError

FEATURES = (Feature("age", "numeric"), Feature("pay", "numeric"))


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal([40, 2000], [10, 500], size=(300, 2))


def test_scaling_learnt_on_one_sample_is_reused_on_others():
    X = np.random.default_rng(0).normal(5, 2, size=(1000, 1))
    scaling = fit_scaling(X, (Feature("x", "numeric"),), "tanh")
    expected = np.tanh((9.0 - X.mean()) / X.std())
    assert scaling.apply(np.array([[9.0]])) == pytest.approx(expected)


def test_scaled_rows_lie_inside_and_keep_their_order(rows):
    scaled = fit_scaling(rows, FEATURES, "tanh").apply(rows)
    assert np.abs(scaled).max() < 1
    for feature in range(2):
        np.testing.assert_array_equal(np.argsort(scaled[:, feature]), np.argsort(rows[:, feature]))


def test_the_unit_of_a_feature_does_not_matter(rows):
    changed = rows * [12.0, 0.001] + [-7.0, 1e4]
    ours = fit_scaling(rows, FEATURES, "tanh").apply(rows)
    theirs = fit_scaling(changed, FEATURES, "tanh").apply(changed)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_every_feature_is_scaled_on_its_own(rows):
    alone = fit_scaling(rows[:, 1:], FEATURES[1:], "tanh").apply(rows[:, 1:])
    np.testing.assert_array_equal(fit_scaling(rows, FEATURES, "tanh").apply(rows)[:, 1:], alone)


def test_without_scaling_values_stay_and_later_ones_are_held_at_the_edge():
    fitted = np.array([[-1.0, 0.0], [1.0, 0.5]])
    scaling = fit_scaling(fitted, FEATURES, None)
    np.testing.assert_array_equal(scaling.apply(fitted), fitted)
    assert scaling.apply(np.array([[-3.0, 1.001]])).tolist() == [[-1.0, 1.0]]


def test_rounding_at_the_edge_is_no_reason_to_refuse():
    almost = np.array([[-1.0, 0.0], [1 + EDGE_TOLERANCE / 2, 0.5]])
    assert fit_scaling(almost, FEATURES, None).apply(almost).max() == 1.0


@pytest.mark.parametrize(
    ("value", "words"), [(1.5, r"column 'pay' runs from 0 to 1\.5"), (-2.0, "column 'pay' runs from -2 to 0")]
)
def test_what_lies_outside_is_refused_with_the_columns_range(value, words):
    with pytest.raises(InputError, match=words):
        fit_scaling(np.array([[0.0, 0.0], [1.0, value]]), FEATURES, None)


def test_what_a_scaling_has_learnt_cannot_be_written(rows):
    scaling = fit_scaling(rows, FEATURES, "tanh")
    for array in (scaling.centre, scaling.spread):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    assert Scaling().centre is None
