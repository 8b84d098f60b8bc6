from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.errors import AnovaReportError, InputError, UnknownTermError

X = np.random.default_rng(0).uniform(-1, 1, size=(200, 3))
FRAME = pd.DataFrame(X, columns=["age", "income", "hours"])
ANSWERS = X[:, 0] + X[:, 0] * X[:, 1] + X[:, 2] ** 2
TWO_ANSWERS = pd.DataFrame({"low": ANSWERS, "high": 3 * X[:, 1] - 1})
TERMS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
NEW = FRAME.iloc[::-7]


@pytest.fixture(scope="module")
def dec() -> Decomposition:
    return published().fit(FRAME, ANSWERS).decomposition_


@pytest.fixture(scope="module")
def two() -> Decomposition:
    return published().fit(FRAME, TWO_ANSWERS).decomposition_


def published():
    return FunctionalANOVA.published(K=2, d=3, d_density=2, scaling=None)


def test_terms_come_by_order_then_by_index_without_the_mean(dec):
    assert dec.terms == TERMS


def test_names_come_from_the_frame(dec, two):
    assert dec.feature_names == ("age", "income", "hours")
    assert dec.output_names == ("answer",)
    assert two.output_names == ("low", "high")


@pytest.mark.parametrize(
    "term", [(0, 1), (1, 0), [0, 1], ("age", "income"), ("income", "age"), ("income", 0), (np.int64(1), np.int32(0))]
)
def test_a_pair_is_found_by_indices_or_names_in_any_order(dec, term):
    assert dec.resolve(term) == (0, 1)
    assert dec.label(term) == "age × income"


@pytest.mark.parametrize("term", [2, (2,), [2], "hours", ("hours",), np.int64(2)])
def test_a_main_effect_is_found_by_index_or_name_alone_or_in_a_tuple(dec, term):
    assert dec.resolve(term) == (2,)
    assert dec.label(term) == "hours"


@pytest.mark.parametrize("term", [(0, 1, 2), (0, 0), ()])
def test_a_term_that_is_not_there_is_refused_with_those_that_are(dec, term):
    with pytest.raises(UnknownTermError) as caught:
        dec.resolve(term)
    message = str(caught.value)
    assert message.startswith(f"There is no component {term!r}. There are: 'age', 'income', 'hours', 'age × income'")
    assert not message.startswith('"')


@pytest.mark.parametrize("part", [3, -1, "sex", 1.5, None])
def test_a_feature_that_is_not_there_is_refused_with_those_that_are(dec, part):
    with pytest.raises(UnknownTermError) as caught:
        dec.component((0, part), X)
    assert str(caught.value) == f"There is no feature {part!r}. There are: 'age', 'income', 'hours'."


def test_an_unknown_term_is_the_key_error_a_caller_expects():
    assert issubclass(UnknownTermError, KeyError)
    assert issubclass(UnknownTermError, AnovaReportError)


def test_the_mean_and_the_components_sum_to_the_prediction(dec):
    components = dec.components(NEW)
    assert components.shape == (len(NEW), len(TERMS))
    np.testing.assert_allclose(dec.mean + components.sum(axis=1), dec.predict(NEW), rtol=1e-13, atol=1e-13)


def test_the_mean_is_the_average_answer_and_every_component_averages_to_zero(dec):
    assert isinstance(dec.mean, float)
    assert dec.mean == pytest.approx(ANSWERS.mean())
    np.testing.assert_allclose(dec.components(FRAME).mean(axis=0), 0, atol=1e-12)


def test_a_component_alone_is_its_column_among_all(dec):
    components = dec.components(NEW)
    for column, term in enumerate(TERMS):
        alone = dec.component(term, NEW)
        assert alone.shape == (len(NEW),)
        np.testing.assert_array_equal(alone, components[:, column])


def test_a_component_depends_on_its_own_features_only(dec):
    moved = NEW.assign(hours=0.123)
    np.testing.assert_array_equal(dec.component((0, 1), moved), dec.component((0, 1), NEW))
    assert not np.array_equal(dec.component((0, 2), moved), dec.component((0, 2), NEW))


def test_shapley_values_of_a_row_sum_to_its_prediction_minus_the_mean(dec):
    values = dec.shapley(NEW)
    assert values.shape == (len(NEW), 3)
    np.testing.assert_allclose(values.sum(axis=1), dec.predict(NEW) - dec.mean, rtol=1e-12, atol=1e-12)


def test_a_pair_counts_half_for_each_of_its_features(dec):
    nu = {term: dec.component(term, NEW) for term in TERMS}
    expected = nu[(1,)] + nu[(0, 1)] / 2 + nu[(1, 2)] / 2
    np.testing.assert_allclose(dec.shapley(NEW)[:, 1], expected, rtol=1e-12, atol=1e-12)


