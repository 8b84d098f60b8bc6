"""What fits have missed of pairs, against gaps whose parts are known."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.core.fit.lack_of_fit import pair_lack_of_fit

N_ROWS, SIDE = 4000, 32


def ranks(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return tuple(rng.uniform(-0.5, 0.5, size=(2, N_ROWS)))


def edge(rank: np.ndarray, at: float) -> np.ndarray:
    """What a smooth curve misses of a step: far away nothing, and on both sides of it the most."""
    return np.sign(rank - at) * np.exp(-40 * np.abs(rank - at))


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_missed_edge_of_a_step_is_seen_with_and_without_noise(noise):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(20):
        one, other = ranks(rng)
        pair = edge(one, 0.1) * np.sign(other + 0.2)
        gap = pair - pair.mean() + noise * rng.normal(size=N_ROWS)
        found.append(pair_lack_of_fit(one, other, gap[None], np.ones(N_ROWS), SIDE)[0][0] / np.var(pair))
    # Within a cell the edge goes up and down, so some of it stays unseen.
    assert 0.6 < np.mean(found) < 1.15


def test_what_was_missed_of_one_feature_alone_is_no_interaction():
    one, other = ranks(np.random.default_rng(1))
    gap = edge(one, 0.1) + np.sin(9 * other)
    variance, _ = pair_lack_of_fit(one, other, gap[None], np.ones(N_ROWS), SIDE)
    assert variance[0] < 0.02 * np.var(gap)


def test_a_smooth_part_is_seen_though_noise_hides_it_in_small_cells():
    rng = np.random.default_rng(5)
    found = []
    for _ in range(20):
        one, other = ranks(rng)
        pair = 0.2 * np.sin(np.pi * one) * np.sin(np.pi * other)
        gap = pair + rng.normal(size=N_ROWS)
        found.append(pair_lack_of_fit(one, other, gap[None], np.ones(N_ROWS), SIDE)[0][0] / np.var(pair))
    assert np.count_nonzero(found) >= 18
    assert 0.7 < np.median(found) < 1.3


def test_noise_is_seldom_taken_for_missed_and_scales_of_weights_do_not_matter():
    rng = np.random.default_rng(2)
    sure = 0
    for _ in range(60):
        one, other = ranks(rng)
        gaps = rng.standard_t(4, size=(2, N_ROWS))
        variance, error = pair_lack_of_fit(one, other, gaps, np.ones(N_ROWS), SIDE)
        again, _ = pair_lack_of_fit(one, other, gaps, np.full(N_ROWS, 7.0), SIDE)
        np.testing.assert_allclose(again, variance, rtol=1e-9)
        assert (variance < 4 * error + 1e-12).all()
        sure += int((variance > 0).sum())
    assert sure / 120 < 0.3  # the finest cells ask for one error, larger ones for more


def test_copies_of_a_row_do_not_vouch_for_each_other():
    one, other = ranks(np.random.default_rng(3))
    noise = np.random.default_rng(4).normal(size=(1, N_ROWS))
    variance, _ = pair_lack_of_fit(one, other, noise, np.full(N_ROWS, 3.0), SIDE)
    plain, _ = pair_lack_of_fit(one, other, noise, np.ones(N_ROWS), SIDE)
    np.testing.assert_allclose(variance, plain)


def test_the_interval_of_a_pair_with_steps_holds_its_share_though_smooth_columns_miss_some():
    held = []
    for seed in range(4):
        X = np.random.default_rng(seed).uniform(size=(5000, 3))
        predictions = X[:, 0] + 4 * (X[:, 1] > 0.6) * (X[:, 2] > 0.25)
        shares = measures.variance_shares(FunctionalANOVA(random_state=seed).fit(X, predictions).decomposition_).terms
        pair = next(share for share in shares if share.term == (1, 2))
        # Both jump: p = .4 · .75 = .3. The variances of the pair, of the line and of all that jumps:
        truth = 16 * (0.4 * 0.6) * (0.75 * 0.25) / (1 / 12 + 16 * 0.3 * 0.7)
        assert pair.structural < truth
        held.append(pair.structural_interval.low <= truth <= pair.structural_interval.high)
    assert all(held)
