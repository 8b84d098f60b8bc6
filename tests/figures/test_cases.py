"""Waterfalls and forces: everything adds up, whatever the row, and all words stay inside and apart."""

import math
from dataclasses import replace
from itertools import accumulate, combinations, pairwise

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.cases import (
    LONGEST,
    MOST_STEPS,
    NARROW,
    VALUES,
    WORDS,
    Force,
    Step,
    Waterfall,
    force,
    row_values,
    waterfall,
)
from anova_report.figures.geometry import Axis
from anova_report.figures.rows import Rows
from anova_report.figures.style import SMALL, TEXT
from anova_report.figures.text import clean, shorten, width
from anova_report.measures.values import MISSING, NOT_SEEN
from tests.figures.samples import LONG, edge_force, edge_waterfall, rich_force, rich_waterfall


@pytest.mark.parametrize("draw", [waterfall, force])
@pytest.mark.parametrize("row", [0, 17, 399])
def test_base_steps_and_remainder_add_up_to_the_prediction(known, mixed, wide, triple, published, draw, row):
    for case in (known, mixed, wide, triple, published):
        data = draw(case.rows, row).data
        total = math.fsum([data.base, *(step.value for step in data.steps), data.remainder])
        assert total == pytest.approx(data.prediction, rel=1e-12, abs=1e-12)
        assert data.prediction == np.reshape(case.predictions, (len(case.predictions), -1))[row, 0]


def test_the_base_is_the_mean_and_the_remainder_the_residual(known):
    data = waterfall(known.rows, 8).data
    assert data.base == known.dec.mean
    residual = known.predictions[8] - known.dec.predict(known.X.iloc[[8]])[0]
    assert data.remainder == pytest.approx(residual, abs=1e-12)


def test_steps_are_the_contributions_largest_first(known):
    data = waterfall(known.rows, 8).data
    sizes = [abs(step.value) for step in data.steps]
    assert sizes == sorted(sizes, reverse=True)
    components = known.dec.components(known.X.iloc[[8]])[0]
    assert {step.term: step.value for step in data.steps} == dict(zip(known.dec.terms, components, strict=True))


def test_small_steps_are_taken_together_in_the_last_unless_all_fit(known, wide):
    data = waterfall(wide.rows, 3).data
    assert len(data.steps) == MOST_STEPS
    ranked = [item for item in wide.rows.explanation(3, 0).ranked() if item.value]
    assert data.steps[-1].label == f"{len(ranked) - MOST_STEPS + 1} further terms"
    assert data.steps[-1].term == ()
    assert data.steps[-1].value == pytest.approx(sum(item.value for item in ranked[MOST_STEPS - 1 :]), rel=1e-9)
    assert len(waterfall(known.rows, 0, top=4).data.steps) == 4
    assert all(step.term for step in waterfall(known.rows, 0, top=4).data.steps)
    assert waterfall(known.rows, 0, top=3).data.steps[-1].label == "2 further terms"


def test_the_axis_holds_every_sum_on_the_way(known, mixed):
    for case in (known, mixed):
        for row in range(20):
            data = waterfall(case.rows, row).data
            sums = [*accumulate((step.value for step in data.steps), initial=data.base), data.prediction]
            assert data.axis.low < min(sums)
            assert data.axis.high > max(sums)


def test_a_force_shows_the_same_as_a_waterfall(known):
    first, second = waterfall(known.rows, 4).data, force(known.rows, 4).data
    assert type(second) is Force
    assert vars(first) == vars(second)


def test_without_predictions_the_explanation_stands_in_for_the_prediction(known):
    figure = waterfall(Rows.of(known.dec, known.X), 5)
    assert figure.data.remainder == 0.0
    assert figure.data.prediction == pytest.approx(known.dec.predict(known.X.iloc[[5]])[0], rel=1e-12)
    assert "the prediction is" not in figure.alt
    assert [line[0] for line in figure.table.rows][-1] == "explained value"


def test_the_table_and_the_alternative_text_tell_the_way_from_the_mean_to_the_prediction(known):
    figure = waterfall(known.rows, 8)
    names = [line[0] for line in figure.table.rows]
    assert names == ["mean", *(step.label for step in figure.data.steps), "explained value", "residual", "prediction"]
    assert figure.alt.startswith("From the mean 5")
    assert figure.data.steps[0].label in figure.alt
    assert " and 1 more step lead to" in figure.alt
    assert "which leaves a residual of" in figure.alt


