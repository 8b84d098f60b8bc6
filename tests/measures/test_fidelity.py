"""Fidelity: R² on the right rows, however bad, and nothing promised where nothing is known."""

import numpy as np
import pytest
from scipy.stats import t as student

from anova_report import measures
from tests.ground_truth import decomposition_of, signs, traced

FIRST, SECOND, _ = signs(10)
MAINS = {(0,): 3 * FIRST}


@pytest.mark.parametrize("size", [0.0, 1.0, 3.0])
def test_fidelity_is_one_minus_the_gaps_share_of_the_variance(size):
    found = measures.fidelity(decomposition_of(MAINS, size * SECOND))
    assert found.in_sample == pytest.approx(1 - size**2 / (9 + size**2))
    assert found.best == found.in_sample
    assert found.unexplained == pytest.approx(size**2 / (9 + size**2))


def test_a_gap_that_is_off_by_a_constant_counts():
    assert measures.fidelity(decomposition_of(MAINS, np.full(len(FIRST), 1.0))).in_sample == pytest.approx(1 - 1 / 9)


def test_held_out_rows_are_quoted_where_there_are_any():
    first, second, _ = signs(3)
    found = measures.fidelity(decomposition_of(MAINS, SECOND, held_out=({(0,): first}, second)))
    assert (found.in_sample, found.held_out) == (pytest.approx(0.9), pytest.approx(0.5))
    assert (found.n_rows, found.n_held_out) == (40, 12)
    assert found.best == found.held_out
    assert found.unexplained == pytest.approx(0.5)
    assert found.frame()["rows"] == ["held out", "in sample"]
    assert found.frame()["n_rows"] == [12, 40]


def test_intervals_are_around_their_own_figure():
    first, second, _ = signs(3)
    dec = decomposition_of(MAINS, SECOND, held_out=({(0,): first}, second), uncertainty=traced(0.02))
    found = measures.fidelity(dec)
    reach = student.ppf(0.975, 63) * 0.02
    for value, bounds in ((0.9, found.in_sample_interval), (0.5, found.held_out_interval)):
        assert (bounds.low, bounds.high) == pytest.approx((value - reach, value + reach))
