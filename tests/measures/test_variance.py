"""Shares of variance against closed forms: dependent effects, effects that cancel, rounding, intervals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from anova_report import FunctionalANOVA, measures
from tests.core.small_fits import correlated
from tests.ground_truth import decomposition_of, signs, traced

FIRST, SECOND, PRODUCT = signs(10)


@pytest.mark.parametrize("rho", [0.8, 0.0, -0.6])
def test_shares_of_a_linear_model_of_correlated_inputs_are_those_on_paper(rho):
    X = correlated(4000, seed=0, rho=rho)
    slopes = np.array([2.0, 1.0])
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X @ slopes).decomposition_
    # Var = a² + b² + 2abρ; Cov(a x₁, b x₂) = abρ goes to both.
    shared = slopes.prod() * rho
    variance = (slopes**2).sum() + 2 * shared
    for share, slope in zip(measures.variance_shares(dec).terms, slopes, strict=True):
        assert share.structural == pytest.approx(slope**2 / variance, rel=0.08)
        assert share.correlative == pytest.approx(shared / variance, abs=0.03)
        width = share.total_interval.high - share.total_interval.low  # four standard errors
        assert 0 < width < 0.1
        assert share.total == pytest.approx((slope**2 + shared) / variance, abs=width)


def test_what_moves_with_the_rest_gains_and_what_moves_against_it_loses():
    shares = measures.variance_shares(decomposition_of({(0,): 3 * FIRST, (1,): FIRST, (2,): -FIRST + SECOND}))
    # ν = 3f + g: Var = 10; Cov(3f, ν) = 9, Cov(f, ν) = 3, Cov(g − f, ν) = 1 − 3.
    assert [share.total for share in shares.terms] == pytest.approx([0.9, 0.3, -0.2])
    assert [share.structural for share in shares.terms] == pytest.approx([0.9, 0.1, 0.2])
    assert shares.unexplained == pytest.approx(0)
    # By size, whatever the sign of the total: what works against the rest is no trifle.
    assert [share.term for share in shares.ranked()] == [(0,), (2,), (1,)]


def test_the_unexplained_share_is_what_the_residual_moves_the_predictions():
    # A residual that moves against the explanation: ν = f + (g − f/2), Var = 1/4 + 1, Cov(residual, ν) = 1 − 1/4.
    shares = measures.variance_shares(decomposition_of({(0,): FIRST}, SECOND - FIRST / 2))
    assert shares.unexplained == pytest.approx(0.75 / 1.25)
    assert shares.terms[0].total == pytest.approx(0.5 / 1.25)


def test_a_pair_counts_half_and_a_triple_a_third_for_each_of_its_features():
    third = np.repeat([1.0, -1.0], 20)
    dec = decomposition_of({(0,): FIRST, (1, 2): 2 * SECOND * third, (0, 1, 2): 3 * PRODUCT * third})
    totals = {total.feature: total.share for total in measures.feature_totals(dec).features}
    assert totals == pytest.approx({"x0": (1 + 9 / 3) / 14, "x1": (4 / 2 + 9 / 3) / 14, "x2": (4 / 2 + 9 / 3) / 14})
    assert measures.feature_totals(dec).ranked()[-1].feature == "x0"


def test_features_are_ranked_by_their_part_of_structural_shares():
    third = np.repeat([1.0, -1.0], 20)
    dec = decomposition_of({(0,): 2 * FIRST, (1,): -FIRST + SECOND, (1, 2): PRODUCT * third})
    found = measures.feature_totals(dec)
    # ν = f + g + h: Var = 3; x1 and x2 share h, which moves with nothing; Cov(g − f, ν) = 0.
    assert [total.structural for total in found.features] == pytest.approx([4 / 3, 2 / 3 + 1 / 6, 1 / 6])
    assert [total.share for total in found.features] == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    assert [total.feature for total in found.ranked()] == ["x0", "x1", "x2"]
    many = decomposition_of({(at,): (10 - at) * (FIRST if at % 2 else SECOND - FIRST) for at in range(10)})
    shown = repr(measures.variance_shares(many))
    left = sorted(measures.variance_shares(many).terms, key=lambda share: share.structural)[:4]
    assert f"4 lines not shown: structural {sum(share.structural for share in left):.4g}, total " in shown


def test_intervals_reach_as_far_as_student_says():
    dec = decomposition_of({(0,): FIRST, (1,): SECOND}, uncertainty=traced(0.01, 0.03))
    reach = student.ppf(0.975, 63)
    for share, error in zip(measures.variance_shares(dec).terms, (0.01, 0.03), strict=True):
        total, own, root = share.total_interval, share.structural_interval, share.structural**0.5
        assert (total.low, total.high) == pytest.approx((share.total - reach * error, share.total + reach * error))
        lower = (root - reach * error / (2 * root)) ** 2
        assert (own.low, own.high) == pytest.approx((lower, share.structural + reach * error))


def test_errors_of_terms_that_move_together_add_up_in_the_features_they_share():
    dec = decomposition_of({(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT}, uncertainty=traced(0.01, 0.02, 0.04))
    for total, error in zip(measures.feature_totals(dec).features, (0.01 + 0.02, 0.02 + 0.02), strict=True):
        assert total.interval.high - total.share == pytest.approx(student.ppf(0.975, 63) * error)


def test_numbers_beyond_all_squares_are_no_raw_error():
    made = decomposition_of({(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT})
    far = replace(made, expansion=replace(made.expansion, mean=np.array([1e308])))
    assert measures.findings(far)["AR001"].status == "fail"
    fourths = np.full_like(made.in_sample.fourths, 1e300)
    small = replace(made.in_sample, fourths=fourths, seconds=1e-20 * made.in_sample.seconds)
    assert measures.orthogonality(replace(made, in_sample=small)).max_corr >= 0
