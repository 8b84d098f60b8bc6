"""The lines of the race and the marks they are compared with, on made-up results."""

import pytest

from benchmarks.results import Result, line, verdicts

OURS = Result(
    "california_housing",
    "ours",
    seconds=2.0,
    r2=0.9391,
    self_reported=0.9352,
    max_corr=0.063,
    max_corr_sd=0.017,
    max_corr_of="Latitude × Longitude | Latitude",
    n_above=1,
    n_cosines=12,
    peak_mb=400.0,
    above_bare_mb=300.0,
)


def test_a_line_has_every_figure():
    assert line(OURS, OURS).startswith("  ours ")
    for figure in ("R²  0.9391 (itself 0.9352)", "MaxCorr 0.063 (sd 0.017, Latitude × Longitude | Latitude)"):
        assert figure in line(OURS, OURS)
    for figure in ("1 of 12 above the noise", "2.00 s (1× ours)", "+300 MB, peak 400 MB"):
        assert figure in line(OURS, OURS)


def test_a_line_tells_no_components_from_no_pair_worth_judging():
    assert "MaxCorr none  " in line(Result("diabetes", "treeshap", seconds=4.0), OURS)
    mains = Result("diabetes", "published", seconds=4.0, r2=0.9, n_above=0, n_cosines=0)
    assert "MaxCorr none (no pair of 1%)" in line(mains, OURS)
    assert "(2× ours)" in line(mains, OURS)


def test_marks_are_for_the_datasets_that_ran_and_each_looks_at_its_own_results():
    fast = Result(
        "superconductivity",
        "ours",
        seconds=1.0,
        r2=0.96,
        self_reported=0.93,
        max_corr=0.09,
        max_corr_sd=0.02,
        peak_mb=3 * 1024,
    )
    slow_elsewhere = Result("census_income", "published", seconds=1e6)
    published = Result("superconductivity", "published", seconds=0.25)
    found = {each.mark.figure: (each.value, each.reached) for each in verdicts([slow_elsewhere, fast, published])}
    assert found == {
        "held-out R²": (0.96, True),
        "cosine / max(.05, 3 sd)": (pytest.approx(1.5), False),
        "seconds, ours / published": (4.0, False),
        "peak GB of the process": (3.0, False),
        "|own held-out R² − R²|": (pytest.approx(0.03), False),
    }
