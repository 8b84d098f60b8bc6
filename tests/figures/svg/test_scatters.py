from dataclasses import replace

import pytest

from anova_report.figures.kinds import Axis, Scatter
from tests.figures.samples import rich_scatter
from tests.figures.svg.reading import drawn, number, part, parts, points, scale, tags, texts


def scatter(n: int, **changes) -> Scatter:
    at = tuple(0.1 + 0.8 * (0.618034 * k % 1) for k in range(n))
    value = tuple(0.1 + 0.8 * (0.414214 * k % 1) for k in range(n))
    return replace(Scatter(Axis("x", 0.0, 1.0), Axis("y", 0.0, 1.0), at, value, tuple(range(n)), n), **changes)


def test_every_row_is_a_point_where_the_ticks_say_its_values_are():
    data = rich_scatter()
    root = drawn(data)
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    found = points(part(root, "points"))
    wanted = sorted((x(at), y(value)) for at, value in zip(data.at, data.value, strict=True))
    assert len(found) == 200
    for (a, b), (c, d) in zip(found, wanted, strict=True):
        assert (a, b) == pytest.approx((c, d), abs=0.6)


def test_rows_with_equal_values_are_drawn_as_often_as_they_are():
    root = drawn(scatter(4, at=(0.5,) * 4, value=(0.5,) * 4))
    assert len(points(part(root, "points"))) == 4


def test_points_are_transparent_and_fainter_where_they_are_many():
    few, many = drawn(scatter(20)), drawn(scatter(900))
    opacity = [float(tags(tags(root, "marker")[0], "circle")[0].get("fill-opacity") or 1) for root in (few, many)]
    assert 0 < opacity[1] < opacity[0] < 1


def test_equal_values_lie_on_the_dashed_line():
    data = scatter(3, x=Axis("x", -1.0, 2.0), y=Axis("y", 0.0, 4.0))
    root = drawn(data)
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    line = part(root, "identity")
    x1, y1, x2, y2 = (number(line, name) for name in ("x1", "y1", "x2", "y2"))
    for value in (0.0, 1.0, 2.0):
        share = (x(value) - x1) / (x2 - x1)
        assert y1 + share * (y2 - y1) == pytest.approx(y(value), abs=0.6)
    assert "dashed: both equal" in texts(root)


def test_there_is_no_line_of_equality_where_none_is_wanted():
    root = drawn(scatter(3, identity=False))
    assert not parts(root, "identity")
    assert "dashed: both equal" not in texts(root)


def test_a_sample_says_of_how_many_rows_it_is_one():
    assert any("200 of 5,000 rows" in text for text in texts(drawn(rich_scatter())))
    assert not any("rows" in text for text in texts(drawn(scatter(5))))


def test_the_marked_row_stands_out_at_its_place():
    data = rich_scatter()
    root = drawn(data)
    mark = part(root, "marked")
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    assert (number(mark, "cx"), number(mark, "cy")) == pytest.approx((x(data.at[17]), y(data.value[17])), abs=0.6)


@pytest.mark.parametrize("marked", [None, 99])
def test_without_a_marked_row_none_stands_out(marked):
    assert not parts(drawn(scatter(5, marked=marked)), "marked")


def test_points_are_cut_off_at_the_frame():
    root = drawn(scatter(2, at=(0.5, 99.0), value=(0.5, 99.0)))
    assert (part(root, "data").get("clip-path") or "").startswith("url(#")


def test_1200_points_stay_small():
    wide = len("".join(path.get("d") or "" for path in parts(drawn(scatter(1200)), "points")))
    assert wide < 11_000
