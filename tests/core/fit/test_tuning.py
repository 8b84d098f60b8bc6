"""Growing and tuning: what is reported on held-out rows was chosen without their predictions."""

from collections.abc import Mapping
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from anova_report.core.fit.families import Marginal
from anova_report.core.fit.growth import ColumnSearch, Degrees, FoundColumns
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows, GroupedRows, random_groups, random_replicates
from anova_report.core.fit.splines import FAMILIES, FamilyName
from anova_report.core.fit.sums import mean_squared_error
from anova_report.core.fit.tally import make_marginals, tally
from anova_report.core.fit.tuning import (
    FIRST,
    LEARN,
    SECOND,
    SHARES,
    Candidate,
    Fit,
    choose_family,
    fit_few,
    fit_many,
)
from anova_report.core.input.features import Feature
from anova_report.core.progress import Steps
from tests.core.small_fits import column_search_for, draw_pair, grouped_rows

GROUPS = (LEARN, FIRST, SECOND)


def spoil(predictions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Replace some predictions by others that would lead any search astray."""
    spoilt = predictions.copy()
    spoilt[chosen] = 100 * np.random.default_rng(9).normal(size=(int(chosen.sum()), *predictions.shape[1:]))
    return spoilt


def with_predictions(rows: GroupedRows, predictions: np.ndarray) -> GroupedRows:
    """Make rows with the functions, centre and spread of others, so that only the predictions differ."""
    source = ArrayRows(rows.coded.source.values, predictions.reshape(len(predictions), -1))
    coded = CodedRows(source, rows.coded.books, rows.centre, rows.spread)
    return GroupedRows(coded, rows.marginals, rows.groups)


def candidates_for(rows: GroupedRows, degree: int = 6) -> dict[FamilyName, Candidate]:
    """Both families of functions for some rows."""
    return {
        family: Candidate(
            ColumnSearch(marginals, Degrees(degree, degree), 2, Steps(1, show=False)), rows.coded, random_replicates(0)
        )
        for family, marginals in families_of(rows.coded.source.values, degree).items()
    }


def predictions_for(family: FamilyName, X: np.ndarray) -> np.ndarray:
    """Predictions that are a product of two functions of this family, and of no two of the other."""
    first, second = (marginal.evaluate(X[:, at]) for at, marginal in enumerate(families_of(X, 12)[family]))
    return first[0] + first[3] * second[2]


def families_of(X: np.ndarray, degree: int) -> Mapping[FamilyName, tuple[Marginal, ...]]:
    features = [Feature(f"x{index}", "numeric") for index in range(X.shape[1])]
    books = tally(ArrayRows(X, X[:, :1]), len(features)).books(features)
    return make_marginals(features, books, degree)


def assert_same_fit(ours: Fit, theirs: Fit) -> None:
    np.testing.assert_array_equal(ours.ridge, theirs.ridge)
    np.testing.assert_array_equal(ours.coefficients, theirs.coefficients)


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


@pytest.fixture(scope="module")
def few() -> tuple[np.ndarray, GroupedRows, np.ndarray]:
    X, predictions = draw_pair(n_rows=240)
    folds = np.random.default_rng(4).permutation(240) % 4
    return predictions, grouped_rows(X, predictions, degree=5), folds


def test_with_few_rows_a_held_out_fit_does_not_know_the_predictions_it_is_reported_on(few):
    predictions, rows, folds = few
    _, held_out = fit_few(candidates_for(rows, 5), folds, 1)
    _, spoilt = fit_few(candidates_for(with_predictions(rows, spoil(predictions, folds == 2)), 5), folds, 1)
    assert len(held_out) == 4
    assert_same_fit(held_out[2].fit, spoilt[2].fit)
    assert not np.array_equal(held_out[1].fit.coefficients[:5], spoilt[1].fit.coefficients[:5])


@pytest.mark.parametrize(("family", "other"), list(permutations(FAMILIES)))
def test_with_few_rows_the_family_of_a_held_out_fit_is_chosen_without_its_rows(family, other):
    X, folds = np.random.default_rng(0).normal(size=(400, 2)), np.random.default_rng(4).permutation(400) % 5
    predictions = np.where(folds == 3, 3 * predictions_for(other, X), predictions_for(family, X))
    candidates = candidates_for(grouped_rows(X, predictions), 12)
    _, held_out = fit_few(candidates, folds, 1)
    assert held_out[3].fit.rows.marginals is candidates[family].search.marginals


def test_with_few_rows_every_row_is_held_out_once_and_the_fit_sees_all(few):
    _, rows, folds = few
    fit, held_out = fit_few(candidates_for(rows, 5), folds, 1)
    assert fit.normal.n_rows == 240
    unseen = [sum(len(block.predictions) for block in item.fit.rows.blocks((item.group,))) for item in held_out]
    assert unseen == np.bincount(folds).tolist()
    assert [item.fit.normal.n_rows for item in held_out] == [240 - count for count in unseen]


def test_every_two_folds_are_left_out_together_once(few, monkeypatch):
    _, rows, folds = few
    tried = []

    def count(search: ColumnSearch, rows: GroupedRows, *rest: Any) -> FoundColumns:
        group = rows.groups(0, 240)
        tried.append(tuple(sorted({int(fold) for fold in folds[group != LEARN]})))
        return grow(search, rows, *rest)

    grow = ColumnSearch.grow
    monkeypatch.setattr(ColumnSearch, "grow", count)
    fit_few({"waves": candidates_for(rows, 5)["waves"]}, folds, 1)
    pairs = [left_out for left_out in tried if len(left_out) == 2]
    assert sorted(pairs) == list(combinations(range(4), 2))
    assert sorted(set(tried) - set(pairs)) == [(), (0,), (1,), (2,), (3,)]


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
