import re

import pytest
from bokeh.models import Quad

from anova_report.figures.geometry import Axis
from anova_report.figures.live.looks import (
    N_COLORS,
    TIP_LENGTH,
    brief,
    heat_tip,
    painted,
    placeholder,
    plain,
    scale,
    tip_text,
)
from anova_report.figures.scene import Heat
from anova_report.figures.style import DIVERGING_DARK, DIVERGING_LIGHT, LIGHT, color_at
from tests.figures.samples import DAY, HOSTILE, LONG, TEX

# What BokehJS looks for in labels, written down from its documentation: $$…$$, \[…\] and \(…\).
FORMULAS = re.compile(r"\$\$[^$]*\$\$|\\\[.*?\\\]|\\\(.*?\\\)")


@pytest.mark.parametrize("words", ["$$x$$", r"\(x\)", r"\[x\]", TEX, "$$$$", "$$$", r"\\(x\\)", "a $$ b"])
def test_nothing_that_bokeh_would_set_as_a_formula_is_left(words):
    assert not FORMULAS.search(plain(words))


@pytest.mark.parametrize("words", ["$$x$$", TEX, "price in $", r"a\b", "50% (of all)", HOSTILE])
def test_plain_words_read_as_they_were_written(words):
    assert plain(words).replace("\u200b", "") == words


def test_words_without_formulas_are_left_alone():
    assert plain("income in $ (thousands) [net]") == "income in $ (thousands) [net]"


def test_a_long_name_is_cut_for_hover_text():
    assert len(brief(LONG)) <= TIP_LENGTH
    assert brief(LONG).endswith("…")
    assert brief("age") == "age"


def test_a_name_cannot_add_lines_to_hover_text():
    assert brief("one\ntwo") == "one two"


def test_empty_parts_of_hover_text_leave_no_line():
    assert tip_text("effect +1\n\n2% of rows") == "effect +1\n2% of rows"


@pytest.mark.parametrize(
    ("axis", "sign", "words", "reader"),
    [
        (Axis("x", 0.0, 10.0), False, "@x{0,0.00}", {}),
        (Axis("x", 0.0, 10.0), True, "@x{+0,0.00}", {}),
        (Axis("x", 0.0, 1e5), False, "@x{0,0}", {}),
        (Axis("x", 0.0, 1e-9), False, "@x{%.3e}", {"@x": "printf"}),
        (Axis("x", 0.0, 1e-9), True, "@x{%+.3e}", {"@x": "printf"}),
        (Axis("x", 0.0, 90 * DAY, time=True), False, "@x{%F}", {"@x": "datetime"}),
        (Axis("x", 0.0, 60.0, time=True), False, "@x{%F %T}", {"@x": "datetime"}),
    ],
)
def test_bokeh_knows_how_to_write_a_number(axis, sign, words, reader):
    assert placeholder("@x", axis, sign=sign) == (words, reader)


def test_what_is_said_on_a_cell_is_its_place_and_its_value():
    x, y = Axis("sold", 0.0, 90 * DAY, time=True), Axis(LONG, -0.5, 1.5, levels=("a", "b"))
    found = heat_tip(Heat("cells", ((1.0,),), "diverging", 2.0, x=x, y=y, label="effect"))
    assert [words for _, words in found["tooltips"]] == ["$x{%F}", "@y_level", "@image{+0,0.000}"]
    assert len(found["tooltips"][1][0]) <= TIP_LENGTH
    assert found["formatters"] == {"$x": "datetime"}


def test_a_painted_model_has_the_light_color_and_remembers_its_name():
    box = painted(Quad, fill_color="accent", line_color=None, line_width=2)
    assert box.fill_color == LIGHT["accent"]
    assert box.line_color is None
    assert box.line_width == 2
    assert box.tags == [["fill_color", "accent"]]


def test_a_color_that_style_does_not_know_is_an_error():
    with pytest.raises(KeyError):
        painted(Quad, fill_color="chartreuse")


def test_a_scale_carries_its_colors_for_both_themes_and_has_one_for_nothing():
    found = scale("diverging")
    ((name, light, dark),) = found.tags
    assert name == "palette"
    assert light == found.palette
    assert len(light) == len(dark) == N_COLORS
    assert light[N_COLORS // 2] == color_at(DIVERGING_LIGHT, 0)
    assert dark[N_COLORS // 2] == color_at(DIVERGING_DARK, 0)
