"""What keeps the cost of very many rows in bounds: nodes for the recurrence, and a sample of rows for screening."""

import numpy as np
import pytest

from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.fit import growth
from anova_report.core.fit.design import Columns, Evaluator
from anova_report.core.fit.families import MAX_NODES, fit_numeric
from anova_report.core.fit.growth import main_columns
from anova_report.core.fit.row_blocks import ArrayRows, GroupBlock, GroupedRows, random_groups
from anova_report.core.fit.screening import screen_pairs


@pytest.fixture(scope="module")
def many_values():
    """More distinct values than nodes, a heavy atom among them."""
    rng = np.random.default_rng(0)
    column = np.where(rng.random(60_000) < 0.2, 1.0, rng.gamma(2.0, size=60_000))
    values, counts = np.unique(column, return_counts=True)
    assert len(values) > 2 * MAX_NODES
    return column, fit_numeric(values, counts, n_missing=0, degree=30)


def test_functions_of_more_values_than_nodes_are_orthonormal_up_to_the_width_of_a_node(many_values):
    column, marginal = many_values
    functions = np.vstack([np.ones(len(column)), marginal.evaluate(column)])
    gram = functions @ functions.T / len(column)
    np.testing.assert_allclose(gram, np.eye(31), atol=2e-4)


def test_the_leading_rows_of_a_part_are_its_first_ones():
    marginal = fit_numeric(np.arange(10.0), np.ones(10, dtype=int), 0, 3)
    block = GroupBlock(
        2,
        np.arange(10.0)[:, None],
        np.arange(10.0)[:, None],
        [marginal],
        [(4, slice(0, 2)), (9, slice(2, 9)), (11, slice(9, 10))],
        np.arange(50, 60),
    )
    leading = block.leading(0.25)
    assert leading.group == 2
    assert leading.values[:, 0].tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_array_equal(leading.functions[0], block.functions[0][:, :3])
    assert leading.slices == [(4, slice(0, 2)), (9, slice(2, 3))]
    assert leading.positions.tolist() == [50, 51, 52]
    assert block.leading(1.0) is block


def _grouped(n_rows):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 2))
    answers = (X[:, 0] * X[:, 1])[:, None]
    marginals = []
    for column in X.T:
        values, counts = np.unique(column, return_counts=True)
        marginals.append(fit_numeric(values, counts, 0, 4))
    return GroupedRows(ArrayRows(X, answers), marginals, np.zeros(1), np.ones(1), random_groups((1.0,), seed=0))


def test_a_sample_of_rows_screens_like_all_of_them_within_its_noise():
    rows = _grouped(40_000)
    columns: Columns = main_columns(rows.marginals, 2)
    nothing = Evaluator(columns, np.zeros((columns.size, 1)))
    whole = screen_pairs(rows, (0,), nothing, [4, 4])
    sample = screen_pairs(rows, (0,), nothing, [4, 4], share=0.25)
    noise = np.sqrt(sample.variance[0])
    assert (np.abs(sample.mean[0] - whole.mean[0]) <= 5 * noise).all()
    # A quarter of the rows has four times the sampling variance.
    ratio = sample.variance[0][:4, 4:] / whole.variance[0][:4, 4:]
    assert np.median(ratio) == pytest.approx(4.0, rel=0.2)


def test_a_fit_that_screens_a_sample_finds_the_same_pair(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12_000, 3))
    answers = X[:, 0] + X[:, 1] * X[:, 2]
    monkeypatch.setattr(growth, "SCREENED_ROWS", 3000)
    fitted = FunctionalANOVA(random_state=0, progress=False).fit(X, answers)
    assert (1, 2) in fitted.decomposition_.terms
    assert fitted.score(X, answers) > 0.999
