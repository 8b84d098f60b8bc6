from dataclasses import replace

import pytest

from anova_report.figures.live.regions import NO_ROWS, columns, frame
from anova_report.figures.style import LIGHT
from tests.figures.live.reading import built, glyphs
from tests.figures.samples import edge_regions, rich_regions


def test_there_is_a_cell_for_every_region_and_none_where_there_is_none():
    data, found = rich_regions(), columns(rich_regions())["cells"]
    assert len(found["left"]) == 10 + 3 + 7
    assert found["gap"] == pytest.approx([gap for row in data.gap for gap in row], abs=1e-4)
    rows = [round((top + bottom) / 2) for top, bottom in zip(found["top"], found["bottom"], strict=True)]
    assert rows == [0] * 10 + [1] * 3 + [2] * 7


def test_features_are_read_from_the_top_and_regions_from_the_left():
    found = frame(rich_regions())
    assert found.y.start > found.y.end
    assert found.x.start < found.x.end
    assert columns(rich_regions())["cells"]["left"][:3] == [-0.5, 0.5, 1.5]


def test_hover_text_names_the_region_its_gap_and_its_rows():
    assert columns(rich_regions())["cells"]["tip"][11] == "weather: mist\ngap 0.17\n110 rows"


def test_a_region_without_rows_has_a_colour_of_its_own():
    found = columns(edge_regions())["cells"]
    assert found["gap"] == [NO_ROWS]
    assert "gap" not in found["tip"][0].split("\n")[-1]
    mapper = glyphs(built(edge_regions()), "cells")[0].fill_color.transform
    assert mapper.low_color == LIGHT["shade"]
    assert mapper.low > NO_ROWS


def test_the_largest_gap_of_each_feature_is_written_and_named():
    found = columns(rich_regions())
    assert found["largest"]["x"] == [2.0, 1.0, 6.0]
    assert found["largest"]["text"] == ["0.23", "0.17", "0.23"]
    assert found["places"]["text"] == ["2 to 3", "mist", "g"]
    assert columns(edge_regions())["places"]["text"] == ["no rows"]


def test_colours_run_from_zero_to_the_limit_which_is_said():
    assert frame(rich_regions()).limits == (0.0, 0.25)
    assert frame(rich_regions()).y.label.endswith("colours: 0 to 0.25")
    assert frame(replace(rich_regions(), limit=0.0)).limits == (0.0, 1.0)
