"""Chunks of rows: random parts of a table, whatever its order."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.fit.jackknife_groups import REPLICATES, assign_replicates, deviations
from anova_report.core.fit.row_blocks import random_groups
from anova_report.core.fit.uncertainty import standard_error


def test_every_row_is_assigned_on_its_own_and_every_replicate_gets_its_share():
    counts = np.bincount(assign_replicates(640_000, seed=0, block=0), minlength=REPLICATES)
    assert counts.sum() == 640_000
    # Counts of independent rows vary as binomial ones do: sums over replicates must vary as sums over samples.
    assert counts.std() == pytest.approx(np.sqrt(10_000 * (1 - 1 / REPLICATES)), rel=0.3)
    assert abs(counts - 10_000).max() < 450


def test_replicates_have_nothing_to_do_with_what_groups_the_same_numbers_draw():
    drawn = random_groups((0.6, 0.2, 0.2), 3)(7, 20_000)
    assert abs(np.corrcoef(drawn, assign_replicates(20_000, 3, 7))[0, 1]) < 0.03


def test_the_spread_of_sums_over_replicates_is_that_of_a_sum_over_rows():
    values = np.random.default_rng(1).exponential(size=50_000)
    replicates = assign_replicates(len(values), 0, 0)
    n_rows = np.bincount(replicates, minlength=REPLICATES).astype(float)
    moved = deviations(np.bincount(replicates, weights=values, minlength=REPLICATES), n_rows) / len(values)
    assert standard_error(moved) == pytest.approx(values.std() / np.sqrt(len(values)), rel=0.25)


def test_a_sorted_table_is_as_sure_as_a_shuffled_one():
    # A smooth map of two coordinates, sorted by one of them, as tables of places are.
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(6000, 2))
    predictions = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=len(X))
    errors = []
    for order in (np.argsort(X[:, 0]), rng.permutation(len(X))):
        fitted = FunctionalANOVA(max_order=1, random_state=0).fit(X[order], predictions[order]).decomposition_
        errors.append([float(standard_error(traced)) for traced in fitted.uncertainty.total[:, :, 0]])
    np.testing.assert_allclose(errors[0], errors[1], rtol=0.5)
