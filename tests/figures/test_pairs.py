"""Pairs against a product known on paper, the plane and where hardly a row lies in it, and the scene of a surface."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.geometry import Axis
from anova_report.figures.pairs import CELLS_ALONG, Surface, few_rows, pair_surface, side
from anova_report.figures.rows import Rows
from anova_report.figures.scene import ScaleBar
from tests.figures.conftest import Case
from tests.figures.samples import HOSTILE, TEX, edge_surface, rich_surface
from tests.figures.scene_items import assert_one_form, legend, mark, ruler, written

LEVELS = Axis("season", -0.5, 2.5, levels=("low", "middle", "high"))


def filled(case: Case, *names: str, row: int | None = None) -> Surface:
    data = pair_surface(case.rows, names, row=row).data
    assert isinstance(data, Surface)
    return data


def middles(low: float, high: float, n_cells: int) -> np.ndarray:
    edges = np.linspace(low, high, n_cells + 1)
    return (edges[1:] + edges[:-1]) / 2


def test_the_product_of_two_independent_features_is_the_filled(known):
    data = filled(known, "a", "c")
    assert data == filled(known, "c", "a")
    a, c = middles(data.x.low, data.x.high, 36), middles(data.y.low, data.y.high, 36)
    np.testing.assert_allclose(data.value, 4 * np.outer(c, a), atol=0.2)
    assert not np.any(data.thin)


def test_rows_run_along_y_and_columns_along_x(triple, mixed):
    data = filled(mixed, "income", "member")
    assert len(data.value) == 2
    assert {len(line) for line in data.value} == {36}
    assert len(data.thin) == 2
    assert data.x.label == "income"
    # An asymmetric check against the component itself.
    uneven = filled(triple, "x0", "x1")
    x0, x1 = middles(uneven.x.low, uneven.x.high, 36), middles(uneven.y.low, uneven.y.high, 36)
    point = np.array([[x0[30], x1[4], 0.0]])
    assert uneven.value[4][30] == pytest.approx(triple.dec.component((0, 1), point)[0], abs=1e-3)


@pytest.fixture(scope="module")
def dependent(known) -> Rows:
    """Rows in which c moves against a, so that 4ac is negative wherever rows lie."""
    return Rows.of(known.dec, known.X.assign(c=-known.X["a"]))


def test_thin_cells_do_not_set_the_colors(dependent):
    data = pair_surface(dependent, ("a", "c")).data
    thin, size = np.array(data.thin), np.abs(data.value)
    assert 0.5 < thin.mean() < 1
    assert data.limit == pytest.approx(np.quantile(size[~thin], 0.99), abs=1e-3)


def test_extremes_are_named_where_rows_lie_only(dependent):
    alt = pair_surface(dependent, ("a", "c")).alt
    highest, lowest = (float(text.replace("−", "-")) for text in re.findall(r"([+−]?[\d.]+) at a", alt))
    assert highest < 0.7  # off the rows it reaches 4
    assert lowest == pytest.approx(-4, abs=0.5)
    assert re.search(r"; \d\d\.\d% of the plane is hatched: fewer than 5 rows within 5\.0% of both axes\.$", alt)


def test_the_table_has_no_numbers_where_the_plane_is_hatched(dependent):
    figure = pair_surface(dependent, ("a", "c"))
    chosen = np.linspace(0, 35, 7).round().astype(int)
    absent = [[cell == "–" for cell in line[1:]] for line in figure.table.rows]
    np.testing.assert_array_equal(absent, np.array(figure.data.thin)[np.ix_(chosen, chosen)])
    assert np.any(absent)


def test_a_marked_row_lies_where_its_values_are(known, mixed):
    marked = filled(known, "a", "c", row=9).marked
    assert marked == pytest.approx(known.X.loc[9, ["a", "c"]].tolist(), abs=1e-3)
    absent = int(np.argmax(mixed.X["income"].isna()))
    assert filled(mixed, "income", "member", row=absent).marked is None
    present = int(np.argmax(mixed.X["income"].notna() & mixed.X["member"]))
    assert filled(mixed, "income", "member", row=present).marked[1] == 1.0
    assert filled(known, "a", "c").marked is None


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


def test_the_slope_of_one_feature_depends_on_the_level_of_the_other(mixed):
    """Income counts twice for members, so their surface rises and that of the others falls."""
    data = filled(mixed, "income", "member")
    assert data.y.levels == ("False", "True")
    drawn = ~np.any(data.thin, axis=0)
    others, members = (np.array(line)[drawn] for line in data.value)
    assert members[-1] > members[0]
    assert others[-1] < others[0]


def test_without_uncertainty_and_without_effect_there_is_still_a_surface(published):
    data = pair_surface(published.rows, (1, 2)).data
    assert np.shape(data.value) == (36, 36)
    assert data.limit > 0


@pytest.fixture(scope="module")
def plane():
    """Make rows of two numbers, a level and missing values, to be bent in tests."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    X["group"] = rng.choice(["left", "right"], size=400)
    X.loc[:10, "b"] = np.nan
    dec = FunctionalANOVA(1, random_state=0, progress=False).fit(X, X["a"]).decomposition_

    def rows(**columns: object) -> Rows:
        return Rows.of(dec, pd.DataFrame({"a": 0.0, "b": 0.0, "group": "left"} | columns))

    return rows


