"""What AR011 says: who stands for whom, when the model tells effects apart, and how well a joint share is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import explain, measures
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.core.diagnostics.functional_dependence import Relation
from anova_report.core.fit.asking import Asking
from anova_report.core.fit.fits import OffData
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.report.audit.joint_facts import read_together
from tests.ground_truth import decomposition_of, signs

FIRST, SECOND, PRODUCT = signs(500)
COLUMNS = {(0,): FIRST, (1,): SECOND, (2,): PRODUCT}


def related(*relations: Relation) -> Dependence:
    return Dependence(np.zeros((3, 1)), (((), (), ()),)).with_relations(relations)


def said(dec) -> str:
    return measures.findings(dec)["AR011"].sentence


@pytest.mark.parametrize(
    ("relations", "words"),
    [
        (
            [Relation(0, (0,), (1,), 1.0, 16), Relation(0, (1,), (0,), 1.0, 16)],
            "Among x0 and x1, each value of x1 always comes with the same value of x0, and the reverse",
        ),
        ([Relation(0, (0,), (1,), 1.0, 16)], "each value of x1 always comes with the same value of x0 (concurvity)"),
        (
            [Relation(0, (2,), (0, 1), 1.0, 16)],
            "each combination of values of x0 and x1 always comes with the same value of x2 (concurvity)",
        ),
        ([Relation(0, (2,), (0, 1), 0.98, 16)], "the values of x0 and x1 together explain 98.0% of the effect of x2"),
        ([Relation(0, (2,), (0, 1), 0.98)], "functions of x0 and x1 together explain 98.0% of the effect of x2"),
        ([Relation(0, (2,), (0,), 1.0)], "functions of x0 explain all of the effect of x2"),
    ],
)
def test_a_sentence_says_which_features_stand_for_which_effect(relations, words):
    assert words in said(decomposition_of(COLUMNS, dependence=related(*relations)))


@pytest.mark.parametrize(("share", "is_named"), [(0.96, True), (0.9, False)])
def test_an_interaction_that_another_feature_stands_for_is_named_with_it(share, is_named):
    columns = {(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT}
    links = Dependence(np.zeros((3, 1)), (((), (), ()),)).with_relations([Relation(0, (0, 1), (2,), share)])
    dec = decomposition_of(columns | {(2,): 0 * FIRST}, dependence=links)
    assert [group.features for group in measures.inseparable(dec)] == ([(0, 1, 2)] if is_named else [])


def test_a_relation_that_says_no_more_than_main_effects_do_is_not_kept():
    known = Dependence(np.array([[0.97], [0.0]]), (((1,), ()),))
    assert known.with_relations([Relation(0, (0,), (1,), 0.975)]).relations == ()
    assert known.with_relations([Relation(0, (0,), (1,), 1.0)]).imitated[0, 0] == 1.0


@pytest.mark.parametrize(("moved", "words"), [(0.001, "which is well determined"), (0.05, "as far as the interval")])
def test_a_joint_effect_is_well_determined_only_where_its_interval_is_narrow(moved, words):
    shares = np.tile(np.tile([moved, -moved], 32), (3, 1))[:, :, None]
    links = related(Relation(0, (0,), (1,), 1.0, 16))
    dec = decomposition_of(COLUMNS, dependence=links, uncertainty=Uncertainty((), shares, shares, shares[0], shares[0]))
    assert words in measures.findings(dec)["AR011"].advice
    assert ("interval of its share is wide" in read_together(dec, 0)[0].why) == (moved > 0.01)


def test_a_small_joint_share_is_not_well_determined_where_it_may_be_twice_as_large():
    moved = np.tile(np.tile([0.001, -0.001], 32), (3, 1))[:, :, None]
    small = {(0,): FIRST / 8, (1,): SECOND / 8, (2,): PRODUCT}
    links = related(Relation(0, (0,), (1,), 1.0, 16))
    dec = decomposition_of(small, dependence=links, uncertainty=Uncertainty((), moved, moved, moved[0], moved[0]))
    assert "as far as the interval" in measures.findings(dec)["AR011"].advice


HONEST, WILD = OffData(0.02, 0.01, (0.0, 0.0, 0.0)), OffData(0.02, 0.2, (0.1, 0.0, 0.0))


@pytest.mark.parametrize(
    ("asking", "status"),
    [
        (None, "warn"),
        (Asking(2000, off_data=HONEST), "pass"),
        (Asking(0, note="The model refuses recombined rows."), "warn"),
        (Asking(2000, weight=0.0, off_data=HONEST), "warn"),
        (Asking(2000, off_data=WILD), "warn"),
        (Asking(2000, together=((0, 1),), off_data=HONEST), "warn"),
        (Asking(2000, together=((0, 1),), unread=(1,), off_data=HONEST), "pass"),
    ],
)
def test_a_model_that_was_asked_where_features_vary_separately_tells_them_apart(asking, status):
    dec = replace(decomposition_of(COLUMNS, dependence=related(Relation(0, (0,), (1,), 1.0, 16))), asking=asking)
    finding = measures.findings(dec)["AR011"]
    assert finding.status == status
    assert ("From the data alone, these effects are not estimable separately: x0 and x1." in finding.sentence) == (
        status == "pass"
    )
    assert bool(read_together(dec, 0)) == (status == "warn")


@pytest.mark.parametrize(("ask", "status"), [(0, "warn"), (4000, "pass")])
def test_a_product_column_is_told_apart_by_asking_and_not_by_the_rows(ask, status):
    rng = np.random.default_rng(3)
    debt, rate = rng.lognormal(0, 0.5, 600), rng.uniform(0.5, 1.5, 600)
    cost = debt * rate * (1 + 0.01 * rng.normal(size=600))
    X = pd.DataFrame({"debt": debt, "rate": rate, "cost": cost, "age": rng.normal(size=600)})
    found = explain(lambda rows: rows["debt"] * rows["rate"] + rows["age"], X, ask=ask, random_state=0, progress=False)
    finding = measures.findings(found)["AR011"]
    assert finding.status == status
    assert "debt, rate and cost" in finding.sentence
