import base64
from xml.etree.ElementTree import Element

import pytest

from anova_report.figures.style import DIVERGING_DARK, DIVERGING_LIGHT, SEQUENTIAL_LIGHT, SWITCH
from anova_report.figures.svg import heat
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.scales import Frame
from tests.figures.svg.reading import subpaths
from tests.figures.svg.test_png import decode

PLACE = Frame(10, 20, 110, 70)


def canvas() -> Canvas:
    return Canvas(Element("svg"), "key")


def pixels(image: Element) -> list[list[str]]:
    return decode(base64.b64decode((image.get("href") or "").partition(",")[2]))[2]


def test_the_same_cells_are_drawn_for_both_themes_and_a_page_shows_one():
    drawn = canvas()
    heat.image(drawn, [[0, 32, 64]], heat.DIVERGING, PLACE)
    light, dark = drawn.element
    assert light.get("display") == "var(--light-only, inline)"
    assert dark.get("display") == "var(--dark-only, none)"
    assert pixels(light) == [[DIVERGING_LIGHT[0][1], DIVERGING_LIGHT[4][1], DIVERGING_LIGHT[-1][1]]]
    assert pixels(dark) == [[DIVERGING_DARK[0][1], DIVERGING_DARK[3][1], DIVERGING_DARK[-1][1]]]


def test_cells_fill_the_frame():
    drawn = canvas()
    heat.image(drawn, [[1]], heat.SEQUENTIAL, PLACE)
    assert [drawn.element[0].get(name) for name in ("x", "y", "width", "height")] == ["10", "20", "100", "50"]


@pytest.mark.parametrize("cells", [[], [[]]])
def test_no_cells_make_no_image(cells):
    drawn = canvas()
    heat.image(drawn, cells, heat.SEQUENTIAL, PLACE)
    assert not len(drawn.element)


@pytest.mark.parametrize(
    ("value", "limit", "colour"),
    [
        (0.0, 1.0, 32),
        (1.0, 1.0, 64),
        (-1.0, 1.0, 0),
        (5.0, 1.0, 64),
        (0.0, 0.0, 32),
        (1e-12, 1e-12, 64),
        (3.0, 0.0, 32),
    ],
)
def test_signed_values_find_their_colour(value, limit, colour):
    assert heat.signed_index(value, limit) == colour


@pytest.mark.parametrize(("value", "limit", "colour"), [(0.0, 1.0, 0), (0.5, 1.0, 32), (9.0, 1.0, 64), (-1.0, 1.0, 0)])
def test_sizes_find_their_colour(value, limit, colour):
    assert heat.index(value, limit) == colour


def test_colours_grow_with_the_value():
    found = [heat.signed_index(value / 50 - 1, 1.0) for value in range(101)]
    assert found == sorted(found)


def test_numbers_change_their_ink_where_the_scale_turns_strong():
    assert heat.ink(SWITCH) == heat.ink(-SWITCH) == heat.ink(0) == "on-pale"
    assert heat.ink(SWITCH + 0.01) == heat.ink(-1.0) == "on-strong"


def test_gaps_run_between_cells_and_not_around_them():
    drawn = canvas()
    heat.gaps(drawn, PLACE, 4, 2)
    lines = subpaths(drawn.element[0].get("d") or "")
    upright = sorted(line[0][0] for line in lines if line[0][0] == line[1][0])
    flat = [line[0][1] for line in lines if line[0][1] == line[1][1]]
    assert upright == [35, 60, 85]
    assert flat == [45]


def test_a_single_cell_has_no_gaps():
    drawn = canvas()
    heat.gaps(drawn, PLACE, 1, 1)
    assert not len(drawn.element)


def test_an_upright_scale_has_its_high_end_at_the_top():
    drawn = canvas()
    heat.scale_down(drawn, heat.DIVERGING, PLACE, ["high", "middle", "low"])
    light = next(drawn.element.iter("image"))
    assert pixels(light)[0] == [DIVERGING_LIGHT[-1][1]]
    heights = [float(text.get("y") or 0) - 4 for text in drawn.element.iter("text")]
    assert heights == [20, 45, 70]


def test_a_flat_scale_has_its_low_end_at_the_left():
    drawn = canvas()
    heat.scale_across(drawn, heat.SEQUENTIAL, PLACE, ("0", "0.1"))
    (row,) = pixels(next(drawn.element.iter("image")))
    assert (row[0], row[-1]) == (SEQUENTIAL_LIGHT[0][1], SEQUENTIAL_LIGHT[-1][1])
    low, high = drawn.element.iter("text")
    assert (low.text, high.text) == ("0", "0.1")
    assert float(low.get("x") or 0) < PLACE.left < PLACE.right < float(high.get("x") or 0)
