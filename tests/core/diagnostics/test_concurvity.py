"""What other features can imitate of a main effect, and bands that know what the penalty decided."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.basis import tally as tally_module
from anova_report.core.basis.tally import tally
from anova_report.core.diagnostics.concurvity import rank_correlations
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows
from anova_report.core.input.features import Feature
from anova_report.core.input.weights import RowWeights


def fitted(X, predictions):
    return FunctionalANOVA(random_state=7, progress=False).fit(X, predictions).decomposition_


def correlated(n_rows, rho, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    X[:, 1] = rho * X[:, 0] + np.sqrt(1 - rho**2) * X[:, 1]
    return X


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_of_a_line_a_normal_partner_imitates_the_squared_correlation(rho):
    X = correlated(5000, rho)
    found = fitted(X, X[:, 0] - X[:, 1] + X[:, 2]).dependence
    np.testing.assert_allclose(found.imitated[:, 0], [rho**2, rho**2, 0.0], atol=0.03)
    assert found.imitators[0] == (((1,), (0,), ()) if rho > 0.8 else ((), (), ()))


def test_a_sum_of_two_features_is_imitated_by_both_together():
    X = np.random.default_rng(2).normal(size=(5000, 4))
    X[:, 2] = X[:, 0] + X[:, 1]
    found = fitted(X, X[:, 2] + X[:, 3]).dependence
    assert found.imitated[2, 0] > 0.99
    assert found.imitated[3, 0] < 0.05
    assert found.imitators[0][2:] == ((0, 1), ())


def test_near_copies_that_others_can_stand_for_are_read_together_with_those():
    """Each of the first two has the other as its best imitator, yet their sum trades with the third."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5000, 4))
    X[:, 1] = X[:, 0] + 0.005 * X[:, 1]
    X[:, 2] = X[:, 0] + 0.1 * X[:, 2]
    dec = fitted(X, X @ [3.0, -2.5, 1.0, 1.0])
    assert dec.dependence.imitators[0] == ((1, 2), (0, 2), (0, 1), ())
    (group,) = measures.inseparable(dec)
    assert group.features == (0, 1, 2)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_bands_and_shares_of_features_that_cannot_be_told_apart_hold_the_truth(noise):
    inside = []
    for seed in range(1, 5):
        X = correlated(5000, 0.0, seed)
        X[:, 1] = X[:, 0] + noise * X[:, 1]
        dec = fitted(X, X @ [1.0, 0.5, 1.0])
        for feature, slope in enumerate([1.0, 0.5, 1.0]):
            band, truth = measures.bands(dec, feature, X), slope * (X[:, feature] - X[:, feature].mean())
            inside.append(np.mean((band.lower <= truth) & (truth <= band.upper)))
        known = measures.variance_shares(dec).terms[0].total_interval
        assert known.low <= 1.5 / 3.25 <= known.high
        assert dec.dependence.imitated[:2, 0].min() > 0.999
    assert (np.reshape(inside, (4, 3)).mean(axis=0) > 0.95).all()


def test_features_that_can_be_told_apart_keep_narrow_bands():
    X = correlated(5000, 0.9)
    dec = fitted(X, X @ [1.0, 0.5, 1.0])
    for feature in range(3):
        band = measures.bands(dec, feature, X)
        assert np.sqrt(np.mean(band.standard_error**2)) < 0.05 * band.value.std()


def test_several_outputs_are_measured_one_by_one_and_saved(tmp_path):
    X = correlated(3000, 0.95)
    dec = fitted(X, np.column_stack([X[:, 0], X[:, 2]]))
    assert dec.dependence.imitated.shape == (3, 2)
    # The first feature does nothing to the second output; of itself its partner knows as much.
    np.testing.assert_allclose(dec.dependence.imitated[:, 0], [0.95**2, 0.95**2, 0.0], atol=0.03)
    np.testing.assert_allclose(dec.dependence.imitated[:, 1], [0.95**2, 0.95**2, 0.0], atol=0.03)
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json").dependence
    assert np.array_equal(loaded.imitated, dec.dependence.imitated)
    assert loaded.imitators == dec.dependence.imitators


@pytest.mark.parametrize("nodes", [16_384, 256])
def test_ranks_are_correlated_as_spearman_did_and_levels_not_at_all(monkeypatch, nodes):
    monkeypatch.setattr(tally_module, "MAX_NODES", nodes)  # with few, neighbors share a rank
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    X[:, 1] = np.exp(X[:, 0] + X[:, 1])
    X[:, 2] = np.round(X[:, 2] - X[:, 0])
    X[:, 3] = rng.integers(0, 3, size=2000)
    features = [*(Feature(f"x{index}", "numeric") for index in range(3)), Feature("level", "nominal", ("a", "b", "c"))]
    source = ArrayRows(X, X[:, :1])
    coded = CodedRows(source, tally(source, 4).books(features), np.zeros(1), np.ones(1))
    found = rank_correlations(coded, features)
    np.testing.assert_allclose(found[:3, :3], spearmanr(X[:, :3]).statistic, atol=2e-3)
    np.testing.assert_array_equal(found[3], [0, 0, 0, 1])


def test_ranks_of_weighted_rows_are_correlated_like_those_of_repeated_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    X[:, 1] += np.where(np.arange(600) < 300, X[:, 0], -X[:, 0])
    counts = np.where(np.arange(600) < 300, 5, 1)
    features = [Feature("a", "numeric"), Feature("b", "numeric")]
    source = ArrayRows(X, X[:, :1], RowWeights.of(counts.astype(float), np.arange(600)))
    found = rank_correlations(CodedRows(source, tally(source, 2).books(features), np.zeros(1), np.ones(1)), features)
    np.testing.assert_allclose(found[0, 1], spearmanr(np.repeat(X, counts, axis=0)).statistic, atol=2e-3)


def test_correlations_of_too_many_features_are_not_kept():
    X = np.random.default_rng(0).integers(0, 2, size=(4, 1001)).astype(float)
    X[:2] = [[0.0], [1.0]]
    features = [Feature(f"x{index}", "numeric") for index in range(1001)]
    source = ArrayRows(X, X[:, :1])
    assert (
        rank_correlations(CodedRows(source, tally(source, 1001).books(features), X[0, :1], X[1, :1]), features) is None
    )
