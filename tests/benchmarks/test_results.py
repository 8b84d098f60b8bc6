"""The lines of the race and the marks held against them, on made-up results."""

from dataclasses import replace

import pytest

from benchmarks.datasets import DATASETS
from benchmarks.results import FIGURES, MARKS, Mark, Result, Verdict, line, marks_table, verdicts

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


def test_a_line_without_figures_has_the_reason():
    assert line(Result("diabetes", "salib", reason="LinAlgError: no"), OURS) == "  salib      LinAlgError: no"


def test_a_line_tells_no_components_from_no_pair_worth_judging():
    assert "MaxCorr none  " in line(Result("diabetes", "treeshap", seconds=4.0), OURS)
    mains = Result("diabetes", "published", seconds=4.0, r2=0.9, n_above=0, n_cosines=0)
    assert "MaxCorr none (no pair of 1%)" in line(mains, OURS)
    assert "(2× ours)" in line(mains, OURS)


def test_without_ours_a_line_has_no_ratio():
    assert "ours)" not in line(Result("diabetes", "ebm", seconds=4.0, r2=-1e10), None)


def test_marks_are_held_against_ratios_of_the_same_run():
    published = Result("california_housing", "published", seconds=18.0, r2=0.82)
    reached = {each.mark.figure: (each.value, each.reached) for each in verdicts([OURS, published])}
    assert reached["held-out R²"] == (0.9391, True)
    assert reached["seconds, published / ours"] == (9.0, False)
    assert reached["seconds, EBM / ours"] == (None, None)
    assert reached["|own held-out R² − R²|"] == (pytest.approx(0.0039), True)


def test_a_mark_is_not_reached_by_rounding():
    almost = Result("diabetes", "ours", seconds=1.0, r2=0.81999)
    assert [each.reached for each in verdicts([almost])] == [False, None]


def test_ours_without_figures_leaves_marks_unmeasured():
    table = marks_table([Result("superconductivity", "ours", reason="out of memory")])
    assert len(table) == 1 + 4
    assert all(row.endswith("not measured") for row in table[1:])


def test_the_table_of_marks_reads_yes_or_no():
    table = marks_table([OURS])
    assert any("held-out R²" in row and row.endswith("yes") for row in table)
    assert marks_table([]) == ["Marks"]
    assert len({mark.dataset for mark in MARKS}) == 6


@pytest.mark.parametrize(
    ("sign", "value", "reached"), [(">=", 10, True), (">=", 9.999, False), ("<=", 10, True), ("<=", 10.001, False)]
)
def test_a_mark_is_reached_at_its_limit_and_on_the_right_side_of_it(sign, value, reached):
    assert Verdict(Mark("diabetes", "held-out R²", sign, 10), value).reached is reached


def test_every_mark_asks_for_a_figure_that_can_be_had_and_is_asked_once():
    assert {mark.figure for mark in MARKS} == set(FIGURES)
    assert {mark.sign for mark in MARKS} == {">=", "<="}
    assert len({(mark.dataset, mark.figure) for mark in MARKS}) == len(MARKS)
    assert {mark.dataset for mark in MARKS} == set(DATASETS)


def test_marks_are_for_the_datasets_that_ran_and_each_looks_at_its_own_results():
    fast = Result("superconductivity", "ours", seconds=1.0, r2=0.95, self_reported=0.93, peak_mb=3 * 1024)
    slow_elsewhere = Result("census_income", "published", seconds=1e6)
    beside = Result("superconductivity", "published", seconds=0.25)
    found = {each.mark.figure: (each.value, each.reached) for each in verdicts([slow_elsewhere, fast, beside])}
    assert found == {
        "held-out R²": (0.95, True),
        "seconds, ours / published": (4.0, False),
        "peak GB of the process": (3.0, False),
        "|own held-out R² − R²|": (pytest.approx(0.02), False),
    }


@pytest.mark.parametrize("broken", [{"seconds": None}, {"seconds": 0.0}, {"reason": "out of memory", "seconds": None}])
def test_a_ratio_needs_two_times(broken):
    ours = replace(OURS, **broken)
    published = Result("california_housing", "published", seconds=18.0)
    values = {each.mark.figure: each.value for each in verdicts([ours, published])}
    assert values["seconds, published / ours"] is None


def test_a_fidelity_far_below_zero_is_written_short():
    assert "R²  -1e+10" in line(Result("diabetes", "salib", seconds=4.0, r2=-1e10), None)
    assert "R²  0.0000" in line(Result("diabetes", "salib", seconds=4.0, r2=0.0), None)


def test_memory_is_written_as_far_as_it_is_known():
    assert "MB" not in line(replace(OURS, peak_mb=None, above_bare_mb=None), None)
    assert "  peak 400 MB" in line(replace(OURS, above_bare_mb=None), None)


def test_a_note_ends_the_line():
    assert line(replace(OURS, note="28 pairs"), None).endswith("  28 pairs")
