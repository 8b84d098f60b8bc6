import json
import resource
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition
from anova_report.errors import InputError, ModelError
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs import job as job_module
from anova_report.report.jobs.job import Job, run
from tests.cli.quick import drawn as built
from tests.report.jobs.model_here import ModelHere
from tests.report.small_tables import small_table, write_small_table

__all__ = ["built"]


def small_job(folder: Path, **more: Any) -> Job:
    settings = {
        "data": str(folder / "data.csv"),
        "prediction": ("p",),
        "target": ("paid",),
        "id": ("customer",),
        "max_order": 1,
        "out": str(folder / "a.html"),
    }
    return Job(**settings | more)


def test_a_table_becomes_a_page_in_one_call(built, tmp_path):
    write_small_table(tmp_path)
    audit = run(small_job(tmp_path, title="Prices", note=("Made up.",), rows=("C0003",)), progress=False)
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert audit.title == "Prices"
    [call] = built
    assert call["dec"].feature_names == ("income", "age", "region")
    assert call["model"] == "Column 'p' of data.csv"
    assert call["notes"] == ("Made up.",)
    assert call["rows"] == (3,)
    assert call["row_names"][3] == "customer C0003"
    assert call["random_state"] == 0
    assert call["command"].startswith(f"anova-report audit {tmp_path / 'data.csv'} --prediction p")
    assert [name for name, _ in call["seconds"]] == ["Reading the table", "Predictions", "Decomposition"]
    assert all(seconds >= 0 for _, seconds in call["seconds"])


def test_the_audit_and_the_decomposition_are_saved_on_request(built, tmp_path):
    write_small_table(tmp_path)
    run(small_job(tmp_path, save=str(tmp_path / "a.json"), decomposition=str(tmp_path / "d.json")), progress=False)
    assert Audit.load(tmp_path / "a.json").title == "Untitled"
    kept = Decomposition.load(tmp_path / "d.json")
    np.testing.assert_array_equal(kept.predict(built[0]["X"]), built[0]["dec"].predict(built[0]["X"]))


def test_rows_of_one_group_are_held_out_together_and_count_by_their_weight(built, tmp_path):
    write_small_table(tmp_path, clinic=[f"clinic {at % 9}" for at in range(400)], exposure=np.arange(400) % 4)
    run(small_job(tmp_path, group="clinic", weight="exposure"), progress=False)
    [call] = built
    assert call["dec"].feature_names == ("income", "age", "region")
    assert (call["dec"].partition.unit, call["dec"].partition.n_units) == ("group", 9)
    assert (call["dec"].partition.total_weight, len(call["X"]), len(call["predictions"])) == (600.0, 300, 300)
    assert "--group clinic --weight exposure" in call["command"]
    with pytest.raises(InputError, match="There are only 2 groups in groups"):
        run(small_job(tmp_path, group="region"), progress=False)


def test_several_predictions_reach_the_audit_as_columns(built, tmp_path):
    write_small_table(tmp_path)
    run(small_job(tmp_path, prediction=("p", "income")), progress=False)
    assert built[0]["predictions"].shape == (400, 2)
    assert built[0]["dec"].output_names == ("p", "income")


def test_predictions_that_never_change_are_audited_all_the_same(built, tmp_path):
    write_small_table(tmp_path, p=5.0)
    run(small_job(tmp_path), progress=False)
    assert built[0]["dec"].mean == 5.0


