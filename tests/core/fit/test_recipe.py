"""The default recipe as a whole: its two branches, its seeds, outputs beside each other."""

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.fit import partition
from tests.core.small_fits import correlated

N_ROWS = 7000


def fit(X: np.ndarray, predictions: np.ndarray, random_state: object = 0, max_order: int = 2) -> Decomposition:
    return FunctionalANOVA(max_order, random_state=random_state).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return correlated(N_ROWS, seed=0, rho=0.5, n_features=3)


@pytest.fixture(scope="module")
def predictions(X) -> np.ndarray:
    return np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * np.random.default_rng(1).normal(size=N_ROWS)


@pytest.fixture(scope="module")
def plain(X, predictions) -> Decomposition:
    return fit(X, predictions)


def test_every_row_is_learned_from_and_two_fifths_are_held_out(plain):
    assert plain.in_sample.n_rows == N_ROWS
    assert plain.held_out.n_rows / N_ROWS == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize(("n_rows", "share"), [(200, 1.0), (201, 0.8), (301, 0.4)])
def test_of_few_rows_every_one_is_held_out_once(monkeypatch, n_rows, share):
    for name, most in (("FEW_ROWS", 0), ("THREE_ROUNDS", 200), ("TWO_ROUNDS", 300)):
        monkeypatch.setattr(partition, name, most)
    X = correlated(n_rows, seed=2)
    found = fit(X, X[:, 0], max_order=1)
    assert found.in_sample.n_rows == n_rows
    assert found.held_out.n_rows / n_rows == pytest.approx(share, abs=0.1 if share < 1 else 0)


@pytest.mark.parametrize("n_rows", [150, N_ROWS])
def test_an_output_that_never_changes_is_its_mean_and_spoils_nothing(n_rows):
    X = correlated(n_rows, seed=3)
    varying = np.sin(X[:, 0]) + X[:, 1]
    dec = fit(X, np.column_stack([varying, np.full(n_rows, 0.1)]))
    assert not dec.components(X)[:, :, 1].any()
    assert dec.mean[1] == pytest.approx(0.1, abs=1e-15)
    assert measures.findings(dec, X, output=1).verdict == "fail"
    assert all(share.total_interval.low == 0 for share in measures.variance_shares(dec, output=1).terms)
    assert measures.fidelity(dec, output=0).held_out > 0.97
    alone = fit(X, varying)
    np.testing.assert_allclose(dec.predict(X)[:, 0], alone.predict(X), atol=0.1 * varying.std())


def test_many_outputs_are_all_explained(X):
    effects = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], X[:, 2]], axis=1)
    mixed = effects @ np.random.default_rng(4).normal(size=(3, 9)) * 10.0 ** np.arange(-4, 5)
    dec = fit(X, mixed)
    assert (1, 2) in dec.terms
    for output in range(9):
        assert measures.fidelity(dec, output).held_out > 0.98
        bounds = measures.fidelity(dec, output).held_out_interval
        assert bounds.low <= measures.fidelity(dec, output).held_out <= bounds.high


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_gives_what_its_state_says_and_moves_on(X, predictions, make):
    generator = make(5)
    first, second = (fit(X, predictions, generator) for _ in range(2))
    again = fit(X, predictions, make(5))
    np.testing.assert_array_equal(first.held_out.seconds, again.held_out.seconds)
    assert not np.array_equal(first.held_out.seconds, second.held_out.seconds)


def test_seeds_move_the_estimate_less_than_its_intervals_are_wide(X, predictions, plain):
    others = {share.term: share for share in measures.variance_shares(fit(X, predictions, random_state=1)).terms}
    for share in measures.variance_shares(plain).terms:
        if share.total > 0.01:
            assert share.total_interval.low <= others[share.term].total <= share.total_interval.high


@pytest.mark.parametrize("max_order", [1, 2, 3])
def test_moments_traces_and_components_list_the_same_terms(X, predictions, max_order):
    found = fit(X, predictions, max_order=max_order)
    terms = [component.term for component in found.expansion.components]
    assert max(map(len, terms)) <= max_order
    n_terms = len(terms)
    for moments in (found.in_sample, found.held_out):
        assert moments.firsts.shape == (n_terms + 1, 1)
        assert moments.seconds.shape == (n_terms + 1, n_terms + 1, 1)
        assert np.isfinite(moments.seconds).all()
    assert found.uncertainty.total.shape[0] == n_terms
    assert [component.term for component in found.uncertainty.components[0].components] == terms
