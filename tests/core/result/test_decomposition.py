import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.errors import InputError, UnknownTermError

X = np.random.default_rng(0).uniform(-1, 1, size=(200, 3))
FRAME = pd.DataFrame(X, columns=["age", "income", "hours"])
PREDICTIONS = X[:, 0] + X[:, 0] * X[:, 1] + X[:, 2] ** 2
TWO_PREDICTIONS = pd.DataFrame({"low": PREDICTIONS, "high": 3 * X[:, 1] - 1})
TERMS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
NEW = FRAME.iloc[::-7]


@pytest.fixture(scope="module")
def dec() -> Decomposition:
    return published().fit(FRAME, PREDICTIONS).decomposition_


@pytest.fixture(scope="module")
def two() -> Decomposition:
    return published().fit(FRAME, TWO_PREDICTIONS).decomposition_


def published():
    return FunctionalANOVA.published(K=2, d=3, d_density=2, scaling=None)


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


def test_a_pair_counts_half_for_each_of_its_features(dec):
    nu = {term: dec.component(term, NEW) for term in TERMS}
    expected = nu[(1,)] + nu[(0, 1)] / 2 + nu[(1, 2)] / 2
    np.testing.assert_allclose(dec.shapley(NEW)[:, 1], expected, rtol=1e-12, atol=1e-12)


def test_several_outputs_add_a_last_axis(two):
    n_rows = len(NEW)
    assert two.mean.shape == (2,)
    assert two.predict(NEW).shape == (n_rows, 2)
    assert two.components(NEW).shape == (n_rows, len(TERMS), 2)
    assert two.component("age", NEW).shape == (n_rows, 2)
    assert two.shapley(NEW).shape == (n_rows, 3, 2)


def test_rows_are_matched_by_name_and_arrays_by_position(dec):
    expected = dec.components(FRAME)
    np.testing.assert_array_equal(dec.components(FRAME[["hours", "age", "income"]]), expected)
    np.testing.assert_array_equal(dec.components(X), expected)


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


@pytest.mark.parametrize("output", [None, "mid", 2, -1])
def test_an_output_that_is_not_there_is_refused_with_those_that_are(two, output):
    with pytest.raises(InputError, match=f"^Choose one of the outputs 'low', 'high'; got {output!r}"):
        two.output_index(output)


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
