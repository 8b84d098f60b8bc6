"""Every feature into [-1, 1]: by standardising and tanh, or left as it is and held at the edge."""

import numpy as np
import pytest

from anova_report.core.arrays import ROUNDING
from anova_report.core.input.features import Feature
from anova_report.core.published.densities import fit_scaling
from anova_report.errors import InputError

FEATURES = (Feature("age", "numeric"), Feature("pay", "numeric"))


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal([40, 2000], [10, 500], size=(300, 2))


def test_the_unit_of_a_feature_does_not_matter(rows):
    changed = rows * [12.0, 0.001] + [-7.0, 1e4]
    ours = fit_scaling(rows, FEATURES, "tanh").apply(rows)
    theirs = fit_scaling(changed, FEATURES, "tanh").apply(changed)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_without_scaling_values_stay_and_later_ones_are_held_at_the_edge():
    fitted = np.array([[-1.0, 0.0], [1.0, 0.5]])
    scaling = fit_scaling(fitted, FEATURES, None)
    np.testing.assert_array_equal(scaling.apply(fitted), fitted)
    assert scaling.apply(np.array([[-3.0, 1.001]])).tolist() == [[-1.0, 1.0]]


def test_rounding_at_the_edge_is_no_reason_to_refuse():
    almost = np.array([[-1.0, 0.0], [1 + ROUNDING / 2, 0.5]])
    assert fit_scaling(almost, FEATURES, None).apply(almost).max() == 1.0


@pytest.mark.parametrize(
    ("value", "words"), [(1.5, r"column 'pay' runs from 0 to 1\.5"), (-2.0, "column 'pay' runs from -2 to 0")]
)
def test_what_lies_outside_is_refused_with_the_columns_range(value, words):
    with pytest.raises(InputError, match=words):
        fit_scaling(np.array([[0.0, 0.0], [1.0, value]]), FEATURES, None)
