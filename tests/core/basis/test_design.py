"""Columns of a fit: products of functions, in blocks, and fitted components without the design."""

import numpy as np
import pytest

from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.fit.row_blocks import GroupedRows
from tests.core.small_fits import exact_design, grouped_rows, in_order_of_visit

COLUMNS = Columns(
    (
        ColumnBlock((0,), np.arange(4).reshape(-1, 1)),
        ColumnBlock((2,), np.arange(3).reshape(-1, 1)),
        ColumnBlock((0, 1), np.array([[0, 0], [2, 1]])),
        ColumnBlock((0, 1, 2), np.array([[0, 1, 0], [1, 1, 2]])),
        ColumnBlock((0, 1), np.array([[3, 3], [0, 2], [1, 0]])),
    )
)


@pytest.fixture(scope="module")
def rows() -> GroupedRows:
    rng = np.random.default_rng(0)
    return grouped_rows(rng.normal(size=(300, 3)), rng.normal(size=300))


def test_the_design_holds_the_products(rows):
    (block,) = rows.blocks((0,))
    out = np.full((15, 300), np.nan, dtype=np.float32)
    made = COLUMNS.design(block.functions, out)
    assert made is out
    np.testing.assert_allclose(made.T, exact_design(rows, COLUMNS)[in_order_of_visit(300)], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("size", COLUMNS.starts)
def test_leading_columns_are_a_leading_part_of_the_design(rows, size):
    first = COLUMNS.first(size)
    assert first.size == size
    np.testing.assert_array_equal(exact_design(rows, first), exact_design(rows, COLUMNS)[:, :size])


def test_a_column_costs_the_sum_of_its_squared_degrees(rows):
    expected = [0, 1, 4, 9, 16, 1, 4, 9, 1 + 1, 9 + 4, 1 + 4 + 1, 4 + 4 + 9, 16 + 16, 1 + 9, 4 + 1]
    assert COLUMNS.roughness(rows.marginals).tolist() == expected


def test_components_are_evaluated_without_the_design(rows):
    coefficients = np.random.default_rng(1).normal(size=(15, 2))
    design = exact_design(rows, COLUMNS)[in_order_of_visit(300)]
    evaluator = Evaluator(COLUMNS, coefficients)
    (block,) = rows.blocks((0,))
    np.testing.assert_allclose(evaluator.total(block.functions).T, design @ coefficients, atol=1e-3)
    terms = list(COLUMNS.positions)
    values = evaluator.components(terms, block.functions)
    assert values.shape == (2, 4, 300)
    for index, term in enumerate(terms):
        own = COLUMNS.positions[term]
        np.testing.assert_allclose(values[:, index].T, design[:, own] @ coefficients[own], atol=1e-3)
