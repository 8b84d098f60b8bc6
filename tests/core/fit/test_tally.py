"""The first pass: counts of values and the spread of the answers, whatever the blocks."""

import numpy as np
import pytest

from anova_report.core.fit.row_blocks import BLOCK_ROWS, ArrayRows, tally
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


def test_mean_and_spread_of_answers_survive_a_large_offset(rows):
    counted = tally(rows, 3)
    np.testing.assert_allclose(counted.centre, rows.answers.mean(axis=0), rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(counted.spread, rows.answers.std(axis=0), rtol=1e-6)


def test_rows_are_recognised_by_values_and_order_and_not_by_answers(rows):
    known = tally(rows, 3).fingerprint
    assert tally(ArrayRows(rows.values.copy(), rows.answers[::-1]), 3).fingerprint == known
    assert tally(ArrayRows(np.asfortranarray(rows.values), rows.answers), 3).fingerprint == known
    assert tally(ArrayRows(rows.values[::-1], rows.answers), 3).fingerprint != known
    changed = rows.values.copy()
    changed[-1, 0] += 1e-9
    assert tally(ArrayRows(changed, rows.answers), 3).fingerprint != known


@pytest.mark.parametrize(("column", "message"), [([3.0, 3.0], "constant"), ([np.nan, np.nan], "missing")])
def test_columns_that_tell_nothing_are_refused_in_words(column, message):
    rows = ArrayRows(np.array(column).reshape(-1, 1), np.zeros((2, 1)))
    with pytest.raises(InputError, match=message):
        tally(rows, 1).marginals([Feature("a", "numeric")], degree=3)
