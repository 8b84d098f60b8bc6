import json
from pathlib import Path

from anova_report.cli.commands import as_json, summary
from tests.report.samples import sample_audit


def test_the_summary_names_verdict_numbers_shares_and_open_points_only():
    audit = sample_audit()
    lines = summary(audit).splitlines()
    assert lines[0] == "Verdict: Do not rely on it (fail)"
    assert "1 of 3 checks failed." in lines
    assert "AR002 Caution: Fidelity was looked at. Act." in lines
    assert "AR004 Failed: Overlap of terms was looked at. Act." in lines
    assert not any(line.startswith(("AR001", "AR009")) for line in lines)
    assert any(line.startswith("unexplained ") and line.endswith("%") for line in lines)


def test_several_outputs_are_named():
    text = summary(sample_audit(("low", "high")))
    assert "low (Do not rely on it): 1 of 3 checks failed." in text
    assert "high (Do not rely on it): 1 of 3 checks failed." in text


def test_json_keeps_values_and_limits():
    found = json.loads(as_json(sample_audit(("größe",)), Path("a.html"), "verdict", "findings"))
    assert found["outputs"][0]["name"] == "größe"
    assert found["outputs"][0]["findings"][1] == {
        "code": "AR002",
        "title": "Fidelity",
        "status": "warn",
        "value": 0.12,
        "limit": 0.1,
        "sentence": "Fidelity was looked at.",
        "advice": "Act.",
        "waiver": None,
        "claims": [],
    }