def test_steps_say_the_values_of_their_features(mixed):
    row = int(np.argmax(mixed.X["income"].isna()))
    steps = {step.label: step for step in waterfall(mixed.rows, row, top=50).data.steps}
    member, sold = mixed.X["member"].iloc[row], mixed.X["sold"].iloc[row]
    assert steps["size"].detail == f"size = {mixed.X['size'].iloc[row]}"
    assert steps["income × member"].detail == f"income = {MISSING}, member = {member}"
    assert steps["income × member"].values == f"{MISSING}, {member}"
    assert steps["sold"].values == f"{sold:%Y-%m-%d}"


def test_all_values_of_a_row_are_written_in_words(mixed):
    new = mixed.X.head(60).assign(color="octarine")
    values = dict(row_values(Rows.of(mixed.dec, new), 0))
    assert tuple(values) == mixed.dec.feature_names
    assert values["color"] == NOT_SEEN
    assert values["rooms"] == str(mixed.X["rooms"].iloc[0])


def test_a_constant_model_has_no_steps(constant):
    figure = waterfall(constant.rows, 0)
    assert figure.data.steps == ()
    assert figure.data.prediction == 3.5
    assert (
        figure.alt
        == "No term changes the prediction from the mean 3.5; the prediction is 3.5, which leaves a residual of 0."
    )


def test_names_that_look_like_pairs_or_like_our_own_words_change_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(1500, 5)), columns=["a", "b", "a × b", "mean", "residual"])
    predictions = np.asarray(X.sum(axis=1) + 3 * X["a"] * X["b"])
    dec = FunctionalANOVA(2, random_state=0, progress=False).fit(X, predictions).decomposition_
    data = waterfall(Rows.of(dec, X, predictions), 7, top=50).data
    components = dict(zip(dec.terms, dec.components(X.iloc[[7]])[0], strict=True))
    for step in data.steps:
        assert step.value == components[step.term]
        assert step.values == ", ".join(text for _, text in row_values(Rows.of(dec, X), 7, step.term))
    rows = {key: (bottom + top) / 2 for key, bottom, top in zip(*rows_of(data), strict=True)}
    assert rows == {step.term: row for row, step in enumerate(data.steps, start=1)}
    assert rows[(0, 1)] != rows[(2,)]
    pushed = item(Force(data.axis, data.base, data.steps, 0.0, data.prediction - data.remainder), "residual")
    assert pushed.left == ()  # a feature called residual is none


# The scenes.


def item(data, name):
    return next(found for found in data.scene().items if getattr(found, "name", type(found).__name__) == name)


def rows_of(data):
    found = item(data, "rows")
    return found.keys, found.bottom, found.top


