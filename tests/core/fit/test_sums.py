"""Sums over rows: what numpy gets from the whole design at once, in double precision."""

import numpy as np
import pytest

from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.fit.row_blocks import GroupedRows, random_groups
from anova_report.core.fit.sums import GroupSums, Normal
from tests.core.small_fits import columns_of, exact_design, grouped_rows, standard_predictions

SINGLE = 1e-5  # an average of products in single precision
COLUMNS = columns_of(((0,), 4), ((1,), 4), ((2,), 3), ((0, 1), 3), ((0, 2), 2), ((0, 1, 2), 2))


@pytest.fixture(scope="module")
def rows() -> GroupedRows:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(BLOCK_ROWS + 1500, 3))
    X[:, 1] += X[:, 0]
    predictions = np.column_stack([X[:, 0] * X[:, 1], 1e6 + X[:, 2]])
    return grouped_rows(X, predictions, random_groups((0.5, 0.3, 0.2), seed=7))


@pytest.fixture(scope="module")
def group(rows) -> np.ndarray:
    return np.concatenate([rows.groups(0, BLOCK_ROWS), rows.groups(1, 1500)])


def summed(rows: GroupedRows, *steps) -> GroupSums:
    sums = GroupSums((0, 1, 2), 2)
    for columns in steps:
        sums.extend(rows, columns)
    return sums


def assert_equal(normal: Normal, design: np.ndarray, predictions: np.ndarray) -> None:
    np.testing.assert_allclose(normal.gram, design.T @ design / len(design), atol=SINGLE)
    np.testing.assert_allclose(normal.cross, design.T @ predictions / len(design), atol=SINGLE)
    np.testing.assert_allclose(normal.squares, (predictions**2).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(normal.variance, predictions.var(axis=0), atol=SINGLE)
    assert normal.n_rows == len(design)


@pytest.mark.parametrize("chosen", [(0,), (1,), (2,), (0, 2), (2, 0, 1)])
def test_averages_over_groups_are_those_of_the_whole_design(rows, group, chosen):
    normal = summed(rows, COLUMNS).average(chosen)
    at = np.isin(group, chosen)
    assert_equal(normal, exact_design(rows, COLUMNS)[at], standard_predictions(rows)[at])


@pytest.mark.parametrize("size", [12, 13, 25])
def test_columns_that_come_in_two_steps_give_what_they_give_at_once(rows, size):
    at_once = summed(rows, COLUMNS).average((0, 1))
    in_steps = summed(rows, COLUMNS.first(size), COLUMNS).average((0, 1))
    np.testing.assert_allclose(in_steps.gram, at_once.gram, atol=SINGLE)
    np.testing.assert_allclose(in_steps.cross, at_once.cross, atol=SINGLE)
    assert in_steps.n_rows == at_once.n_rows
    np.testing.assert_array_equal(in_steps.squares, at_once.squares)


def test_merged_groups_can_be_given_more_columns(rows):
    merged = summed(rows, COLUMNS.first(16)).merged(16, {0: (0, 1, 2)})
    merged.extend(rows, COLUMNS)
    assert_equal(merged.average((0,)), exact_design(rows, COLUMNS), standard_predictions(rows))
