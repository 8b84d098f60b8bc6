from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Axis, Levels, Line
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG, rich_levels
from tests.figures.svg.reading import drawn, number, part, parts, scale, subpaths, tags, texts


def bars(root):
    return parts(root, "bar")


def levels(n: int, **changes) -> Levels:
    names = tuple(f"level {k}" for k in range(n))
    value = tuple(0.1 * (k - n / 2) for k in range(n))
    plain = Levels(
        Axis("x", -0.5, n - 0.5, levels=names), Axis("effect", -1.2, 1.2), value, (1 / n,) * n, (), (), (False,) * n
    )
    return replace(plain, **changes)


def test_bars_run_from_zero_to_their_values():
    data = rich_levels()
    root = drawn(data)
    x = scale(root, "x-axis")
    assert number(part(root, "zero"), "x1") == pytest.approx(x(0.0), abs=0.2)
    for bar, value in zip(bars(root), data.value, strict=True):
        ends = [number(bar, "x"), number(bar, "x") + number(bar, "width")]
        assert ends == pytest.approx(sorted((x(0.0), x(value))), abs=0.3)


def test_the_length_of_a_bar_is_proportional_to_its_value():
    data = levels(2, value=(0.25, 0.5))
    short, long = (number(bar, "width") for bar in bars(drawn(data)))
    assert long == pytest.approx(2 * short, abs=0.2)


def test_the_first_level_is_at_the_top_and_rows_are_equally_far_apart():
    tops = [number(bar, "y") for bar in bars(drawn(levels(5)))]
    assert {round(after - before, 6) for before, after in pairwise(tops)} == {22.0}


def test_names_stand_beside_their_bars():
    root = drawn(levels(5))
    names = tags(part(root, "names"), "text")
    assert [name.text for name in names] == [f"level {k}" for k in range(5)]
    for name, bar in zip(names, bars(root), strict=True):
        assert number(name, "y") - 4 == pytest.approx(number(bar, "y") + 6, abs=0.2)


def test_whiskers_reach_from_bound_to_bound():
    data = rich_levels()
    root = drawn(data)
    x = scale(root, "x-axis")
    for whisker in tags(part(root, "whiskers"), "path"):
        found = [[x for x, _ in line] for line in subpaths(whisker.get("d") or "")]
        for ends, low, high in zip(found, data.lower, data.upper, strict=True):
            assert ends == pytest.approx([x(low), x(high)], abs=0.3)


def test_without_bounds_there_are_no_whiskers():
    assert not parts(drawn(levels(3)), "whiskers")


def test_shares_of_rows_stand_at_the_right():
    root = drawn(rich_levels())
    assert [text.text for text in tags(part(root, "shares"), "text")] == ["63.0%", "26.0%", "8.0%", "1.0%", "2.0%"]
    assert "rows" in texts(root)


def test_pooled_levels_say_so():
    names = [text.text for text in tags(part(drawn(rich_levels()), "names"), "text")]
    assert [name for name in names if "(pooled)" in (name or "")] == ["heavy rain (pooled)"]


def test_a_long_pooled_name_keeps_the_word_that_it_is_pooled():
    data = levels(2, pooled=(True, False), x=Axis("x", -0.5, 1.5, levels=(LONG, "b")))
    name = tags(part(drawn(data), "names"), "text")[0]
    assert (name.text or "").endswith("… (pooled)")
    assert name[0].text == LONG.strip()


def test_the_marked_level_is_emphasised():
    root = drawn(levels(4, marked=2))
    weights = [text.get("font-weight") for text in tags(part(root, "names"), "text")]
    assert weights == [None, None, "600", None]
    faint = [bar.get("fill-opacity") for bar in bars(root)]
    assert faint[2] is None
    assert all(float(opacity or 1) < 0.6 for position, opacity in enumerate(faint) if position != 2)


def test_without_a_mark_all_bars_are_alike():
    assert {bar.get("fill-opacity") for bar in bars(drawn(levels(4)))} == {None}


def test_names_fit_into_their_column():
    data = levels(20, x=Axis("x", -0.5, 19.5, levels=(LONG[:200],) * 20))
    root = drawn(data)
    leftmost = min(number(bar, "x") for bar in bars(root))
    for name in tags(part(root, "names"), "text"):
        assert number(name, "x") - width(name.text or "", TEXT) >= 0
        assert number(name, "x") < leftmost


def test_other_explanations_are_ticks_at_their_levels():
    data = levels(3, overlays=(Line("SHAP", (0.0, 2.0), (0.3, -0.6)),))
    root = drawn(data)
    x = scale(root, "x-axis")
    marks = subpaths(part(root, "overlay").get("d") or "")
    assert [line[0][0] for line in marks] == pytest.approx([x(0.3), x(-0.6)], abs=0.3)
    middles = [number(bar, "y") + 6 for bar in bars(root)]
    assert [(line[0][1] + line[1][1]) / 2 for line in marks] == pytest.approx([middles[0], middles[2]], abs=0.1)
    assert {"SHAP", "component"} <= set(texts(root))


def test_other_explanations_are_told_apart_by_shape_even_where_colours_are_used_up():
    names = [f"method {k}" for k in range(6)]
    root = drawn(levels(2, overlays=tuple(Line(name, (0.0,), (0.3,)) for name in names)))
    marks = parts(root, "overlay")
    looks = [(mark.get("stroke"), (mark.get("d") or "").lstrip("M0123456789. -")) for mark in marks]
    assert len(set(looks)) == len(names)
    assert len({shape for _, shape in looks[:4]}) == 4
    assert set(names) <= set(texts(root))


@pytest.mark.parametrize(("left_out", "words"), [(1, "1 rarer level not drawn"), (7, "7 rarer levels not drawn")])
def test_levels_that_are_not_drawn_are_counted(left_out, words):
    assert words in texts(drawn(levels(3, left_out=left_out)))


@pytest.mark.parametrize("n", [1, 2, 12, 20])
def test_all_fits_on_the_page(n):
    data = levels(n, left_out=3)
    root = drawn(data)
    wide, high = size(data)
    for text in tags(root, "text"):
        assert 0 < number(text, "y") < high
        assert number(text, "x") <= wide
    assert (root.get("width"), root.get("height")) == (str(wide), str(high))


def test_a_bar_beyond_the_axis_ends_at_its_end():
    root = drawn(levels(2, value=(99.0, -99.0)))
    x = scale(root, "x-axis")
    right, left = bars(root)
    assert number(right, "x") + number(right, "width") == pytest.approx(x(1.2), abs=0.3)
    assert number(left, "x") == pytest.approx(x(-1.2), abs=0.3)


def test_effects_of_nothing_are_still_visible():
    assert all(number(bar, "width") > 0.5 for bar in bars(drawn(levels(3, value=(0.0, 0.0, 0.0)))))


def test_tick_labels_do_not_touch_the_column_of_shares():
    data = levels(3)
    for text in tags(part(drawn(data), "x-axis"), "text"):
        assert number(text, "x") + width(text.text or "", SMALL) / 2 < size(data)[0]
