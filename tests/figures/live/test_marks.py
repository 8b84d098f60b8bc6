import pytest
from bokeh.models import ColumnDataSource, MultiLine, Plot, Quad, Text

from anova_report.figures.kinds import Axis, Line
from anova_report.figures.live import marks
from anova_report.figures.style import FONT, LIGHT, OVERLAYS
from tests.figures.samples import LONG

X, Y = Axis("x", 0.0, 10.0), Axis("y", -1.0, 1.0)


def test_boxes_have_no_outline_unless_asked_for():
    glyph = marks.boxes(Plot(), ColumnDataSource(), fill_color="accent").glyph
    assert isinstance(glyph, Quad)
    assert glyph.line_color is None
    assert marks.boxes(Plot(), ColumnDataSource(), fill_color="accent", line_color="fg").glyph.line_color == LIGHT["fg"]


def test_marks_under_the_grid_are_drawn_before_it():
    assert marks.boxes(Plot(), ColumnDataSource(), fill_color="shade", level=marks.UNDER_GRID).level == "image"


def test_text_is_written_in_the_font_of_the_page():
    glyph = marks.texts(Plot(), ColumnDataSource()).glyph
    assert isinstance(glyph, Text)
    assert glyph.text_font == {"value": FONT} or getattr(glyph.text_font, "value", None) == FONT


def test_what_is_not_explained_is_hatched_by_a_column():
    glyph = marks.signed_boxes(Plot(), ColumnDataSource()).glyph
    assert glyph.hatch_pattern == "hatch"
    assert glyph.fill_color.transform.factors == ["positive", "negative", "rest"]


def test_rules_keep_their_order_and_looks():
    found = marks.rules(X, Y, (0.0, 0.5, 10.0, 0.5, "fg", "dashed"), (5.0, -1.0, 5.0, 1.0, "axis", "solid"))
    assert found["x0"] == [0.0, 5.0]
    assert found["y1"] == [0.5, 1.0]
    assert found["colour"] == ["fg", "axis"]
    assert found["dash"] == ["dashed", "solid"]
    assert marks.rules(X, Y)["x0"] == []


@pytest.mark.parametrize(("low", "high", "shown"), [(-1.0, 1.0, 1), (0.0, 1.0, 1), (0.1, 1.0, 0), (-2.0, -1.0, 0)])
def test_zero_is_a_line_only_where_the_axis_shows_it(low, high, shown):
    assert len(marks.zero_across(X, Axis("y", low, high))) == shown


def test_more_lines_than_colours_begin_again_with_the_first():
    drawn = [Line(f"line {k}", (0.0, 1.0), (0.0, 1.0)) for k in range(6)]
    found = marks.overlays(X, Y, drawn)
    assert {name: table["name"] for name, table in found.items()} == {
        "overlay-1": ["line 0", "line 4"],
        "overlay-2": ["line 1", "line 5"],
        "overlay-3": ["line 2"],
        "overlay-4": ["line 3"],
    }


def test_no_two_other_explanations_share_colour_and_dashes():
    drawn = [Line(f"line {k}", (0.0, 1.0), (0.0, 1.0)) for k in range(10)]
    looks = [(name, dash) for name, table in marks.overlays(X, Y, drawn).items() for dash in table["dash"]]
    assert len(set(looks)) == len(drawn)


def test_names_of_lines_are_short():
    assert len(marks.lines(X, Y, [Line(LONG, (0.0,), (0.0,))], OVERLAYS)["name"][0]) <= 120


def test_lines_take_their_colours_from_their_rows():
    glyph = marks.draw_lines(Plot(), ColumnDataSource(), OVERLAYS, line_width=2).glyph
    assert isinstance(glyph, MultiLine)
    assert glyph.line_color.field == "colour"
    assert glyph.line_width == 2
