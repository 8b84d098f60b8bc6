import numpy as np
import pytest
from anova_report.figures.columns import Rows, force, local_network, waterfall

from anova_report.explorer.what_if import EDITED, Reply, make_case
from tests.explorer import examples


@pytest.fixture(scope="module")
def rows() -> Rows:
    return examples.known().state().rows


def test_a_row_as_it_is_gives_the_figures_of_the_rows(rows):
    found = make_case(rows, 3, 0, None, None).figures()
    assert found["waterfall"] == waterfall(rows, 3, key="row-waterfall")
    assert found["force"] == force(rows, 3, key="row-force")
    assert found["local"] == local_network(rows, 3, key="row-network")


def test_an_edited_row_is_explained_by_its_new_values(rows):
    case = make_case(rows, 3, 0, np.array([0.5, 0.0, -0.5]), None)
    parts = {item.label: item.value for item in case.found.contributions}
    assert parts["a"] == pytest.approx(1.0, abs=0.1)
    assert parts["b"] == pytest.approx(-1.0, abs=0.1)
    assert parts["a × c"] == pytest.approx(-1.0, abs=0.1)
    assert case.found.answer is None


def test_the_row_itself_does_not_change(rows):
    before = rows.values[3].copy()
    make_case(rows, 3, 0, np.array([0.5, 0.0, -0.5]), None)
    np.testing.assert_array_equal(rows.values[3], before)


def test_figures_of_an_edited_row_say_so_and_show_its_values(rows):
    found = make_case(rows, 3, 0, np.array([0.5, 0.0, -0.5]), None).figures()
    assert all(figure.title.endswith(EDITED) for figure in found.values())
    steps = {step.label: step.detail for step in found["waterfall"].data.steps}
    assert steps["a × c"] == "a = 0.5, c = −0.5"


def test_the_reply_of_the_model_is_the_answer_of_an_edited_row(rows):
    case = make_case(rows, 3, 0, np.array([0.5, 0.0, -0.5]), Reply(7.0))
    assert case.found.answer == 7.0
    data = case.figures()["waterfall"].data
    assert data.answer == 7.0
    total = data.base + sum(step.value for step in data.steps) + data.remainder
    assert total == pytest.approx(7.0)


def test_a_known_answer_counts_more_than_a_reply(rows):
    assert make_case(rows, 3, 0, None, Reply(7.0)).found.answer == pytest.approx(examples.known().answers[3])


def test_without_answers_the_reply_is_the_answer():
    rows = examples.known().state(answered=False).rows
    assert make_case(rows, 3, 0, None, Reply(7.0)).found.answer == 7.0
    assert make_case(rows, 3, 0, None, Reply(None, "out of order")).found.answer is None


def test_the_answer_belongs_to_the_output():
    rows = examples.mixed().state().rows
    assert make_case(rows, 3, 1, None, None).found.answer == pytest.approx(examples.mixed().answers[3, 1])
