"""Selection along the Lasso path: against the path written out where columns are orthogonal, and planted columns."""

import numpy as np
import pytest
from scipy.linalg import hadamard
from sklearn.linear_model import LassoLarsIC

from anova_report.core.published.densities import legendre
from anova_report.core.published.selection import (
    center_columns,
    independent_columns,
    select_by_bic,
    standardize_columns,
)


def best_by_bic(design: np.ndarray, predictions: np.ndarray) -> list[int]:
    """Selection where columns are orthonormal, from the closed form of the Lasso: soft thresholds.

    The path bends where the next column enters, at the thresholds |c_(1)| > |c_(2)| > … > 0; BIC is compared there.
    """
    n_rows, n_columns = design.shape
    centered = predictions - predictions.mean()
    correlations = design.T @ centered / n_rows
    noise = np.sum((centered - design @ correlations) ** 2) / (n_rows - n_columns - 1)
    order = np.argsort(-np.abs(correlations))
    criteria = []
    for size, threshold in enumerate([*np.abs(correlations[order]), 0.0]):
        kept = np.sign(correlations) * np.maximum(np.abs(correlations) - threshold, 0)
        criteria.append(np.sum((centered - design @ kept) ** 2) / noise + np.log(n_rows) * size)
    return sorted(order[: int(np.argmin(criteria))].tolist())


def orthogonal(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw predictions that some of twenty orthonormal columns explain, beside as much noise."""
    rng = np.random.default_rng(seed)
    design = hadamard(64)[:, 1:21].astype(float)
    return design, 5 + design @ (rng.normal(size=20) * (rng.random(20) < 0.4)) + rng.normal(size=64)


@pytest.mark.parametrize("seed", range(8))
def test_on_orthogonal_columns_the_choice_is_that_of_the_path_written_out(seed):
    design, predictions = orthogonal(seed)
    assert select_by_bic(design, predictions).tolist() == best_by_bic(design, predictions)


def columns_of_many_sizes() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = rng.normal(2, 1, size=(500, 20)) + rng.normal(size=(500, 1))
    predictions = columns[:, 3] - columns[:, 11] + rng.normal(size=500)
    return columns * np.logspace(-1, 1, 20), predictions


def test_columns_are_taken_as_they_are_as_scikit_learns_own_class_does():
    columns, predictions = columns_of_many_sizes()
    theirs = np.flatnonzero(LassoLarsIC(criterion="bic").fit(columns, predictions).coef_)
    assert select_by_bic(center_columns(columns.copy()), predictions).tolist() == theirs.tolist()
    assert select_by_bic(standardize_columns(columns.copy()), predictions).tolist() != theirs.tolist()


def test_once_standardized_it_does_not_matter_how_large_a_column_is():
    columns, predictions = columns_of_many_sizes()
    first = select_by_bic(standardize_columns(columns / np.logspace(-1, 1, 20)), predictions)
    second = select_by_bic(standardize_columns(columns), predictions)
    assert first.tolist() == second.tolist()
    assert {3, 11} <= set(first.tolist())


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_predictions_does_not_matter(unit):
    columns, predictions = columns_of_many_sizes()
    center_columns(columns)
    assert select_by_bic(columns, unit * predictions).tolist() == select_by_bic(columns, predictions).tolist()


def test_the_path_runs_on_while_bic_falls():
    # 520 columns matter, so the 500 steps after which scikit-learn stops by itself are too few.
    rng = np.random.default_rng(0)
    design = hadamard(1024)[:, 1:541].astype(float)
    predictions = design[:, :520] @ rng.uniform(1, 2, size=520) + rng.normal(size=1024)
    kept = select_by_bic(design, predictions).tolist()
    assert kept == best_by_bic(design, predictions)
    assert len(kept) >= 520
    assert len(select_by_bic(design, predictions, max_steps=20)) == 20


def test_predictions_that_never_change_need_no_column():
    design = standardize_columns(np.random.default_rng(0).normal(size=(50, 3)))
    assert select_by_bic(design, np.full(50, 0.1)).tolist() == []


@pytest.mark.parametrize("n_rows", [60, 100])
def test_fewer_rows_than_columns_are_enough_to_find_what_was_planted(n_rows):
    rng = np.random.default_rng(1)
    design = standardize_columns(rng.normal(size=(n_rows, 150)))
    predictions = 3 * design[:, 7] - 2 * design[:, 90] + 0.3 * rng.normal(size=n_rows)
    kept = select_by_bic(design, predictions).tolist()
    assert {7, 90} <= set(kept)
    assert len(kept) < 30
    assert kept == sorted(kept)


def test_columns_of_few_values_are_cut_to_what_they_span():
    values = np.random.default_rng(3).choice([-1.0, -0.2, 0.4, 1.0], size=200)
    design = standardize_columns(legendre(values, 9)[:, 1:])
    kept = independent_columns(design, [9])
    assert len(kept) == np.linalg.matrix_rank(design) == 3
    assert kept.tolist() == sorted(kept.tolist())
    explained = design[:, kept] @ np.linalg.lstsq(design[:, kept], design, rcond=None)[0]
    np.testing.assert_allclose(explained, design, atol=1e-6)
