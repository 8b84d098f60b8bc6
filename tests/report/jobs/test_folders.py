"""Audits of folders of Parquet files: numbers from all rows, pictures from a sample, also on a Dask cluster."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anova_report import Decomposition
from anova_report.cli import main
from anova_report.core.large import part_rows
from anova_report.core.large.dask_cluster import ClusterSpans, local_workers
from anova_report.errors import InputError
from anova_report.report.jobs.job import run
from anova_report.report.jobs.options import Job
from tests.core.large.large_tables import bits, few_are_many, fit, mixed_table, write_files


@pytest.fixture(autouse=True, scope="module")
def large() -> Iterator[None]:
    with few_are_many(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(part_rows, "LOOKED_AT_ROWS", 500)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_files(tmp_path_factory.mktemp("data") / "parts", mixed_table().assign(truth=1.0), [9000, 20_000])


def test_a_folder_becomes_a_page_whose_numbers_are_those_of_all_rows(folder, tmp_path):
    job = Job(
        data=str(folder),
        prediction=("prediction",),
        target=("truth",),
        out=str(tmp_path / "audit.html"),
        decomposition=str(tmp_path / "dec.json"),
        top_mains=1,
        top_pairs=1,
    )
    audit = run(job, progress=False)
    table = mixed_table()
    expected = fit(table[["x", "level", "z"]], table["prediction"])
    found = Decomposition.load(tmp_path / "dec.json")
    assert bits(found).replace('"progress":false', "") == bits(expected).replace('"progress":false', "")
    assert any("show a sample of 500 of 36,000 rows, drawn with seed 0" in note for note in audit.subject.notes)
    assert "show a sample of 500 of 36,000 rows" in (tmp_path / "audit.html").read_text()


def test_a_folder_is_audited_on_workers_by_the_command_line(folder, tmp_path, monkeypatch):
    module = tmp_path / "priced.py"
    module.write_text("def price(rows):\n    return rows['z'].to_numpy() * (rows['level'] == 'a').to_numpy()\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path.cwd()}")
    monkeypatch.syspath_prepend(str(tmp_path))
    out = tmp_path / "audit.html"
    options = ["--model", "priced:price", "--features", "z", "level", "--workers", "1", "--max-order", "1"]
    code = main(["audit", str(folder), *options, "-o", str(out), "--quiet", "--top-mains", "1"])
    assert code == 0
    assert "36,000" in out.read_text()


def test_a_model_that_ends_its_process_ends_no_audit_of_a_folder(folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "vanishing.py").write_text("import os\n\ndef vanish(rows):\n    os._exit(0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    options = ["--model", "vanishing:vanish", "--features", "z", "--fail-on", "warn"]
    assert main(["audit", str(folder), *options, "-o", str(tmp_path / "audit.html")]) == 3
    assert "The model's process ended by itself (exit code 0)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"sample": 100}, "'sample' would need them in memory"),
        ({"rows": ("1",)}, "'rows' would need them in memory"),
        ({"cluster": "tcp://127.0.0.1:1", "workers": 2}, "got both"),
        ({"cluster": "tcp://127.0.0.1:1"}, "There is no Dask scheduler at tcp://127.0.0.1:1"),
        ({"prediction": ("answer",)}, "There is no column 'answer'"),
    ],
)
def test_what_a_folder_cannot_have_is_refused(folder, tmp_path, more, words, monkeypatch):
    monkeypatch.setattr("anova_report.report.jobs.folders.PATIENCE", "1s")
    known = {"data": str(folder), "prediction": ("prediction",), "out": str(tmp_path / "audit.html")}
    with pytest.raises(InputError, match=words):
        run(Job(**(known | more)), progress=False)
    assert not (tmp_path / "audit.html").exists()


def test_a_cluster_is_for_folders(tmp_path):
    table = tmp_path / "table.csv"
    pd.DataFrame({"x": [1.0, 2.0], "p": [1.0, 2.0]}).to_csv(table)
    with pytest.raises(InputError, match="cluster and workers are for folders"):
        run(Job(data=str(table), prediction=("p",), workers=1, out=str(tmp_path / "audit.html")), progress=False)


LEAVING = """
import os

if {on_import}:
    os._exit(0)

def leave(rows):
    os._exit(0)
"""


@pytest.mark.parametrize("on_import", [True, False])
@pytest.mark.parametrize("place", ["--workers", "--cluster"])
def test_no_model_passes_a_gate_by_ending_a_process_beside_a_cluster(
    folder, tmp_path, monkeypatch, capfd, place, on_import
):
    (tmp_path / "leaving.py").write_text(LEAVING.format(on_import=on_import))
    monkeypatch.syspath_prepend(str(tmp_path))
    out = tmp_path / "audit.html"
    command = [sys.executable, "-m", "anova_report.cli", "audit", str(folder), "--model", "leaving:leave"]
    command += ["--features", "z", "--fail-on", "fail", "-o", str(out), place]
    with local_workers(1) if place == "--cluster" else nullcontext() as cluster:
        command += [cluster.scheduler_address if place == "--cluster" else "1"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        # A process of its own: a model that is loaded in it would end the tests.
        assert subprocess.run(command, env=environment, check=False).returncode == 3  # noqa: S603 our own command
    assert "The model's process ended by itself (exit code 0)" in capfd.readouterr().err
    assert not out.exists()


def test_a_file_that_changes_while_workers_read_it_is_refused(tmp_path, monkeypatch):
    folder = write_files(tmp_path / "parts", mixed_table()[["x", "z", "prediction"]], [20_000])
    fold = ClusterSpans.fold

    def meanwhile(self: ClusterSpans, *given: Any) -> Any:
        last = folder / "part-001.parquet"
        (3 * pd.read_parquet(last)).to_parquet(last.with_suffix(".new"))
        last.with_suffix(".new").replace(last)
        return fold(self, *given)

    monkeypatch.setattr(ClusterSpans, "fold", meanwhile)
    job = Job(data=str(folder), prediction=("prediction",), workers=1, out=str(tmp_path / "audit.html"))
    with pytest.raises(InputError, match=r"part-001\.parquet was written again during the run"):
        run(job, progress=False)
    assert not (tmp_path / "audit.html").exists()
