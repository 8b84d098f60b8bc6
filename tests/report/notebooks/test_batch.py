import os
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError, RunError
from anova_report.report.notebooks import batch as module
from anova_report.report.notebooks import ledger
from anova_report.report.notebooks.batch import BatchResult, LedgerEntry, run_batch
from anova_report.report.notebooks.execution import RunResult
from anova_report.report.notebooks.notebook_summary import MIME, Summary
from tests.report.tiny_notebooks import tiny_notebook

VERDICT = f"""
from IPython.display import display
from pathlib import Path
Path(out).write_text("the page")
if word == "broken":
    raise ValueError("The table is broken.")
summary = {{"title": "Shop", "verdict": word, "words": "Fine.", "page": out, "audit": None,
           "headlines": [{{"label": "Fidelity", "value": "0.9", "status": word, "words": ""}}]}}
display({{"{MIME}": summary, "text/plain": "summary"}}, raw=True)
"""
SPEC = """
defaults: {notebook: tiny.ipynb}
runs:
- {name: first shop, word: pass, data: table.csv}
- {name: broken, word: broken}
- {name: second, word: warn}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("batch")
    tiny_notebook(made / "tiny.ipynb", VERDICT, parameters="word = 'pass'\ndata = None\nout = None")
    (made / "table.csv").write_text("a\n1\n")
    (made / "runs.yaml").write_text(SPEC)
    return made


@pytest.fixture(scope="module")
def result(folder):
    return run_batch(folder / "runs.yaml", folder / "out", progress=False, fail_on="warn")


@pytest.fixture
def fake(monkeypatch):
    """Replace running by writing two files; records what was asked for, and fails where `word` says so."""
    asked = []

    def run(notebook, parameters, out, *, progress, cwd):
        del notebook, progress, cwd
        asked.append(out.parent.name)
        out.parent.mkdir(parents=True, exist_ok=True)
        tiny_notebook(out)
        out.with_suffix(".html").touch()
        written = RunResult(out, out.with_suffix(".html"), 0.1)
        if parameters.get("word") == "broken":
            raise RunError("It stopped.", result=replace(written, failed="It stopped."))
        if parameters.get("word") == "killed":
            raise KeyboardInterrupt
        return written

    monkeypatch.setattr(module, "run_notebook", run)
    return asked


def spec(tmp_path, *words):
    tiny_notebook(tmp_path / "tiny.ipynb")
    runs = [f"- {{name: r{number}, notebook: tiny.ipynb, word: {word}}}" for number, word in enumerate(words)]
    path = tmp_path / "runs.yaml"
    path.write_text("\n".join(runs))
    return path


def test_a_batch_goes_on_after_a_failure(result):
    assert [entry.outcome for entry in result.entries] == ["done", "failed", "done"]
    assert result.executed == ("first shop", "broken", "second")


def test_a_failed_run_says_in_which_cell_and_keeps_what_there_was(result, folder):
    failed = result.entries[1]
    assert failed.message.startswith(
        "tiny.ipynb stopped in cell 3 (from IPython.display import display) with ValueError"
    )
    assert (folder / "out" / failed.notebook).is_file()
    assert failed.page is None


def test_the_index_shows_all_runs_and_its_links_lead_somewhere(result):
    page = BeautifulSoup(result.index.read_text(encoding="utf-8"), "html.parser")
    assert [row.th.contents[0] for row in page.select("tbody tr")] == ["first shop", "broken", "second"]
    assert page.h1.get_text() == "runs"
    links = [link["href"] for link in page.select("tbody a")]
    assert len(links) == 8
    assert all((result.index.parent / link).is_file() for link in links)


def test_a_second_time_only_what_failed_is_run_again(result, folder, fake):
    again = run_batch(folder / "runs.yaml", folder / "out", progress=False)
    assert again.executed == ("broken",)
    assert fake == ["broken"]
    assert again.entries[0] == result.entries[0]
    assert again.worst == "warn"


def test_a_killed_batch_keeps_what_was_finished_and_goes_on_from_there(tmp_path, fake):
    with pytest.raises(KeyboardInterrupt):
        run_batch(spec(tmp_path, "a", "killed", "c"), tmp_path / "out", progress=False)
    assert ledger.load(tmp_path / "out")["r0"].outcome == "done"
    page = BeautifulSoup((tmp_path / "out" / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert [row.td.get_text(strip=True) for row in page.select("tbody tr")] == [
        "–",
        "Begun, not finished",
        "Not run yet",
    ]
    fake.clear()
    result = run_batch(spec(tmp_path, "a", "b", "c"), tmp_path / "out", progress=False)
    assert fake == ["r1", "r2"]
    assert [entry.outcome for entry in result.entries] == ["done"] * 3


def test_a_batch_that_is_asked_to_stops_at_the_first_failure(tmp_path, fake):
    result = run_batch(spec(tmp_path, "a", "broken", "c"), tmp_path / "out", progress=False, keep_going=False)
    assert fake == ["r0", "r1"]
    assert [entry.outcome for entry in result.entries] == ["done", "failed", "waiting"]


def test_data_that_are_replaced_during_a_run_make_it_fail_and_run_again(tmp_path, fake, monkeypatch):
    path, table = spec(tmp_path, "table.csv"), tmp_path / "table.csv"
    table.write_text("a\n1\n")
    working = module.run_notebook

    def run(*arguments, **options):
        table.write_text("a\n2\n")  # of the same size
        os.utime(table, ns=(1, 1))
        return working(*arguments, **options)

    monkeypatch.setattr(module, "run_notebook", run)
    os.utime(table, ns=(1, 1))
    first = run_batch(path, tmp_path / "out", progress=False)
    assert first.entries[0].message == "'table.csv' changed while the run was reading it. Run the batch again."
    assert first.exit_code == 3
    monkeypatch.setattr(module, "run_notebook", working)
    assert run_batch(path, tmp_path / "out", progress=False).executed == ("r0",)
    assert run_batch(path, tmp_path / "out", progress=False).executed == ()
    assert fake == ["r0", "r0"]


def test_a_page_that_another_run_wrote_is_not_taken_for_the_result(tmp_path, fake):
    path = spec(tmp_path, "a")
    run_batch(path, tmp_path / "out", progress=False)
    (tmp_path / "out" / "r0" / "notebook.html").write_text("of another run")
    assert run_batch(path, tmp_path / "out", progress=False, overwrite=True).executed == ("r0",)
    assert fake == ["r0", "r0"]


def test_a_run_is_marked_before_it_starts(tmp_path, fake, monkeypatch):
    seen = []

    def killed(*_arguments, **_options):
        seen.append(ledger.load(tmp_path / "out")["r0"].outcome)
        raise KeyboardInterrupt

    run_batch(spec(tmp_path, "a"), tmp_path / "out", progress=False)
    monkeypatch.setattr(module, "run_notebook", killed)
    with pytest.raises(KeyboardInterrupt):
        run_batch(spec(tmp_path, "b"), tmp_path / "out", progress=False)
    assert seen == ["running"]
    assert ledger.load(tmp_path / "out")["r0"].summary is None
    assert fake == ["r0"]


def test_two_batches_do_not_work_in_one_folder_at_once(tmp_path, fake, monkeypatch):
    working, inside = module.run_notebook, []

    def run(*arguments, **options):
        with pytest.raises(InputError, match=rf"is in use by another batch \(.* process {os.getpid()}\)") as refused:
            run_batch(tmp_path / "runs.yaml", tmp_path / "out", progress=False)
        inside.append(refused)
        return working(*arguments, **options)

    monkeypatch.setattr(module, "run_notebook", run)
    assert run_batch(spec(tmp_path, "a"), tmp_path / "out", progress=False).exit_code == 0
    assert len(inside) == 1
    assert fake == ["r0"]


def test_an_index_of_somebody_else_is_not_replaced(tmp_path, fake):
    (tmp_path / "index.html").write_text("<p>home</p>")
    with pytest.raises(InputError, match=r"index\.html is there already, and anova_report did not write it"):
        run_batch(spec(tmp_path, "a"), tmp_path, progress=False)
    assert (tmp_path / "index.html").read_text() == "<p>home</p>"
    assert fake == []
    assert run_batch(spec(tmp_path, "a"), tmp_path, progress=False, overwrite=True).exit_code == 0


def test_a_run_without_a_verdict_does_not_pass_a_gate(tmp_path, fake):
    assert run_batch(spec(tmp_path, "a"), tmp_path / "out", progress=False).exit_code == 0
    assert run_batch(spec(tmp_path, "a"), tmp_path / "out", progress=False, fail_on="fail").exit_code == 3
    assert fake == ["r0"]


def test_nothing_is_run_if_one_run_cannot_be(tmp_path, fake):
    path = spec(tmp_path, "a", "b")
    path.write_text(path.read_text() + "\n- {name: c, notebook: tiny.ipynb, wrod: c}")
    with pytest.raises(InputError, match="Run 'c'"):
        run_batch(path, tmp_path / "out")
    assert fake == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("verdicts", "failed", "fail_on", "code"),
    [
        (("pass", "warn"), 0, None, 0),
        (("pass", "warn"), 0, "warn", 1),
        (("pass", "warn"), 0, "fail", 0),
        (("fail", "pass"), 0, "fail", 1),
        (("not applicable",), 0, "warn", 0),
        ((), 0, "warn", 0),
        (("fail",), 1, "fail", 3),
        ((), 1, None, 3),
    ],
)
def test_the_exit_code_is_3_for_failed_runs_and_1_for_verdicts_as_bad_as_asked(verdicts, failed, fail_on, code):
    entries = [LedgerEntry(v, v, "done", summary=Summary("t", v, "w", ())) for v in verdicts]
    entries += [LedgerEntry("x", "x", "failed")] * failed
    assert BatchResult(Path("index.html"), tuple(entries), (), fail_on).exit_code == code
