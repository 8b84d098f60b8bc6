from dataclasses import replace
from itertools import pairwise

import pytest

from anova_report.figures.kinds import Cell, Matrix
from anova_report.figures.style import LIGHT, SMALL, matrix_cell, size
from anova_report.figures.svg import heat
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG, rich_matrix
from tests.figures.svg.reading import boxes, drawn, number, part, parts, tags, texts
from tests.figures.svg.test_heat import pixels

NAMES = ("age", "hours", "income")
STATUSES = ("fine", "slight", "beyond", "small")


def cell(row, column, value=0.05, status="slight"):
    return Cell(row, column, "a × b | a", value, 0.02, 0.1, status)


def matrix(*cells: Cell, n: int = 3) -> Matrix:
    return Matrix((*NAMES, *(f"feature {k}" for k in range(3, n)))[:n], cells, 0.1)


def colours(root):
    return pixels(tags(part(root, "cells"), "image")[0])


def frame(root):
    image = tags(part(root, "cells"), "image")[0]
    return number(image, "x"), number(image, "y"), number(image, "width")


def test_rows_run_down_and_columns_to_the_right():
    found = colours(drawn(matrix(cell(0, 2))))
    coloured = {(i, j) for i in range(3) for j in range(3) if found[i][j] != LIGHT["surface"]}
    assert coloured == {(0, 2)}


@pytest.mark.parametrize("value", [0.02, -0.02, 0.07, 0.1, -5.0])
def test_cells_are_coloured_by_the_size_of_the_cosine(value):
    found = colours(drawn(matrix(cell(1, 0, value))))[1][0]
    assert found == heat.SEQUENTIAL[0][heat.index(abs(value), 0.1)]


def test_what_chance_gives_is_neutral_however_large():
    assert colours(drawn(matrix(cell(1, 0, 0.09, "fine"))))[1][0] == LIGHT["grid"]


def test_only_cosines_beyond_the_limit_are_ringed():
    root = drawn(matrix(cell(0, 1, 0.09, "beyond"), cell(1, 0, 0.09, "slight"), cell(2, 2, 0.09, "small")))
    (ring,) = tags(part(root, "beyond"), "rect")
    left, top, wide = frame(root)
    assert number(ring, "x") == pytest.approx(left + wide / 3 + 1.5, abs=0.1)
    assert number(ring, "y") == pytest.approx(top + 1.5, abs=0.1)


def test_terms_too_small_to_count_are_veiled():
    root = drawn(matrix(cell(2, 1, 0.09, "small")))
    (veil,) = boxes(part(root, "small"))
    left, top, wide = frame(root)
    assert veil == pytest.approx((left + wide / 3, top + 2 * wide / 3, left + 2 * wide / 3, top + wide), abs=0.1)


@pytest.mark.parametrize(("value", "words"), [(0.0512, "0.051"), (-0.0512, "0.051"), (2e-16, "0"), (0.0001, "0")])
def test_few_features_have_numbers_in_their_cells(value, words):
    root = drawn(matrix(cell(0, 1, value)))
    (text,) = tags(part(root, "numbers"), "text")
    assert text.text == words
    left, top, wide = frame(root)
    spot = number(text, "x"), number(text, "y") - 4
    assert spot == pytest.approx((left + wide / 2, top + wide / 6), abs=0.2)


def test_numbers_fit_into_their_cells():
    root = drawn(matrix(*(cell(k, k, 0.123) for k in range(10)), n=10))
    for text in tags(part(root, "numbers"), "text"):
        assert width(text.text or "", SMALL) <= matrix_cell(10)


def test_many_features_have_no_room_for_numbers():
    assert not parts(drawn(matrix(cell(0, 1), n=11)), "numbers")


@pytest.mark.parametrize("status", STATUSES)
def test_the_legend_explains_what_is_there_and_nothing_else(status):
    words = {"beyond": "beyond the limit", "fine": "within what chance gives", "small": "pale: term too small to count"}
    found = set(texts(drawn(matrix(cell(0, 1, status=status))))) & set(words.values())
    assert found == ({words[status]} if status in words else set())


def test_the_scale_says_its_limit_and_what_a_cell_is():
    root = drawn(rich_matrix())
    assert [text.text for text in tags(part(root, "scale"), "text")] == ["0", "0.1"]
    assert any("cosine of the pair with the main effect of its row" in text for text in texts(root))


def test_rows_and_columns_are_named_at_their_middles():
    root = drawn(matrix(cell(0, 0)))
    left, top, wide = frame(root)
    names = tags(part(root, "names"), "text")
    rows = [text for text in names if text.get("transform") is None]
    columns = [text for text in names if text.get("transform")]
    for k in range(3):
        assert rows[k].text == columns[k].text == NAMES[k]
        assert number(rows[k], "y") - 4 == pytest.approx(top + wide * (k + 0.5) / 3, abs=0.1)
        assert number(columns[k], "x") == pytest.approx(left + wide * (k + 0.5) / 3, abs=4)


@pytest.mark.parametrize("n", [1, 2, 16, 40, 81])
def test_any_number_of_features_fits(n):
    data = matrix(*(cell(k, (k + 1) % n) for k in range(n)), n=n)
    root = drawn(data)
    left, top, wide = frame(root)
    assert left + wide <= size(data)[0]
    assert top + wide < size(data)[1]
    assert all(number(text, "y") <= size(data)[1] for text in tags(root, "text"))
    rows = [number(text, "y") for text in tags(part(root, "names"), "text") if text.get("transform") is None]
    assert all(after - before >= 12 for before, after in pairwise(rows))


def test_cells_of_features_that_are_not_there_are_left_out():
    assert set(colours(drawn(matrix(cell(0, 7))))[0]) == {LIGHT["surface"]}


def test_long_names_are_cut_at_the_left_and_above():
    root = drawn(replace(matrix(cell(0, 0)), features=(LONG, LONG, LONG)))
    assert all((text.text or "").endswith("…") for text in tags(part(root, "names"), "text"))
