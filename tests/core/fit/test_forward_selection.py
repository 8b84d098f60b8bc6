"""Growing columns: main effects first, then what the residual calls for, as far as rows and room allow."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.core.fit.forward_selection import (
    MAX_COLUMNS,
    ROUNDS,
    ColumnSearch,
    Degrees,
    degrees_for,
    main_columns,
)
from anova_report.core.fit.found_columns import FoundColumns, Selection
from anova_report.core.fit.partition import FIRST, LEARN, SECOND, SHARES
from anova_report.core.fit.recipe import STEPS_OF_A_SEARCH
from anova_report.core.fit.row_blocks import random_groups
from anova_report.core.fit.smoothing import adaptive_weights
from anova_report.core.fit.sums import GroupSums
from tests.core.small_fits import (
    column_search_for,
    columns_of,
    draw_pair,
    exact_design,
    grouped_rows,
    standard_predictions,
)

GROUPS = (LEARN, FIRST, SECOND)


def select(X: np.ndarray, predictions: np.ndarray, max_order: int = 2) -> FoundColumns:
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    return column_search_for(rows, max_order).select(rows, GROUPS, (LEARN,), len(rows.spread))


def terms_of_order(selected: FoundColumns, order: int) -> set[tuple[int, ...]]:
    return {term for term in selected.columns.positions if len(term) == order}


def test_a_planted_pair_is_grown_and_its_sums_are_there():
    selected = select(*draw_pair())
    assert (1, 2) in terms_of_order(selected, 2)
    assert selected.sums.average((FIRST,)).gram.shape == (selected.columns.size, selected.columns.size)


def test_a_pair_of_a_single_product_is_grown_however_many_columns_main_effects_have():
    X = np.random.default_rng([1477978542, 6]).normal(size=(500, 2))
    fitted = FunctionalANOVA(random_state=6, progress=False).fit(X, X.sum(axis=1) + 2 * X.prod(axis=1))
    assert measures.fidelity(fitted.decomposition_).in_sample > 0.999


def test_where_main_effects_leave_nothing_no_pair_is_grown():
    X = np.random.default_rng(2).integers(0, 4, size=(3000, 3)).astype(float)
    selected = select(X, X[:, 0] ** 2 - X[:, 2])
    assert terms_of_order(selected, 2) == set()


def test_there_are_never_more_columns_than_rows_to_learn_from():
    X, predictions = draw_pair(n_rows=60)
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    selected = column_search_for(rows).select(rows, GROUPS, (LEARN,), 1)
    n_learn = selected.sums.average((LEARN,)).n_rows
    assert selected.columns.size <= max(n_learn, selected.sizes[0])
    assert selected.columns.size <= MAX_COLUMNS


def test_strong_components_pay_less_and_weak_ones_more():
    columns = columns_of(((0,), 2), ((1,), 2), ((2,), 2))
    coefficients = np.array([[9.0], [1.0], [1.0], [0.1], [0.1], [0.0], [0.0]])
    weights = adaptive_weights(columns, np.ones(7), coefficients)
    assert weights[0] == 1
    assert weights[1] == weights[2] < 1 < weights[3] == weights[4] < weights[5] == weights[6] == 30
    # A component with a hundredth of the energy pays ten times as much.
    assert weights[3] / weights[1] == pytest.approx(10)


@pytest.mark.parametrize(("n_rows", "n_features"), [(100, 3), (600, 8), (5000, 81), (20_000, 20), (10**6, 300)])
def test_all_features_together_keep_to_the_budget_of_functions_and_rows(n_rows, n_features):
    degrees = degrees_for(n_rows, n_features)
    n_features = degrees.candidates or n_features
    assert degrees.main <= 60
    assert degrees.pair <= 40
    # A floor keeps functions from becoming too coarse to say anything; above it the budgets rule.
    for degree, budget, floor in ((degrees.main, 1600, 10), (degrees.pair, 2000, 6)):
        assert degree <= floor or degree * n_features <= budget
        assert degree <= 5 or degree * n_features * 4 <= n_rows


@pytest.fixture(scope="module")
def selected_rows():
    X, predictions = draw_pair(3000, seed=1)
    return grouped_rows(X, np.column_stack([predictions, X[:, 0]]), random_groups(SHARES, seed=0), degree=6)


@pytest.fixture(scope="module")
def selected(selected_rows) -> FoundColumns:
    return column_search_for(selected_rows).select(selected_rows, GROUPS, (LEARN,), 2)


@pytest.mark.parametrize("group", GROUPS)
def test_sums_that_grew_round_by_round_are_those_of_the_whole_design(selected, selected_rows, group):
    at = selected_rows.groups(0, 3000) == group
    design = exact_design(selected_rows, selected.columns)[at]
    normal = selected.sums.average((group,))
    np.testing.assert_allclose(normal.gram, design.T @ design / at.sum(), atol=1e-4)
    np.testing.assert_allclose(normal.cross, design.T @ standard_predictions(selected_rows)[at] / at.sum(), atol=1e-4)


def test_a_product_never_comes_twice(selected):
    for term, functions in selected.columns.functions.items():
        assert len(np.unique(functions, axis=0)) == len(functions), term


def threefold(with_pairs: bool) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(3).uniform(-1, 1, size=(5000, 4))
    pairs = X[:, 0] * X[:, 1] + X[:, 0] * X[:, 2] + X[:, 1] * X[:, 2]
    return X, with_pairs * pairs + 3 * X[:, 0] * X[:, 1] * X[:, 2]


@pytest.mark.parametrize(
    ("with_pairs", "max_order", "expected"), [(1, 3, [(0, 1, 2)]), (1, 2, []), (0, 3, [(0, 1, 2)])]
)
def test_a_triple_is_grown_where_it_is_allowed_with_and_without_its_pairs(with_pairs, max_order, expected):
    blocks = select(*threefold(with_pairs), max_order).columns.blocks
    assert [block.term for block in blocks if len(block.term) == 3][:1] == expected


def test_a_triple_is_found_among_more_features_than_are_tried():
    X = np.random.default_rng(5).uniform(-1, 1, size=(5000, 30))
    assert (4, 17, 29) in terms_of_order(select(X, X[:, 4] * X[:, 17] * X[:, 29], 3), 3)


def test_sizes_never_cut_a_block_and_blocks_stand_in_the_order_of_what_they_promised(selected):
    promised = [block.gain for block in selected.columns.blocks]
    assert promised == sorted(promised, reverse=True)
    assert set(selected.sizes) <= {1, *selected.columns.starts}
    n_main = sum(len(block.functions) for block in selected.columns.blocks if len(block.term) == 1)
    assert selected.sizes[0] == n_main + 1
    assert selected.sizes[-1] == selected.columns.size
    size = selected.sizes[len(selected.sizes) // 2]
    assert selected.columns.first(size).size == size


def test_after_merging_all_rows_are_looked_at():
    X, predictions = draw_pair(4000)
    group = np.r_[np.zeros(1000, dtype=np.intp), np.ones(3000, dtype=np.intp)]
    predictions[group == 0] = np.random.default_rng(4).normal(size=1000)  # in group 0 there is nothing to be found
    rows = grouped_rows(X, predictions, group, degree=6)
    search_columns = column_search_for(rows)
    columns = main_columns(rows.marginals, 6)
    sums = GroupSums((0, 1), 1)
    sums.extend(rows, columns)
    early = search_columns.pairs(Selection(rows, sums, (0,), columns), ROUNDS[0])[0]
    assert (1, 2) not in [block.term for block in early]
    merged = sums.merged(columns.size, {0: (0, 1)})
    found = search_columns.pairs(Selection(rows, merged, (0,), columns), ROUNDS[0])[0]
    assert [block.term for block in found] == [(1, 2)]


class Announced(list):
    """Steps that are written down instead of shown."""

    def start(self, name: str) -> None:
        self.append(name)


@pytest.mark.parametrize("max_order", [1, 2])
def test_every_round_is_announced_and_no_more_than_the_bar_counts_on(max_order):
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    steps = Announced()
    ColumnSearch(rows.marginals, Degrees(6, 6), max_order, steps).select(rows, GROUPS, (LEARN,), 1)
    assert steps[0] == "main effects"
    assert set(steps[1:]) == ({"pairs"} if max_order > 1 else set())
    assert 1 <= len(steps) <= STEPS_OF_A_SEARCH


def test_no_component_pays_more_than_thirty_times_or_less_than_a_thirtieth():
    columns = columns_of(*(((feature,), 1) for feature in range(2000)))
    coefficients = np.r_[0.0, 1.0, np.full(1999, 1e-9)].reshape(-1, 1)
    weights = adaptive_weights(columns, np.ones(2001), coefficients)
    assert weights[1] == 1 / 30
    assert set(weights[2:]) == {30.0}
