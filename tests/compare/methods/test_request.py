"""What methods are given: rows within budget, always the same, and a model asked in its own way."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report.compare.methods.request import make_request
from anova_report.errors import InputError
from tests.compare.conftest import Case, line_and_product

X = np.random.default_rng(0).normal(size=(200, 3))


class TwoClasses:
    """A model of two classes whose logit of "yes" is the first column."""

    classes_ = np.array(["no", "yes"])

    def predict_proba(self, rows: Any) -> Any:
        logit = np.asarray(rows)[:, 0]
        return np.column_stack([1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))])


def test_no_more_rows_are_drawn_than_the_budget_allows() -> None:
    request = make_request(line_and_product, X, max_rows=17)
    assert len(request.rows) == len(set(request.rows.tolist())) == 17
    assert (np.diff(request.rows) > 0).all()
    np.testing.assert_array_equal(request.values, X[request.rows])


def test_the_model_is_asked_about_the_drawn_rows_only() -> None:
    asked: list[int] = []

    def counting(rows: Any) -> Any:
        asked.append(len(rows))
        return rows[:, 0]

    request = make_request(counting, X, max_rows=17)
    np.testing.assert_allclose(request.predictions.values[:, 0], X[request.rows, 0])
    assert sum(asked) == 17


@pytest.mark.parametrize("value", [0, -3, 2.5, "10"])
def test_budgets_that_are_no_counts_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match="max_rows must be a whole number of at least 1"):
        make_request(line_and_product, X, max_rows=value)
    with pytest.raises(InputError, match="background must be a whole number of at least 1"):
        make_request(line_and_product, X).background(value)


def test_scale_and_codes_of_levels_follow_the_decomposition(mixed: Case) -> None:
    few = mixed.X[mixed.X["color"] == "red"]
    request = make_request(mixed.model, few, mixed.dec)
    red = mixed.dec.features[0].levels.index("red")
    assert set(request.values[:, 0].tolist()) == {float(red)}
    assert request.scale == "logit"


def test_columns_are_matched_by_name_and_reported_in_the_order_of_the_table(mixed: Case) -> None:
    request = make_request(mixed.model, mixed.X[["age", "day", "color"]], mixed.dec)
    assert [feature.name for feature in request.features] == ["age", "day", "color"]
    np.testing.assert_array_equal(request.values[:, 0], mixed.X["age"])


def test_other_columns_than_those_of_the_decomposition_are_refused(mixed: Case) -> None:
    request = make_request(mixed.model, mixed.X.rename(columns={"age": "years"}), mixed.dec)
    with pytest.raises(InputError, match="age"):
        _ = request.values


def test_of_two_classes_the_second_is_explained_and_the_first_has_the_opposite_sign() -> None:
    second, first = (make_request(TwoClasses(), X, output=output) for output in (None, "no"))
    assert (second.predictions.names, second.sign) == (("yes",), 1.0)
    assert (first.predictions.names, first.sign) == (("no",), -1.0)
    np.testing.assert_allclose(first.predictions.values, -second.predictions.values)


def test_a_model_of_several_outputs_must_be_asked_for_one() -> None:
    def three(rows: Any) -> Any:
        return np.asarray(rows)

    with pytest.raises(InputError, match="3 outputs"):
        _ = make_request(three, X).predictions
    np.testing.assert_array_equal(make_request(three, X, output=2).predictions.values[:, 0], X[:, 2])


def test_sums_that_are_not_the_predictions_are_noticed() -> None:
    request = make_request(TwoClasses(), X)
    request.require_sum(request.predictions.values[:, 0] + 1e-4, "A method")
    with pytest.raises(InputError, match=r"A method explains what is inside the model.*Try scale='probability'"):
        request.require_sum(1 / (1 + np.exp(-X[:, 0])), "A method")


def test_rows_are_written_as_numbers_where_they_are_numbers_and_refused_where_not(mixed: Case) -> None:
    frame = pd.DataFrame({"flag": [True, False], "size": [1, 2]})
    numbers = make_request(lambda rows: rows["size"], frame).numbers(np.array([0, 1]), "A method")
    assert numbers.tolist() == [[1.0, 1.0], [0.0, 2.0]]
    with pytest.raises(InputError, match=r"A method takes columns of numbers only.*'color', 'day'"):
        make_request(mixed.model, mixed.X).numbers(np.array([0]), "A method")
