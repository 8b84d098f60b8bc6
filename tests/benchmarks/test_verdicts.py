"""The benchmark of verdicts in a small version: its truth, what it counts as wrong, and that samples can be made."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from anova_report import measures
from anova_report.measures.status import UNEXPLAINED, worst
from benchmarks import verdict_laws as of
from benchmarks import verdict_truth as truth
from benchmarks import verdicts
from benchmarks.verdict_cases import BY_NAME, CASES, COVERAGE, known
from benchmarks.verdict_truth import BY_TRUTH, FAIL, NEVER_FAIL, PASS, WARN, Deserved, Truth
from benchmarks.verdicts import Count, Outcome


def outcome(deserved: Deserved, alarms: verdicts.Alarms, fresh: float = 0.95, by_code=None) -> Outcome:
    return Outcome(Truth(deserved, by_code or {}, fresh), worst(("pass", *alarms.values())), alarms, 0.95, 0.94, 0.96)


def test_there_are_cases_enough_of_every_kind_and_size():
    assert len(BY_NAME) == len(CASES) >= 40
    assert {"pass", "warn", "fail"} <= {str(case.deserved) for case in CASES}
    assert (min(case.n_rows for case in CASES), max(case.n_rows for case in CASES)) == (200, 20_000)
    assert len(COVERAGE) == 10
    assert set(COVERAGE) <= set(BY_NAME)


@pytest.mark.parametrize("case", [case for case in CASES if not verdicts.lacking(case)], ids=lambda case: case.name)
def test_every_sample_can_be_made_and_known_components_add_up_to_its_predictions(case):
    draw = case.make(np.random.default_rng(1), 300)
    assert (len(draw.X), len(draw.fresh)) == (len(draw.predictions), len(draw.fresh_predictions))
    if draw.components:
        left = draw.fresh_predictions - np.sum(
            [component(draw.fresh) for component in draw.components.values()], axis=0
        )
        np.testing.assert_allclose(left - left.mean(), 0, atol=1e-10)


def test_components_on_paper_are_those_of_the_law_whatever_the_mean_of_the_rows():
    X = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_array_equal(of.lines(2, 1)[0,](X), 2 * X[:, 0])
    curve = of.curves(of.normal(4), 4)[2,]
    np.testing.assert_allclose(curve(X[:, [0, 1, 0, 1]]), np.abs(X[:, 0]) - np.sqrt(2 / np.pi), atol=0.01)


def test_a_sample_of_rare_spikes_shows_one_for_of_others_none_can_tell():
    samples = [BY_NAME["rare spikes"].make(np.random.default_rng(seed), 300) for seed in range(5)]
    assert all(of.is_spike(sample.X).any() for sample in samples)


@pytest.mark.parametrize("make", [of.product, of.difference])
def test_pairs_of_dependent_normals_are_orthogonal_to_functions_of_one_feature(make):
    X = of.normal(2, 0.6)(np.random.default_rng(2), 400_000)
    pair = make(0.6)[0, 1](X)
    for function in (np.sin, np.square, np.abs):
        assert np.mean(pair * function(X)[:, 0]) == pytest.approx(0, abs=4 * pair.std() / np.sqrt(len(X)) * 2)


def test_the_worst_fact_decides_and_near_a_limit_two_verdicts_are_right():
    assert PASS.and_also(WARN) == WARN
    assert WARN.and_also(NEVER_FAIL) == WARN
    graded = [str(truth.graded(UNEXPLAINED, value, truth.NEAR_R2)) for value in (0.05, 0.1, 0.2, 0.3, 0.5)]
    assert graded == ["pass", "pass–warn", "warn", "warn–fail", "fail"]


def test_a_figure_flatters_only_beyond_its_interval():
    bounds = measures.Interval(0.93, 0.97)
    reported = measures.Fidelity(0.96, 0.95, None, bounds, 1000, 200)
    assert not truth.flatters(reported, 0.925)
    assert truth.flatters(reported, 0.90)


def test_leakage_and_cancellation_are_measured_on_fresh_rows():
    case = BY_NAME["two lines that cancel"]
    draw = case.make(np.random.default_rng(0), 500)
    assert truth.of_cancellation(draw) == WARN
    assert truth.of_cancellation(known(of.normal(3), of.lines(1, 1, 1))(np.random.default_rng(0), 500)) == PASS
    x = np.random.default_rng(0).uniform(-1, 1, size=20_000)
    noise = np.random.default_rng(1).normal(size=20_000)
    assert truth._explained(np.sin(2 * x), x) == pytest.approx(1, abs=0.01)
    assert truth._explained(noise, x) == pytest.approx(0, abs=0.002)


def test_wrong_verdicts_are_counted_among_the_samples_where_they_can_be():
    outcomes = [
        outcome(PASS, {}),
        outcome(PASS, {"AR005": "warn"}),
        outcome(WARN, {}),
        outcome(WARN, {"AR008": "fail"}),
        outcome(FAIL, {"AR002": "warn"}),
        outcome(NEVER_FAIL, {"AR005": "warn"}),
        outcome(BY_TRUTH, {"AR002": "fail"}),
    ]
    assert verdicts.wrong_passes(outcomes) == Count(1, 3)
    assert verdicts.wrong_alarms(outcomes) == Count(2, 5)
    assert verdicts.alarms_by_finding(outcomes) == {"AR002": Count(0, 5), "AR005": Count(1, 5), "AR008": Count(1, 5)}


def test_a_finding_is_held_against_the_truth_about_its_own_subject():
    leaks_not = outcome(FAIL, {"AR002": "fail", "AR005": "warn"}, by_code={"AR005": PASS})
    assert verdicts.alarms_by_finding([leaks_not])["AR005"] == Count(1, 1)


def test_an_alarm_that_fresh_rows_bear_out_is_not_wrong_and_excuses_no_other():
    rough = {"AR006": NEVER_FAIL}
    assert not outcome(PASS, {"AR006": "warn"}, by_code=rough).wrong_alarm
    assert outcome(PASS, {"AR006": "fail"}, by_code=rough).wrong_alarm
    assert outcome(PASS, {"AR006": "warn", "AR013": "warn"}, by_code=rough).wrong_alarm


def test_shares_may_be_called_uncertain_where_they_vary_among_samples():
    case = BY_NAME["Ishigami"]
    said = outcome(PASS, {"AR006": "warn"})
    steady, moving = ([replace(said, shares={(0,): 0.5 + sign * step}) for sign in (-1, 1)] for step in (0.001, 0.15))
    assert all(each.wrong_alarm for each in verdicts.seen_together(case, steady))
    assert not any(each.wrong_alarm for each in verdicts.seen_together(case, moving))


def test_a_right_verdict_for_another_reason_leaves_the_finding_silent():
    results = {"near copy of a feature": [outcome(WARN, {"AR006": "warn"}), outcome(WARN, {"AR011": "warn"})]}
    assert verdicts.silence_by_finding(results) == {"AR011": Count(1, 2)}


def test_an_interval_that_misses_needs_a_finding():
    name = COVERAGE[0]
    missed, said = outcome(PASS, {}, fresh=0.9), outcome(WARN, {"AR012": "warn"}, fresh=0.9)
    assert [kept for _, kept in verdicts.coverage_lines({name: [outcome(PASS, {})] * 9 + [missed]})] == [True]
    assert [kept for _, kept in verdicts.coverage_lines({name: [missed, outcome(PASS, {})]})] == [False]
    assert [kept for _, kept in verdicts.coverage_lines({name: [said, said]})] == [True]


def test_the_summary_says_which_promise_is_broken():
    good = {"Ishigami": [outcome(PASS, {})], "noise": [outcome(FAIL, {"AR002": "fail"})]}
    assert verdicts.summary(good)[1]
    lines, kept = verdicts.summary({**good, "clusters": [outcome(FAIL, {})]})
    assert not kept
    assert sum(line.endswith("BROKEN") for line in lines) == 2


@pytest.mark.parametrize(("name", "verdict"), [("six yes or no", "pass"), ("main effects of a product", "fail")])
def test_a_sample_is_explained_and_judged(name, verdict):
    found = verdicts.try_once(name, 0, n_rows=600)
    assert (found.verdict, str(found.deserved)) == (verdict, verdict)
    assert verdict in verdicts.case_line(BY_NAME[name], [found])


def test_a_main_effect_is_misread_unless_its_band_or_the_joint_share_holds(monkeypatch):
    draw = known(of.normal(2), of.lines(1, 1))(np.random.default_rng(3), 600)
    dec = truth.fit_table(draw, 1, 0)
    monkeypatch.setattr(measures, "inseparable", lambda _: (), raising=False)
    assert truth.misread(dec, draw) == (0, 2)
    doubled = draw.but(components=of.lines(1, 2))
    assert truth.misread(dec, doubled) == (1, 2)
    joint = SimpleNamespace(features=(0, 1), total_interval=measures.Interval(0.97, 1.0))
    group = SimpleNamespace(features=(0, 1), joint=joint)
    monkeypatch.setattr(measures, "inseparable", lambda _: (group,))
    assert truth.misread(dec, draw) == (0, 2)
    assert truth.misread(dec, doubled) == (2, 2)
