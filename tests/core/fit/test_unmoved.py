"""What pairs still share with single features, in functions finer than any column of the fit."""

import numpy as np
import pytest

from anova_report.core.fit.summary import Assembly, summarize_fit
from tests.core.small_fits import columns_of, fit_columns, grouped_rows

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
