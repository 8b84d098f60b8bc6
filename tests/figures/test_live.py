"""The live interpreter, one primitive at a time, and one scene after the other on the same plot."""

from dataclasses import replace

import numpy as np
import pytest
from bokeh.models import BoxZoomTool, ColorBar, DatetimeTicker, FixedTicker, HoverTool, Legend, PanTool, Plot

from anova_report.figures.geometry import Axis, Frame, Panel
from anova_report.figures.live import build, update
from anova_report.figures.live.looks import GAP
from anova_report.figures.live.plot import renderers_of
from anova_report.figures.live.surroundings import static_parts
from anova_report.figures.scene import Area, Box, Dot, Entry, Heat, Line, Rule, Ruler, ScaleBar, Text, Tip
from anova_report.figures.scene import Legend as SceneLegend
from anova_report.figures.style import LIGHT
from tests.figures.reading import columns, marks, scene_of
from tests.figures.samples import DAY, HOSTILE, LONG, NEW_YEAR, TEX


def built(*items, **changes) -> Plot:
    return build(scene_of(*items, **changes), "A title")


def axis_of(*items, **changes):
    """Return the horizontal axis of a plot."""
    return built(*items, **changes).below[0]


def test_boxes_are_drawn_from_their_sides_in_named_colors():
    plot = built(Box("bars", (5.0, 1.0), (4.0, 1.0), 0.0, (0.5, 1.0), ("accent", "fg"), least=2.0, tips=("one", "two")))
    found = columns(plot, "bars")
    assert (found["left"], found["right"], found["top"]) == ([4.0, 1.0], [5.0, 1.1], [0.5, 1.0])
    assert (found["color"], found["tip"]) == (["accent", "fg"], ["one", "two"])
    mapper = marks(plot, "bars")[0].glyph.fill_color.transform
    assert dict(zip(mapper.factors, mapper.palette, strict=True)) == dict(LIGHT)


def test_a_box_without_color_is_only_there_to_be_clicked():
    assert not marks(built(Box("rows", 0.0, 1.0, 0.0, 1.0, None, keys=((0,),))), "rows")


def test_lines_keep_their_points_dashes_and_names():
    item = Line("lines", ((0.0, 10.0), (5.0,)), ((0.0, 1.0), (0.5,)), "accent", dash=("", "5 3"), labels=("a", HOSTILE))
    found = columns(built(item), "lines")
    assert (found["xs"], found["ys"]) == ([[0.0, 10.0], [5.0]], [[0.0, 1.0], [0.5]])
    assert (found["dash"], found["label"]) == (["solid", "5 3"], ["a" + GAP, HOSTILE + GAP])


def test_areas_and_rules_lie_where_they_should():
    plot = built(
        Area("band", (0.0, 10.0), (0.0, 0.5), (0.5, 1.0), "band"),
        Rule("whiskers", 0.0, (0.25,), 10.0, (0.75,), "fg", rimmed=True),
    )
    assert columns(plot, "band") == {"x": [0.0, 10.0], "lower": [0.0, 0.5], "upper": [0.5, 1.0]}
    assert columns(plot, "whiskers") == {"x0": [0.0], "y0": [0.25], "x1": [10.0], "y1": [0.75]}
    assert [mark.glyph.line_width for mark in marks(plot, "whiskers")] == [3.25, 1.0]


def test_dots_have_a_radius_and_a_shape_each():
    shapes = ("tick", "cross")
    plot = built(Dot("marks", (1.0, 2.0), 0.5, "fg", shape=shapes, radius=(3.0, 5.0)))
    found = columns(plot, "marks")
    assert (found["size"], found["shape"]) == ([6.0, 10.0], ["dash", "x"])
    assert found["angle"] == pytest.approx([np.pi / 2, 0.0])


def test_words_are_cut_moved_and_never_a_formula():
    plot = built(Text("names", (0.0, 1.0), 0.5, (LONG, TEX), dx=(-6.0, 6.0), anchor=("end", "start"), room=80.0))
    found = columns(plot, "names")
    assert found["text"][0].endswith("…")
    assert "$$" not in found["text"][1]
    assert (found["dx"], found["align"]) == ([-6.0, 6.0], ["right", "left"])


def test_words_around_the_data_are_not_cut_off_at_the_frame_and_words_in_it_are():
    plot = built(Text("around", 0.0, 0.0, ("a",)), Text("within", 0.0, 0.0, ("b",), inside=True))
    assert (marks(plot, "around")[0].level, marks(plot, "within")[0].level) == ("annotation", "glyph")


