from dataclasses import replace

import pytest

from anova_report.figures.live.shares import frame, share_columns, total_columns
from tests.figures.samples import edge_shares, edge_totals, rich_shares, rich_totals


def test_structural_bars_start_at_zero_and_correlative_ones_at_their_ends():
    data, found = rich_shares(), share_columns(rich_shares())
    assert found["bars"]["left"] == pytest.approx([0.0] * 6)
    assert found["bars"]["right"] == pytest.approx(data.structural, abs=1e-4)
    ends = list(zip(found["correlative"]["left"], found["correlative"]["right"], strict=True))
    wanted = [sorted(pair) for pair in zip(data.structural, data.total, strict=True)]
    assert ends == [pytest.approx(pair, abs=1e-4) for pair in wanted]


def test_dots_are_totals():
    assert share_columns(rich_shares())["dots"]["x"] == pytest.approx(rich_shares().total, abs=1e-4)


def test_a_negative_total_is_within_the_axis():
    x = frame(rich_shares()).x
    assert x.low < min(rich_shares().lower)
    assert x.percent


def test_all_rows_together_are_all_of_the_variance():
    data = rich_shares()
    found = share_columns(data)
    assert len(found["numbers"]["text"]) == len(frame(data).y.names) == len(data.labels) + 2
    rest = found["others"]["right"]
    assert sum(data.total) + sum(rest) == pytest.approx(1.0, abs=0.02)


def test_what_is_not_named_comes_after_what_is():
    names = [name for _, name in frame(rich_shares()).y.names]
    assert names[-2:] == ["12 further terms", "unexplained"]
    assert [name for _, name in frame(rich_totals()).y.names][-2:] == ["3 further features", "unexplained"]
    assert [name for _, name in frame(edge_shares()).y.names][1:] == ["unexplained"]
    assert share_columns(rich_shares())["others"]["colour"] == ["rest", "unexplained"]


def test_hover_text_has_every_share():
    said = share_columns(rich_shares())["bars"]["tip"][0].split("\n")
    assert said == ["MedInc", "total 41.0%", "95% interval 39.0% to 43.0%", "structural 35.0%", "correlative 6.0%"]
    assert total_columns(rich_totals())["bars"]["tip"][0] == "MedInc\n44.0%\n95% interval 41.0% to 47.0%"


def test_without_intervals_there_are_no_whiskers():
    assert len(share_columns(rich_shares())["rules"]["x0"]) == 1 + 6
    assert len(share_columns(edge_shares())["rules"]["x0"]) == 1
    assert "interval" not in total_columns(edge_totals())["bars"]["tip"][0]


def test_rows_are_drawn_in_the_order_they_came():
    found = total_columns(rich_totals())
    middles = [(top + bottom) / 2 for top, bottom in zip(found["bars"]["top"], found["bars"]["bottom"], strict=True)]
    assert middles == pytest.approx([0, 1, 2, 3, 4])
    assert frame(rich_totals()).y.start > frame(rich_totals()).y.end


def test_numbers_stand_at_the_right_end():
    found = total_columns(rich_totals())["numbers"]
    assert set(found["x"]) == {frame(rich_totals()).x.end}
    assert found["text"][:2] == ["44.0%", "21.0%"]


def test_a_feature_that_explains_nothing_has_an_axis():
    nothing = replace(edge_totals(), unexplained=0.0)
    x = frame(nothing).x
    assert x.high > x.low
