"""The methods by name: what they state, and how they are asked."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anova_report import explain
from anova_report.compare import METHODS, Attribution, attribute, find_method
from anova_report.compare.methods.registry import centered
from anova_report.core.input.features import Feature
from anova_report.errors import InputError, ModelError, UnknownTermError
from tests.compare.conftest import Case

SHAPLEY = {"treeshap", "treeshap-interventional", "kernelshap", "deepshap"}
MAIN = {"treehfd", "ebm", "nam", "pdp", "ale"}


class TwoClasses:
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, rows: Any) -> Any:
        logit = np.asarray(rows)[:, 0] ** 2
        return np.column_stack([1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))])


def test_all_documented_methods_are_there_with_their_counterparts() -> None:
    assert {name for name, method in METHODS.items() if method.counterpart == "ANOVA-Shapley value"} == SHAPLEY
    assert {name for name, method in METHODS.items() if method.counterpart == "main effect"} == MAIN


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no method 'lime'.*'treeshap'.*'ale'"):
        find_method("lime")


def test_an_unknown_setting_is_refused_with_those_there_are() -> None:
    X = np.ones((5, 1))
    with pytest.raises(
        InputError, match="Partial dependence has no setting 'bins'; its settings are 'background', 'points'"
    ):
        attribute("pdp", len, X, bins=3)
    with pytest.raises(InputError, match="TreeSHAP, path-dependent has no setting 'bins'; it has none"):
        attribute("treeshap", len, X, bins=3)


@pytest.mark.parametrize("method", ["pdp", "ale"])
def test_the_budget_is_obeyed_the_draw_seeded_and_the_note_says_so(method: str, independent: Case) -> None:
    first, again = (attribute(method, independent.model, independent.X, max_rows=50) for _ in range(2))
    other = attribute(method, independent.model, independent.X, max_rows=50, random_state=1)
    assert first.contributions.shape == first.values.shape == (50, 3)
    assert first.note.startswith("50 of 1,500 rows.")
    np.testing.assert_array_equal(first.contributions, again.contributions)
    assert first.rows.tolist() != other.rows.tolist()
    np.testing.assert_array_equal(first.values, independent.X[first.rows])


@pytest.mark.parametrize("method", ["pdp", "ale"])
def test_the_form_of_the_table_does_not_matter(method: str, independent: Case) -> None:
    names = ["a", "b", "c"]
    frame = pd.DataFrame(independent.X[:200], columns=names)
    arrays = attribute(method, independent.model, independent.X[:200]).contributions
    for table in (frame, pl.from_pandas(frame)):
        found = attribute(method, lambda rows: independent.model(rows.to_numpy()), table)
        assert found.feature_names == ("a", "b", "c")
        np.testing.assert_allclose(found.contributions, arrays, atol=1e-12)


def test_scale_and_class_follow_the_decomposition() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = explain(TwoClasses(), X, scale="probability", output="no", progress=False, max_order=1)
    found = attribute("ale", TwoClasses(), X, like=dec)
    assert (found.scale, found.output) == ("probability", "no")
    plain = attribute("ale", TwoClasses(), X)
    assert (plain.scale, plain.output) == ("logit", "yes")


def test_a_model_that_fails_is_reported_as_such(independent: Case) -> None:
    def broken(_: Any) -> Any:
        raise RuntimeError("no licence")

    with pytest.raises(ModelError, match="no licence"):
        attribute("pdp", broken, independent.X)


def test_a_table_that_does_not_fit_the_decomposition_is_refused_before_any_method_runs(independent: Case) -> None:
    with pytest.raises(InputError, match="expecting 3 features"):
        attribute("kernelshap", independent.model, independent.X[:, :2], like=independent.dec)


def test_centering_looks_at_what_is_known_only() -> None:
    found = centered(np.array([[1.0, np.nan, 5.0], [3.0, np.nan, np.nan], [np.nan, np.nan, 7.0]]))
    np.testing.assert_array_equal(found, [[-1.0, np.nan, -1.0], [1.0, np.nan, np.nan], [np.nan, np.nan, 1.0]])


@pytest.fixture
def found() -> Attribution:
    return Attribution(
        method="pdp",
        title="Partial dependence",
        features=(Feature("age", "numeric"), Feature("town", "nominal", ("Oslo", "Rome"))),
        rows=np.array([4, 9]),
        values=np.array([[30.0, 1.0], [40.0, np.nan]]),
        contributions=np.array([[-1.0, 0.5], [1.0, -0.5]]),
        output="prediction",
        scale="identity",
        counterpart="main effect",
    )


def test_the_frame_has_one_line_per_feature_and_row(found: Attribution) -> None:
    frame = found.frame()
    assert frame["feature"] == ["age", "age", "town", "town"]
    assert frame["row"] == [4, 9, 4, 9]
    assert frame["value"][:3] == [30.0, 40.0, 1.0]
    assert frame["contribution"] == [-1.0, 1.0, 0.5, -0.5]


def test_an_unknown_feature_is_refused_with_those_there_are(found: Attribution) -> None:
    with pytest.raises(UnknownTermError, match=r"no feature 'size'.*'age', 'town'"):
        found.column("size")
