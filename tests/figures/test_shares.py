"""Shares and totals: all of the variance, in order, and each share where its bar, its number and its words say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.figures.shares import (
    NUMBERS,
    Shares,
    Totals,
    largest_features,
    linked_features,
    shares_figure,
    totals_figure,
)
from anova_report.measures import fidelity, variance_shares
from anova_report.measures.wording import percent
from tests.figures.samples import LONG, edge_shares, edge_totals, rich_shares, rich_totals
from tests.figures.scene_items import assert_one_form


@pytest.mark.parametrize("top", [1, 3, 50])
@pytest.mark.parametrize("draw", [shares_figure, totals_figure])
def test_drawn_shares_and_the_rest_add_up_and_the_unexplained_is_that_of_the_verdict(known, mixed, triple, draw, top):
    for case, output in ((known, 0), (mixed, 1), (triple, 0)):
        data = draw(case.dec, output, top=top).data
        drawn = data.total if draw is shares_figure else data.share
        assert sum(drawn) + data.rest + variance_shares(case.dec, output).unexplained == pytest.approx(1.0, abs=1e-4)
        assert data.unexplained == pytest.approx(fidelity(case.dec, output).unexplained, abs=5e-4)
        assert list(data.structural) == sorted(data.structural, reverse=True)


def test_closed_form_shares_of_a_sum_of_independent_parts(known):
    """Var(2a) = 4/3, Var(3b²) = 4/5, Var(4ac) = 16/9; a pair is shared between its features."""
    variances = {(0,): 4 / 3, (1,): 4 / 5, (0, 2): 16 / 9}
    data = shares_figure(known.dec).data
    found = dict(zip(data.terms, data.total, strict=True))
    for term, variance in variances.items():
        assert found[term] == pytest.approx(variance / sum(variances.values()), abs=0.02)
    totals = totals_figure(known.dec).data
    by_feature = dict(zip(totals.features, totals.share, strict=True))
    assert by_feature[0] == pytest.approx((4 / 3 + 8 / 9) / sum(variances.values()), abs=0.02)
    assert by_feature[2] == pytest.approx(8 / 9 / sum(variances.values()), abs=0.02)


def test_shares_are_those_of_the_measure(mixed):
    data = shares_figure(mixed.dec, 1).data
    measured = {share.term: share for share in measures.variance_shares(mixed.dec, 1).terms}
    for at, term in enumerate(data.terms):
        assert data.structural[at] == pytest.approx(measured[term].structural, abs=1e-5)
        assert data.correlative[at] == pytest.approx(measured[term].correlative, abs=1e-5)
        assert data.lower[at] == pytest.approx(measured[term].total_interval.low, abs=1e-5)
        assert data.upper[at] == pytest.approx(measured[term].total_interval.high, abs=1e-5)


def test_a_large_negative_share_is_drawn_and_not_added_to_the_rest():
    rng = np.random.default_rng(0)
    first = rng.normal(size=1500)
    X = np.column_stack([first, first + 0.3 * rng.normal(size=1500), rng.normal(size=(1500, 2))])
    dec = FunctionalANOVA.published(K=1, d=2).fit(X, 3 * X[:, 0] - 2 * X[:, 1] + 0.1 * X[:, 2]).decomposition_
    data = totals_figure(dec, top=2).data
    assert data.features == (0, 1)
    assert data.share[1] < -0.1
    assert data.n_rest == 2


def test_what_is_left_out_is_counted_and_summed(wide):
    data = totals_figure(wide.dec, top=10).data
    assert len(data.labels) == 10
    assert data.n_rest == 71
    measured = sorted(measures.feature_totals(wide.dec).features, key=lambda total: total.structural)
    left = sum(total.share for total in measured[:71])
    assert data.rest == pytest.approx(left, abs=1e-9)
    assert f"; totals of the 71 not drawn add up to {percent(left)}" in totals_figure(wide.dec, top=10).alt


def test_without_uncertainty_there_are_no_intervals(published):
    assert shares_figure(published.dec).data.lower == ()
    assert totals_figure(published.dec).data.upper == ()
    assert totals_figure(published.dec).table.rows[0][-1] == "not known"


def test_of_a_constant_model_every_share_is_zero(constant):
    for figure in (shares_figure(constant.dec), totals_figure(constant.dec)):
        assert figure.data.unexplained == figure.data.rest == 0
        assert figure.table.rows[0][1] == "0%"


def test_tables_end_with_the_rest_and_the_unexplained_and_words_begin_with_the_largest(known):
    figure = shares_figure(known.dec, top=2)
    assert [line[0] for line in figure.table.rows[-2:]] == ["2 further terms", "unexplained"]
    assert {len(line) for line in figure.table.rows} == {len(figure.table.head)}
    assert [line[0] for line in totals_figure(known.dec).table.rows][-1] == "unexplained"
    assert figure.alt.startswith(
        "Of the variance of the prediction, the largest structural shares are those of a × c (4"
    )


def test_features_are_ranked_by_structural_share(known):
    assert largest_features(known.dec, 0, 2) == [0, 2]
    assert sorted(largest_features(known.dec, 0)) == [0, 1, 2]


def test_linked_features_are_those_of_the_largest_pairs_in_the_order_of_the_ranking():
    sizes = {(0,): 9.0, (5, 7): 0.2, (6, 8): -0.5, (1, 2): 0.1}
    assert linked_features(range(9), sizes, most=4, n_linked=2) == [0, 1, 6, 8]
    assert linked_features(range(9), sizes, most=4, n_linked=4) == [5, 6, 7, 8]
    assert linked_features([8, 0, 1], {}, most=2, n_linked=2) == [8, 0]
    assert linked_features([2, 0, 1], {(0, 1): 1.0}, most=9, n_linked=4) == [2, 0, 1]


# The scene.


def item(data, name):
    return next(found for found in data.scene().items if getattr(found, "name", type(found).__name__) == name)


def test_correlative_bars_lead_from_the_structural_share_to_the_total():
    data = rich_shares()
    bars, correlative, dots = (item(data, name) for name in ("bars", "correlative", "total"))
    assert (bars.left, bars.right) == ((0.0,) * 6, data.structural)
    assert (correlative.left, correlative.right) == (data.structural, data.total)
    assert (dots.x, dots.y) == (data.total, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0))
    heights = [bar.bottom[0] - bar.top[0] for bar in (bars, correlative)]
    assert 0 < heights[1] < heights[0] / 2  # the structural share shows behind it


def test_whiskers_are_intervals_and_without_these_neither_marks_nor_words_show_any():
    data = rich_shares()
    found = item(data, "whiskers")
    assert (found.x0, found.x1, found.rimmed) == (data.lower, data.upper, True)
    assert item(data, "Legend").entries[-1].words == "total, 95% interval"
    for plain in (replace(data, lower=(), upper=()), edge_totals()):
        assert item(plain, "whiskers").x0 == ()
        assert "interval" not in str(item(plain, "Legend").entries)
        assert "interval" not in item(plain, "bars").tips[0]


def test_the_rest_and_the_unexplained_are_the_last_rows():
    for data, further in ((rich_shares(), "12 further terms"), (rich_totals(), "3 further features")):
        others, names = item(data, "others"), item(data, "names")
        assert others.right == (data.rest, data.unexplained)
        assert others.color == ("rest", "unexplained")
        assert names.words == (*data.labels, further, "unexplained")
        assert names.color[-3:] == ("fg", "muted", "muted")
        assert others.tips[1] == f"unexplained\n{100 * data.unexplained:.1f}%"
    assert item(edge_shares(), "names").words[1:] == ("unexplained",)


def test_numbers_are_the_totals_and_add_up_to_all():
    data = replace(rich_shares(), rest=0.11)
    numbers = item(data, "numbers")
    assert numbers.words == ("41.0%", "22.0%", "12.0%", "6.0%", "−3.0%", "1.0%", "11.0%", "10.0%")
    assert sum(float(text.rstrip("%").replace("−", "-")) for text in numbers.words) == pytest.approx(100)
    assert numbers.y == item(data, "names").y == tuple(range(8))


def test_tips_say_every_share():
    said = item(rich_shares(), "bars").tips[0].split("\n")
    assert said == ["MedInc", "total 41.0%", "95% interval 39.0% to 43.0%", "structural 35.0%", "correlative 6.0%"]
    said = item(rich_totals(), "bars").tips[0].split("\n")
    assert said == ["MedInc", "total 44.0%", "95% interval 41.0% to 47.0%", "structural 38.0%", "correlative 6.0%"]


def test_totals_of_older_documents_are_bars_and_nothing_is_said_of_parts():
    older = replace(rich_totals(), structural=())
    assert item(older, "bars").tips[0] == "MedInc\n44.0%\n95% interval 41.0% to 47.0%"
    assert item(older, "bars").right == older.share
    assert item(older, "total").x == ()
    assert "structural" not in str([entry.words for entry in item(older, "Legend").entries])
    assert_one_form(older, rich_totals(), edge_totals())


def test_a_click_anywhere_in_a_row_goes_to_its_term_and_older_totals_have_no_such_place():
    rows, (panel,) = item(rich_shares(), "rows"), rich_shares().scene().panels
    assert rows.color is None
    assert rows.keys == rich_shares().terms
    assert [(top, bottom) for top, bottom in zip(rows.top, rows.bottom, strict=True)][1] == (0.5, 1.5)
    assert panel.across(rows.left[0]) == pytest.approx(0)
    assert panel.across(rows.right[0]) == pytest.approx(rich_shares().scene().size[0])
    assert item(rich_totals(), "rows").keys == ((0,), (6,), (7,), (5,), (2,))
    assert item(replace(rich_totals(), features=()), "rows").left == ()


@pytest.mark.parametrize("data", [rich_shares(), edge_shares(), rich_totals(), edge_totals()])
def test_the_axis_holds_all_bars_and_words_have_room_beside_it(data):
    scene = data.scene()
    (panel,), (wide, high) = scene.panels, scene.size
    for found in scene.items:
        for side in ("left", "right", "x0", "x1") if getattr(found, "name", "rows") != "rows" else ():
            assert all(panel.x[0] <= value <= panel.x[1] for value in getattr(found, side, ()))
    assert item(data, "Ruler").percent
    assert item(data, "names").room < panel.frame.left <= 202
    assert panel.frame.right == wide - NUMBERS
    assert panel.frame.bottom < high
    assert panel.down(0.0) < panel.down(1.0)


def test_shares_of_nothing_at_all_still_have_an_axis():
    for data in (Shares((), (), (), (), (), (), (), 0.0, 0, 0.0), Totals(("a",), (0.0,), (), (), 0.0, 0, 0.0)):
        assert data.scene().panels[0].x == (0.0, 1.0)


def test_all_shares_have_one_form():
    shares = (rich_shares(), edge_shares(), Shares((), (), (), (), (), (), (), 0.0, 0, 0.0))
    totals = (rich_totals(), edge_totals(), Totals((LONG,), (0.5,), (0.4,), (0.6,), 0.0, 0, 0.5))
    assert len({data.scene().form for data in shares}) == len({data.scene().form for data in totals}) == 1


def test_names_that_look_like_pairs_or_like_our_own_words_change_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(2000, 4)), columns=["a", "b", "a × b", "unexplained"])
    predictions = np.asarray(X["a"] + X["b"] + 3 * X["a"] * X["b"] + 0.5 * X["a × b"] + 2 * X["unexplained"])
    dec = FunctionalANOVA(2, random_state=0, progress=False).fit(X, predictions).decomposition_
    total = 1 / 3 + 1 / 3 + 1 + 0.25 / 3 + 4 / 3
    data = shares_figure(dec).data
    found = dict(zip(data.terms, data.total, strict=True))
    assert found[(0, 1)] == pytest.approx(1 / total, abs=0.03)
    assert found[(2,)] == pytest.approx(0.25 / 3 / total, abs=0.02)
    labels = [label for label, term in zip(data.labels, data.terms, strict=True) if term in ((2,), (0, 1))]
    assert labels == ["a × b", "a × b"]
    assert item(data, "rows").keys == data.terms
    assert item(data, "others").right[-1] == pytest.approx(0, abs=0.01)  # not the share of a feature of that name
    assert item(totals_figure(dec).data, "rows").keys[0] == (3,)
