"""An audit as a file."""

import json
from dataclasses import replace

import pytest

from anova_report.errors import StorageError
from anova_report.report.audit.audit import STAMP, Audit
from tests.report.samples import hostile_audit, sample_audit


@pytest.mark.parametrize("make", [sample_audit, hostile_audit])
def test_an_audit_comes_back_from_its_file_unchanged(make, tmp_path):
    audit = make()
    assert Audit.load(audit.save(tmp_path / "audit.json")) == audit


def test_the_file_is_versioned_json_and_says_what_it_is(tmp_path):
    written = json.loads(sample_audit().save(tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert (written["schema"], written["version"]) == (STAMP.schema, STAMP.version)
    assert written["figures"]["o0-main-0"]["kind"] == "curve"


def test_the_worst_verdict_counts():
    audit = sample_audit(("a", "b", "c"))
    verdicts = ("pass", "fail", "warn")
    outputs = tuple(replace(output, verdict=verdict) for output, verdict in zip(audit.outputs, verdicts, strict=True))
    assert replace(audit, outputs=outputs).verdict == "fail"
    assert replace(audit, outputs=outputs[::2]).verdict == "warn"
    assert replace(audit, outputs=outputs[:1]).verdict == "pass"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "something.else"}, "does not hold an audit"),
        ({"version": STAMP.version + 1}, "reads up to version 1"),
        ({"version": "1"}, "reads up to version 1"),
        ({"title": 7}, "Audit.title is 7"),
        ({"extra": 1}, "unknown fields: 'extra'"),
        ({"figures": {"a": {"kind": "hologram"}}}, "no kind of figure 'hologram'"),
        ({"outputs": [{"name": "a"}]}, "not complete"),
    ],
)
def test_a_file_that_is_not_such_an_audit_is_refused_in_words(change, message, tmp_path):
    path = sample_audit().save(tmp_path / "audit.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(StorageError, match=message):
        Audit.load(path)


def test_what_is_not_json_is_refused(tmp_path):
    path = tmp_path / "audit.json"
    for content in (b"<html>", b"\xff\xfe", b"[1, 2]"):
        path.write_bytes(content)
        with pytest.raises(StorageError, match=r"audit\.json"):
            Audit.load(path)


def test_a_number_that_is_none_cannot_be_saved(tmp_path):
    audit = sample_audit()
    case = replace(audit.outputs[0].cases[0], explained=float("nan"))
    with pytest.raises(ValueError, match="JSON compliant"):
        replace(audit, outputs=(replace(audit.outputs[0], cases=(case,)),)).save(tmp_path / "audit.json")
    assert list(tmp_path.iterdir()) == []
