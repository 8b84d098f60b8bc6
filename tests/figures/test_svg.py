"""The static interpreter, one primitive at a time."""

import pytest

from anova_report.figures.geometry import Axis, Frame
from anova_report.figures.scene import Area, Box, Dot, Entry, Heat, Legend, Line, Rule, Ruler, ScaleBar, Text, Tip
from anova_report.figures.style import LIGHT, paint
from anova_report.figures.svg.images import color_index, png
from tests.figures.reading import boxes, drawn, number, part, parts, points, scale, scene_of, subpaths, tags, texts
from tests.figures.samples import HOSTILE, LONG


def only(item, **axes):
    """Draw one primitive and return its group."""
    return part(drawn(scene_of(item, **axes)), item.name)


def test_boxes_that_look_alike_are_one_path():
    group = only(Box("bars", (0.0, 5.0, 6.0), (1.0, 6.0, 7.0), 0.0, (0.5, 1.0, 1.0), ("accent", "accent", "fg")))
    first, second = tags(group, "path")
    assert boxes(first) == [(50, 70, 70, 120), (150, 20, 170, 120)]
    assert (first.get("fill"), second.get("fill")) == (paint("accent"), paint("fg"))


def test_a_box_is_at_least_as_wide_as_asked_and_one_without_color_is_not_drawn():
    (path,) = tags(only(Box("bars", (0.0,), (0.0,), 0.0, 1.0, "accent", least=2.0)), "path")
    assert boxes(path) == [(50, 20, 52, 120)]
    assert not parts(drawn(scene_of(Box("rows", 0.0, 1.0, 0.0, 1.0, None, keys=((0,),)))), "rows")


def test_hatched_boxes_have_slanted_lines_over_their_color():
    plain, lines = tags(only(Box("thin", 0.0, 1.0, 0.0, 1.0, "surface", opacity=0.5, hatched=True)), "path")
    assert plain.get("fill-opacity") == "0.5"
    assert lines.get("fill") == "url(#figure-hatch)"


def test_lines_go_through_their_points_and_are_cut_at_the_panel():
    root = drawn(scene_of(Line("lines", ((0.0, 10.0),), ((0.0, 1.0),), "accent", dash="5 3")))
    (line,) = tags(part(root, "lines"), "path")
    assert points(line) == [(50, 120), (250, 20)]
    assert line.get("stroke-dasharray") == "5 3"
    assert part(root, "lines").get("clip-path") == "url(#figure-panel-0)"
    (window,) = tags(tags(root, "clipPath")[0], "rect")
    assert [number(window, side) for side in ("x", "y", "width", "height")] == [50, 20, 200, 100]


def test_a_line_of_one_point_is_a_dot_and_one_of_none_is_nothing():
    (path,) = tags(only(Line("lines", ((5.0,), ()), ((0.5,), ()), "accent", width=2.0)), "path")
    assert path.get("d") == "M150 70l0 0"
    assert path.get("stroke-width") == "6"


def test_an_area_lies_between_its_bounds():
    (path,) = tags(only(Area("band", (0.0, 10.0), (0.0, 0.5), (0.5, 1.0), "band", opacity=0.85)), "path")
    assert points(path) == [(50, 70), (250, 20), (250, 70), (50, 120)]


def test_rimmed_rules_are_set_off_from_what_they_lie_on():
    rim, line = tags(only(Rule("whiskers", (0.0, 5.0), 0.5, (1.0, 6.0), 0.5, "fg", width=1.25, rimmed=True)), "path")
    assert subpaths(line.get("d")) == [[(50, 70), (70, 70)], [(150, 70), (170, 70)]]
    assert (rim.get("d"), rim.get("stroke"), rim.get("stroke-width")) == (line.get("d"), paint("surface"), "3.5")


def test_dots_are_circles_and_other_shapes_outlines():
    group = only(Dot("dots", (0.0, 10.0, 5.0), (0.0, 1.0, 0.5), "fg", shape=("dot", "cross", "tick"), radius=4.0))
    (circle,) = tags(group, "circle")
    assert [number(circle, name) for name in ("cx", "cy", "r")] == [50, 120, 4]
    cross, tick = tags(group, "path")
    assert len(subpaths(cross.get("d"))) == 2
    assert subpaths(tick.get("d")) == [[(150, 66), (150, 74)]]


def test_many_dots_are_one_path_with_markers():
    at = tuple(k / 100 for k in range(300))
    group = only(Dot("points", at, at, "accent", opacity=0.5))
    (path,) = [path for path in tags(group, "path") if path.get("d")]
    assert len(points(path)) == 300
    assert {path.get(f"marker-{where}") for where in ("start", "mid", "end")} == {"url(#figure-points-0)"}


def test_words_stand_where_they_are_moved_to():
    group = only(
        Text("names", (0.0, 10.0), 0.5, ("low", "high"), dx=(-6.0, 6.0), anchor=("end", "start"), color="muted")
    )
    low, high = tags(group, "text")
    assert [(number(text, "x"), number(text, "y")) for text in (low, high)] == [(44, 74), (256, 74)]
    assert (low.get("text-anchor"), high.get("text-anchor")) == ("end", None)
    assert group.get("fill") == paint("muted")


