from dataclasses import replace

import pytest

from anova_report.figures.kinds import Cell, Matrix
from anova_report.figures.live.matrices import CHANCE, FAINT, columns, frame
from anova_report.figures.style import LIGHT
from tests.figures.live.reading import built, glyphs, named
from tests.figures.samples import edge_matrix, rich_matrix


def many(count: int) -> Matrix:
    """Draw the diagonal of many features."""
    names = tuple(f"feature {k}" for k in range(count))
    return Matrix(names, tuple(Cell(k, k, names[k], 0.01, 0.02, 0.1, "slight") for k in range(count)), 0.1)


def test_cells_stand_in_their_row_and_column():
    data, found = rich_matrix(), columns(rich_matrix())["cells"]
    assert found["left"] == [cell.column - 0.5 for cell in data.cells]
    assert found["top"] == [cell.row - 0.5 for cell in data.cells]


def test_rows_are_read_from_the_top_and_columns_named_above():
    found = frame(rich_matrix())
    assert found.y.start > found.y.end
    assert found.x.slanted
    assert [name for _, name in found.x.names] == list(rich_matrix().features)
    plot = built(rich_matrix())
    assert named(plot, "x-axis") in plot.above


@pytest.mark.parametrize(
    ("status", "cosine", "strength"),
    [("fine", CHANCE, 1.0), ("slight", 0.05, 1.0), ("beyond", 0.05, 1.0), ("small", 0.05, FAINT)],
)
def test_a_status_is_told_by_colour_and_strength(status, cosine, strength):
    data = Matrix(("a",), (Cell(0, 0, "a", -0.05, 0.02, 0.1, status),), 0.1)
    found = columns(data)["cells"]
    assert found["cosine"] == pytest.approx([cosine])
    assert found["strength"] == [strength]


def test_what_chance_gives_is_grey():
    mapper = glyphs(built(rich_matrix()), "cells")[0].fill_color.transform
    assert mapper.low_color == LIGHT["grid"]
    assert mapper.low > CHANCE


def test_only_what_is_beyond_the_limit_is_ringed():
    data = rich_matrix()
    beyond = [cell for cell in data.cells if cell.status == "beyond"]
    assert len(columns(data)["rings"]["left"]) == len(beyond) > 0


def test_hover_text_has_the_cosine_its_floor_and_its_status():
    said = columns(rich_matrix())["cells"]["tip"][1]
    assert said == "MedInc × HouseAge\ncosine 0.060: beyond the limit\nnoise floor 0.020, 5.0% of the variance"


def test_numbers_are_written_where_cells_have_room():
    assert len(columns(rich_matrix())["numbers"]["text"]) == len(rich_matrix().cells)
    assert columns(edge_matrix())["numbers"]["text"] == ["0"]
    assert columns(many(30))["numbers"]["text"] == []


def test_of_many_features_every_so_many_are_named():
    names = frame(many(60)).y.names
    assert len(names) == 30
    assert names[1] == (2.0, "feature 2")


def test_cells_of_features_that_are_not_shown_are_left_out():
    data = replace(rich_matrix(), features=("a", "b"))
    assert all(left <= 0.5 for left in columns(data)["cells"]["left"])


def test_the_note_says_what_colours_mean():
    assert named(built(rich_matrix()), "note").text.startswith("colours: 0 to 0.1\n")
