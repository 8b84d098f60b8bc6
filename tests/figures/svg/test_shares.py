from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Shares, Totals
from anova_report.figures.style import TEXT, size
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG, rich_shares, rich_totals
from tests.figures.svg.reading import drawn, number, part, parts, scale, subpaths, tags, texts


def ends(bar):
    return number(bar, "x"), number(bar, "x") + number(bar, "width")


def shares(**changes) -> Shares:
    plain = Shares(
        labels=("positive", "cancelled", "negative"),
        terms=((0,), (1,), (2,)),
        structural=(0.3, 0.4, 0.05),
        correlative=(0.2, -0.25, -0.15),
        total=(0.5, 0.15, -0.1),
        lower=(0.4, 0.1, -0.2),
        upper=(0.6, 0.2, 0.0),
        rest=0.25,
        n_rest=4,
        unexplained=0.2,
    )
    return replace(plain, **changes)


def test_structural_shares_are_bars_from_zero():
    data = shares()
    root = drawn(data)
    x = scale(root, "x-axis")
    for bar, share in zip(tags(part(root, "bars"), "rect"), data.structural, strict=True):
        assert ends(bar) == pytest.approx((x(0.0), x(share)), abs=0.4)


def test_correlative_shares_lead_from_the_structural_to_the_total_whatever_their_sign():
    data = shares()
    root = drawn(data)
    x = scale(root, "x-axis")
    for bar, start, total in zip(tags(part(root, "correlative"), "rect"), data.structural, data.total, strict=True):
        assert ends(bar) == pytest.approx(sorted((x(start), x(total))), abs=0.4)
    lengths = [number(bar, "width") for bar in tags(part(root, "correlative"), "rect")]
    sizes = [abs(value) for value in data.correlative]
    assert [length / lengths[0] for length in lengths] == pytest.approx([s / sizes[0] for s in sizes], abs=0.02)


def test_correlative_bars_are_thinner_so_that_the_structural_shows_behind_them():
    root = drawn(shares())
    thick = number(tags(part(root, "bars"), "rect")[0], "height")
    assert number(tags(part(root, "correlative"), "rect")[0], "height") < thick / 2


def test_totals_are_dots_with_whiskers():
    data = shares()
    root = drawn(data)
    x = scale(root, "x-axis")
    dots = tags(part(root, "total"), "circle")
    assert [number(dot, "cx") for dot in dots] == pytest.approx([x(total) for total in data.total], abs=0.4)
    lines = subpaths(tags(part(root, "whiskers"), "path")[0].get("d") or "")
    found = [[x for x, _ in line] for line in lines]
    assert [end for line in found for end in line] == pytest.approx(
        [x(bound) for pair in zip(data.lower, data.upper, strict=True) for bound in pair], abs=0.4
    )


def test_negative_totals_lie_left_of_the_zero_line():
    root = drawn(shares())
    zero = number(part(root, "zero"), "x1")
    dots = [number(dot, "cx") for dot in tags(part(root, "total"), "circle")]
    assert dots[2] < zero < dots[1] < dots[0]
    assert zero == pytest.approx(scale(root, "x-axis")(0.0), abs=0.2)


def test_the_rest_and_the_unexplained_are_the_last_rows():
    data = shares()
    root = drawn(data)
    assert [text.text for text in tags(part(root, "names"), "text")][3:] == ["4 further terms", "unexplained"]
    x = scale(root, "x-axis")
    rest, unexplained = tags(part(root, "others"), "rect")
    assert ends(rest) == pytest.approx((x(0.0), x(0.25)), abs=0.4)
    assert ends(unexplained) == pytest.approx((x(0.0), x(0.2)), abs=0.4)
    assert rest.get("fill") != unexplained.get("fill")


def test_without_a_rest_only_the_unexplained_follows():
    root = drawn(shares(n_rest=0, rest=0.0))
    assert [text.text for text in tags(part(root, "names"), "text")][3:] == ["unexplained"]


def test_numbers_are_the_totals_and_add_up_to_all():
    root = drawn(shares())
    numbers = [text.text for text in tags(part(root, "numbers"), "text")]
    assert numbers == ["50.0%", "15.0%", "−10.0%", "25.0%", "20.0%"]
    assert sum(float((text or "").rstrip("%").replace("−", "-")) for text in numbers) == pytest.approx(100)


def test_the_legend_says_what_runs_backwards():
    found = texts(drawn(shares()))
    assert "structural" in found
    assert any(text.startswith("correlative") and "cancels" in text for text in found)
    assert "total, 95% interval" in found


def test_without_intervals_the_legend_promises_none():
    root = drawn(shares(lower=(), upper=()))
    assert not parts(root, "whiskers")
    assert not any("interval" in text for text in texts(root))


def test_names_and_numbers_stand_in_the_rows_of_their_bars():
    root = drawn(shares())
    middles = [number(bar, "y") + 6 for bar in tags(part(root, "bars"), "rect")]
    for group in ("names", "numbers"):
        assert [number(text, "y") - 4 for text in tags(part(root, group), "text")][:3] == pytest.approx(middles)
    assert {after - before for before, after in pairwise(middles)} == {24}


def test_ticks_are_percent():
    assert all((text.text or "").endswith("%") for text in tags(part(drawn(shares()), "x-axis"), "text"))


def test_long_names_are_cut_before_the_bars():
    data = shares(labels=(LONG, LONG, "c"))
    root = drawn(data)
    for name in tags(part(root, "names"), "text"):
        assert number(name, "x") - width(name.text or "", TEXT) >= 0
    assert tags(part(root, "names"), "text")[0][0].text == LONG.strip()


@pytest.mark.parametrize("data", [rich_shares(), rich_totals(), shares(n_rest=0)])
def test_all_fits_on_the_page(data):
    root = drawn(data)
    wide, high = size(data)
    for text in tags(root, "text"):
        assert 0 < number(text, "y") < high
        assert 0 <= number(text, "x") <= wide
    for bar in tags(root, "rect"):
        assert number(bar, "x") >= 0
        assert ends(bar)[1] <= wide


def test_totals_of_features_are_bars_with_whiskers():
    data = rich_totals()
    root = drawn(data)
    x = scale(root, "x-axis")
    for bar, share in zip(tags(part(root, "bars"), "rect"), data.share, strict=True):
        assert ends(bar) == pytest.approx(sorted((x(0.0), x(share))), abs=0.4)
    assert len(subpaths(tags(part(root, "whiskers"), "path")[0].get("d") or "")) == len(data.share)
    assert "3 further features" in texts(root)


def test_a_share_of_nothing_has_a_bar_without_length():
    root = drawn(Totals(("a",), (0.0,), (), (), 0.0, 0, 1.0))
    (bar,) = tags(part(root, "bars"), "rect")
    assert number(bar, "width") == 0
    assert {"0%", "100.0%"} <= set(texts(root))


def test_shares_of_nothing_at_all_still_have_an_axis():
    root = drawn(Shares((), (), (), (), (), (), (), 0.0, 0, 0.0))
    assert "unexplained" in texts(root)
    assert tags(part(root, "x-axis"), "text")
