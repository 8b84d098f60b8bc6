"""Growing and tuning: what is reported on held-out rows was chosen without their predictions."""

from itertools import permutations

import numpy as np
import pytest

from anova_report.core.fit.row_blocks import random_groups
from anova_report.core.fit.splines import FAMILIES
from anova_report.core.fit.sums import mean_squared_error
from anova_report.core.fit.tuning import (
    FIRST,
    LEARN,
    SECOND,
    SHARES,
    choose_family,
    fit_many,
)
from tests.core.small_fits import (
    assert_same_fit,
    candidates_for,
    column_search_for,
    draw_pair,
    grouped_rows,
    predictions_for,
    spoil,
    with_predictions,
)

GROUPS = (LEARN, FIRST, SECOND)


def test_columns_are_grown_without_looking_at_the_other_groups_predictions():
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    spoilt = with_predictions(rows, spoil(predictions, rows.groups(0, len(X)) != LEARN))
    ours, theirs = (column_search_for(rows).grow(each, GROUPS, (LEARN,), 1) for each in (rows, spoilt))
    assert list(ours.columns.positions) == list(theirs.columns.positions)
    np.testing.assert_array_equal(ours.sums.average((LEARN,)).cross, theirs.sums.average((LEARN,)).cross)
    assert ours.sizes == theirs.sizes


@pytest.mark.parametrize("reported", [FIRST, SECOND])
def test_with_many_rows_a_held_out_fit_does_not_know_the_predictions_it_is_reported_on(reported):
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    spoilt = with_predictions(rows, spoil(predictions, rows.groups(0, len(X)) == reported))
    fit, held_out = fit_many(column_search_for(rows), rows, 1)
    spoilt_fit, spoilt_held_out = fit_many(column_search_for(rows), spoilt, 1)
    (ours,) = [item for item in held_out if item.group == reported]
    (theirs,) = [item for item in spoilt_held_out if item.group == reported]
    assert_same_fit(ours.fit, theirs.fit)
    assert reported not in ours.fit.groups
    assert ours.fit.normal.n_rows == (rows.groups(0, len(X)) != reported).sum()
    assert not np.array_equal(fit.coefficients[:5], spoilt_fit.coefficients[:5])


@pytest.mark.parametrize(("family", "other"), list(permutations(FAMILIES)))
def test_with_many_rows_the_family_is_chosen_on_the_rows_that_columns_are_chosen_on(family, other):
    X, groups = np.random.default_rng(0).normal(size=(5000, 2)), random_groups(SHARES, seed=0)
    predictions = np.where(groups(0, len(X)) == LEARN, predictions_for(family, X), 3 * predictions_for(other, X))
    candidates = candidates_for(grouped_rows(X, predictions, groups), 12)
    assert choose_family(candidates, groups, len(X), 1) == family


def test_the_fit_on_all_rows_sees_all_and_is_good():
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    fit, _ = fit_many(column_search_for(rows), rows, 1)
    assert fit.groups == GROUPS
    assert fit.normal.n_rows == len(X)
    assert len(fit.coefficients) == len(fit.ridge) == fit.columns.size
    noise = 1 / predictions.var()
    assert float(mean_squared_error(fit.normal, fit.coefficients)[0]) == pytest.approx(noise, rel=0.1)


def test_noise_is_smoothed_away_and_a_clear_signal_is_not():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5000, 3))
    spreads = []
    for predictions in (rng.normal(size=5000), np.sin(3 * X[:, 0])):
        rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=12)
        fit, _ = fit_many(column_search_for(rows, degree=12), rows, 1)
        spreads.append(float((fit.coefficients[1:] ** 2).sum()))
    assert spreads[0] < 0.01
    assert spreads[1] > 0.9
