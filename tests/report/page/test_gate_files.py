"""Files of a pipeline: JUnit XML as its readers read it, and Markdown as it is rendered."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import mistune
import pytest
from bs4 import BeautifulSoup

from anova_report.io.files import is_own
from anova_report.measures.status import Finding, verdict_of
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs.options import exit_code
from anova_report.report.page.gate_files import junit, summary
from tests.report.samples import hostile_audit, sample_audit


def found_in(text: str) -> ET.Element:
    return ET.fromstring(text.encode())  # noqa: S314 written by ourselves


def rendered(text: str) -> BeautifulSoup:
    return BeautifulSoup(
        mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])(text), "html.parser"
    )


def with_statuses(*statuses: str) -> Audit:
    """An audit of one output with one finding of each status."""
    audit = sample_audit()
    codes = ["AR001", "AR002", "AR004", "AR009", "AR011"]
    items = tuple(
        Finding(code, code, status, 0.1, 0.1, "It was looked at.", "")
        for code, status in zip(codes, statuses, strict=False)
    )
    return replace(audit, outputs=(replace(audit.outputs[0], findings=items, verdict=verdict_of(items)),))


def test_every_check_is_a_case_of_its_output():
    audit = sample_audit(("price", "rent"))
    whole = found_in(junit(audit))
    assert [suite.get("name") for suite in whole] == ["House prices: price", "House prices: rent"]
    for suite, output in zip(whole, audit.outputs, strict=True):
        cases = suite.findall("testcase")
        assert [case.get("name") for case in cases] == [f"{item.code} {item.title}" for item in output.findings]
        assert {case.get("name")[:5]: [part.tag for part in case] for case in cases} == {
            "AR001": [],
            "AR002": ["system-out"],
            "AR004": ["failure"],
            "AR005": ["skipped"],
            "AR009": ["skipped"],
        }
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "1", "2")
        assert suite.get("timestamp") == "2024-05-01T12:00:00"
    assert (whole.get("tests"), whole.get("failures"), whole.get("skipped")) == ("10", "2", "4")


@pytest.mark.parametrize("fail_on", ["warn", "fail"])
@pytest.mark.parametrize(
    "statuses",
    [
        ("pass", "pass", "pass"),
        ("pass", "warn", "pass"),
        ("pass", "fail", "pass"),
        ("pass", "not tested", "pass"),  # which a pass needs
        ("pass", "pass", "not tested", "not applicable"),
    ],
)
def test_there_is_a_failure_exactly_where_the_exit_code_says_so(statuses, fail_on):
    audit = with_statuses(*statuses)
    failures = int(found_in(junit(audit, fail_on)).get("failures"))
    assert (failures > 0) == (exit_code(audit.verdict, fail_on) == 1)


def test_hostile_names_stay_text():
    audit = hostile_audit()
    whole = found_in(junit(audit))
    assert {part.tag for part in whole.iter()} <= {
        *("testsuites", "testsuite", "properties", "property", "testcase", "failure", "skipped", "system-out")
    }
    page = rendered(summary(audit))
    tags = {tag.name for tag in page.find_all(True)}
    assert tags <= {"h1", "h2", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert "<script>alert(1)</script>" in page.get_text()  # it is there, as text
    assert "<script" not in summary(audit)


def test_the_summary_says_what_the_page_says_first():
    audit = sample_audit(("price", "rent"))
    page = rendered(summary(audit))
    assert page.h1.get_text() == "House prices"
    cells = [[cell.get_text() for cell in row.find_all("td")] for row in page.table.tbody.find_all("tr")]
    assert cells[0][:2] == ["Fidelity (R²)", "0.881"]
    assert len(page.find_all("table")) == 4
    text = page.get_text()
    assert audit.sign in text
    assert "AR004 Overlap of terms" in text
    assert "AR001" not in text  # which passed


def test_both_are_known_again_as_our_own(tmp_path):
    for name, text in (("a.xml", junit(sample_audit())), ("a.md", summary(sample_audit()))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert is_own(tmp_path / name)
    (tmp_path / "other.xml").write_text('<?xml version="1.0" encoding="UTF-8"?>\n<a/>', encoding="utf-8")
    assert not is_own(tmp_path / "other.xml")
