"""Asking a model at recombined rows: what it identifies, what it never costs, and whom it never asks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from anova_report import explain, measures
from anova_report.core.fit.asking import how_many
from anova_report.core.input.recombination import column_sets, recombine
from anova_report.errors import InputError


def loans(n_rows: int = 1500, seed: int = 7) -> pd.DataFrame:
    """Draw loans whose cost is debt times rate, up to 1% noise."""
    debt, rate, noise, age = np.random.default_rng(seed).normal(size=(4, n_rows))
    return pd.DataFrame({"debt": debt, "rate": rate, "cost": debt * rate + 0.01 * noise, "age": age})


def towns(n_rows: int = 1500, seed: int = 8) -> pd.DataFrame:
    """Draw towns, which determine their country, and incomes that depend on both."""
    rng = np.random.default_rng(seed)
    town = rng.integers(12, size=n_rows)
    names = {"town": [f"t{at:02}" for at in town], "country": [f"c{at // 4}" for at in town]}
    return pd.DataFrame({**names, "income": 0.3 * (town % 5) + rng.normal(size=n_rows)})


def of_loan(X: pd.DataFrame) -> np.ndarray:
    return np.asarray(X["debt"] * X["rate"] + X["age"])


def of_town(X: pd.DataFrame) -> np.ndarray:
    return np.cos(X["town"].str[1:].astype(int).to_numpy()) * (1 + 0.5 * X["income"].to_numpy())


def explained(model, X, **settings):
    return explain(model, X, random_state=0, progress=False, **settings)


def test_a_column_that_stands_for_an_interaction_and_is_not_read_has_no_terms():
    X = loans()
    dec = explained(of_loan, X)
    assert dec.asking.unread == (2,)
    assert not any(2 in term for term in dec.terms)
    shares = {share.label: share.structural for share in measures.variance_shares(dec).terms}
    assert shares["debt × rate"] == pytest.approx(0.5, abs=0.06)
    rows_only = measures.variance_shares(explained(of_loan, X, ask=0)).terms
    assert max(share.structural for share in rows_only if 2 in share.term) > 0.2


def test_a_column_that_another_determines_is_moved_with_it_and_still_found_to_be_unread():
    dec = explained(of_town, towns())
    assert dec.asking.together == ((0, 1),)
    assert dec.asking.unread == (1,)
    assert not any(1 in term for term in dec.terms)


@pytest.mark.parametrize("n_rare", [1, 2, 20])
def test_a_column_that_hardly_ever_differs_is_no_error(n_rare):
    rng = np.random.default_rng(9)
    rare = np.where(np.arange(400) < n_rare, 1.0, 0.0)
    X = pd.DataFrame({"a": rng.normal(size=400), "rare": rare, "twin": 1 - rare, "b": rng.normal(size=400)})
    dec = explained(lambda rows: (rows["a"] * rows["b"]).to_numpy(), X)
    assert measures.fidelity(dec).in_sample > 0.99


def test_a_model_that_refuses_a_column_on_its_own_is_taken_to_read_it():
    def strict(X: pd.DataFrame) -> np.ndarray:
        if (X["country"].str[1:].astype(int) != X["town"].str[1:].astype(int) // 4).any():
            raise ValueError("no such town in this country")
        return of_town(X)

    dec = explained(strict, towns(600))
    assert dec.asking.n_asked > 0
    assert dec.asking.unread == ()


def test_both_parents_of_a_recombined_row_are_in_one_fold():
    folds = np.random.default_rng(0).integers(4, size=300)
    plan = recombine(folds, [[0], [1, 2], [3]], 4, 2000, np.random.default_rng(1))
    np.testing.assert_array_equal(folds[plan.base], folds[plan.donor])
    assert (plan.base != plan.donor).all()
    assert (plan.taken[:, 1] == plan.taken[:, 2]).all()
    assert plan.taken.any(axis=1).mean() > 0.9


def test_indicators_of_one_feature_and_columns_that_determine_each_other_go_together():
    rng = np.random.default_rng(3)
    level, free = rng.integers(3, size=400), rng.normal(size=400)
    one_hot = np.eye(3)[level]
    values = np.column_stack([one_hot, level * 10 + 5, free, np.exp(free), rng.normal(size=400)])
    names = ["kind_a", "kind_b", "kind_c", "code", "x", "exp of x", "other"]
    assert column_sets(values, names) == [[0, 1, 2, 3], [4, 5], [6]]


def test_a_model_that_is_wild_off_the_data_is_explained_no_worse_than_from_its_rows():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 4))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]

    def wild(Z: np.ndarray) -> np.ndarray:
        off = np.abs(Z[:, 1] - Z[:, 0]) > 0.6
        return np.sin(2 * Z[:, 0]) + Z[:, 2] * Z[:, 3] + off * 5 * np.cos(7 * Z[:, 1] * Z[:, 2])

    train, fresh = X[:1500], X[1500:]
    left = [np.mean((wild(fresh) - explained(wild, train, ask=n).predict(fresh)) ** 2) for n in (0, 9000)]
    assert left[1] < 1.1 * left[0] + 1e-3


def test_few_rows_of_a_model_with_steps_say_as_much_as_many_where_it_can_be_asked():
    def steps(Z: np.ndarray) -> np.ndarray:
        return np.floor(2 * Z[:, 0]) + 2 * (Z[:, 1] > 0) * (Z[:, 2] > 0.3) + Z[:, 3]

    z = np.random.default_rng(5).normal(size=(6400, 1))
    X = 0.7 * z + 0.7 * np.random.default_rng(6).normal(size=(6400, 4))
    fresh, few, many = X[:2000], X[2000:2400], X[2400:]
    left = [
        np.mean((steps(fresh) - explained(steps, rows, ask=n).predict(fresh)) ** 2)
        for rows, n in ((few, 0), (few, None), (many, 0))
    ]
    assert left[1] < 0.5 * left[0]
    assert left[1] < 1.6 * left[2]


def test_where_pairs_outnumber_columns_those_that_the_rows_call_for_are_kept():
    rng = np.random.default_rng([77, 0])
    shared = rng.normal(size=(8000, 6))
    X = shared @ rng.normal(size=(6, 50)) + 0.5 * rng.normal(size=(8000, 50))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 4 + np.abs(X[:, 3]) + X[:, 4] * np.tanh(X[:, 5])
    y += 0.3 * rng.normal(size=8000) + shared[:, 0] * shared[:, 1]
    trees = HistGradientBoostingRegressor(max_iter=150, random_state=0).fit(X[:4000], y[:4000])
    fresh = trees.predict(X[5000:])
    left = fresh - explained(trees.predict, X[4000:5000]).predict(X[5000:])
    assert 1 - np.mean(left**2) / fresh.var() > 0.945


def test_the_model_is_asked_as_often_as_allowed_and_beyond_that_only_about_columns_it_seems_not_to_read():
    asked: list[int] = []

    def counted(Z: pd.DataFrame) -> np.ndarray:
        asked.append(len(Z))
        return of_loan(Z)

    dec = explained(counted, loans(500), ask=900)
    assert dec.asking.n_asked == 900
    assert sum(asked) <= 500 + 900 + 1000
    with pytest.raises(InputError, match="ask"):
        explained(counted, loans(100), ask=-1)


def test_a_slow_model_is_asked_less_and_a_very_slow_one_not_at_all():
    often = [how_many(None, 600, seconds) for seconds in (0.1, 3.0, 60.0, 6000.0)]
    assert often == sorted(often, reverse=True)
    assert often[0] == 18_000
    assert often[-1] < often[1]


@pytest.mark.parametrize("seed", [3, 4])
def test_few_rows_do_not_move_more_between_terms_than_they_distinguish(seed):
    """Recombined rows allow fine functions; what terms share under the rows is still known from few rows."""
    rng, n_rows = np.random.default_rng(seed), 150
    age = np.round(21 + rng.gamma(1.2, 10, n_rows))
    dose = np.where(rng.random(n_rows) < 0.5, 0, np.round(rng.gamma(1.5, 80, n_rows)))
    sugar = rng.normal(120, 30, n_rows) + 0.3 * age
    weight = rng.normal(32, 6, n_rows) + 0.01 * sugar
    X = np.column_stack([age, dose, sugar, weight, rng.normal(size=(n_rows, 4))])

    def steps(Z: np.ndarray) -> np.ndarray:
        together = (Z[:, 0] > 30) * (Z[:, 1] > 100) + 0.5 * (Z[:, 2] > 150) * (Z[:, 3] > 30)
        alone = (Z[:, 2] > 130) + np.floor(Z[:, 3] / 5) / 3 + 0.3 * (Z[:, 0] > 45)
        return together + alone + 0.2 * (Z[:, 1] > 40) * (Z[:, 0] > 25)

    shares = measures.variance_shares(explained(steps, X, ask=9000)).terms
    assert max(share.structural for share in shares) < 1
