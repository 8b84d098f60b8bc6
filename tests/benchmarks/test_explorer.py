"""The parts of the explorer's benchmark that need no browser."""

import pytest

from benchmarks.explorer import KINDS, N_FEATURES, Times, explored, other, stage
from tests.figures.samples import SAMPLES


def test_half_and_nine_tenths_of_the_trips_are_below_what_is_said():
    times = Times("key", 4, tuple(float(value) for value in range(1, 102)))
    assert times.median == 51.0
    assert times.p90 == pytest.approx(91.0)


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_draws_other_numbers(kind: str):
    first, second = (other(SAMPLES[kind].rich, step) for step in (1, 2))
    assert first.title == "step 1"
    assert first.data != second.data


def test_the_plots_follow_the_slider():
    box, slider = stage(2)
    slider.value = 7
    assert [plot.title.text for plot in box.children[1].plots.values()] == ["step 7", "step 7"]


def test_the_explorer_shows_four_figures_of_a_pair_and_lists_all_pairs():
    explorer = explored()
    assert len(explorer.figures) == len(KINDS)
    assert len(explorer.controls.term.options) == N_FEATURES * (N_FEATURES - 1) // 2
    explorer.close()
