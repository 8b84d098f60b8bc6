"""Waterfalls and forces: everything adds up, whatever the row."""

import math
from itertools import accumulate

import numpy as np
import pytest

from anova_report.figures.columns import Rows, force, row_values, waterfall
from anova_report.figures.columns.axes import MISSING, NOT_SEEN
from anova_report.figures.columns.cases import MOST_STEPS
from anova_report.figures.kinds import Force, Waterfall


@pytest.mark.parametrize("draw", [waterfall, force])
@pytest.mark.parametrize("row", [0, 17, 399])
def test_base_steps_and_remainder_add_up_to_the_answer(known, mixed, wide, triple, published, draw, row):
    for case in (known, mixed, wide, triple, published):
        data = draw(case.rows, row).data
        total = math.fsum([data.base, *(step.value for step in data.steps), data.remainder])
        assert total == pytest.approx(data.answer, rel=1e-12, abs=1e-12)
        assert data.answer == np.reshape(case.answers, (len(case.answers), -1))[row, 0]


def test_the_base_is_the_mean_and_the_remainder_the_gap(known):
    data = waterfall(known.rows, 8).data
    assert data.base == known.dec.mean
    gap = known.answers[8] - known.dec.predict(known.X.iloc[[8]])[0]
    assert data.remainder == pytest.approx(gap, abs=1e-12)


def test_steps_are_the_contributions_largest_first(known):
    data = waterfall(known.rows, 8).data
    sizes = [abs(step.value) for step in data.steps]
    assert sizes == sorted(sizes, reverse=True)
    expected = dict(zip(map(known.dec.label, known.dec.terms), known.dec.components(known.X.iloc[[8]])[0], strict=True))
    assert {step.label: step.value for step in data.steps} == expected


def test_small_steps_are_taken_together_in_the_last(wide):
    data = waterfall(wide.rows, 3).data
    assert len(data.steps) == MOST_STEPS
    ranked = [item for item in wide.rows.explanation(3, 0).ranked() if item.value]
    assert data.steps[-1].label == f"{len(ranked) - MOST_STEPS + 1} further terms"
    assert data.steps[-1].value == pytest.approx(sum(item.value for item in ranked[MOST_STEPS - 1 :]), rel=1e-9)


def test_as_many_steps_as_fit_are_all_shown(known):
    assert len(waterfall(known.rows, 0, top=4).data.steps) == 4
    assert "further" not in waterfall(known.rows, 0, top=4).data.steps[-1].label
    assert waterfall(known.rows, 0, top=3).data.steps[-1].label == "2 further terms"


def test_the_axis_holds_every_sum_on_the_way(known, mixed):
    for case in (known, mixed):
        for row in range(20):
            data = waterfall(case.rows, row).data
            sums = [*accumulate((step.value for step in data.steps), initial=data.base), data.answer]
            assert data.axis.low < min(sums)
            assert data.axis.high > max(sums)


def test_a_force_holds_the_same_as_a_waterfall(known):
    first, second = waterfall(known.rows, 5).data, force(known.rows, 5).data
    assert type(first) is Waterfall
    assert type(second) is Force
    assert (first.axis, first.base, first.steps, first.remainder, first.answer) == (
        second.axis,
        second.base,
        second.steps,
        second.remainder,
        second.answer,
    )


def test_without_answers_the_explanation_stands_in_for_the_answer(known):
    figure = waterfall(Rows.of(known.dec, known.X), 5)
    assert figure.data.remainder == 0.0
    assert figure.data.answer == pytest.approx(known.dec.predict(known.X.iloc[[5]])[0], rel=1e-12)
    assert "the answer is" not in figure.alt
    assert [line[0] for line in figure.table.rows][-1] == "explanation"


def test_the_table_holds_every_step(known):
    figure = waterfall(known.rows, 5)
    names = [line[0] for line in figure.table.rows]
    assert names == ["mean", *(step.label for step in figure.data.steps), "explanation", "gap", "answer"]


def test_steps_say_the_values_of_their_features(mixed):
    row = int(np.argmax(mixed.X["income"].isna()))
    details = {step.label: step.detail for step in waterfall(mixed.rows, row, top=50).data.steps}
    assert details["size"] == f"size = {mixed.X['size'].iloc[row]}"
    assert details["income × member"] == f"income = {MISSING}, member = {mixed.X['member'].iloc[row]}"
    assert details["sold"] == f"sold = {mixed.X['sold'].iloc[row]:%Y-%m-%d}"


def test_all_values_of_a_row_are_written_in_words(mixed):
    new = mixed.X.head(60).assign(colour="octarine")
    values = dict(row_values(Rows.of(mixed.dec, new), 0))
    assert tuple(values) == mixed.dec.feature_names
    assert values["colour"] == NOT_SEEN
    assert values["rooms"] == str(mixed.X["rooms"].iloc[0])


def test_a_constant_model_has_no_steps(constant):
    figure = waterfall(constant.rows, 0)
    assert figure.data.steps == ()
    assert figure.data.answer == 3.5
    assert figure.alt == "No term moves the answer from the mean 3.5; the answer is 3.5, which leaves a gap of 0."


def test_the_alternative_text_tells_the_way_from_the_mean_to_the_answer(known):
    figure = waterfall(known.rows, 8)
    first = figure.data.steps[0]
    assert figure.alt.startswith("From the mean 5")
    assert first.label in figure.alt
    assert "which leaves a gap of" in figure.alt
    assert " and 1 more step lead to" in figure.alt