def test_cells_along_numbers_are_equal_and_fill_the_axis(known):
    made = side(known.rows, 0)
    assert len(made.at) == CELLS_ALONG
    width = (made.axis.high - made.axis.low) / CELLS_ALONG
    np.testing.assert_allclose(np.diff(made.at), width)
    assert made.at[0] == pytest.approx(made.axis.low + width / 2)


def test_levels_have_a_cell_each(mixed):
    made = side(mixed.rows, 2)
    assert made.axis.levels == ("s", "m", "l")
    assert made.at.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(("n_rows", "most"), [(6000, 0.0), (200, 0.05)])
def test_chance_alone_does_not_make_a_plane_thin(plane, n_rows, most):
    a, b = np.random.default_rng(1).uniform(size=(2, n_rows))
    rows = plane(a=a, b=b)
    assert few_rows(rows, (side(rows, 0), side(rows, 1))).mean() <= most


def test_a_plane_filled_along_its_diagonal_is_thin_off_it(plane):
    a = np.random.default_rng(1).uniform(size=4000)
    rows = plane(a=a, b=a)
    found = few_rows(rows, (side(rows, 0), side(rows, 1)))
    assert not np.diag(found).any()
    assert found[0, -1]
    assert found[-1, 0]
    assert found.mean() > 0.8


def test_rows_of_the_result_run_along_the_second_feature(plane):
    """A quarter of the plane, a high and b low, is empty."""
    a, b = np.random.default_rng(1).uniform(size=(2, 6000))
    kept = ~((a > 0.5) & (b < 0.5))
    rows = plane(a=a[kept], b=b[kept])
    found = few_rows(rows, (side(rows, 0), side(rows, 1)))
    assert found[:10, -10:].all()
    assert not found[-10:, :10].any()
    assert not found[:10, :10].any()


def test_a_level_without_rows_in_a_region_is_thin_there(plane):
    a = np.random.default_rng(1).uniform(-1, 1, size=3000)
    rows = plane(a=a, group=np.where(a > 0, "left", "right"))
    found = few_rows(rows, (side(rows, 0), side(rows, 2)))
    assert found.shape == (2, CELLS_ALONG)
    assert found[1, -12:].all()
    assert not found[0, -12:].any()


def test_missing_values_have_no_place_on_an_axis_of_numbers(plane):
    a = np.random.default_rng(1).uniform(size=2000)
    rows = plane(a=a, b=np.where(np.arange(2000) % 2, np.nan, a[::-1]))
    assert (side(rows, 1).cells(rows.values[:, 1]) >= 0).sum() == 1000
    assert np.isfinite(side(rows, 1).at).all()


def test_features_that_are_never_known_together_are_thin_everywhere(plane):
    a = np.random.default_rng(1).uniform(size=200)
    even = np.arange(200) % 2 == 0
    rows = plane(a=np.where(even, a, np.nan), b=np.where(even, np.nan, a))
    assert few_rows(rows, (side(rows, 0), side(rows, 1))).all()


def surface(**changes) -> Surface:
    """Draw four by two cells, nothing thin."""
    value = ((-1.0, -0.5, 0.0, 0.5), (0.25, 0.5, 0.75, 1.0))
    made = Surface(Axis("x", 0.0, 4.0), Axis("y", 10.0, 12.0), value, ((False,) * 4,) * 2, 1.0, "effect")
    return replace(made, **changes)


def two_levels(**changes) -> Surface:
    """Draw three by three levels."""
    value = ((-0.9, -0.2, 0.0), (0.1, 0.2, 0.3), (0.4, 0.5, 0.95))
    return surface(**{"x": LEVELS, "y": LEVELS, "value": value, "thin": ((False,) * 3,) * 3} | changes)


