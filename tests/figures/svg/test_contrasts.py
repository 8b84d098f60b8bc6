from dataclasses import replace

import pytest

from anova_report.figures.contrasts import Contrast, Drift, LevelContrast, Trace
from anova_report.core.documents import plain, read
from anova_report.figures.figure import STILL, Figure, Table
from anova_report.figures.kinds import Atom, Axis
from anova_report.figures.style import FIRST, SECOND, paint, size
from anova_report.figures.svg import draw
from tests.figures.samples import HOSTILE, LONG
from tests.figures.svg.reading import boxes, number, parse, part, parts, points, scale, tags

TABLE = Table(("a",), (("1",),))


def figure(data) -> Figure:
    return Figure("f", "Title", "What is seen.", data, TABLE)


def drawn(data):
    return parse(draw(figure(data)))


def effects(root, panel=0):
    """Read the scale of the effect, or that of the difference below it."""
    return scale(parts(root, "y-axis")[panel], "y-axis")


def contrast(**changes) -> Contrast:
    data = Contrast(
        x=Axis("age", 0.0, 10.0),
        y=Axis("effect on the answer", -1.0, 1.0),
        at=(0.0, 5.0, 10.0),
        first=Trace("before", (-0.5, 0.0, 0.5), (-0.6, -0.1, 0.4), (-0.4, 0.1, 0.6)),
        second=Trace("after", (-0.5, 0.0, 0.9), (-0.6, -0.1, 0.8), (-0.4, 0.1, 1.0)),
        gap=Axis("after minus before", -0.5, 0.5),
        difference=Trace("difference", (0.0, 0.0, 0.4), (-0.1, -0.1, 0.2), (0.1, 0.1, 0.5)),
        beyond=((7.0, 10.0),),
        density_edges=(0.0, 5.0, 10.0),
        density_share=(0.25, 0.75),
    )
    return replace(data, **changes)


def levels(**changes) -> LevelContrast:
    data = LevelContrast(
        x=Axis("region", -0.5, 1.5, levels=("north", "south")),
        y=Axis("effect on the answer", -1.0, 1.0),
        share=(0.6, 0.4),
        first=Trace("before", (0.2, -0.3), (0.1, -0.4), (0.3, -0.2)),
        second=Trace("after", (0.2, 0.5), (0.1, 0.4), (0.3, 0.6)),
        beyond=(False, True),
    )
    return replace(data, **changes)


def drift(**changes) -> Drift:
    data = Drift(
        labels=("age", "region"),
        first=Trace("before", (0.5, 0.1)),
        second=Trace("after", (0.3, 0.11), (0.2, 0.05), (0.4, 0.17)),
        beyond=(True, False),
    )
    return replace(data, **changes)


KINDS = {"contrast": contrast, "levelcontrast": levels, "drift": drift}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back_from_json_and_has_its_own_size(kind):
    made = figure(KINDS[kind]())
    assert STILL[kind] is type(made.data)
    assert read(plain(made), Figure) == made
    root = drawn(made.data)
    assert (number(root, "width"), number(root, "height")) == size(made.data)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [HOSTILE, LONG])
def test_any_name_stays_text_and_inside_the_picture(kind, name):
    data = KINDS[kind](first=replace(KINDS[kind]().first, name=name))
    root = drawn(data)
    assert not tags(root, "script")
    assert number(root, "width") == size(data)[0]


def test_both_curves_lie_on_the_same_scales_in_colours_of_their_own():
    root, data = drawn(contrast()), contrast()
    x, y = scale(root, "x-axis"), effects(root)
    lines = parts(part(root, "curves"), "component")
    assert [line.get("stroke") for line in lines] == [paint(FIRST), paint(SECOND)]
    for line, trace in zip(lines, (data.first, data.second), strict=True):
        for (left, top), at, value in zip(points(line), data.at, trace.value, strict=True):
            assert left == pytest.approx(x(at), abs=0.8)
            assert top == pytest.approx(y(value), abs=0.8)
    assert lines[0].get("stroke-dasharray") is None
    assert lines[1].get("stroke-dasharray")


