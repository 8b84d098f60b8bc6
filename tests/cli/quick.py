"""Fixtures for tests of commands: the drawing of audits, which takes seconds and has its own tests, is replaced."""

from dataclasses import replace
from typing import Any

import pytest

from anova_report.report.audit.audit import Audit, OutputAudit
from anova_report.report.jobs import job
from tests.report.samples import sample_audit


def warning(output: OutputAudit) -> OutputAudit:
    """Let what failed be a warning."""
    found = tuple(replace(item, status="warn") if item.status == "fail" else item for item in output.findings)
    return replace(output, verdict="warn", findings=found)


@pytest.fixture
def drawn(monkeypatch) -> list[dict[str, Any]]:
    """Lets every audit look like the sample, with the verdict "warn", and keeps what it was made from."""
    calls: list[dict[str, Any]] = []

    def stand_in(dec: object, X: object, predictions: object, **more: Any) -> Audit:
        calls.append({"dec": dec, "X": X, "predictions": predictions, **more})
        audit = replace(sample_audit(), title=more["title"] or "Untitled")
        return replace(audit, outputs=tuple(map(warning, audit.outputs)))

    monkeypatch.setattr(job, "build_audit", stand_in)
    return calls
