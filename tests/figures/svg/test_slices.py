from itertools import pairwise

import pytest

from anova_report.figures.kinds import Axis, Line, Slices
from anova_report.figures.style import SMALL, size
from anova_report.figures.svg.slices import apart, split_names
from anova_report.figures.svg.text import width
from tests.figures.samples import rich_slices
from tests.figures.svg.reading import drawn, number, part, parts, points, scale, tags, texts


def slices(*lines: Line) -> Slices:
    return Slices(Axis("x", 0.0, 10.0), Axis("effect", -1.0, 1.0), lines)


def names(root):
    return tags(part(root, "names"), "text")


def test_lines_pass_where_the_ticks_say_their_values_are():
    data = rich_slices()
    root = drawn(data)
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    for element, line in zip(parts(root, "slice"), data.lines, strict=True):
        found = points(element)
        assert found[0] == pytest.approx((x(line.at[0]), y(line.value[0])), abs=0.6)
        assert found[20] == pytest.approx((x(line.at[20]), y(line.value[20])), abs=0.6)
        assert found[-1] == pytest.approx((x(line.at[-1]), y(line.value[-1])), abs=0.6)


def test_each_name_has_the_colour_of_its_line():
    root = drawn(rich_slices())
    assert [name.get("fill") for name in names(root)] == [line.get("stroke") for line in parts(root, "slice")]


def test_what_names_have_in_common_is_said_once():
    root = drawn(rich_slices())
    assert [name.text for name in names(root)] == ["33", "34", "36", "38", "40"]
    assert "Latitude =" in texts(root)


def test_names_without_anything_in_common_stay_whole():
    line = Line("young", (0.0, 10.0), (0.0, 0.5))
    root = drawn(slices(line, Line("age = 60", (0.0, 10.0), (0.5, 0.0))))
    assert [name.text for name in names(root)] == ["young", "age = 60"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([], ("", [])),
        (["a = 1"], ("a =", ["1"])),
        (["a = 1", "b = 2"], ("", ["a = 1", "b = 2"])),
        (["a = x = 1", "a = y"], ("a =", ["x = 1", "y"])),
    ],
)
def test_names_are_split_only_where_all_begin_alike(given, wanted):
    assert split_names(given) == wanted


def test_names_of_lines_that_meet_do_not_overlap():
    root = drawn(slices(*(Line(f"line {k}", (0.0, 10.0), (0.0, 0.001 * k)) for k in range(6))))
    heights = sorted(number(name, "y") for name in names(root))
    assert all(after - before >= 13.9 for before, after in pairwise(heights))


def test_names_stand_in_the_order_of_their_ends():
    ends = (0.3, -0.2, 0.31, 0.9)
    root = drawn(slices(*(Line(f"line {k}", (0.0, 10.0), (0.0, end)) for k, end in enumerate(ends))))
    heights = [number(name, "y") for name in names(root)]
    assert sorted(range(4), key=lambda k: heights[k]) == sorted(range(4), key=lambda k: -ends[k])


def test_names_stay_on_the_page():
    data = slices(*(Line("an extraordinarily long name of a value", (0.0, 10.0), (0.0, 1.0)) for _ in range(4)))
    for name in names(drawn(data)):
        assert number(name, "x") + width(name.text or "", SMALL) <= size(data)[0] + 1
        assert 0 < number(name, "y") < size(data)[1]


def test_levels_are_dots_on_the_lines():
    axis = Axis("weather", -0.5, 1.5, levels=("clear", "mist"))
    root = drawn(Slices(axis, Axis("effect", 0.0, 1.0), (Line("a", (0.0, 1.0), (0.2, 0.8)),)))
    dots = [(number(dot, "cx"), number(dot, "cy")) for dot in tags(part(root, "lines"), "circle")]
    assert dots == points(part(root, "slice"))


def test_a_line_without_points_is_not_named():
    root = drawn(slices(Line("nothing", (), ()), Line("something", (1.0,), (0.5,))))
    assert [name.text for name in names(root)] == ["something"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([], []),
        ([5.0], [5.0]),
        ([20.0, 60.0], [20.0, 60.0]),
        ([50.0, 50.0], [45.0, 55.0]),
        ([52.0, 48.0], [55.0, 45.0]),
        ([0.0, 0.0, 0.0], [0.0, 10.0, 20.0]),
        ([100.0, 100.0], [90.0, 100.0]),
    ],
)
def test_positions_move_apart_as_little_as_they_must(wanted, found):
    assert apart(wanted, 0.0, 100.0, 10.0) == pytest.approx(found)


def test_moving_apart_is_the_least_squares_solution():
    wanted = [10.0, 12.0, 15.0, 40.0, 41.0]
    found = apart(wanted, -1000.0, 1000.0, 10.0)
    cost = sum((a - b) ** 2 for a, b in zip(found, wanted, strict=True))
    for shift in (-1.0, 1.0):
        for start, stop in ((0, 3), (3, 5), (0, 5)):
            moved = [spot + (shift if start <= k < stop else 0) for k, spot in enumerate(found)]
            if all(after - before >= 10 for before, after in pairwise(moved)):
                assert sum((a - b) ** 2 for a, b in zip(moved, wanted, strict=True)) > cost


def test_too_many_positions_keep_their_distance_rather_than_their_bounds():
    found = apart([50.0] * 30, 0.0, 100.0, 10.0)
    assert all(after - before == pytest.approx(10) for before, after in pairwise(found))
