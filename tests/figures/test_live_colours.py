import pytest
from bokeh.models import Quad

from anova_report.figures.live.colours import N_COLOURS, painted, scale
from anova_report.figures.style import DIVERGING_DARK, DIVERGING_LIGHT, LIGHT, colour_at


def test_a_painted_model_has_the_light_colour_and_remembers_its_name():
    box = painted(Quad, fill_color="accent", line_color=None, line_width=2)
    assert box.fill_color == LIGHT["accent"]
    assert box.line_color is None
    assert box.line_width == 2
    assert box.tags == [["fill_color", "accent"]]


def test_a_colour_that_style_does_not_know_is_an_error():
    with pytest.raises(KeyError):
        painted(Quad, fill_color="chartreuse")


def test_a_scale_carries_its_colours_for_both_themes_and_has_one_for_nothing():
    found = scale("diverging")
    ((name, light, dark),) = found.tags
    assert name == "palette"
    assert light == found.palette
    assert len(light) == len(dark) == N_COLOURS
    assert light[N_COLOURS // 2] == colour_at(DIVERGING_LIGHT, 0)
    assert dark[N_COLOURS // 2] == colour_at(DIVERGING_DARK, 0)
