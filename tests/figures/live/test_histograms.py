from dataclasses import replace

import pytest

from anova_report.figures.live.histograms import columns, frame
from tests.figures.samples import edge_histogram, rich_histogram


def test_bars_stand_between_their_edges_as_high_as_their_counts():
    data, found = rich_histogram(), columns(rich_histogram())["bars"]
    assert found["left"] == pytest.approx(data.edges[:-1], abs=1e-3)
    assert found["right"] == pytest.approx(data.edges[1:], abs=1e-3)
    assert found["top"] == list(data.count)
    assert set(found["bottom"]) == {0}


def test_bars_of_levels_stand_on_their_levels():
    found = columns(edge_histogram())["bars"]
    middles = [(left + right) / 2 for left, right in zip(found["left"], found["right"], strict=True)]
    assert middles == pytest.approx([0, 1, 2])
    assert found["tip"][0] == "clear\n1,500,000 rows"


def test_hover_text_has_the_range_and_the_rows():
    assert columns(rich_histogram())["bars"]["tip"][8] == "5.33 to 5.94\n400 rows"


def test_the_axis_of_rows_begins_at_zero_and_holds_the_highest_bar():
    y = frame(rich_histogram()).y
    assert y.low == 0
    assert y.high > max(rich_histogram().count)


def test_no_rows_at_all_have_an_axis():
    assert frame(replace(rich_histogram(), count=(0,) * 24)).y.high > 0
