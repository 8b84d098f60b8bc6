"""Limits, tiers and waivers: what is set decides, what is waived does not, and what cannot be read is refused."""

from datetime import date
from math import inf

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.errors import InputError
from anova_report.measures import Policy, findings
from anova_report.measures.policy import TIERS, USUAL
from anova_report.measures.status import LEAKAGE, UNEXPLAINED, limits_set, sign_of

DAY = "2026-11-19"


@pytest.fixture(scope="module")
def dec():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(600, 3)), columns=["a", "b", "c"])
    known = dict(zip(map(tuple, X.to_numpy()), X.a + X.b**2 + rng.normal(size=600) * 0.1, strict=True))
    return explain(lambda rows: np.array([known[tuple(row)] for row in rows.to_numpy()]), X, ask=0, progress=False)


def waiver(code="AR101", until="2027-06-30", **more):
    return {"code": code, "who": "A. Author", "why": "Agreed in March.", "until": until} | more


def test_a_limit_that_is_set_decides_and_says_why(dec):
    usual = findings(dec)["AR002"]
    policy = Policy.read(limits={"AR002": {"warn": "0.5%", "fail": 0.01, "why": "Prices are quoted from it."}})
    strict = findings(dec, policy=policy)["AR002"]
    assert (usual.status, strict.status, strict.limit) == ("pass", "fail", 0.01)
    assert strict.value == usual.value
    assert policy.limits["AR002"].reason == "Prices are quoted from it."
    assert UNEXPLAINED.warn == 0.10  # elsewhere nothing has changed


def test_rows_are_a_least_number_and_never_is_no_limit():
    found = Policy.read(limits={"AR012": {"warn": 80, "why": "x"}, "AR002": {"fail": "never", "why": "x"}}).limits
    assert (found["AR012"].warn, found["AR002"].warn, found["AR002"].fail) == (1 / 80, 0.10, inf)


def test_tiers_order_all_limits_and_what_is_set_by_hand_wins():
    high, low = (Policy.read(tier=tier).limits for tier in ("high", "low"))
    for code, usual in USUAL.items():
        bounds = [(made.get(code, usual).warn, made.get(code, usual).fail) for made in (high, {}, low)]
        assert bounds == sorted(bounds), code
        assert all(warn <= fail for warn, fail in bounds)
    assert TIERS["medium"] == {}
    own = Policy.read(tier="high", limits={"AR002": {"warn": 0.2, "fail": 0.4, "why": "x"}}).limits
    assert (own["AR002"].warn, own["AR003"].warn) == (0.2, 0.03)
    with limits_set(high):
        assert (UNEXPLAINED.judge(0.07), LEAKAGE.judge(0.01)) == ("warn", "pass")


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"limits": {"AR0002": {"warn": 1, "why": "x"}}}, "No finding with the code 'AR0002'.* Did you mean 'AR002'"),
        ({"limits": {"AR001": {"warn": 1, "why": "x"}}}, "No finding with the code 'AR001'"),
        ({"limits": {"AR002": {"warn": 0.1}}}, "need a reason"),
        ({"limits": {"AR002": {"why": "x"}}}, "set nothing"),
        ({"limits": {"AR002": {"warn": 0.1, "why": "x", "to": 3}}}, "a mapping with 'warn', 'fail', 'why'"),
        ({"limits": {"AR002": {"warn": 0.5, "why": "x"}}}, "fail before they call for caution"),
        ({"limits": {"AR002": {"warn": "much", "why": "x"}}}, "must be a number"),
        ({"limits": {"AR002": {"warn": -1, "why": "x"}}}, "must be a number"),
        ({"limits": [1]}, "limits are a mapping"),
        ({"tier": "top"}, "tier must be one of 'high', 'medium', 'low'"),
        ({"waivers": [waiver(until="soon")]}, "until of the waiver of AR101 must be a day"),
        ({"waivers": [waiver(until="2026-02-30")]}, "must be a day"),
        ({"waivers": [waiver(who="")]}, "who of a waiver must be text"),
        ({"waivers": [waiver(code="AR201")]}, "cannot be waived"),
        ({"waivers": [{"code": "AR008"}]}, "A waiver has 'code', 'who', 'why', 'until'; got 'code'. Write"),
        ({"waivers": waiver()}, "waivers are a list"),
        ({"as_of": pd.NaT}, "as_of must be a day"),
        ({"as_of": "yesterday"}, "as_of must be a day"),
    ],
)
def test_what_cannot_be_read_is_refused(given, wrong):
    with pytest.raises(InputError, match=wrong):
        Policy.read(**given)


def test_what_is_waived_stays_visible_and_does_not_decide(dec):
    texts, usual = ["a: decreasing"], findings(dec)
    before = findings(dec, policy=Policy.read(expectations=texts))
    assert (before.verdict, sign_of(before)) == ("fail", "Expectation violated")
    for code in ("AR101", "a: decreasing"):
        after = findings(dec, policy=Policy.read(expectations=texts, waivers=[waiver(code)], as_of=DAY))
        assert (after["AR101"].status, after["AR101"].waiver.who) == ("fail", "A. Author")
        assert (after.verdict, sign_of(after)) == (usual.verdict, sign_of(usual))
        assert after["AR201"].sentence == f"As of {DAY}, 1 waiver applies (AR101)."


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (waiver(until="2026-11-18"), "warn", "The waiver of AR101 by A. Author expired on 2026-11-18."),
        (waiver(until=date(2026, 11, 18)), "warn", "The waiver of AR101 by A. Author expired on 2026-11-18."),
        (waiver("AR999"), "warn", "The waiver of AR999 by A. Author names no finding of this audit."),
        (waiver("AR002"), "pass", "The waiver of AR002 by A. Author is not needed"),
    ],
)
def test_a_waiver_that_does_not_apply_is_reported_and_changes_nothing(dec, given, status, said):
    found = findings(dec, policy=Policy.read(expectations=["a: decreasing"], waivers=[given], as_of=DAY))
    assert (found["AR201"].status, found.verdict) == (status, "fail")
    assert said in found["AR201"].sentence
    assert not any(item.waiver for item in found)


def test_a_waiver_holds_through_its_last_day_and_today_is_the_day_by_default(dec):
    last = findings(dec, policy=Policy.read(expectations=["a: decreasing"], waivers=[waiver(until=DAY)], as_of=DAY))
    assert last["AR101"].waiver is not None
    assert Policy.read().as_of == date.today().isoformat()
