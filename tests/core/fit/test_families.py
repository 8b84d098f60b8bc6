"""The functions of one feature: orthonormal in the sample, blind to monotone changes, at home with every kind."""

import numpy as np
import pytest

from anova_report.core.fit.families import fit_nominal, fit_numeric
from anova_report.core.input.features import UNSEEN


def numeric(values: np.ndarray, degree: int = 10):
    present = values[~np.isnan(values)]
    distinct, counts = np.unique(present, return_counts=True)
    return fit_numeric(distinct, counts, int(np.isnan(values).sum()), degree)


def assert_orthonormal(functions: np.ndarray, atol: float = 1e-9) -> None:
    n_rows = functions.shape[1]
    np.testing.assert_allclose(functions.mean(axis=1), 0, atol=atol)
    np.testing.assert_allclose(functions @ functions.T / n_rows, np.eye(len(functions)), atol=atol)


def test_functions_stay_orthonormal_when_one_value_is_heavy():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(20_000) < 0.92, 0.0, rng.lognormal(size=20_000))
    assert_orthonormal(numeric(values, 40).evaluate(values), atol=1e-7)


def test_a_feature_with_few_values_gets_its_whole_space_and_no_more():
    values = np.repeat([1.0, 2.0, 5.0], [10, 20, 70])
    functions = numeric(values, degree=60).evaluate(values)
    assert functions.shape == (2, 100)
    assert_orthonormal(functions)


def test_a_monotone_change_of_a_feature_changes_nothing():
    values = np.random.default_rng(0).normal(size=3000)
    changed = np.exp(values / 3)
    np.testing.assert_allclose(numeric(values).evaluate(values), numeric(changed).evaluate(changed), atol=2e-3)
    few = np.round(values, 1)
    np.testing.assert_array_equal(numeric(few).evaluate(few), numeric(np.exp(few)).evaluate(np.exp(few)))


def test_missing_values_are_an_atom_of_their_own():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(2000) < 0.2, np.nan, rng.normal(size=2000))
    functions = numeric(values).evaluate(values)
    assert len(functions) == 11
    assert_orthonormal(functions)
    assert not functions[1:, np.isnan(values)].any()


def test_outside_the_range_the_end_value_is_held_and_flagged():
    values = np.random.default_rng(0).uniform(size=2000)
    marginal = numeric(values)
    new = np.array([values.min() - 5, values.max() + 5, 0.5, np.nan])
    functions = marginal.evaluate(new)
    np.testing.assert_array_equal(functions[:, 0], marginal.evaluate(np.array([values.min()]))[:, 0])
    np.testing.assert_array_equal(functions[:, 1], marginal.evaluate(np.array([values.max()]))[:, 0])
    assert not functions[:, 3].any()
    assert marginal.outside(new).tolist() == [True, True, False, True]


def test_between_two_known_values_of_a_discrete_feature_functions_are_interpolated():
    marginal = numeric(np.repeat([0.0, 10.0], 50))
    low, middle, high = marginal.evaluate(np.array([0.0, 5.0, 10.0]))[0]
    assert middle == pytest.approx((low + high) / 2)


def test_many_values_between_known_ones_do_not_run_wild():
    rng = np.random.default_rng(0)
    # Half the rows are 0, the others start at 100: nothing was seen in between.
    values = np.where(rng.random(5000) < 0.5, 0.0, 100 + rng.random(5000))
    marginal = numeric(values, degree=40)
    seen = np.abs(marginal.evaluate(values)).max()
    assert np.abs(marginal.evaluate(np.linspace(0, 101, 999))).max() <= seen + 1e-9


def test_contrasts_of_levels_are_orthonormal_and_span_all_functions_of_them():
    codes = np.repeat([0.0, 1.0, 2.0, np.nan], [500, 300, 150, 50])
    marginal = fit_nominal(np.array([500, 300, 150]), n_missing=50)
    functions = marginal.evaluate(codes)
    assert functions.shape == (3, 1000)
    assert_orthonormal(functions)


def test_rare_levels_share_one_effect():
    marginal = fit_nominal(np.array([900, 2, 600, 3]), n_missing=0)
    assert marginal.pooled == (1, 3)
    functions = marginal.evaluate(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(functions[:, 0], functions[:, 1])
    assert len(functions) == 2


def test_a_level_never_seen_counts_as_average_and_is_flagged():
    marginal = fit_nominal(np.array([60, 40]), n_missing=0)
    rows = np.array([UNSEEN, np.nan, 1.0])
    assert not marginal.evaluate(rows)[:, :2].any()
    assert marginal.outside(rows).tolist() == [True, True, False]
