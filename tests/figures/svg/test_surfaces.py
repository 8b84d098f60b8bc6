from dataclasses import replace

import pytest

from anova_report.figures.kinds import Axis, Surface
from anova_report.figures.style import DIVERGING_LIGHT, colour_at
from anova_report.figures.svg import heat
from tests.figures.samples import rich_surface
from tests.figures.svg.reading import boxes, drawn, number, part, parts, scale, subpaths, tags, texts
from tests.figures.svg.test_heat import pixels

LEVELS = Axis("season", -0.5, 2.5, levels=("low", "middle", "high"))


def surface(**changes) -> Surface:
    plain = Surface(
        x=Axis("x", 0.0, 4.0),
        y=Axis("y", 10.0, 12.0),
        value=((-1.0, -0.5, 0.0, 0.5), (0.25, 0.5, 0.75, 1.0)),
        thin=((False,) * 4,) * 2,
        limit=1.0,
        label="effect",
    )
    return replace(plain, **changes)


def test_the_low_end_of_the_vertical_axis_is_at_the_bottom():
    light = tags(part(drawn(surface()), "cells"), "image")[0]
    top, bottom = pixels(light)
    assert top == [heat.DIVERGING[0][heat.signed_index(value, 1.0)] for value in (0.25, 0.5, 0.75, 1.0)]
    assert bottom == [heat.DIVERGING[0][heat.signed_index(value, 1.0)] for value in (-1.0, -0.5, 0.0, 0.5)]


def test_cells_have_the_colours_of_their_values():
    data = rich_surface()
    rows = pixels(tags(part(drawn(data), "cells"), "image")[0])
    for j in (0, 11, 35):
        for i in (0, 17, 35):
            wanted = colour_at(DIVERGING_LIGHT, data.value[j][i] / data.limit)
            found = rows[35 - j][i]
            assert all(abs(int(found[k : k + 2], 16) - int(wanted[k : k + 2], 16)) <= 6 for k in (1, 3, 5))


def test_cells_cover_exactly_what_the_axes_show():
    root = drawn(surface())
    image = tags(part(root, "cells"), "image")[0]
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    left, top = number(image, "x"), number(image, "y")
    assert (left, left + number(image, "width")) == pytest.approx((x(0.0), x(4.0)), abs=0.5)
    assert (top + number(image, "height"), top) == pytest.approx((y(10.0), y(12.0)), abs=0.5)


def test_the_scale_of_colours_names_its_ends_and_zero():
    root = drawn(surface(limit=0.8))
    assert [text.text for text in tags(part(root, "scale"), "text")] == ["0.8", "0", "−0.8"]
    assert "effect" in texts(root)


def area_of(thin):
    root = drawn(surface(thin=thin))
    image = tags(part(root, "cells"), "image")[0]
    cell = number(image, "width") / 4, number(image, "height") / 2
    found = boxes(tags(part(root, "thin"), "path")[0])
    covered = set()
    for left, top, right, bottom in found:
        for i in range(round((left - number(image, "x")) / cell[0]), round((right - number(image, "x")) / cell[0])):
            for j in range(round((top - number(image, "y")) / cell[1]), round((bottom - number(image, "y")) / cell[1])):
                assert (i, 1 - j) not in covered
                covered.add((i, 1 - j))
    return covered, len(found)


@pytest.mark.parametrize("pattern", [0b10000000, 0b01100110, 0b11111111, 0b10100101, 0b00001111, 0b11110001, 0b1])
def test_exactly_the_thin_cells_are_hatched_each_once(pattern):
    thin = tuple(tuple(bool(pattern >> (4 * j + i) & 1) for i in range(4)) for j in range(2))
    covered, _ = area_of(thin)
    assert covered == {(i, j) for j in range(2) for i in range(4) if thin[j][i]}


def test_neighbouring_thin_cells_are_one_box():
    assert area_of(((True,) * 4,) * 2)[1] == 1
    assert area_of(((True, True, False, True), (True, True, False, False)))[1] == 2


def test_hatching_is_explained_where_there_is_any():
    root = drawn(surface(thin=((True, False, False, False), (False,) * 4)))
    hatched = tags(part(root, "thin"), "path")[1]
    assert hatched.get("fill") == f"url(#{tags(root, 'pattern')[0].get('id')})"
    assert {"few", "rows"} <= set(texts(root))
    plain = drawn(surface())
    assert not parts(plain, "thin")
    assert "few" not in texts(plain)


def test_a_row_is_marked_with_a_cross_at_its_place():
    root = drawn(surface(marked=(1.0, 11.5)))
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    lines = subpaths(tags(part(root, "marked"), "path")[0].get("d") or "")
    for (a, b), (c, d) in lines:
        assert ((a + c) / 2, (b + d) / 2) == pytest.approx((x(1.0), y(11.5)), abs=0.6)


def test_a_row_beyond_the_axes_is_marked_at_their_ends():
    root = drawn(surface(marked=(99.0, -99.0)))
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    (a, b), (c, d) = subpaths(tags(part(root, "marked"), "path")[0].get("d") or "")[0]
    assert ((a + c) / 2, (b + d) / 2) == pytest.approx((x(4.0), y(10.0)), abs=0.6)


def two_levels(**changes) -> Surface:
    value = ((-0.9, -0.2, 0.0), (0.1, 0.2, 0.3), (0.4, 0.5, 0.95))
    return surface(x=LEVELS, y=LEVELS, value=value, thin=((False,) * 3,) * 3, **changes)


def test_cells_of_two_levels_hold_their_numbers():
    root = drawn(two_levels())
    found = {text.text for text in tags(part(root, "numbers"), "text")}
    assert found == {"−0.9", "−0.2", "0", "+0.1", "+0.2", "+0.3", "+0.4", "+0.5", "+0.95"}


def test_numbers_on_strong_colours_are_in_the_other_ink():
    root = drawn(two_levels())
    inks = {text.text: group.get("fill") for group in part(root, "numbers") for text in group}
    assert "on-strong" in (inks["−0.9"] or "")
    assert "on-strong" in (inks["+0.95"] or "")
    assert "on-pale" in (inks["+0.5"] or "")


def test_a_marked_cell_of_two_levels_is_framed_so_that_its_number_stays_readable():
    root = drawn(two_levels(marked=(1.0, 2.0)))
    image = tags(part(root, "cells"), "image")[0]
    (frame,) = boxes(tags(part(root, "marked"), "path")[0])
    third = number(image, "width") / 3
    assert frame[0] == pytest.approx(number(image, "x") + third + 2, abs=0.2)
    assert frame[2] == pytest.approx(number(image, "x") + 2 * third - 2, abs=0.2)
    assert frame[1] == pytest.approx(number(image, "y") + 2, abs=0.2)


def test_many_levels_have_no_room_for_numbers():
    names = tuple(map(str, range(12)))
    axis = Axis("many", -0.5, 11.5, levels=names)
    assert not parts(drawn(surface(x=axis, y=axis, value=((0.0,) * 12,) * 12, thin=())), "numbers")


def test_levels_are_parted_by_gaps_and_numbers_are_not():
    assert parts(drawn(two_levels()), "gaps")
    assert not parts(drawn(surface()), "gaps")


@pytest.mark.parametrize("limit", [0.0, 1e-12, 1e9])
def test_any_limit_can_be_drawn(limit):
    root = drawn(surface(limit=limit, value=((0.0,) * 4,) * 2))
    light = tags(part(root, "cells"), "image")[0]
    assert {colour for row in pixels(light) for colour in row} == {DIVERGING_LIGHT[4][1]}
