from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from anova_report.figures.kinds import Axis, Force, Step
from anova_report.figures.style import TEXT, size
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG, edge_force, rich_force
from tests.figures.svg.reading import drawn, number, part, parts, scale, tags, texts


def pushes(root):
    return [(number(bar, "x"), number(bar, "x") + number(bar, "width"), bar) for bar in parts(root, "push")]


def place(root, name):
    """Where the mean or the answer is marked."""
    return number(part(part(root, "ends"), name), "x1")


def test_what_raises_the_answer_ends_at_it_and_what_lowers_it_begins_there():
    data = rich_force()
    root = drawn(data)
    x = scale(root, "x-axis")
    answer = place(root, "answer")
    assert answer == pytest.approx(x(data.answer), abs=0.5)
    for left, right, bar in pushes(root):
        if "--positive" in (bar.get("fill") or ""):
            assert right <= answer + 0.2
        elif "--negative" in (bar.get("fill") or ""):
            assert left >= answer - 0.2


def test_pushes_lie_end_to_end_without_gap_or_overlap():
    found = sorted((left, right) for left, right, _ in pushes(drawn(rich_force())))
    for (_, right), (left, _) in pairwise(found):
        assert left == pytest.approx(right, abs=0.21)


def test_the_length_of_a_push_is_proportional_to_its_step():
    data = rich_force()
    root = drawn(data)
    unit = scale(root, "x-axis")(1.0) - scale(root, "x-axis")(0.0)
    lengths = sorted(right - left for left, right, _ in pushes(root))
    sizes = sorted(abs(value) * unit for value in (*(step.value for step in data.steps), data.remainder))
    assert lengths == pytest.approx(sizes, abs=0.6)


def test_both_sides_balance_around_the_mean():
    # The mean, plus what raises, minus what lowers, is the answer: so each end is as far from one as from the other.
    data = rich_force()
    root = drawn(data)
    left = min(start for start, _, _ in pushes(root))
    right = max(end for _, end, _ in pushes(root))
    base, answer = place(root, "mean"), place(root, "answer")
    assert base - left == pytest.approx(right - answer, abs=0.6)


def test_the_largest_push_is_next_to_the_answer_and_the_gap_outermost():
    root = drawn(rich_force())
    answer = place(root, "answer")
    raising = sorted(
        (right - left, right) for left, right, bar in pushes(root) if "positive" in (bar.get("fill") or "")
    )
    assert raising[-1][1] == pytest.approx(answer, abs=0.2)
    (gap,) = [bar for bar in pushes(root) if (bar[2].get("fill") or "").startswith("url")]
    assert gap[1] == max(right for _, right, _ in pushes(root))


def test_names_do_not_overlap_and_stay_on_the_page():
    steps = tuple(Step(f"a feature {k} × another", "", (-1) ** k * (0.5 - 0.03 * k)) for k in range(14))
    answer = 2.0 + sum(step.value for step in steps)
    data = Force(Axis("answer", 0.0, 4.0), 2.0, steps, 0.0, answer)
    found = []
    for text in tags(part(drawn(data), "names"), "text"):
        half = width(text.text or "", TEXT) / 2
        found.append((number(text, "x") - half, number(text, "x") + half, number(text, "y")))
    assert len(found) >= 4
    for left, right, _ in found:
        assert left >= 0
        assert right <= size(data)[0]
    for (a, b, y), (c, d, z) in combinations(found, 2):
        assert y != z or b < c or d < a


def test_the_largest_pushes_are_named_first():
    steps = (Step("large", "", 1.0), Step("tiny", "", 0.001), Step("small", "", 0.002))
    found = texts(drawn(Force(Axis("answer", 0.0, 2.0), 0.5, steps, 0.0, 1.503)))
    assert "large" in found
    assert "+1" in found
    assert "tiny" not in found


@pytest.mark.parametrize("base", [0.0, 1.4, 1.49, 1.51, 1.6, 3.0])
def test_the_words_of_mean_and_answer_do_not_overlap(base):
    data = Force(Axis("answer", 0.0, 3.0), base, (Step("a", "", 1.5 - base),), 0.0, 1.5)
    boxes = []
    for text in tags(part(drawn(data), "ends"), "text"):
        wide = width(text.text or "", TEXT)
        left = number(text, "x") - {"start": 0, "end": wide, "middle": wide / 2}[text.get("text-anchor") or "start"]
        boxes.append((left, left + wide))
    (a, b), (c, d) = boxes
    assert b <= c + 1 or d <= a + 1
    assert min(a, c) >= -1
    assert max(b, d) <= size(data)[0] + 1


def test_an_answer_that_everything_lowers_has_nothing_at_its_left():
    root = drawn(edge_force())
    answer = place(root, "answer")
    assert all(left >= answer - 0.2 for left, _, _ in pushes(root))
    assert {"answer −1.5", "mean 0", "−1", "−0.5"} <= set(texts(root))


def test_the_axis_holds_every_push_even_where_the_sums_on_the_way_do_not():
    data = replace(rich_force(), axis=Axis("answer", 2.0, 2.1))
    root = drawn(data)
    for left, right, _ in pushes(root):
        assert left >= 0
        assert right <= size(data)[0]


def test_a_step_named_gap_is_not_taken_for_the_gap():
    root = drawn(Force(Axis("answer", 0.0, 2.0), 1.0, (Step("gap", "", 0.5),), 0.0, 1.5))
    assert all("--positive" in (bar.get("fill") or "") for _, _, bar in pushes(root))


def test_without_any_push_mean_and_answer_are_still_marked():
    root = drawn(Force(Axis("answer", 0.0, 2.0), 1.0, (), 0.0, 1.0))
    assert not pushes(root)
    assert place(root, "mean") == place(root, "answer")


def test_long_names_are_cut():
    root = drawn(Force(Axis("answer", 0.0, 2.0), 1.0, (Step(LONG, LONG, 0.5),), 0.0, 1.5))
    (name,) = [text for text in tags(part(root, "names"), "text") if len(text)]
    assert name[0].text == LONG.strip()