def test_membership_shares_every_term_completely(dec):
    np.testing.assert_array_equal(dec.membership.sum(axis=1), np.ones(len(TERMS)))
    assert dec.membership[TERMS.index((0, 2))].tolist() == [0.5, 0, 0.5]


def test_several_outputs_add_a_last_axis(two):
    n_rows = len(NEW)
    assert two.mean.shape == (2,)
    assert two.predict(NEW).shape == (n_rows, 2)
    assert two.components(NEW).shape == (n_rows, len(TERMS), 2)
    assert two.component("age", NEW).shape == (n_rows, 2)
    assert two.shapley(NEW).shape == (n_rows, 3, 2)


def test_several_outputs_obey_the_same_sums(two):
    np.testing.assert_allclose(two.mean + two.components(NEW).sum(axis=1), two.predict(NEW), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(two.shapley(NEW).sum(axis=1), two.predict(NEW) - two.mean, rtol=1e-12, atol=1e-12)


def test_every_output_is_decomposed_as_if_it_were_alone(dec, two):
    np.testing.assert_allclose(two.components(NEW)[:, :, 0], dec.components(NEW), rtol=1e-9, atol=1e-12)


def test_a_column_of_answers_keeps_its_axis():
    column = published().fit(X, ANSWERS[:, None]).decomposition_
    assert column.predict(X).shape == (len(X), 1)
    assert column.mean.shape == (1,)


def test_rows_are_matched_by_name_and_arrays_by_position(dec):
    expected = dec.components(FRAME)
    np.testing.assert_array_equal(dec.components(FRAME[["hours", "age", "income"]]), expected)
    np.testing.assert_array_equal(dec.components(X), expected)


def test_many_rows_at_once_are_the_rows_one_by_one(dec):
    many = np.tile(X, (25, 1))
    np.testing.assert_allclose(dec.predict(many), np.tile(dec.predict(X), 25), rtol=1e-13, atol=1e-13)


def test_no_rows_give_no_values(dec, two):
    assert dec.predict(X[:0]).shape == (0,)
    assert two.components(X[:0]).shape == (0, len(TERMS), 2)


def test_rows_without_a_column_are_refused(dec):
    with pytest.raises(InputError, match=r"The new rows lack the column\(s\) 'age'"):
        dec.predict(FRAME.drop(columns="age"))
    with pytest.raises(InputError, match=r"^X has 2 features, but Decomposition is expecting 3 features"):
        dec.predict(X[:, :2])


def test_rows_with_gaps_are_refused_where_the_components_are_functions_of_complete_rows(dec):
    with pytest.raises(
        InputError, match=r"^Column 'income' has missing values \(NaN\) in 1 row\(s\), first at position 0"
    ):
        dec.components(NEW.assign(income=[np.nan] + [0.0] * (len(NEW) - 1)))


@pytest.mark.parametrize(("output", "expected"), [("low", 0), ("high", 1), (0, 0), (1, 1)])
def test_an_output_is_found_by_name_or_position(two, output, expected):
    assert two.output_index(output) == expected


def test_the_only_output_need_not_be_named(dec):
    assert dec.output_index() == 0


@pytest.mark.parametrize(
    ("output", "came"), [(None, "none was named"), ("mid", "'mid' came"), (2, "2 came"), (-1, "-1 came")]
)
def test_an_output_that_is_not_there_is_refused_with_those_that_are(two, output, came):
    with pytest.raises(InputError, match=f"^Choose one of the outputs 'low', 'high'; {came}"):
        two.output_index(output)


@pytest.mark.parametrize("field", ["features", "output_names", "expansion", "in_sample", "scale", "settings"])
def test_a_decomposition_is_frozen(dec, field):
    with pytest.raises(FrozenInstanceError):
        setattr(dec, field, None)


def test_parts_of_a_decomposition_are_frozen(dec):
    with pytest.raises(FrozenInstanceError):
        dec.features[0].name = "sex"
    with pytest.raises(FrozenInstanceError):
        dec.expansion.components[0].term = (9,)


def test_arrays_of_a_decomposition_cannot_be_written(dec):
    component, moments = dec.expansion.components[0], dec.in_sample
    for array in (component.coefficients, component.offset, moments.firsts, moments.seconds, moments.fourths):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_what_a_decomposition_hands_out_can_be_changed_without_changing_it(two):
    mean, predicted = two.mean, two.predict(NEW)
    two.mean[:] = 0
    two.components(NEW)[:] = 0
    two.membership[:] = 0
    np.testing.assert_array_equal(two.mean, mean)
    np.testing.assert_array_equal(two.predict(NEW), predicted)
