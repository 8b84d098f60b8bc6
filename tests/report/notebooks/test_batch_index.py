from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from anova_report.report.audit.audit import Headline
from anova_report.report.notebooks.batch import LedgerEntry, render_index
from anova_report.report.notebooks.notebook_summary import Summary
from tests.report.samples import HOSTILE
from tests.report.tiny_notebooks import outside_addresses


def summary(verdict, *labels, title="T"):
    return Summary(
        title, verdict, "Words.", tuple(Headline(label, f"value of {label}", verdict, "") for label in labels)
    )


def done(name, verdict, *labels, **facts):
    return LedgerEntry(
        name, name, "done", seconds=2.0, page=f"{name}/audit.html", summary=summary(verdict, *labels), **facts
    )


def parse(entries, title="Batch"):
    return BeautifulSoup(render_index(entries, title=title), "html.parser")


def cells(page):
    return [[cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in page.select("tbody tr")]


@pytest.fixture
def page():
    failed = LedgerEntry("c", "c", "failed", seconds=1.0, message="It stopped in cell 3.", html="c/notebook.html")
    own = LedgerEntry("d", "d", "done", seconds=1.0, notebook="d/n.ipynb")
    return parse(
        [done("b", "warn", "Fidelity"), done("a", "pass", "Fidelity", "Residual"), failed, own, LedgerEntry("e", "e")]
    )


def test_runs_are_listed_as_they_were_asked_for_with_verdict_and_numbers(page):
    found = cells(page)
    assert [row[0].split()[0] for row in found] == ["b", "a", "c", "d", "e"]
    assert found[0][1:5] == ["Use with care", "value of Fidelity", "–", "2.0 s"]
    assert found[1][1:5] == ["Can be relied on", "value of Fidelity", "value of Residual", "2.0 s"]


def test_a_failed_run_says_why_and_a_notebook_without_an_audit_has_no_verdict(page):
    found = cells(page)
    assert found[2][1:3] == ["Did not finish", "It stopped in cell 3."]
    assert found[3][1] == "–"
    assert found[4][1] == "Not run yet"


def test_links_are_relative_and_lead_to_the_files_of_a_run(page):
    links = [[link["href"] for link in row.select("a")] for row in page.select("tbody tr")]
    assert links == [["b/audit.html"], ["a/audit.html"], ["c/notebook.html"], ["d/n.ipynb"], []]


def test_totals_count_every_run_once_the_worst_first(page):
    words = [item.get_text(strip=True) for item in page.select(".counts li")]
    assert words == ["1 did not finish", "1 warn", "1 pass", "1 without an audit", "1 not run yet"]
    assert page.select_one(".byline").get_text(" ", strip=True) == "5 runs 6.0 s in all"


def test_the_page_allows_no_script_and_has_no_address_outside(page):
    policy = page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'; script-src 'none'")
    assert outside_addresses(str(page)) == []
    assert not page.find_all("script")


@pytest.mark.parametrize("bad", HOSTILE)
def test_a_hostile_name_title_or_message_is_only_text(bad):
    hostile = done(bad, "pass", bad)
    hostile = replace(hostile, summary=replace(hostile.summary, title=bad + "!"), notebook='x"><script>.ipynb')
    page = parse([hostile, LedgerEntry(bad, "x", "failed", message=bad)], title=bad)
    assert not page.find_all(["script", "img", "b"])
    rows = page.select("tbody tr")
    for text in (bad, bad + "!"):
        assert " ".join(text.split()) in " ".join(rows[0].get_text().split())
    assert " ".join(bad.split()) in " ".join(rows[1].get_text().split())
    for link in page.select("tbody a"):
        assert not set('<>" ') & set(link["href"])
