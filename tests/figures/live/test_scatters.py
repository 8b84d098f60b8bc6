from dataclasses import replace

import pytest

from anova_report.figures.live.scatters import columns, frame
from tests.figures.live.reading import built, said
from tests.figures.samples import edge_scatter, rich_scatter


def test_every_row_is_a_point_with_its_number():
    data, found = rich_scatter(), columns(rich_scatter())["points"]
    assert found["x"] == pytest.approx(data.at, abs=1e-3)
    assert found["y"] == pytest.approx(data.value, abs=1e-3)
    assert found["row"] == list(data.rows)


def test_a_marked_row_is_the_point_it_is():
    found = columns(rich_scatter())
    assert found["marked"]["row"] == [7 * 17]
    assert found["marked"]["x"] == [found["points"]["x"][17]]
    assert columns(edge_scatter())["marked"]["row"] == []
    assert columns(replace(rich_scatter(), marked=999))["marked"]["row"] == []


def test_the_line_of_equality_passes_where_both_are_equal():
    found = columns(rich_scatter())["rules"]
    assert (found["x0"], found["x1"]) == (found["y0"], found["y1"])
    assert columns(edge_scatter())["rules"]["x0"] == []


def test_the_label_says_how_many_rows_of_how_many_are_shown():
    assert frame(rich_scatter()).y.label == "explanation; 200 of 5,000 rows; dashed: both equal"
    everything = replace(rich_scatter(), n_rows=200, identity=False)
    assert frame(everything).y.label == "explanation"


def test_hover_text_names_the_row_and_both_values():
    assert list(said(built(rich_scatter()), "points")) == ["row", "answer", "explanation"]
