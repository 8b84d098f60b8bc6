"""From a purified fit to component functions: what is written down is what the columns of the fit say."""

import numpy as np
import pytest

from anova_report.core.expansion import Expansion
from anova_report.core.fit.design import ColumnBlock, Columns
from anova_report.core.fit.summary import Assembly
from tests.core.small_fits import (
    columns_of,
    correlated,
    exact_design,
    fit_columns,
    grouped_rows,
    in_order_of_visit,
    standard_answers,
)

SINGLE = 1e-4  # rows in single precision, relative to the spread of the answers
PRODUCTS = np.array([[0, 0], [1, 0], [1, 2]])
# Terms as they may come: not sorted, a pair in two blocks, one pair with a feature that has no main effect.
UNSORTED = Columns(
    (
        ColumnBlock((2,), np.arange(3).reshape(-1, 1)),
        ColumnBlock((0,), np.arange(4).reshape(-1, 1)),
        ColumnBlock((1, 2), PRODUCTS),
        ColumnBlock((0, 2), PRODUCTS),
        ColumnBlock((1, 2), np.array([[3, 3]])),
        ColumnBlock((0, 1, 2), np.array([[0, 0, 0], [1, 0, 2]])),
    )
)


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return correlated(2000, seed=0, rho=0.4, n_features=3)


@pytest.fixture(scope="module")
def assembly(X) -> Assembly:
    products = X[:, 1] * X[:, 2] + X[:, 0] * X[:, 2] + X.prod(axis=1)
    answers = np.column_stack([50 + products, 1e5 * (X[:, 0] + X[:, 2] ** 2)])
    group = np.r_[np.zeros(1500, dtype=np.intp), np.ones(500, dtype=np.intp)]
    return Assembly.of(fit_columns(grouped_rows(X, answers, group), UNSORTED, strength=1e-4))


@pytest.fixture(scope="module")
def expansion(assembly) -> Expansion:
    return assembly.expansion()


def test_terms_come_by_order_and_index_however_their_columns_came(assembly, expansion):
    assert assembly.terms == ((0,), (2,), (0, 2), (1, 2), (0, 1, 2))
    assert tuple(component.term for component in expansion.components) == assembly.terms
    assert assembly.parts.terms == assembly.terms[2:]


def test_products_named_by_degrees_are_the_columns_named_by_positions(assembly, X):
    design = exact_design(assembly.fit.rows, UNSORTED)
    functions = [np.c_[np.ones(len(X)), m.evaluate(X[:, j]).T] for j, m in enumerate(assembly.fit.rows.marginals)]
    for term in assembly.terms:
        chosen = [functions[feature][:, which] for feature, which in zip(term, assembly.degrees(term).T, strict=True)]
        np.testing.assert_allclose(np.prod(chosen, axis=0), design[:, assembly.positions(term)], atol=1e-10)


def test_a_component_is_its_columns_times_its_coefficients_in_units_of_the_answers(assembly, expansion, X):
    rows = assembly.fit.rows
    design = exact_design(rows, UNSORTED)
    values = expansion.evaluate(X)
    for index, term in enumerate(assembly.terms):
        plain = design[:, assembly.positions(term)] @ assembly.coefficients(term)
        np.testing.assert_allclose(values[:, index], (plain - assembly.offsets[index]) * rows.spread, rtol=1e-9)


def test_the_sum_is_the_ridge_fit_of_the_answers_as_they_came(assembly, expansion, X):
    rows = assembly.fit.rows
    design, learnt = exact_design(rows, UNSORTED), slice(0, 1500)
    gram = design[learnt].T @ design[learnt] / 1500 + np.diag(assembly.fit.ridge)
    fit = np.linalg.solve(gram, design[learnt].T @ standard_answers(rows)[learnt] / 1500)
    expected = rows.centre + rows.spread * (design @ fit)
    np.testing.assert_allclose(expansion.predict(X) / rows.spread, expected / rows.spread, atol=1e-3)


def test_offsets_centre_main_effects_and_interactions_need_none(assembly, expansion, X):
    spread = assembly.fit.rows.spread
    seen = expansion.evaluate(X[:1500]) / spread
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=SINGLE)
    assert not assembly.offsets[2:].any()
    # On the rows of the fit alone: those of the other group must not have been averaged.
    assert np.abs(assembly.offsets[:2]).max() > 10 * SINGLE


def test_the_mean_is_the_average_answer_of_the_rows_of_the_fit(assembly, expansion):
    rows = assembly.fit.rows
    average = rows.source.answers[:1500].mean(axis=0)
    np.testing.assert_allclose(expansion.mean / rows.spread, average / rows.spread, atol=SINGLE)


def test_columns_are_components_and_gap_on_rows_the_fit_has_not_seen(assembly, expansion, X):
    (part,) = assembly.fit.rows.parts((1,))
    columns = assembly.columns(part).transpose(2, 1, 0)
    rows, unseen = assembly.fit.rows, in_order_of_visit(2000)
    unseen = unseen[unseen >= 1500]
    np.testing.assert_array_equal(part.values, X[unseen])
    gap = rows.source.answers[unseen] - expansion.predict(X[unseen])
    np.testing.assert_allclose(columns[:, -1], gap / rows.spread, atol=10 * SINGLE)
    np.testing.assert_allclose(columns[:, :-1], expansion.evaluate(X[unseen]) / rows.spread, atol=10 * SINGLE)


def test_a_triple_lists_its_parts_once_after_its_own_products(assembly):
    degrees = assembly.degrees((0, 1, 2))
    assert degrees[:3].tolist() == [[1, 1, 1], [2, 1, 3], [0, 0, 0]]
    assert len(np.unique(degrees, axis=0)) == len(degrees)
    # Feature 1 has no main effect and no pair with feature 0: it is there together with feature 2 only.
    parts = degrees[3:]
    assert (parts[parts[:, 1] > 0][:, 2] > 0).all()


def test_main_effects_alone_have_no_parts_to_be_freed_of(X):
    assembly = Assembly.of(fit_columns(grouped_rows(X, X[:, 0]), columns_of(((0,), 3), ((1,), 2))))
    assert assembly.parts.terms == ()
    assert assembly.purified.projections == {}
    np.testing.assert_array_equal(assembly.purified.coefficients, assembly.fit.coefficients)
    (part,) = assembly.fit.rows.parts((0,))
    assert assembly.columns(part).shape == (1, 3, 2000)
