"""Triples: found where they are planted, with their pairs or without, and nowhere else."""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest

from anova_report.core.basis.design import ColumnBlock, Columns, Evaluator
from anova_report.core.fit.screening import choose_triples
from tests.core.small_fits import columns_of, fit_columns, grouped_rows, mains

ROOM = 10_000


def pairs_of(n_features: int, *pairs: tuple[int, int]) -> Columns:
    return mains(n_features).with_blocks(
        [ColumnBlock(pair, np.array(list(product(range(2), repeat=2)))) for pair in pairs]
    )


def triples_in(X: np.ndarray, predictions: np.ndarray, columns: Columns, room: int = ROOM) -> list[ColumnBlock]:
    rows = grouped_rows(X, predictions, degree=6)
    evaluator = Evaluator(columns, fit_columns(rows, columns).coefficients)
    return choose_triples(rows, (0,), evaluator, range(X.shape[1]), room)


def found_triples(
    columns: Columns, predictions_of: Callable[[np.ndarray], np.ndarray], room: int = ROOM, n_outputs: int = 1
) -> list[ColumnBlock]:
    rng = np.random.default_rng(15)
    X = rng.normal(size=(4000, 4))
    return triples_in(X, np.column_stack([predictions_of(X), rng.normal(size=(4000, n_outputs - 1))]), columns, room)


def threefold(X: np.ndarray) -> np.ndarray:
    return X[:, 0] * X[:, 1] * X[:, 2] + X[:, 3]


ALL_PAIRS = ((0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3))


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_planted_triple_is_found_where_its_pairs_are(n_outputs):
    blocks = found_triples(pairs_of(4, *ALL_PAIRS), threefold, n_outputs=n_outputs)
    assert blocks[0].term == (0, 1, 2)
    assert [0, 0, 0] in blocks[0].functions.tolist()


@pytest.mark.parametrize("pairs", [((0, 1), (0, 2)), ()])
def test_a_planted_triple_is_found_without_its_pairs(pairs):
    assert found_triples(pairs_of(4, *pairs), threefold)[0].term == (0, 1, 2)


def test_without_a_triple_none_is_found():
    assert found_triples(pairs_of(4, *ALL_PAIRS), lambda X: X[:, 0] * X[:, 1] + X[:, 2]) == []


def test_the_parity_of_three_coins_is_the_one_product_there_is():
    X = np.random.default_rng(1).integers(0, 2, size=(2000, 3)).astype(float)
    columns = columns_of(*(((feature,), 1) for feature in range(3)), *((pair, 1) for pair in combinations(range(3), 2)))
    (block,) = triples_in(X, X.sum(axis=1) % 2, columns)
    assert block.term == (0, 1, 2)
    assert block.functions.tolist() == [[0, 0, 0]]
