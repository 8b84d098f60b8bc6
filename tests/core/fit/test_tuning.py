"""Growing and tuning: what is reported on held-out rows was chosen without their predictions."""

from itertools import permutations

import numpy as np
import pytest

from anova_report.core.basis.splines import FAMILIES
from anova_report.core.fit.partition import FIRST, LEARN, SECOND, SHARES, Partition, Round, Units
from anova_report.core.fit.row_blocks import random_groups
from anova_report.core.fit.sums import mean_squared_error
from anova_report.core.fit.tuning import tune
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
    ours, theirs = (column_search_for(rows).select(each, GROUPS, (LEARN,), 1) for each in (rows, spoilt))
    assert list(ours.columns.positions) == list(theirs.columns.positions)
    np.testing.assert_array_equal(ours.sums.average((LEARN,)).cross, theirs.sums.average((LEARN,)).cross)
    assert ours.sizes == theirs.sizes


def one_round(groups):
    return [Round(groups, (FIRST, SECOND))]


def rounds_of(n_rows):
    return Units(Partition("row", n_rows), n_rows, seed=0).rounds(n_rows)


def tuned(rows, degree=6, rounds=None):
    return tune(candidates_for(rows, degree), rounds or one_round(rows.groups), 1)


@pytest.mark.parametrize("reported", [FIRST, SECOND])
def test_a_held_out_fit_does_not_know_the_predictions_it_is_reported_on(reported):
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    spoilt = with_predictions(rows, spoil(predictions, rows.groups(0, len(X)) == reported))
    fit, held_out = tuned(rows)
    spoilt_fit, spoilt_held_out = tuned(spoilt)
    (ours,) = [item for item in held_out if item.group == reported]
    (theirs,) = [item for item in spoilt_held_out if item.group == reported]
    assert_same_fit(ours.fit, theirs.fit)
    assert reported not in ours.fit.groups
    assert ours.fit.normal.n_rows == (rows.groups(0, len(X)) != reported).sum()
    assert not np.array_equal(fit.coefficients[:5], spoilt_fit.coefficients[:5])


@pytest.mark.parametrize("fold", range(5))
def test_with_few_rows_no_fold_is_known_to_the_fit_that_is_reported_on_it(fold):
    X, predictions = draw_pair()
    X, predictions = X[:500], predictions[:500]
    rounds = rounds_of(500)
    at = next(index for index, one in enumerate(rounds) if fold in one.folds)
    group = FIRST + rounds[at].folds.index(fold)
    out = rounds[at].groups(0, 500) == group
    rows = grouped_rows(X, predictions, rounds[0].groups, degree=6)
    (_, ours), (_, theirs) = (
        tuned(each, rounds=rounds) for each in (rows, with_predictions(rows, spoil(predictions, out)))
    )
    assert_same_fit(ours[fold].fit, theirs[fold].fit)
    assert ours[fold].n_rows == out.sum()


@pytest.mark.parametrize(
    ("n_rows", "n_rounds"), [(3, 2), (4, 2), (600, 3), (4500, 3), (4501, 2), (6501, 1), (90_000, 1)]
)
def test_few_rows_are_all_held_out_and_many_in_part(n_rows, n_rounds):
    rounds = rounds_of(n_rows)
    assert len(rounds) == n_rounds
    if n_rounds > 1:
        groups = np.array([one.groups(0, min(n_rows, 8192)) for one in rounds])
        assert ((groups != LEARN).sum(axis=0) >= 1).mean() >= 0.79
        assert (groups == LEARN).any(axis=1).all()


@pytest.mark.parametrize(("family", "other"), list(permutations(FAMILIES)))
def test_the_family_of_a_held_out_fit_is_chosen_without_its_rows(family, other):
    X, groups = np.random.default_rng(0).normal(size=(5000, 2)), random_groups(SHARES, seed=0)
    own = groups(0, len(X)) != SECOND
    predictions = np.where(own, predictions_for(family, X), 3 * predictions_for(other, X))
    rows = grouped_rows(X, predictions, groups)
    candidates = candidates_for(rows, 12)
    _, held_out = tune(candidates, one_round(groups), 1)
    (second,) = [item for item in held_out if item.group == SECOND]
    assert second.fit.rows.marginals is candidates[family].search.marginals


def test_the_fit_on_all_rows_sees_all_and_is_good():
    X, predictions = draw_pair()
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6)
    fit, _ = tuned(rows)
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
        fit, _ = tuned(rows, degree=12)
        spreads.append(float((fit.coefficients[1:] ** 2).sum()))
    assert spreads[0] < 0.01
    assert spreads[1] > 0.9