def test_each_bar_of_a_waterfall_reaches_from_one_sum_to_the_next():
    data = rich_waterfall()
    sums = tuple(accumulate((*(step.value for step in data.steps), data.remainder), initial=data.base))
    steps, residual, links, ends = (item(data, name) for name in ("steps", "residual", "links", "ends"))
    assert list(zip((*steps.left, *residual.left), (*steps.right, *residual.right), strict=True)) == list(
        pairwise(sums)
    )
    assert links.x0 == links.x1 == sums
    assert (links.y0, links.y1) == (tuple(range(8)), tuple(range(1, 9)))
    assert ends.x == pytest.approx((data.base, data.prediction))
    assert ends.y == (0, 8)
    middles = [(top + bottom) / 2 for top, bottom in zip(steps.top, steps.bottom, strict=True)]
    assert middles == pytest.approx([1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("data", [rich_waterfall(), rich_force()])
def test_signs_have_their_colors_and_only_the_residual_is_hatched(data):
    steps, residual = item(data, "pushes" if isinstance(data, Force) else "steps"), item(data, "residual")
    assert steps.color.count("positive") == 4
    assert steps.color.count("negative") == 2
    assert (steps.hatched, residual.hatched) == (False, True)
    assert residual.tips == ("residual\nnot explained\n−0.05",)


def test_rows_of_a_waterfall_say_names_values_and_what_they_add():
    data = rich_waterfall()
    labels, values, numbers = (item(data, name) for name in ("labels", "values", "numbers"))
    assert labels.words == ("mean", *(step.label for step in data.steps), "residual", "prediction")
    assert dict(zip(values.y, values.words, strict=True))[2] == "34.1, −118.2"
    assert values.words[-1] == "not explained"
    assert numbers.words == ("2.07", "+0.82", "−0.41", "+0.22", "−0.12", "+0.07", "+0.03", "−0.05", "2.63")
    assert numbers.anchor[:3] == ("start", "start", "end")
    assert numbers.dx[2] < 0 < numbers.dx[1]
    assert item(data, "steps").tips[1] == "Latitude × Longitude\n34.1, −118.2\n−0.41"
    assert item(data, "ends").tips == ("mean 2.07", "prediction 2.63")


def test_steps_of_older_documents_say_their_values_with_names_and_cannot_be_clicked():
    data = replace(rich_waterfall(), steps=(Step("age × hours", "age = 37, hours = 40", 0.2),))
    assert item(data, "values").words[0] == "age = 37, hours = 40"
    assert rows_of(data) == ((), (), ())
    assert rows_of(rich_waterfall())[0] == ((0,), (6, 7), (5,), (1,), (6,))


def test_words_of_a_waterfall_stay_in_their_column_and_do_not_touch():
    steps = (Step(LONG, LONG, 0.5), Step("short", LONG, 0.5), Step(LONG, "", 0.5), Step(LONG, "37", 0.5))
    data = replace(rich_waterfall(), steps=steps)
    labels, values = item(data, "labels"), item(data, "values")
    rooms = zip(labels.dx, labels.words, labels.room, strict=True)
    ends = [dx + width(shorten(clean(words), room, TEXT), TEXT) for dx, words, room in rooms]
    assert max(ends) <= -VALUES
    for dx, row, words, room in zip(values.dx, values.y, values.words, values.room, strict=True):
        assert dx - width(shorten(clean(words), room, SMALL), SMALL) > ends[int(row)]
    assert labels.room[4] > labels.room[1]  # a short value leaves more room to its label


@pytest.mark.parametrize("n", [0, 1, 10, 15])
def test_a_waterfall_grows_with_its_rows_and_numbers_have_room_beside_bars(n):
    data = Waterfall(
        Axis("prediction", 0.0, n + 1.0), 0.0, tuple(Step(f"s{k}", "", 1.0) for k in range(n)), 0.5, n + 0.5
    )
    scene = data.scene()
    (panel,), (wide, high) = scene.panels, scene.size
    assert panel.down(1.0) - panel.down(0.0) == pytest.approx(26)
    assert panel.frame.bottom < high
    assert panel.frame.left - WORDS == wide - panel.frame.right == VALUES
    assert width("−12,345", TEXT) < VALUES


def test_a_number_that_is_long_has_room_at_the_last_bar():
    data = replace(edge_waterfall(), remainder=-1.234e-17, prediction=1234567.891)
    scene = data.scene()
    numbers, (panel,) = item(data, "numbers"), scene.panels
    assert "−1.23e−17" in numbers.words
    for x, words, dx, anchor in zip(numbers.x, numbers.words, numbers.dx, numbers.anchor, strict=True):
        at = panel.across(panel.held_x(x)) + dx
        low, high = (at, at + width(words, TEXT)) if anchor == "start" else (at - width(words, TEXT), at)
        assert low >= WORDS
        assert high <= scene.size[0]


def test_a_step_of_nothing_is_still_seen():
    for name in ("steps", "residual"):
        assert item(edge_waterfall(), name).least >= 1
        assert item(edge_waterfall(), name).left == item(edge_waterfall(), name).right == (0.0,)


def test_pushes_lie_end_to_end_the_largest_next_to_the_prediction_and_the_residual_outermost():
    data = rich_force()
    pushes, residual = item(data, "pushes"), item(data, "residual")
    ends = sorted(zip((*pushes.left, *residual.left), (*pushes.right, *residual.right), strict=True))
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(ends))
    lengths = sorted(right - left for left, right in ends)
    assert lengths == pytest.approx(sorted((0.82, 0.41, 0.22, 0.12, 0.07, 0.03, 0.05)))
    up, down = data.prediction - ends[0][0], ends[-1][1] - data.prediction
    assert data.base + up - down == pytest.approx(data.prediction)
    assert (pushes.right[0], pushes.left[1]) == pytest.approx((data.prediction, data.prediction))
    assert residual.right[0] == ends[-1][1]
    assert item(data, "mean").x0 == (data.base,)
    assert item(data, "prediction").x0 == (data.prediction,)
    assert pushes.tips[0] == "MedInc\nMedInc: 8.3\n+0.82"


def test_the_axis_holds_every_push_even_where_the_sums_on_the_way_do_not():
    data = replace(rich_force(), axis=Axis("prediction", 2.0, 2.1))
    low, high = data.scene().panels[0].x
    assert low <= min(item(data, "pushes").left)
    assert high >= max(item(data, "residual").right)
    prediction = edge_force().prediction
    assert all(left >= prediction for left in item(edge_force(), "pushes").left)


def test_steps_of_nothing_are_no_pushes_and_the_residual_stays_the_residual():
    nothing = Force(Axis("prediction", 0.0, 2.0), 1.0, (Step("a", "", 0.0), Step("residual", "", 0.5)), -0.1, 1.4)
    assert item(nothing, "pushes").color == ("positive",)
    assert item(nothing, "residual").left == (1.4,)
    empty = Force(Axis("prediction", 0.0, 2.0), 1.0, (), 0.0, 1.0)
    assert item(empty, "pushes").left == item(empty, "residual").left == item(empty, "names").words == ()


def spread_out(data, name, scale):
    """Find from where to where words reach, in a plot of a part of its own width, and their heights."""
    scene, text = data.scene(), item(data, name)
    (panel,), n_words = scene.panels, len(text.words)
    room = text.room or math.inf
    heights = text.y if isinstance(text.y, tuple) else (text.y,) * n_words
    aside = text.dx if isinstance(text.dx, tuple) else (text.dx,) * n_words
    for x, dx, y, words, anchor in zip(text.x, aside, heights, text.words, text.anchor, strict=True):
        wide = width(shorten(clean(words), room, text.size), text.size)
        inner = (panel.frame.width - (1 - scale) * scene.size[0]) / panel.frame.width
        left = panel.frame.left + inner * (panel.across(x) - panel.frame.left) + dx
        left -= {"start": 0, "end": wide, "middle": wide / 2}[anchor]
        yield left, left + wide, y


def many_steps():
    steps = tuple(Step(f"a feature {k} × another", "", (-1) ** k * (0.5 - 0.03 * k)) for k in range(14))
    return Force(Axis("prediction", 0.0, 4.0), 2.0, steps, 0.0, 2.0 + sum(step.value for step in steps))


@pytest.mark.parametrize("scale", [1.0, NARROW, 1.6])
@pytest.mark.parametrize(
    "data",
    [
        rich_force(),
        edge_force(),
        many_steps(),
        Force(Axis("prediction", 0.0, 2.0), 1.0, (Step(LONG, LONG, 0.5), Step(LONG, "", -0.01)), -0.02, 1.47),
        *(
            Force(Axis("prediction", 0.0, 3.0), base, (Step("a", "", 1.5 - base),), 0.0, 1.5)
            for base in (0.0, 1.4, 1.49, 1.51, 1.6, 3.0)
        ),
    ],
)
def test_every_name_and_number_of_a_force_plot_is_inside_of_it_and_touches_no_other(data, scale):
    wide = data.scene().size[0] * scale
    for name in ("names", "name-numbers", "end-words"):
        found = list(spread_out(data, name, scale))
        assert all(-1 <= left < right <= wide + 1 for left, right, _ in found)
        for (a, b, y), (c, d, z) in combinations(found, 2):
            assert y != z or b <= c + 1 or d <= a + 1


def test_the_largest_pushes_are_named():
    names = item(rich_force(), "names")
    assert names.words[:2] == ("MedInc", "Latitude × Longitude")
    assert names.room == LONGEST
    assert item(rich_force(), "name-numbers").words[:2] == ("+0.82", "−0.41")
    tiny = Force(Axis("prediction", 0.0, 2.0), 0.5, (Step("large", "", 1.0), Step("tiny", "", 1e-6)), 0.0, 1.500001)
    assert item(tiny, "names").words == ("large",)


def test_a_second_row_of_names_makes_room_for_itself():
    one, two = Force(Axis("prediction", 0.0, 2.0), 1.0, (Step("a", "", 0.5),), 0.0, 1.5), many_steps()
    assert len(set(item(two, "names").y)) == 2
    assert two.scene().size[1] > one.scene().size[1] == 148
    for data in (one, two):
        assert max(item(data, "names").y) + 36 < data.scene().panels[0].frame.bottom


def test_all_scenes_of_a_kind_have_one_form():
    waterfalls = (rich_waterfall(), edge_waterfall(), Waterfall(Axis("prediction", 0.0, 2.0), 1.0, (), 0.5, 1.5))
    forces = (rich_force(), edge_force(), many_steps(), Force(Axis("prediction", 0.0, 2.0), 1.0, (), 0.0, 1.0))
    assert len({data.scene().form for data in waterfalls}) == len({data.scene().form for data in forces}) == 1
