import pytest
from bokeh.models import CategoricalColorMapper, LinearColorMapper, Quad, Span

from anova_report.figures.live.colours import N_COLOURS, by_name, painted, repaint, scale
from anova_report.figures.style import DARK, DIVERGING_DARK, DIVERGING_LIGHT, LIGHT, colour_at
from tests.figures.live.reading import BOTH, plot_of


def test_a_painted_model_has_the_light_colour_and_remembers_its_name():
    box = painted(Quad, fill_color="accent", line_color=None, line_width=2)
    assert box.fill_color == LIGHT["accent"]
    assert box.line_color is None
    assert box.line_width == 2
    assert box.tags == [["fill_color", "accent"]]


def test_repainting_keeps_what_was_named_before():
    line = painted(Span, line_color="axis")
    repaint(line, hover_line_color="fg")
    assert line.tags == [["line_color", "axis"], ["hover_line_color", "fg"]]
    assert line.hover_line_color == LIGHT["fg"]


def test_a_colour_that_style_does_not_know_is_an_error():
    with pytest.raises(KeyError):
        painted(Quad, fill_color="chartreuse")


def test_marks_are_coloured_by_names_in_a_column():
    found = by_name("colour", ("positive", "negative"))
    assert found.field == "colour"
    assert isinstance(found.transform, CategoricalColorMapper)
    assert dict(zip(found.transform.factors, found.transform.palette, strict=True)) == {
        "positive": LIGHT["positive"],
        "negative": LIGHT["negative"],
    }
    assert found.transform.tags == [["palette", ["positive", "negative"]]]


def test_a_scale_carries_its_colours_for_both_themes_and_has_one_for_nothing():
    found = scale(DIVERGING_LIGHT, DIVERGING_DARK)
    ((name, light, dark),) = found.tags
    assert name == "palette"
    assert light == found.palette
    assert len(light) == len(dark) == N_COLOURS
    assert light[N_COLOURS // 2] == colour_at(DIVERGING_LIGHT, 0)
    assert dark[N_COLOURS // 2] == colour_at(DIVERGING_DARK, 0)


@pytest.mark.parametrize("name", BOTH)
def test_every_tag_names_a_property_and_colours_that_pages_have(name):
    for model in plot_of(name).references():
        for tag in model.tags:
            assert tag[0] in model.properties()
            colours = tag[1] if isinstance(tag[1], list) else [tag[1]]
            assert len(tag) == 3 or set(colours) <= set(LIGHT) & set(DARK)


@pytest.mark.parametrize("name", BOTH)
def test_every_colour_that_is_not_bokehs_own_can_be_repainted(name):
    # A colour without a tag would stay light on a dark page.
    ours = set(LIGHT.values())
    for model in plot_of(name).references():
        tagged = {tag[0] for tag in model.tags}
        coloured = {
            key: value
            for key, value in model.properties_with_values(include_defaults=False).items()
            if key.endswith("color") and isinstance(value, str)
        }
        assert {key for key, value in coloured.items() if value in ours} <= tagged
        if isinstance(model, CategoricalColorMapper | LinearColorMapper):
            assert "palette" in tagged


@pytest.mark.parametrize("name", BOTH)
def test_every_name_of_a_colour_in_a_column_is_one_its_mapper_knows(name):
    plot = plot_of(name)
    for renderer in plot.renderers:
        for value in renderer.glyph.properties_with_values().values():
            mapper = getattr(value, "transform", None)
            if isinstance(mapper, CategoricalColorMapper):
                assert set(renderer.data_source.data[value.field]) <= set(mapper.factors)
