import pytest

from anova_report.figures.svg.paths import area, box, polyline, stroke, vertices
from tests.figures.reading import subpaths

POINTS = [(10.0, 20.0), (10.04, 19.96), (33.333, 4.25), (33.333, 4.25), (-5.5, 0.05), (400.0, 280.0)]


def near(found, wanted):
    return all(abs(a - c) <= 0.0501 and abs(b - d) <= 0.0501 for (a, b), (c, d) in zip(found, wanted, strict=True))


def test_a_line_passes_through_its_points():
    (found,) = subpaths(polyline(POINTS))
    assert near(found, [POINTS[0], *POINTS[2:3], *POINTS[4:]])  # two of them fall together


def test_rounding_does_not_add_up_along_a_line():
    walk, x = [], 0.0
    for step in range(2000):
        x += 0.033
        walk.append((x, step % 7 / 3))
    (found,) = subpaths(polyline(walk))
    assert abs(found[-1][0] - walk[-1][0]) <= 0.051


def test_a_single_point_becomes_a_line_without_length():
    assert polyline([(3, 4)]) == "M3 4l0 0"


def test_no_points_make_no_path():
    assert polyline([]) == ""
    assert vertices([]) == ""
    assert area([], []) == ""


def test_an_area_runs_along_one_line_and_back_along_the_other():
    (found,) = subpaths(area([(0, 1), (5, 2)], [(0, 9), (5, 8)]))
    assert found == [(0, 1), (5, 2), (5, 8), (0, 9)]
    assert area([(0, 1), (5, 2)], [(0, 9), (5, 8)]).endswith("z")


def test_vertices_keep_every_point_even_where_several_fall_together():
    points = [(300 * (0.618034 * k % 1), 300 * (0.414214 * k % 1)) for k in range(200)] + [(5.0, 5.0)] * 3
    (found,) = subpaths(vertices(points))
    assert len(found) == 203
    assert near(found, sorted((round(x, 1), round(y, 1)) for x, y in points))


def test_a_single_vertex_has_both_its_ends():
    assert vertices([(1, 2)]) == "M1 2l0 0"


@pytest.mark.parametrize("edges", [(1.0, 2.0, 11.0, 5.0), (0.05, 0.0, 0.05, 3.0), (-2.5, -1.0, 2.5, 1.0)])
def test_a_box_has_its_four_corners(edges):
    left, top, right, bottom = edges
    (found,) = subpaths(box(*edges))
    assert near(found, [(left, top), (right, top), (right, bottom), (left, bottom)])


def test_a_stroke_joins_two_points():
    assert subpaths(stroke(1, 2, 3, 4) + stroke(5, 6, 7, 8)) == [[(1, 2), (3, 4)], [(5, 6), (7, 8)]]


def test_paths_are_written_without_needless_characters():
    assert polyline([(10.0, 20.0), (9.5, 19.9), (10.1, 20.0)]) == "M10 20l-.5-.1 .6 .1"
