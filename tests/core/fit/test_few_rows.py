"""Few rows: everything that leads to a held-out fit is chosen without its rows, and weak products count together."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.fit import recipe
from anova_report.core.fit.few_rows import RowsOfGroup, fit_few
from anova_report.core.fit.growth import ColumnSearch, FoundColumns
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.splines import FAMILIES
from anova_report.core.fit.sums import GroupSums, ridge_fit
from anova_report.core.fit.tuning import LEARN
from tests.core.small_fits import (
    assert_same_fit,
    candidates_for,
    draw_pair,
    grouped_rows,
    predictions_for,
    spoil,
    with_predictions,
)
from tests.ground_truth import fgm


@pytest.fixture(scope="module")
def few() -> tuple[np.ndarray, GroupedRows, np.ndarray]:
    X, predictions = draw_pair(n_rows=240)
    folds = np.random.default_rng(4).permutation(240) % 4
    return predictions, grouped_rows(X, predictions, degree=5), folds


@pytest.mark.parametrize("n_background", [0, 40, 400])
def test_with_few_rows_a_held_out_fit_does_not_know_the_predictions_it_is_reported_on(few, n_background):
    predictions, rows, folds = few
    _, held_out = fit_few(candidates_for(rows, 5, n_background), folds, 1)
    _, spoilt = fit_few(
        candidates_for(with_predictions(rows, spoil(predictions, folds == 2)), 5, n_background), folds, 1
    )
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


def test_every_two_neighbouring_folds_are_left_out_together_once(few, monkeypatch):
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
    assert sorted(pairs) == [(0, 1), (0, 3), (1, 2), (2, 3)]
    assert sorted(set(tried) - set(pairs)) == [(), (0,), (1,), (2,), (3,)]


def test_fits_through_rows_are_those_from_sums(few):
    _, rows, _ = few
    search = candidates_for(rows, 5, n_background=400)["waves"].search
    columns = search.grow(rows, (LEARN,), (LEARN,), 1).columns
    columns = columns.with_blocks(search.background(columns))
    sums = GroupSums((LEARN,), 1)
    sums.extend(rows, columns)
    penalty = columns.roughness(search.marginals)
    for strength in (1e-3, 1e-1, 10.0):
        (found,) = RowsOfGroup.read(rows, (LEARN,), columns).fits(penalty, [strength])
        np.testing.assert_allclose(found, ridge_fit(sums.average((LEARN,)), strength * penalty), atol=1e-5)


def many_weak_pairs(X: np.ndarray) -> np.ndarray:
    """Half of the variance comes from 28 products, none of which has more than some percent."""
    size = np.random.default_rng(1).normal(size=(8, 8))
    return X.sum(axis=1) / 1.1 + np.einsum("ni,ij,nj->n", X, np.triu(size, 1), X)


@pytest.mark.parametrize("n_rows", [400, 4500])
def test_weak_products_that_no_row_speaks_for_are_explained_together(n_rows, monkeypatch):
    rng = np.random.default_rng(0)
    X, fresh = rng.uniform(-1, 1, size=(n_rows, 8)), rng.uniform(-1, 1, size=(4000, 8))
    noise = (2 if n_rows > 4000 else 0.5) * rng.normal(size=n_rows)
    with_them = FunctionalANOVA(random_state=0, progress=False).fit(X, many_weak_pairs(X) + noise)
    monkeypatch.setattr(recipe, "BACKGROUND", 0)
    without = FunctionalANOVA(random_state=0, progress=False).fit(X, many_weak_pairs(X) + noise)
    missing, missing_without = (1 - each.score(fresh, many_weak_pairs(fresh)) for each in (with_them, without))
    assert missing < 0.8 * missing_without


@pytest.mark.parametrize("n_rows", [800, 5000])
def test_a_background_that_explains_next_to_nothing_is_left_out(n_rows):
    X = np.random.default_rng(0).uniform(-1, 1, size=(n_rows, 5))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]).decomposition_
    assert [term for term in dec.terms if len(term) > 1] == [(1, 2)]


@pytest.mark.parametrize("n_rows", [1500, 8000])
def test_a_background_that_is_left_out_costs_nothing(n_rows, monkeypatch):
    case, rng = fgm(0.5), np.random.default_rng(0)
    X, fresh = case.draw(n_rows, rng), case.draw(4000, rng)
    tried = FunctionalANOVA(random_state=0, progress=False).fit(X, case.predictions(X))
    monkeypatch.setattr(recipe, "BACKGROUND", 0)
    untried = FunctionalANOVA(random_state=0, progress=False).fit(X, case.predictions(X))
    missing, missing_untried = (1 - each.score(fresh, case.predictions(fresh)) for each in (tried, untried))
    assert missing < 1.1 * missing_untried


def test_the_background_leaves_out_functions_that_reach_far_beyond_the_rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(1000, 2)), rng.lognormal(sigma=1.5, size=1000)])
    rows = grouped_rows(X, X[:, 0], degree=6)
    for family, pairs in (("polynomials", {(0, 1)}), ("waves", {(0, 1), (0, 2), (1, 2)})):
        search = candidates_for(rows, 6, n_background=50)[family].search
        columns = search.grow(rows, (LEARN,), (LEARN,), 1).columns
        assert {block.term for block in search.background(columns)} == pairs
