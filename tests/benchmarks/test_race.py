"""The race with made-up contestants: what it prints, and how it goes on when one does not arrive."""

import json
import time

import numpy as np
import pandas as pd
import pytest

from benchmarks import race
from benchmarks.judge import Outcome
from benchmarks.peers import CONTESTANTS, PEERS, Contest, Explanation
from benchmarks.results import MARKS, Result, line, marks_table, verdicts

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


def exact(contest):
    """Explain answers that are the sum of two features and their product."""
    X = contest.test.to_numpy()
    components = np.stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]], axis=1)
    return Explanation(0.5, components.sum(axis=1), ((0,), (1,), (0, 1)), components, self_reported=0.99)


def local(contest):
    """Explain rows one by one, without an answer for others."""
    return Explanation(seconds=1.0, note=f"{len(contest.train)} rows")


def failing(contest):
    raise ValueError(f"does not like {contest.name}")


def missing(contest):
    import no_such_library  # noqa: PLC0415 - the failing import is what is tested

    return no_such_library.explain(contest)


def slow(contest):
    time.sleep(60)
    return local(contest)


def failing_only_for_diabetes(name, seed, rows):  # noqa: ARG001 - called as prepare is
    if name == "diabetes":
        raise FileNotFoundError("Set the folder")
    return contest_of(name)


def in_this_process(function, *arguments, **_limits):
    try:
        return Outcome(function(*arguments), peak_mb=100.0)
    except Exception as error:
        return Outcome(reason=f"{type(error).__name__}: {error}")


def contest_of(name):
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, size=(400, 2)), columns=["a", "b"])
    answers = (X["a"] + X["b"] + X["a"] * X["b"]).to_numpy()
    train, test = slice(None, 300), slice(300, None)
    return Contest(name, X[train], X[test], X[train], X[test], answers[train], answers[test], b"", 0)


def test_the_race_goes_on_when_a_contestant_does_not_arrive():
    contestants = {"ours": exact, "fails": failing, "absent": missing}
    results = {result.contestant: result for result in race.race(contest_of("made up"), contestants, limit=60)}
    assert list(results) == list(contestants)
    assert results["fails"].reason == "ValueError: does not like made up"
    assert results["absent"].reason == "not installed: no_such_library"
    ours = results["ours"]
    assert ours.r2 == pytest.approx(1)
    assert (ours.n_cosines, ours.max_corr_of[:5]) == (2, "a × b")
    assert ours.max_corr < 4 * ours.max_corr_sd
    assert ours.peak_mb > ours.above_bare_mb


def test_a_contestant_that_is_too_slow_is_sent_home():
    (result,) = race.race(contest_of("made up"), {"snail": slow}, limit=0.5)
    assert result == Result("made up", "snail", reason="no result within 0.5 s")


def test_a_contestant_without_an_answer_of_its_own_has_no_fidelity():
    result = race.compete("local", local, contest_of("made up"))
    assert (result.seconds, result.r2, result.n_cosines, result.note) == (1.0, None, None, "300 rows")


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


def test_peers_are_chosen_by_name():
    assert race.peers("treehfd,ebm") == ("treehfd-1", "treehfd-2", "ebm")
    assert race.peers("none") == ()
    assert {contestant for names in PEERS.values() for contestant in names} == set(CONTESTANTS) - set(race.ALWAYS)


@pytest.mark.parametrize("arguments", [["--peers", "lime"], ["iris"]])
def test_unknown_names_are_refused_with_those_known(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        race.main(arguments)
    assert stopped.value.code == 2
    assert "is none of" in capsys.readouterr().err


def test_the_command_prints_lines_and_marks_and_writes_json(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(race, "in_own_process", in_this_process)
    monkeypatch.setattr(race, "prepare", failing_only_for_diabetes)
    monkeypatch.setattr(race, "CONTESTANTS", {"ours": exact, "published": failing, "literal": failing})
    path = tmp_path / "race.json"
    race.main(["diabetes", "electrical_grid", "--peers", "none", "--json", str(path)])
    printed = capsys.readouterr().out
    assert "diabetes: FileNotFoundError: Set the folder" in printed
    assert "electrical_grid: 2 features, 300 rows to fit, 100 to judge on" in printed
    assert "published  ValueError: does not like electrical_grid" in printed
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [result["contestant"] for result in document["results"]] == ["ours", "published", "literal"]
    assert document["marks"][0]["mark"]["figure"] == "held-out R²"
    assert document["marks"][0]["reached"] is True
    assert [each.name for each in tmp_path.iterdir()] == ["race.json"]
