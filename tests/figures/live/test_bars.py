from dataclasses import replace

import pytest

from anova_report.figures.kinds import Line
from anova_report.figures.live.bars import FAINT, columns, frame
from anova_report.figures.style import OVERLAYS
from tests.figures.samples import edge_levels, rich_levels


def test_bars_reach_from_zero_to_their_effects():
    found = columns(rich_levels())["bars"]
    spans = list(zip(found["left"], found["right"], strict=True))
    assert spans == [pytest.approx((min(0, v), max(0, v)), abs=1e-3) for v in rich_levels().value]


def test_the_first_level_is_at_the_top():
    y = frame(rich_levels()).y
    assert y.start > y.end
    assert y.names[0] == (0.0, "clear")
    found = columns(rich_levels())["bars"]
    assert all(bottom > top for bottom, top in zip(found["bottom"], found["top"], strict=True))


def test_a_marked_level_stands_out():
    found = columns(rich_levels())["bars"]["strength"]
    assert found == [FAINT, FAINT, 1.0, FAINT, FAINT]
    assert set(columns(edge_levels())["bars"]["strength"]) == {1.0}


def test_a_pooled_level_says_so():
    assert frame(rich_levels()).y.names[3][1] == "heavy rain (pooled)"
    assert "(pooled)" in columns(rich_levels())["bars"]["tip"][3]


def test_hover_text_has_effect_band_and_share():
    said = columns(rich_levels())["bars"]["tip"][0].split("\n")
    assert said == ["clear", "effect +0.21", "band +0.13 to +0.29", "63.0% of rows"]
    assert len(columns(edge_levels())["bars"]["tip"][0].split("\n")) == 3


def test_whiskers_are_the_bounds():
    data = rich_levels()
    found = columns(data)["rules"]
    assert found["x0"][1:] == pytest.approx(data.lower, abs=1e-3)
    assert found["x1"][1:] == pytest.approx(data.upper, abs=1e-3)
    assert found["y0"][1:] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_what_lies_beyond_the_axis_is_cut_off():
    data = replace(rich_levels(), value=(9.0, -9.0, 0.0, 0.0, 0.0))
    found = columns(data)["bars"]
    assert found["right"][0] == data.y.high
    assert found["left"][1] == data.y.low


def test_other_explanations_are_marks_on_their_levels():
    found = columns(rich_levels())["overlay-1"]
    assert found["y"] == [0.0, 1.0, 2.0]
    assert found["x"] == pytest.approx([0.18, 0.05, -0.3])
    assert set(found["name"]) == {"SHAP, averaged"}


def test_other_explanations_have_shapes_of_their_own():
    lines = tuple(Line(f"method {k}", (0.0,), (0.1,)) for k in range(6))
    tables = [columns(replace(rich_levels(), overlays=lines))[name] for name in OVERLAYS]
    assert [shape for table in tables for shape in table["shape"][:1]] == ["dash", "x", "diamond", "triangle"]
    assert tables[0]["shape"] == ["dash", "x"]
    assert [table["angle"][0] > 1 for table in tables] == [True, False, False, False]


def test_shares_stand_at_the_right_end():
    found = columns(rich_levels())["shares"]
    assert found["text"] == ["63.0%", "26.0%", "8.0%", "1.0%", "2.0%"]
    assert set(found["x"]) == {frame(rich_levels()).x.end}


@pytest.mark.parametrize(
    ("left_out", "words"), [(0, None), (1, "1 rarer level not drawn"), (3, "3 rarer levels not drawn")]
)
def test_levels_that_are_not_drawn_are_counted(left_out, words):
    label = frame(replace(rich_levels(), left_out=left_out)).x.label
    assert label == ("effect on the answer" if words is None else f"effect on the answer ({words})")


def test_no_levels_at_all_still_have_a_frame():
    none = replace(edge_levels(), x=replace(edge_levels().x, levels=()), value=(), share=(), pooled=())
    assert columns(none)["bars"]["left"] == []
    assert frame(none).y.start != frame(none).y.end