def test_cells_are_one_picture_whose_empty_ones_are_clear():
    x, y = Axis("age", 0.0, 10.0), Axis("sex", -0.5, 1.5, levels=("f", HOSTILE))
    plot = built(Heat("cells", ((1.0, None), (0.0, -1.0)), "diverging", 2.0, x=x, y=y, label="effect"), x=x, y=y)
    found = columns(plot, "cells")
    np.testing.assert_array_equal(found["image"][0], [[1.0, np.nan], [0.0, -1.0]])
    assert (found["x"], found["dw"], found["y"], found["dh"]) == ([0.0], [10.0], [-0.5], [2.0])
    mapper = marks(plot, "cells")[0].glyph.color_mapper
    assert (mapper.low, mapper.high, mapper.nan_color) == (-2.0, 2.0, "rgba(0, 0, 0, 0)")
    (tool,) = plot.select({"type": HoverTool})
    assert tool.tooltips == [("age", "$x{0,0.00}"), ("sex", "@y_level"), ("effect", "@image{+0,0.000}")]


def test_cells_can_say_words_of_their_own():
    plot = built(Heat("cells", ((1.0,),), "sequential", 2.0, said=(("a × b\ncosine 0.1",),)))
    (tool,) = plot.select({"type": HoverTool})
    assert "@said" in tool.tooltips[0][1]
    assert columns(plot, "cells")["said"] == [[["a × b\ncosine 0.1"]]]


def test_the_nearest_of_places_along_a_line_is_said():
    plot = built(Tip("values", (0.0, 1.0), (0.5, 0.5), tips=("first", "second")))
    (tool,) = plot.select({"type": HoverTool})
    assert (tool.mode, tool.line_policy) == ("vline", "nearest")
    assert columns(plot, "values")["tip"] == ["first", "second"]


def test_no_text_of_a_user_is_part_of_a_template():
    # BokehJS reads templates as HTML; labels beside them, and values put into them, it shows as text.
    x = Axis(HOSTILE, 0.0, 1.0)
    plot = built(
        Heat("cells", ((1.0,),), "diverging", 1.0, x=x, y=x, label=HOSTILE), Dot("d", 0.0, 0.0, "fg", tips=(HOSTILE,))
    )
    for tool in plot.select({"type": HoverTool}):
        assert not any("script" in words or "safe" in words for _, words in tool.tooltips)


def test_every_panel_has_ranges_in_which_its_values_lie_where_the_scene_has_them():
    scene = scene_of(Box("bars", 0.0, 1.0, 0.0, 1.0, "accent", panel=1))
    below = Panel(Frame(50, 120, 250, 145), (0.0, 10.0), (0.0, 1.0))
    plot = build(replace(scene, panels=(*scene.panels, below)), "A title")
    assert (plot.y_range.start, plot.y_range.end) == pytest.approx((-0.25, 1.0))
    assert (plot.extra_y_ranges["y1"].start, plot.extra_y_ranges["y1"].end) == pytest.approx((0.0, 5.0))
    assert marks(plot, "bars")[0].y_range_name == "y1"
    assert (plot.min_border_left, plot.min_border_top, plot.min_border_bottom) == (50, 20, 15)


def test_time_is_counted_in_milliseconds():
    time = Axis("sold", NEW_YEAR, NEW_YEAR + 30 * DAY, time=True)
    plot = built(Dot("d", NEW_YEAR, 0.5, "fg"), Ruler(time, "below"), x=time)
    assert columns(plot, "d")["x"] == [NEW_YEAR * 1000]
    assert isinstance(plot.below[0].ticker, DatetimeTicker)


def test_levels_are_ticks_with_names_and_numbers_get_new_ticks_when_zoomed():
    levels = Axis("weather", -0.5, 1.5, levels=("clear", "rain"))
    named, numbers = axis_of(Ruler(levels, "below"), x=levels), axis_of(Ruler(Axis("x", 0.0, 10.0), "below"))
    assert isinstance(named.ticker, FixedTicker)
    assert named.major_label_overrides == {0.0: "clear", 1.0: "rain"}
    assert not isinstance(numbers.ticker, FixedTicker)
    assert numbers.bounds == (0.0, 10.0)


def test_where_nothing_zooms_ticks_are_those_of_the_static_picture():
    plot = built(Ruler(Axis("share", 0.0, 0.5), "below", percent=True), x=Axis("share", 0.0, 0.5), zooms="")
    assert plot.below[0].major_label_overrides[0.4] == "40%"
    assert not plot.select({"type": PanTool})


def test_tools_zoom_along_the_edges_that_the_scene_names():
    (tool,) = built(zooms="x").select({"type": BoxZoomTool})
    assert tool.dimensions == "width"


def test_labels_and_ticks_are_never_formulas_and_are_cut():
    plot = built(Ruler(Axis(TEX, 0.0, 10.0), "below"), Ruler(Axis(LONG, 0.0, 1.0), "left"))
    assert "$$" not in plot.below[0].axis_label
    assert plot.above[-1].text.endswith("…")


def test_the_next_scene_adds_no_model_where_a_legend_has_other_words_or_fewer():
    first = Line("one", ((0.0, 1.0),), ((0.0, 1.0),), "accent")
    second = replace(first, name="two")
    scenes_ = [
        scene_of(
            first, second, SceneLegend(tuple(Entry(words, "line", "fg", marks=(name,)) for words, name in entries))
        )
        for entries in ([("a", "one"), ("b", "two")], [("c", "two")], [("d", "one"), ("e", "two")])
    ]
    plot = build(scenes_[0], "A title")
    models = plot.references()
    for scene, words in zip(scenes_, (["a", "b"], ["c"], ["d", "e"]), strict=True):
        assert update(plot, scene, "A title")
        items = plot.select_one({"type": Legend}).items
        assert [item.label.value.strip() for item in items if item.visible] == words
        assert plot.references() == models


