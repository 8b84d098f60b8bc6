"""The benchmark of failing regions in a small version: what is planted, and when a promise is broken."""

import numpy as np
import pytest

from benchmarks import regions


def test_planted_regions_hold_some_six_percent_of_the_rows_and_differ_there_alone():
    table = regions.draw(np.random.default_rng(0), 4000)
    planted = regions.planted_rows(table)
    assert 0.04 < planted.mean() < 0.08
    for model in (regions.four_way, regions.sharp):
        differs = model(table) != regions.pairs(table)
        assert not differs[~planted].any()
        assert differs[planted].mean() > 0.99


@pytest.mark.parametrize("case", [regions.CASES[0], regions.CASES[5]], ids=lambda case: case.name)
def test_a_planted_region_is_found_and_none_is_claimed_in_noise(case):
    assert regions.sample(case, 0, 1200)


def test_a_promise_is_broken_from_the_third_planted_region_that_is_missed():
    planted, none = regions.CASES[0], regions.CASES[-1]
    assert [regions.broken(planted, kept, 20) for kept in (17, 18)] == [True, False]
    assert [regions.broken(none, kept, 20) for kept in (18, 19)] == [True, False]
