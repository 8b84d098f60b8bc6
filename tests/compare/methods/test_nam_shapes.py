"""The method "nam": any model that exposes its shape functions is read, without a library of networks."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report.compare import ShapeFunctions, attribute
from anova_report.errors import InputError, InputTypeError


class Additive:
    """4 + |a| + 2 |b|, with the functions centered by hand; knows its columns by name."""

    intercept_ = 4.0
    feature_names_in_ = np.array(["a", "b"])

    def shape_functions(self, X: Any) -> np.ndarray:
        return np.abs(X[["a", "b"]].to_numpy()) * [1.0, 2.0] - [0.25, 0.5]

    def predict(self, X: Any) -> np.ndarray:
        return self.intercept_ + self.shape_functions(X).sum(axis=1)


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).normal(size=(50, 2)), columns=["a", "b"])


@pytest.mark.parametrize("columns", [["a", "b"], ["b", "a"]])
def test_functions_are_shown_for_the_columns_they_belong_to(frame: pd.DataFrame, columns: list[str]) -> None:
    assert isinstance(Additive(), ShapeFunctions)
    found = attribute("nam", Additive(), frame[columns])
    for name, slope in (("a", 1.0), ("b", 2.0)):
        expected = slope * np.abs(frame[name])
        np.testing.assert_allclose(found.column(name)[1], expected - expected.mean(), atol=1e-12)
    assert found.note == "All 50 rows."


def test_a_model_that_is_no_such_sum_is_refused(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputTypeError, match=r"has shape_functions\(X\).*got a function\. Use ebm"):
        attribute("nam", lambda rows: rows["a"], frame)
    monkeypatch.setattr(Additive, "predict", lambda _, X: 3 * X["a"].to_numpy())
    with pytest.raises(InputError, match="A NAM explains what is inside the model"):
        attribute("nam", Additive(), frame)
    monkeypatch.setattr(Additive, "shape_functions", lambda _, X: X["a"].to_numpy())
    with pytest.raises(InputError, match=r"must return an array of shape \(50, 2\); got \(50,\)"):
        attribute("nam", Additive(), frame)
