"""The last pass over the rows: moments and sums over replicates, against numpy in double precision."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from anova_report.core.fit.fits import HeldOutFit
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.fit.moments import LISTED, Moments, ResidualSums
from anova_report.core.fit.summary import Assembly, ReplicateSums, ScoreSums, summarize_fit, summarize_held_out
from tests.core.small_fits import (
    columns_of,
    correlated,
    exact_design,
    fit_columns,
    grouped_rows,
    replicate_of_rows,
    standard_predictions,
)

WITH_PAIR = columns_of(((0,), 3), ((1,), 3), ((0, 1), 2))

WILD = 8700  # in the second row block


@pytest.fixture(scope="module")
def summarized() -> tuple[Assembly, Moments, ReplicateSums]:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(9000, 2))
    predictions = np.column_stack([X[:, 0] * X[:, 1] + 50, 1e3 * X[:, 0] + rng.normal(size=9000)])
    predictions[WILD] += [30, 3000]
    X = np.column_stack([X, X[:, 0] - X[:, 1]])  # the last has no columns
    assembly = Assembly.purified(fit_columns(grouped_rows(X, predictions), WITH_PAIR))
    moments, sums, *_ = summarize_fit(assembly)
    return assembly, moments, sums


def test_the_last_pass_sums_components_gaps_and_predictions_replicate_by_replicate(summarized):
    assembly, moments, sums = summarized
    rows = assembly.fit.rows
    values = assembly.expansion().evaluate(rows.coded.source.values)
    predictions = rows.coded.source.predictions - rows.center
    gap = rows.coded.source.predictions - assembly.expansion().predict(rows.coded.source.values)
    replicate = replicate_of_rows(9000)
    scale = rows.spread
    for number in (0, 17, REPLICATES - 1):
        at = replicate == number
        here = values[at] / scale
        np.testing.assert_allclose(sums.values[number, :, :-1].T / scale, here.sum(axis=0), atol=1e-2)
        squares = sums.squares[number, :, :-1].T / scale**2
        np.testing.assert_allclose(squares, (here**2).sum(axis=0), rtol=1e-3, atol=1e-2)
        products = np.einsum("nto,no->to", here, predictions[at] / scale)
        np.testing.assert_allclose(sums.products[number, :, :-1].T / scale**2, products, atol=1e-1)
        np.testing.assert_allclose(sums.predictions[number], predictions[at].sum(axis=0), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(sums.residuals[number], (gap[at] ** 2).sum(axis=0), rtol=1e-2)
    np.testing.assert_array_equal(sums.n_rows, np.bincount(replicate, minlength=REPLICATES))
    np.testing.assert_allclose(moments.squared_gap, sums.residuals.sum(axis=0) / 9000)


def test_a_component_that_only_a_held_out_fit_has_is_counted_as_left_over(summarized):
    assembly, _, _ = summarized
    whole, *_ = summarize_held_out([HeldOutFit(assembly.fit, 0, 9000)], assembly.terms)
    listed, *_ = summarize_held_out([HeldOutFit(assembly.fit, 0, 9000)], ((0,), (1,)))
    assert listed.seconds.shape == (3, 3, 2)
    np.testing.assert_allclose(listed.seconds[:2, :2], whole.seconds[:2, :2], rtol=1e-9, atol=1e-12)
    # What is left over is the gap and the pair; the gap itself is still known.
    np.testing.assert_allclose(listed.squared_gap, whole.squared_gap)
    left = whole.seconds[2, 2] + 2 * whole.seconds[2, 3] + whole.seconds[3, 3]
    np.testing.assert_allclose(listed.seconds[2, 2], left, rtol=1e-9)


def test_a_component_that_a_held_out_fit_lacks_counts_as_zero(summarized):
    assembly, _, _ = summarized
    listed, *_ = summarize_held_out([HeldOutFit(assembly.fit, 0, 9000)], (*assembly.terms, (0, 2)))
    np.testing.assert_array_equal(listed.seconds[3], 0)
    whole, *_ = summarize_held_out([HeldOutFit(assembly.fit, 0, 9000)], assembly.terms)
    np.testing.assert_allclose(listed.seconds[-1, -1], whole.seconds[-1, -1], rtol=1e-6, atol=1e-6)


def test_the_rows_that_decide_are_counted_and_listed_by_how_much_fidelity_changes_without_each(summarized):
    assembly, moments, _ = summarized
    rows = assembly.fit.rows
    squares = (rows.coded.source.predictions - assembly.expansion().predict(rows.coded.source.values)) ** 2
    heights = (rows.coded.source.predictions - rows.center) ** 2
    found = moments.hardest
    for values, counted in ((squares, found.gap_rows), (heights, found.prediction_rows)):
        np.testing.assert_allclose(counted, values.sum(axis=0) ** 2 / (values**2).sum(axis=0), rtol=1e-2)
    for output in (0, 1):
        listed = found.positions[:, output]
        assert listed[0] == WILD
        assert len(listed) == len(set(listed)) == LISTED
        for values, shares in ((squares, found.shares), (heights, found.prediction_shares)):
            expected = values[listed, output] / values[:, output].sum()
            np.testing.assert_allclose(shares[:, output], expected, rtol=1e-2, atol=1e-6)
        whole = squares[:, output].sum() / heights[:, output].sum()
        without = (squares[:, output].sum() - squares[:, output]) / (heights[:, output].sum() - heights[:, output])
        change = np.abs(without - whole)
        np.testing.assert_allclose(change[listed[:20]], np.sort(change)[::-1][:20], rtol=5e-2)


def test_the_rows_listed_are_the_same_however_the_table_is_cut_into_blocks():
    rng = np.random.default_rng(2)
    squares, heights = rng.lognormal(sigma=3, size=(2, 1, 1000))
    heights[0, 17] = 5 * heights.sum()  # nearly all of the variance
    positions = np.arange(1000)
    whole = ResidualSums.of(squares, heights, positions).hardest(1000)
    cut = reduce(add, (ResidualSums.of(squares[:, at], heights[:, at], at) for at in np.split(positions, [1, 60, 900])))
    np.testing.assert_array_equal(cut.hardest(1000).positions, whole.positions)
    assert whole.positions[0, 0] == 17


@pytest.fixture(scope="module")
def scored() -> tuple[Assembly, ScoreSums, np.ndarray]:
    X = correlated(700, seed=3)
    predictions = np.column_stack([X[:, 0] * X[:, 1] + X[:, 0], 1e4 * np.sin(X[:, 1])])
    assembly = Assembly.purified(fit_columns(grouped_rows(X, predictions), WITH_PAIR, strength=1e-3))
    return assembly, summarize_fit(assembly)[2], replicate_of_rows(700)


def test_scores_are_columns_times_standardized_gaps_replicate_by_replicate(scored):
    assembly, scores, replicate = scored
    design = exact_design(assembly.fit.rows, WITH_PAIR)
    gap = standard_predictions(assembly.fit.rows) - design @ assembly.fit.coefficients
    for number in (0, 13, replicate.max()):
        at = replicate == number
        np.testing.assert_allclose(scores.scores[number], design[at].T @ gap[at], atol=1e-3)
    # What a penalized fit leaves is what its penalty holds back: B'r / n = ridge × coefficients.
    held_back = assembly.fit.ridge[:, None] * assembly.fit.coefficients
    np.testing.assert_allclose(scores.scores.sum(axis=0) / 700, held_back, atol=1e-5)


def test_subterms_are_multiplied_with_the_purified_interaction_replicate_by_replicate(scored):
    assembly, scores, replicate = scored
    rows = assembly.fit.rows
    subterms = exact_design(rows, WITH_PAIR)[:, assembly.subterms.positions((0, 1))]
    pair = assembly.expansion().evaluate(rows.coded.source.values, [(0, 1)])[:, 0] / rows.spread
    found = scores.products.of((0, 1))
    for number in (0, 13, replicate.max()):
        at = replicate == number
        np.testing.assert_allclose(found[:, number].T, subterms[at].T @ pair[at], atol=1e-3)
