"""Documents that version 0.1 wrote, and its pages, are still read; what is drawn is made anew and never loaded."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.errors import StorageError
from anova_report.io.documents import plain, schema_of
from anova_report.report import build_audit
from anova_report.report.audit.audit import STAMP, Audit
from anova_report.report.comparison import comparison
from anova_report.report.comparison.comparison import ComparisonPage, render_comparison
from anova_report.report.page.page_facts import page_facts, read_facts
from anova_report.report.page.render import render
from benchmarks.mutations import damaged
from tests.report.samples import sample_audit

FOLDER = Path(__file__).parent / "documents"
AUDITS = ("audit.json", "audit_pairs.json")


@pytest.mark.parametrize("name", AUDITS)
def test_an_old_audit_loads_renders_and_is_saved_without_plots(name, tmp_path):
    audit = Audit.load(FOLDER / name)
    page = render(audit)
    assert page == render(audit)
    assert all(f'id="{key}"' in page for key in audit.figures)
    assert "joint-effects" not in page
    again = audit.save(tmp_path / name)
    assert Audit.load(again) == audit
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (FOLDER / name, again))
    assert old.keys() - new.keys() == {"plots"}


def test_an_old_comparison_loads_and_renders(tmp_path):
    found = ComparisonPage.load(FOLDER / "comparison.json")
    assert render_comparison(found) == render_comparison(found)
    assert ComparisonPage.load(found.save(tmp_path / "comparison.json")) == found


def test_plots_in_a_file_reach_no_page(tmp_path):
    written = json.loads((FOLDER / "audit.json").read_text(encoding="utf-8"))
    written["plots"] = {key: {"root_id": "window.pwned = 1"} for key in written["plots"]}
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    assert render(Audit.load(path)) == render(Audit.load(FOLDER / "audit.json"))


def test_a_verdict_that_is_not_that_of_its_findings_is_refused(tmp_path):
    written = json.loads((FOLDER / "audit.json").read_text(encoding="utf-8"))
    written["outputs"][0]["findings"][1]["status"] = "fail"
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(StorageError, match="is pass, but its findings say fail"):
        Audit.load(path)
    facts = plain(page_facts(sample_audit()))
    facts["outputs"][0]["verdict"] = facts["verdict"] = "pass"
    with pytest.raises(StorageError, match="is pass, but its findings say fail"):
        read_facts(f'<script type="application/json" id="facts">{json.dumps(facts)}</script>')


@pytest.mark.parametrize(("part", "key"), [("outputs", "totals"), ("outputs", "shares"), ("features", "figure")])
def test_a_figure_that_is_named_and_not_there_is_refused(tmp_path, part, key):
    written = json.loads((FOLDER / "audit.json").read_text(encoding="utf-8"))
    written[part][0][key] = "a" * 1000
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(StorageError, match=r"it names the figure 'a{60}', which it does not have"):
        Audit.load(path)


def test_damaged_documents_are_refused_or_drawn_but_never_a_raw_error(tmp_path):
    random = Random(0)  # noqa: S311 no secret
    for name, cls, draw in (("audit.json", Audit, render), ("comparison.json", ComparisonPage, render_comparison)):
        written = json.loads((FOLDER / name).read_text(encoding="utf-8"))
        for _ in range(60):
            (tmp_path / name).write_text(json.dumps(damaged(written, random)), encoding="utf-8")
            with suppress(StorageError):
                draw(cls.load(tmp_path / name))


def test_the_facts_of_an_old_page_are_read_although_findings_had_neither_value_nor_limit():
    facts = plain(page_facts(sample_audit()))
    for item in facts["outputs"][0]["findings"]:
        del item["value"], item["limit"]
    for share in facts["outputs"][0]["shares"]:
        del share["explained"]
    page = f'<script type="application/json" id="facts">{json.dumps(facts)}</script>'
    assert [item.code for item in read_facts(page).outputs[0].findings] == ["AR001", "AR002", "AR004", "AR005", "AR009"]


def test_documents_say_what_they_are():
    names = ("audit.json", "comparison.json")
    assert [schema_of(FOLDER / name, "") for name in names] == [STAMP.schema, comparison.STAMP.schema]


@pytest.mark.parametrize("content", [b"", b"a,b", b"\xff\xfe", b"{"])
def test_what_is_not_json_is_refused_with_what_to_do(tmp_path, content):
    place = tmp_path / "table.csv"
    place.write_bytes(content)
    with pytest.raises(StorageError, match=r"table.csv is not JSON .* Pass another file\."):
        schema_of(place, "Pass another file.")


def test_a_panel_of_other_features_is_refused_and_its_texts_are_cleaned(tmp_path):
    X = np.random.default_rng(0).normal(size=(120, 2))
    dec = FunctionalANOVA(1, random_state=0, progress=False).fit(X, X[:, 0]).decomposition_
    build_audit(dec, X, predictions=X[:, 0], progress=False).save(tmp_path / "audit.json")
    whole = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    for change in ({"features": whole["features"][:1]}, {"what_if": whole["what_if"] | {"terms": [[0], [-1]]}}):
        (tmp_path / "other.json").write_text(json.dumps(whole | change), encoding="utf-8")
        with pytest.raises(StorageError, match=r"panel has other features or outputs|does not fit together"):
            Audit.load(tmp_path / "other.json")
    whole["what_if"]["inputs"][0]["kind"] = "\ud800"
    (tmp_path / "other.json").write_text(json.dumps(whole), encoding="utf-8")
    assert render(Audit.load(tmp_path / "other.json")).encode()
