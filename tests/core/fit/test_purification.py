"""Purifying: interactions give up what belongs to their subterms, the sum stays, and noise is left where it is."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.basis.design import Columns
from anova_report.core.basis.splines import FAMILIES
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.fit.purification import Subterms, SubtermSums, _left_alone, _shrinkage
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.summary import Assembly
from tests.core.small_fits import (
    columns_of,
    correlated,
    exact_design,
    fit_columns,
    grouped_rows,
    in_order_of_visit,
    standard_predictions,
)

SINGLE = 1e-4  # rows in single precision, relative to the spread of the predictions
PAIR = columns_of(((0,), 6), ((1,), 6), ((0, 1), 4))
TRIPLE = columns_of(
    ((0,), 5), ((1,), 5), ((2,), 5), ((0, 1), 3), ((0, 2), 3), ((1, 2), 3), ((0, 1, 2), 2)
)  # fmt: skip
RHO = 0.7


@pytest.fixture(scope="module")
def product() -> tuple[np.ndarray, Assembly]:
    X = correlated(20_000, seed=0)
    return X, Assembly.purified(fit_columns(grouped_rows(X, X[:, 0] * X[:, 1], degree=6, family="polynomials"), PAIR))


@pytest.fixture(scope="module")
def triple() -> tuple[np.ndarray, Assembly]:
    X = correlated(15_000, seed=1, rho=0.5, n_features=3)
    predictions = np.column_stack([X[:, 0] * X[:, 1] * X[:, 2] + X[:, 0], X[:, 1] * X[:, 2] - X[:, 2] ** 2])
    return X, Assembly.purified(fit_columns(grouped_rows(X, predictions, degree=5, family="polynomials"), TRIPLE))


def total_coefficients(assembly: Assembly) -> np.ndarray:
    """Coefficients of the sum of all components, column by column."""
    total = np.zeros_like(assembly.fit.coefficients)
    total[0] = assembly.moved[0]
    for term in assembly.terms:
        np.add.at(total, assembly.positions(term), assembly.coefficients(term))
    return total


def components(assembly: Assembly, X: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    values = assembly.expansion().evaluate(X)
    return {term: values[:, index] for index, term in enumerate(assembly.terms)}


def subterm_design(assembly: Assembly, term: tuple[int, ...]) -> np.ndarray:
    """Columns of every subterm of an interaction, on the rows of the fit."""
    rows, columns = assembly.fit.rows, assembly.fit.columns
    return exact_design(rows, columns)[:, Subterms(columns, [term]).positions(term)]


@pytest.mark.parametrize("case", ["product", "triple"])
def test_the_sum_of_all_components_does_not_change(case, request):
    X, assembly = request.getfixturevalue(case)
    np.testing.assert_allclose(total_coefficients(assembly), assembly.fit.coefficients, atol=1e-10)
    rows = assembly.fit.rows
    fitted = rows.center + rows.spread * (exact_design(rows, assembly.fit.columns) @ assembly.fit.coefficients)
    np.testing.assert_allclose(assembly.expansion().predict(X), fitted, atol=1e-9)


def pure_product(X: np.ndarray, rho: float) -> np.ndarray:
    """What is left of x₁x₂ of correlated normals.

    x₁x₂ − ρ = a (x₁² − 1) + a (x₂² − 1) + pure, with a = ρ / (1 + ρ²), by E[x₂² | x₁] = ρ² x₁² + 1 − ρ².
    """
    return X[:, 0] * X[:, 1] - rho - rho / (1 + rho**2) * (X**2 - 1).sum(axis=1)


def test_a_product_of_correlated_normals_splits_as_it_does_on_paper():
    X = correlated(40_000, seed=9, rho=RHO)
    columns = columns_of(((0,), 16), ((1,), 16), ((0, 1), 8))
    rows = grouped_rows(X, X[:, 0] * X[:, 1], degree=16, family="polynomials")
    found = components(Assembly.purified(fit_columns(rows, columns)), X)
    spread = np.std(X[:, 0] * X[:, 1])
    for feature in (0, 1):
        error = found[feature,][:, 0] - RHO / (1 + RHO**2) * (X[:, feature] ** 2 - 1)
        assert np.sqrt(np.mean(error**2)) < 0.025 * spread
    assert np.sqrt(np.mean((found[0, 1][:, 0] - pure_product(X, RHO)) ** 2)) < 0.025 * spread


@pytest.mark.parametrize(
    ("case", "term", "output"), [("product", (0, 1), 0), ("triple", (0, 1, 2), 0), ("triple", (1, 2), 1)]
)
def test_of_a_strong_interaction_nothing_beyond_noise_is_left_to_its_subterms(case, term, output, request):
    # The pair of the triple's second output holds some of the triple's, and is purified after it.
    X, assembly = request.getfixturevalue(case)
    interaction = components(assembly, X)[term][:, output]
    assert interaction.std() > 0.3
    products = subterm_design(assembly, term) * interaction[:, None]
    noise = products.std(axis=0) / np.sqrt(len(X))
    # A block of one axis is left alone up to √(1 + 3 √2) = 2.3 standard deviations, a larger one a little further.
    assert (np.abs(products.mean(axis=0)) < 3.5 * noise + 1e-5).all()


@pytest.mark.parametrize(("rho", "at_most"), [(0.3, 0.7), (0.7, 0.9)])
def test_an_interaction_is_nearer_to_the_truth_than_after_an_exact_projection(rho, at_most):
    errors = []
    for seed in range(6):
        X = correlated(1000, seed=50 + seed, rho=rho)
        rows = grouped_rows(X, X[:, 0] * X[:, 1], degree=6, family="polynomials")
        assembly = Assembly.purified(fit_columns(rows, PAIR))
        own = PAIR.positions[0, 1]
        raw = rows.spread[0] * (exact_design(rows, PAIR)[:, own] @ assembly.fit.coefficients[own, 0])
        subterms = subterm_design(assembly, (0, 1))
        exact = raw - subterms @ np.linalg.lstsq(subterms, raw, rcond=None)[0]
        found = components(assembly, X)[0, 1][:, 0]
        errors.append([np.mean((each - pure_product(X, rho)) ** 2) for each in (found, exact)])
    ours, exact = np.sqrt(np.mean(errors, axis=0))
    assert ours < at_most * exact


def test_an_interaction_that_is_a_function_of_one_feature_moves_there_wholly():
    x = np.random.default_rng(0).integers(0, 8, size=2000).astype(float)
    X = np.column_stack([x, x // 2])  # nothing is left that takes both
    columns = columns_of(((0,), 7), ((1,), 3), ((0, 1), 3))
    fit = fit_columns(grouped_rows(X, x * (x // 2), degree=7), columns, strength=1e-6)
    found = components(Assembly.purified(fit), X)
    own = columns.positions[0, 1]
    raw = fit.rows.spread * (exact_design(fit.rows, columns)[:, own] @ fit.coefficients[own])
    assert raw.std() > 0.1
    assert found[0, 1].std() < 1e-3 * raw.std()


@pytest.mark.parametrize("seed", range(3))
def test_independent_inputs_with_few_rows_move_next_to_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(400, 2))
    predictions = 3 * X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=400)
    assembly = Assembly.purified(fit_columns(grouped_rows(X, predictions, degree=6, family="polynomials"), PAIR))
    shift = assembly.projections[0, 1].shift[1:, 0]
    subterms = subterm_design(assembly, (0, 1))
    own = assembly.fit.columns.positions[0, 1]
    raw = exact_design(assembly.fit.rows, PAIR)[:, own] @ assembly.fit.coefficients[own, 0]
    exact = np.linalg.lstsq(subterms, raw, rcond=None)[0][1:]
    assert np.linalg.norm(exact) > 0.05  # what an exact projection would move is noise
    assert np.linalg.norm(shift) < 0.5 * np.linalg.norm(exact)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_a_projection_leaves_alone_is_known_although_chance_projects_a_quarter(share):
    rng, found = np.random.default_rng(0), []
    for _ in range(50):
        axes = np.sqrt(400) * np.linalg.qr(rng.normal(size=(400, 100)))[0]
        shared, own = axes @ rng.normal(size=100) / 10, rng.normal(size=400)
        interaction = np.sqrt(share) * shared + np.sqrt(1 - share) * own
        products = (axes * interaction[:, None]).reshape(16, 25, 100).sum(axis=1) / 400
        spread = (products - products.mean(axis=0)) * np.sqrt(16 / 15)
        found.append(_left_alone(products.sum(axis=0), spread, np.mean(interaction**2)))
    assert np.mean(found) == pytest.approx(1 - share, abs=0.02)


def test_an_interaction_that_is_zero_in_all_rows_moves_nothing():
    rows = grouped_rows(correlated(200, seed=3), np.column_stack([np.arange(200.0)] * 2), degree=3)
    fit = fit_columns(rows, columns_of(((0,), 2), ((1,), 2), ((0, 1), 1)))
    fit.coefficients[fit.columns.positions[0, 1]] = 0.0
    projection = Assembly.purified(fit).projections[0, 1]
    assert not projection.shift.any()
    assert not projection.kept.any()


@pytest.mark.parametrize("family", FAMILIES)
def test_purifying_hardly_takes_main_effects_further_from_the_truth_where_nothing_is_to_move(family):
    errors = []
    for seed in range(12):
        rng = np.random.default_rng(100 + seed)
        X = rng.uniform(-1, 1, size=(300, 2))
        predictions = 3 * X[:, 0] * X[:, 1] + X[:, 0] + 0.5 * rng.normal(size=300)
        fit = fit_columns(grouped_rows(X, predictions, degree=6, family=family), PAIR, strength=1e-3)
        assembly = Assembly.purified(fit)
        own, design = PAIR.positions[0,], exact_design(fit.rows, PAIR)
        before = fit.rows.spread * (design[:, own] @ fit.coefficients[own])
        subterms, pair = subterm_design(assembly, (0, 1)), PAIR.positions[0, 1]
        raw = fit.rows.spread * (design[:, pair] @ fit.coefficients[pair])
        exactly = before + subterms[:, own] @ np.linalg.lstsq(subterms, raw, rcond=None)[0][own]
        found = (before, components(assembly, X)[0,], exactly)
        errors.append([np.sqrt(np.mean((main[:, 0] - main.mean() - X[:, 0]) ** 2)) for main in found])
    before, after, exactly = np.mean(errors, axis=0)
    assert after - before < 0.25 * (exactly - before)


def test_outputs_are_purified_each_on_its_own_evidence():
    X = correlated(3000, seed=2)
    predictions = np.column_stack([X[:, 0] * X[:, 1], 5 * X[:, 0] + np.random.default_rng(3).normal(size=3000)])
    together = Assembly.purified(fit_columns(grouped_rows(X, predictions, degree=6), PAIR))
    for output in range(2):
        alone = Assembly.purified(fit_columns(grouped_rows(X, predictions[:, output], degree=6), PAIR))
        np.testing.assert_allclose(together.moved[:, output], alone.moved[:, 0], atol=SINGLE)
        ours, theirs = together.projections[0, 1].shift[:, output], alone.projections[0, 1].shift[:, 0]
        np.testing.assert_allclose(ours, theirs, atol=SINGLE)


@pytest.fixture(scope="module")
def rows() -> GroupedRows:
    return grouped_rows(correlated(500, seed=6, n_features=3), np.random.default_rng(7).normal(size=(500, 2)), degree=5)


@pytest.mark.parametrize("columns", [TRIPLE, columns_of(((0,), 2), ((1,), 3), ((2,), 1), ((0, 1), 2), ((0, 1, 2), 2))])
def test_subterms_are_subtracted_and_summed_as_written_out(rows, columns: Columns):
    terms = [term for term in columns.positions if len(term) > 1]
    own_subterms = Subterms(columns, terms)
    design = exact_design(rows, columns)[in_order_of_visit(500)]
    rng = np.random.default_rng(8)
    shifts = {term: rng.normal(size=(len(own_subterms.positions(term)), 2)) for term in terms}
    values = rng.normal(size=(2, len(terms), 500)).astype(np.float32)
    (block,) = rows.blocks((0,))
    taken = values.copy()
    own_subterms.subtract(shifts, block.functions, taken)
    slices = block.slices
    sums = SubtermSums(own_subterms, 2)
    for _ in range(2):
        sums.add(own_subterms.products(block.functions, values, slices))
    for index, term in enumerate(terms):
        own = design[:, own_subterms.positions(term)]
        np.testing.assert_allclose(taken[:, index], values[:, index] - (own @ shifts[term]).T, atol=1e-3)
        found = sums.of(term)
        assert found.shape == (2, REPLICATES, own.shape[1])
        for replicate, at in slices[:5]:
            np.testing.assert_allclose(found[:, replicate], 2 * values[:, index, at] @ own[at], atol=1e-3)
        np.testing.assert_allclose(found.sum(axis=1), 2 * values[:, index] @ own, atol=1e-2)


def test_columns_on_rows_are_the_components_and_the_gap(triple):
    X, assembly = triple
    made = np.concatenate(
        [assembly.values.columns(block).transpose(2, 1, 0) for block in assembly.fit.rows.blocks((0,))]
    )
    read = in_order_of_visit(len(X))
    expansion = assembly.expansion()
    spread = assembly.fit.rows.spread
    np.testing.assert_allclose(made[:, :-1], expansion.evaluate(X[read]) / spread, atol=SINGLE)
    predictions = assembly.fit.rows.coded.source.predictions
    gap = ((predictions - expansion.predict(X)) / spread)[read]
    np.testing.assert_allclose(made[:, -1], gap, atol=10 * SINGLE)
    total = made.sum(axis=1) + (expansion.mean - assembly.fit.rows.center) / spread
    np.testing.assert_allclose(total, standard_predictions(assembly.fit.rows)[read], atol=1e-9)


def test_degrees_name_the_functions_of_a_component(triple):
    _, assembly = triple
    degrees = assembly.degrees((0, 1, 2))
    assert degrees.shape == (len(assembly.positions((0, 1, 2))), 3)
    own = 8
    assert (degrees[:own] > 0).all()
    assert degrees[own].tolist() == [0, 0, 0]
    assert degrees[own + 1].tolist() == [1, 0, 0]
    assert ((degrees[own:] > 0).sum(axis=1) < 3).all()
    assert assembly.degrees((1,)).tolist() == [[1], [2], [3], [4], [5]]


@pytest.mark.parametrize("smooth", [0.0, 1.0])
def test_rough_functions_move_only_where_smooth_ones_do(smooth):
    rng = np.random.default_rng(0)
    blocks = [slice(0, 2), slice(2, 4), slice(4, 8), slice(8, 16), slice(16, 32)]
    by_replicate = rng.normal(size=(16, 32))  # of 100 rows each
    by_replicate[:, 16:] += 20.0
    by_replicate[:, 2:4] += 20.0 * smooth
    by_replicate[:, 24:] *= -1
    kept = _shrinkage(by_replicate, blocks, 1600.0, 1000.0)
    np.testing.assert_allclose([kept[block].mean() for block in blocks], [0, smooth, 0, 0, smooth], atol=0.02)


@pytest.mark.parametrize("seed", [1004, 1005])
def test_a_triple_of_few_rows_is_not_taken_for_the_many_low_order_products_of_its_pairs(seed):
    rng = np.random.default_rng(seed)
    X, fresh = rng.normal(size=(1000, 3)), np.random.default_rng(1).normal(size=(4000, 3))
    fanova = FunctionalANOVA(max_order=3, random_state=0, progress=False).fit(X, X[:, 0] + X.prod(axis=1))
    apart = fanova.decomposition_.component((0, 1, 2), fresh) - fresh.prod(axis=1)
    assert np.sqrt((apart**2).mean()) < 0.2  # of a standard deviation of 1; noise alone makes .1
