"""The same function under the law of other rows: closed forms, laws, and what must stay as it is."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, Explanation, FunctionalANOVA, explain, measures
from anova_report.core.fit.populations import columns_of
from anova_report.core.fit.uncertainty import standard_error
from anova_report.errors import InputError, StorageError
from anova_report.measures.scale import predictions_note
from tests.ground_truth import (
    COLORS,
    FLAGS,
    JOINT,
    ON_THE_TABLE,
    SIZES,
    exact_components,
    ishigami,
    ishigami_indices,
    relative_error,
)

RHO = 0.6


def normal_rows(n_rows: int, rho: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=n_rows)


def product(X: np.ndarray) -> np.ndarray:
    return np.asarray(X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1])


def components_of_product(X: np.ndarray, rho: float) -> np.ndarray:
    """Decompose x₁ + x₂ + x₁x₂ under normals of correlation ρ, shape (n_rows, 3).

    E[x₁x₂ | x₁] = ρx₁², and x₁² + x₂² is the only even function of two variables apart that can take it:
    ν₁₂ = x₁x₂ − a (x₁² + x₂² − 1 + ρ²) with a = ρ / (1 + ρ²), since E[ν₁₂ | x₁] = (ρ − a − aρ²) x₁² = 0.
    """
    a, (x, y) = rho / (1 + rho**2), X.T
    return np.column_stack([x + a * (x**2 - 1), y + a * (y**2 - 1), x * y - a * (x**2 + y**2 - 1 + rho**2)])


@pytest.fixture(scope="module")
def independent() -> Decomposition:
    X = normal_rows(1500, 0.0, seed=0)
    return FunctionalANOVA(random_state=0).fit(X, product(X)).decomposition_


@pytest.fixture(scope="module")
def moved(independent) -> Decomposition:
    return independent.under(normal_rows(20_000, RHO, seed=1))


def mixed_table(n_rows: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows) + shift
    table = pd.DataFrame({"a": a, "b": a / 2 + rng.normal(size=n_rows), "gap": rng.normal(size=n_rows)})
    table.loc[rng.random(n_rows) < 0.1, "gap"] = np.nan
    return table.assign(level=rng.choice(["u", "v", "w"], p=[0.5, 0.3, 0.2], size=n_rows))


def predict_mixed(X: pd.DataFrame) -> np.ndarray:
    by_level = np.where(X["level"] == "u", X["b"], 0.0) + (X["level"] == "v") * X["gap"].fillna(2.0)
    return np.asarray(np.sin(X["a"]) + X["a"] * X["b"] + by_level)


@pytest.fixture(scope="module")
def mixed() -> Decomposition:
    X = mixed_table(1200, seed=0)
    return FunctionalANOVA(random_state=0).fit(X, predict_mixed(X)).decomposition_


def test_components_of_rows_without_correlation_become_those_under_correlation(independent, moved):
    X = normal_rows(2000, RHO, seed=2)
    truth = components_of_product(X, RHO)
    found = moved.components(X)
    assert [relative_error(*both) for both in zip(found.T, truth.T, strict=True)] == pytest.approx([0.0] * 3, abs=0.05)
    before = independent.components(X)
    assert min(relative_error(*both) for both in zip(before.T, truth.T, strict=True)) > 0.4
    assert moved.mean == pytest.approx(RHO, abs=0.03)


def test_the_sum_does_not_change(independent, moved, mixed):
    X = normal_rows(1000, RHO, seed=3)
    np.testing.assert_allclose(moved.predict(X), independent.predict(X), rtol=0, atol=1e-9)
    rows = mixed_table(1000, seed=3, shift=1.0)
    np.testing.assert_allclose(mixed.under(rows).predict(rows), mixed.predict(rows), rtol=0, atol=1e-9)


def test_its_own_rows_give_nearly_the_same_decomposition(mixed):
    X = mixed_table(1200, seed=0)
    own = mixed.under(X)
    assert own.terms == mixed.terms
    assert own.population.same_rows
    np.testing.assert_allclose(own.components(X), mixed.components(X), atol=1e-5)
    ours, theirs = (measures.variance_shares(dec).frame()["total"] for dec in (own, mixed))
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    error, known = (standard_error(dec.uncertainty.total, axis=1) for dec in (own, mixed))
    assert ((error > 0.7 * known) & (error < 2 * known + 1e-4)).all()


def test_under_many_independent_rows_shares_of_few_predictions_are_sobol_indices():
    rng = np.random.default_rng(0)
    X, rows = (rng.uniform(-np.pi, np.pi, size=(n_rows, 3)) for n_rows in (500, 50_000))
    few = FunctionalANOVA(random_state=0).fit(X, ishigami(X)).decomposition_
    shares = {share.term: share for share in measures.variance_shares(few.under(rows)).terms}
    before = {share.term: share for share in measures.variance_shares(few).terms}
    for term, truth in ishigami_indices().items():
        assert shares[term].total == pytest.approx(truth, abs=0.005)
        assert abs(shares[term].total - truth) < abs(before[term].total - truth)
        bounds, wider = shares[term].total_interval, before[term].total_interval
        assert bounds.low - 1e-3 <= truth <= bounds.high + 1e-3
        assert bounds.high - bounds.low < (wider.high - wider.low) / 4


def test_components_are_orthogonal_under_the_new_law_only(independent, moved):
    found = measures.orthogonality(moved)
    assert found.max_corr < 0.04
    # As in a fit, what is no more than chance is left where it is.
    assert all(abs(pair.cosine) <= 1.5 * pair.noise_floor for pair in found.cosines)
    assert all(pair.leakage is None or pair.leakage <= pair.leakage_floor + 1e-3 for pair in found.cosines)
    pair = independent.components(normal_rows(5000, RHO, seed=4))
    assert abs(np.corrcoef(pair[:, 2], pair[:, 0] ** 2)[0, 1]) > 0.3


def test_shares_add_up_and_fidelity_stays_that_of_rows_with_predictions():
    X = normal_rows(800, 0.0, seed=0)
    noisy = product(X) + np.random.default_rng(1).normal(size=len(X))
    dec = FunctionalANOVA(random_state=0).fit(X, noisy).decomposition_
    found = dec.under(normal_rows(3000, RHO, seed=2))
    shares = measures.variance_shares(found)
    assert sum(share.total for share in shares.terms) + shares.unexplained == pytest.approx(1.0)
    ours, theirs = measures.fidelity(found), measures.fidelity(dec)
    assert ours.in_sample == pytest.approx(theirs.in_sample)
    assert ours.held_out == pytest.approx(theirs.held_out)
    assert shares.unexplained == pytest.approx(1 - theirs.in_sample)
    assert (ours.n_rows, ours.n_held_out) == (800, 800)


def test_bands_hold_the_truth_under_the_new_law():
    inside = []
    for seed in range(4):
        X = normal_rows(600, 0.0, seed)
        noisy = product(X) + np.random.default_rng(seed).normal(size=len(X))
        found = FunctionalANOVA(random_state=0).fit(X, noisy).decomposition_.under(normal_rows(3000, RHO, 50 + seed))
        rows = normal_rows(300, RHO, seed=99)
        for term, truth in zip(found.terms, components_of_product(rows, RHO).T, strict=True):
            band = measures.bands(found, term, rows)
            inside.append(np.mean((band.lower <= truth) & (truth <= band.upper)))
    assert np.mean(inside) > 0.9


def test_predictions_are_judged_by_those_of_the_fit_however_narrow_the_population_is():
    X, other = normal_rows(600, 0.0, seed=0), normal_rows(300, 0.0, seed=1)
    noise = np.random.default_rng(2).normal(size=900)
    dec = FunctionalANOVA(random_state=0).fit(X, product(X) + noise[:600]).decomposition_
    narrow = dec.under(X / 20)
    assert predictions_note(narrow, other, (product(other) + noise[600:])[:, None]) == ""
    assert narrow.under(X / 2).population.fit_variances == narrow.population.fit_variances


def test_a_population_of_few_rows_makes_bands_wider(independent):
    X = normal_rows(200, RHO, seed=5)
    few, many = (independent.under(normal_rows(n_rows, RHO, seed=6)) for n_rows in (300, 10_000))
    errors = [measures.bands(dec, (0, 1), X).standard_error.mean() for dec in (few, many)]
    assert errors[0] > 2 * errors[1]


def test_the_way_by_other_rows_leads_to_the_same(independent, moved):
    X = normal_rows(200, RHO, seed=5)
    by_way = independent.under(normal_rows(2000, -0.5, seed=7)).under(normal_rows(20_000, RHO, seed=1))
    np.testing.assert_allclose(by_way.components(X), moved.components(X), atol=1e-9)
    assert by_way.uncertainty.total.shape == moved.uncertainty.total.shape
    np.testing.assert_allclose(by_way.uncertainty.total, moved.uncertainty.total, atol=1e-4)


def test_weights_are_another_law_of_the_same_rows():
    X = normal_rows(2000, 0.0, seed=0)
    # The ratio of the densities of normals with and without correlation.
    x, y = X.T
    ratio = np.exp(-(x**2 - 2 * RHO * x * y + y**2) / (1 - RHO**2) / 2 + (x**2 + y**2) / 2)
    dec = explain(product, X, population=ratio, random_state=0)
    assert isinstance(dec, Explanation)
    assert dec.X is X
    assert dec.population.weighted
    rows = normal_rows(1000, RHO, seed=1) * 0.8
    errors = [
        relative_error(*both) for both in zip(dec.components(rows).T, components_of_product(rows, RHO).T, strict=True)
    ]
    assert max(errors) < 0.35
    assert dec.population.n_effective == pytest.approx(ratio.sum() ** 2 / (ratio**2).sum())
    np.testing.assert_allclose(dec.components(rows), dec.under(X, sample_weight=ratio).components(rows), atol=1e-9)
    assert "2,000 rows of the fit (with weights" in dec.notes[-1]
    weighted = explain(product, X, sample_weight=ratio, random_state=0)
    pairs = zip(dec.components(rows).T, weighted.components(rows).T, strict=True)
    assert max(relative_error(*each) for each in pairs) < 0.02


def test_explain_decomposes_under_a_population_and_keeps_rows_and_model():
    X, rows = normal_rows(600, 0.0, seed=0), normal_rows(5000, RHO, seed=1)
    dec = explain(product, X, population=rows, random_state=0)
    assert dec.X is X
    assert dec.model is product
    np.testing.assert_allclose(dec.predictions, product(X))
    assert dec.mean == pytest.approx(RHO, abs=0.06)
    assert "Decomposed under 5,000 rows of another table; predictions were made for 600 rows." in dec.notes[-1]


def test_a_table_in_parts_is_decomposed_under_rows_in_memory(tmp_path):
    X, rows = normal_rows(3000, 0.0, seed=0), normal_rows(5000, RHO, seed=1)
    names = ["x0", "x1"]
    pd.DataFrame(X, columns=names).to_parquet(tmp_path / "part-0.parquet")

    def model(table: pd.DataFrame) -> np.ndarray:
        return product(np.asarray(table, dtype=float))

    dec = explain(model, str(tmp_path), population=pd.DataFrame(rows, columns=names), random_state=0)
    assert dec.mean == pytest.approx(RHO, abs=0.06)
    with pytest.raises(InputError, match="must be a table in memory"):
        dec.under(str(tmp_path))


def test_a_table_of_levels_is_moved_exactly():
    rng = np.random.default_rng(0)
    levels = (COLORS, SIZES, FLAGS)
    uniform = np.stack([rng.integers(len(own), size=3000) for own in levels], axis=1)
    by_joint = np.stack(np.unravel_index(rng.choice(JOINT.size, p=JOINT.ravel(), size=20_000), JOINT.shape), axis=1)

    def table(codes: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame({f"f{at}": np.array(own)[codes[:, at]] for at, own in enumerate(levels)})

    dec = FunctionalANOVA(random_state=0).fit(table(uniform), ON_THE_TABLE[tuple(uniform.T)]).decomposition_
    assert dec.path == "exact cells"
    law = np.zeros(JOINT.shape)
    np.add.at(law, tuple(by_joint.T), 1 / len(by_joint))
    exact = exact_components(law, ON_THE_TABLE, max_order=2)
    cells = np.stack(np.unravel_index(np.arange(JOINT.size), JOINT.shape), axis=1)
    moved = dec.under(table(by_joint))
    for at, term in enumerate(moved.terms):
        np.testing.assert_allclose(moved.components(table(cells))[:, at], exact[term], atol=1e-6)


def test_several_outputs_are_moved_as_each_alone():
    X, rows = normal_rows(800, 0.0, seed=0), normal_rows(4000, RHO, seed=1)
    both = FunctionalANOVA(random_state=0).fit(X, np.column_stack([product(X), 2 * product(X)])).decomposition_
    found = both.under(rows).components(rows)
    np.testing.assert_allclose(found[:, :, 1], 2 * found[:, :, 0], atol=1e-4)
    errors = [relative_error(*each) for each in zip(found[:, :, 0].T, components_of_product(rows, RHO).T, strict=True)]
    assert max(errors) < 0.12


def test_a_triple_gets_the_pairs_that_it_shares_something_with():
    X = np.random.default_rng(0).uniform(-1, 1, size=(3000, 3))
    dec = FunctionalANOVA(3, random_state=0).fit(X, X.prod(axis=1)).decomposition_
    rows = X[np.random.default_rng(1).random(3000) < (1 + X[:, 0]) / 2]
    found = dec.under(rows)
    assert {(1, 2), (0, 1, 2)} <= set(found.terms)
    # E[x₁] = 1/3 where x₁ has the density (1 + x) / 2, so that a third of x₂x₃ is a pair.
    pair = found.component((1, 2), rows)
    assert relative_error(pair, rows[:, 1] * rows[:, 2] / 3) < 0.25


def test_main_effects_get_the_functions_their_interactions_need(independent):
    pair = independent.expansion.components[-1]
    columns = columns_of(independent.expansion, independent.expansion.reference.marginals)
    widest = pair.degrees.max(axis=0)
    assert all(len(columns.functions[(at,)]) >= widest[at] for at in range(2))


def test_rows_that_the_fit_knows_nothing_of_are_left_out_and_counted(mixed):
    rows = mixed_table(3000, seed=4)
    rows.loc[:99, "level"] = "never seen"
    rows.loc[100:101, "a"] = 50.0
    found = mixed.under(rows)
    assert (found.population.n_rows, found.population.n_left_out) == (2900, 100)
    assert found.population.n_beyond >= 2
    assert "100 rows have levels, or no value, as no row of the fit has" in found.notes[-1]
    with pytest.raises(InputError, match="None of the 3,000 row"):
        mixed.under(rows.assign(level="never seen"))


def test_columns_that_are_constant_in_the_population_have_no_effect_there(mixed):
    found = mixed.under(mixed_table(3000, seed=4).assign(level="u", a=0.3))
    shares = {share.label: share.total for share in measures.variance_shares(found).terms}
    assert max(abs(share) for label, share in shares.items() if "a" in label or "level" in label) < 1e-6
    assert shares["b"] == pytest.approx(1.0, abs=1e-3)


def test_a_few_rows_move_what_averages_tell_and_no_noise(mixed):
    found = mixed.under(mixed_table(40, seed=5))
    shares = {share.label: share.structural for share in measures.variance_shares(found).terms}
    assert shares["a × b"] > 0.05


def test_it_reads_back_from_a_file_to_the_last_bit(moved, tmp_path):
    path, X = tmp_path / "dec.json", normal_rows(100, RHO, seed=5)
    moved.save(path)
    read = Decomposition.load(path)
    np.testing.assert_array_equal(read.components(X), moved.components(X))
    np.testing.assert_array_equal(read.uncertainty.total, moved.uncertainty.total)
    assert read.population == moved.population
    path.write_text(path.read_text().replace('"n_effective": 20000.0', '"n_effective": -1.0'))
    with pytest.raises(StorageError, match="population"):
        Decomposition.load(path)


def test_predictions_that_never_change_stay_without_shares():
    X = normal_rows(300, 0.0, seed=0)
    dec = explain(lambda rows: np.ones(len(rows)), X, population=normal_rows(500, RHO, seed=1))
    assert measures.variance_shares(dec).unexplained == 0.0


@pytest.mark.parametrize(
    ("population", "words"),
    [
        ([1.0, 2.0], "2 value\\(s\\) in one dimension"),
        (np.array(["a"] * 300), "in one dimension"),
        (np.zeros((5, 3)), "X has 3 features"),
        (np.zeros((5, 2)), "1 different row"),
        ("no_such_folder", "Parquet|no such|There is no"),
    ],
)
def test_what_is_no_population_is_refused(population, words):
    X = normal_rows(300, 0.0, seed=0)
    with pytest.raises(InputError, match=words):
        explain(product, X, population=population, max_order=1)


def test_the_published_method_cannot_be_moved():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, X[:, 0]).decomposition_
    with pytest.raises(InputError, match="divides its functions by densities"):
        dec.under(X)
