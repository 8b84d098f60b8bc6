import numpy as np
import pytest
from anova_report.figures.columns import Rows

from anova_report.explorer.pointing import MOST, OTHERS, grouped
from anova_report.figures.style import SLICES
from tests.explorer import examples


@pytest.fixture(scope="module")
def mixed() -> Rows:
    return examples.mixed().state().rows


def test_numbers_fall_into_parts_of_about_equal_size_in_order():
    rows = examples.known().state().rows
    groups = grouped(rows, "a", range(len(rows)))
    assert len(groups.names) == MOST
    middles = [rows.values[groups.points(group), 0].mean() for group in range(MOST)]
    assert middles == sorted(middles)
    assert all(abs(len(groups.points(group)) - 300) <= 2 for group in range(MOST))


def test_every_point_is_in_one_group(mixed):
    drawn = list(range(0, len(mixed), 3))
    for name in mixed.dec.feature_names:
        groups = grouped(mixed, name, drawn)
        assert len(groups.of_point) == len(drawn)
        assert sorted(point for group in range(len(groups.names)) for point in groups.points(group)) == list(
            range(len(drawn))
        )
        assert 1 <= len(groups.names) <= MOST


def test_levels_are_groups_of_their_own(mixed):
    groups = grouped(mixed, "size", range(len(mixed)))
    assert groups.names == ("s", "m", "l")
    assert [mixed.values[point, 2] for point in groups.points(2)] == [2.0] * len(groups.points(2))


def test_missing_values_are_a_group(mixed):
    groups = grouped(mixed, "income", range(len(mixed)))
    assert groups.names[-1] == "(missing)"
    assert np.isnan(mixed.values[groups.points(MOST - 1), 0]).all()
    assert len(groups.points(MOST - 1)) == np.isnan(mixed.values[:, 0]).sum()


def test_rarer_levels_share_a_group(mixed):
    groups = grouped(mixed, "rooms", range(len(mixed)))
    assert groups.names[-1] == OTHERS
    assert len(groups.names) == MOST


def test_groups_without_a_point_are_left_out(mixed):
    small = [row for row in range(len(mixed)) if mixed.values[row, 2] != 1.0][:50]
    assert grouped(mixed, "size", small).names == ("s", "l")


def test_colours_are_apart_and_have_names(mixed):
    colours = grouped(mixed, "size", range(len(mixed))).colours
    assert len(set(colours)) == 3
    assert set(colours) <= set(SLICES)
