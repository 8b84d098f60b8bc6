"""The command: what it does, in which order, what it keeps, and that it does nothing twice."""

import csv
import importlib.util
import re
import time

import numpy as np
import pytest
from bs4 import BeautifulSoup

from benchmarks import experiments, reproduce
from benchmarks.blackboxes import KINDS, Kind, missing
from benchmarks.datasets import available
from benchmarks.experiments import Experiment
from benchmarks.reproduce import Session, main
from benchmarks.results_store import ResultsStore
from benchmarks.steps import Step
from tests.benchmarks.stand_ins import in_this_process, small_dataset

REAL_FIND_SPEC = importlib.util.find_spec
LINE = re.compile(r"\[(\d+)/(\d+)\] (.+)")


def adding(loaded, _settings):
    """Stand for a model: a sum of two features."""
    return None, (loaded.X["a"] + np.tanh(loaded.X["b"])).to_numpy()


def failing(_loaded, _settings):
    raise ValueError("too few rows to learn from")


def endless(_step, _folder):
    time.sleep(60)


@pytest.fixture
def quick(monkeypatch):
    """Do every step here, on small tables, with a model that takes no time; torch is not there."""
    monkeypatch.setattr(reproduce, "in_own_process", in_this_process)
    monkeypatch.setattr(experiments, "load", small_dataset)
    monkeypatch.setitem(KINDS, "ebm", Kind("EBM", (), adding))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else REAL_FIND_SPEC(name))


def run(folder, *more):
    return main(["diabetes", "--models", "ebm,mlp", "--rows", "120", "-o", str(folder), *more])


def table(folder):
    with (folder / "reproduce.csv").open(encoding="utf-8", newline="") as stream:
        return {(row["dataset"], row["model"]): row for row in csv.DictReader(stream)}


@pytest.mark.usefixtures("quick")
def test_a_run_ends_with_page_and_table_and_a_second_one_repeats_nothing(tmp_path, capsys):
    run(tmp_path)
    printed = capsys.readouterr().out
    said = [LINE.match(line) for line in printed.splitlines() if line.startswith("[")]
    assert [match[1] for match in said] == ["1", "2", "3"]
    assert "EBM: model: performance" in said[0][3]
    assert re.search(
        r"published method: R² 0\.\d{3} \(paper 0\.97\), held out -?\d\.\d{3}, in .+ · about .+ left", said[1][3]
    )
    assert said[2][3].endswith("nothing left")
    assert "MLP needs the torch extra: pip install 'anova_report[torch]'; its rows are left open" in printed

    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
    assert len(kept) == 4  # three records and the predictions
    first = table(tmp_path)
    run(tmp_path)
    again = capsys.readouterr().out
    assert "6 steps, 6 of them finished or not possible: nothing left" in again
    assert not LINE.search(again)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()} == kept
    assert table(tmp_path) == first
    run(tmp_path, "--fresh")
    assert "[3/3]" in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_page_and_table_tell_of_all_rows_whatever_was_asked_for(tmp_path):
    run(tmp_path)
    rows = table(tmp_path)
    assert len(rows) == 21
    assert float(rows["diabetes", "ebm"]["ours_held_out_r2"]) > 0.9
    assert "torch extra" in rows["diabetes", "mlp"]["model_missing_because"]
    page = BeautifulSoup((tmp_path / "reproduce.html").read_text(encoding="utf-8"), "html.parser")
    text = page.get_text(" ", strip=True)
    assert "1 of 21 rows finished" in text
    assert "needs the torch extra: pip install 'anova_report[torch]'" in text
    assert "Only 120 rows of each dataset" in text
    reasons = [cell.get_text() for cell in page.select("#bike-sharing td.reason")]
    assert "not run yet" in reasons


@pytest.mark.usefixtures("quick")
def test_whoever_stops_it_keeps_what_was_finished_and_can_go_on(tmp_path, capsys, monkeypatch):
    def stopped_at_ours(function, step, *arguments, **limits):
        if step.name == "ours":
            raise KeyboardInterrupt
        return in_this_process(function, step, *arguments, **limits)

    monkeypatch.setattr(reproduce, "in_own_process", stopped_at_ours)
    assert run(tmp_path) == reproduce.INTERRUPTED
    assert "Stopped; finished steps are kept" in capsys.readouterr().out.splitlines()[-1]
    row = table(tmp_path)["diabetes", "ebm"]
    assert float(row["published_r2"]) > 0.9
    assert row["ours_missing_because"] == "not run yet"
    monkeypatch.setattr(reproduce, "in_own_process", in_this_process)
    capsys.readouterr()
    run(tmp_path)
    assert "[1/1] Diabetes (Pima), EBM: our default" in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_a_model_that_fails_is_told_and_tried_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(KINDS, "ebm", Kind("EBM", (), failing))
    run(tmp_path)
    printed = capsys.readouterr().out
    assert "model: ValueError: too few rows to learn from" in printed
    assert printed.count("no predictions, since the model was not trained") == 2
    row = table(tmp_path)["diabetes", "ebm"]
    assert row["model_missing_because"] == "ValueError: too few rows to learn from"
    assert row["ours_missing_because"] == "no predictions, since the model was not trained"
    monkeypatch.setitem(KINDS, "ebm", Kind("EBM", (), adding))
    run(tmp_path)
    assert "[3/3]" in capsys.readouterr().out
    assert table(tmp_path)["diabetes", "ebm"]["model_missing_because"] == ""


def test_a_step_that_takes_too_long_is_ended_and_its_reason_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "carry_out", endless)
    step = Step(Experiment("diabetes", "ebm"), "ours")
    session = Session(ResultsStore(tmp_path), limit=0.2)
    assert session.do(step).reason == "no result within 0.2 s"
    assert session.store.find(step.key).reason == "no result within 0.2 s"
    assert session.waits(step) is (missing("ebm") is None)


@pytest.mark.skipif(not available("diabetes"), reason="needs the data in the folder ANOVA_REPORT_DATA")
@pytest.mark.skipif(missing("xgb") is not None, reason="needs xgboost, of the extra `bench`")
def test_the_whole_path_on_real_data_in_processes_of_their_own(tmp_path, capsys):
    main(["diabetes", "--models", "xgb", "--rows", "200", "-o", str(tmp_path)])
    assert "[3/3] Diabetes (Pima), XGBoost: our default: R² 0." in capsys.readouterr().out
    row = table(tmp_path)["diabetes", "xgb"]
    assert (row["n_rows"], row["n_features"]) == ("200", "8")
    assert float(row["ours_held_out_r2"]) > 0.3
    assert float(row["published_r2"]) > 0.5
