"""Joint effects: closed forms of dependent features, laws of sums, and which features cannot be read alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.errors import InputError, UnknownTermError
from anova_report.measures.joint import relative_uncertainty
from anova_report.measures.status import CONCURVITY, INSEPARABLE, VAGUE_CURVE
from tests.ground_truth import decomposition_of, signs, traced

NAMES = ("a × b", "b", "mean")
WEIGHTS = np.array([2.0, -1.5, 1.0])
LAW = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.3], [0.0, 0.3, 1.0]])
FIRST, SECOND, PRODUCT = signs(500)


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    drawn = np.random.default_rng(3).multivariate_normal(np.zeros(3), LAW, size=6000)
    return pd.DataFrame(drawn, columns=NAMES)


@pytest.fixture(scope="module")
def dec(X) -> Decomposition:
    noise = np.random.default_rng(4).normal(scale=0.2, size=len(X))
    return FunctionalANOVA(random_state=1).fit(X, X.to_numpy() @ WEIGHTS + noise).decomposition_


def dependent(concurvity: list[float], partners: list[tuple[int, ...]]) -> Dependence:
    return Dependence(np.array(concurvity)[:, None], (tuple(partners),))


def test_the_joint_share_of_a_linear_model_of_dependent_normals_is_that_of_its_closed_form(dec, X):
    own, law, variance = np.r_[WEIGHTS[:2], 0.0], np.cov(X.T), dec.in_sample.covariance(0).sum()
    joint = measures.joint_effect(dec, ["b", "a × b"])
    assert (joint.features, joint.label) == ((0, 1), "a × b and b")
    assert joint.structural == pytest.approx(own @ law @ own / variance, abs=0.01)
    assert joint.total == pytest.approx(own @ law @ WEIGHTS / variance, abs=0.01)
    truth = own @ LAW @ WEIGHTS / (WEIGHTS @ LAW @ WEIGHTS + 0.04)
    assert joint.total_interval.low < truth < joint.total_interval.high
    effect = X.to_numpy()[:, :2] @ WEIGHTS[:2]
    assert np.abs(joint.evaluate(dec, X) - effect).mean() < 0.05


def test_the_joint_effect_of_all_features_is_the_explanation(dec, X):
    joint = measures.joint_effect(dec, NAMES)
    assert joint.terms == dec.terms
    assert joint.total == pytest.approx(1 - measures.variance_shares(dec).unexplained)
    np.testing.assert_allclose(joint.evaluate(dec, X) + dec.mean, dec.predict(X))
    assert joint.structural == pytest.approx(np.var(dec.predict(X)) / dec.in_sample.covariance(0).sum(), rel=1e-3)
    frame = pd.DataFrame(joint.frame())
    assert frame["indices"].tolist() == [(0, 1, 2), *dec.terms]
    assert frame["total"][0] == pytest.approx(frame["total"][1:].sum())


def test_what_two_features_take_from_each_other_is_no_uncertainty_of_their_sum():
    moved = np.outer([1.0, -1.0], np.tile([0.1, -0.1], 32))[:, :, None]
    uncertainty = Uncertainty((), moved, moved.copy(), moved[0], moved[0])
    copies = decomposition_of({(0,): FIRST, (1,): FIRST}, SECOND, uncertainty=uncertainty)
    joint = measures.joint_effect(copies, [0, 1])
    assert joint.total == joint.structural == pytest.approx(4 / 5)
    assert joint.total_interval == measures.Interval(joint.total, joint.total)
    alone = measures.variance_shares(copies).terms[0].total_interval
    assert alone.high - alone.low > 1


@pytest.mark.parametrize("features", [["b"], ["b", 1], "b", []])
def test_one_feature_has_no_joint_effect(dec, features):
    with pytest.raises(InputError, match="two or more different features"):
        measures.joint_effect(dec, features)


def test_a_joint_effect_of_an_unknown_feature_names_those_there_are(dec):
    with pytest.raises(UnknownTermError, match="There is no feature 'c'"):
        measures.joint_effect(dec, ["b", "c"])


def test_predictions_that_never_change_have_no_joint_share():
    joint = measures.joint_effect(decomposition_of({(0,): 0 * FIRST, (1,): 0 * FIRST}), [0, 1])
    assert (joint.structural, joint.total) == (0.0, 0.0)


def test_the_relative_uncertainty_is_that_of_the_band_over_the_rows(dec, X):
    band = measures.bands(dec, "b", X)
    expected = np.sqrt((band.standard_error**2).mean()) / band.value.std()
    assert relative_uncertainty(dec, 1, 0) == pytest.approx(expected, rel=0.02)


UNSURE = 1.1 * VAGUE_CURVE


@pytest.mark.parametrize(
    ("concurvity", "error", "is_named"),
    [
        (CONCURVITY.fail, 0.0, True),
        (0.99 * CONCURVITY.fail, 0.0, False),
        (CONCURVITY.warn, UNSURE, True),
        (0.99 * CONCURVITY.warn, UNSURE, False),
        (CONCURVITY.warn, 0.9 * VAGUE_CURVE, False),
    ],
)
def test_a_feature_is_named_when_others_explain_it_or_when_that_leaves_its_curve_uncertain(
    dec, monkeypatch, concurvity, error, is_named
):
    monkeypatch.setattr(measures.joint, "relative_uncertainty", lambda *_arguments: error)
    found = measures.inseparable(replace(dec, dependence=dependent([concurvity, 0.0, 0.0], [(1,), (), ()])))
    assert [group.features for group in found] == ([(0, 1)] if is_named else [])


@pytest.mark.parametrize(("error", "is_named"), [(0.5, False), (1.2, True)])
def test_a_main_effect_that_carries_nothing_is_not_named_unless_it_may_carry_more(monkeypatch, error, is_named):
    faint = decomposition_of({(0,): FIRST, (1,): 0.09 * SECOND}, dependence=dependent([0.0, 1.0], [(), (0,)]))
    monkeypatch.setattr(measures.joint, "relative_uncertainty", lambda *_arguments: error)
    assert [group.features for group in measures.inseparable(faint)] == ([(0, 1)] if is_named else [])


def test_without_dependence_nobody_is_named_and_the_finding_is_not_tested(dec):
    plain = replace(dec, dependence=None)
    assert measures.inseparable(plain) == ()
    assert measures.findings(plain)["AR011"].status == "not tested"


def test_groups_that_overlap_are_read_together_and_the_largest_share_comes_first():
    columns = {(index,): FIRST if index < 2 else SECOND for index in range(5)}
    links = dependent([1.0, 1.0, 0.97, 0.97, 0.99], [(1,), (0,), (3,), (4,), (2,)])
    found = measures.inseparable(decomposition_of(columns, dependence=links))
    assert [group.features for group in found] == [(2, 3, 4), (0, 1)]
    assert found[0].joint.total == pytest.approx(9 / 13)
    assert found[0].frame() == {
        "feature": [2, 3, 4],
        "concurvity": [0.97, 0.97, 0.99],
        "relative_uncertainty": [None] * 3,
    }


def test_effects_that_can_be_read_alone_pass(dec):
    finding = measures.findings(replace(dec, dependence=dependent([0.6, 0.6, 0.1], [(1,), (0,), ()])))["AR011"]
    assert (finding.status, finding.value, finding.advice) == ("pass", 0.0, "")


@pytest.mark.parametrize(("concurvity", "extent"), [(1.0, "all"), (0.96, "up to 96.0%")])
def test_exact_copies_are_a_warning_with_their_names_their_share_and_what_to_do(concurvity, extent):
    copies = {(0,): FIRST, (1,): FIRST, (2,): SECOND}
    dec = decomposition_of(copies, dependence=dependent([concurvity, concurvity, 0.0], [(1,), (0,), ()]))
    finding = measures.findings(dec)["AR011"]
    assert (finding.status, finding.value, finding.limit) == ("warn", pytest.approx(4 / 5), INSEPARABLE.warn)
    what = "Their separate effects are not estimable from these data"
    if concurvity < 1:
        what = "Only a few rows determine their separate effects"
    said = f"Among x0 and x1, functions of the others explain {extent} of the effect of one (concurvity). {what}; "
    assert said in finding.sentence
    assert "together they carry 80.0% of the variance" in finding.sentence
    assert "joint effect" in finding.advice


def test_copies_are_named_by_a_fit_with_a_share_that_holds_and_leaving_one_out_is_a_cure():
    drawn = np.random.default_rng(8).normal(size=(1500, 2))
    X = pd.DataFrame({"a": drawn[:, 0], "copy": drawn[:, 0], "b": drawn[:, 1]})
    predictions = X["a"] + X["copy"] + X["b"]
    dec = FunctionalANOVA(random_state=2).fit(X, predictions).decomposition_
    (group,) = measures.inseparable(dec)
    assert group.features == (0, 1)
    assert group.is_open
    truth = np.cov(2 * X["a"], predictions)[0, 1] / predictions.var()
    assert group.joint.total == pytest.approx(truth, abs=0.01)
    assert group.joint.total_interval.low < 0.8 < group.joint.total_interval.high
    alone = FunctionalANOVA(random_state=2).fit(X.drop(columns="copy"), predictions).decomposition_
    assert [measures.findings(each)["AR011"].status for each in (dec, alone)] == ["warn", "pass"]


def test_a_sentence_names_four_features_and_counts_the_others():
    columns = {(index,): FIRST for index in range(7)}
    links = dependent([1.0] * 7, [(1, 2, 3, 4), *[(0,)] * 4, (0,), (0,)])
    dec = decomposition_of(columns, uncertainty=traced(*[0.1] * 7), dependence=links)
    sentence = measures.findings(dec)["AR011"].sentence
    assert "x0, x1, x2, x3 and 3 more" in sentence
    assert "95% interval" in sentence


def test_shares_that_cannot_be_distinguished_are_judged_by_their_sum():
    moved = np.outer([1.0, -1.0, 0.0], np.tile([0.1, -0.1], 32))[:, :, None]
    uncertainty = Uncertainty((), moved, moved.copy(), moved[0], moved[0])
    columns = {(0,): FIRST, (1,): FIRST, (2,): SECOND}
    alone = decomposition_of(columns, uncertainty=uncertainty, dependence=dependent([0.0] * 3, [()] * 3))
    assert measures.findings(alone)["AR006"].status == "fail"
    copies = replace(alone, dependence=dependent([1.0, 1.0, 0.0], [(1,), (0,), ()]))
    assert measures.findings(copies)["AR006"].status == "pass"


def test_components_that_cancel_are_found_with_their_correlation_and_what_is_left_of_them():
    against = -0.8 * FIRST + 0.4 * PRODUCT
    (found,) = measures.correlated(decomposition_of({(0,): FIRST, (1,): against, (2,): SECOND}))
    assert found.terms == ((0,), (1,))
    assert found.correlation == pytest.approx(-0.8 / np.sqrt(0.8))
    left = 0.2**2 + 0.4**2
    assert found.joint.structural == pytest.approx(left / (1 + left))


def test_effects_that_move_together_are_read_with_what_stands_for_one_of_them():
    columns = {(0,): FIRST, (1,): FIRST + 0.1 * SECOND, (2,): FIRST - 0.1 * PRODUCT}
    dec = decomposition_of(columns, dependence=dependent([1.0, 0.0, 1.0], [(2,), (), (0,)]))
    assert {pair.joint.features for pair in measures.correlated(dec)} == {(0, 1, 2), (0, 2)}
    assert {pair.terms for pair in measures.correlated(dec) if len(pair.joint.features) > 2} == {
        ((0,), (1,)),
        ((1,), (2,)),
    }


def test_many_that_cancel_a_little_are_reported_by_the_two_that_cancel_most():
    columns = {(0,): FIRST + SECOND, (1,): PRODUCT - SECOND, (2,): -FIRST - PRODUCT}
    rest = np.repeat([1.0, -1.0], len(FIRST) // 2)
    found = measures.correlated(decomposition_of(columns, rest))
    assert len(found) == 1
    assert found[0].correlation == pytest.approx(-0.5)


@pytest.mark.parametrize("columns", [{(0,): FIRST, (1,): SECOND}, {(0,): 0 * FIRST, (1,): 0 * FIRST}])
def test_independent_or_constant_components_do_not_move_together(columns):
    assert measures.correlated(decomposition_of(columns)) == ()


def test_concurvity_is_saved_and_older_files_know_nothing_of_it(dec, tmp_path):
    path = tmp_path / "dec.json"
    replace(dec, dependence=dependent([0.5, 0.25, 0.0], [(1,), (0, 2), ()])).save(path)
    again = Decomposition.load(path).dependence
    assert again.imitators == (((1,), (0, 2), ()),)
    assert again.imitated.tolist() == [[0.5], [0.25], [0.0]]
    path.write_text(path.read_text().replace('"dependence":', '"unknown":'))
    assert Decomposition.load(path).dependence is None
