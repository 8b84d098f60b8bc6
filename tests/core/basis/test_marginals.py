"""The functions of one feature: orthonormal in the sample, smooth where values are many, free where they are few."""

import numpy as np
import pytest

from anova_report.core.basis.marginals import NumericMarginal, fit_nominal, fit_numeric
from anova_report.core.basis.splines import FAMILIES, FamilyName
from anova_report.core.input.features import UNSEEN


def numeric(values: np.ndarray, degree: int = 10, family: FamilyName = "polynomials") -> NumericMarginal:
    present = values[~np.isnan(values)]
    distinct, counts = np.unique(present, return_counts=True)
    return fit_numeric(distinct, counts, int(np.isnan(values).sum()), degree)[family]


def draw(law: str, n_rows: int = 4000) -> np.ndarray:
    """Draw values of which splines could fall: skewed, shared by many rows, far apart, missing."""
    rng = np.random.default_rng(0)
    normal = rng.normal(size=n_rows)
    heavy = np.where(rng.random(n_rows) < 0.9, 0.0, np.exp(normal))
    clusters = np.where(rng.random(n_rows) < 0.5, normal, 90 + normal)
    return {
        "normal": normal,
        "lognormal": np.exp(1.5 * normal),
        "long tails": rng.standard_cauchy(size=n_rows),
        "heavy value": heavy,
        "two clusters": clusters,
        "missing values": np.where(rng.random(n_rows) < 0.2, np.nan, normal),
        "all at once": np.where(rng.random(n_rows) < 0.1, np.nan, np.where(rng.random(n_rows) < 0.3, 0.0, clusters)),
        "few values": np.round(3 * normal),
    }[law]


LAWS = [
    "normal", "lognormal", "long tails", "heavy value", "two clusters", "missing values", "all at once", "few values",
]  # fmt: skip


def assert_orthonormal(functions: np.ndarray, atol: float = 1e-9) -> None:
    n_rows = functions.shape[1]
    np.testing.assert_allclose(functions.mean(axis=1), 0, atol=atol)
    np.testing.assert_allclose(functions @ functions.T / n_rows, np.eye(len(functions)), atol=atol)


