from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Step, Waterfall
from anova_report.figures.live.waterfalls import bars, columns, frame
from tests.figures.samples import edge_waterfall, rich_waterfall


def test_each_bar_starts_where_the_one_before_ends_and_the_last_ends_at_the_answer():
    data = rich_waterfall()
    found = bars(data)
    assert found[0].start == data.base
    assert all(before.end == after.start for before, after in pairwise(found))
    assert found[-1].end == pytest.approx(data.answer)


def test_boxes_are_the_bars():
    found = columns(rich_waterfall())["bars"]
    for bar, left, right in zip(bars(rich_waterfall()), found["left"], found["right"], strict=True):
        assert (left, right) == pytest.approx(sorted((bar.start, bar.end)), abs=1e-3)


def test_signs_have_colours_and_what_is_not_explained_is_hatched():
    found = columns(rich_waterfall())["bars"]
    assert found["colour"] == ["positive", "negative", "positive", "negative", "positive", "positive", "rest"]
    assert found["hatch"] == [" "] * 6 + ["/"]


def test_rows_run_from_the_mean_to_the_answer():
    names = [name for _, name in frame(rich_waterfall()).y.names]
    assert names[0] == "mean"
    assert names[1] == "MedInc · value 0"
    assert names[-2:] == ["gap · not explained", "answer"]


def test_links_join_the_sums():
    found = columns(rich_waterfall())["rules"]
    assert found["x0"] == found["x1"]
    assert found["y0"] == [float(row) for row in range(8)]
    assert found["y1"] == [row + 1 for row in found["y0"]]


def test_positions_of_rows_do_not_depend_on_how_large_answers_are():
    large = replace(rich_waterfall(), axis=replace(rich_waterfall().axis, low=0.0, high=1e9))
    assert columns(large)["rules"]["y1"] == columns(rich_waterfall())["rules"]["y1"]


def test_numbers_stand_outside_the_ends_of_bars():
    found = columns(rich_waterfall())["numbers"]
    assert found["text"][:3] == ["2.07", "+0.82", "−0.41"]
    assert found["align"][:3] == ["left", "left", "right"]
    assert found["aside"][2] < 0 < found["aside"][1]


def test_the_ends_are_dots():
    found = columns(rich_waterfall())["dots"]
    assert found["x"] == pytest.approx([2.07, rich_waterfall().answer], abs=1e-3)
    assert found["y"] == [0.0, 8.0]
    assert found["tip"] == ["mean 2.07", "answer 2.63"]


def test_hover_text_has_the_values_of_the_row():
    assert columns(rich_waterfall())["bars"]["tip"][1] == "Latitude × Longitude\nvalue 1\n−0.41"


def test_a_step_that_names_its_feature_twice_names_it_once():
    data = Waterfall(rich_waterfall().axis, 2.0, (Step("age × hours", "age = 37, hours = 40", 0.2),), 0.0, 2.2)
    assert frame(data).y.names[1][1] == "age × hours · 37, 40"


def test_an_answer_that_is_the_mean_is_drawn():
    found = columns(edge_waterfall())["bars"]
    assert found["left"] == found["right"] == [0.0, 0.0]