def test_a_band_reaches_from_its_lower_to_its_upper_bound():
    root, data = drawn(contrast()), contrast()
    y = effects(root)
    outline = points(parts(part(root, "curves"), "band")[1])
    wanted = [*data.second.upper, *reversed(data.second.lower)]
    assert [top for _, top in outline] == pytest.approx([y(value) for value in wanted], abs=0.8)


def test_without_bounds_there_is_no_band():
    plain_traces = {name: Trace(name, (0.0, 0.1, 0.2)) for name in ("first", "second", "difference")}
    assert parts(drawn(contrast(**plain_traces)), "band") == []


def test_the_difference_has_a_panel_of_its_own_below_the_curves_along_the_same_feature():
    root, data = drawn(contrast()), contrast()
    x, gap = scale(root, "x-axis"), effects(root, 1)
    [line] = parts(part(root, "gap"), "component")
    spots = points(line)
    assert [left for left, _ in spots] == pytest.approx([x(at) for at in data.at], abs=0.8)
    assert [top for _, top in spots] == pytest.approx([gap(value) for value in data.difference.value], abs=0.8)
    outline = points(part(part(root, "gap"), "band"))
    wanted = [*data.difference.upper, *reversed(data.difference.lower)]
    assert [top for _, top in outline] == pytest.approx([gap(value) for value in wanted], abs=0.8)
    lowest = max(top for curve in parts(part(root, "curves"), "component") for _, top in points(curve))
    assert min(top for _, top in outline) > lowest


def test_panels_are_cut_to_windows_of_their_own():
    root = drawn(contrast())
    cuts = {part(root, name).get("clip-path") for name in ("curves", "gap")}
    assert cuts == {f"url(#{window.get('id')})" for window in tags(root, "clipPath")}
    assert len(cuts) == 2


def test_marks_stand_where_the_difference_is_beyond_chance_and_nowhere_else():
    root = drawn(contrast(beyond=((0.0, 2.0), (7.0, 10.0))))
    x = scale(root, "x-axis")
    marks = parts(root, "mark")
    assert [number(mark, "x") for mark in marks] == pytest.approx([x(0.0), x(7.0)], abs=0.8)
    assert [number(mark, "width") for mark in marks] == pytest.approx([x(2.0) - x(0.0), x(10.0) - x(7.0)], abs=0.8)
    assert parts(drawn(contrast(beyond=())), "mark") == []


def test_the_legend_speaks_of_the_mark_only_where_there_is_one():
    assert "beyond chance" in draw(figure(contrast()))
    assert "beyond chance" not in draw(figure(contrast(beyond=())))


def test_missing_values_stand_side_by_side_right_of_the_curves():
    atoms = Atom(0.2, 0.1, 0.3, 0.05), Atom(-0.2, -0.3, -0.1, 0.05)
    root = drawn(contrast(missing=atoms))
    y = effects(root)
    circles = tags(part(root, "missing"), "circle")
    assert [number(circle, "cy") for circle in circles] == pytest.approx([y(0.2), y(-0.2)], abs=0.8)
    assert number(circles[0], "cx") < number(circles[1], "cx")


def test_rows_are_a_histogram_below_the_curves():
    found = boxes(part(drawn(contrast()), "density"))
    heights = [bottom - top for _, top, _, bottom in found]
    assert heights[1] == pytest.approx(3 * heights[0], abs=0.5)


def test_levels_have_two_bars_each_the_first_above_the_second():
    root = drawn(levels())
    first, second = ([number(bar, "y") for bar in parts(group, "bar")] for group in parts(root, "bars"))
    assert all(above < below for above, below in zip(first, second, strict=True))
    assert len(parts(root, "mark")) == 1


def test_levels_that_are_not_drawn_are_counted():
    assert "3 rarer levels not drawn" in draw(figure(levels(left_out=3)))
