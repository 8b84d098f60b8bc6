"""Simulators, smooth and without noise: selection goes on to the end, and triples never cost what pairs explain."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.fit.found_columns import GAINS, TRIPLE_GAINS, CompleteColumns
from anova_report.core.fit.partition import FIRST, LEARN, SECOND, SHARES
from anova_report.core.fit.row_blocks import random_groups
from anova_report.errors import ExtrapolationWarning
from tests.core.small_fits import column_search_for, grouped_rows
from tests.ground_truth import ishigami

FRESH = 4000
WEIGHTS = np.random.default_rng(1).normal(size=(3, 15))
PRODUCTS = 0.3 * np.random.default_rng(2).normal(size=(15, 15))


def borehole(u: np.ndarray) -> np.ndarray:
    """Water flow through a borehole (Harper and Gupta, 1983), of inputs scaled to [0, 1]."""
    low = np.array([0.05, 100, 63070, 990, 63.1, 700, 1120, 9855])
    high = np.array([0.15, 50000, 115600, 1110, 116, 820, 1680, 12045])
    well, radius, upper, above, lower, below, length, conductivity = (low + (high - low) * u).T
    far = np.log(radius / well)
    return (
        2
        * np.pi
        * upper
        * (above - below)
        / far
        / (1 + 2 * length * upper / (far * well**2 * conductivity) + upper / lower)
    )


def flood(u: np.ndarray) -> np.ndarray:
    """Height of a river above its dyke (Iooss and Lemaître, 2015), of inputs scaled to [0, 1]."""
    low, high = np.array([500, 15, 49, 54, 7, 55, 4990, 295]), np.array([3000, 60, 51, 56, 9, 56, 5010, 305])
    flow, friction, down, up, dyke, bank, length, width = (low + (high - low) * u).T
    return down + (flow / (width * friction * np.sqrt((up - down) / length))) ** 0.6 - dyke - bank


def all_pairs(u: np.ndarray) -> np.ndarray:
    """Evaluate a quadratic form of fifteen inputs with all of its pairs, after Oakley and O'Hagan (2004)."""
    x = 4 * u - 2
    linear, sines, cosines = WEIGHTS
    return x @ linear + np.sin(x) @ sines + np.cos(x) @ cosines + np.einsum("ni,ij,nj->n", x, PRODUCTS, x)


def unexplained(model, n_features: int, n_calls: int, max_order: int) -> float:
    """Share of the variance that is left on fresh rows."""
    X, fresh = (np.random.default_rng(seed).random((n, n_features)) for seed, n in ((0, n_calls), (1, FRESH)))
    fanova = FunctionalANOVA(max_order=max_order, family="polynomials", random_state=0, progress=False)
    found = fanova.fit(X, model(X)).predict(fresh)
    return float(np.mean((found - model(fresh)) ** 2) / np.var(model(fresh)))


@pytest.mark.parametrize(("model", "n_features"), [(borehole, 8), (flood, 8), (all_pairs, 15)])
def test_triples_leave_no_more_than_pairs_alone(model, n_features):
    assert unexplained(model, n_features, 400, 3) <= 1.05 * unexplained(model, n_features, 400, 2)


def test_a_smooth_simulator_is_explained_to_the_end():
    assert unexplained(borehole, 8, 2000, 3) < 5e-5


def test_the_function_of_ishigami_is_explained_to_the_end():
    assert unexplained(lambda u: ishigami(np.pi * (2 * u - 1)), 3, 2000, 2) < 1e-6


def test_triples_come_after_all_pairs_and_their_low_order_products_and_can_be_left_out_alone():
    X = np.random.default_rng(3).uniform(-1, 1, size=(5000, 5))
    predictions = X[:, 0] * X[:, 1] * X[:, 2] + 0.2 * np.sin(7 * X[:, 3] * X[:, 4])
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    search = replace(column_search_for(rows, 3), n_low_order=200)
    found = search.select(rows, (LEARN, FIRST, SECOND), (LEARN,), 1)
    orders = [len(block.term) for block in found.columns.blocks]
    assert orders == sorted(orders)
    assert orders[-1] == 3
    assert isinstance(found.columns, CompleteColumns)
    assert search.low_order_products(found.columns) == []
    before, all_columns = found.sizes[len(GAINS)], found.sizes[-1]
    assert len(found.sizes) == len(GAINS) + 1 + len(TRIPLE_GAINS)
    assert before == found.columns.starts[orders.index(3)]
    assert all_columns == found.columns.size == found.sums.average((FIRST,)).gram.shape[0]
    pairs = found.columns.first(before)
    two = replace(search, max_order=2)
    alone = two.select(rows, (LEARN, FIRST, SECOND), (LEARN,), 1).columns
    alone = alone.with_blocks(two.low_order_products(alone))
    assert {term: len(own) for term, own in pairs.functions.items()} == {
        term: len(own) for term, own in alone.functions.items()
    }


def test_products_that_stand_out_leave_the_room_that_is_reserved_for_low_order_ones():
    X = np.random.default_rng(4).uniform(-1, 1, size=(3000, 5))
    predictions = np.prod(1 + 0.5 * np.sin(2 * X), axis=1)
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    search = replace(column_search_for(rows, 2), n_low_order=100, max_columns=200)

    def low_order(reserved: int) -> int:
        reserving = replace(search, reserved=reserved)
        columns = reserving.select(rows, (LEARN, FIRST, SECOND), (LEARN,), 1).columns
        return sum(len(block.functions) for block in reserving.low_order_products(columns))

    assert low_order(100) > 2 * low_order(0)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_the_product_of_two_features_that_are_nearly_one_is_followed_to_the_ends(seed):
    """Beside their main effects it is small and smooth; rough products in its place go astray where rows are few."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(0.99) * rng.normal(size=(21_000, 1)) + 0.1 * rng.normal(size=(21_000, 4))
    predictions = X[:, 0] + X[:, 3] + X[:, 1] * X[:, 2]
    fanova = FunctionalANOVA(random_state=seed, progress=False).fit(X[:1000], predictions[:1000])
    fresh = predictions[1000:]
    with pytest.warns(ExtrapolationWarning):
        found = fanova.predict(X[1000:])
    assert np.mean((found - fresh) ** 2) < 5e-6 * np.var(fresh)
