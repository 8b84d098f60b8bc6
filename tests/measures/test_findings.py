"""Findings: each code on a case made to trip it, on one made not to, and on both sides of its limits."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.measures.status import (
    COSINE,
    FEW_ROWS,
    INSEPARABLE,
    LEAKAGE,
    NEGATIVE,
    OPTIMISM,
    OUTSIDE,
    ROUGH_SHARES,
    UNEXPLAINED,
    Finding,
    Findings,
    Limit,
)
from tests.ground_truth import decomposition_of, signs, traced

CODES = [*(f"AR00{number}" for number in range(1, 10)), "AR011"]


def rows(n_rows: int = 4000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])


def fit(X: pd.DataFrame, answers: np.ndarray, max_order: int = 2) -> Decomposition:
    return FunctionalANOVA(max_order, random_state=0).fit(X, answers).decomposition_


@pytest.fixture(scope="module")
def good() -> measures.Findings:
    X = rows()
    return measures.findings(fit(X, np.asarray(X["a"] + X["b"] * X["c"])), X)


def test_codes_are_stable_and_in_order(good):
    assert [item.code for item in good.items] == CODES


def test_a_faithful_explanation_of_a_plain_model_passes(good):
    assert good.verdict == "pass"
    assert all(item.advice == "" for item in good.items)
    assert good["AR002"].value < 0.02
    assert good["AR004"].status == "pass"


def test_a_constant_model_is_one_failing_finding():
    X = rows(500)
    found = measures.findings(explain(lambda table: np.full(len(table), 3.5), X), X)
    assert [item.code for item in found.items] == ["AR001"]
    assert found.verdict == "fail"
    assert "3.5 whatever its inputs" in found["AR001"].sentence


def test_without_held_out_rows_their_findings_do_not_apply():
    X = rows(400)
    dec = FunctionalANOVA.published(K=1, d=3).fit(X, X["a"]).decomposition_
    found = measures.findings(dec)
    for code in ("AR003", "AR005", "AR006", "AR009"):
        assert found[code].status == "not applicable", code
        assert found[code].value is None


FIRST, SECOND, PRODUCT = signs(5000)
MAINS_AND_PAIR = {(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT}


def left_open(value: float) -> Decomposition:
    """Leave a share of the variance open on held-out rows, and nothing on the rows of the fit."""
    mains = {(0,): FIRST}
    return decomposition_of(mains, held_out=(mains, np.sqrt(value / (1 - value)) * SECOND))


def tilted(value: float) -> dict[tuple[int, ...], np.ndarray]:
    """Give the pair a cosine with the first main effect."""
    return MAINS_AND_PAIR | {(0, 1): value * FIRST + np.sqrt(1 - value**2) * PRODUCT}


def not_orthogonal(value: float) -> Decomposition:
    return decomposition_of(MAINS_AND_PAIR, held_out=(tilted(-value), 0.0))


def leaking(value: float) -> Decomposition:
    leakages = {((0, 1), (0,)): value / 3, ((0, 1), (1,)): value}
    return decomposition_of(MAINS_AND_PAIR, held_out=(MAINS_AND_PAIR, 0.0), leakages=leakages)


def uncertain(value: float) -> Decomposition:
    errors = np.array([0.2, 1.0, 0.5]) * value / student.ppf(0.975, 63)
    return decomposition_of(MAINS_AND_PAIR, uncertainty=traced(*errors))


def cancelling(value: float) -> Decomposition:
    """Let a second effect calm the first: Cov(−k f, (1 − k) f) / Var((1 − k) f) = −k / (1 − k)."""
    k = value / (1 + value)
    return decomposition_of({(0,): FIRST, (1,): -k * FIRST})


AT_ITS_LIMITS: dict[str, tuple[Limit, Callable[[float], Decomposition]]] = {
    "AR002": (UNEXPLAINED, left_open),
    "AR003": (OPTIMISM, left_open),
    "AR004": (COSINE, not_orthogonal),
    "AR005": (LEAKAGE, leaking),
    "AR006": (ROUGH_SHARES, uncertain),
    "AR008": (NEGATIVE, cancelling),
}


@pytest.mark.parametrize("code", AT_ITS_LIMITS)
def test_the_status_turns_at_the_limits_and_says_which_one_it_was(code):
    limit, make = AT_ITS_LIMITS[code]
    steps = [(limit.warn / 2, "pass"), (0.999 * limit.warn, "pass"), (1.001 * limit.warn, "warn")]
    steps += [(0.999 * limit.fail, "warn"), (1.001 * limit.fail, "fail")]
    for value, status in steps:
        finding = measures.findings(make(value))[code]
        assert finding.value == pytest.approx(value, rel=1e-6)
        assert finding.status == status
        assert finding.limit == (limit.fail if status == "fail" else limit.warn)
        assert (finding.advice == "") is (status == "pass")


@pytest.mark.parametrize(("n_features", "status"), [(1, "pass"), (2, "pass"), (3, "warn"), (10, "warn"), (11, "fail")])
def test_of_a_hundred_rows_two_features_are_fine_and_eleven_are_too_many(n_features, status):
    first, *_ = signs(25)
    finding = measures.findings(decomposition_of({(n_features - 1,): first}))["AR007"]
    assert (finding.status, finding.value) == (status, n_features / 100)


@pytest.fixture(scope="module")
def seen() -> tuple[pd.DataFrame, Decomposition]:
    X = rows()
    return X, fit(X, np.asarray(X["a"]), max_order=1)


@pytest.mark.parametrize(("n_outside", "status"), [(0, "pass"), (1, "pass"), (2, "warn"), (5, "warn"), (6, "fail")])
def test_of_a_hundred_rows_one_may_lie_outside_and_six_are_too_many(seen, n_outside, status):
    X, dec = seen
    few = X.head(100).assign(c=np.r_[np.full(n_outside, 99.0), X["c"].iloc[n_outside:100]])
    finding = measures.findings(dec, few)["AR009"]
    assert (finding.status, finding.value) == (status, n_outside / 100)
    assert ("seen of c," in finding.sentence) is (n_outside > 0)


@pytest.mark.parametrize(
    "limit",
    [UNEXPLAINED, OPTIMISM, COSINE, LEAKAGE, ROUGH_SHARES, FEW_ROWS, NEGATIVE, OUTSIDE, INSEPARABLE],
    ids=CODES[1:],
)
def test_every_limit_warns_before_it_fails_and_gives_a_reason(limit):
    assert 0 < limit.warn < limit.fail
    assert limit.fail < 1 or limit.fail == np.inf
    assert limit.reason.endswith(".")


@pytest.mark.parametrize(("n_repeats", "status"), [(4, "pass"), (50, "fail")])
def test_a_cosine_that_chance_could_give_is_not_held_against_the_explanation(n_repeats, status):
    # The sample cosine of ±1 has standard deviation 1/√n: 0.25 with 16 rows, 0.07 with 200.
    first, second, product = signs(n_repeats)
    pair = 0.5 * first + np.sqrt(0.75) * product
    finding = measures.findings(decomposition_of({(0,): first, (1,): second, (0, 1): pair}))["AR004"]
    assert (finding.status, finding.value) == (status, 0.0 if status == "pass" else pytest.approx(0.5))
    assert "0.500 (x0 × x1 | x0)" in finding.sentence


def test_held_out_cosines_decide_where_there_are_any():
    on_the_fit_only = decomposition_of(tilted(0.4), held_out=(MAINS_AND_PAIR, 0.0))
    assert measures.findings(on_the_fit_only)["AR004"].status == "pass"
    assert measures.findings(decomposition_of(tilted(0.4)))["AR004"].status == "fail"


@pytest.mark.parametrize("code", ["AR004", "AR005"])
def test_interactions_of_no_weight_are_not_checked(code):
    light = MAINS_AND_PAIR | {(0, 1): 0.05 * tilted(0.9)[0, 1]}
    dec = decomposition_of(light, held_out=(light, 0.0), leakages={((0, 1), (0,)): 0.8})
    assert measures.findings(dec)[code].status == "not applicable"


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        (("not applicable",), "not applicable"),
        (("not applicable", "pass"), "pass"),
        (("warn", "pass", "not applicable"), "warn"),
        (("pass", "fail", "warn"), "fail"),
    ],
)
def test_the_verdict_is_the_worst_of_all_whatever_their_order(statuses, verdict):
    for order in (statuses, statuses[::-1]):
        items = tuple(Finding("AR000", "", status, None, None, ".") for status in order)
        assert Findings(items).verdict == verdict


def test_a_code_that_was_not_checked_is_named_with_those_that_were():
    X = np.random.default_rng(0).normal(size=(300, 2))
    found = measures.findings(FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0]).decomposition_)
    with pytest.raises(KeyError, match=r"AR999.*'AR001'"):
        found["AR999"]
