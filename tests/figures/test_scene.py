import pytest

from anova_report.figures.geometry import Axis, Frame, Panel
from anova_report.figures.layout import squeezed
from anova_report.figures.scene import Box, Dot, Line, Rule, Scene, Text
from tests.figures.reading import scene_of
from tests.figures.samples import SAMPLES

PANEL = Panel(Frame(100, 10, 300, 60), (0.0, 10.0), (0.0, 1.0))


def test_values_become_pixels_and_pixels_values():
    assert [PANEL.across(value) for value in (0, 5, 10)] == [100, 200, 300]
    assert [PANEL.down(value) for value in (0, 0.5, 1)] == [60, 35, 10]
    assert (PANEL.units_across(20), PANEL.units_up(5)) == (1.0, 0.1)


def test_a_list_is_read_from_the_top():
    rows = Panel.of_rows(Frame(0, 0, 10, 60), (0.0, 1.0), 3)
    assert [rows.down(row) for row in (0, 1, 2)] == [10, 30, 50]


def test_values_far_out_and_values_that_are_none_have_finite_pixels():
    assert PANEL.across(1e300) == 100 + 200 * 1e5
    assert PANEL.across(float("nan")) == 100


@pytest.mark.parametrize("value", [0.0, 3.0, -1e9])
def test_an_axis_without_length_shows_as_much_on_both_sides(value):
    low, high = Axis("x", value, value).span
    assert low < value < high
    assert value - low == pytest.approx(high - value)


def test_a_coordinate_that_all_items_share_is_given_once():
    box = Box("bars", (1.0, 2.0), (3.0, 4.0), 0.0, 1.0, "accent")
    assert (box.bottom, box.top) == ((0.0, 0.0), (1.0, 1.0))
    assert Rule("zero", 0.0, (), 1.0, ()).x0 == ()


def test_coordinates_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="bars"):
        Box("bars", (1.0, 2.0), (3.0,), 0.0, 1.0, "accent")
    with pytest.raises(ValueError, match="words"):
        Text("words", (1.0, 2.0), 0.0, ("one",))


def test_the_frame_of_a_scene_holds_all_panels():
    below = Panel(Frame(120, 60, 310, 90), (0.0, 1.0), (0.0, 1.0))
    assert Scene("sample", (400, 100), (PANEL, below), ()).frame == Frame(100, 10, 310, 90)


def test_the_form_of_a_scene_leaves_out_what_an_update_exchanges():
    def scene(*values: float, **looks) -> Scene:
        return scene_of(Line("line", (values,), (values,), "accent", **looks), Dot("dots", values, values, ("fg",)))

    assert scene(1.0, 2.0).form == scene(3.0).form
    assert scene(1.0).form != scene(1.0, width=3.0).form
    assert scene(1.0).form != scene(1.0, tips=("a line",)).form


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_squeezed_scene_keeps_what_is_around_its_data_and_a_list_its_rows(kind):
    scene = SAMPLES[kind].rich.scene
    low = squeezed(scene, 200.0)
    assert low.form == scene.form
    assert (low is scene) == (not scene.zooms or scene.size[1] <= 200)
    if low is not scene:
        assert low.size == (scene.size[0], 200)
        assert low.frame.top == scene.frame.top
        assert 200 - low.frame.bottom == pytest.approx(scene.size[1] - scene.frame.bottom)
        shares = [[panel.frame.height / found.frame.height for panel in found.panels] for found in (scene, low)]
        assert shares[1] == pytest.approx(shares[0])
