"""The race with made-up contestants: what it prints, and how it goes on when one does not arrive."""

import json
import time

import numpy as np
import pandas as pd
import pytest

from benchmarks import race
from benchmarks.peers import Contest, Explanation
from tests.benchmarks.stand_ins import in_this_process


def exact(contest):
    """Explain predictions that are the sum of two features and their product."""
    X = contest.test.to_numpy()
    components = np.stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]], axis=1)
    return Explanation(0.5, components.sum(axis=1), ((0,), (1,), (0, 1)), components, self_reported=0.99)


def local(contest):
    """Explain rows one by one, without a prediction for others."""
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


def contest_of(name):
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, size=(400, 2)), columns=["a", "b"])
    predictions = (X["a"] + X["b"] + X["a"] * X["b"]).to_numpy()
    train, test = slice(None, 300), slice(300, None)
    return Contest(name, X[train], X[test], X[train], X[test], predictions[train], predictions[test], b"", 0)


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


def test_the_command_prints_lines_and_marks_and_writes_json(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(race, "in_own_process", in_this_process)
    monkeypatch.setattr(race, "prepare", failing_only_for_diabetes)
    monkeypatch.setattr(race, "CONTESTANTS", {"ours": exact, "published": failing, "literal": failing, "gram": local})
    path = tmp_path / "race.json"
    race.main(["diabetes", "electrical_grid", "--peers", "none", "--json", str(path)])
    printed = capsys.readouterr().out
    assert "diabetes: FileNotFoundError: Set the folder" in printed
    assert "electrical_grid: 2 features, 300 rows to fit, 100 to judge on" in printed
    assert "published  ValueError: does not like electrical_grid" in printed
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [result["contestant"] for result in document["results"]] == ["ours", "published", "literal", "gram"]
    assert document["marks"][0]["mark"]["figure"] == "held-out R²"
    assert document["marks"][0]["reached"] is True
    in_grams = next(mark for mark in document["marks"] if mark["mark"]["figure"] == "seconds, ours / Gram")
    assert (in_grams["value"], in_grams["reached"]) == (0.5, True)
    assert [each.name for each in tmp_path.iterdir()] == ["race.json"]
