"""KernelSHAP against Shapley values written out by hand."""

from typing import Any

import numpy as np

from anova_report.compare import agreement, attribute
from anova_report.compare.methods.request import draw
from anova_report.core.randomness import stream
from tests.compare.conftest import Case
from tests.compare.peers import needs

pytestmark = needs("shap")


def exact_shapley(rows: Any, background: Any) -> Any:
    """Shapley values of 2 x0 + x1 x2 when features that are left out take the values of background rows."""
    first, second = background[:, 1].mean(), background[:, 2].mean()
    both = np.mean(background[:, 1] * background[:, 2])
    one, two = rows[:, 1], rows[:, 2]
    return np.column_stack(
        [
            2 * (rows[:, 0] - background[:, 0].mean()),
            0.5 * ((one * second - both) + (one * two - first * two)),
            0.5 * ((first * two - both) + (one * two - one * second)),
        ]
    )


def test_contributions_are_the_exact_shapley_values_against_the_background(independent: Case) -> None:
    found = attribute("kernelshap", independent.model, independent.X, max_rows=15, background=40)
    background = independent.X[draw(len(independent.X), 40, stream(0, "background rows"))]
    expected = exact_shapley(independent.X[found.rows], background)
    np.testing.assert_allclose(found.contributions, expected - expected.mean(axis=0), atol=1e-8)


def test_with_independent_inputs_they_are_our_shapley_values_up_to_sampling_error(independent: Case) -> None:
    found = attribute("kernelshap", independent.model, independent.X, max_rows=40, background=200)
    held = agreement(independent.dec, independent.X, found)
    assert held.counterpart == "ANOVA-Shapley value"
    for item in held.features:
        # Averages over 200 background rows are known to 1/√200, and slopes of the product with them.
        assert item.correlation > 0.99
        assert item.distance < 3 / np.sqrt(200)


def test_all_features_count_even_where_there_are_more_than_ten() -> None:
    X = np.random.default_rng(0).normal(size=(60, 12))
    found = attribute("kernelshap", lambda rows: rows.sum(axis=1), X, max_rows=2, background=10, coalitions=200)
    np.testing.assert_allclose(found.contributions, X[found.rows] - X[found.rows].mean(axis=0), atol=1e-6)


def test_the_same_seed_gives_the_same_values_and_leaves_the_global_generator_alone() -> None:
    X = np.random.default_rng(0).normal(size=(60, 12))

    def products(rows: Any) -> Any:
        return (rows[:, ::2] * rows[:, 1::2]).sum(axis=1)

    def explained(seed: int) -> Any:
        settings = {"max_rows": 2, "background": 5, "coalitions": 60}
        return attribute("kernelshap", products, X, random_state=seed, **settings).contributions

    state = np.random.get_state()[1].copy()  # noqa: NPY002 the generator that shap draws from
    first, again = explained(0), explained(0)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002 the same
    assert not np.array_equal(first, explained(1))
