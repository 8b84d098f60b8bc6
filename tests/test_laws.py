"""What must hold for every decomposition, whichever estimator made it."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain, measures
from tests.ground_truth import ishigami, ishigami_indices

SINGLE = 1e-6  # products over rows are summed in double but made in single precision

ESTIMATORS = {
    "published": FunctionalANOVA.published(K=2, d=5, d_density=3),
    "default": FunctionalANOVA(max_order=2, random_state=0),
}


@pytest.fixture(params=ESTIMATORS, scope="module")
def estimator(request):
    return ESTIMATORS[request.param]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    covariance = [[1.0, 0.6, 0.3], [0.6, 1.0, 0.0], [0.3, 0.0, 1.0]]
    return pd.DataFrame(rng.multivariate_normal(np.zeros(3), covariance, size=3000), columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def answers(rows) -> np.ndarray:
    return np.asarray(np.sin(rows["a"]) + 0.5 * rows["b"] * rows["c"] + rows["c"])


@pytest.fixture(scope="module")
def dec(estimator, rows, answers):
    return estimator.fit(rows, answers).decomposition_


def test_components_have_zero_mean(dec, rows, answers):
    np.testing.assert_allclose(dec.components(rows).mean(axis=0), 0, atol=SINGLE * answers.std())


def test_the_sum_of_the_components_is_the_explanation(dec, rows):
    np.testing.assert_allclose(dec.mean + dec.components(rows).sum(axis=1), dec.predict(rows), atol=1e-10)


def test_totals_and_unexplained_add_up_to_one(dec):
    shares = measures.variance_shares(dec)
    assert sum(share.total for share in shares.terms) + shares.unexplained == pytest.approx(1, abs=1e-12)
    totals = measures.feature_totals(dec)
    assert sum(total.share for total in totals.features) + totals.unexplained == pytest.approx(1, abs=1e-12)


def test_fidelity_is_the_r_squared_of_the_explanation(dec, rows, answers):
    gap = answers - dec.predict(rows)
    assert measures.fidelity(dec).in_sample == pytest.approx(1 - np.mean(gap**2) / answers.var(), abs=SINGLE)


def test_shapley_values_sum_to_the_explanation(dec, rows):
    np.testing.assert_allclose(dec.shapley(rows).sum(axis=1) + dec.mean, dec.predict(rows), atol=1e-10)


def test_permuting_columns_permutes_the_result(estimator, dec, rows, answers):
    turned = estimator.fit(rows[["c", "a", "b"]], answers).decomposition_
    for term in (("a",), ("b",), ("c",), ("b", "c")):
        ours, theirs = dec.component(term, rows), turned.component(term, rows)
        np.testing.assert_allclose(ours, theirs, atol=0.02 * answers.std())


def test_renaming_columns_renames_the_result(estimator, dec, rows, answers):
    renamed = rows.rename(columns={"a": "alpha", "b": "beta", "c": "gamma"})
    other = estimator.fit(renamed, answers).decomposition_
    np.testing.assert_array_equal(other.components(renamed), dec.components(rows))
    assert other.label((0, 2)) == "alpha × gamma"


def test_scaling_and_shifting_the_answers_scales_the_components(estimator, dec, rows, answers):
    other = estimator.fit(rows, 1000 * answers - 5).decomposition_
    np.testing.assert_allclose(other.components(rows), 1000 * dec.components(rows), atol=1e-6 * 1000)
    assert other.mean == pytest.approx(1000 * dec.mean - 5)


def test_answers_inside_the_span_are_returned(estimator):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000, 2))
    levels = np.round(X * 2)
    answers = levels[:, 0] ** 2 + 3 * levels[:, 1]
    assert estimator.fit(levels, answers).score(levels, answers) > 0.999


def test_a_monotone_change_of_features_changes_nothing_by_default(rows, answers):
    changed = pd.DataFrame({"a": np.exp(rows["a"]), "b": rows["b"] ** 3, "c": np.arctan(rows["c"])})
    default = FunctionalANOVA(random_state=0)
    plain = default.fit(rows, answers).decomposition_
    other = default.fit(changed, answers).decomposition_
    assert other.terms == plain.terms
    np.testing.assert_allclose(other.components(changed), plain.components(rows), atol=0.01 * answers.std())


def test_a_constant_model_gives_numbers_not_nan(estimator, rows):
    dec = explain(lambda table: np.full(len(table), 7.5), rows, estimator=estimator)
    assert measures.fidelity(dec).in_sample == 1.0
    assert all(share.total == 0 for share in measures.variance_shares(dec).terms)
    assert measures.orthogonality(dec).max_corr == 0
    assert not np.isnan(dec.shapley(rows)).any()


# Scaled to [-1, 1] independent uniform inputs have a flat density, so the published method needs to estimate none.
FLAT = [FunctionalANOVA.published(K=2, d=8, d_density=0, scaling=None), FunctionalANOVA(random_state=0)]


@pytest.mark.parametrize("flat", FLAT, ids=["published", "default"])
def test_under_independence_shares_are_sobol_indices(flat):
    X = np.random.default_rng(0).uniform(-np.pi, np.pi, size=(20_000, 3))
    dec = flat.fit(X / np.pi, ishigami(X)).decomposition_
    expected = ishigami_indices()
    for share in measures.variance_shares(dec).terms:
        assert share.structural == pytest.approx(expected.get(share.term, 0.0), abs=0.01), share.label
        assert share.total == pytest.approx(expected.get(share.term, 0.0), abs=0.01), share.label


def additive_plus_product(X: np.ndarray) -> np.ndarray:
    return X[:, 0] + 2 * X[:, 1] ** 2 + 3 * X[:, 0] * X[:, 2]


def exact_shap(x: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Shapley values of one row by their definition: every coalition, absent features averaged over the background."""
    p = len(x)

    def value(coalition: tuple[int, ...]) -> float:
        mixed = background.copy()
        mixed[:, list(coalition)] = x[list(coalition)]
        return float(additive_plus_product(mixed).mean())

    result = np.zeros(p)
    for feature in range(p):
        others = [index for index in range(p) if index != feature]
        for size in range(p):
            weight = factorial(size) * factorial(p - size - 1) / factorial(p)
            for coalition in combinations(others, size):
                result[feature] += weight * (value((*coalition, feature)) - value(coalition))
    return result


@pytest.mark.parametrize("flat", FLAT, ids=["published", "default"])
def test_under_independence_shapley_values_are_exact_shap(flat):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(20_000, 3))
    dec = flat.fit(X, additive_plus_product(X)).decomposition_
    chosen = X[:5]
    expected = np.array([exact_shap(x, X) for x in chosen])
    np.testing.assert_allclose(dec.shapley(chosen), expected, atol=0.03)