def best_fit(marginal: NumericMarginal, values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Coefficients of the constant and the functions that come closest to what is wanted."""
    design = np.vstack([np.ones(len(values)), marginal.evaluate(values)]).T
    return np.linalg.lstsq(design, wanted, rcond=None)[0]


def evaluate(marginal: NumericMarginal, coefficients: np.ndarray, values: np.ndarray) -> np.ndarray:
    return coefficients[0] + coefficients[1:] @ marginal.evaluate(values)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("law", LAWS)
def test_functions_are_orthonormal_over_the_rows(law, family):
    values = draw(law)
    marginal = numeric(values, 40, family)
    functions = marginal.evaluate(values)
    assert len(functions) >= 15
    assert len(functions) == len(marginal.roughness)
    assert_orthonormal(functions, atol=1e-7)


@pytest.mark.parametrize("law", ["heavy value", "two clusters", "few values"])
def test_both_families_span_one_space_and_differ_in_what_comes_first(law):
    values = draw(law)
    waves, polynomials = (numeric(values, 40, family).evaluate(values) for family in FAMILIES)
    assert len(waves) == len(polynomials) < 40  # all there are
    shared = np.linalg.svd(waves @ polynomials.T / len(values), compute_uv=False)
    np.testing.assert_allclose(shared, 1, atol=1e-6)
    first = np.linalg.svd(waves[:5] @ polynomials[:5].T / len(values), compute_uv=False)
    assert first.min() < 0.99


@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5])
def test_the_value_of_a_skewed_feature_lies_among_the_polynomials_and_has_no_turning_point(sigma):
    values = np.exp(sigma * draw("normal"))
    marginal = numeric(values, 40)
    coefficients = best_fit(marginal, values, values)
    assert np.std(values - evaluate(marginal, coefficients, values)) < 1e-3 * values.std()
    grid = np.linspace(values.min(), values.max(), 5000)
    assert (np.diff(evaluate(marginal, coefficients, grid)) > 0).all()


@pytest.mark.parametrize("law", ["normal", "lognormal", "long tails", "few values", "missing values"])
def test_the_first_polynomial_is_the_value_so_a_line_and_a_product_are_one_column(law):
    values = draw(law)
    present = values[~np.isnan(values)]
    marginal = numeric(values)
    first = int(marginal.missing > 0)  # after the indicator of missing values
    expected = (present - present.mean()) / present.std() / np.sqrt(1 - marginal.missing)
    np.testing.assert_allclose(marginal.evaluate(present)[first], expected, atol=1e-9)


@pytest.mark.parametrize("law", ["normal", "two clusters"])
def test_low_powers_of_a_feature_with_light_tails_come_next(law):
    values = draw(law)
    marginal = numeric(values, 60)
    leading = np.vstack([np.ones(len(values)), marginal.evaluate(values)[:4]]).T
    for power in (2, 3):
        wanted = values**power
        left = wanted - leading @ np.linalg.lstsq(leading, wanted, rcond=None)[0]
        assert left.std() < 0.03 * wanted.std()  # natural splines are straight at the ends


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("law", LAWS)
def test_a_change_of_units_changes_nothing(law, family):
    values = draw(law)
    ours, theirs = (numeric(each, 20, family) for each in (values, 1.8 * values + 32))
    np.testing.assert_allclose(theirs.evaluate(1.8 * values + 32), ours.evaluate(values), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_monotone_change_of_few_values_keeps_the_whole_space(family):
    values = draw("few values")
    changed = np.exp(values)
    ours, theirs = (numeric(each, 60, family).evaluate(each) for each in (values, changed))
    assert len(ours) == len(theirs) == len(np.unique(values)) - 1
    np.testing.assert_allclose(np.linalg.svd(ours @ theirs.T / len(values), compute_uv=False), 1, atol=1e-6)


def test_a_monotone_change_keeps_the_ranks():
    values = draw("normal")
    ours, theirs = numeric(values), numeric(np.exp(values))
    np.testing.assert_array_equal(ours.ranks, theirs.ranks)
    np.testing.assert_array_equal(np.exp(ours.knots), theirs.knots)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_feature_with_few_values_gets_its_whole_space_and_no_more(family):
    values = np.repeat([1.0, 2.0, 5.0], [10, 20, 70])
    functions = numeric(values, 60, family).evaluate(values)
    assert functions.shape == (2, 100)
    assert_orthonormal(functions)


def test_missing_values_are_an_atom_of_their_own():
    values = draw("missing values")
    marginal = numeric(values)
    functions = marginal.evaluate(values)
    assert len(functions) == 11
    assert marginal.roughness[:3].tolist() == [1, 1, 4]
    assert not functions[1:, np.isnan(values)].any()


def test_outside_the_range_polynomials_continue_as_straight_lines_and_rows_are_flagged():
    values = draw("normal")
    marginal = numeric(values, 10, "polynomials")
    for end, away in ((values.min(), -1.0), (values.max(), 1.0)):
        at_end, *beyond = marginal.evaluate(end + away * np.array([0.0, 1e-4, 2.0, 4.0])).T
        slope = (marginal.evaluate(np.array([end - away * 1e-6]))[:, 0] - at_end) / -1e-6
        for step, found in zip((1e-4, 2.0, 4.0), beyond, strict=True):
            np.testing.assert_allclose(found, at_end + slope * step, rtol=1e-4, atol=1e-4)
    rows = np.array([values.min() - 5, values.max() + 5, 0.5, np.nan])
    assert not marginal.evaluate(rows)[:, 3].any()
    assert marginal.outside(rows).tolist() == [True, True, False, True]


@pytest.mark.parametrize("law", LAWS)
def test_outside_the_range_waves_hold_their_last_value(law):
    values = draw(law)
    marginal = numeric(values, 40, "waves")
    low, high = np.nanmin(values), np.nanmax(values)
    beyond = np.array([low - 1e-9, low - 1e9, high + 1e-9, high + 1e9])
    np.testing.assert_array_equal(marginal.evaluate(beyond), marginal.evaluate(np.array([low, low, high, high])))
    assert marginal.outside(beyond).all()


@pytest.mark.parametrize("law", ["normal", "heavy value", "two clusters", "values alone at both ends"])
def test_a_straight_line_goes_on_outside_the_range(law):
    values = np.append(draw("normal"), [-90.0, 90.0]) if law.startswith("values alone") else draw(law)
    marginal = numeric(values, 40)
    line = best_fit(marginal, values, 3 - 2 * values)
    places = np.array([-500.0, 500.0])
    np.testing.assert_allclose(evaluate(marginal, line, places), 3 - 2 * places, rtol=0.02)


@pytest.mark.parametrize("family", FAMILIES)
def test_outside_of_few_values_the_last_one_holds(family):
    values = draw("few values")
    marginal = numeric(values, 10, family)
    ends = np.array([values.min(), values.max()])
    beyond = np.array([values.min() - 3, values.max() + 3])
    np.testing.assert_array_equal(marginal.evaluate(beyond), marginal.evaluate(ends))
    assert marginal.outside(beyond).all()
    assert not marginal.outside(ends).any()


def test_between_two_known_values_of_a_discrete_feature_functions_are_interpolated():
    marginal = numeric(np.repeat([0.0, 10.0], 50))
    low, middle, high = marginal.evaluate(np.array([0.0, 5.0, 10.0]))[0]
    assert middle == pytest.approx((low + high) / 2)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("lower", ["one value", "a cluster"])
def test_between_two_clusters_functions_do_not_run_wild(lower, family):
    rng = np.random.default_rng(0)
    below = 0.0 if lower == "one value" else rng.random(5000)
    values = np.where(rng.random(5000) < 0.5, below, 100 + rng.random(5000))
    marginal = numeric(values, 40, family)
    first, last = values[values < 50].max(), values[values > 50].min()
    ends = marginal.evaluate(np.array([first, last]))
    between = marginal.evaluate(np.linspace(first, last, 99)[1:-1])
    assert (between <= ends.max(axis=1, keepdims=True) + 1e-9).all()
    assert (between >= ends.min(axis=1, keepdims=True) - 1e-9).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_may_jump_at_a_value_that_many_rows_share_and_nowhere_else(family):
    rng = np.random.default_rng(0)
    values = np.where(rng.random(4000) < 0.1, 0.3, rng.normal(size=4000))
    marginal = numeric(values, 12, family)
    apart = (values == 0.3).astype(float)
    coefficients = best_fit(marginal, values, apart)
    np.testing.assert_allclose(evaluate(marginal, coefficients, values), apart, atol=1e-9)
    below, above = marginal.evaluate(np.array([0.3 - 1e-9, 0.3 + 1e-9])).T
    np.testing.assert_allclose(below, above, atol=1e-6)


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
