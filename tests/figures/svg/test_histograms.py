from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Axis, Histogram
from anova_report.figures.style import SPARKLINE
from tests.figures.samples import rich_histogram
from tests.figures.svg.reading import boxes, drawn, part, parts, scale, tags, texts


def histogram(*count: int, **changes) -> Histogram:
    edges = tuple(float(k) for k in range(len(count) + 1))
    return replace(Histogram(Axis("x", 0.0, float(max(len(count), 1))), edges, count), **changes)


def levels(*count: int) -> Histogram:
    names = tuple("abcdefgh"[: len(count)])
    return Histogram(Axis("level", -0.5, len(count) - 0.5, levels=names), (), count)


def test_bars_stand_between_their_edges_as_high_as_their_counts():
    data = rich_histogram()
    root = drawn(data)
    x, y = scale(root, "x-axis"), scale(root, "y-axis")
    found = boxes(part(root, "bars"))
    shown = [k for k, count in enumerate(data.count) if count]
    for (left, top, right, bottom), k in zip(found, shown, strict=True):
        assert (left, right) == pytest.approx((x(data.edges[k]), x(data.edges[k + 1])), abs=1.2)
        assert bottom == pytest.approx(y(0), abs=0.3)
        assert top == pytest.approx(min(y(data.count[k]), y(0) - 1), abs=0.6)


def test_the_height_of_a_bar_is_proportional_to_its_count():
    heights = [bottom - top for _, top, _, bottom in boxes(part(drawn(histogram(100, 50, 25)), "bars"))]
    assert heights[0] / heights[1] == pytest.approx(2, rel=0.01)
    assert heights[1] / heights[2] == pytest.approx(2, rel=0.02)


def test_an_empty_region_has_no_bar_and_a_single_row_a_visible_one():
    found = boxes(part(drawn(histogram(1_000_000, 0, 1)), "bars"))
    assert len(found) == 2
    assert found[1][3] - found[1][1] >= 1


def test_levels_have_bars_around_their_names():
    root = drawn(levels(5, 3, 1))
    names = [float(text.get("x") or 0) for text in tags(part(root, "x-axis"), "text") if text.get("class") != "label"]
    found = boxes(part(root, "bars"))
    assert [(left + right) / 2 for left, _, right, _ in found] == pytest.approx(names, abs=0.1)
    for (_, _, right, _), (left, _, _, _) in pairwise(found):
        assert left - right > 10


def test_bars_beyond_the_axis_are_cut_off():
    root = drawn(histogram(4, 4, 4, x=Axis("x", 1.0, 2.0)))
    x = scale(root, "x-axis")
    for left, _, right, _ in boxes(part(root, "bars")):
        assert x(1.0) - 0.6 <= left <= right <= x(2.0) + 0.6


def test_both_axes_are_labelled():
    assert {"rows", "MedInc"} <= set(texts(drawn(rich_histogram())))


@pytest.mark.parametrize("data", [rich_histogram(), levels(5, 3, 1), levels(), histogram(0, 0)])
def test_a_small_histogram_has_bars_and_no_words(data):
    root = drawn(data, small=True)
    assert (root.get("width"), root.get("height")) == (str(SPARKLINE.width), str(SPARKLINE.height))
    assert not texts(root)
    for element in parts(root, "bars"):
        for left, top, right, bottom in boxes(element):
            assert 0 <= left < right <= SPARKLINE.width
            assert 0 <= top < bottom <= SPARKLINE.height


def test_the_small_histogram_has_the_shape_of_the_large_one():
    data = rich_histogram()
    large, small = (boxes(part(drawn(data, small=flag), "bars")) for flag in (False, True))
    for (_, top, _, bottom), (_, above, _, below) in zip(large, small, strict=True):
        tallest = large[8][3] - large[8][1], small[8][3] - small[8][1]
        if bottom - top > 5:
            assert (below - above) / tallest[1] == pytest.approx((bottom - top) / tallest[0], abs=0.03)


def test_no_rows_at_all_are_no_bars():
    for data in (levels(), histogram(), histogram(0, 0)):
        assert not parts(drawn(data), "bars")
