from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from bs4 import BeautifulSoup

from anova_report.compare import attribute
from anova_report.compare.methods.questions import QUESTIONS
from anova_report.compare.methods.registry import METHODS
from anova_report.errors import InputError
from anova_report.figures.effects import main_effect
from anova_report.figures.rows import Rows
from anova_report.report.audit import other_methods as module
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.audit.other_methods import OtherExplanations
from anova_report.report.page.render import render
from benchmarks.facts.check_page import judge_claim
from benchmarks.facts.making import written
from benchmarks.facts.page import Page, Said
from tests.report.fits import classes, mixed, prediction
from tests.report.two_fits import CREATED


@pytest.fixture(scope="module")
def others():
    fit = mixed()
    settings = {"like": fit.dec, "max_rows": 400, "progress": False}
    return tuple(attribute(name, prediction, fit.X, **settings) for name in ("pdp", "ale"))


@pytest.fixture(scope="module")
def audit(others) -> Audit:
    fit = mixed()
    return build_audit(
        fit.dec, fit.X, fit.predictions, others=others, rows=[0], created=CREATED, progress=False, top_pairs=1
    )


@pytest.fixture(scope="module")
def parsed(audit) -> BeautifulSoup:
    return BeautifulSoup(render(audit), "html.parser")


def test_main_effects_carry_the_lines_of_the_others(audit):
    lines = {main.label: audit.figures[main.figure].data.overlays for main in audit.outputs[0].mains}
    assert [line.name for line in lines["income"]] == ["Partial dependence", "Accumulated local effects"]
    assert all(line.at for line in lines["income"])
    # Of levels in no order accumulated local effects has nothing to say, but it keeps its place and so its color.
    assert [(line.name, bool(line.at)) for line in lines["region"]] == [
        ("Partial dependence", True),
        ("Accumulated local effects", False),
    ]


def test_correlation_and_distance_are_those_of_the_rows(audit, others):
    """Worked out from components and contributions, not through the package's own comparison."""
    fit, [pdp, _] = mixed(), others
    rows = fit.X.iloc[pdp.rows]
    ours = fit.dec.component("income", rows)
    theirs = pdp.column("income")[1]
    facts = audit.outputs[0].others
    [line] = [row for row in facts.correlation.rows if row[0] == "income"]
    assert float(line[2]) == pytest.approx(np.corrcoef(ours, theirs)[0, 1], abs=6e-4)
    [line] = [row for row in facts.distance.rows if row[0] == "income"]
    apart = (ours - ours.mean()) - (theirs - theirs.mean())
    assert float(line[2]) == pytest.approx(np.sqrt(np.mean(apart**2)), rel=0.01)


def test_the_page_has_a_section_with_a_paragraph_for_each_method(parsed, audit):
    section = parsed.find("section", id="others")
    titles = [heading.get_text() for heading in section.select("article.explain h3")]
    assert titles == [method.title for method in audit.outputs[0].others.methods]
    assert "Compared with our main effect." in section.get_text()
    assert parsed.select_one('nav.contents a[href="#others"]')
    assert len(section.find_all("table")) == 3


def test_features_that_hardly_matter_keep_their_figure(others, monkeypatch):
    fit = mixed()
    few = [SimpleNamespace(share=0.001)] * len(fit.dec.features)
    monkeypatch.setattr(module, "feature_totals", lambda *_: SimpleNamespace(features=few))
    figure, last = main_effect(Rows.of(fit.dec, fit.X), 0), len(few) - 1
    assert OtherExplanations(fit.X, others).overlay(figure, fit.dec, last, 0) is figure
    assert OtherExplanations(fit.X, others).overlay(figure, fit.dec, 0, 0) is not figure


def test_each_output_gets_its_own_explanations():
    fit = classes()
    made = attribute("pdp", prediction, fit.X, max_rows=50, progress=False)
    low = replace(made, output="low")
    others = OtherExplanations(fit.X, (low,))
    assert others.of(fit.dec, 0) == (low,)
    assert others.of(fit.dec, 1) == ()
    assert others.facts(fit.dec, 1) is None
    with pytest.raises(InputError, match="is no output of the decomposition"):
        OtherExplanations(fit.X, (replace(made, output="other"),)).of(fit.dec, 0)


def test_the_page_says_which_question_each_method_answers(audit, parsed):
    table = audit.outputs[0].others.questions
    assert [row[0] for row in table.rows] == ["This audit", "Partial dependence", "Accumulated local effects"]
    assert all(len(row) == len(table.head) == 6 for row in table.rows)
    shown = parsed.find("table", class_="questions")
    assert [cell.text for cell in shown.find_all("th", scope="row")] == [row[0] for row in table.rows]


def test_where_a_method_is_farthest_from_ours_is_true_of_these_rows(audit):
    fit = mixed()
    page = Page("others", written(audit), fit.X, fit.predictions.reshape(len(fit.X), -1), fit.dec)
    holder = page.document["outputs"][0]["others"]
    said = [Said(claim, holder) for claim in holder["claims"]]
    assert [one.places[0] for one in said if one.kind == "farthest from a method"] == [
        "Partial dependence",
        "Accumulated local effects",
    ]
    assert len(said) == 4
    checks = [check for one in said for check in judge_claim(page, one).checks]
    assert [check for check in checks if not check.holds] == []


def test_every_method_has_a_question():
    assert set(QUESTIONS) == set(METHODS)
