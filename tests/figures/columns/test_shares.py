"""Shares and totals: all of the variance, in order, with nothing swept away."""

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.figures.columns import shares_figure, totals_figure
from anova_report.figures.columns.shares import largest_features, linked_features


@pytest.mark.parametrize("top", [1, 3, 50])
@pytest.mark.parametrize("draw", [shares_figure, totals_figure])
def test_drawn_shares_the_rest_and_the_unexplained_add_up_to_one(known, mixed, triple, draw, top):
    for case, output in ((known, 0), (mixed, 1), (triple, 0)):
        data = draw(case.dec, output, top=top).data
        drawn = data.total if draw is shares_figure else data.share
        assert sum(drawn) + data.rest + data.unexplained == pytest.approx(1.0, abs=1e-4)


def test_closed_form_shares_of_a_sum_of_independent_parts(known):
    """Var(2a) = 4/3, Var(3b²) = 4/5, Var(4ac) = 16/9."""
    variances = {"a": 4 / 3, "b": 4 / 5, "a × c": 16 / 9}
    data = shares_figure(known.dec).data
    found = dict(zip(data.labels, data.total, strict=True))
    for label, variance in variances.items():
        assert found[label] == pytest.approx(variance / sum(variances.values()), abs=0.02)


def test_totals_share_a_pair_between_its_features(known):
    data = totals_figure(known.dec).data
    found = dict(zip(data.labels, data.share, strict=True))
    total = 4 / 3 + 4 / 5 + 16 / 9
    assert found["a"] == pytest.approx((4 / 3 + 8 / 9) / total, abs=0.02)
    assert found["c"] == pytest.approx(8 / 9 / total, abs=0.02)


@pytest.mark.parametrize("draw", [shares_figure, totals_figure])
def test_shares_are_drawn_from_the_largest_to_the_smallest(mixed, draw):
    data = draw(mixed.dec, 0).data
    drawn = list(data.total if draw is shares_figure else data.share)
    assert drawn == sorted(drawn, reverse=True)


def test_shares_are_those_of_the_measure(mixed):
    data = shares_figure(mixed.dec, 1).data
    measured = {share.term: share for share in measures.variance_shares(mixed.dec, 1).terms}
    for at, term in enumerate(data.terms):
        assert data.structural[at] == pytest.approx(measured[term].structural, abs=1e-5)
        assert data.correlative[at] == pytest.approx(measured[term].correlative, abs=1e-5)
        assert data.lower[at] == pytest.approx(measured[term].total_interval.low, abs=1e-5)
        assert data.upper[at] == pytest.approx(measured[term].total_interval.high, abs=1e-5)


def test_a_large_negative_share_is_drawn_and_not_swept_into_the_rest():
    rng = np.random.default_rng(0)
    first = rng.normal(size=1500)
    X = np.column_stack([first, first + 0.3 * rng.normal(size=1500), rng.normal(size=(1500, 2))])
    dec = FunctionalANOVA.published(K=1, d=2).fit(X, 3 * X[:, 0] - 2 * X[:, 1] + 0.1 * X[:, 2]).decomposition_
    data = totals_figure(dec, top=2).data
    assert data.labels == ("x0", "x1")
    assert data.share[1] < -0.1
    assert data.n_rest == 2


def test_what_is_left_out_is_counted_and_summed(wide):
    data = totals_figure(wide.dec, top=10).data
    assert len(data.labels) == 10
    assert data.n_rest == 71
    measured = sorted((total.share for total in measures.feature_totals(wide.dec).features), key=abs)
    assert data.rest == pytest.approx(sum(measured[:71]), abs=1e-9)


def test_without_uncertainty_there_are_no_intervals(published):
    assert shares_figure(published.dec).data.lower == ()
    assert totals_figure(published.dec).data.upper == ()
    assert totals_figure(published.dec).table.rows[0][-1] == "not known"


def test_of_a_constant_model_every_share_is_zero(constant):
    for figure in (shares_figure(constant.dec), totals_figure(constant.dec)):
        assert figure.data.unexplained == 0
        assert figure.data.rest == 0
        assert figure.table.rows[0][1] == "0%"


def test_the_tables_end_with_the_rest_and_the_unexplained(known):
    table = shares_figure(known.dec, top=2).table
    assert [line[0] for line in table.rows[-2:]] == ["2 further terms", "unexplained"]
    assert {len(line) for line in table.rows} == {len(table.head)}
    assert [line[0] for line in totals_figure(known.dec).table.rows][-1] == "unexplained"


def test_the_alternative_text_names_the_largest(known):
    assert shares_figure(known.dec).alt.startswith(
        "Of the variance of the answer, the largest shares are those of a × c (4"
    )


def test_features_are_ranked_by_total_share(known):
    assert largest_features(known.dec, 0, 2) == [0, 2]
    assert sorted(largest_features(known.dec, 0)) == [0, 1, 2]


def test_linked_features_come_from_the_largest_pairs_first():
    sizes = {(0,): 9.0, (5, 7): 0.2, (6, 8): -0.5, (1, 2): 0.1}
    assert linked_features(range(9), sizes, most=4, n_linked=2) == [0, 1, 6, 8]
    assert linked_features(range(9), sizes, most=4, n_linked=4) == [5, 6, 7, 8]
    assert linked_features([8, 0, 1], {}, most=2, n_linked=2) == [8, 0]


def test_few_features_are_all_linked_in_the_order_of_the_ranking():
    assert linked_features([2, 0, 1], {(0, 1): 1.0}, most=9, n_linked=4) == [2, 0, 1]