def test_cells_are_the_values_over_the_whole_plane():
    data = surface()
    scene = data.scene()
    cells = mark(scene, "cells")
    assert (cells.gaps, mark(two_levels().scene(), "cells").gaps) == ((1, 1), (3, 3))
    assert (cells.value, cells.limit, cells.coloring, cells.label) == (data.value, 1.0, "diverging", "effect")
    assert (cells.x, cells.y) == (data.x, data.y)
    assert (scene.panels[0].x, scene.panels[0].y) == ((0.0, 4.0), (10.0, 12.0))
    assert (ruler(scene, "below").axis, ruler(scene, "left").axis) == (data.x, data.y)
    assert "effect" in written(scene)


def test_the_scale_of_colors_names_its_ends_and_zero_beside_the_plane():
    scene = surface(limit=0.8).scene()
    (bar,) = (item for item in scene.items if isinstance(item, ScaleBar))
    assert (bar.texts, bar.heat) == (("0.8", "0", "−0.8"), "cells")
    assert scene.panels[0].frame.right < bar.frame.left < bar.frame.right < scene.size[0]


@pytest.mark.parametrize("pattern", [0b10000000, 0b01100110, 0b11111111, 0b10100101, 0b00001111, 0b11110001, 0b1])
def test_exactly_the_thin_cells_are_hatched_each_once(pattern):
    few = tuple(tuple(bool(pattern >> (4 * j + i) & 1) for i in range(4)) for j in range(2))
    found = mark(surface(thin=few).scene(), "thin")
    covered = [
        (i, j - 10)
        for left, right, low, high in zip(found.left, found.right, found.bottom, found.top, strict=True)
        for i in range(round(left), round(right))
        for j in range(round(low), round(high))
    ]
    assert sorted(covered) == [(i, j) for i in range(4) for j in range(2) if few[j][i]]
    assert found.hatched


def test_neighboring_thin_cells_are_one_box_that_a_legend_explains():
    scene = surface(thin=((True, True, False, True), (True, True, False, False))).scene()
    assert len(mark(scene, "thin").left) == 2
    assert [(entry.words, entry.marks) for entry in legend(scene).entries] == [("few rows", ("thin",))]
    assert legend(surface().scene()).entries == ()


def test_cells_of_few_levels_hold_their_numbers_in_an_ink_that_can_be_read():
    numbers = mark(two_levels(thin=((False,) * 3, (True,) * 3, (False,) * 3)).scene(), "numbers")
    assert numbers.words == ("−0.9", "−0.2", "0", "+0.4", "+0.5", "+0.95")
    assert list(zip(numbers.x, numbers.y, strict=True))[:4] == [(0, 0), (1, 0), (2, 0), (0, 2)]
    assert numbers.color == ("on-strong", "on-pale", "on-pale", "on-pale", "on-pale", "on-strong")
    many = Axis("many", -0.5, 11.5, levels=tuple(map(str, range(12))))
    crowded = surface(x=many, y=many, value=((0.0,) * 12,) * 12, thin=())
    assert mark(surface().scene(), "numbers").words == mark(crowded.scene(), "numbers").words == ()


@pytest.mark.parametrize(("marked", "place"), [((1.0, 11.5), (1.0, 11.5)), ((99.0, -99.0), (4.0, 10.0))])
def test_a_row_is_a_cross_at_its_place_or_at_the_ends_of_the_axes(marked, place):
    scene = surface(marked=marked).scene()
    cross = mark(scene, "marked")
    assert (cross.x[0], cross.y[0], cross.shape) == (*place, "cross")
    assert cross.tips[0].startswith(f"this row: {marked[0]:.3f}, ")
    assert mark(scene, "marked-cell").x0 == ()


def test_a_row_in_a_cell_of_two_levels_is_a_frame_so_that_its_number_can_be_read():
    scene = two_levels(marked=(1.0, 2.0)).scene()
    frame = mark(scene, "marked-cell")
    assert (min(frame.x0), max(frame.x0)) == pytest.approx((0.5, 1.5), abs=0.05)
    assert (min(frame.y0), max(frame.y0)) == pytest.approx((1.5, 2.5), abs=0.05)
    assert set(frame.tips) == {"this row: middle, high"}
    assert mark(scene, "marked").x == ()


def test_names_are_kept_whatever_they_are():
    scene = edge_surface().scene()
    assert (mark(scene, "cells").x.label, mark(scene, "cells").label) == (HOSTILE, TEX)


def test_all_surfaces_have_one_form():
    nothing = surface(value=(), thin=())
    assert_one_form(rich_surface(), edge_surface(), two_levels(marked=(1.0, 1.0)), nothing, surface(limit=0.0))
