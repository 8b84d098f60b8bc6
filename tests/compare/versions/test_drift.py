"""Drift of shares, with intervals from the contributions of replicates."""

import numpy as np
import pytest

from anova_report import Decomposition
from anova_report.compare.versions.differences import UNSHARED, Family, SharedRows
from anova_report.compare.versions.drift import ShareDrift, feature_drift, term_drift
from anova_report.measures.intervals import Interval
from tests.ground_truth import decomposition_of, signs, traced

FIRST, SECOND, BOTH = signs(25)


def weighted(a: float, b: float, ab: float, error: float | None = None) -> Decomposition:
    """Two features of ±1 and their product, with weights, so that shares are squares over their sum."""
    known = None if error is None else traced(error, error, error)
    return decomposition_of({(0,): a * FIRST, (1,): b * SECOND, (0, 1): ab * BOTH}, uncertainty=known)


NAMES = [("x0",), ("x1",), ("x0", "x1")]


def test_shares_of_terms_are_those_of_each_decomposition() -> None:
    drifts = term_drift((weighted(2, 1, 1), weighted(1, 1, 2)), (0, 0), NAMES, family=Family("different", 3))
    assert [drift.label for drift in drifts] == ["x0", "x1", "x0 × x1"]
    assert [drift.first for drift in drifts] == pytest.approx([4 / 6, 1 / 6, 1 / 6])
    assert [drift.second for drift in drifts] == pytest.approx([1 / 6, 1 / 6, 4 / 6])
    assert [drift.difference for drift in drifts] == pytest.approx([-0.5, 0.0, 0.5])


def test_shares_of_features_share_pairs_equally() -> None:
    drifts = feature_drift((weighted(2, 1, 1), weighted(1, 1, 2)), (0, 0), ["x0", "x1"], family=Family("different", 3))
    assert [drift.first for drift in drifts] == pytest.approx([4.5 / 6, 1.5 / 6])
    assert [drift.second for drift in drifts] == pytest.approx([0.5, 0.5])


def test_without_uncertainty_there_is_no_interval_and_no_claim() -> None:
    drifts = term_drift((weighted(2, 1, 1, 0.1), weighted(1, 1, 2)), (0, 0), NAMES, family=Family("different", 3))
    assert [(drift.interval, drift.exceeds) for drift in drifts] == [(None, None)] * 3


@pytest.mark.parametrize(
    ("rows", "error"),
    [("different", 0.01 * np.sqrt(2)), ("same", 0.02), ("same replicates", UNSHARED * 0.01 * np.sqrt(2))],
)
def test_intervals_combine_the_errors_and_hold_for_all_shares_at_once(rows: SharedRows, error: float) -> None:
    drifts = term_drift((weighted(2, 1, 1, 0.01), weighted(1, 1, 2, 0.01)), (0, 0), NAMES, family=Family(rows, 3))
    # Student's quantile of 63 degrees of freedom for a sixtieth on each side: 5% shared among three intervals.
    for drift in drifts:
        assert drift.interval is not None
        assert (drift.interval.high - drift.interval.low) / 2 == pytest.approx(2.4596 * error, rel=1e-3)
    assert [drift.exceeds for drift in drifts] == [True, False, True]


def test_a_term_that_one_does_not_hold_has_no_share_there() -> None:
    without = decomposition_of({(0,): FIRST, (1,): SECOND}, uncertainty=traced(0.01, 0.01))
    (drift,) = term_drift((without, weighted(1, 1, 1, 0.01)), (0, 0), [("x0", "x1")], family=Family("different", 3))
    assert (drift.first, drift.second) == pytest.approx((0.0, 1 / 3))
    assert drift.exceeds


def test_a_sure_but_tiny_drift_does_not_count() -> None:
    assert ShareDrift(("a",), 0.100, 0.104, Interval(0.003, 0.005)).exceeds is False
    assert ShareDrift(("a",), 0.100, 0.110, Interval(0.009, 0.011)).exceeds is True
    assert ShareDrift(("a",), 0.100, 0.110, Interval(-0.001, 0.021)).exceeds is False
