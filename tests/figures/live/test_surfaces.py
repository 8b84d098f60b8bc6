from dataclasses import replace

import pytest
from bokeh.models import LinearColorMapper

from anova_report.figures.kinds import Axis, Surface
from anova_report.figures.live.surfaces import columns, frame
from tests.figures.live.reading import built, column, glyphs, said
from tests.figures.samples import LONG, edge_surface, rich_surface


def levels(thin: bool = False) -> Surface:
    """Draw three by two levels."""
    return Surface(
        x=Axis("weather", -0.5, 2.5, levels=("clear", "mist", "rain")),
        y=Axis("day", -0.5, 1.5, levels=("work", "free")),
        value=((0.1, 0.2, 0.3), (-0.9, 0.0, 0.9)),
        thin=((thin, False, False), (False, False, False)),
        limit=1.0,
        label="effect",
    )


def test_cells_lie_on_the_plane_from_its_low_ends():
    data = rich_surface()
    plot = built(data)
    assert column(plot, "cells", "x") == [data.x.low]
    assert column(plot, "cells", "y") == [data.y.low]
    assert column(plot, "cells", "dw") == pytest.approx([data.x.high - data.x.low])
    picture = column(plot, "cells", "image")[0]
    assert picture.shape == (36, 36)
    assert picture[0, 0] == pytest.approx(data.value[0][0], abs=1e-4)
    assert picture[35, 2] == pytest.approx(data.value[35][2], abs=1e-4)


def test_colours_run_from_minus_to_plus_the_limit():
    plot = built(rich_surface())
    mapper = glyphs(plot, "cells")[0].color_mapper
    assert isinstance(mapper, LinearColorMapper)
    assert (mapper.low, mapper.high) == (-0.8, 0.8)
    assert plot.right[0].color_mapper is mapper


def test_a_surface_of_nothing_still_has_a_scale():
    nothing = replace(rich_surface(4), limit=0.0, value=((0.0,) * 4,) * 4)
    assert frame(nothing).limits == (-1.0, 1.0)


def test_thin_cells_are_covered_and_no_others():
    data = rich_surface()
    found = columns(data)["thin"]
    across, down = (data.x.high - data.x.low) / 36, (data.y.high - data.y.low) / 36
    area = sum(
        (right - left) * (top - bottom)
        for left, right, bottom, top in zip(found["left"], found["right"], found["bottom"], found["top"], strict=True)
    )
    assert area == pytest.approx(across * down * sum(map(sum, data.thin)), rel=0.01)
    assert min(found["left"]) == pytest.approx(data.x.low)
    assert columns(edge_surface())["thin"]["left"] == []


def test_the_first_run_of_thin_cells_is_that_of_the_lowest_row():
    found = columns(rich_surface())["thin"]
    assert (found["left"][0], found["bottom"][0]) == pytest.approx((-124.3, 32.5), abs=1e-3)
    assert found["right"][0] == pytest.approx(-124.3 + 6 * 10 / 36, abs=1e-2)


def test_levels_are_said_by_name_and_numbers_by_where_the_pointer_is():
    assert said(built(levels()), "cells") == {"weather": "@x_level", "day": "@y_level", "effect": "@image{+0,0.000}"}
    assert said(built(rich_surface()), "cells")["Latitude"] == "$y{0,0.000}"
    assert said(built(edge_surface()), "cells")["when"] == "$y{%F}"


def test_the_names_of_levels_stand_where_their_cells_are():
    plot = built(levels())
    assert column(plot, "cells", "x_level") == [[["clear", "mist", "rain"]] * 2]
    assert column(plot, "cells", "y_level") == [[["work"] * 3, ["free"] * 3]]


def test_long_names_of_levels_are_cut():
    data = replace(levels(), x=replace(levels().x, levels=(LONG, "b", "c")))
    assert len(columns(data)["cells"]["x_level"][0][0][0]) <= 120


def test_cells_of_few_levels_carry_their_effects():
    found = columns(levels())["numbers"]
    assert found["text"] == ["+0.1", "+0.2", "+0.3", "−0.9", "0", "+0.9"]
    assert list(zip(found["x"], found["y"], strict=True))[:4] == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert found["ink"][0] == "on-pale"
    assert found["ink"][3] == "on-strong"
    assert columns(levels(thin=True))["numbers"]["ink"][0] == "fg"
    assert columns(rich_surface())["numbers"]["text"] == []


def test_a_marked_row_is_held_within_the_plane():
    assert columns(rich_surface())["marked"]["x"] == pytest.approx([-118.2])
    beyond = columns(replace(rich_surface(), marked=(0.0, 0.0)))["marked"]
    assert (beyond["x"], beyond["y"]) == ([-114.3], [32.5])
    assert "this row: 0.00" in beyond["tip"][0]


def test_the_label_says_what_colours_and_hatching_mean():
    assert frame(rich_surface()).y.label == "Latitude; colours: effect on the answer; hatched: few rows"
    assert "hatched" not in frame(edge_surface()).y.label
