"""Fidelity: R² on the right rows, however bad, and nothing claimed where nothing is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from anova_report import FunctionalANOVA, measures
from anova_report.core.fit.moments import HardestRows
from anova_report.core.fit.uncertainty import Uncertainty
from tests.ground_truth import decomposition_of, signs, traced

FIRST, SECOND, _ = signs(10)
MAINS = {(0,): 3 * FIRST}


@pytest.mark.parametrize("size", [0.0, 1.0, 3.0])
def test_fidelity_is_one_minus_the_residuals_share_of_the_variance(size):
    found = measures.fidelity(decomposition_of(MAINS, size * SECOND))
    assert found.in_sample == pytest.approx(1 - size**2 / (9 + size**2))
    assert found.best == found.in_sample
    assert found.unexplained == pytest.approx(size**2 / (9 + size**2))


def test_a_residual_that_is_off_by_a_constant_counts():
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


def test_the_interval_in_sample_is_plain_and_the_one_held_out_is_for_the_logarithm_of_what_is_open():
    first, second, _ = signs(3)
    dec = decomposition_of(MAINS, SECOND, held_out=({(0,): 3 * first}, second), uncertainty=traced(0.02))
    found = measures.fidelity(dec)
    reach = student.ppf(0.975, 63) * 0.02
    assert (found.in_sample_interval.low, found.in_sample_interval.high) == pytest.approx((0.9 - reach, 0.9 + reach))
    bounds = found.held_out_interval
    # Both ends give way by 0.001, the last digit that is printed.
    assert np.log([(0.999 - bounds.low) / 0.1, 0.1 / (1.001 - bounds.high)]) == pytest.approx([10 * reach] * 2)


def test_the_interval_held_out_is_wider_where_learning_from_a_sample_costs_much():
    first, second, _ = signs(3)
    wide = measures.fidelity(
        decomposition_of(MAINS, SECOND, held_out=({(0,): 2 * first}, second), uncertainty=traced(0.02))
    ).held_out_interval
    # Two fifths of 0.9 − 0.8 as one more standard error.
    reach = student.ppf(0.975, 63) * np.hypot(0.02, 0.04)
    assert np.log((0.999 - wide.low) / 0.2) == pytest.approx(reach / 0.2)
    assert wide.high < 1


def test_the_interval_held_out_is_wider_where_few_rows_carry_the_residual():
    bounds = decided_by(20, 300, 0.5, traced(1e-9)).held_out_interval
    # Of a Poisson law that gave 20, the 95% interval of its mean begins at 12.22; of one that gave 4, a fifth of them,
    # since they are few of 1,000, it ends at 10.24.
    open_share = 0.25 / 9.25
    assert bounds.low == pytest.approx(1 - 10.24 / 4 * open_share - 0.001, abs=1e-4)
    assert bounds.high == pytest.approx(1 - 12.22 / 20 * open_share + 0.001, abs=1e-4)


def decided_by(
    residual_rows: float, prediction_rows: float, size: float = 1.0, uncertainty: Uncertainty | None = None
) -> measures.Fidelity:
    """Fidelity of 1,000 held-out rows on which a residual of some size stands against a main effect of 3."""
    first, second, _ = signs(250)
    mains, residual = {(0,): 3 * first}, size * second
    dec = decomposition_of(mains, residual, held_out=(mains, residual), uncertainty=uncertainty)
    named = HardestRows(
        np.array([[17], [4]]), np.array([[0.6], [0.3]]), np.array([residual_rows]), np.array([float(prediction_rows)])
    )
    return measures.fidelity(replace(dec, held_out=replace(dec.held_out, hardest=named)))


@pytest.mark.parametrize(
    ("residual_rows", "prediction_rows", "size", "estimable"),
    [
        (300, 300, 1.0, True),
        (300, 39, 1.0, False),  # the variance of the predictions is that of a few rows
        (39, 300, 1.5, False),  # the residual is
        (4, 300, 0.5, True),  # but 2.7% could be two and a half times as much and still be little
        (4, 300, 0.7, False),
        (4, 129, 0.1, True),  # as it is here
    ],
)
def test_where_few_rows_decide_fidelity_is_not_estimable(residual_rows, prediction_rows, size, estimable):
    found = decided_by(residual_rows, prediction_rows, size)
    assert found.estimable is estimable
    assert found.hardest == ((17, 0.6), (4, 0.3))


@pytest.mark.parametrize(("kurtosis", "size", "estimable"), [(24, 0.3, True), (26, 0.3, False), (26, 0.08, True)])
def test_where_predictions_have_long_tails_rows_beyond_all_decide_however_many_carry_the_residual(
    kurtosis, size, estimable
):
    first, second, _ = signs(250)
    mains, residual = {(0,): 3 * first}, size * second
    dec = decomposition_of(mains, residual, held_out=(mains, residual), uncertainty=traced(1e-9))
    named = HardestRows(np.array([[17]]), np.array([[0.1]]), np.array([300.0]), np.array([300.0]))
    tails = replace(named, prediction_rows=np.array([1000 / kurtosis]))
    dec = replace(dec, held_out=replace(dec.held_out, hardest=named), in_sample=replace(dec.in_sample, hardest=tails))
    found, finding = measures.fidelity(dec), measures.findings(dec)["AR012"]
    assert (found.estimable, finding.status) == (estimable, "pass" if estimable else "warn")
    if kurtosis > 25:
        assert found.held_out_interval.low < 1 - 50 * found.unexplained
    if not estimable:
        assert (1 / finding.value, 1 / finding.limit) == pytest.approx((1000 / 26, 1000 / 25))
        assert "rests on about 38 of 1,000 held-out rows; fewer than 40 call for caution" in finding.sentence
        assert "rows beyond all of these" in finding.sentence
        assert "This rests on about 38 of 1,000 held-out rows" in measures.findings(dec)["AR002"].sentence


def test_rows_beyond_the_range_of_the_fit_are_spoken_of_though_hundreds_of_rows_agree():
    """A cubic of features with long tails: R² held out is 0.987, on other rows between 0.47 and 0.98."""
    rng = np.random.default_rng([3432377347, 13])
    X = rng.standard_t(2.5, size=(5000, 3))
    predictions = X[:, 0] + X[:, 1] ** 2 * X[:, 2] / 4
    dec = FunctionalANOVA(random_state=13, progress=False).fit(X, predictions).decomposition_
    assert measures.findings(dec)["AR012"].status == "warn"


def test_of_files_that_do_not_say_how_many_rows_decide_fidelity_is_estimable_as_before():
    assert measures.fidelity(decomposition_of(MAINS, SECOND, held_out=(MAINS, SECOND))).estimable


def test_where_few_groups_are_held_out_fidelity_is_measured_over_those_there_are():
    rng = np.random.default_rng(3)
    patient = rng.integers(0, 40, size=5000)
    X = rng.normal(size=(5000, 2))
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, X.sum(axis=1), groups=patient)
    found = measures.fidelity(dec.decomposition_)
    assert found.held_out_interval.low < found.held_out <= found.held_out_interval.high
    assert measures.findings(dec.decomposition_)["AR003"].status == "pass"
