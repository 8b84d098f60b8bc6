"""What sentences, findings and reasons say where the logarithm is explained: factors, base rates and labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score

from anova_report import explain
from anova_report.errors import InputError
from anova_report.measures import Policy, findings
from anova_report.report import build_audit

NAMES = {"labels": {"MedAge": "Age of <b>driver</b>"}, "units": {"MedAge": "years"}}
SAID = {"prediction_name": "claim frequency", "prediction_unit": "claims a year"}


@pytest.fixture(scope="module")
def rates():
    """A rate whose factors are known: × 1.02 a year of age, × 1.5 where insured before."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"MedAge": rng.uniform(20, 70, 1500).round(), "before": rng.integers(0, 2, 1500).astype(float)})

    def model(rows):
        return 0.05 * 1.02 ** (rows.MedAge - 20) * 1.5**rows.before

    return explain(model, X, scale="log", progress=False, **NAMES, **SAID)


def judged(dec, *expectations, waivers=None):
    policy = Policy.read(expectations=expectations, waivers=waivers, as_of="2026-11-19")
    return findings(dec, policy=policy)


def test_fidelity_is_that_of_the_logarithm(rates):
    assert "of the variance of the logarithm of the claim frequency" in findings(rates)["AR002"].sentence
    page = build_audit(rates, progress=False)
    assert "of the variance of the logarithm of the claim frequency" in page.outputs[0].verdict_words


def test_reasons_are_factors(rates):
    page = build_audit(rates, rows=[0], progress=False)
    words = {reason.name: reason.words for reason in page.outputs[0].cases[0].reasons}
    before = rates.X.before
    factor = 1.5 ** (before[0] - before.mean())
    assert f"multiplies the prediction by {factor:.2f} (" in words["before"]


def test_expectations_name_labels_units_and_factors(rates):
    (found,) = [item for item in judged(rates, "MedAge: decreasing") if item.code == "AR101"]
    assert found.title == "Age of <b>driver</b>: decreasing"
    assert "Age of <b>driver</b> rises from 20 years to 70 years by a factor of 2.69" in found.sentence


def test_bounds_are_written_as_factors(rates):
    holds = judged(rates, "MedAge: between × 0.5 and × 1.8", "before: no effect above × 1.51")
    assert [holds[code].status for code in ("AR101", "AR102")] == ["pass", "pass"]
    violated = judged(rates, "MedAge: between × 0.8 and ×1.8", "before: no effect above × 1.4")
    assert [violated[code].status for code in ("AR101", "AR102")] == ["fail", "fail"]
    assert "beyond the bound × 0.8" in violated["AR101"].sentence
    assert "more than a factor of 1.4;" in violated["AR102"].sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("before: no effect above × 1", "must be more than × 1"),
        ("before: between × 0.5 and 2", "write both bounds as factors"),
        ("before: between × -1 and × 2", "a factor above 0"),
    ],
)
def test_factors_that_cannot_be_are_refused(text, said):
    with pytest.raises(InputError, match=said):
        Policy.read(expectations=[text])


def test_factors_are_refused_of_what_adds_up(rates):
    plain = explain(lambda rows: rows.MedAge, rates.X, progress=False, max_order=1)
    with pytest.raises(InputError, match="speaks of factors"):
        judged(plain, "MedAge: no effect above × 1.1")


def test_an_expectation_is_waived_by_what_was_written_or_shown(rates):
    for code in ("MedAge: decreasing", "Age of <b>driver</b>: decreasing", "AR101"):
        waiver = {"code": code, "who": "A. Author", "why": "Agreed.", "until": "2027-01-31"}
        assert judged(rates, "MedAge: decreasing", waivers=[waiver])["AR101"].waiver is not None


def test_the_verdict_keeps_capitals_of_what_is_expected(rates):
    page = build_audit(rates, progress=False, expectations=["MedAge: decreasing"])
    assert "(Age of <b>driver</b>: decreasing)" in page.outputs[0].verdict_words


def test_values_of_features_have_their_units(rates):
    page = build_audit(rates, rows=[0], progress=False)
    assert page.features[0].summary.startswith("20 to 70 years, median ")
    assert dict(page.outputs[0].cases[0].values)["Age of <b>driver</b>"].endswith(" years")
    curve = page.figures[page.outputs[0].mains[0].figure]
    assert "at 20 years to × " in curve.alt
    assert "at 70 years" in curve.alt


def test_a_cohort_has_a_base_rate(rates):
    cohort = explain(rates.model, rates.X, scale="log", where="before == 1", progress=False, **NAMES, **SAID)
    words = build_audit(cohort, progress=False).outputs[0].cohort.words
    known = np.log(rates.model(rates.X[rates.X.before == 1])).mean()
    assert f"Their base rate is {np.exp(known):.3g} claims a year" in words


def products(n=2000):
    """Predictions that are products: additive as logarithms only."""
    X = np.random.default_rng(2).normal(size=(n, 5))
    return X, np.exp(X.sum(axis=1))


def test_the_logarithm_is_proposed_where_effects_multiply():
    X, predictions = products()
    found = findings(explain(lambda rows: np.exp(rows.sum(axis=1)), X, ask=0, progress=False))["AR002"]
    assert found.status != "pass"
    assert found.advice.startswith("Explain the logarithm (scale='log', --scale log)")
    (claim,) = [claim for claim in found.claims if claim.kind == "main effects of logarithms"]
    assert claim["logarithms"] == pytest.approx(1.0, abs=1e-3)
    assert claim["as_they_are"] == pytest.approx(additive_score(X, predictions), abs=0.15)
    logged = findings(explain(lambda rows: np.exp(rows.sum(axis=1)), X, scale="log", ask=0, progress=False))["AR002"]
    assert logged.status == "pass"


def additive_score(X, predictions):
    additive = HistGradientBoostingRegressor(interaction_cst="no_interactions", random_state=0)
    return cross_val_score(additive, X, predictions, cv=5).mean()


@pytest.mark.parametrize("model", [lambda rows: 50 + np.prod(rows, axis=1), lambda rows: np.prod(rows, axis=1)])
def test_the_logarithm_is_not_proposed_where_it_does_not_help(model):
    X = np.random.default_rng(3).normal(size=(800, 5))
    found = findings(explain(model, X, ask=0, progress=False))["AR002"]
    assert found.status != "pass"
    assert "logarithm" not in found.advice