def test_words_that_are_cut_stay_whole_in_a_title_and_hostile_ones_are_text():
    long, hostile = tags(only(Text("names", 0.0, (0.0, 1.0), (LONG, HOSTILE), room=(80.0, 9999.0))), "text")
    assert long.text.endswith("…")
    assert [child.text for child in long] == [LONG.strip()]
    assert hostile.text == HOSTILE


def test_words_can_be_turned_bold_and_rimmed():
    group = only(Text("names", (0.0,), 0.0, ("age",), turned=50.0, bold=True, rimmed=True))
    (text,) = tags(group, "text")
    assert text.get("transform") == "rotate(-50 50.0 120.0)"
    assert text.get("font-weight") == "600"
    assert group.get("paint-order") == "stroke"


def test_cells_are_a_picture_for_each_theme_with_gaps_between_them():
    group = only(Heat("cells", ((1.0, None), (0.0, -1.0)), "diverging", 1.0, gaps=(2, 1)))
    light, dark = tags(group, "image")
    assert (light.get("display"), dark.get("display")) == ("var(--light-only, inline)", "var(--dark-only, none)")
    assert [number(light, side) for side in ("x", "y", "width", "height")] == [50, 20, 200, 100]
    (gaps,) = tags(group, "path")
    assert subpaths(gaps.get("d")) == [[(150, 20), (150, 120)]]


def test_a_picture_with_empty_cells_says_which_color_is_clear():
    assert b"tRNS" in png([[0, 2]], ("#000000", "#ffffff"))
    assert b"tRNS" not in png([[0, 1]], ("#000000", "#ffffff"))


@pytest.mark.parametrize(("value", "color"), [(-2.0, 0), (0.0, 32), (1.0, 64), (None, 65)])
def test_colors_run_from_the_limit_below_to_the_limit_above(value, color):
    assert color_index(value, 1.0, "diverging") == color


def test_tips_are_not_drawn():
    assert not parts(drawn(scene_of(Tip("values", (0.0,), (0.0,), tips=("here",)))), "values")


def test_ticks_stand_where_their_values_are():
    root = drawn(scene_of(Ruler(Axis("across", 0.0, 10.0), "below"), Ruler(Axis("up", 0.0, 1.0), "left", grid=True)))
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    assert (x(0.0), x(10.0), y(0.0), y(1.0)) == (50, 250, 120, 20)
    assert {"across", "up"} <= set(texts(root))
    assert len(subpaths(part(root, "grid").get("d"))) == 3


def test_level_names_that_do_not_fit_side_by_side_are_slanted():
    names = ("clear", "light rain with fog", "heavy rain with thunder", "snow")
    axis = Axis("weather", -0.5, 3.5, levels=names)
    group = part(drawn(scene_of(Ruler(axis, "below", depth=90.0), x=axis)), "x-axis")
    slanted = [text for text in tags(group, "text") if text.get("transform")]
    assert slanted[0].text == "clear"
    assert len(slanted) == 4


def test_shares_have_ticks_in_percent():
    axis = Axis("share", 0.0, 0.5)
    found = texts(part(drawn(scene_of(Ruler(axis, "below", percent=True), x=axis)), "x-axis"))
    assert {"0%", "40%"} <= set(found)


@pytest.mark.parametrize(
    "sample", ["line", "bar", "thin", "ring", "hatch", "dot", "tick", "cross", "diamond", "triangle"]
)
def test_every_sample_of_a_legend_is_drawn_beside_its_words(sample):
    root = drawn(scene_of(Legend((Entry("what it is", sample, "accent"),))))
    assert len(list(part(root, "legend"))) >= 1
    assert texts(part(root, "legend-words")) == ["what it is"]


def test_a_legend_takes_another_row_where_it_is_too_long():
    entries = tuple(Entry(f"a name of some length {k}", "line", "fg") for k in range(3))
    rows = {text.get("y") for text in tags(part(drawn(scene_of(Legend(entries, room=300.0))), "legend-words"), "text")}
    assert len(rows) > 1


@pytest.mark.parametrize("flat", [False, True])
def test_a_scale_of_colors_names_its_ends(flat):
    bar = ScaleBar(Frame(0, 0, 100, 10), "cells", "diverging", ("−1", "1"), flat=flat)
    group = part(drawn(scene_of(bar)), "scale")
    assert texts(group) == ["−1", "1"]
    assert len(tags(group, "image")) == 2


def test_a_picture_says_its_size_its_role_and_its_words():
    root = drawn(scene_of(), key='a"b')
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("300", "160", "0 0 300 160")
    title, desc = list(root)[:2]
    assert (title.text, desc.text, root.get("role")) == ("A title", "What is seen.", "img")
    assert root.get("aria-labelledby") == "a-b-title a-b-desc"


def test_colors_fall_back_to_light():
    assert paint("accent") == f"var(--accent, {LIGHT['accent']})"
