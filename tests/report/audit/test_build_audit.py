"""From a decomposition to an audit."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import FunctionalANOVA, explain
from anova_report.errors import InputError
from anova_report.report import Audit, build_audit
from anova_report.report.audit.build_audit import MODEL
from anova_report.report.page.render import render
from tests.report.fits import classes, mixed, published, table

STILL = {"progress": False, "created": "2024-05-01 12:00 UTC"}


@pytest.fixture(scope="module")
def audit() -> Audit:
    fitted = mixed()
    return build_audit(fitted.dec, fitted.X, fitted.answers, title="Wages", seconds=[("Fit", 1.5)], **STILL)


def test_an_audit_says_what_it_was_told(audit):
    assert audit.title == "Wages"
    assert audit.subject.model == MODEL
    assert audit.subject.n_rows == len(mixed().X)
    assert audit.run.created == "2024-05-01 12:00 UTC"
    assert audit.run.seconds[0] == ("Fit", 1.5)
    assert audit.run.seconds[1][1] > 0


def test_every_feature_is_described(audit):
    assert [feature.name for feature in audit.features] == list(mixed().X.columns)
    assert [feature.kind for feature in audit.features] == ["numeric", "numeric", "nominal", "boolean"]
    assert audit.features[1].missing == pytest.approx(mixed().X["age"].isna().mean())
    assert all(audit.figures[feature.figure].kind == "histogram" for feature in audit.features)


def test_a_saved_audit_is_the_same_when_it_is_read_again(audit, tmp_path):
    again = Audit.load(audit.save(tmp_path / "audit.json"))
    assert again == audit
    assert render(again) == render(audit)


def test_the_same_input_gives_the_same_audit_but_for_its_seconds(audit):
    fitted = mixed()
    again = build_audit(fitted.dec, fitted.X, fitted.answers, title="Wages", seconds=[("Fit", 1.5)], **STILL)
    assert replace(again, run=audit.run) == audit


def test_rows_can_be_chosen_and_named():
    fitted = published()
    names = [f"probe {number}" for number in range(len(fitted.X))]
    found = build_audit(fitted.dec, fitted.X, fitted.answers, rows=[4, 2], row_names=names, **STILL)
    assert [case.row for case in found.outputs[0].cases] == ["probe 4", "probe 2"]


def test_too_few_names_are_refused():
    fitted = published()
    with pytest.raises(InputError, match="2 names for 500 rows"):
        build_audit(fitted.dec, fitted.X, row_names=["a", "b"], **STILL)


def test_several_outputs_are_audited_one_by_one():
    fitted = classes()
    found = build_audit(fitted.dec, fitted.X, fitted.answers, rows=[0], **STILL)
    assert [output.name for output in found.outputs] == ["low", "high"]
    assert found.verdict == "warn"
    assert [output.verdict for output in found.outputs] == ["warn", "pass"]


def test_answers_that_never_change_still_give_a_page():
    X = table(200)
    dec = explain(lambda rows: np.full(len(rows), 1.0), X, progress=False)
    found = build_audit(dec, X, np.full(len(X), 1.0), **STILL)
    assert found.verdict == "fail"
    assert "nothing to explain" in render(found)


def test_terms_of_three_features_are_listed():
    X = np.random.default_rng(0).uniform(-1, 1, size=(600, 3))
    answers = X.sum(axis=1) + X.prod(axis=1)
    dec = FunctionalANOVA.published(K=3, d=1, d_density=0, scaling=None).fit(X, answers).decomposition_
    found = build_audit(dec, X, answers, rows=[0], **STILL)
    assert [row[0] for row in found.outputs[0].higher.rows] == ["x0 × x1 × x2"]


def test_only_the_top_terms_of_many_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 30))
    answers = X @ 1.3 ** np.arange(30)
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, answers).decomposition_
    output = build_audit(dec, X, rows=[0], top_mains=4, **STILL).outputs[0]
    assert [main.label for main in output.mains] == ["x29", "x28", "x27", "x26"]
    assert len(output.more_mains.rows) == 26
