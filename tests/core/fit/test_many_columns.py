"""Many columns: those that matter are found in bounded work, and the others cost nothing."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.core.basis.design import Columns, Evaluator
from anova_report.core.fit.feature_screen import LowFunctions, partners, screen_features
from anova_report.core.fit.forward_selection import ColumnSearch, Degrees, degrees_for
from anova_report.core.fit.found_columns import FoundColumns
from anova_report.core.fit.partition import FIRST, LEARN, SECOND, SHARES
from anova_report.core.fit.row_blocks import random_groups
from anova_report.core.input.weights import RowWeights
from anova_report.core.progress import Steps
from tests.core.small_fits import grouped_rows

MANY = 250
PREDICTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "product": lambda X: X[:, 0] + X[:, 1] * X[:, 2],
    "only a product": lambda X: X[:, 1] * X[:, 2],
    "a feature that turns a sign": lambda X: np.sign(X[:, 1]) * X[:, 2] + X[:, 0] ** 2,
}


def draw(n_rows: int = 3000, n_features: int = MANY, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, size=(n_rows, n_features))


def select(X: np.ndarray, predictions: np.ndarray, max_order: int = 2) -> FoundColumns:
    rows = grouped_rows(X, predictions, random_groups(SHARES, seed=0), degree=6, family="polynomials")
    search = ColumnSearch(rows.marginals, Degrees(6, 6, candidates=20), max_order, Steps(1, show=False))
    return search.select(rows, (LEARN, FIRST, SECOND), (LEARN,), 1)


def listed(selected: FoundColumns, size: int | None = None) -> set[tuple[int, ...]]:
    return set((selected.columns if size is None else selected.columns.first(size)).positions)


@pytest.mark.parametrize("predictions_of", PREDICTIONS.values(), ids=PREDICTIONS)
def test_a_pair_among_many_columns_is_found_with_the_main_effects_it_is_purified_by(predictions_of):
    X = draw()
    terms = listed(select(X, predictions_of(X)))
    assert {(1, 2), (1,), (2,)} <= terms
    assert len(terms) < 40


def test_a_triple_among_many_columns_is_found():
    X = draw(4000)
    assert (4, 17, 129) in listed(select(X, X[:, 4] * X[:, 17] * X[:, 129], max_order=3))


def test_a_feature_that_only_moves_with_a_strong_one_gets_no_columns():
    X = draw(n_features=150)
    X[:, 75:] = X[:, [0]] + 0.5 * X[:, 75:]  # half of the columns reflect the first
    selected = select(X, X[:, 0] + 0.3 * X[:, 1] ** 2)
    assert {(0,), (1,)} <= listed(selected)
    assert len(listed(selected)) <= 20


def test_weak_effects_that_show_only_together_are_offered_last():
    X = draw(2000)
    selected = select(X, X @ np.random.default_rng(1).choice([-1.0, 1.0], size=MANY))
    assert listed(selected) >= {(feature,) for feature in range(MANY)}
    assert len(listed(selected, selected.sizes[-2])) < MANY / 2
    assert selected.columns.blocks[-1].gain == 0


def test_noise_gets_few_columns_and_never_more_than_rows():
    X = draw(60)
    selected = select(X, np.random.default_rng(2).normal(size=60))
    assert 1 < selected.columns.size <= 36  # three fifths of the rows


def test_main_effects_scatter_and_partners_are_told_apart():
    X = draw(4000, 60)
    predictions = X[:, 3] + X[:, 5] * X[:, 7] + np.sign(X[:, 9]) * X[:, 7]
    rows = grouped_rows(X, predictions, degree=6)
    low, nothing = LowFunctions(rows.marginals), Evaluator(Columns(()), np.zeros((1, 1)))
    screen = screen_features(rows, (0,), nothing, low)
    assert np.argmax(screen.gains) == 3
    assert np.delete(screen.gains, 3).max() < 0.01
    # Predictions are large where x3, x5 or x7 are; the sign of x9 changes nothing about that.
    assert set(np.argsort(-screen.heteroscedasticity)[:3]) == {3, 5, 7}
    assert np.argmax(partners(rows, (0,), nothing, low, [7])) == 9


def test_evidence_of_weighted_rows_is_that_of_repeated_rows():
    X, counts = draw(2000, 10), np.where(np.arange(2000) < 1000, 3, 1)
    predictions = np.where(np.arange(2000) < 1000, X[:, 0], X[:, 1])
    weighted, repeated = (
        grouped_rows(X, predictions),
        grouped_rows(np.repeat(X, counts, axis=0), np.repeat(predictions, counts)),
    )
    weighted.coded.source = replace(weighted.coded.source, weights=RowWeights.of(counts.astype(float), np.arange(2000)))
    nothing = Evaluator(Columns(()), np.zeros((1, 1)))
    one, other = (
        screen_features(rows, (0,), nothing, LowFunctions(repeated.marginals)) for rows in (weighted, repeated)
    )
    np.testing.assert_allclose(one.each, other.each, atol=0.01)
    assert one.each[0].sum() > 5 * one.each[1].sum()


@pytest.mark.parametrize("every", [1, 40])
def test_what_is_kept_of_low_functions_are_the_functions_whatever_rows_came_first(every):
    X = draw(300, 5)
    rows = grouped_rows(X, X[:, 0], np.arange(300) % 3, degree=6)
    weights = RowWeights(None, every * np.arange(300), np.ones(300, dtype=np.intp), 300.0)
    rows.coded.source = replace(rows.coded.source, weights=weights)  # positions in a table of which these are some rows
    low = LowFunctions(rows.marginals)
    for block in [*rows.blocks((2,)), *rows.blocks((0, 1)), *rows.blocks((2,))]:
        at, kept = low.of(rows, block)
        expected = np.concatenate([functions[:5] for functions in block.functions])
        np.testing.assert_array_equal(kept[at].T, expected)


@pytest.fixture(scope="module")
def wide() -> tuple[np.ndarray, np.ndarray, FunctionalANOVA]:
    X = np.random.default_rng(3).normal(size=(4100, 120))
    X[:, 9] = X[:, 0] + 0.05 * X[:, 9]
    predictions = X[:, 0] + np.cos(2 * X[:, 1]) * X[:, 2]
    return X, predictions, FunctionalANOVA(random_state=0, progress=False).fit(X, predictions)


def test_many_columns_are_fitted_well_and_only_those_with_an_effect_are_listed(wide):
    _, _, model = wide
    fresh = np.random.default_rng(4).normal(size=(2000, 120))
    fresh[:, 9] = fresh[:, 0] + 0.05 * fresh[:, 9]
    truth = fresh[:, 0] + np.cos(2 * fresh[:, 1]) * fresh[:, 2]
    assert 1 - np.var(truth - model.predict(fresh)) / np.var(truth) > 0.97
    assert len(model.decomposition_.expansion.components) < 30


def test_a_copy_without_columns_is_still_named_as_one_that_could_stand_for_the_effect(wide):
    found = wide[2].decomposition_
    assert found.dependence.imitated[0, 0] > 0.95
    assert found.dependence.imitators[0][0] == (9,)
    assert found.dependence.imitated[5, 0] < 0.1
    np.testing.assert_allclose(found.correlations[:3, 9], np.corrcoef(wide[0][:, [0, 1, 2, 9]].T)[:3, 3], atol=0.05)


def test_many_columns_in_chunks_give_what_the_whole_gives(wide):
    X, predictions, model = wide
    chunked = FunctionalANOVA(random_state=0, progress=False)
    chunked.fit_chunks(lambda: ((X[at : at + 700], predictions[at : at + 700]) for at in range(0, 4100, 700)))
    whole, pieces = model.decomposition_.expansion, chunked.decomposition_.expansion
    assert [each.term for each in whole.components] == [each.term for each in pieces.components]
    for one, other in zip(whole.components, pieces.components, strict=True):
        np.testing.assert_array_equal(one.coefficients, other.coefficients)


@pytest.mark.parametrize(("n_rows", "n_features"), [(100, 5000), (1000, 500), (5000, 2000), (10**6, 10**4)])
def test_the_functions_of_candidate_features_stay_bounded(n_rows, n_features):
    degrees = degrees_for(n_rows, n_features)
    assert degrees.candidates is not None
    assert degrees.candidates * degrees.pair <= 2000
    assert degrees.main <= 16


def test_a_real_table_of_some_dozen_features_keeps_them_all():
    assert degrees_for(17_000, 81).candidates is None
    assert degrees_for(1200, 81).candidates is None
