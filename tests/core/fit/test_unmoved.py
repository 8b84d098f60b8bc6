"""What pairs still share with single features, in functions finer than any column of the fit."""

import numpy as np
import pytest

from anova_report.core.fit.purification import Projection
from anova_report.core.fit.summary import Assembly, summarize_fit
from anova_report.core.fit.unmoved import LeftBehind, left_behind
from tests.core.small_fits import columns_of, correlated, fit_columns, grouped_rows

N_ROWS = 2000
COLUMNS = columns_of(((0,), 3), ((1,), 3), ((0, 1), 3))


def unmoved_of(seed: int, zigzag: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit x₀ x₁, where the mean of x₁ goes up and down between neighboring values of x₀ by `zigzag`."""
    rng = np.random.default_rng(seed)
    level = rng.integers(40, size=N_ROWS)
    second = zigzag * (-1.0) ** level + rng.normal(size=N_ROWS)
    X = np.column_stack([level / 20 - 1 + 1 / 40, second])
    product = X[:, 0] * X[:, 1]
    rows = grouped_rows(X, product, family="polynomials")
    assembly = Assembly.purified(fit_columns(rows, COLUMNS, 1e-6))
    found = summarize_fit(assembly)[3]
    shared = float(np.mean((zigzag * X[:, 0]) ** 2))
    return found.variance[:, 0], found.bias[:, 0], shared


def test_functions_of_rounded_values_that_no_column_follows_are_found_and_counted_for_main_effect_and_pair():
    samples = [unmoved_of(seed, zigzag=0.7) for seed in range(8)]
    variance, bias = (np.mean([sample[at] for sample in samples], axis=0) for at in (0, 1))
    shared = np.mean([sample[2] for sample in samples])
    assert variance[0] == pytest.approx(shared, rel=0.2)
    assert variance[1] < 0.1 * shared
    assert variance[2] == pytest.approx(shared, rel=0.2)
    # The pair seems larger by that, the main effect smaller.
    np.testing.assert_allclose(bias, [shared, 0.0, -shared], atol=0.2 * shared)


def test_next_to_nothing_is_found_where_features_are_independent():
    found = np.mean([unmoved_of(seed, zigzag=0.0)[0] for seed in range(8)], axis=0)
    assert (found < 0.03 / 3).all()  # of the variance of x₀ x₁, which is a third


def test_nothing_is_found_where_columns_hold_all_functions_of_the_values():
    rng = np.random.default_rng(3)
    first = rng.integers(4, size=N_ROWS).astype(float)
    X = np.column_stack([first, np.clip(first + rng.integers(-1, 2, size=N_ROWS), 0, 3)])
    assembly = Assembly.purified(fit_columns(grouped_rows(X, X[:, 0] * X[:, 1]), COLUMNS, 1e-6))
    np.testing.assert_array_equal(summarize_fit(assembly)[3].variance, 0.0)


def test_triples_alone_share_nothing_that_is_looked_for():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N_ROWS, 3))
    columns = columns_of(((0,), 3), ((1,), 3), ((2,), 3), ((0, 1, 2), 1))
    assembly = Assembly.purified(fit_columns(grouped_rows(X, X.prod(axis=1)), columns, 1e-6))
    np.testing.assert_array_equal(summarize_fit(assembly)[3].variance, 0.0)


def behind_of(assembly: Assembly) -> LeftBehind:
    """Look at what is left of the pair of two features along the axes of its projection."""
    normal, projection = assembly.fit.normal, assembly.projections[0, 1]
    products = summarize_fit(assembly)[2].products.of((0, 1))
    return left_behind(projection, products, normal.gram[0, projection.positions[1:]], normal.n_rows)


def test_of_what_chance_projects_on_many_axes_all_counts_as_noise():
    columns, excess = columns_of(((0,), 40), ((1,), 40), ((0, 1), 2)), []
    for seed in range(40):
        X = np.random.default_rng(seed).uniform(-1, 1, size=(300, 2))
        rows = grouped_rows(X, X[:, 0] * X[:, 1], degree=40)
        excess.append(behind_of(Assembly.purified(fit_columns(rows, columns))).excess[0])
    # Of 300 rows chance projects 80 / 300 of the variance, .27, with a standard deviation of .04.
    assert abs(np.mean(excess)) < 0.02


def test_what_has_moved_is_not_taken_for_noise_of_what_is_left():
    # x₀ x₁ holds a x₀² + a x₁², which is largest where rows are few; times a rough function of x₀ it varies far more
    # than what is left once it has moved.
    columns, excess, finer = columns_of(((0,), 50), ((1,), 50), ((0, 1), 2)), [], []
    for seed in range(8):
        X = correlated(1000, seed=seed, rho=0.85)
        rows = grouped_rows(X, X[:, 0] * X[:, 1], degree=50)
        assembly = Assembly.purified(fit_columns(rows, columns, 1e-6))
        excess.append(behind_of(assembly).excess[0])
        finer.append(summarize_fit(assembly)[3].variance.any())
    # Of a variance of 1 nearly all moves; of what is left, .01, chance projects a tenth.
    assert abs(np.mean(excess)) < 0.001
    assert not any(finer)


def projection_of(by_replicate: np.ndarray, blocks: list[slice], kept: np.ndarray) -> tuple[Projection, np.ndarray]:
    """Make a projection on orthonormal columns that found these products, and what is left of them."""
    found = by_replicate.sum(axis=0) / 1600
    axes, nowhere = np.eye(len(found)), np.zeros((1 + len(found), 1))
    projection = Projection(np.arange(1 + len(found)), nowhere, axes, tuple(blocks), found[None], kept[None])
    left = by_replicate - 1600 * kept * found / len(by_replicate)
    return projection, np.concatenate([np.zeros((len(left), 1)), left], axis=1)[None]


@pytest.mark.parametrize("moved", [0.0, 1.0])
def test_what_was_found_and_did_not_move_is_missed_where_it_was_found(moved):
    rng, kept = np.random.default_rng(0), np.repeat([0.0, moved], 16)
    blocks = [slice(0, 2), slice(2, 4), slice(4, 8), slice(8, 16), slice(16, 32)]
    by_replicate = rng.normal(size=(16, 32))  # of 100 rows each
    by_replicate[:, 16:] += 20.0
    by_replicate[:, 24:] *= -1
    behind = left_behind(*projection_of(by_replicate, blocks, kept), np.zeros(32), 1600.0)
    # What rough functions share, 16 × 20 over 1,600, is missed with its sign, and all but noise of 4 / 1,600 surely.
    np.testing.assert_allclose(behind.missed[0, 16:], 0.2 * (1 - moved) * np.repeat([1, -1], 8), atol=0.02)
    assert behind.lost.max() < 0.03
    # Nor has its variance moved; what moved took some noise along.
    assert behind.excess[0] == pytest.approx(16 * 0.2**2 * (1 - moved), rel=0.1, abs=0.02)


def test_where_something_moves_the_rest_may_be_as_much_as_chance_hides():
    rng, blocks, found = np.random.default_rng(0), [slice(0, 2), slice(2, 10)], []
    for moved in (0.0, 1.0):
        kept = moved * (np.arange(10) < 2)
        tried = [rng.normal(size=(16, 10)) + 20 * kept for _ in range(200)]
        behind = [left_behind(*projection_of(own, blocks, kept), np.zeros(10), 1600.0) for own in tried]
        found.append(np.mean([((each.missed**2 + each.lost**2)[0, 2:]).sum() for each in behind]))
    noise = 8 * 16 / 1600**2
    alone, beside = np.array(found) / noise
    assert alone < 0.1
    # A chance of √(2/8) of the noise, of which the mean above zero is .8.
    assert beside == pytest.approx(0.8 * np.sqrt(2 / 8), rel=0.4)
