"""Figures of differences, held against the decompositions themselves."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.compare import compare_decompositions
from anova_report.figures.columns.differences import beyond_points, contrast_figure, difference_words
from anova_report.figures.columns.drifts import drift_figure, drift_words
from anova_report.figures.columns.pair_differences import LACKING, pair_contrast
from anova_report.figures.columns.sides import Sides
from tests.report.two_fits import decomposed, planted_change, planted_pair

NAMES = ("before", "after")


@pytest.fixture(scope="module")
def sides() -> Sides:
    two = planted_pair()
    return Sides.of((two.before, two.after), two.X, names=NAMES, max_rows=5000)


@pytest.fixture(scope="module")
def found():
    two = planted_pair()
    return compare_decompositions(two.before, two.after, two.X, names=NAMES, max_rows=5000)


def effect(found, label):
    return next(item for item in found.effects if item.label == label)


def test_effects_have_mean_zero_over_the_points_that_are_kept(sides):
    kept = sides.kept(["income"])
    for side in (0, 1):
        column = sides.rows[0].values[kept, sides.positions(0, ["income"])[0]]
        assert sides.effect(side, ["income"], [column]).value.mean() == pytest.approx(0.0, abs=1e-9)


def test_effects_are_those_that_differences_were_measured_from(sides, found):
    measured = effect(found, "income")
    for side, values in ((0, measured.first), (1, measured.second)):
        assert np.allclose(sides.effect(side, ["income"], [measured.values[:, 0]]).value, values)


def test_pairs_are_evaluated_in_any_order_of_their_features(sides, found):
    measured = effect(found, "income × age")
    across, up = measured.values.T
    assert np.allclose(sides.effect(1, ["income", "age"], [across, up]).value, measured.second)
    assert np.allclose(sides.effect(1, ["age", "income"], [up, across]).value, measured.second)


def test_levels_are_found_by_name_where_codes_differ():
    two = planted_pair()
    fewer = two.X[two.X["region"] != "north"]
    other = decomposed(fewer, two.before.predict(fewer))
    sides = Sides.of((two.before, other), fewer, names=NAMES)
    codes = np.array([float(two.before.features[2].levels.index(name)) for name in ("south", "west")])
    gap = np.diff(sides.effect(1, ["region"], [codes]).value)
    rows = fewer.iloc[[0, 0]].assign(region=["south", "west"])
    assert gap == pytest.approx(np.diff(other.component("region", rows)))


def test_a_term_that_is_not_held_is_zero_and_has_no_band(sides):
    without = decomposed(planted_pair().X, planted_pair().before.predict(planted_pair().X), max_order=1)
    lacking = Sides.of((without, sides.rows[1].dec), planted_pair().X, names=NAMES)
    assert lacking.term(0, ["income", "owner"]) is None
    made = lacking.effect(0, ["income", "owner"], [np.array([1.0, 2.0]), np.array([0.0, 1.0])])
    assert made.value.tolist() == [0.0, 0.0]
    assert made.lower is None
    assert made.upper is None


def test_words_tell_chance_from_difference(found):
    assert "beyond the noise floor" in difference_words(effect(found, "income × age"), NAMES)
    calm = replace(effect(found, "income × age"), floor=1e9)
    assert "within what is expected" in difference_words(calm, NAMES)
    assert "Only after has this component" in difference_words(replace(calm, held_by="second"), NAMES)
    assert "not known" in difference_words(replace(calm, floor=None, lower=None, upper=None), NAMES)


def test_points_count_only_where_the_component_differs_as_a_whole(found):
    measured = effect(found, "income × age")
    assert beyond_points(measured).any()
    assert not beyond_points(replace(measured, floor=1e9)).any()


def test_the_table_behind_a_contrast_has_both_the_difference_and_its_band(sides, found):
    table = contrast_figure(sides, effect(found, "income"), key="k").table
    assert table.head == ("income", *NAMES, "difference", "95% from", "95% to", "beyond chance")
    assert 5 <= len(table.rows) <= 11


def test_a_pair_that_one_lacks_says_so(sides, found):
    lone = replace(effect(found, "income × age"), held_by="second")
    first, second, _ = pair_contrast(sides, lone, key="k")
    assert first.alt == LACKING
    assert second.alt != LACKING
    assert [figure.key for figure in (first, second)] == ["k-first", "k-second"]


def test_drifts_are_drawn_largest_first_and_what_moved_is_never_left_out(found):
    figure = drift_figure(found.term_shares, NAMES, title="Shares", key="k", top=2)
    moved = {item.label for item in found.term_shares if item.exceeds}
    assert figure.data.n_rest == len(found.term_shares) - 2
    assert set(figure.data.labels) & moved or not moved
    sizes = [max(map(abs, pair)) for pair in zip(figure.data.first.value, figure.data.second.value, strict=True)]
    assert sizes == sorted(sizes, reverse=True)


def test_an_interval_around_the_second_share_leaves_out_the_first_where_it_moved():
    two = planted_change()
    found = compare_decompositions(two.before, two.after, two.X, names=NAMES)
    data = drift_figure(found.feature_shares, NAMES, title="Shares", key="k").data
    for position, beyond in enumerate(data.beyond):
        inside = data.second.lower[position] <= data.first.value[position] <= data.second.upper[position]
        assert not (beyond and inside)


def test_shares_without_intervals_are_not_judged(found):
    bare = [replace(item, interval=None) for item in found.feature_shares]
    assert "not known" in drift_words(bare, NAMES)
    assert drift_figure(bare, NAMES, title="Shares", key="k").data.second.lower == ()
