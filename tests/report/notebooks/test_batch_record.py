import json
import os
from dataclasses import replace

import pytest

from anova_report.errors import StorageError
from anova_report.io.files import write_text
from anova_report.report.audit.audit import Headline
from anova_report.report.notebooks import ledger
from anova_report.report.notebooks.notebook_summary import Summary
from anova_report.report.notebooks.runs import BatchRun
from tests.report.tiny_notebooks import tiny_notebook

SUMMARY = Summary("T", "warn", "Words.", (Headline("Fidelity", "0.9", "warn", "w"),), "a/audit.html", None)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "table.csv").write_text("a\n1\n")
    notebook = tiny_notebook(tmp_path / "tiny.ipynb")
    return BatchRun("A", "A", notebook, {"x": ["table.csv", 3], "word": "no file"}, {"out": "o.html"}, tmp_path)


@pytest.fixture
def entry(run, tmp_path):
    (tmp_path / "A").mkdir()
    for name in ("notebook.ipynb", "notebook.html"):
        (tmp_path / "A" / name).touch()
    paths = ("A/notebook.ipynb", "A/notebook.html")
    made = ledger.LedgerEntry(
        "A", "A", "done", ledger.fingerprint(run), ledger.digests(run), None, 1.5, "", *paths, summary=SUMMARY
    )
    return replace(made, results=ledger.results(made, tmp_path))


def test_what_was_done_is_read_back_as_it_was_written(entry, tmp_path):
    entries = {"A": entry, "b": ledger.LedgerEntry("b ☃ </script>", "b", "failed", message="It stopped.")}
    write_text(tmp_path / ledger.LEDGER, ledger.text(entries))
    assert ledger.load(tmp_path) == entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "does not hold the record of a batch"),
        ('{"schema": "other", "version": 1}', "does not hold the record of a batch"),
        ('{"schema": "anova_report.batch", "version": 99}', "of version 99, and this version"),
        ('{"schema": "anova_report.batch", "version": 1, "runs": {"a": {"nome": "a"}}}', "unknown fields: 'nome'"),
    ],
)
def test_a_file_that_is_no_record_is_refused_instead_of_overwritten(tmp_path, text, message):
    path = tmp_path / ledger.LEDGER
    path.write_text(text)
    with pytest.raises(StorageError, match=message):
        ledger.load(tmp_path)
    assert path.read_text() == text


def test_another_value_of_a_parameter_makes_a_run_stale_and_another_place_for_its_page_does_not(entry, run, tmp_path):
    assert not ledger.is_current(entry, replace(run, parameters=run.parameters | {"word": "b"}), tmp_path)
    assert ledger.is_current(entry, replace(run, places={"out": "elsewhere.html"}), tmp_path)


def test_another_notebook_makes_a_run_stale(entry, run, tmp_path):
    tiny_notebook(run.notebook, "print('changed')")
    assert not ledger.is_current(entry, run, tmp_path)


def test_a_notebook_that_was_only_saved_again_leaves_a_run_current(entry, run, tmp_path):
    before = run.notebook.read_bytes()
    tiny_notebook(run.notebook)
    assert run.notebook.read_bytes() != before  # cells got new identifiers
    assert ledger.is_current(entry, run, tmp_path)


def test_another_version_of_this_software_makes_a_run_stale(entry, run, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "__version__", "99.0")
    assert not ledger.is_current(entry, run, tmp_path)


def test_a_file_among_the_parameters_that_changed_or_went_makes_a_run_stale(entry, run, tmp_path):
    table = tmp_path / "table.csv"
    assert list(entry.inputs) == ["table.csv"]
    stamp = table.stat().st_mtime_ns
    table.write_text("a\n2\n")
    os.utime(table, ns=(stamp, stamp))  # of the same size and time
    assert not ledger.is_current(entry, run, tmp_path)
    table.write_text("a\n1\n")
    assert ledger.is_current(entry, run, tmp_path)
    table.unlink()
    assert not ledger.is_current(entry, run, tmp_path)


def test_an_edited_module_makes_a_run_stale(entry, run, tmp_path):
    (tmp_path / "shop_model.py").write_text("def predict(rows): return rows[:, 0]")
    asked = replace(run, parameters=run.parameters | {"word": "shop_model:predict"})
    made = replace(entry, fingerprint=ledger.fingerprint(asked), inputs=ledger.digests(asked))
    assert ledger.is_current(made, asked, tmp_path)
    (tmp_path / "shop_model.py").write_text("def predict(rows): return rows[:, 1]")
    assert not ledger.is_current(made, asked, tmp_path)


def test_a_result_of_another_run_makes_a_run_stale(entry, run, tmp_path):
    (tmp_path / "A" / "notebook.html").write_text("of another run")
    assert not ledger.is_current(entry, run, tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        {"page": "//evil.test/x"},
        {"page": "../other.html"},
        {"message": "It failed."},
        {"outcome": "perfect"},
        {"inputs": "none"},
    ],
)
def test_a_record_that_leads_elsewhere_or_contradicts_itself_is_refused(entry, tmp_path, damage):
    write_text(tmp_path / ledger.LEDGER, ledger.text({"A": replace(entry, **damage)}))
    with pytest.raises(StorageError):
        ledger.load(tmp_path)


def test_of_the_first_version_nothing_counts_as_done(entry, run, tmp_path):
    write_text(tmp_path / ledger.LEDGER, ledger.text({"A": entry}))
    path = tmp_path / ledger.LEDGER
    written = json.loads(path.read_text(encoding="utf-8"))
    written["version"], written["runs"]["A"]["inputs"] = 1, {"table.csv": [4, 17]}
    del written["runs"]["A"]["results"]
    path.write_text(json.dumps(written), encoding="utf-8")
    assert not ledger.is_current(ledger.load(tmp_path)["A"], run, tmp_path)


def test_a_file_that_appeared_since_was_not_an_input(entry, run, tmp_path):
    (tmp_path / "no file").touch()
    assert ledger.is_current(entry, run, tmp_path)


def test_a_result_that_was_deleted_makes_a_run_stale(entry, run, tmp_path):
    (tmp_path / "A" / "notebook.html").unlink()
    assert not ledger.is_current(entry, run, tmp_path)


def test_texts_that_can_be_no_path_are_not_looked_for(run):
    odd = replace(run, parameters={"x": "a" * 5000, "word": "null \0 character", "more": {"k": "table.csv"}})
    assert list(ledger.digests(odd)) == ["table.csv"]
