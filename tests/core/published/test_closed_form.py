"""The published estimator against models whose components are known on paper."""

import numpy as np
import pytest
from sklearn.linear_model import LassoLarsIC

from anova_report import FunctionalANOVA
from anova_report.core.published.closed_form import published_design
from tests.ground_truth import FGM, GAUSSIAN, KnownCase, component_errors, relative_error

N_ROWS = 10_000
PAPERS_SETTINGS = {"K": 2, "d": 10, "d_density": 10, "density_clip": 0.01, "scaling": None}

# Mean and spread of |cosine| over 100 samples of 100 000 rows, as the paper's table prints them for FGM.
PAPERS_COSINES = {
    ((0,), ()): (0.0027, 0.0018),
    ((1,), ()): (0.0026, 0.0019),
    ((0, 1), ()): (0.0024, 0.0020),
    ((0, 1), (0,)): (0.0022, 0.0017),
    ((0, 1), (1,)): (0.0028, 0.0024),
}


def fit(case: KnownCase, seed: int = 0) -> tuple[FunctionalANOVA, np.ndarray, np.ndarray]:
    X = case.draw(N_ROWS, np.random.default_rng(seed))
    predictions = case.predictions(X)
    return FunctionalANOVA.published(**PAPERS_SETTINGS).fit(X, predictions), X, predictions


def test_fgm_components_are_recovered():
    estimator, X, predictions = fit(FGM)
    dec = estimator.decomposition_
    errors = component_errors(FGM, dec, X)
    assert errors[(0,)] <= 0.06
    assert errors[(1,)] <= 0.04
    assert errors[(0, 1)] <= 0.25
    assert estimator.score(X, predictions) >= 0.995
    others = [index for index, term in enumerate(dec.terms) if term not in FGM.components]
    assert (dec.components(X)[:, others].var(axis=0) / predictions.var() < 0.002).all()


def test_gaussian_main_effects_are_recovered_on_average():
    # ν_2 grows without bound toward the corners, so one sample's error rests on a handful of rows.
    errors = [component_errors(GAUSSIAN, fit(GAUSSIAN, seed)[0].decomposition_, X) for seed, X in _gaussian_samples()]
    assert np.mean([error[(0,)] for error in errors]) <= 0.06
    assert np.mean([error[(1,)] for error in errors]) <= 0.15


def _gaussian_samples():
    for seed in range(5):
        yield seed, GAUSSIAN.draw(N_ROWS, np.random.default_rng(seed))


def test_cosines_of_the_true_components_match_the_papers_table():
    rng = np.random.default_rng(1)
    runs = 40
    found: dict[object, list[float]] = {pair: [] for pair in PAPERS_COSINES}
    for _ in range(runs):
        X = FGM.draw(100_000, rng)
        components = {(): np.ones(len(X))} | {term: nu(X) for term, nu in FGM.components.items()}
        for term, part in PAPERS_COSINES:
            found[term, part].append(_cosine(components[term], components[part]))
    for pair, (mean, spread) in PAPERS_COSINES.items():
        # Both means carry sampling error: ours of 40 runs, the paper's of 100.
        allowed = 3 * spread * np.sqrt(1 / runs + 1 / 100)
        assert np.mean(found[pair]) == pytest.approx(mean, abs=allowed), pair


def _cosine(first: np.ndarray, second: np.ndarray) -> float:
    return abs(float(np.mean(first * second) / np.sqrt(np.mean(first**2) * np.mean(second**2))))


def test_third_order_terms_are_found_when_asked_for():
    X = np.random.default_rng(0).uniform(-1, 1, size=(4000, 3))
    predictions = X[:, 0] * X[:, 1] * X[:, 2]
    dec = FunctionalANOVA.published(K=3, d=2, d_density=0, scaling=None).fit(X, predictions).decomposition_
    assert dec.terms[-1] == (0, 1, 2)
    assert relative_error(dec.component((0, 1, 2), X), predictions) < 0.05


def test_fewer_rows_than_columns_are_no_obstacle():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(120, 6))
    predictions = 3 * X[:, 0] + X[:, 1] * X[:, 2]
    estimator = FunctionalANOVA.published(K=2, d=4, d_density=0, scaling=None).fit(X, predictions)
    assert estimator.n_columns_ > len(X)
    fresh = rng.uniform(-1, 1, size=(1000, 6))
    assert estimator.score(fresh, 3 * fresh[:, 0] + fresh[:, 1] * fresh[:, 2]) > 0.95


def test_columns_of_a_feature_with_two_values_do_not_stop_the_path():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, size=2000), rng.normal(size=2000)])
    predictions = 2 * X[:, 0] + np.tanh(X[:, 1])
    assert FunctionalANOVA.published(K=1, d=10).fit(X, predictions).score(X, predictions) > 0.99


def test_columns_are_selected_as_they_are_unless_they_are_to_be_standardized():
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0, 0, 0], np.eye(3) / 2 + 0.5, size=1500)
    predictions = np.exp(X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=1500)
    raw = FunctionalANOVA.published(K=2, d=4).fit(X, predictions)
    reference = raw.decomposition_.expansion.reference
    design = published_design(reference, reference.families(X), raw.decomposition_.terms)
    for estimator, columns in [
        (raw, design),
        (FunctionalANOVA.published(K=2, d=4, standardise=True).fit(X, predictions), design / design.std(axis=0)),
    ]:
        theirs = np.flatnonzero(LassoLarsIC(criterion="bic").fit(columns, predictions).coef_)
        assert estimator.selected_[0].tolist() == theirs.tolist()
        assert estimator.decomposition_.settings["standardise"] is (estimator is not raw)
    assert raw.selected_[0].tolist() != theirs.tolist()


@pytest.mark.parametrize("standardise", [False, True])
def test_the_order_of_the_rows_does_not_matter_where_features_have_few_values(standardise):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, size=600), rng.integers(0, 4, size=600), rng.normal(size=600)])
    predictions = np.exp(X[:, 0] * X[:, 2]) + X[:, 1] * X[:, 2] + X[:, 1] ** 2
    order = rng.permutation(600)
    published = FunctionalANOVA.published(K=2, d=5, standardise=standardise)
    found = published.fit(X, predictions).predict(X)
    np.testing.assert_allclose(published.fit(X[order], predictions[order]).predict(X), found, atol=1e-6)
