from dataclasses import replace

import pytest

from anova_report.figures.kinds import Atom, Axis, Curve, Line
from anova_report.figures.svg.curves import interpolate
from tests.figures.samples import DAY, NEW_YEAR, rich_curve
from tests.figures.svg.reading import boxes, drawn, number, part, parts, points, scale, subpaths, tags, texts


def curve(**changes) -> Curve:
    """A curve with nothing but its line."""
    plain = replace(
        rich_curve(),
        lower=(),
        upper=(),
        density_edges=(),
        density_share=(),
        rug=(),
        missing=None,
        marked=None,
        overlays=(),
    )
    return replace(plain, supported=(0.5, 15.0), **changes)


def expected(root, at, values):
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    return [(x(a), y(v)) for a, v in zip(at, values, strict=True)]


def flat(pairs):
    return [part for pair in pairs for part in pair]


def test_the_line_passes_where_the_ticks_say_its_values_are():
    data = curve()
    root = drawn(data)
    found = points(part(root, "component"))
    assert flat(found) == pytest.approx(flat(expected(root, data.at, data.value)), abs=0.6)


def test_the_band_encloses_the_line_between_its_bounds():
    data = rich_curve()
    root = drawn(data)
    found = points(part(root, "band"))
    outline = [*zip(data.at, data.upper, strict=True), *reversed(list(zip(data.at, data.lower, strict=True)))]
    wanted = expected(root, *zip(*outline, strict=True))
    assert flat(found) == pytest.approx(flat(wanted), abs=0.6)


def test_without_bounds_there_is_no_band():
    assert not parts(drawn(curve()), "band")


def test_bars_of_the_density_are_as_high_as_their_shares():
    data = rich_curve()
    root = drawn(data)
    found = boxes(part(root, "density"))
    x = scale(root, "x-axis")
    lefts = [x(edge) for edge in data.density_edges[:-1]]
    assert [box[0] for box in found] == pytest.approx(lefts, abs=0.6)
    heights = [bottom - top for _, top, _, bottom in found]
    highest = max(heights)
    wanted = [highest * share / max(data.density_share) for share in data.density_share]
    assert heights == pytest.approx(wanted, abs=0.6)
    assert len({bottom for *_, bottom in found}) == 1


def test_the_density_lies_below_the_curve():
    root = drawn(rich_curve())
    lowest = max(y for _, y in points(part(root, "band")))
    assert min(top for _, top, _, _ in boxes(part(root, "density"))) > lowest


def test_rows_of_the_rug_stand_at_their_values_and_not_beyond_the_axis():
    data = curve(rug=(1.0, 5.0, 99.0))
    root = drawn(data)
    found = [line[0][0] for line in subpaths(part(root, "rug").get("d") or "")]
    x = scale(root, "x-axis")
    assert found == pytest.approx([x(1.0), x(5.0)], abs=0.6)


def test_what_rests_on_few_rows_is_shaded_up_to_the_supported_range():
    data = replace(curve(), supported=(3.0, 9.5))
    root = drawn(data)
    low, high = tags(part(root, "few-rows"), "rect")
    x = scale(root, "x-axis")
    assert number(low, "x") + number(low, "width") == pytest.approx(x(3.0), abs=0.6)
    assert number(high, "x") == pytest.approx(x(9.5), abs=0.6)
    assert number(high, "x") + number(high, "width") == pytest.approx(x(15.0), abs=0.6)
    assert "few rows" in texts(root)


def test_nothing_is_shaded_where_all_is_supported():
    assert not tags(part(drawn(curve()), "few-rows"), "rect")


def test_a_missing_value_is_a_dot_with_a_whisker_right_of_the_curve():
    data = curve(missing=Atom(-0.4, -0.55, -0.25, 0.031))
    root = drawn(data)
    group = part(root, "missing")
    (dot,), (whisker,) = tags(group, "circle"), tags(group, "line")
    y = scale(root, "y-axis")
    assert number(dot, "cy") == pytest.approx(y(-0.4), abs=0.6)
    assert [number(whisker, "y1"), number(whisker, "y2")] == pytest.approx([y(-0.55), y(-0.25)], abs=0.6)
    assert number(dot, "cx") > max(x for x, _ in points(part(root, "component"))) + 10
    assert [text.text for text in tags(group, "text")] == ["missing", "3.1%"]


