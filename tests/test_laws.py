"""What must hold for every decomposition, whichever estimator made it."""

from collections.abc import Iterator
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.threads import workers
from anova_report.report import build_audit
from anova_report.report.page.render import render
from tests.ground_truth import draw_table, ishigami, ishigami_indices

SINGLE = 1e-6  # products over rows are summed in double but made in single precision

ESTIMATORS = {
    "published": FunctionalANOVA.published(K=2, d=5, d_density=3),
    "default": FunctionalANOVA(max_order=2, random_state=0),
}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Keep BLAS to one thread: beside other busy processes two would spend their time waiting for each other."""
    with workers():
        yield


@pytest.fixture(params=ESTIMATORS, scope="module")
def estimator(request):
    return ESTIMATORS[request.param]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    covariance = [[1.0, 0.6, 0.3], [0.6, 1.0, 0.0], [0.3, 0.0, 1.0]]
    return pd.DataFrame(rng.multivariate_normal(np.zeros(3), covariance, size=4000), columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def predictions(rows) -> np.ndarray:
    return np.asarray(np.sin(rows["a"]) + 0.5 * rows["b"] * rows["c"] + rows["c"])


@pytest.fixture(scope="module")
def dec(estimator, rows, predictions):
    return estimator.fit(rows, predictions).decomposition_


def test_components_have_zero_mean(dec, rows, predictions):
    np.testing.assert_allclose(dec.components(rows).mean(axis=0), 0, atol=SINGLE * predictions.std())


def test_the_sum_of_the_components_is_the_explanation(dec, rows):
    np.testing.assert_allclose(dec.mean + dec.components(rows).sum(axis=1), dec.predict(rows), atol=1e-10)


def test_totals_and_unexplained_add_up_to_one(dec):
    shares = measures.variance_shares(dec)
    assert sum(share.total for share in shares.terms) + shares.unexplained == pytest.approx(1, abs=1e-12)
    totals = measures.feature_totals(dec)
    assert sum(total.share for total in totals.features) + totals.unexplained == pytest.approx(1, abs=1e-12)


def test_fidelity_is_the_r_squared_of_the_explanation(dec, rows, predictions):
    gap = predictions - dec.predict(rows)
    assert measures.fidelity(dec).in_sample == pytest.approx(1 - np.mean(gap**2) / predictions.var(), abs=SINGLE)


def test_shapley_values_sum_to_the_explanation(dec, rows):
    np.testing.assert_allclose(dec.shapley(rows).sum(axis=1) + dec.mean, dec.predict(rows), atol=1e-10)


def test_permuting_columns_permutes_the_result(estimator, dec, rows, predictions):
    turned = estimator.fit(rows[["c", "a", "b"]], predictions).decomposition_
    for term in (("a",), ("b",), ("c",), ("b", "c")):
        ours, theirs = dec.component(term, rows), turned.component(term, rows)
        np.testing.assert_allclose(ours, theirs, atol=0.02 * predictions.std())


def test_renaming_columns_renames_the_result(estimator, dec, rows, predictions):
    renamed = rows.rename(columns={"a": "alpha", "b": "beta", "c": "gamma"})
    other = estimator.fit(renamed, predictions).decomposition_
    np.testing.assert_array_equal(other.components(renamed), dec.components(rows))
    assert other.label((0, 2)) == "alpha × gamma"


def test_scaling_and_shifting_the_predictions_scales_the_components(estimator, dec, rows, predictions):
    other = estimator.fit(rows, 1000 * predictions - 5).decomposition_
    np.testing.assert_allclose(other.components(rows), 1000 * dec.components(rows), atol=1e-6 * 1000)
    assert other.mean == pytest.approx(1000 * dec.mean - 5)


def test_predictions_inside_the_span_are_returned(estimator):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000, 2))
    levels = np.round(X * 2)
    predictions = levels[:, 0] ** 2 + 3 * levels[:, 1]
    assert estimator.fit(levels, predictions).score(levels, predictions) > 0.999


@pytest.mark.parametrize("family", ["waves", "polynomials"])
def test_other_units_of_features_change_nothing(rows, predictions, family):
    changed = pd.DataFrame({"a": 32 + 1.8 * rows["a"], "b": 1e3 * rows["b"], "c": rows["c"] - 1e3})
    default = FunctionalANOVA(family=family, random_state=0)
    plain = default.fit(rows, predictions).decomposition_
    other = default.fit(changed, predictions).decomposition_
    assert other.terms == plain.terms
    np.testing.assert_allclose(other.components(changed), plain.components(rows), atol=0.01 * predictions.std())


def test_turning_a_feature_round_changes_nothing(estimator, dec, rows, predictions):
    turned = rows.assign(b=-rows["b"])
    other = estimator.fit(turned, predictions).decomposition_
    for term in (("a",), ("b",), ("c",), ("b", "c")):
        ours, theirs = dec.component(term, rows), other.component(term, turned)
        np.testing.assert_allclose(ours, theirs, atol=0.02 * predictions.std())


def test_a_feature_in_another_unit_changes_nothing(estimator, dec, rows, predictions):
    changed = rows.assign(a=rows["a"] * 1.8 + 32)
    other = estimator.fit(changed, predictions).decomposition_
    assert other.terms == dec.terms
    np.testing.assert_allclose(other.components(changed), dec.components(rows), atol=0.01 * predictions.std())


def test_the_mean_is_the_average_prediction(dec, predictions):
    assert dec.mean == pytest.approx(predictions.mean(), abs=SINGLE)


def test_two_runs_give_the_same_bits(estimator, dec, rows, predictions):
    again = clone(estimator).fit(rows, predictions).decomposition_
    np.testing.assert_array_equal(again.components(rows), dec.components(rows))
    np.testing.assert_array_equal(again.in_sample.seconds, dec.in_sample.seconds)


def test_a_saved_decomposition_says_the_same_about_itself_and_any_rows(dec, rows, tmp_path):
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    np.testing.assert_array_equal(loaded.components(rows), dec.components(rows))
    assert measures.findings(loaded, rows) == measures.findings(dec, rows)
    assert measures.feature_totals(loaded) == measures.feature_totals(dec)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "dec.json").read_bytes()


def test_rows_are_explained_each_on_its_own(dec, rows):
    shuffled = rows.sample(frac=1, random_state=0)
    components = pd.DataFrame(dec.components(shuffled), index=shuffled.index).sort_index()
    np.testing.assert_allclose(components, dec.components(rows), rtol=1e-9, atol=1e-12)


def test_a_feature_the_model_does_not_use_gets_no_share(estimator, rows, predictions):
    noise = np.random.default_rng(8).normal(size=len(rows))
    dec = estimator.fit(rows.assign(noise=noise), predictions).decomposition_
    totals = {total.feature: total for total in measures.feature_totals(dec).features}
    assert totals["noise"].share == pytest.approx(0, abs=0.005)
    if totals["noise"].interval is not None:
        assert totals["noise"].interval.high < min(totals[name].interval.low for name in ("a", "b", "c"))


def test_outputs_are_decomposed_side_by_side_in_any_order(estimator, rows, predictions):
    both = np.column_stack([predictions, 10 * np.asarray(rows["a"]) + 1])
    forth, back = (estimator.fit(rows, each).decomposition_ for each in (both, both[:, ::-1]))
    np.testing.assert_allclose(forth.components(rows), back.components(rows)[:, :, ::-1], atol=1e-3)
    np.testing.assert_allclose(forth.mean, back.mean[::-1], rtol=1e-6)


def test_all_rows_twice_give_the_same_components_where_every_column_is_needed(rows, predictions):
    published = FunctionalANOVA.published(K=2, d=1, d_density=2)
    strong = predictions + np.asarray(rows["a"] * rows["b"] + rows["a"] * rows["c"] + 2 * rows["b"])
    once = published.fit(rows, strong)
    assert len(once.selected_[0]) == once.n_columns_  # what BIC leaves out may depend on the number of rows
    components = once.decomposition_.components(rows)
    twice = published.fit(pd.concat([rows, rows]), np.r_[strong, strong]).decomposition_
    np.testing.assert_allclose(twice.components(rows), components, atol=1e-9)


def test_the_order_of_the_rows_does_not_matter_to_the_published_method(rows, predictions):
    published = ESTIMATORS["published"]
    order = np.random.default_rng(9).permutation(len(rows))
    ours, theirs = published.fit(rows, predictions), clone(published).fit(rows.iloc[order], predictions[order])
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), atol=1e-8)


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


@pytest.mark.parametrize("flat", FLAT, ids=["published", "default"])
def test_under_independence_a_product_of_centered_features_is_all_interaction(flat):
    X = np.random.default_rng(1).uniform(-1, 1, size=(5000, 2))
    dec = flat.fit(X, 4 * X[:, 0] * X[:, 1]).decomposition_
    shares = {share.term: share.structural for share in measures.variance_shares(dec).terms}
    assert shares == pytest.approx({(0,): 0.0, (1,): 0.0, (0, 1): 1.0}, abs=0.02)


def test_features_that_play_the_same_part_get_the_same_values():
    X = np.random.default_rng(2).uniform(-1, 1, size=(4000, 2))
    mirrored = np.concatenate([X, X[:, ::-1]])
    dec = FunctionalANOVA(random_state=0).fit(mirrored, np.exp(mirrored.sum(axis=1))).decomposition_
    values, swapped = dec.shapley(X), dec.shapley(X[:, ::-1])
    np.testing.assert_allclose(values, swapped[:, ::-1], atol=0.05)


def test_components_of_a_finite_table_are_unchanged_by_new_names_for_its_levels():
    table, predictions, _ = draw_table(5000, seed=7)
    # Backwards in the alphabet, so that levels are met in another order.
    renamed = table.assign(color=table["color"].map({"blue": "z", "green": "y", "red": "x"}))
    ours, theirs = (FunctionalANOVA(random_state=0).fit(each, predictions).decomposition_ for each in (table, renamed))
    assert ours.terms == theirs.terms
    np.testing.assert_allclose(ours.components(table), theirs.components(renamed), atol=1e-3)


@pytest.mark.parametrize("max_order", [1, 2, 3])
@pytest.mark.parametrize("n_outputs", [1, 2, 3, 4, 5])
def test_an_additive_model_of_any_number_of_outputs_is_explained_and_audited(n_outputs, max_order):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["a", "b", "c"])
    factors = np.random.default_rng(1).normal(size=(3, n_outputs))
    dec = explain(lambda rows: rows.to_numpy() @ factors, X, max_order=max_order, progress=False)
    assert set(dec.terms) == {(0,), (1,), (2,)}
    page = build_audit(dec, rows=[0], top_mains=1, progress=False)
    assert len(page.outputs) == n_outputs
    assert "</html>" in render(page)


def test_an_additive_classifier_of_three_classes_is_audited():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 2)), columns=["a", "b"])
    model = LogisticRegression().fit(X, np.digitize(X["a"] + X["b"], [-1, 1]))
    page = build_audit(explain(model, X, max_order=1, progress=False), rows=[0], progress=False)
    assert [output.name for output in page.outputs] == ["0", "1", "2"]
