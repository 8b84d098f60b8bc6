"""Signing a model off from the command line: expectations, limits, waivers, the validator's words, exit codes, PDF."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from anova_report.cli import main
from anova_report.report import Audit
from anova_report.report.jobs.options import Job
from anova_report.report.page import paper
from tests.browser import executable

SIGNED = """
data: loans.csv
prediction: score
max-order: 1
expectations:
  - income: increasing
  - age: [decreasing, between -3 and 3]
tier: high
limits: {AR002: {warn: 0.2, fail: 0.4, why: Scores are only ranked.}}
waivers: [{code: "age: decreasing", who: A. Author, why: Agreed., until: 2027-06-30}]
as_of: 2026-11-19
about: {owner: Credit, version: 3.2, "intended use": [Loans, Not pricing], reviewers: [A. Author, B. Reader]}
save: audit.json
"""


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.uniform(1, 5, 300), "age": rng.uniform(20, 70, 300)})
    X.assign(score=X.income + 0.02 * X.age).to_csv(tmp_path / "loans.csv", index=False)
    (tmp_path / "audit.yaml").write_text(SIGNED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return main(["audit", *words])


def test_a_page_says_what_was_expected_waived_set_and_signed(table, capsys):
    assert run("--config", "audit.yaml", "--json", "--fail-on", "fail") == 0
    (output,) = json.loads(capsys.readouterr().out)["outputs"]
    found = {item["code"]: item for item in output["findings"]}
    assert [found[f"AR10{at}"]["status"] for at in (1, 2, 3)] == ["pass", "fail", "pass"]
    assert found["AR102"]["waiver"] == {"code": "age: decreasing", "who": "A. Author", "why": "Agreed.", "until": "2027-06-30"}  # fmt: skip  # noqa: E501
    assert (output["sign"], output["verdict"]) == ("Can be relied on", "pass")
    page = BeautifulSoup((table / "audit.html").read_text(encoding="utf-8"), "html.parser")
    assert [cell.text for cell in page.select("#about dd")] == ["Credit", "3.2", "LoansNot pricing", "A. Author, B. Reader"]  # fmt: skip  # noqa: E501
    assert [line.text.split() for line in page.select(".signatures > div")] == [["A.", "AuthorDate"], ["B.", "ReaderDate"]]  # fmt: skip  # noqa: E501
    assert "Waived by A. Author until 2027-06-30: Agreed." in page.select_one("#AR102").text
    limits = page.select_one("#limit-AR002").text
    assert "Scores are only ranked." in limits
    assert "beyond 20.0%" in limits
    assert "tier “high”" in page.select_one("#subject .notes").text
    again = Audit.load(table / "audit.json")
    assert again.about.reviewers == ("A. Author", "B. Reader")
    job = Job.from_config({}, given={"data": "loans.csv", "prediction": ["score"]})
    words = shlex.split(again.provenance.command)
    assert "--waivers" in words
    assert "--as-of" in words
    assert job.prediction == ("score",)


def test_the_command_on_the_page_makes_the_same_findings_again(table):
    assert run("--config", "audit.yaml", "--quiet") == 0
    first = Audit.load(table / "audit.json")
    assert main([*shlex.split(first.provenance.command)[1:], "--quiet", "--overwrite"]) == 0
    second = Audit.load(table / "audit.json")
    assert second.outputs[0].findings == first.outputs[0].findings
    assert (second.about, second.limits, second.provenance.command) == (first.about, first.limits, first.provenance.command)  # fmt: skip  # noqa: E501


def test_a_violated_expectation_is_an_exit_code_of_its_gate(table, capsys):
    (table / "wanted.yaml").write_text("- income: decreasing\n", encoding="utf-8")
    words = ("loans.csv", "--prediction", "score", "--max-order", "1", "--fail-on", "fail")
    assert run(*words, "--expectations", "wanted.yaml") == 1
    printed = capsys.readouterr().out
    assert "Verdict: Expectation violated (fail)" in printed
    assert "AR101 income: decreasing. Violated: the main effect of income rises" in printed
    assert run(*words, "--expectations", "income: increasing", "age: increasing", "--quiet") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--expectations", "income: incresing"], "got 'incresing' where 'increasing'"),
        (["--expectations", "incme: increasing"], "'incme', which is no feature. Did you mean 'income'?"),
        (["--expectations", "income: increasing", "income: decreasing"], "contradict each other"),
        (["--expectations", "wanted.yaml"], "There is no file wanted.yaml"),
        (["--limits", "{AR099: {warn: 1, why: x}}"], "No finding with the code 'AR099'"),
        (["--limits", "{AR002: {warn: 1"], "What was typed is not YAML"),
        (["--limits", "[1]"], "limits must be a mapping"),
        (["--waivers", "[{code: AR002, who: A, why: B, until: never}]"], "must be a day"),
        (["--as-of", "2026-13-01"], "as_of must be a day"),
        (["--about", "{ownr: Credit}"], "about has no entry 'ownr'. Did you mean 'owner'?"),
        (["--about", "{intended use: a, intended_use: b}"], "about has the entry 'intended_use' twice"),
        (["--about", "a" * 300], "There is no file"),
        (["--config", "a" * 300], "There is no file"),
        (["--waivers", "[{code: AR002, code: AR003}]"], "the key 'code' stands there twice"),
        (["--label", "income=Age", "age=Age\u202e"], "would all be shown as 'Age'"),
        (["--reasons", "loans.csv"], "is named for two things"),
        (["--about", "{owner: true}"], "owner of about must be text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_writes_nothing(table, capsys, words, said):
    before = sorted(table.iterdir())
    assert run("loans.csv", "--prediction", "score", *words) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (len(printed.err.splitlines()), printed.out, sorted(table.iterdir())) == (1, "", before)


def test_without_a_browser_no_pdf_is_promised(table, capsys, monkeypatch):
    monkeypatch.setenv(paper.NAMED_BY, "no-such-browser")
    before = sorted(table.iterdir())
    assert run("loans.csv", "--prediction", "score", "--pdf", "audit.pdf") == 2
    assert "There is no no-such-browser" in capsys.readouterr().err
    assert sorted(table.iterdir()) == before


def test_a_pdf_is_printed_whole_and_replaced_only_where_it_is_ours(table, monkeypatch):
    monkeypatch.setenv(paper.NAMED_BY, executable())
    words = ("loans.csv", "--prediction", "score", "--max-order", "1", "--quiet", "--pdf", "audit.pdf")
    (table / "audit.pdf").write_bytes(b"%PDF-1.4 of somebody else")
    assert run(*words) == 2
    (table / "audit.pdf").unlink()
    assert [run(*words), run(*words)] == [0, 0]
    made = (table / "audit.pdf").read_bytes()
    assert made.startswith(b"%PDF-")
    assert made.count(b"/Type /Page\n") >= 5
    assert not [path for path in table.iterdir() if path.name.startswith(".")]
