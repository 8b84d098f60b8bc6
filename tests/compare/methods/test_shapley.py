"""One form for the many in which shap gives its values."""

import numpy as np
import pytest

from anova_report.compare.methods.request import make_request
from anova_report.compare.methods.shapley import one_output
from anova_report.errors import InputError
from tests.compare.methods.test_request import TwoClasses

X = np.random.default_rng(0).normal(size=(4, 2))
ONE, THREE = np.arange(8.0).reshape(4, 2, 1), np.arange(24.0).reshape(4, 2, 3)


class ThreeClasses:
    classes_ = np.array([10, 20, 30])

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        return np.full((len(rows), 3), [0.2, 0.3, 0.5])


def test_the_first_of_two_classes_is_the_negative_of_the_second() -> None:
    second, first = (one_output(make_request(TwoClasses(), X, output=name), ONE, [0.5]) for name in ("yes", "no"))
    np.testing.assert_array_equal(first[0], -second[0])
    assert (first[1], second[1]) == (-0.5, 0.5)


def test_of_several_classes_the_one_that_was_asked_for_is_chosen() -> None:
    values, base = one_output(make_request(ThreeClasses(), X, output=20), THREE, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(values, THREE[:, :, 1])
    assert base == 2.0


def test_of_several_columns_without_classes_the_position_is_chosen_and_must_be_given() -> None:
    request = make_request(lambda rows: np.hstack([rows, rows[:, :1]]), X, output=2)
    np.testing.assert_array_equal(one_output(request, THREE, [1.0, 2.0, 3.0])[0], THREE[:, :, 2])
    with pytest.raises(InputError, match="3 outputs"):
        one_output(make_request(lambda rows: rows[:, 0], X), THREE, [1.0, 2.0, 3.0])
