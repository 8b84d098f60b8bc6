import pytest

from anova_report.figures.contrasts import Trace
from anova_report.figures.style import FIRST, SECOND, paint
from anova_report.figures.svg import draw
from tests.figures.svg.reading import number, part, parts, scale, subpaths, tags
from tests.figures.svg.test_contrasts import drawn, drift, figure


def test_each_share_has_a_dot_for_both_on_one_scale():
    root = drawn(drift())
    x = scale(root, "x-axis")
    dots = tags(part(root, "dots"), "circle")
    assert [number(dot, "cx") for dot in dots] == pytest.approx([x(0.5), x(0.3), x(0.1), x(0.11)], abs=0.8)
    assert [dot.get("fill") for dot in dots] == [paint(FIRST), paint(SECOND)] * 2
    assert number(dots[0], "cy") == number(dots[1], "cy") < number(dots[2], "cy")


def test_intervals_lie_around_the_second_share():
    root = drawn(drift())
    x = scale(root, "x-axis")
    pieces = subpaths(part(root, "intervals").get("d"))
    across = [piece for piece in pieces if piece[0][1] == piece[1][1]]
    assert [end for piece in across for end, _ in piece] == pytest.approx([x(0.2), x(0.4), x(0.05), x(0.17)], abs=0.8)


def test_what_has_moved_is_marked_and_in_bold():
    root = drawn(drift())
    assert len(parts(root, "mark")) == 1
    weights = [text.get("font-weight") for text in tags(part(root, "names"), "text")]
    assert weights == ["600", None]


def test_numbers_read_from_the_first_to_the_second():
    assert "50.0% → 30.0%" in draw(figure(drift()))


def test_without_intervals_none_are_drawn_and_the_legend_is_silent():
    bare = drift(second=Trace("after", (0.3, 0.11)), beyond=(False, False))
    assert parts(drawn(bare), "intervals") == []
    assert "95%" not in draw(figure(bare))


def test_a_legend_of_two_lines_does_not_lie_over_the_first_row():
    root = drawn(drift(first=Trace("a decomposition with a name of some length", (0.5, 0.1))))
    words = [number(text, "y") for text in tags(part(root, "legend-words"), "text")]
    names = [number(text, "y") for text in tags(part(root, "names"), "text")]
    assert len(set(words)) > 1
    assert max(words) + 10 < min(names)


def test_shares_that_are_not_drawn_are_counted():
    assert "4 smaller not drawn" in draw(figure(drift(n_rest=4)))
