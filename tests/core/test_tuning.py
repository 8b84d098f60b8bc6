"""Growing and tuning: what is reported on held-out rows was chosen without their answers."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from anova_report.core.columns import Feature
from anova_report.core.growth import (
    MAX_COLUMNS,
    Degrees,
    Grower,
    Grown,
    candidate_sizes,
    degrees_for,
    main_columns,
    round_strength,
    weigh,
)
from anova_report.core.progress import Steps
from anova_report.core.rows import ArrayRows, GroupedRows, Groups, given_groups, random_groups
from anova_report.core.solve import mean_squared_error
from anova_report.core.sums import GroupSums
from anova_report.core.tally import tally
from anova_report.core.tuning import FIRST, LEARN, SECOND, SHARES, Fit, fit_few, fit_many
from tests.core.small_fits import columns_of, grouped_rows

GROUPS = (LEARN, FIRST, SECOND)


def grower_for(rows: GroupedRows, max_order: int = 2, degree: int = 6) -> Grower:
    return Grower(rows.marginals, Degrees(degree, degree), max_order, Steps(1, show=False))


def grow(X: np.ndarray, answers: np.ndarray, max_order: int = 2) -> Grown:
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    return grower_for(rows, max_order).grow(rows, GROUPS, (LEARN,), len(rows.spread))


def pairs_in(grown: Grown) -> set[tuple[int, ...]]:
    return {term for term in grown.columns.positions if len(term) == 2}


def draw(n_rows: int = 5000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=n_rows)


@pytest.mark.parametrize("n_features", [1, 2, 8, 81, 500])
@pytest.mark.parametrize("n_rows", [10, 300, 20_000, 10**6])
def test_more_rows_allow_finer_functions_and_more_features_fewer(n_rows, n_features):
    here, more_rows = degrees_for(n_rows, n_features), degrees_for(10 * n_rows, n_features)
    more_features = degrees_for(n_rows, 3 * n_features)
    assert min(here.main, here.pair) >= 5
    assert more_rows.main >= here.main >= more_features.main
    assert more_rows.pair >= here.pair >= more_features.pair


def test_main_effects_take_every_level_but_only_so_many_degrees():
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.normal(size=2000), rng.integers(0, 12, size=2000), rng.integers(0, 2, size=2000)])
    features = [Feature("a", "numeric"), Feature("b", "nominal", tuple("abcdefghijkl")), Feature("c", "boolean")]
    marginals = tally(ArrayRows(values, np.zeros((2000, 1))), 3).marginals(features, degree=20)
    columns = main_columns(marginals, degree=5)
    assert [len(columns.positions[term]) for term in ((0,), (1,), (2,))] == [6, 11, 1]


def test_a_planted_pair_is_grown_and_its_sums_are_there():
    grown = grow(*draw())
    assert (1, 2) in pairs_in(grown)
    assert grown.rounds[-1] == grown.columns.size
    assert all(before < after for before, after in pairwise(grown.rounds))
    assert grown.sums.average((FIRST,)).gram.shape == (grown.columns.size, grown.columns.size)


def test_with_order_one_only_main_effects_are_grown():
    grown = grow(*draw(), max_order=1)
    assert set(grown.columns.positions) == {(0,), (1,), (2,), (3,)}
    assert grown.rounds == (grown.columns.size,)


def test_where_main_effects_leave_nothing_no_pair_is_grown():
    X = np.random.default_rng(2).integers(0, 4, size=(3000, 3)).astype(float)
    grown = grow(X, X[:, 0] ** 2 - X[:, 2])
    assert pairs_in(grown) == set()


def test_there_are_never_more_columns_than_rows_to_learn_from():
    X, answers = draw(n_rows=60)
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    grown = grower_for(rows).grow(rows, GROUPS, (LEARN,), 1)
    n_learn = grown.sums.average((LEARN,)).n_rows
    assert grown.columns.size <= max(n_learn, grown.rounds[0])
    assert grown.columns.size <= MAX_COLUMNS


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
    X, answers = draw()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    spoilt = rows_maker(X, spoil(answers, rows.groups(0, len(X)) != LEARN), rows)(rows.groups)
    ours, theirs = (grower_for(rows).grow(each, GROUPS, (LEARN,), 1) for each in (rows, spoilt))
    assert list(ours.columns.positions) == list(theirs.columns.positions)
    np.testing.assert_array_equal(ours.sums.average((LEARN,)).cross, theirs.sums.average((LEARN,)).cross)
    assert ours.rounds == theirs.rounds


@pytest.mark.parametrize("reported", [FIRST, SECOND])
def test_with_many_rows_a_held_out_fit_does_not_know_the_answers_it_is_reported_on(reported):
    X, answers = draw()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    spoilt = rows_maker(X, spoil(answers, rows.groups(0, len(X)) == reported), rows)(rows.groups)
    fit, held_out = fit_many(grower_for(rows), rows, 1)
    spoilt_fit, spoilt_held_out = fit_many(grower_for(rows), spoilt, 1)
    (ours,) = [item for item in held_out if item.group == reported]
    (theirs,) = [item for item in spoilt_held_out if item.group == reported]
    assert_same_fit(ours.fit, theirs.fit)
    assert reported not in ours.fit.groups
    assert ours.fit.normal.n_rows == (rows.groups(0, len(X)) != reported).sum()
    assert not np.array_equal(fit.coefficients[:5], spoilt_fit.coefficients[:5])


@pytest.fixture(scope="module")
def few() -> tuple[np.ndarray, np.ndarray, GroupedRows, np.ndarray]:
    X, answers = draw(n_rows=240)
    folds = np.random.default_rng(4).permutation(240) % 4
    return X, answers, grouped_rows(X, answers, degree=5), folds


def test_with_few_rows_a_held_out_fit_does_not_know_the_answers_it_is_reported_on(few):
    X, answers, rows, folds = few
    grower = grower_for(rows, degree=5)
    _, held_out = fit_few(grower, rows_maker(X, answers, rows), folds, 1)
    _, spoilt = fit_few(grower, rows_maker(X, spoil(answers, folds == 2), rows), folds, 1)
    assert len(held_out) == 4
    assert_same_fit(held_out[2].fit, spoilt[2].fit)
    assert not np.array_equal(held_out[1].fit.coefficients[:5], spoilt[1].fit.coefficients[:5])


def test_with_few_rows_every_row_is_held_out_once_and_the_fit_sees_all(few):
    X, answers, rows, folds = few
    fit, held_out = fit_few(grower_for(rows, degree=5), rows_maker(X, answers, rows), folds, 1)
    assert fit.normal.n_rows == 240
    unseen = [sum(len(part.answers) for part in item.fit.rows.parts((item.group,))) for item in held_out]
    assert unseen == np.bincount(folds).tolist()
    assert [item.fit.normal.n_rows for item in held_out] == [240 - count for count in unseen]


def test_the_fit_on_all_rows_sees_all_and_is_good():
    X, answers = draw()
    rows = grouped_rows(X, answers, random_groups(SHARES, seed=0), degree=6)
    fit, _ = fit_many(grower_for(rows), rows, 1)
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
        fit, _ = fit_many(grower_for(rows, degree=12), rows, 1)
        spreads.append(float((fit.coefficients[1:] ** 2).sum()))
    assert spreads[0] < 0.01
    assert spreads[1] > 0.9


def test_candidate_sizes_are_main_effects_half_a_round_and_all_rounds():
    columns = columns_of(((0,), 4))
    assert candidate_sizes(Grown(columns, GroupSums((0,), 1), (11, 31, 40))) == [11, 21, 31, 40]
    assert candidate_sizes(Grown(columns, GroupSums((0,), 1), (11,))) == [11]


def test_strong_components_pay_less_and_weak_ones_more():
    columns = columns_of(((0,), 2), ((1,), 2), ((2,), 2))
    coefficients = np.array([[9.0], [1.0], [1.0], [0.1], [0.1], [0.0], [0.0]])
    weights = weigh(columns, np.ones(7), coefficients)
    assert weights[0] == 1
    assert weights[1] == weights[2] < 1 < weights[3] == weights[4] < weights[5] == weights[6] == 30
    # A component with a hundredth of the energy pays ten times as much.
    assert weights[3] / weights[1] == pytest.approx(10)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_weights_do_not_depend_on_the_scale_of_the_answers(scale):
    columns = columns_of(((0,), 3), ((0, 1), 2))
    coefficients = np.random.default_rng(6).normal(size=(8, 2))
    np.testing.assert_allclose(
        weigh(columns, np.ones(8), coefficients), weigh(columns, np.ones(8), scale * coefficients)
    )


def test_answers_that_are_explained_by_nothing_weigh_all_components_the_same():
    columns = columns_of(((0,), 3), ((1,), 2))
    assert len(set(weigh(columns, np.ones(6), np.zeros((6, 1)))[1:])) == 1


def test_the_penalty_of_a_round_never_grows_with_the_rows():
    strengths = [round_strength(n_rows) for n_rows in (100, 10_000, 100_000, 10**7)]
    assert strengths == sorted(strengths, reverse=True)
    assert strengths[0] == strengths[1]


def test_given_groups_are_what_a_grower_learns_from():
    X, answers = draw(n_rows=3000)
    group = np.r_[np.zeros(2000, dtype=np.intp), np.ones(1000, dtype=np.intp)]
    rows = grouped_rows(X, answers, given_groups(group), degree=6)
    grown = grower_for(rows).grow(rows, (0, 1), (0,), 1)
    assert [grown.sums.average((which,)).n_rows for which in (0, 1)] == [2000, 1000]