def test_without_missing_values_the_curve_takes_their_room():
    with_missing = points(part(drawn(curve(missing=Atom(0, 0, 0, 0.1))), "component"))
    assert max(x for x, _ in points(part(drawn(curve()), "component"))) > max(x for x, _ in with_missing) + 50


def test_a_marked_value_is_a_dashed_line_with_a_dot_on_the_curve():
    data = curve(marked=3.25)
    root = drawn(data)
    group = part(root, "marked")
    (line,), (dot,) = tags(group, "line"), tags(group, "circle")
    x = scale(root, "x-axis")
    assert number(line, "x1") == number(line, "x2") == pytest.approx(x(3.25), abs=0.6)
    assert line.get("stroke-dasharray")
    y = scale(root, "y-axis")
    assert number(dot, "cy") == pytest.approx(y(interpolate(3.25, data.at, data.value)), abs=0.6)
    assert "3.25" in texts(root)


@pytest.mark.parametrize(("marked", "end"), [(-100.0, 0.5), (1e9, 15.0)])
def test_a_marked_value_beyond_the_axis_stands_at_its_end_and_says_its_number(marked, end):
    root = drawn(curve(marked=marked))
    line = tags(part(root, "marked"), "line")[0]
    assert number(line, "x1") == pytest.approx(scale(root, "x-axis")(end), abs=0.6)
    assert {"−100", "1e9"} & set(texts(root))


def test_a_marked_moment_is_written_as_a_date():
    times = Axis("when", NEW_YEAR, NEW_YEAR + 400 * DAY, time=True)
    data = curve(x=times, at=(times.low, times.high), value=(0.0, 1.0), marked=NEW_YEAR + 59 * DAY)
    assert "29 Feb 2024" in texts(drawn(replace(data, supported=(times.low, times.high))))


def test_other_explanations_are_dashed_named_and_where_their_values_are():
    data = curve(overlays=rich_curve().overlays)
    root = drawn(data)
    found = parts(root, "overlay")
    assert len(found) == 2
    for element, line in zip(found, data.overlays, strict=True):
        assert flat(points(element)) == pytest.approx(flat(expected(root, line.at, line.value)), abs=0.6)
        assert element.get("stroke-dasharray")
        assert line.name in texts(root)
    assert len({element.get("stroke") for element in found}) == 2
    assert "component" in texts(root)


def test_alone_a_curve_needs_no_legend():
    assert not parts(drawn(curve()), "legend-words") or "component" not in texts(drawn(curve()))


def test_many_overlays_still_leave_room_for_the_curve():
    line = Line("another explanation", (1.0, 9.0), (0.0, 1.0))
    root = drawn(curve(overlays=(line,) * 9))
    heights = [y for _, y in points(part(root, "component"))]
    assert max(heights) - min(heights) > 50


def test_lines_are_cut_off_at_the_frame():
    data = curve(at=(1.0, 5.0), value=(0.0, 1e9))
    root = drawn(data)
    assert (part(root, "lines").get("clip-path") or "").startswith("url(#")
    window = tags(root, "clipPath")[0][0]
    y = scale(root, "y-axis")
    assert number(window, "y") == pytest.approx(y(1.4), abs=0.6)
    assert number(window, "y") + number(window, "height") == pytest.approx(y(-1.1), abs=0.6)


def test_a_single_point_is_drawn_as_a_dot():
    line = part(drawn(curve(at=(5.0,), value=(0.3,))), "component")
    assert float(line.get("stroke-width") or 0) > 4
    assert line.get("stroke-linecap") == "round"


@pytest.mark.parametrize(
    ("at", "value"), [(0.0, 10.0), (1.0, 10.0), (1.5, 15.0), (2.0, 20.0), (3.0, 40.0), (4.0, 60.0), (9.0, 60.0)]
)
def test_values_between_points_lie_on_the_line(at, value):
    assert interpolate(at, (1.0, 2.0, 4.0), (10.0, 20.0, 60.0)) == value


def test_points_at_the_same_place_do_not_divide_by_zero():
    assert interpolate(2.0, (1.0, 2.0, 2.0, 3.0), (0.0, 1.0, 5.0, 6.0)) == 1.0
