from dataclasses import replace

import pytest

from anova_report.figures.kinds import Axis
from anova_report.figures.live.curves import columns, frame
from anova_report.figures.style import OVERLAYS
from tests.figures.live.reading import built, column, glyphs, named, said
from tests.figures.samples import HOSTILE, edge_curve, rich_curve


def test_the_line_and_its_band_are_those_of_the_data():
    data, found = rich_curve(), columns(rich_curve())["curve"]
    assert found["x"] == pytest.approx(data.at, abs=1e-3)
    assert found["y"] == pytest.approx(data.value, abs=1e-3)
    assert found["lower"] == pytest.approx(data.lower, abs=1e-3)
    assert found["upper"] == pytest.approx(data.upper, abs=1e-3)


def test_without_bounds_the_band_has_no_height_and_is_not_spoken_of():
    found = columns(edge_curve())["curve"]
    assert found["lower"] == found["upper"] == found["y"]
    assert "band" not in said(built(edge_curve()), "curve")
    assert "band" in said(built(rich_curve()), "curve")


def test_rows_are_drawn_below_the_axis_of_effects_in_proportion():
    data = rich_curve()
    found, y = columns(data)["density"]["top"], frame(data).y
    # Bars stand at the bottom of the plot and stay below the lower end of the axis.
    strip = (y.low - y.start) / (y.end - y.start)
    assert strip == pytest.approx(1 / frame(data).strip)
    assert max(found) / frame(data).strip < strip
    shares = [share / max(data.density_share) for share in data.density_share]
    assert [height / max(found) for height in found] == pytest.approx(shares, abs=0.01)


def test_the_axis_of_effects_is_drawn_over_its_own_range_only():
    y = frame(rich_curve()).y
    assert (y.low, y.high) == (rich_curve().y.low, rich_curve().y.high)
    assert y.start < y.low
    assert y.end == y.high


def test_without_rows_there_is_no_strip():
    bare = replace(rich_curve(), density_edges=(), density_share=())
    assert frame(bare).y.start == bare.y.low


def test_a_missing_value_stands_right_of_the_axis_with_its_bounds():
    data = rich_curve()
    found = columns(data)
    x = frame(data).x
    at = found["dots"]["x"][0]
    assert x.high < at < x.end
    assert found["dots"]["y"][0] == pytest.approx(data.missing.value)
    assert "missing" in found["dots"]["tip"][0]
    assert "3.1% of rows" in found["dots"]["tip"][0]
    whisker = [
        pair
        for x0, *pair in zip(found["rules"]["x0"], found["rules"]["y0"], found["rules"]["y1"], strict=True)
        if x0 == at
    ]
    assert whisker == [[pytest.approx(data.missing.lower), pytest.approx(data.missing.upper)]]


def test_without_missing_values_nothing_is_kept_free_for_them():
    bare = replace(rich_curve(), missing=None)
    assert frame(bare).x.end == bare.x.high
    assert all(at <= bare.x.high for at in columns(bare)["dots"]["x"])


def test_shading_covers_what_few_rows_support():
    data = rich_curve()
    found = columns(data)["few"]
    assert found["left"] == pytest.approx([data.x.low, data.supported[1]])
    assert found["right"] == pytest.approx([data.supported[0], data.x.high])


def test_a_range_that_rows_support_is_not_shaded():
    assert columns(edge_curve())["few"]["left"] == []


def test_a_marked_row_lies_on_the_curve():
    flat = replace(rich_curve(), at=(0.5, 15.0), value=(0.0, 1.0), lower=(), upper=(), missing=None, marked=7.75)
    found = columns(flat)["dots"]
    assert found["x"] == pytest.approx([7.75])
    assert found["y"] == pytest.approx([0.5])
    assert found["tip"] == ["this row: 7.75\neffect +0.5"]


def test_a_marked_row_beyond_the_axis_stands_at_its_end():
    found = columns(replace(rich_curve(), missing=None, marked=99.0))["dots"]
    assert found["x"] == [15.0]


def test_the_effect_of_a_features_only_value_is_a_dot():
    single = replace(edge_curve(), x=Axis("constant", 2.0, 4.0), at=(3.0,), value=(0.0,), supported=(2.0, 4.0))
    assert columns(single)["dots"]["x"] == [3.0]


def test_other_explanations_are_named_lines_with_colours_of_their_own():
    found = [columns(rich_curve())[name] for name in OVERLAYS]
    assert [table["name"] for table in found] == [["partial dependence"], ["SHAP, averaged"], [], []]
    assert [[len(line) for line in table["xs"]] for table in found] == [[80], [20], [], []]


def test_a_click_on_the_legend_hides_one_explanation_and_no_other():
    words = named(built(rich_curve()), "legend")
    assert words.click_policy == "hide"
    switched = [[mark.data_source.name for mark in item.renderers] for item in words.items]
    assert switched == [["curve", "among"], *([name] for name in OVERLAYS)]


def test_the_rug_leaves_out_rows_beyond_the_axis():
    data = replace(rich_curve(), rug=(-5.0, 1.0, 99.0))
    assert columns(data)["rug"]["x"] == [1.0]


def test_dates_are_read_as_dates():
    words = said(built(edge_curve()), "curve")
    assert "@x{%F}" in words.values()
    assert column(built(edge_curve()), "curve", "x")[0] == 1000 * edge_curve().at[0]


def test_the_name_of_the_feature_is_a_label_and_no_template():
    named = replace(rich_curve(), x=Axis(HOSTILE, 0.5, 15.0))
    assert HOSTILE in said(built(named), "curve")


def test_the_curve_is_drawn_over_everything_but_dots_and_words():
    plot = built(rich_curve())
    order = [renderer.data_source.name for renderer in plot.renderers]
    assert order.index("few") < order.index("curve") < order.index("overlay-1") < order.index("among") < len(order) - 2
    assert len(glyphs(plot, "curve")) == 2
