from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anova_report import cli
from anova_report.errors import InputError, RunError
from anova_report.report.notebooks import batch, execution, notebook_export, notebook_summary
from anova_report.report.notebooks.batch import BatchResult, LedgerEntry
from anova_report.report.notebooks.execution import RunResult
from anova_report.report.notebooks.notebook_summary import Summary
from tests.report.samples import sample_audit

SUMMARY = replace(Summary.of(sample_audit(), page=Path("audit.html")), verdict="warn")


@pytest.fixture
def ran(monkeypatch, tmp_path) -> list[dict[str, Any]]:
    """Replaces the running of notebooks, which has its own tests, and keeps what was asked for."""
    calls: list[dict[str, Any]] = []
    monkeypatch.chdir(tmp_path)

    def stand_in(notebook: str, parameters: dict[str, Any], out: str, **more: Any) -> RunResult:
        calls.append({"notebook": notebook, "parameters": parameters, "out": out, **more})
        target, page = Path("done.ipynb"), Path("done.html")
        target.write_text("{}")
        page.write_text("<p>")
        return RunResult(target, page, 1.0)

    monkeypatch.setattr(execution, "run_notebook", stand_in)
    monkeypatch.setattr(notebook_export, "read_notebook", lambda _: None)
    monkeypatch.setattr(notebook_summary, "read_summary", lambda _: SUMMARY)
    return calls


def test_parameters_are_read_from_the_file_and_what_is_typed_wins(ran, capsys):
    Path("params.yaml").write_text("data: d.csv\nmax_order: 1\nfeatures: [a, b]\n")
    arguments = ["run", "audit", "-f", "params.yaml", "-p", "max_order", "2", "-p", "prediction", "p", "-o", "o.ipynb"]
    assert cli.main([*arguments, "--html", "o.html", "--timeout", "60"]) == 0
    [call] = ran
    assert call["parameters"] == {"data": "d.csv", "max_order": 2, "features": ["a", "b"], "prediction": "p"}
    assert (call["notebook"], call["out"], call["html"], call["timeout"]) == ("audit", "o.ipynb", "o.html", 60.0)
    printed = capsys.readouterr().out
    assert "Verdict: Use with care (warn)" in printed
    assert "Written: done.ipynb (" in printed
    assert "Written: done.html (" in printed


@pytest.mark.parametrize(("fail_on", "code"), [("warn", 1), ("fail", 0)])
@pytest.mark.usefixtures("ran")
def test_the_verdict_of_a_notebook_counts_for_fail_on(fail_on, code):
    assert cli.main(["run", "audit", "--fail-on", fail_on, "--quiet"]) == code


@pytest.mark.parametrize(
    ("error", "code"), [(RunError("audit.ipynb stopped in cell 3."), 3), (InputError("There is no notebook 'x'."), 2)]
)
@pytest.mark.usefixtures("ran")
def test_a_failing_notebook_is_exit_code_3_and_a_missing_one_2(monkeypatch, capsys, error, code):
    def fail(*_: object, **__: object) -> RunResult:
        raise error

    monkeypatch.setattr(execution, "run_notebook", fail)
    assert cli.main(["run", "audit"]) == code
    assert capsys.readouterr().err == f"anova-report: {error}\n"


@pytest.fixture
def batched(monkeypatch, tmp_path) -> list[dict[str, Any]]:
    """Replaces the carrying out of batches in the same way."""
    calls: list[dict[str, Any]] = []
    (tmp_path / "index.html").write_text("<p>")
    entries = (
        LedgerEntry("north", "north", outcome="done", summary=SUMMARY),
        LedgerEntry("south", "south", outcome="failed", message="audit.ipynb stopped in cell 2."),
        LedgerEntry("west", "west"),
    )

    def stand_in(runs: str, out: str, **more: Any) -> BatchResult:
        calls.append({"runs": runs, "out": out, **more})
        return BatchResult(tmp_path / "index.html", entries, ("south",), more["fail_on"])

    monkeypatch.setattr(batch, "run_batch", stand_in)
    return calls


def test_a_batch_lists_its_runs_complains_of_failures_and_names_the_index(batched, tmp_path, capsys):
    assert cli.main(["batch", "runs.yaml", "-o", "folder", "--stop", "--fresh", "--fail-on", "warn"]) == 3
    [call] = batched
    assert (call["runs"], call["out"]) == ("runs.yaml", "folder")
    assert (call["keep_going"], call["fresh"], call["fail_on"]) == (False, True, "warn")
    captured = capsys.readouterr()
    assert captured.err == "anova-report: south: audit.ipynb stopped in cell 2.\n"
    lines = [line.split() for line in captured.out.splitlines()]
    assert ["north", "done", "warn", "–"] in lines
    assert ["south", "failed", "–", "now"] in lines
    assert ["west", "waiting", "–", "–"] in lines
    assert f"Written: {tmp_path / 'index.html'} (" in captured.out
