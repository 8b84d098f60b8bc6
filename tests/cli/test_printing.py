import json
from dataclasses import replace
from pathlib import Path

import pytest

from anova_report.cli.printing import as_json, exit_code, summary, text_table, written
from tests.report.samples import sample_audit


def test_the_summary_names_verdict_numbers_shares_and_open_points_only():
    audit = sample_audit()
    lines = summary(audit).splitlines()
    assert lines[0] == "Verdict: fail"
    assert "Do not rely on this explanation as it stands." in lines
    assert "AR002 warn: Fidelity was looked at. Act." in lines
    assert "AR004 fail: Orthogonality was looked at. Act." in lines
    assert not any(line.startswith(("AR001", "AR009")) for line in lines)
    assert any(line.startswith("unexplained ") and line.endswith("%") for line in lines)


def test_several_outputs_are_named():
    text = summary(sample_audit(("low", "high")))
    assert "low (fail): Do not rely" in text
    assert "high (fail): Do not rely" in text


def test_an_output_without_numbers_has_no_table():
    audit = sample_audit()
    bare = replace(audit.outputs[0], headlines=(), findings=())
    assert "Deciding number" not in summary(replace(audit, outputs=(bare,)))


def test_json_keeps_values_and_limits():
    found = json.loads(as_json(sample_audit(("größe",)), Path("a.html")))
    assert found["outputs"][0]["name"] == "größe"
    assert found["outputs"][0]["findings"][1] == {
        "code": "AR002",
        "title": "Fidelity",
        "status": "warn",
        "value": 0.12,
        "limit": 0.1,
        "sentence": "Fidelity was looked at.",
        "advice": "Act.",
    }


@pytest.mark.parametrize(
    ("verdict", "fail_on", "code"),
    [
        ("fail", "fail", 1),
        ("fail", "warn", 1),
        ("warn", "warn", 1),
        ("warn", "fail", 0),
        ("pass", "warn", 0),
        ("not applicable", "warn", 0),
        ("fail", None, 0),
    ],
)
def test_the_exit_code_follows_fail_on(verdict, fail_on, code):
    assert exit_code(verdict, fail_on) == code


def test_a_file_is_named_with_its_size(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 81_234)
    assert written(tmp_path / "a") == f"{tmp_path / 'a'} (81 KB)"


def test_columns_of_a_table_line_up():
    lines = text_table(("Run", "n"), [("a longer name", "1"), ("b", "1,000")]).splitlines()
    assert lines == ["Run                n", "─" * 13 + "  " + "─" * 5, "a longer name      1", "b              1,000"]
