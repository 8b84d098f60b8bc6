from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Axis, Line, Slices
from anova_report.figures.live.slices import columns, frame
from tests.figures.live.reading import built, said
from tests.figures.samples import edge_slices, rich_slices


def test_every_line_and_every_point_of_it_is_there():
    data, found = rich_slices(), columns(rich_slices())
    assert len(found["lines"]["xs"]) == 5
    assert len(found["points"]["x"]) == 5 * 40
    assert found["lines"]["ys"][2] == pytest.approx(data.lines[2].value, abs=1e-3)
    assert found["points"]["y"][80:120] == found["lines"]["ys"][2]


def test_neighbouring_lines_have_different_colours_and_their_points_the_same():
    found = columns(rich_slices())
    assert len(set(found["lines"]["colour"])) == 5
    assert found["points"]["colour"][::40] == found["lines"]["colour"]
    assert found["names"]["colour"] == found["lines"]["colour"]


def test_points_are_seen_only_where_a_line_would_say_too_much_or_nothing():
    assert set(columns(rich_slices())["points"]["strength"]) == {0.0}
    assert set(columns(edge_slices())["points"]["strength"]) == {1.0}


def test_names_stand_beside_the_ends_of_their_lines_and_do_not_touch():
    data = rich_slices()
    found = columns(data)["names"]
    assert found["text"] == [line.name for line in data.lines]
    assert set(found["x"]) == {data.x.high}
    pixels = sorted(y / (data.y.high - data.y.low) * 200 for y in found["y"])
    assert all(after - before > 11 for before, after in pairwise(pixels))
    alone = replace(data, lines=data.lines[:1])
    assert columns(alone)["names"]["y"] == pytest.approx([data.lines[0].value[-1]], abs=2e-3)


def test_there_is_room_for_names_right_of_the_axis():
    x = frame(rich_slices()).x
    assert x.end > x.high == rich_slices().x.high


def test_levels_are_said_by_name():
    assert said(built(edge_slices()), "points")["weather"] == "@level"
    assert columns(edge_slices())["points"]["level"][0] == "clear"
    assert said(built(rich_slices()), "points")["Longitude"] == "@x{0,0.00}"


def test_a_line_without_points_has_no_name_to_stand_anywhere():
    data = Slices(Axis("x", 0.0, 1.0), Axis("y", 0.0, 1.0), (Line("empty", (), ()), Line("b", (0.0, 1.0), (0.0, 1.0))))
    assert columns(data)["names"]["text"] == ["b"]


def test_no_lines_at_all_are_drawn_as_nothing():
    assert columns(replace(rich_slices(), lines=()))["lines"]["xs"] == []


def test_zero_is_drawn_where_the_axis_shows_it():
    assert columns(rich_slices())["rules"]["y0"] == [0.0]
    above = replace(rich_slices(), y=Axis("effect", 1.0, 2.0))
    assert columns(above)["rules"]["y0"] == []
