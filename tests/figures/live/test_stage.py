import pytest
from bokeh.models import (
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    DatetimeTicker,
    FixedTicker,
    HoverTool,
    Legend,
    NumeralTickFormatter,
    PanTool,
    ResetTool,
    WheelZoomTool,
)

from anova_report.figures.kinds import Axis
from anova_report.figures.live import build, update
from anova_report.figures.live.frame import Frame, listed, side
from anova_report.figures.live.stage import PICTURE, dress, fill, new_plot
from anova_report.figures.live.words import tip
from anova_report.figures.style import size
from tests.figures.live.reading import BOTH, named, plot_of, sample
from tests.figures.samples import DAY, HOSTILE, LONG, NEW_YEAR, TEX

NUMBERS = Axis("x", 0.0, 10.0)


def dressed(x=NUMBERS, y=NUMBERS, **changes):
    plot = new_plot("curve")
    dress(plot, "A title", Frame(side(x, 300.0), side(y), (440, 280), **changes))
    return plot


@pytest.mark.parametrize("name", BOTH)
def test_a_plot_can_be_moved_zoomed_and_put_back_and_nothing_else(name):
    plot = plot_of(name)
    kinds = {type(tool) for tool in plot.tools}
    assert kinds == {PanTool, BoxZoomTool, WheelZoomTool, ResetTool, HoverTool}
    assert plot.toolbar.logo is None
    # A page must scroll on when the pointer happens to be over a plot.
    assert plot.toolbar.active_scroll is None


@pytest.mark.parametrize("name", BOTH)
def test_a_plot_is_as_high_as_its_static_twin_and_as_wide_as_its_place(name):
    plot = plot_of(name)
    assert (plot.width, plot.height) == size(sample(name).data)
    assert plot.sizing_mode == "stretch_width"
    assert plot.output_backend == "canvas"


@pytest.mark.parametrize("name", BOTH)
def test_every_mark_with_words_has_a_tool_that_says_them(name):
    plot = plot_of(name)
    spoken = {renderer.id for tool in plot.select({"type": HoverTool}) for renderer in tool.renderers}
    assert spoken
    silent = [one for one in plot.renderers if "tip" in one.data_source.data and one.id not in spoken]
    assert {one.data_source.name for one in silent} <= {"lines", "dots", "correlative", "marked"}
    for renderer in plot.renderers:
        if renderer.id in spoken:
            assert renderer.visible


@pytest.mark.parametrize("name", BOTH)
def test_every_column_that_hover_text_names_is_there(name):
    plot = plot_of(name)
    for tool in plot.select({"type": HoverTool}):
        for renderer in tool.renderers:
            for _, words in tool.tooltips:
                fields = [word.split("{")[0].rstrip("<") for word in words.split("@")[1:]]
                names = {"".join(letter for letter in field if letter.isalnum() or letter == "_") for field in fields}
                assert {name.removesuffix("span") for name in names if name} <= set(renderer.data_source.data) | {"tip"}


@pytest.mark.parametrize("name", BOTH)
def test_no_text_of_a_user_is_part_of_a_template(name):
    # BokehJS reads templates as HTML; labels beside them, and values put into them, it shows as text.
    for tool in plot_of(name).select({"type": HoverTool}):
        for _, words in tool.tooltips:
            assert "script" not in words
            assert "img" not in words
            assert "safe" not in words


@pytest.mark.parametrize("name", BOTH)
def test_no_label_would_be_set_as_a_formula(name):
    plot = plot_of(name)
    shown = [named(plot, "y-label").text, named(plot, "x-axis").axis_label, plot.title.text]
    for axis in ("x-axis", "y-axis"):
        shown += named(plot, axis).major_label_overrides.values()
    assert not any(mark in (words or "") for words in shown for mark in ("$$", r"\(", r"\["))


def test_ranges_ticks_and_labels_are_those_of_the_frame():
    plot = dressed(Axis("across", 0.0, 10.0), Axis("up", -1.0, 1.0))
    assert (plot.x_range.start, plot.x_range.end) == (0.0, 10.0)
    assert (plot.y_range.reset_start, plot.y_range.reset_end) == (-1.0, 1.0)
    assert named(plot, "x-axis").bounds == (0.0, 10.0)
    assert named(plot, "x-axis").axis_label == "across"
    assert named(plot, "y-label").text == "up"
    assert named(plot, "grid").cross_bounds == (0.0, 10.0)
    assert plot.title.text == "A title"


def test_levels_are_ticks_with_names():
    axis = named(dressed(Axis("weather", -0.5, 1.5, levels=("clear", "rain"))), "x-axis")
    assert isinstance(axis.ticker, FixedTicker)
    assert axis.ticker.ticks == [0.0, 1.0]
    assert axis.major_label_overrides == {0.0: "clear", 1.0: "rain"}


