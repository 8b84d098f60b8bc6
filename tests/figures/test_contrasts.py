"""Main effects and pairs of two decompositions: against the decompositions themselves, and each value at its place."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.compare import compare_decompositions
from anova_report.compare.versions.comparison_claims import difference_claims
from anova_report.compare.versions.differences import EffectDifference
from anova_report.figures import svg
from anova_report.figures.contrast_filling import Sides, beyond_points, contrast_figure
from anova_report.figures.contrasts import BEYOND, Contrast, LevelContrast, Trace
from anova_report.figures.curves import Atom
from anova_report.figures.geometry import Axis
from anova_report.figures.pair_contrasts import pair_contrast
from anova_report.figures.scene import Ruler
from anova_report.figures.style import FIRST, SECOND
from anova_report.measures.sentences.comparison import difference_words
from anova_report.measures.sentences.names import Names
from tests.figures.samples import (
    HOSTILE,
    LONG,
    edge_contrast,
    edge_level_contrast,
    rich_contrast,
    rich_level_contrast,
)
from tests.figures.scene_items import assert_one_form, legend, mark, written
from tests.report.two_fits import decomposed, planted_pair

NAMES = ("before", "after")


@pytest.fixture(scope="module")
def sides() -> Sides:
    two = planted_pair()
    return Sides.of((two.before, two.after), two.X, names=NAMES, max_rows=5000)


@pytest.fixture(scope="module")
def found():
    two = planted_pair()
    return compare_decompositions(two.before, two.after, two.X, names=NAMES, max_rows=5000)


def effect(found, *features):
    return next(item for item in found.effects if item.features == features)


def test_effects_are_those_that_differences_were_measured_from_and_have_mean_zero(sides, found):
    measured = effect(found, "income")
    kept = sides.kept(["income"])
    column = sides.rows[0].values[kept, sides.positions(0, ["income"])[0]]
    for side, values in ((0, measured.first), (1, measured.second)):
        assert np.allclose(sides.effect(side, ["income"], [measured.values[:, 0]]).value, values)
        assert sides.effect(side, ["income"], [column]).value.mean() == pytest.approx(0.0, abs=1e-9)


def test_pairs_are_evaluated_in_any_order_of_their_features(sides, found):
    measured = effect(found, "income", "age")
    across, up = measured.values.T
    assert np.allclose(sides.effect(1, ["income", "age"], [across, up]).value, measured.second)
    assert np.allclose(sides.effect(1, ["age", "income"], [up, across]).value, measured.second)


def test_levels_are_found_by_name_where_codes_differ():
    two = planted_pair()
    fewer = two.X[two.X["region"] != "north"]
    other = decomposed(fewer, two.before.predict(fewer))
    sides = Sides.of((two.before, other), fewer, names=NAMES)
    codes = np.array([float(two.before.features[2].levels.index(name)) for name in ("south", "west")])
    difference = np.diff(sides.effect(1, ["region"], [codes]).value)
    rows = fewer.iloc[[0, 0]].assign(region=["south", "west"])
    assert difference == pytest.approx(np.diff(other.component("region", rows)))


def test_a_term_that_is_not_held_is_zero_and_has_no_band(sides):
    without = decomposed(planted_pair().X, planted_pair().before.predict(planted_pair().X), max_order=1)
    lacking = Sides.of((without, sides.rows[1].dec), planted_pair().X, names=NAMES)
    assert lacking.term(0, ["income", "owner"]) is None
    made = lacking.effect(0, ["income", "owner"], [np.array([1.0, 2.0]), np.array([0.0, 1.0])])
    assert made.value.tolist() == [0.0, 0.0]
    assert made.lower is made.upper is None


def test_words_tell_chance_from_difference(found):
    def said(item: EffectDifference) -> str:
        return difference_words(difference_claims(item, (0, 1), NAMES), Names(("income", "age"), sides=NAMES))

    calm = replace(effect(found, "income", "age"), floor=1e9)
    assert "beyond the noise floor" in said(effect(found, "income", "age"))
    assert "within what is expected" in said(calm)
    assert "Only after has this component" in said(replace(calm, held_by="second"))
    assert "not known" in said(replace(calm, floor=None, lower=None, upper=None))


def test_points_count_only_where_the_component_differs_as_a_whole(found):
    measured = effect(found, "income", "age")
    assert beyond_points(measured).any()
    assert not beyond_points(replace(measured, floor=1e9)).any()


def test_a_contrast_holds_both_effects_their_difference_and_its_table(sides, found):
    figure = contrast_figure(sides, effect(found, "income"), key="k")
    data = figure.data
    for side, trace in ((0, data.first), (1, data.second)):
        assert trace.name == NAMES[side]
        assert np.allclose(sides.effect(side, ["income"], [np.array(data.at)]).value, trace.value, atol=1e-2)
    assert np.allclose(np.array(data.second.value) - data.first.value, data.difference.value, atol=1e-3)
    assert figure.table.head == ("income", *NAMES, "difference", "95% from", "95% to", "beyond chance")
    assert 5 <= len(figure.table.rows) <= 11


def test_a_contrast_of_levels_has_every_level_in_the_order_of_the_first(sides, found):
    data = contrast_figure(sides, effect(found, "region"), key="k").data
    assert list(data.first.value) == sorted(data.first.value, reverse=True)
    assert sum(data.share) == pytest.approx(1)
    codes = np.array([float(sides.rows[0].dec.features[2].levels.index(name)) for name in data.x.levels])
    assert np.allclose(sides.effect(1, ["region"], [codes]).value, data.second.value, atol=1e-3)


def test_a_pair_that_one_lacks_says_so(sides, found):
    lone = replace(effect(found, "income", "age"), held_by="second")
    first, second, _ = pair_contrast(sides, lone, key="k")
    assert first.alt == "This pair is not held here, so it is zero." != second.alt
    assert [figure.key for figure in (first, second)] == ["k-first", "k-second"]


def contrast(**changes) -> Contrast:
    data = Contrast(
        x=Axis("age", 0.0, 10.0),
        y=Axis("effect on the prediction", -1.0, 1.0),
        at=(0.0, 5.0, 10.0),
        first=Trace("before", (-0.5, 0.0, 0.5), (-0.6, -0.1, 0.4), (-0.4, 0.1, 0.6)),
        second=Trace("after", (-0.5, 0.0, 0.9), (-0.6, -0.1, 0.8), (-0.4, 0.1, 1.0)),
        gap=Axis("after minus before", -0.5, 0.5),
        difference=Trace("difference", (0.0, 0.0, 0.4), (-0.1, -0.1, 0.2), (0.1, 0.1, 0.5)),
        beyond=((7.0, 10.0),),
        density_edges=(0.0, 5.0, 10.0),
        density_share=(0.25, 0.75),
    )
    return replace(data, **changes)


@pytest.mark.parametrize(
    ("name", "field", "panel"), [("first", "first", 0), ("second", "second", 0), ("difference", "difference", 1)]
)
def test_both_curves_and_their_difference_lie_on_axes_of_their_own(name, field, panel):
    data = contrast()
    line, band, trace = mark(data.scene(), name), mark(data.scene(), f"{name}-band"), getattr(data, field)
    assert (line.x, line.y) == ((data.at,), (trace.value,))
    assert (band.x, band.lower, band.upper) == (data.at, trace.lower, trace.upper)
    assert line.panel == band.panel == panel
    bare = replace(data, **{field: Trace("bare", trace.value)})
    assert mark(bare.scene(), f"{name}-band").x == ()


def test_the_panels_stand_over_each_other_along_the_same_feature():
    scene = contrast().scene()
    curves, lower, strip = (panel.frame for panel in scene.panels[:3])
    assert curves.bottom < lower.top < lower.bottom < strip.top < strip.bottom < scene.size[1]
    assert len({(panel.frame.left, panel.frame.right, panel.x) for panel in scene.panels[:3]}) == 1
    labels = [item.axis.label for item in scene.items if isinstance(item, Ruler)]
    assert labels == ["effect on the prediction", "after minus before", "age"]
    assert scene.zooms == "x"


def test_marks_stand_where_the_difference_is_beyond_chance_and_nowhere_else():
    scene = contrast(beyond=((-3.0, 2.0), (7.0, 10.0))).scene()
    for name in ("beyond-curves", "beyond-difference", "beyond"):
        assert (mark(scene, name).left, mark(scene, name).right) == ((0.0, 7.0), (2.0, 10.0))
    assert mark(contrast(beyond=()).scene(), "beyond").left == ()
    assert BEYOND in [entry.words for entry in legend(scene).entries]
    assert BEYOND not in [entry.words for entry in legend(contrast(beyond=()).scene()).entries]


def test_hovering_says_both_values_with_their_bands_and_whether_they_differ():
    tips = mark(contrast().scene(), "values").tips
    assert tips[0].rstrip("\n") == (
        "age 0.00\nbefore −0.5, band −0.6 to −0.4\nafter −0.5, band −0.6 to −0.4\ndifference 0, band −0.1 to +0.1"
    )
    assert [tip.endswith(BEYOND) for tip in tips] == [False, False, True]


def test_missing_values_stand_side_by_side_right_of_the_curves():
    scene = contrast(missing=(Atom(0.2, 0.1, 0.3, 0.05), Atom(-0.2, -0.3, -0.1, 0.05))).scene()
    dots, panel = mark(scene, "missing"), scene.panels[3]
    assert dots.y == (0.2, -0.2)
    assert dots.x[0] < dots.x[1]
    assert panel.frame.left >= scene.panels[0].frame.right
    assert panel.y == scene.panels[0].y
    assert dots.tips[1] == "missing, 5.0% of rows\nafter −0.2\nband −0.3 to −0.1"
    assert {"missing", "5.0%"} <= set(written(scene))


def test_rows_are_a_histogram_below_the_curves():
    density = mark(contrast().scene(), "density")
    assert density.top[1] == pytest.approx(3 * density.top[0])
    assert density.tips == ("age 0.00 to 5.00\n25.0% of rows", "age 5.00 to 10.00\n75.0% of rows")


def levels(**changes) -> LevelContrast:
    data = LevelContrast(
        x=Axis("region", -0.5, 1.5, levels=("north", "south")),
        y=Axis("effect on the prediction", -1.0, 1.0),
        share=(0.6, 0.4),
        first=Trace("before", (0.2, -0.3), (0.1, -0.4), (0.3, -0.2)),
        second=Trace("after", (0.2, 0.5), (0.1, 0.4), (0.3, 0.6)),
        beyond=(False, True),
    )
    return replace(data, **changes)


def test_levels_have_two_bars_each_the_first_above_the_second_with_whiskers():
    scene = levels().scene()
    first, second = mark(scene, "first"), mark(scene, "second")
    assert (first.left, first.right) == ((0.0, -0.3), (0.2, 0.0))
    assert (second.left, second.right) == ((0.0, 0.0), (0.2, 0.5))
    panel = scene.panels[0]
    for row in (0, 1):
        assert panel.down(first.bottom[row]) < panel.down(second.top[row])
        assert row - 0.5 < first.top[row] < second.bottom[row] < row + 0.5
    assert (first.color, second.color) == (FIRST, SECOND)
    assert mark(scene, "second-whiskers").x0 == (0.1, 0.4)
    assert mark(levels(second=Trace("after", (0.2, 0.5))).scene(), "second-whiskers").x0 == ()


def test_a_level_at_which_they_differ_is_marked_in_bold_and_said():
    scene = levels().scene()
    assert mark(scene, "names").bold == (False, True)
    assert mark(scene, "beyond").top == pytest.approx((0.6,))
    assert mark(scene, "first").tips[1] == (
        "south, 40.0% of rows\nbefore −0.3, band −0.4 to −0.2\nafter +0.5, band +0.4 to +0.6\ndifference +0.8\n"
        + BEYOND
    )


@pytest.mark.parametrize(("n", "words"), [(1, ["1 rarer level not drawn"]), (3, ["3 rarer levels not drawn"]), (0, [])])
def test_levels_that_are_not_drawn_are_counted(n, words):
    assert list(mark(levels(left_out=n).scene(), "left-out").words) == words


@pytest.mark.parametrize("data", [edge_contrast(), edge_level_contrast()])
def test_names_that_cannot_be_trusted_stay_text(data):
    drawn = svg.draw(data.scene(), key="k", title=HOSTILE, alt=LONG)
    assert "<script" not in drawn
    assert "<img" not in drawn


def test_one_live_plot_shows_all_figures_of_a_kind():
    assert_one_form(rich_contrast(), edge_contrast(), contrast())
    assert_one_form(rich_level_contrast(), edge_level_contrast(), levels())
