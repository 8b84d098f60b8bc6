"""Intervals and bands against the spread over fresh samples and against truths known on paper."""

import numpy as np
import pytest
from scipy.stats import norm

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.fit.jackknife_groups import REPLICATES, deviations
from anova_report.errors import InputError
from anova_report.measures.intervals import interval, share_interval
from tests.ground_truth import FGM


@pytest.fixture(scope="module")
def dec() -> Decomposition:
    X = FGM.draw(5000, np.random.default_rng(0))
    return FunctionalANOVA(random_state=0).fit(X, FGM.predictions(X)).decomposition_


def test_bands_hold_the_true_main_effects_about_as_often_as_they_say():
    held: list[float] = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = FGM.draw(5000, rng)
        found = FunctionalANOVA(random_state=0).fit(X, FGM.predictions(X)).decomposition_
        fresh = FGM.draw(2000, rng)
        for term in ((0,), (1,)):
            band, truth = measures.bands(found, term, fresh), FGM.components[term](fresh)
            held.append(float(np.mean((band.lower <= truth) & (truth <= band.upper))))
    assert np.mean(held) >= 0.85


def test_an_estimator_without_uncertainty_is_named():
    X = np.random.default_rng(0).uniform(-1, 1, size=(200, 2))
    found = FunctionalANOVA.published(K=1, d=2, scaling=None).fit(X, X[:, 0]).decomposition_
    assert measures.fidelity(found).in_sample_interval is None
    assert measures.variance_shares(found).terms[0].total_interval is None
    with pytest.raises(InputError, match="PublishedANOVA does not estimate uncertainty"):
        measures.bands(found, 0, X)


def test_a_level_outside_zero_and_one_is_refused(dec):
    with pytest.raises(InputError, match="level must lie between 0 and 1; got 95"):
        measures.bands(dec, 0, np.zeros((1, 3)), level=95)


@pytest.mark.parametrize("n_replicates", [8, REPLICATES])
def test_intervals_of_a_mean_hold_the_true_one_in_95_of_100_samples(n_replicates):
    rng = np.random.default_rng(2)
    held = []
    for _ in range(1000):
        values = rng.exponential(size=(n_replicates, 30))
        moved = deviations(values.sum(axis=1), np.full(n_replicates, 30.0)) / values.size
        bounds = interval(float(values.mean()), moved)
        held.append(bounds.low <= 1.0 <= bounds.high)
    # With eight replicates a normal quantile would hold it in 91 only.
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


def test_an_interval_reaches_towards_what_the_estimate_lacks_and_never_ends_at_the_estimate():
    moved = np.tile([0.001, -0.001], 32)
    plain, lacking = interval(0.1, moved), interval(0.1, moved + 0.05 / 64)
    assert (lacking.low, lacking.high) == (pytest.approx(plain.low), pytest.approx(plain.high + 0.05))


@pytest.mark.parametrize("value", [0.0, 1e-6, 0.01, 0.3])
@pytest.mark.parametrize("error", [1e-4, 0.02, 0.5])
def test_a_share_is_never_negative_however_uncertain_and_its_interval_holds_it(value, error):
    moved = np.resize([error / 8, -error / 8], 64)  # 64 of them add up, squared, to the error squared
    found, plain = share_interval(value, moved), interval(value, moved)
    assert 0.0 <= found.low <= value < found.high
    assert found.low == 0.0 or found.low < value
    assert 0.5 < (found.high - value) / (plain.high - value) < 2.5


def test_one_replicate_that_contributes_most_may_come_again_three_times():
    moved = np.tile([0.001, -0.001], 32)
    moved[0] = 0.1
    centered = moved - moved.mean()
    assert interval(1.0, centered).high > 1 + 3 * 0.09
    assert {type(end) for end in (interval(1.0, centered).low, interval(1.0, centered).high)} == {float}


def test_the_widths_of_bands_follow_the_quantiles_of_their_levels(dec):
    rows = FGM.draw(30, np.random.default_rng(4))
    widths = {level: (band := measures.bands(dec, 0, rows, level=level)).upper - band.lower for level in (0.5, 0.95)}
    expected = norm.ppf(0.975) / norm.ppf(0.75)
    np.testing.assert_allclose(widths[0.95] / widths[0.5], expected, rtol=0.05)


def test_bands_of_one_output_are_about_that_output_alone():
    X = FGM.draw(4000, np.random.default_rng(5))
    rng = np.random.default_rng(6)
    predictions = np.column_stack([X[:, 0], 100 * X[:, 1] + 30 * rng.normal(size=4000)])
    both = FunctionalANOVA(max_order=1, random_state=0).fit(X, predictions).decomposition_
    rows = X[:50]
    quiet, noisy = (measures.bands(both, "x1", rows, output=name) for name in ("prediction 0", "prediction 1"))
    np.testing.assert_array_equal(noisy.value, both.component("x1", rows)[:, 1])
    alone = FunctionalANOVA(max_order=1, random_state=0).fit(X, predictions[:, 1]).decomposition_
    np.testing.assert_allclose(noisy.standard_error, measures.bands(alone, "x1", rows).standard_error, rtol=0.5)
    assert quiet.standard_error.max() < 0.1 * noisy.standard_error.min()
    with pytest.raises(InputError, match="got None"):
        measures.bands(both, "x1", rows)


def test_bands_of_a_feature_that_does_nothing_hold_zero():
    rng = np.random.default_rng(7)
    held = []
    for seed in range(6):
        X = rng.uniform(size=(4000, 2))
        found = FunctionalANOVA(max_order=1, random_state=seed).fit(X, X[:, 0] + rng.normal(size=4000)).decomposition_
        band = measures.bands(found, 1, X[:500])
        held.append(np.mean((band.lower <= 0) & (band.upper >= 0)))
    assert np.mean(held) > 0.8
