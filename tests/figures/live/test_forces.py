from dataclasses import replace

import pytest

from anova_report.figures.kinds import Force, Step
from anova_report.figures.live.forces import columns, frame
from tests.figures.samples import edge_force, rich_force


def test_pushes_up_end_at_the_answer_and_pushes_down_begin_there():
    data, found = rich_force(), columns(rich_force())["pushes"]
    for left, right, colour in zip(found["left"], found["right"], found["colour"], strict=True):
        if colour == "positive":
            assert right <= data.answer + 1e-3
        elif colour == "negative":
            assert left >= data.answer - 1e-3


def test_pushes_are_as_long_as_they_are_large_and_leave_no_gaps():
    found = columns(rich_force())["pushes"]
    lengths = sorted(right - left for left, right in zip(found["left"], found["right"], strict=True))
    assert lengths == pytest.approx(sorted((0.82, 0.41, 0.22, 0.12, 0.07, 0.03, 0.05)), abs=1e-3)
    assert max(found["right"]) - min(found["left"]) == pytest.approx(sum(lengths), abs=2e-3)


def test_what_is_pushed_up_less_what_is_pushed_down_leads_from_the_mean_to_the_answer():
    data, found = rich_force(), columns(rich_force())["pushes"]
    up = data.answer - min(found["left"])
    down = max(found["right"]) - data.answer
    assert data.base + up - down == pytest.approx(data.answer, abs=2e-3)


def test_the_largest_push_is_next_to_the_answer_and_the_gap_outermost():
    data, found = rich_force(), columns(rich_force())["pushes"]
    assert found["right"][0] == pytest.approx(data.answer, abs=1e-3)
    assert found["colour"][-1] == "rest"
    assert found["hatch"][-1] == "/"
    assert found["right"][-1] == max(found["right"])


def test_a_step_called_gap_is_no_gap():
    data = replace(rich_force(), steps=(Step("gap", "not explained", 0.1),), remainder=0.0)
    assert columns(data)["pushes"]["colour"] == ["positive"]


def test_the_axis_holds_all_pushes():
    found, x = columns(edge_force())["pushes"], frame(edge_force()).x
    assert x.low <= min(found["left"])
    assert x.high >= max(found["right"])


def test_the_mean_and_the_answer_are_marked_and_named():
    data, found = rich_force(), columns(rich_force())
    assert found["rules"]["x0"] == pytest.approx([data.base, data.answer], abs=1e-3)
    assert found["words"]["text"] == ["mean 2.07", "answer 2.63"]


@pytest.mark.parametrize(("answer", "sides"), [(0.05, ["right", "left"]), (-0.05, ["left", "right"])])
def test_words_of_a_mean_near_the_answer_stand_on_different_sides(answer, sides):
    data = Force(replace(rich_force().axis, low=-1.0, high=1.0), 0.0, (Step("a", "", answer),), 0.0, answer)
    assert columns(data)["words"]["align"] == sides


def test_words_at_the_end_of_the_axis_stay_inside():
    data = Force(replace(rich_force().axis, low=0.0, high=1.0), 0.0, (Step("a", "", 1.0),), 0.0, 1.0)
    assert columns(data)["words"]["align"] == ["left", "right"]


def test_only_names_that_have_room_are_written_the_largest_first():
    found = columns(rich_force())["names"]
    assert found["text"][0] == "MedInc"
    assert len(found["text"]) < 7
    assert found["number"][0] == "+0.82"


def test_steps_of_nothing_are_no_pushes():
    nothing = Force(rich_force().axis, 2.0, (Step("a", "", 0.0),), 0.0, 2.0)
    assert columns(nothing)["pushes"]["left"] == []


def test_the_picture_is_read_from_the_top():
    y = frame(rich_force()).y
    assert y.start > y.end == 0
