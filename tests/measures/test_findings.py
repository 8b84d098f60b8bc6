"""Findings and support: each code on a case made to trip it, and on one made not to."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.measures.findings import COSINE, UNEXPLAINED, Finding, Findings

CODES = [f"AR00{number}" for number in range(1, 10)]


def rows(n_rows: int = 3000, seed: int = 0) -> pd.DataFrame:
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


def test_every_finding_says_what_was_found_in_a_sentence(good):
    for item in good.items:
        assert item.sentence.endswith(".")
        assert item.sentence[0].isupper() or item.sentence[0].isdigit()


def test_a_constant_model_is_one_failing_finding():
    X = rows(500)
    found = measures.findings(explain(lambda table: np.full(len(table), 3.5), X), X)
    assert [item.code for item in found.items] == ["AR001"]
    assert found.verdict == "fail"
    assert "3.5 whatever its inputs" in found["AR001"].sentence


def test_what_no_pair_explains_is_reported_as_unexplained():
    X = rows()
    parity = np.asarray(np.sign(X["a"]) * np.sign(X["b"]) * np.sign(X["c"]))
    finding = measures.findings(fit(X, parity), X)["AR002"]
    assert finding.status == "fail"
    assert finding.value == pytest.approx(1, abs=0.05)
    assert finding.limit == UNEXPLAINED.fail
    assert "max_order" in finding.advice


def test_few_rows_are_reported():
    X = rows(60)
    found = measures.findings(fit(X, np.asarray(X["a"])), X)
    assert found["AR007"].status == "warn"
    assert found["AR007"].sentence == "60 rows for 3 features."


def test_without_held_out_rows_their_findings_do_not_apply():
    X = rows(400)
    dec = FunctionalANOVA.published(K=1, d=3).fit(X, X["a"]).decomposition_
    found = measures.findings(dec)
    for code in ("AR003", "AR005", "AR006", "AR009"):
        assert found[code].status == "not applicable", code
        assert found[code].value is None


def test_terms_that_cancel_are_reported():
    rng = np.random.default_rng(0)
    first = rng.normal(size=4000)
    X = pd.DataFrame({"a": first, "b": first + 0.3 * rng.normal(size=4000), "c": rng.normal(size=4000)})
    # The two move against each other, so each calms what the other stirs.
    finding = measures.findings(fit(X, np.asarray(3 * X["a"] - 2 * X["b"]), max_order=1), X)["AR008"]
    assert finding.status == "fail"
    assert "negative shares" in finding.sentence


def test_a_limit_tells_warnings_from_failures():
    assert COSINE.judge(0.0) == "pass"
    assert COSINE.judge(0.1) == "warn"
    assert COSINE.judge(0.3) == "fail"


def test_the_verdict_is_the_worst_status():
    items = [Finding(f"AR00{n}", "", status, None, None, ".") for n, status in enumerate(("pass", "warn"))]
    assert Findings(tuple(items)).verdict == "warn"
    assert Findings(tuple(items)).frame()["status"] == ["pass", "warn"]


def test_rows_beyond_the_range_are_counted():
    X = rows()
    dec = fit(X, np.asarray(X["a"]))
    far = X.assign(b=np.where(np.arange(len(X)) < 300, 99.0, X["b"]))
    found = measures.support(dec, far)
    assert {feature.feature: feature.outside for feature in found.features} == {"a": 0, "b": 300, "c": 0}
    assert measures.findings(dec, far)["AR009"].status == "fail"
    assert measures.findings(dec, X)["AR009"].status == "pass"


def test_unseen_and_pooled_levels_are_counted():
    rng = np.random.default_rng(0)
    levels = rng.choice(["red", "blue", "teal", "plum"], p=[0.6, 0.397, 0.002, 0.001], size=6000)
    X = pd.DataFrame({"colour": levels, "size": rng.normal(size=6000)})
    dec = fit(X, np.asarray(X["size"] + (X["colour"] == "red")))
    pooled = measures.support(dec, X).features[0]
    rare = [level for level in ("plum", "teal") if (levels == level).sum() < 10]
    assert list(pooled.pooled_levels) == (rare if len(rare) > 1 else [])
    new = X.head(10).assign(colour=["gold"] * 4 + ["red"] * 6)
    assert measures.support(dec, new).features[0].outside == 4


def test_thin_regions_of_dependent_pairs_are_counted():
    rng = np.random.default_rng(0)
    first = rng.normal(size=5000)
    X = pd.DataFrame({"a": first, "b": first + 0.2 * rng.normal(size=5000)})
    dependent = measures.support(fit(X, np.asarray(X["a"] * (X["b"] - X["a"]))), X)
    even = pd.DataFrame(rng.normal(size=(5000, 2)), columns=["a", "b"])
    independent = measures.support(fit(even, np.asarray(even["a"] * even["b"] ** 2)), even)
    assert dependent.pairs[0].empty_share > 0.5
    assert independent.pairs[0].empty_share == 0
    assert dependent.frame()["feature"] == ["a", "b"]
