"""The default estimator end to end, on tables whose decomposition is known and on tables that are awkward."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from tests.ground_truth import JOINT, ON_THE_TABLE, draw_table, exact_components


def fit(X: pd.DataFrame | np.ndarray, predictions: np.ndarray, **settings: int) -> Decomposition:
    return FunctionalANOVA(random_state=0, **settings).fit(X, predictions).decomposition_


def r_squared(predictions: np.ndarray, explained: np.ndarray) -> float:
    return float(1 - np.mean((predictions - explained) ** 2) / predictions.var())


def error_on_the_table(n_rows: int, seed: int, noise: float) -> float:
    """Largest root mean square error of a component, over the standard deviation of the predictions."""
    table, predictions, cell = draw_table(n_rows, seed, noise)
    dec = fit(table, predictions)
    exact = exact_components(JOINT, ON_THE_TABLE, max_order=2)
    found = {term: dec.component(term, table) for term in dec.terms}
    errors = [found.get(term, np.zeros(n_rows)) - values[cell] for term, values in exact.items() if term]
    return max(float(np.sqrt(np.mean(error**2))) for error in errors) / float(predictions.std())


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_components_of_a_finite_table_approach_the_exact_ones(noise):
    few = np.mean([error_on_the_table(2000, seed, noise) for seed in (1, 2)])
    many = np.mean([error_on_the_table(50_000, seed, noise) for seed in (11, 12)])
    assert few < 0.06
    assert many < 0.03
    assert many < 0.5 * few


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(4)
    n_rows = 6000
    city = rng.choice(["Lyon", "Nice", "Paris"], size=n_rows, p=[0.2, 0.3, 0.5])
    age = rng.uniform(18, 90, size=n_rows) + 5 * (city == "Nice")
    member = rng.random(n_rows) < 0.4
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 730, size=n_rows), unit="D")
    table = pd.DataFrame({"city": city.astype(object), "age": age, "member": member, "day": day})
    table.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    table.loc[rng.random(n_rows) < 0.05, "city"] = None
    return table, mixed_predictions(table)


def mixed_predictions(table: pd.DataFrame) -> np.ndarray:
    age = table["age"].fillna(70).to_numpy() / 40
    base = table["city"].map({"Lyon": 1.0, "Nice": -1.0, "Paris": 0.0}).fillna(0.5).to_numpy()
    season = np.sin(2 * np.pi * table["day"].dt.day_of_year.to_numpy() / 365)
    return base + age**2 + np.where(table["member"], age, 0.0) + 0.5 * season


def test_text_missing_values_booleans_and_dates_are_explained_together(mixed):
    table, predictions = mixed
    dec = fit(table, predictions)
    assert [feature.kind for feature in dec.features] == ["nominal", "numeric", "boolean", "datetime"]
    assert ("age", "member") in [tuple(dec.feature_names[at] for at in term) for term in dec.terms]
    assert measures.fidelity(dec).held_out > 0.99
    assert r_squared(predictions, dec.predict(table)) > 0.99


def test_a_missing_value_has_an_effect_of_its_own(mixed):
    table, predictions = mixed
    dec = fit(table, predictions)
    rows = table.head(3).assign(city=["Nice", None, "Lyon"])
    effects = dec.component("city", rows)
    # The effects of Lyon, Nice and no city are 1, -1 and 0.5, whatever they are centered by.
    np.testing.assert_allclose(effects - effects[0], [0.0, 1.5, 2.0], atol=0.1)


def test_levels_and_values_the_fit_has_not_seen_are_predicted_and_flagged(mixed):
    table, predictions = mixed
    dec = fit(table, predictions)
    rows = table.head(4).assign(city=["Rome", "Nice", "Oslo", "Nice"], age=[30.0, 300.0, 30.0, 40.0])
    assert np.isfinite(dec.predict(rows)).all()
    outside = {feature.feature: feature.outside for feature in measures.support(dec, rows).features}
    assert outside == {"city": 2, "age": 1, "member": 0, "day": 0}
    assert dec.component("city", rows)[0] == pytest.approx(dec.component("city", rows)[2])


@pytest.fixture(scope="module")
def threefold() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(5).uniform(-1, 1, size=(6000, 4))
    pairs = X[:, 0] * X[:, 1] + X[:, 0] * X[:, 2] + X[:, 1] * X[:, 2]
    return X, X[:, 0] + X[:, 3] + pairs + 3 * X[:, 0] * X[:, 1] * X[:, 2]


def test_max_order_bounds_the_order_of_the_terms(threefold):
    X, predictions = threefold
    by_order = {order: fit(X, predictions, max_order=order) for order in (1, 2, 3)}
    for order, dec in by_order.items():
        assert max(map(len, dec.terms)) == order
    held_out = [measures.fidelity(dec).held_out for dec in by_order.values()]
    # Variances: mains 1/3 each, pairs 1/9 each, the triple 9/27.
    np.testing.assert_allclose(held_out, np.cumsum([2 / 3, 1 / 3, 1 / 3]) / (4 / 3), atol=0.04)


def test_a_product_of_three_features_is_found_with_order_three_and_is_that_product(threefold):
    X, predictions = threefold
    dec = fit(X, predictions, max_order=3)
    assert [term for term in dec.terms if len(term) == 3] == [(0, 1, 2)]
    error = dec.component((0, 1, 2), X) - 3 * X[:, 0] * X[:, 1] * X[:, 2]
    assert np.sqrt(np.mean(error**2)) < 0.05 * predictions.std()


@pytest.mark.parametrize("n_rows", [3, 10, 30, 100])
def test_few_rows_give_a_finite_and_cautious_result(n_rows):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n_rows, 3))
    predictions = X[:, 0] + 0.1 * rng.normal(size=n_rows)
    dec = fit(X, predictions)
    fresh = rng.normal(size=(1000, 3))
    predicted = dec.predict(fresh)
    assert np.isfinite(predicted).all()
    assert np.abs(predicted - predictions.mean()).max() < 4 * np.abs(predictions - predictions.mean()).max()
    assert np.isfinite(measures.fidelity(dec).held_out)
    if n_rows >= 30:
        assert r_squared(fresh[:, 0], predicted) > 0.8


def test_one_feature_is_one_main_effect():
    X = np.random.default_rng(8).uniform(-2, 2, size=(5000, 1))
    dec = fit(X, X[:, 0] ** 2)
    assert dec.terms == ((0,),)
    np.testing.assert_allclose(dec.mean + dec.component(0, X), X[:, 0] ** 2, atol=0.02)


@pytest.mark.parametrize("n_rows", [300, 5000])
def test_binary_features_are_explained_exactly(n_rows):
    X = np.random.default_rng(9).integers(0, 2, size=(n_rows, 4))
    predictions = (X[:, 0] ^ X[:, 1]) + 0.5 * X[:, 2]
    dec = fit(X, predictions)
    assert measures.fidelity(dec).held_out > 0.999
    largest = max((share.structural, share.term) for share in measures.variance_shares(dec).terms)
    assert largest[1] == (0, 1)


@pytest.mark.parametrize("n_rows", [400, 5000])
def test_a_column_that_comes_twice_shares_its_effect_and_breaks_nothing(n_rows):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(n_rows, 2))[:, [0, 0, 1]]
    predictions = np.sin(X[:, 0]) + X[:, 2]
    dec = fit(X, predictions)
    assert measures.fidelity(dec).held_out > 0.98
    both = dec.component(0, X) + dec.component(1, X)
    if (0, 1) in dec.terms:
        both = both + dec.component((0, 1), X)
    assert np.sqrt(np.mean((both - np.sin(X[:, 0])) ** 2)) < 0.1
    # Neither copy is set against the other: large effects of opposite sign would be an artifact.
    assert dec.component(0, X).std() < 1.2 * np.sin(X[:, 0]).std()


@pytest.mark.parametrize("n_rows", [300, 5000])
def test_one_wild_prediction_is_no_reason_to_explode(n_rows):
    rng = np.random.default_rng(13)
    X = rng.normal(size=(n_rows, 3))
    predictions = X[:, 0] + X[:, 1]
    predictions[17] = 1e6
    dec = fit(X, predictions)
    predicted = np.delete(dec.predict(X), 17)
    assert np.isfinite(predicted).all()
    assert np.isfinite(measures.fidelity(dec).held_out)
    # One row cannot be generalized from: the other rows keep close to the mean, on the scale of the outlier.
    assert np.abs(predicted - predictions.mean()).max() < 0.1 * 1e6


@pytest.mark.parametrize(("n_rows", "n_features"), [(100, 3), (1000, 4), (5000, 10)])
def test_of_pure_noise_nothing_is_promised(n_rows, n_features):
    promised = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X, noise = rng.normal(size=(n_rows, n_features)), rng.normal(size=n_rows)
        promised.append(measures.fidelity(fit(X, noise)).held_out)
    assert min(promised) > -0.2
    assert np.mean(promised) <= 0.05


@pytest.mark.parametrize("n_rows", [400, 6000])
def test_held_out_fidelity_is_the_fidelity_on_fresh_rows(n_rows):
    def draw(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(count, 4)) @ (np.eye(4) + 0.3)
        return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=count)

    dec = fit(*draw(n_rows, 14))
    fresh, predictions = draw(20_000, 15)
    measured = measures.fidelity(dec)
    slack = measured.held_out_interval.high - measured.held_out
    assert measured.held_out == pytest.approx(r_squared(predictions, dec.predict(fresh)), abs=max(0.02, 2 * slack))


@pytest.mark.parametrize(("n_set", "seed"), [(1, 49), (1, 27), (2, 13)])
def test_an_indicator_that_hardly_a_row_sets_says_nothing_about_those_rows(n_set, seed):
    rng = np.random.default_rng([n_set, seed])
    X, indicator = rng.normal(size=(400, 4)), np.zeros(400)
    indicator[rng.choice(400, n_set, replace=False)] = 1.0
    y = X[:, 0] + X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.5 * indicator
    fanova = FunctionalANOVA(random_state=seed, progress=False).fit(np.column_stack([X, indicator]), y)
    # One row that is off by ten standard deviations costs .25; half of one, which no other row tells, less than .001.
    assert measures.fidelity(fanova.decomposition_).held_out > 0.99
