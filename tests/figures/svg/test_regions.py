from dataclasses import replace

import pytest

from anova_report.figures.kinds import Regions
from anova_report.figures.style import LIGHT, SEQUENTIAL_LIGHT, size
from anova_report.figures.svg import heat
from tests.figures.samples import LONG, rich_regions
from tests.figures.svg.reading import drawn, number, part, parts, tags, texts
from tests.figures.svg.test_heat import pixels


def regions(**changes) -> Regions:
    plain = Regions(
        features=("age", "sex"),
        bins=(("17 to 30", "30 to 50", "50 to 90"), ("Female", "Male")),
        gap=((0.1, 0.4, 0.2), (0.05, 0.0)),
        count=((10, 20, 30), (30, 0)),
        limit=0.5,
    )
    return replace(plain, **changes)


def cells(root):
    return pixels(tags(part(root, "cells"), "image")[0])


def test_cells_are_as_dark_as_their_gap_is_large():
    colours = heat.SEQUENTIAL[0]
    top = cells(drawn(regions()))[0]
    assert top[:3] == [colours[heat.index(gap, 0.5)] for gap in (0.1, 0.4, 0.2)]


def test_what_is_no_region_is_blank_and_a_region_without_rows_is_shaded():
    top, bottom = cells(drawn(regions()))
    assert set(top[3:]) == {LIGHT["surface"]}
    assert bottom[1] == LIGHT["shade"]
    assert set(bottom[2:]) == {LIGHT["surface"]}


def test_the_largest_gap_of_each_feature_is_written_in_its_cell():
    root = drawn(regions())
    image = tags(part(root, "cells"), "image")[0]
    cell = number(image, "width") / 10
    first, second = parts(root, "largest")
    assert (first.text, second.text) == ("0.4", "0.05")
    assert number(first, "x") == pytest.approx(number(image, "x") + 1.5 * cell, abs=0.1)
    assert number(second, "x") == pytest.approx(number(image, "x") + 0.5 * cell, abs=0.1)


def test_the_region_of_the_largest_gap_is_named_beside_its_feature():
    found = texts(drawn(regions()))
    assert {"30 to 50", "Female"} <= set(found)
    assert "17 to 30" not in found


def test_the_largest_of_all_is_bold():
    weights = [text.get("font-weight") for text in parts(drawn(regions()), "largest")]
    assert weights == ["700", None]


def test_a_gap_in_a_region_without_rows_does_not_count():
    root = drawn(regions(gap=((0.1, 0.4, 0.2), (0.05, 9.0))))
    assert "Male" not in texts(root)


def test_a_feature_without_rows_says_so():
    assert "no rows" in texts(drawn(regions(count=((0, 0, 0), (1, 1)))))


def test_the_scale_of_colours_runs_from_nothing_to_the_limit():
    root = drawn(regions())
    low, high = tags(part(root, "scale"), "text")
    assert (low.text, high.text) == ("0", "0.5")
    assert pixels(tags(part(root, "scale"), "image")[0])[0][-1] == SEQUENTIAL_LIGHT[-1][1]


def test_names_stand_in_the_rows_of_their_cells():
    data = rich_regions()
    root = drawn(data)
    image = tags(part(root, "cells"), "image")[0]
    row = number(image, "height") / 3
    for position, name in enumerate(data.features[:2]):
        (text,) = [text for text in tags(root, "text") if text.text == name]
        assert number(text, "y") - 4 == pytest.approx(number(image, "y") + row * (position + 0.5), abs=0.1)


def test_long_names_are_cut_and_all_stays_on_the_page():
    data = regions(features=(LONG, LONG), bins=((LONG,) * 3, (LONG,) * 2))
    root = drawn(data)
    wide, high = size(data)
    assert all(0 <= number(text, "x") <= wide for text in tags(root, "text"))
    assert all(0 <= number(text, "y") <= high for text in tags(root, "text"))
    assert [child.text for text in tags(root, "text") for child in text] == [LONG.strip()] * 4


def test_more_regions_than_columns_are_cut_off():
    many = tuple(map(str, range(14)))
    root = drawn(Regions(("a",), (many,), ((0.1,) * 14,), ((5,) * 14,), 0.2))
    assert len(cells(root)[0]) == 10
