"""Moments of components: averages over rows, as numpy gets them from all rows at once."""

from functools import reduce
from itertools import combinations
from operator import add

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.fit.moments import Moments, MomentSums, average_moments, relations
from anova_report.core.result import expansion
from anova_report.core.result.terms import terms_up_to

TERMS = ((0,), (2,), (0, 1), (0, 2), (0, 1, 2))
RNG = np.random.default_rng(0)
COLUMNS = RNG.normal(size=(400, len(TERMS) + 1, 2)) @ np.array([[1.0, 0.5], [0.0, 30.0]]) + [0.2, 5.0]


def sums_of(columns: np.ndarray, terms=TERMS) -> MomentSums:
    """Sum columns given as (n_rows, n_terms + 1, n_outputs)."""
    turned = columns.transpose(2, 1, 0)
    return MomentSums.of(turned, turned**2, terms)


@pytest.fixture(scope="module")
def moments() -> Moments:
    return sums_of(COLUMNS).average()


def test_first_and_second_moments_are_averages_over_rows(moments):
    assert moments.n_rows == 400
    np.testing.assert_allclose(moments.firsts, COLUMNS.mean(axis=0), rtol=1e-12)
    for output in range(2):
        of_output = COLUMNS[:, :, output]
        np.testing.assert_allclose(moments.seconds[:, :, output], of_output.T @ of_output / 400, rtol=1e-12)


def test_fourth_moments_belong_to_the_relations_in_their_order(moments):
    for row, (term, part) in enumerate(relations(TERMS)):
        upper, lower = COLUMNS[:, TERMS.index(term)], COLUMNS[:, TERMS.index(part)]
        np.testing.assert_allclose(moments.fourths[row], (upper**2 * lower**2).mean(axis=0), rtol=1e-12)
    assert len(moments.fourths) == len(relations(TERMS))


@pytest.mark.parametrize("n_blocks", [2, 7, 400])
def test_blocks_of_rows_make_no_difference(moments, n_blocks):
    in_blocks = reduce(add, map(sums_of, np.array_split(COLUMNS, n_blocks))).average()
    for name in ("n_rows", "firsts", "seconds", "fourths", "squared_gap"):
        np.testing.assert_allclose(getattr(in_blocks, name), getattr(moments, name), rtol=1e-12)


def test_moments_in_units_are_those_of_columns_in_units():
    spread = np.array([3.0, 0.01])
    scaled, expected = sums_of(COLUMNS).average(spread), sums_of(COLUMNS * spread).average()
    for name in ("n_rows", "firsts", "seconds", "fourths", "squared_gap"):
        np.testing.assert_allclose(getattr(scaled, name), getattr(expected, name), rtol=1e-12)


def test_relations_are_all_pairs_of_a_component_and_a_part_that_is_there():
    assert set(relations(TERMS)) == {(s, t) for s in TERMS for t in TERMS if set(t) < set(s)}
    # Of p features every pair has two parts, and every triple three mains and three pairs.
    all_terms = terms_up_to(5, 3)
    assert len(relations(all_terms)) == 2 * 10 + 6 * 10
    assert len(set(relations(all_terms))) == len(relations(all_terms))
    assert all(set(part) < set(term) for term, part in relations(all_terms))
    assert not set(combinations(range(5), 2)) & {part for term, part in relations(all_terms) if len(term) == 2}


@pytest.mark.parametrize("block_rows", [expansion.EVALUATED_ROWS, 64])
def test_moments_of_a_fit_hold_the_variance_of_the_predictions(monkeypatch, block_rows):
    monkeypatch.setattr(expansion, "EVALUATED_ROWS", block_rows)
    X = RNG.uniform(-1, 1, size=(300, 2))
    predictions = np.column_stack([X[:, 0] * X[:, 1], 40 + X[:, 0] ** 3])
    dec = FunctionalANOVA.published(K=2, d=2, d_density=1, scaling=None).fit(X, predictions).decomposition_
    found = average_moments(dec.expansion, X, predictions)
    for output in range(2):
        assert found.covariance(output).sum() == pytest.approx(predictions[:, output].var())
        whole = dec.expansion.mean[output] + found.firsts[:, output].sum()
        assert whole == pytest.approx(predictions[:, output].mean())
    gap = predictions - dec.predict(X)
    np.testing.assert_allclose(found.squared_gap, (gap**2).mean(axis=0), rtol=1e-9)
