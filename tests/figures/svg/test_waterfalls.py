from dataclasses import replace
from itertools import accumulate, pairwise

import pytest

from anova_report.figures.kinds import Axis, Step, Waterfall
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg.text import width
from anova_report.figures.svg.waterfalls import WORDS, values
from tests.figures.samples import LONG, rich_waterfall
from tests.figures.svg.reading import drawn, number, part, parts, scale, subpaths, tags, texts


def bars(root):
    return parts(root, "bar")


def sums(data):
    return list(accumulate((*(step.value for step in data.steps), data.remainder), initial=data.base))


def test_each_bar_reaches_from_one_sum_to_the_next():
    data = rich_waterfall()
    root = drawn(data)
    x = scale(root, "x-axis")
    for bar, (before, after) in zip(bars(root), pairwise(sums(data)), strict=True):
        found = number(bar, "x"), number(bar, "x") + number(bar, "width")
        assert found == pytest.approx(sorted((x(before), x(after))), abs=0.5)


def test_bars_hang_together_from_the_mean_to_the_answer():
    data = rich_waterfall()
    root = drawn(data)
    links = subpaths(part(root, "links").get("d") or "")
    spots = [line[0][0] for line in links]
    x = scale(root, "x-axis")
    assert all(start[0] == end[0] for start, end in links)
    assert spots == pytest.approx([x(total) for total in sums(data)], abs=0.5)
    assert number(tags(part(root, "mean"), "circle")[0], "cx") == pytest.approx(spots[0], abs=0.1)
    assert number(tags(part(root, "answer"), "circle")[0], "cx") == pytest.approx(spots[-1], abs=0.1)


def test_links_run_from_row_to_row():
    root = drawn(rich_waterfall())
    links = subpaths(part(root, "links").get("d") or "")
    assert all(before[1][1] == after[0][1] for before, after in pairwise(links))


def test_the_length_of_a_bar_is_proportional_to_its_step():
    data = rich_waterfall()
    lengths = [number(bar, "width") for bar in bars(drawn(data))]
    sizes = [abs(step.value) for step in data.steps]
    for length, step in zip(lengths, sizes, strict=False):
        assert length / lengths[0] == pytest.approx(step / sizes[0], abs=0.005)


def test_signs_have_their_colours_and_the_gap_is_hatched():
    root = drawn(rich_waterfall())
    fills = [bar.get("fill") or "" for bar in bars(root)]
    signs = ["positive" if step.value > 0 else "negative" for step in rich_waterfall().steps]
    for fill, sign in zip(fills, signs, strict=False):
        assert f"--{sign}" in fill
    assert fills[-1] == f"url(#{tags(root, 'pattern')[0].get('id')})"


def test_each_step_says_its_name_and_what_it_adds():
    found = texts(drawn(rich_waterfall()))
    assert {"mean", "2.07", "+0.82", "−0.41", "gap", "−0.05", "answer", "2.63"} <= set(found)
    for step in rich_waterfall().steps:
        assert step.label in found
        assert step.detail in found


@pytest.mark.parametrize(
    ("label", "detail", "words"),
    [
        ("age", "age = 37", "37"),
        ("age × hours", "age = 37, hours = 40", "37, 40"),
        ("3 further terms", "", ""),
        ("age", "thirty-seven", "thirty-seven"),
        ("a × aa", "a = 1, aa = 2", "1, 2"),
    ],
)
def test_names_are_not_said_twice(label, detail, words):
    assert values(Step(label, detail, 1.0)) == words


def test_words_stay_in_their_column_and_do_not_touch():
    data = replace(rich_waterfall(), steps=(Step(LONG, LONG, 0.5), Step("short", LONG, 0.5), Step(LONG, "", 0.5)))
    for group in parts(drawn(data), "step"):
        label, detail = _words(group)
        right = width(label.text or "", TEXT)
        assert right <= WORDS
        if detail is not None:
            left = number(detail, "x") - width(detail.text or "", SMALL)
            assert left > right


def _words(group):
    labels = [text for text in tags(group, "text") if text.get("x") == "0"]
    details = [text for text in tags(group, "text") if text.get("font-size")]
    return labels[0], details[0] if details else None


def test_numbers_stand_outside_their_bars_and_on_the_page():
    data = rich_waterfall()
    root = drawn(data)
    for group in parts(root, "step"):
        (bar,) = parts(group, "bar")
        value = next(text for text in tags(group, "text") if (text.text or "")[0] in "+−")
        left, right = number(bar, "x"), number(bar, "x") + number(bar, "width")
        if value.get("text-anchor") == "start":
            assert right < number(value, "x") < size(data)[0] - width(value.text or "", TEXT) + 1
        else:
            assert WORDS < number(value, "x") - width(value.text or "", TEXT) < number(value, "x") < left


def test_an_answer_without_steps_is_the_mean_and_a_gap():
    root = drawn(Waterfall(Axis("answer", 0.0, 2.0), 1.0, (), 0.5, 1.5))
    assert len(bars(root)) == 1
    assert {"mean", "gap", "answer", "+0.5"} <= set(texts(root))


def test_a_step_of_nothing_is_still_visible():
    root = drawn(Waterfall(Axis("answer", -1.0, 1.0), 0.0, (Step("a", "", 0.0),), 0.0, 0.0))
    assert all(number(bar, "width") >= 1 for bar in bars(root))


@pytest.mark.parametrize("n", [0, 1, 10, 15])
def test_all_rows_are_on_the_page(n):
    data = Waterfall(Axis("answer", 0.0, n + 1.0), 0.0, tuple(Step(f"s{k}", "", 1.0) for k in range(n)), 0.5, n + 0.5)
    root = drawn(data)
    assert all(0 < number(text, "y") < size(data)[1] for text in tags(root, "text"))
    heights = [number(bar, "y") for bar in bars(root)]
    assert all(after - before == pytest.approx(26) for before, after in pairwise(heights))
