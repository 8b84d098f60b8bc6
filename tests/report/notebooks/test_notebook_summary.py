from dataclasses import replace
from pathlib import Path

import pytest
from nbformat.v4 import new_output

from anova_report.report.notebooks.notebook_summary import MIME, Summary, read_summary
from tests.report.samples import sample_audit
from tests.report.tiny_notebooks import executed_notebook


@pytest.fixture
def summary():
    return Summary.of(sample_audit(), page=Path("a") / "audit.html")


def displayed(summary):
    return new_output("execute_result", summary._repr_mimebundle_(), execution_count=1)


def test_a_summary_carries_verdict_headlines_and_places(summary):
    output = sample_audit().outputs[0]
    assert (summary.title, summary.verdict, summary.words) == ("House prices", "fail", output.verdict_words)
    assert summary.headlines == output.headlines
    assert (summary.page, summary.audit) == ("a/audit.html", None)


def test_of_several_outputs_the_first_with_the_worst_verdict_speaks():
    audit = sample_audit(("low", "middle", "high"))
    verdicts = ("warn", "fail", "fail")
    outputs = [replace(output, verdict=verdict) for output, verdict in zip(audit.outputs, verdicts, strict=True)]
    summary = Summary.of(replace(audit, outputs=tuple(outputs)))
    assert summary.verdict == "fail"
    assert summary.words.startswith("middle: ")


def test_the_last_summary_of_an_executed_notebook_is_read_back(summary):
    earlier = replace(summary, verdict="pass")
    node = executed_notebook(displayed(earlier), new_output("stream", text="x"), displayed(summary))
    assert read_summary(node) == summary


def test_a_summary_of_another_version_counts_as_none(summary):
    bundle = summary._repr_mimebundle_()
    bundle[MIME] |= {"verdict": "excellent"}
    assert read_summary(executed_notebook(new_output("display_data", bundle))) is None