def test_stages_are_announced_as_they_begin(built, tmp_path):
    write_small_table(tmp_path)
    stages: list[str] = []
    run(small_job(tmp_path), progress=False, tell=stages.append)
    assert stages == ["Reading the table", "Predictions", "Decomposition", "Audit and figures", "Writing"]
    assert len(built) == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"out": "{}/nowhere/a.html"}, "There is no folder .*nowhere to write a.html to"),
        ({"save": "{}/nowhere/a.json"}, "There is no folder .*nowhere"),
        ({"out": "{}"}, "is a folder. Name a file in it"),
        ({"save": "{}/a.html"}, "is named for two things"),
        ({"out": "{}/data.csv"}, "is named for two things"),
        ({"decomposition": "{}/./a.html"}, "is named for two things"),
    ],
)
def test_places_that_cannot_be_written_are_refused_before_anything_is_read(tmp_path, more, words):
    places = {name: place.format(tmp_path) for name, place in more.items()}
    with pytest.raises(InputError, match=words):
        run(small_job(tmp_path, **places), progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_fails_half_way_leaves_nothing(tmp_path, monkeypatch):
    small_table(9000).to_csv(tmp_path / "data.csv", index=False)
    predicted: list[int] = []

    class Tired:
        def predict(self, rows: pd.DataFrame) -> pd.Series:
            predicted.append(len(rows))
            if len(predicted) > 1:
                raise TimeoutError("too tired")
            return rows["income"]

    monkeypatch.setattr("anova_report.report.jobs.job.ChildModel", lambda *_, **__: ModelHere(Tired()))
    job = small_job(tmp_path, prediction=(), model="models:tired", exclude=("p",))
    with pytest.raises(ModelError, match="The model failed on rows 8192 to 8999: TimeoutError: too tired"):
        run(job, progress=False)
    assert predicted == [8192, 808]
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.usefixtures("built")
def test_a_page_that_cannot_be_drawn_leaves_nothing(tmp_path, monkeypatch):
    def fail(_: Audit) -> str:
        raise KeyError("a figure")

    write_small_table(tmp_path)
    monkeypatch.setattr(job_module, "render", fail)
    with pytest.raises(KeyError, match="a figure"):
        run(small_job(tmp_path, save=str(tmp_path / "a.json"), decomposition=str(tmp_path / "d.json")), progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_a_whole_audit_with_a_finding_about_constant_predictions(tmp_path):
    write_small_table(tmp_path, p=5.0)
    audit = run(small_job(tmp_path, save=str(tmp_path / "a.json")), progress=False)
    assert audit.verdict == "fail"
    assert [item.code for item in audit.outputs[0].findings] == ["AR001"]
    assert json.loads((tmp_path / "a.json").read_text())["title"] == audit.title
    assert "whatever its inputs" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("source", "model"),
    [("mine.py", "mine:f"), ("whole/__init__.py", "whole:f"), ("spread/inner.py", "spread.inner:f")],
)
def test_the_source_of_a_model_is_never_replaced(tmp_path, monkeypatch, source, model):
    write_small_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / source).parent.mkdir(exist_ok=True)
    (tmp_path / source).write_text("def f(rows):\n    return rows['age']\n")
    job = small_job(tmp_path, prediction=(), model=model, out=source)
    with pytest.raises(InputError, match="is named for two things"):
        run(job, progress=False, overwrite=True)
    assert "def f(rows)" in (tmp_path / source).read_text()


@pytest.mark.usefixtures("built")
def test_a_file_that_appears_during_a_run_is_not_replaced_and_nothing_else_is_written(tmp_path, monkeypatch):
    write_small_table(tmp_path)
    render = job_module.render

    def meanwhile(audit: Audit) -> str:
        (tmp_path / "a.html").write_text("<p>mine</p>")
        return render(audit)

    monkeypatch.setattr(job_module, "render", meanwhile)
    with pytest.raises(InputError, match=r"a\.html is there already"):
        run(small_job(tmp_path, save=str(tmp_path / "a.json")), progress=False)
    assert (tmp_path / "a.html").read_text() == "<p>mine</p>"
    assert not (tmp_path / "a.json").exists()


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="the size of files has no limit here")
@pytest.mark.usefixtures("built")
def test_a_page_that_does_not_fit_on_the_disk_leaves_no_other_result(tmp_path):
    write_small_table(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))  # more than the JSON and less than the page have
    try:
        with pytest.raises(OSError, match="File too large"):
            run(small_job(tmp_path, save=str(tmp_path / "a.json")), progress=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
