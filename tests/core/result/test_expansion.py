"""Component functions: evaluated block by block, some or all of them, as their formula says."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest

from anova_report.core.result import expansion as expansion_module
from anova_report.core.result.expansion import (
    EVALUATED_ROWS,
    Component,
    Expansion,
    Families,
    chosen_products,
    product_columns,
    row_blocks,
)


@dataclass(frozen=True)
class Powers:
    """A reference of plain powers 1, x, x², x³, where a term's factor is 1 plus the sum of its squared features."""

    complete_numbers_only: bool = True

    def families(self, values: np.ndarray) -> Families:
        return cache(lambda feature: np.vander(values[:, feature], 4, increasing=True))

    def weight(self, term: tuple[int, ...], families: Families) -> np.ndarray:
        return 1 + np.sum([families(feature)[:, 2] for feature in term], axis=0)


def component(term: tuple[int, ...], degrees: list, coefficients: list, offset: list) -> Component:
    shape = (len(degrees), len(offset))
    return Component(
        term,
        np.array(degrees, dtype=np.intp).reshape(-1, len(term)),
        np.array(coefficients, dtype=float).reshape(shape),
        np.array(offset, dtype=float),
    )


COMPONENTS = (
    component((0,), [[1], [3]], [[1, 0], [0, 2]], [0.5, 0]),
    component((2,), [], [], [7, -7]),
    component((0, 1), [[1, 2], [0, 3]], [[1, -1], [4, 0]], [0, 1]),
)
MEAN = np.array([10.0, 20.0])
EXPANSION = Expansion(Powers(), COMPONENTS, MEAN)
X = np.random.default_rng(0).normal(size=(50, 3))


def written_out(X: np.ndarray) -> np.ndarray:
    x, y, _ = X.T
    main, both = 1 + x**2, 1 + x**2 + y**2
    first = np.stack([x * main + 0.5, 2 * x**3 * main], axis=1)
    empty = np.tile([7.0, -7.0], (len(X), 1))
    pair = np.stack([(x * y**2 + 4 * y**3) * both, -x * y**2 * both + 1], axis=1)
    return np.stack([first, empty, pair], axis=1)


def test_components_are_factor_times_products_plus_offset():
    np.testing.assert_allclose(EXPANSION.evaluate(X), written_out(X), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 49, 50, 51])
def test_the_size_of_the_blocks_changes_nothing(monkeypatch, size):
    monkeypatch.setattr(expansion_module, "EVALUATED_ROWS", size)
    np.testing.assert_allclose(EXPANSION.evaluate(X), written_out(X), rtol=1e-12)
    np.testing.assert_allclose(EXPANSION.predict(X), MEAN + written_out(X).sum(axis=1), rtol=1e-12)


def test_evaluating_leaves_the_functions_of_the_features_alone():
    families = Powers().families(X)

    class Cached(Powers):
        def families(self, values: np.ndarray) -> Families:  # noqa: ARG002 - the same arrays each time
            return families

    cached = Expansion(Cached(), COMPONENTS, EXPANSION.mean)
    first = cached.evaluate(X)
    np.testing.assert_array_equal(cached.evaluate(X), first)
    for feature in range(3):
        np.testing.assert_array_equal(families(feature), Powers().families(X)(feature))


@pytest.mark.parametrize(
    "n_rows", [0, 1, EVALUATED_ROWS - 1, EVALUATED_ROWS, EVALUATED_ROWS + 1, 3 * EVALUATED_ROWS + 5]
)
def test_blocks_hold_every_row_once_and_in_order(n_rows):
    blocks = [np.arange(n_rows)[rows] for rows in row_blocks(n_rows)]
    assert all(0 < len(block) <= EVALUATED_ROWS for block in blocks)
    np.testing.assert_array_equal(np.concatenate([np.empty(0), *blocks]), np.arange(n_rows))


def test_only_features_of_the_terms_that_are_asked_for_are_evaluated():
    asked = []

    def evaluate(feature: int) -> np.ndarray:
        asked.append(feature)
        return np.vander(X[:, feature], 4, increasing=True)

    class Counting(Powers):
        def families(self, values: np.ndarray) -> Families:  # noqa: ARG002 - of the rows above
            return cache(evaluate)

    found = Expansion(Counting(), COMPONENTS, EXPANSION.mean).evaluate(X, [(0,), (0, 1)])
    assert asked == [0, 1]
    np.testing.assert_array_equal(found, EXPANSION.evaluate(X, [(0,), (0, 1)]))


FAMILIES = [np.random.default_rng(0).normal(size=(6, width)) for width in (2, 3, 4)]


def test_products_are_all_products_with_the_last_index_fastest():
    first, second, third = FAMILIES
    found = product_columns(FAMILIES)
    assert found.shape == (6, 24)
    for column, (i, j, k) in enumerate(product(range(2), range(3), range(4))):
        np.testing.assert_allclose(found[:, column], first[:, i] * second[:, j] * third[:, k], rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_chosen_products_are_the_chosen_among_all_products(order):
    chosen = FAMILIES[:order]
    widths = [family.shape[1] for family in chosen]
    which = np.random.default_rng(1).permutation(int(np.prod(widths)))[:2]
    degrees = np.stack(np.unravel_index(which, widths), axis=1)
    np.testing.assert_allclose(chosen_products(chosen, degrees), product_columns(chosen)[:, which], rtol=1e-12)
