"""The plane of two features: where its cells are, and where hardly a row lies."""

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.columns import Rows
from anova_report.figures.columns.planes import CELLS_ALONG, side, thin


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


def test_a_plane_filled_evenly_is_nowhere_thin(plane):
    a, b = np.random.default_rng(1).uniform(size=(2, 6000))
    rows = plane(a=a, b=b)
    assert not thin(side(rows, 0), side(rows, 1)).any()


def test_chance_alone_does_not_make_a_small_plane_thin(plane):
    a, b = np.random.default_rng(1).uniform(size=(2, 200))
    rows = plane(a=a, b=b)
    assert thin(side(rows, 0), side(rows, 1)).mean() < 0.05


def test_a_plane_filled_along_its_diagonal_is_thin_off_it(plane):
    a = np.random.default_rng(1).uniform(size=4000)
    rows = plane(a=a, b=a)
    found = thin(side(rows, 0), side(rows, 1))
    assert not np.diag(found).any()
    assert found[0, -1]
    assert found[-1, 0]
    assert found.mean() > 0.8


def test_rows_of_the_result_run_along_the_second_feature(plane):
    """A quarter of the plane, a high and b low, is empty."""
    a, b = np.random.default_rng(1).uniform(size=(2, 6000))
    kept = ~((a > 0.5) & (b < 0.5))
    rows = plane(a=a[kept], b=b[kept])
    found = thin(side(rows, 0), side(rows, 1))
    assert found[:10, -10:].all()
    assert not found[-10:, :10].any()
    assert not found[:10, :10].any()


def test_a_level_without_rows_in_a_region_is_thin_there(plane):
    a = np.random.default_rng(1).uniform(-1, 1, size=3000)
    rows = plane(a=a, group=np.where(a > 0, "left", "right"))
    found = thin(side(rows, 0), side(rows, 2))
    assert found.shape == (2, CELLS_ALONG)
    assert found[1, -12:].all()
    assert not found[0, -12:].any()


def test_missing_values_have_no_place_on_an_axis_of_numbers(plane):
    a = np.random.default_rng(1).uniform(size=2000)
    rows = plane(a=a, b=np.where(np.arange(2000) % 2, np.nan, a[::-1]))
    assert side(rows, 1).drawn().sum() == 1000
    assert np.isfinite(side(rows, 1).at).all()


def test_features_that_are_never_known_together_are_thin_everywhere(plane):
    a = np.random.default_rng(1).uniform(size=200)
    even = np.arange(200) % 2 == 0
    rows = plane(a=np.where(even, a, np.nan), b=np.where(even, np.nan, a))
    assert thin(side(rows, 0), side(rows, 1)).all()
