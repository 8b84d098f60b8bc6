"""The first pass: counts of values and the spread of the predictions, whatever the blocks."""

import numpy as np
import pytest

from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.basis import tally as tally_module
from anova_report.core.basis.splines import FAMILIES, FamilyName
from anova_report.core.basis.tally import make_marginals, tally
from anova_report.core.fit.row_blocks import ArrayRows, Codebook
from anova_report.core.input.features import Feature
from anova_report.errors import InputError


@pytest.fixture(scope="module")
def rows() -> ArrayRows:
    rng = np.random.default_rng(0)
    n_rows = BLOCK_ROWS + 2000
    values = np.column_stack(
        [rng.normal(size=n_rows), rng.integers(0, 5, size=n_rows), rng.integers(0, 3, size=n_rows)]
    )
    values[rng.random(n_rows) < 0.2, 1] = np.nan
    return ArrayRows(values, np.column_stack([rng.normal(size=n_rows), 1e9 + rng.normal(size=n_rows)]))


def test_values_are_counted_over_all_blocks(rows):
    counted = tally(rows, 3)
    assert counted.n_rows == len(rows.values)
    for index, column in enumerate(counted.columns):
        present = rows.values[~np.isnan(rows.values[:, index]), index]
        values, counts = np.unique(present, return_counts=True)
        np.testing.assert_array_equal(column.values, values)
        np.testing.assert_array_equal(column.counts, counts)
        assert column.n_missing == np.isnan(rows.values[:, index]).sum()


def test_mean_and_spread_of_predictions_survive_a_large_offset(rows):
    counted = tally(rows, 3)
    np.testing.assert_allclose(counted.center, rows.predictions.mean(axis=0), rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(counted.spread, rows.predictions.std(axis=0), rtol=1e-6)


def test_rows_are_recognized_by_values_and_order_and_not_by_predictions(rows):
    known = tally(rows, 3).fingerprint
    assert tally(ArrayRows(rows.values.copy(), rows.predictions[::-1]), 3).fingerprint == known
    assert tally(ArrayRows(np.asfortranarray(rows.values), rows.predictions), 3).fingerprint == known
    assert tally(ArrayRows(rows.values[::-1], rows.predictions), 3).fingerprint != known
    changed = rows.values.copy()
    changed[-1, 0] += 1e-9
    assert tally(ArrayRows(changed, rows.predictions), 3).fingerprint != known


@pytest.mark.parametrize(("column", "message"), [([3.0, 3.0], "constant"), ([np.nan, np.nan], "missing")])
def test_columns_that_tell_nothing_are_refused_in_words(column, message):
    rows = ArrayRows(np.array(column).reshape(-1, 1), np.zeros((2, 1)))
    with pytest.raises(InputError, match=message):
        tally(rows, 1).books([Feature("a", "numeric")])


def book_of(column: np.ndarray) -> Codebook:
    (book,) = tally(ArrayRows(column[:, None], np.zeros((len(column), 1))), 1).books([Feature("a", "numeric")])
    return book


def test_codes_stand_for_values_one_by_one_and_the_last_for_a_missing_one():
    column = np.array([2.5, np.nan, -1.0, 7.0, 2.5])
    book = book_of(column)
    assert book.encode(column).tolist() == [1, 3, 0, 2, 1]
    assert book.nodes.tolist() == [-1.0, 2.5, 7.0]
    assert book.counts.tolist() == [1, 2, 1]
    assert book.n_missing == 1
    # Mid-ranks of the three that are present: missing ones lie in the middle.
    np.testing.assert_allclose(book.ranks(), [-0.375, 0.0, 0.375, 0.0])


@pytest.fixture
def thinned(monkeypatch) -> np.ndarray:
    """More values than nodes: a heavy one that arithmetic would round, and missing ones."""
    monkeypatch.setattr(tally_module, "MAX_NODES", 512)
    rng = np.random.default_rng(3)
    column = np.where(rng.random(6000) < 0.2, np.pi / 7, rng.gamma(2.0, size=6000))
    return np.where(rng.random(6000) < 0.1, np.nan, column)


def test_neighbors_share_a_code_when_there_are_more_values_than_nodes(thinned):
    book = book_of(thinned)
    present = thinned[~np.isnan(thinned)]
    codes = book.encode(present)
    assert 256 <= len(book.nodes) <= 520
    np.testing.assert_array_equal(np.bincount(codes), book.counts)
    np.testing.assert_array_equal(np.sort(present), present[np.lexsort([present, codes])])
    means = np.bincount(codes, weights=present) / book.counts
    np.testing.assert_allclose(book.nodes, means, rtol=1e-12)
    assert (book.encode(np.array([np.nan])) == len(book.nodes)).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_looked_up_by_shared_codes_are_those_of_the_values(thinned, family: FamilyName):
    book = book_of(thinned)
    (marginal,) = make_marginals([Feature("a", "numeric")], [book], 12)[family]
    looked_up = book.tabulate(marginal)[:, book.encode(thinned)]
    exact = marginal.evaluate(thinned)
    assert looked_up.dtype == np.float32
    assert np.sqrt(np.mean((looked_up - exact) ** 2)) < 0.02
    gram = exact @ exact.T / len(thinned)
    np.testing.assert_allclose(gram, np.eye(len(gram)), atol=0.02)
    np.testing.assert_allclose(looked_up @ looked_up.T / len(thinned), np.eye(len(gram)), atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_values_that_share_codes_keep_heavy_values_and_the_range_exactly(monkeypatch, seed):
    monkeypatch.setattr(tally_module, "MAX_NODES", 512)
    rng = np.random.default_rng(seed)
    heavy = rng.uniform(1, 4, size=10)
    column = np.where(rng.random(6000) < 0.7, rng.choice(heavy, size=6000), rng.gamma(2.0, size=6000))
    book = book_of(column)
    (marginal,) = make_marginals([Feature("a", "numeric")], [book], 12)["waves"]
    assert set(heavy) <= set(book.nodes)
    assert set(heavy) == set(marginal.heavy)
    assert marginal.knots[[0, -1]].tolist() == [column.min(), column.max()]