def test_time_has_ticks_of_its_own():
    assert isinstance(named(dressed(Axis("t", NEW_YEAR, NEW_YEAR + DAY, time=True)), "x-axis").ticker, DatetimeTicker)


def test_large_numbers_have_separators_and_small_ones_need_none():
    assert isinstance(named(dressed(Axis("x", 0.0, 1e6)), "x-axis").formatter, NumeralTickFormatter)
    assert isinstance(named(dressed(Axis("x", 0.0, 1.0)), "x-axis").formatter, BasicTickFormatter)


def test_ticks_stay_the_same_models_as_long_as_they_are_of_the_same_kind():
    plot = dressed()
    ticker, formatter = named(plot, "x-axis").ticker, named(plot, "x-axis").formatter
    dress(plot, "Another", Frame(side(Axis("x", 5.0, 6.0)), side(NUMBERS), (440, 280)))
    assert (named(plot, "x-axis").ticker, named(plot, "x-axis").formatter) == (ticker, formatter)


def test_a_long_label_is_cut_to_the_plot():
    plot = dressed(Axis(LONG, 0.0, 1.0), Axis(LONG, 0.0, 1.0))
    assert named(plot, "x-axis").axis_label.endswith("…")
    assert len(named(plot, "y-label").text) < 80


def test_borders_are_those_of_the_static_twin():
    plot = dressed(borders=(31.4, 24.0, 8.0, 38.0))
    found = (plot.min_border_left, plot.min_border_top, plot.min_border_right, plot.min_border_bottom)
    assert found == (31, 24, 8, 38)


def test_lists_have_a_grid_across_and_other_plots_one_up():
    assert named(new_plot("levels", listed=True), "grid").dimension == 0
    assert named(new_plot("curve"), "grid").dimension == 1


def test_a_headed_plot_has_its_axis_above():
    plot = new_plot("matrix", listed=True, headed=True)
    assert named(plot, "x-axis") in plot.above
    assert plot.below == []


def test_the_grid_of_a_list_is_as_long_as_the_list():
    plot = new_plot("levels", listed=True)
    dress(plot, "", Frame(side(NUMBERS), listed(("a", "b"), 50), (440, 100)))
    assert named(plot, "grid").cross_bounds == (-0.5, 1.5)


def test_the_legend_shows_where_the_frame_asks_for_it():
    assert plot_of("curve-rich").select_one({"type": Legend}).visible
    assert not plot_of("curve-edge").select_one({"type": Legend}).visible


def test_the_veil_over_hidden_names_follows_the_theme():
    assert ["inactive_fill_color", "surface"] in plot_of("curve-rich").select_one({"type": Legend}).tags


def test_hover_text_that_depends_on_the_axes_comes_from_the_frame():
    plot = build(sample("curve-rich"))
    words = tip((HOSTILE, "@x{%F}", {"@x": "datetime"}))
    dress(plot, TEX, Frame(side(NUMBERS), side(NUMBERS), (440, 280), tips={"curve": words}))
    tool = plot.select_one({"name": "curve", "type": HoverTool})
    assert tool.tooltips == [(HOSTILE, "@x{%F}")]
    assert tool.formatters == {"@x": "datetime"}


def test_pictures_become_arrays_and_other_columns_stay_lists():
    source = ColumnDataSource()
    fill(source, {"image": [[[1.0, 2.0], [3.0, 4.0]]], "x": [0.0]})
    assert source.data["image"][0].shape == (2, 2)
    assert source.data["image"][0].dtype == "float32"
    assert source.data["x"] == [0.0]


def test_columns_that_stay_as_they_are_are_not_sent_again():
    source = ColumnDataSource()
    told = []
    source.on_change("data", lambda attr, old, new: told.append(attr))  # noqa: ARG005 bokeh asks for the three
    picture = [[[1.0, 2.0], [3.0, 4.0]]]
    for columns, changes in (
        ({"x": [1.0], PICTURE: picture}, 1),
        ({"x": [1.0], PICTURE: picture}, 1),
        ({"x": [3.0], PICTURE: picture}, 2),
        ({"x": [3.0], PICTURE: [[[1.0, 2.0], [3.0, 5.0]]]}, 3),
        ({"x": [1.0, 2.0]}, 4),
        ({"x": [1.0]}, 5),
    ):
        fill(source, columns)
        assert len(told) == changes


def test_a_zoom_stays_while_what_stands_around_the_data_stays():
    plot = build(sample("curve-rich"))
    plot.x_range.start = 3.0
    update(plot, sample("curve-rich"))
    assert plot.x_range.start == 3.0
    update(plot, sample("curve-edge"))
    assert plot.x_range.start == build(sample("curve-edge")).x_range.start
    update(plot, sample("curve-rich"))
    assert plot.x_range.start == build(sample("curve-rich")).x_range.start
