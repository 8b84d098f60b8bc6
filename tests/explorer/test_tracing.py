import numpy as np
import pytest
from anova_report.figures.columns import Rows, main_effect, pair_slices, pair_surface

from anova_report.explorer.pointing import can_be_traced, traced
from tests.explorer import examples


@pytest.fixture(scope="module")
def rows() -> Rows:
    return examples.known().state().rows


def follow(rows, term, at, whose="pointer", output=0):
    surface, slices = pair_surface(rows, term, output), pair_slices(rows, term, output)
    return slices, traced(slices, rows, term, output, surface, at, whose)


def test_the_slice_through_a_point_is_the_component_there(rows):
    _, found = follow(rows, (0, 2), (0.9, 0.5))
    line = found.data.lines[-1]
    np.testing.assert_allclose(line.value, 4 * np.array(line.at) * 0.5, atol=0.25)
    assert line.name == "pointer: 0.5"


def test_the_other_slices_stay(rows):
    slices, found = follow(rows, (0, 2), (0.9, 0.5))
    assert found.data.lines[:-1] == slices.data.lines
    assert found.data.x == slices.data.x


def test_the_axis_of_effects_stands_still_while_the_point_moves(rows):
    axes = {follow(rows, (0, 2), (0.0, at))[1].data.y for at in (-0.9, 0.0, 0.9)}
    assert len(axes) == 1
    [axis] = axes
    assert axis.high >= max(max(line.value) for line in follow(rows, (0, 2), (0.0, 0.9))[1].data.lines)


def test_a_pair_with_levels_is_cut_at_a_level():
    mixed = examples.mixed().state().rows
    term = next(term for term in mixed.dec.terms if term == (0, 3))
    _, found = follow(mixed, term, (4.0, 1.0), "this row")
    line = found.data.lines[-1]
    assert line.name == "this row: True"
    same = next(other for other in found.data.lines[:-1] if other.name.endswith("= True"))
    assert line.value == pytest.approx(same.value, abs=1e-4)


def test_only_complete_values_have_a_slice():
    assert can_be_traced((0.0, 1.0))
    assert not can_be_traced((0.0, np.nan))


def test_other_figures_stay_as_they_are(rows):
    curve = main_effect(rows, (0,))
    assert traced(curve, rows, (0, 2), 0, pair_surface(rows, (0, 2)), (0.0, 0.0), "pointer") is curve
