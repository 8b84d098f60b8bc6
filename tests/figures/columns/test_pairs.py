"""Surfaces against a product known on paper."""

import re

import numpy as np
import pytest

from anova_report.figures.columns import Rows, pair_surface
from anova_report.figures.kinds import Surface
from tests.figures.columns.conftest import Case


def surface(case: Case, *names: str, row: int | None = None) -> Surface:
    data = pair_surface(case.rows, names, row=row).data
    assert isinstance(data, Surface)
    return data


def middles(low: float, high: float, n_cells: int) -> np.ndarray:
    edges = np.linspace(low, high, n_cells + 1)
    return (edges[1:] + edges[:-1]) / 2


def test_the_product_of_two_independent_features_is_the_surface(known):
    data = surface(known, "a", "c")
    a, c = middles(data.x.low, data.x.high, 36), middles(data.y.low, data.y.high, 36)
    np.testing.assert_allclose(data.value, 4 * np.outer(c, a), atol=0.2)


def test_rows_run_along_y_and_columns_along_x(triple, mixed):
    data = surface(mixed, "income", "member")
    assert len(data.value) == 2
    assert {len(line) for line in data.value} == {36}
    assert len(data.thin) == 2
    assert data.x.label == "income"
    # An asymmetric check against the component itself.
    uneven = surface(triple, "x0", "x1")
    x0, x1 = middles(uneven.x.low, uneven.x.high, 36), middles(uneven.y.low, uneven.y.high, 36)
    point = np.array([[x0[30], x1[4], 0.0]])
    assert uneven.value[4][30] == pytest.approx(triple.dec.component((0, 1), point)[0], abs=1e-3)


def test_the_names_of_a_pair_may_come_in_any_order(known):
    assert pair_surface(known.rows, ("c", "a")) == pair_surface(known.rows, ("a", "c"))


def test_the_limit_is_that_of_nearly_all_cells(known):
    data = surface(known, "a", "c")
    sizes = np.abs(data.value)
    assert np.quantile(sizes, 0.98) <= data.limit <= sizes.max()


@pytest.fixture(scope="module")
def dependent(known) -> Rows:
    """Rows in which c moves against a, so that 4ac is negative wherever rows lie."""
    return Rows.of(known.dec, known.X.assign(c=-known.X["a"]))


def test_thin_cells_do_not_set_the_colours(dependent):
    data = pair_surface(dependent, ("a", "c")).data
    thin, size = np.array(data.thin), np.abs(data.value)
    assert 0.5 < thin.mean() < 1
    assert data.limit == pytest.approx(np.quantile(size[~thin], 0.99), abs=1e-3)


def test_extremes_are_named_where_rows_lie_only(dependent):
    alt = pair_surface(dependent, ("a", "c")).alt
    highest, lowest = (float(text.replace("−", "-")) for text in re.findall(r"([+−]?[\d.]+) at a", alt))
    assert highest < 0.7  # off the rows it reaches 4
    assert lowest == pytest.approx(-4, abs=0.5)
    assert re.search(r"hardly a row lies in \d\d\.\d% of the plane\.$", alt)


def test_numbers_in_brackets_are_those_of_thin_cells(dependent):
    figure = pair_surface(dependent, ("a", "c"))
    chosen = np.linspace(0, 35, 7).round().astype(int)
    bracketed = [[cell.startswith("(") for cell in line[1:]] for line in figure.table.rows]
    np.testing.assert_array_equal(bracketed, np.array(figure.data.thin)[np.ix_(chosen, chosen)])
    assert np.any(bracketed)


def test_independent_features_leave_no_cell_thin(known):
    assert not np.any(surface(known, "a", "c").thin)


def test_a_marked_row_lies_where_its_values_are(known, mixed):
    marked = surface(known, "a", "c", row=9).marked
    assert marked == pytest.approx(known.X.loc[9, ["a", "c"]].tolist(), abs=1e-3)
    absent = int(np.argmax(mixed.X["income"].isna()))
    assert surface(mixed, "income", "member", row=absent).marked is None
    present = int(np.argmax(mixed.X["income"].notna() & mixed.X["member"]))
    assert surface(mixed, "income", "member", row=present).marked[1] == 1.0
    assert surface(known, "a", "c").marked is None


def test_the_alternative_text_names_the_extremes(known):
    alt = pair_surface(known.rows, ("a", "c")).alt
    highest, lowest = re.findall(r"([+−][\d.]+) at a = (−?)[\d.]+, c = (−?)[\d.]+", alt)
    assert float(highest[0]) == pytest.approx(4, abs=0.5)
    assert highest[1] == highest[2]
    assert float(lowest[0].replace("−", "-")) == pytest.approx(-4, abs=0.5)
    assert lowest[1] != lowest[2]
    assert "of the plane" not in alt


def test_the_table_is_a_small_grid_with_the_signs_of_the_product(known):
    table = pair_surface(known.rows, ("a", "c")).table
    assert len(table.head) == 8
    assert len(table.rows) == 7
    assert table.head[0] == "c ↓ a →"
    assert table.rows[0][1].startswith("+")  # both low
    assert table.rows[0][7].startswith("−")  # c low, a high
    assert table.rows[6][7].startswith("+")


def test_levels_of_a_pair_are_named(mixed):
    figure = pair_surface(mixed.rows, ("income", "member"))
    assert figure.data.y.levels == ("False", "True")
    assert [line[0] for line in figure.table.rows] == ["False", "True"]


def test_the_slope_of_one_feature_depends_on_the_level_of_the_other(mixed):
    """Income counts twice for members, so their surface rises and that of the others falls."""
    others, members = surface(mixed, "income", "member").value
    assert members[-1] > members[0]
    assert others[-1] < others[0]


def test_a_missing_number_has_no_place_on_the_axis(mixed):
    assert np.isfinite(surface(mixed, "income", "member").value).all()


def test_without_uncertainty_and_without_effect_there_is_still_a_surface(published):
    data = pair_surface(published.rows, (1, 2)).data
    assert np.shape(data.value) == (36, 36)
    assert data.limit > 0