def test_a_legend_has_an_entry_for_each_mark_or_label():
    lines = Line("others", ((0.0,), (1.0,)), ((0.0,), (1.0,)), "fg", labels=("one", "two"))
    entries = (
        Entry("own", "bar", "accent", marks=("bars",)),
        *(Entry(n, "line", "fg", marks=("others",)) for n in "ab"),
    )
    plot = built(Box("bars", 0.0, 1.0, 0.0, 1.0, "accent"), lines, SceneLegend(entries, switches=True))
    legend = plot.select_one({"type": Legend})
    assert legend.click_policy == "hide"
    assert [item.label.field if hasattr(item.label, "field") else item.label.value for item in legend.items] == [
        "own" + GAP,
        "label",
    ]
    assert ["inactive_fill_color", "surface"] in legend.tags
    assert not built(SceneLegend(())).select_one({"type": Legend}).visible


def test_an_upright_scale_of_colors_is_bokehs_own_and_a_flat_one_is_drawn():
    heat = Heat("cells", ((1.0,),), "diverging", 2.0)
    upright = built(heat, ScaleBar(Frame(260, 20, 270, 120), "cells", "diverging", ("2", "−2")))
    flat = built(heat, ScaleBar(Frame(50, 130, 150, 140), "cells", "diverging", ("−2", "2"), flat=True))
    assert upright.select_one({"type": ColorBar}).color_mapper is marks(upright, "cells")[0].glyph.color_mapper
    assert upright.select_one({"type": ColorBar}).ticker.ticks == [-2.0, 2.0]
    assert upright.select_one({"type": ColorBar}).major_label_overrides == {2.0: "2", -2.0: "−2"}
    assert flat.select_one({"type": ColorBar}) is None
    assert len(columns(flat, "bar-1")["image"][0][0]) == 65


def test_a_second_upright_axis_is_drawn_from_words_and_lines():
    scene = scene_of(Ruler(Axis("difference", 0.0, 1.0), "left", panel=1))
    scene = static_parts(replace(scene, panels=scene.panels * 2))
    words = next(item for item in scene.items if isinstance(item, Text))
    assert {"0", "1.0"} <= set(words.words)


def test_another_scene_of_the_same_form_exchanges_columns_and_keeps_models():
    def scene(top):
        return scene_of(Box("bars", 0.0, 1.0, 0.0, top, "accent"), Ruler(Axis("x", 0.0, 10.0), "below"))

    plot = build(scene((0.5,)), "one")
    before = {model.id for model in plot.references()}
    plot.x_range.start = 3.0  # somebody zooms
    assert update(plot, scene((0.7,)), "two")
    assert columns(plot, "bars")["top"] == [0.7]
    assert (plot.title.text, plot.x_range.start) == ("two", 3.0)
    assert {model.id for model in plot.references()} == before


def test_columns_that_stay_as_they_are_are_not_sent_again():
    scene = scene_of(Heat("cells", ((1.0, None),), "diverging", 1.0), Dot("dots", 1.0, 1.0, "fg"))
    plot, changes = build(scene, "one"), []
    for found in renderers_of(plot).values():
        found[0].data_source.on_change("data", lambda attr, old, new: changes.append(attr))  # noqa: ARG005 bokeh asks for the three
    update(plot, replace(scene), "one")
    assert changes == []
    update(plot, scene_of(Heat("cells", ((1.0, 2.0),), "diverging", 1.0), Dot("dots", 1.0, 1.0, "fg")), "one")
    assert changes == ["data"]


def test_a_scene_of_another_form_leaves_the_plot_as_it_is():
    plot = built(Dot("dots", 1.0, 1.0, "fg"))
    before = plot.title.text, columns(plot, "dots")
    assert not update(plot, scene_of(Dot("dots", 2.0, 2.0, "accent")), "two")
    assert (plot.title.text, columns(plot, "dots")) == before


def test_every_color_that_is_not_bokehs_own_can_be_repainted():
    # A color without a tag would stay light on a dark page.
    plot = built(
        Box("bars", 0.0, 1.0, 0.0, 1.0, "accent", edge="muted", hatched=True),
        Text("words", 0.0, 0.0, ("a",), rimmed=True),
        Ruler(Axis("x", 0.0, 1.0), "below", grid=True),
        Heat("cells", ((1.0,),), "sequential", 1.0),
    )
    for model in plot.references():
        tagged = {tag[0] for tag in model.tags}
        values = model.properties_with_values(include_defaults=False)
        named = {name for name, value in values.items() if name.endswith("color") and value in list(LIGHT.values())}
        assert named <= tagged
        assert "palette" not in values or "palette" in tagged
