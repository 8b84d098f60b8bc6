"""Growing and tuning: what is reported on held-out rows was chosen without their answers."""

from collections.abc import Callable

import numpy as np
import pytest

from anova_report.core.fit.row_blocks import ArrayRows, GroupedRows, Groups, random_groups
from anova_report.core.fit.sums import mean_squared_error
from anova_report.core.fit.tuning import FIRST, LEARN, SECOND, SHARES, Fit, fit_few, fit_many
from tests.core.small_fits import column_search_for, draw_pair, grouped_rows

GROUPS = (LEARN, FIRST, SECOND)


def spoil(answers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Replace some answers by others that would lead any search astray."""
    spoilt = answers.copy()
    spoilt[chosen] = 100 * np.random.default_rng(9).normal(size=(int(chosen.sum()), *answers.shape[1:]))
    return spoilt


def rows_maker(X: np.ndarray, answers: np.ndarray, like: GroupedRows) -> Callable[[Groups], GroupedRows]:
    """Make rows with the functions, centre and spread of others, so that only the answers differ."""
    source = ArrayRows(X, answers.reshape(len(X), -1))
    return lambda groups: GroupedRows(source, like.marginals, like.centre, like.spread, groups)


def assert_same_fit(ours: Fit, theirs: Fit) -> None:
    np.testing.assert_array_equal(ours.ridge, theirs.ridge)
    np.testing.assert_array_equal(ours.coefficients, theirs.coefficients)


def test_columns_are_grown_without_looking_at_the_other_groups_answers():
    X, answers = draw_pair()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    spoilt = rows_maker(X, spoil(answers, rows.groups(0, len(X)) != LEARN), rows)(rows.groups)
    ours, theirs = (column_search_for(rows).grow(each, GROUPS, (LEARN,), 1) for each in (rows, spoilt))
    assert list(ours.columns.positions) == list(theirs.columns.positions)
    np.testing.assert_array_equal(ours.sums.average((LEARN,)).cross, theirs.sums.average((LEARN,)).cross)
    assert ours.sizes == theirs.sizes


@pytest.mark.parametrize("reported", [FIRST, SECOND])
def test_with_many_rows_a_held_out_fit_does_not_know_the_answers_it_is_reported_on(reported):
    X, answers = draw_pair()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    spoilt = rows_maker(X, spoil(answers, rows.groups(0, len(X)) == reported), rows)(rows.groups)
    fit, held_out = fit_many(column_search_for(rows), rows, 1)
    spoilt_fit, spoilt_held_out = fit_many(column_search_for(rows), spoilt, 1)
    (ours,) = [item for item in held_out if item.group == reported]
    (theirs,) = [item for item in spoilt_held_out if item.group == reported]
    assert_same_fit(ours.fit, theirs.fit)
    assert reported not in ours.fit.groups
    assert ours.fit.normal.n_rows == (rows.groups(0, len(X)) != reported).sum()
    assert not np.array_equal(fit.coefficients[:5], spoilt_fit.coefficients[:5])


@pytest.fixture(scope="module")
def few() -> tuple[np.ndarray, np.ndarray, GroupedRows, np.ndarray]:
    X, answers = draw_pair(n_rows=240)
    folds = np.random.default_rng(4).permutation(240) % 4
    return X, answers, grouped_rows(X, answers, degree=5), folds


def test_with_few_rows_a_held_out_fit_does_not_know_the_answers_it_is_reported_on(few):
    X, answers, rows, folds = few
    search_columns = column_search_for(rows, degree=5)
    _, held_out = fit_few(search_columns, rows_maker(X, answers, rows), folds, 1)
    _, spoilt = fit_few(search_columns, rows_maker(X, spoil(answers, folds == 2), rows), folds, 1)
    assert len(held_out) == 4
    assert_same_fit(held_out[2].fit, spoilt[2].fit)
    assert not np.array_equal(held_out[1].fit.coefficients[:5], spoilt[1].fit.coefficients[:5])


def test_with_few_rows_every_row_is_held_out_once_and_the_fit_sees_all(few):
    X, answers, rows, folds = few
    fit, held_out = fit_few(column_search_for(rows, degree=5), rows_maker(X, answers, rows), folds, 1)
    assert fit.normal.n_rows == 240
    unseen = [sum(len(block.answers) for block in item.fit.rows.blocks((item.group,))) for item in held_out]
    assert unseen == np.bincount(folds).tolist()
    assert [item.fit.normal.n_rows for item in held_out] == [240 - count for count in unseen]


def test_the_fit_on_all_rows_sees_all_and_is_good():
    X, answers = draw_pair()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    fit, _ = fit_many(column_search_for(rows), rows, 1)
    assert fit.groups == GROUPS
    assert fit.normal.n_rows == len(X)
    assert len(fit.coefficients) == len(fit.ridge) == fit.columns.size
    noise = 1 / answers.var()
    assert float(mean_squared_error(fit.normal, fit.coefficients)[0]) == pytest.approx(noise, rel=0.1)


def test_noise_is_smoothed_away_and_a_clear_signal_is_not():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5000, 3))
    spreads = []
    for answers in (rng.normal(size=5000), np.sin(3 * X[:, 0])):
        rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=12)
        fit, _ = fit_many(column_search_for(rows, degree=12), rows, 1)
        spreads.append(float((fit.coefficients[1:] ** 2).sum()))
    assert spreads[0] < 0.01
    assert spreads[1] > 0.9
