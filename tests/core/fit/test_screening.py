"""Screening: averages as written out, planted interactions found, noise left alone."""

import numpy as np
import pytest

from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.fit.row_blocks import GroupedRows, random_groups
from anova_report.core.fit.screening import (
    DIRECTIONS,
    PairScreen,
    ScreeningRule,
    choose_blocks,
    judge,
    screen_pairs,
)
from tests.core.small_fits import exact_design, fit_columns, grouped_rows, mains, standard_predictions

RULE = ScreeningRule(4.0, 3)
ROOM = 10_000


def residual_of(rows: GroupedRows, columns: Columns) -> Evaluator:
    """Fit some columns and prepare to evaluate them, so that what they leave can be screened."""
    return Evaluator(columns, fit_columns(rows, columns).coefficients)


def screened(X: np.ndarray, predictions: np.ndarray, degree: int = 6) -> tuple[PairScreen, Columns]:
    rows = grouped_rows(X, predictions, degree=degree)
    columns = mains(X.shape[1], min(4, degree))
    return screen_pairs(rows, (0,), residual_of(rows, columns), [degree] * X.shape[1]), columns


def chosen_terms(X: np.ndarray, predictions: np.ndarray, room: int = ROOM) -> list[tuple[int, ...]]:
    screen, columns = screened(X, predictions)
    return [block.term for block in choose_blocks(screen, columns, RULE, room)]


@pytest.fixture(scope="module")
def written_out() -> tuple[PairScreen, np.ndarray, np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 3))
    predictions = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] * X[:, 1] + rng.normal(size=9000)])
    rows = grouped_rows(X, predictions, random_groups((0.7, 0.3), seed=0), degree=5)
    columns = mains(3)
    coefficients = fit_columns(rows, columns).coefficients
    screen = screen_pairs(rows, (0,), Evaluator(columns, coefficients), [5, 3, 4])
    group = np.concatenate([rows.groups(0, 8192), rows.groups(1, 808)])
    left = (standard_predictions(rows) - exact_design(rows, columns) @ coefficients)[group == 0]
    functions = [marginal.evaluate(X[group == 0, j]) for j, marginal in enumerate(rows.marginals)]
    # The first block fixes the scale of the residuals.
    first = left[: (group[:8192] == 0).sum()]
    return screen, left / np.sqrt((first**2).mean(axis=0)), (left**2).mean(axis=0), functions


@pytest.mark.parametrize(("i", "j"), [(0, 1), (0, 2), (1, 2)])
def test_the_screen_holds_averages_of_products_and_their_sampling_variance(written_out, i, j):
    screen, left, _, functions = written_out
    widths = [5, 3, 4]
    at = [slice(sum(widths[:feature]), sum(widths[: feature + 1])) for feature in (i, j)]
    mean, variances = screen.mean[:, *at], screen.variance[:, *at]
    products = np.einsum("an,bn->abn", functions[i][: widths[i]], functions[j][: widths[j]])
    for output in range(2):
        np.testing.assert_allclose(mean[output], products @ left[:, output] / len(left), atol=1e-4)
        variance = products**2 @ left[:, output] ** 2 / len(left) ** 2
        np.testing.assert_allclose(variances[output], variance, rtol=1e-2)
    np.testing.assert_allclose(screen.spread, (left**2).mean(axis=0), rtol=1e-3)


def test_the_sampling_variance_is_the_spread_over_fresh_samples():
    means, variances = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 2))
        screen, _ = screened(X, rng.normal(size=500), degree=3)
        means.append(screen.mean[0, :3, 3:])
        variances.append(screen.variance[:, :3, 3:])
    ratio = np.mean(variances, axis=0) / np.var(means, axis=0)
    np.testing.assert_allclose(ratio, 1, atol=0.45)
    assert ratio.mean() == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("seed", range(4))
def test_a_planted_product_is_found_and_comes_first(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 5))
    predictions = X[:, 0] + X[:, 1] * X[:, 3] + rng.normal(size=2000)
    assert chosen_terms(X, predictions)[0] == (1, 3)


def test_in_pure_noise_next_to_nothing_is_found():
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(100 + seed)
        found += len(chosen_terms(rng.normal(size=(2000, 5)), rng.normal(size=2000)))
    assert found <= 10  # of 100 pairs, each with 36 products


def test_many_outputs_are_screened_along_few_directions():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(4000, 3))
    weights = rng.normal(size=9)
    predictions = np.outer(X[:, 0] * X[:, 2], weights) + 0.3 * rng.normal(size=(4000, 9))
    screen, _ = screened(X, predictions)
    assert len(screen.spread) == DIRECTIONS
    assert chosen_terms(X, predictions)[0] == (0, 2)


def test_products_that_are_there_already_are_not_chosen_again():
    X = np.random.default_rng(9).normal(size=(3000, 2))
    predictions = X[:, 0] * X[:, 1] + np.random.default_rng(10).normal(size=3000)
    screen, columns = screened(X, predictions)
    # A finer product than was screened does no harm.
    had = columns.with_blocks([ColumnBlock((0, 1), np.array([[0, 0], [9, 9]]))])
    (first, *_) = choose_blocks(screen, columns, RULE, ROOM)
    (second, *_) = choose_blocks(screen, had, RULE, ROOM)
    assert [0, 0] in first.functions.tolist()
    assert sorted([[0, 0], *second.functions.tolist()]) == sorted(first.functions.tolist())


def test_high_degrees_are_found_where_low_ones_tell_nothing():
    X = np.random.default_rng(11).uniform(-1, 1, size=(6000, 2))
    # Legendre polynomials of degree 5 and 6: orthogonal to everything lower.
    predictions = np.polynomial.legendre.legval(X[:, 0], np.eye(7)[5]) * np.polynomial.legendre.legval(
        X[:, 1], np.eye(7)[6]
    )
    screen, columns = screened(X, predictions)
    (block,) = choose_blocks(screen, columns, RULE, ROOM)
    assert [4, 5] in block.functions.tolist()
    assert len(block.functions) < 10


def test_a_strong_product_enters_and_its_score_is_what_it_promises():
    variance = np.full((1, 6, 6), 1e-4)
    mean = np.zeros((1, 6, 6))
    mean[0, 4, 5] = 0.5
    score, keep = judge(mean, variance, np.ones(1), RULE, needed=1e-3)
    assert np.argwhere(keep).tolist() == [[4, 5]]
    assert score == pytest.approx(0.25, abs=0.01)


def test_many_weak_low_products_enter_together():
    variance = np.full((1, 6, 6), 1e-3)
    mean = np.zeros((1, 6, 6))
    mean[0, :3, :3] = 2.5 * np.sqrt(1e-3)
    _, keep = judge(mean, variance, np.ones(1), RULE, needed=1e-3)
    assert keep[:3, :3].all()
    assert keep.sum() == 9


def test_evidence_at_the_level_of_noise_is_dismissed():
    variance = np.full((1, 6, 6), 1e-3)
    mean = np.sqrt(1e-3) * np.random.default_rng(14).choice([-1.0, 1.0], size=(1, 6, 6))
    score, keep = judge(mean, variance, np.ones(1), RULE, needed=1e-3)
    assert not keep.any()
    assert score <= 1e-3
