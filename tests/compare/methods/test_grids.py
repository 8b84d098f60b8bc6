"""Points along a feature, and curves read off between them."""

import numpy as np
import pytest

from anova_report.compare.methods.partial import curve_points, missing_values, read_off, spread_codes
from anova_report.compare.methods.request import Request, make_request
from tests.compare.conftest import Case


@pytest.fixture
def request_of_mixed(mixed: Case) -> Request:
    return make_request(mixed.model, mixed.X, max_rows=300)


def test_points_lie_at_equal_steps_of_frequency() -> None:
    codes = np.r_[np.zeros(900, dtype=np.intp), np.arange(1, 101)]
    chosen = spread_codes(codes, points=11)
    # Nine tenths of the rows share one value, so most steps fall on it.
    assert chosen.tolist() == [0, 100]


def test_ends_are_always_among_the_points() -> None:
    chosen = spread_codes(np.random.default_rng(0).permutation(1000), points=7)
    assert chosen[0] == 0
    assert chosen[-1] == 999
    assert len(chosen) == 7


def test_levels_and_gaps_are_points_of_their_own(request_of_mixed: Request) -> None:
    assert len(curve_points(request_of_mixed, 0, points=2)) == 3
    ages = request_of_mixed.cells.values[2][curve_points(request_of_mixed, 2, points=5)]
    assert len(ages) == 6
    assert np.isnan(ages).tolist() == [False] * 5 + [True]


def test_gaps_are_found_among_the_rows_to_explain(request_of_mixed: Request, mixed: Case) -> None:
    expected = mixed.X["age"].isna().to_numpy()[request_of_mixed.rows]
    np.testing.assert_array_equal(missing_values(request_of_mixed, 2), expected)


def test_a_line_is_read_off_exactly_and_a_gap_gets_its_own_value(request_of_mixed: Request, mixed: Case) -> None:
    at = curve_points(request_of_mixed, 2, points=4)
    curve = np.append(5 * request_of_mixed.cells.values[2][at][:-1], 99.0)
    ages = mixed.X["age"].to_numpy()[request_of_mixed.rows]
    np.testing.assert_allclose(read_off(request_of_mixed, 2, at, curve), np.where(np.isnan(ages), 99.0, 5 * ages))


def test_levels_are_looked_up_not_interpolated(request_of_mixed: Request, mixed: Case) -> None:
    at = curve_points(request_of_mixed, 0, points=2)
    colours = mixed.X["colour"].astype(str).to_numpy()[request_of_mixed.rows]
    found = read_off(request_of_mixed, 0, at, np.array([10.0, -7.0, 3.0]))  # blue, green, red: levels are sorted
    expected = [{"blue": 10.0, "green": -7.0, "red": 3.0}[colour] for colour in colours]
    assert found.tolist() == expected
