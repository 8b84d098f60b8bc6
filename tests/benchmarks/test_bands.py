"""The benchmark of bands in a small version: what it counts as inside, and what it promises."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import lognorm

from anova_report import Decomposition, FunctionalANOVA, measures
from benchmarks import bands
from benchmarks.truth_cases import BY_NAME, variances
from tests.ground_truth import ishigami_indices

CASE = BY_NAME["Ishigami"]
N_ROWS = 2000


@pytest.fixture(scope="module")
def fitted() -> tuple[Decomposition, np.ndarray]:
    X, fresh = (CASE.law(np.random.default_rng(seed), N_ROWS) for seed in (0, 1))
    estimator = FunctionalANOVA(random_state=0, progress=False)
    return estimator.fit(X, CASE.predictions(X)).decomposition_, fresh


def test_the_share_inside_is_counted_row_by_row_and_apart_for_the_outer_tenth(fitted):
    dec, fresh = fitted
    band, truth = measures.bands(dec, (0,), fresh), CASE.components[0,](fresh)
    inside = [low <= true <= high for low, true, high in zip(band.lower, truth, band.upper, strict=True)]
    ends = np.argsort(fresh[:, 0])[np.r_[0:100, -100:0]]
    found = bands.covered(CASE, dec, fresh)
    assert found["mains"][0] == pytest.approx(np.mean(inside))
    assert found["outer tenth"][0] == pytest.approx(np.mean(np.array(inside)[ends]))
    assert {kind: len(shares) for kind, shares in found.items()} == {
        "mains": 2,
        "outer tenth": 2,
        "pairs": 1,
        "shares: mains": 2,
        "shares: pairs": 1,
    }


def test_a_truth_far_away_and_a_component_left_out_are_outside(fitted):
    dec, fresh = fitted
    moved = {term: (lambda X, own=own: own(X) + 100) for term, own in CASE.components.items()}
    assert not bands.rows_inside(replace(CASE, components=moved), dec, (0,), fresh).any()
    assert not bands.rows_inside(replace(CASE, components={(0, 1, 2): CASE.predictions}), dec, (0, 1, 2), fresh).any()
    assert not bands.share_inside(CASE, dec, (0,), noise=2.0)  # noise would leave it a fifth of its share


def test_only_components_that_carry_something_are_asked_for():
    assert bands.asked_for("Ishigami") == [(0,), (1,), (0, 2)]
    assert bands.asked_for("Sobol' g") == [(0,), (1,), (2,), (0, 1)]


def test_variances_are_those_of_closed_forms():
    found = variances("Ishigami")
    for term, index in ishigami_indices().items():
        assert found[term] / found[()] == pytest.approx(index, abs=0.002)
    assert variances("lognormal lines, σ = 1.5")[0,] == pytest.approx(lognorm(1.5).var())


def test_the_promise_is_about_the_mean_of_each_kind_over_cases():
    good = {kind: [0.9, 1.0] for kind in bands.KINDS}
    narrow = good | {"pairs": [0.9], "shares: pairs": [], "outer tenth": [0.86]}
    mean = bands.means([good, narrow])
    assert mean["pairs"] == pytest.approx(0.925)
    assert mean["shares: pairs"] == pytest.approx(0.95)
    assert [kept for _, kept in bands.promises(mean)] == [True, True, False, True, True]


def test_a_sample_is_fitted_and_counted_with_noise():
    found = bands.try_once("quadratic, r = .3", 0.3, 400, 0)
    assert all(0 <= share <= 1 for shares in found.values() for share in shares)
    assert "mains" in bands.HEAD
