"""Shares in two decompositions: what has moved is never left out, and terms are distinguished by what they are."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from anova_report.compare import compare_decompositions
from anova_report.figures.contrasts import BEYOND, Trace
from anova_report.figures.drifts import Drift, drift_figure
from anova_report.figures.scene import Ruler
from anova_report.figures.style import FIRST, SECOND
from anova_report.measures.intervals import Interval
from tests.figures.samples import edge_drift, rich_drift
from tests.figures.scene_items import assert_one_form, legend, mark, written
from tests.report.two_fits import planted_change

NAMES = ("before", "after")


@pytest.fixture(scope="module")
def found():
    two = planted_change()
    return compare_decompositions(two.before, two.after, two.X, names=NAMES)


def test_drifts_are_drawn_largest_first_and_what_moved_is_never_left_out(found):
    figure = drift_figure(found.term_shares, NAMES, title="Shares", key="k", top=2)
    moved = {item.label for item in found.term_shares if item.exceeds}
    assert figure.data.n_rest == len(found.term_shares) - 2
    assert set(figure.data.labels) & moved or not moved
    sizes = [max(map(abs, pair)) for pair in zip(figure.data.first.value, figure.data.second.value, strict=True)]
    assert sizes == sorted(sizes, reverse=True)


def test_an_interval_around_the_second_share_leaves_out_the_first_where_it_moved(found):
    data = drift_figure(found.feature_shares, NAMES, title="Shares", key="k").data
    for position, beyond in enumerate(data.beyond):
        inside = data.second.lower[position] <= data.first.value[position] <= data.second.upper[position]
        assert not (beyond and inside)


def test_shares_without_intervals_are_not_judged(found):
    bare = [replace(item, interval=None) for item in found.feature_shares]
    figure = drift_figure(bare, NAMES, title="Shares", key="k")
    assert "not known" in figure.alt
    assert figure.data.second.lower == ()


def test_a_main_effect_that_is_called_like_a_pair_keeps_its_own_share_and_its_own_click():
    terms = ((0,), (1,), (2,), (0, 1))
    shares = (("a", 0.2), ("b", 0.3), ("a × b", 0.1), ("a × b", 0.4))
    settled = {"interval": Interval(-0.01, 0.01), "exceeds": False, "difference": 0.0}
    given = [
        SimpleNamespace(label=label, features=(label,), first=share, second=share, **settled) for label, share in shares
    ]
    data = drift_figure(given, NAMES, title="Shares", key="k", terms=terms).data
    assert dict(zip(data.terms, data.first.value, strict=True)) == {(0,): 0.2, (1,): 0.3, (2,): 0.1, (0, 1): 0.4}
    rows = mark(data.scene(), "rows")
    assert rows.keys == ((0, 1), (1,), (0,), (2,))
    assert rows.tips[3].startswith("a × b\nbefore 10.0%\nafter 10.0%")


def drift(**changes) -> Drift:
    data = Drift(
        labels=("age", "region"),
        first=Trace("before", (0.5, 0.1)),
        second=Trace("after", (0.3, 0.11), (0.2, 0.05), (0.4, 0.17)),
        beyond=(True, False),
    )
    return replace(data, **changes)


def test_each_share_has_a_dot_for_both_on_one_line_with_the_interval_of_the_difference():
    scene = drift().scene()
    first, second, link, interval = (mark(scene, name) for name in ("first", "second", "links", "intervals"))
    assert (first.x, second.x) == ((0.5, 0.1), (0.3, 0.11))
    assert first.y == second.y == link.y0 == link.y1 == interval.y0 == (0, 1)
    assert (first.color, second.color) == (FIRST, SECOND)
    assert (link.x0, link.x1) == (first.x, second.x)
    assert (interval.x0, interval.x1) == ((0.2, 0.05), (0.4, 0.17))
    assert scene.panels[0].down(0) < scene.panels[0].down(1)
    (axis,) = (item for item in scene.items if isinstance(item, Ruler))
    assert axis.percent
    assert axis.axis.low == 0
    assert axis.axis.high > 0.5


def test_what_has_moved_is_marked_in_bold_and_said():
    scene = drift().scene()
    assert mark(scene, "names").bold == mark(scene, "numbers").bold == (True, False)
    assert mark(scene, "numbers").words == ("50.0% → 30.0%", "10.0% → 11.0%")
    assert len(mark(scene, "beyond").top) == 1
    assert mark(scene, "rows").tips[0] == (
        "age\nbefore 50.0%\nafter 30.0%\ndifference −20.0%, 95% interval −30.0% to −10.0%\n" + BEYOND
    )


def test_without_intervals_none_are_drawn_and_the_legend_is_silent():
    scene = drift(second=Trace("after", (0.3, 0.11)), beyond=(False, False)).scene()
    assert mark(scene, "intervals").x0 == mark(scene, "interval-ends").x0 == ()
    assert [entry.words for entry in legend(scene).entries] == list(NAMES)
    assert "interval" not in mark(scene, "rows").tips[0]


def test_a_legend_of_two_lines_does_not_lie_over_the_first_row():
    long = drift(first=Trace("a decomposition with a name of some length", (0.5, 0.1))).scene()
    assert long.frame.top > drift().scene().frame.top + 16


def test_shares_that_are_not_drawn_are_counted():
    assert "4 smaller not drawn" in written(drift(n_rest=4).scene())


def test_one_live_plot_shows_all_figures_of_a_kind():
    assert_one_form(rich_drift(), edge_drift(), drift())
