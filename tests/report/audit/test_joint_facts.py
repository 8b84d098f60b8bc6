"""What is read together: on the page, at the verdict and beside each curve, with the reason in words."""

import re
from dataclasses import replace

import numpy as np
import pytest
from bs4 import BeautifulSoup

from anova_report import Decomposition, measures
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.report import build_audit
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.joint_facts import alone_note, read_together, verdict_note
from anova_report.report.page.render import render
from tests.ground_truth import decomposition_of, signs
from tests.report.fits import mixed

HOSTILE = "<script>alert(1)</script> & \"co\" 'lor'"
FIRST, SECOND, PRODUCT = signs(500)


def with_concurvity(dec: Decomposition, *concurvity: float) -> Decomposition:
    """Let each of the first features be explained by the one before it; the first by the second."""
    shares = np.zeros((len(dec.features), len(dec.output_names)))
    shares[: len(concurvity)] = np.array(concurvity)[:, None]
    links = [(1,) if index == 0 else (index - 1,) for index in range(len(concurvity))]
    of_output = (*links, *[()] * (len(dec.features) - len(concurvity)))
    return replace(dec, dependence=Dependence(shares, (of_output,) * len(dec.output_names)))


def page_of(dec: Decomposition) -> tuple[Audit, BeautifulSoup]:
    fitted = mixed()
    X = fitted.X.set_axis(dec.feature_names, axis=1)
    audit = build_audit(dec, X, fitted.predictions, rows=[], top_mains=3, top_pairs=1, progress=False)
    return audit, BeautifulSoup(render(audit), "html.parser")


@pytest.fixture(scope="module")
def page() -> tuple[Audit, BeautifulSoup]:
    named = (HOSTILE, *mixed().dec.feature_names[1:])
    features = tuple(replace(feature, name=name) for feature, name in zip(mixed().dec.features, named, strict=True))
    return page_of(with_concurvity(replace(mixed().dec, features=features), 0.96, 0.99))


def test_features_that_cannot_be_distinguished_have_a_section_with_their_plane_and_their_share(page):
    audit, html = page
    (facts,) = audit.outputs[0].joints
    section = html.select_one("section#joint-effects")
    assert section.find_parent("details").find_next_sibling("details").section["id"] == "main-effects"
    assert html.select_one('nav a[href="#joint-effects"]').get_text(strip=True) == "Joint effects"
    assert section.h3.get_text().startswith(f"{HOSTILE} and age")
    assert facts.share in section.h3.get_text()
    assert "up to 99.0% of the effect" in section.article.p.get_text()
    shown = [figure["id"] for figure in section.select("figure")]
    assert shown == [facts.surface, facts.shares] == ["o0-joint-0-1", "o0-joint-shares-0"]
    assert [audit.figures[key].kind for key in shown] == ["surface", "shares"]
    assert not html.select("section script")


def test_their_curves_say_that_they_are_not_to_be_read_alone_and_lead_to_the_joint_effect(page):
    _, html = page
    notes = {figure["id"]: figure.select_one(".alone a") for figure in html.select("#main-effects figure")}
    for key in ("o0-main-0", "o0-main-1"):
        assert notes[key].get_text() == f"Do not read this alone: see the joint effect of {HOSTILE} and age."
        assert notes[key]["href"] == "#joint-effects"
    assert [key for key, note in notes.items() if note is None] == ["o0-main-3"]


def test_page_one_shows_their_plane_instead_of_what_it_is_made_of(page):
    _, html = page
    shown = [link["href"] for link in html.select(".glance h4 a")]
    shares = [float(re.search(r"([\d.]+)%", words.get_text())[1]) for words in html.select(".glance .extra")]
    assert "#o0-joint-0-1" in shown
    assert not {"#o0-main-0", "#o0-main-1", "#o0-pair-0-1"} & set(shown)
    assert len(shares) > 1
    assert shares == sorted(shares, reverse=True)


def test_the_verdict_says_which_features_are_read_together_and_the_finding_what_to_do(page):
    audit, html = page
    assert audit.verdict == "warn"
    words = html.select_one("#verdict .statement").get_text()
    assert words.endswith(f"Read together: {HOSTILE} and age, which can hardly be distinguished.")
    assert "calls for caution (identifiability)" in words
    assert "read their joint effect" in html.select_one("#verdict .to-do").get_text()


@pytest.fixture(scope="module")
def three() -> tuple[Audit, BeautifulSoup]:
    return page_of(with_concurvity(mixed().dec, 0.96, 0.99, 0.97))


def test_more_than_two_features_are_drawn_along_their_direction_and_by_each(three):
    audit, html = three
    (facts,) = audit.outputs[0].joints
    names = audit.outputs[0].joints[0].label
    assert (facts.surface, facts.along, facts.shares) == (None, "o0-joint-0-along", "o0-joint-shares-0")
    assert sorted(facts.members) == ["o0-joint-0-by-0", "o0-joint-0-by-1", "o0-joint-0-by-2"]
    shown = [figure["id"] for figure in html.select("section#joint-effects figure")]
    assert shown == [facts.along, *facts.members, facts.shares]
    assert "Along their common direction." in html.select_one("section#joint-effects aside").get_text()
    assert f"Along the direction in which {names} move together" in audit.figures[facts.along].alt
    assert facts.picture == facts.along


def test_their_joint_effect_stands_on_page_one_for_the_curves_that_may_not_be_read(three):
    audit, html = three
    (facts,) = audit.outputs[0].joints
    glances = {link.get_text(): link["href"] for link in html.select(".glance h4 a")}
    assert glances[facts.label] == f"#{facts.along}"
    assert len(facts.parts) > 2
    assert not set(facts.parts) & set(glances)


def test_a_saved_audit_keeps_them(page, tmp_path):
    audit, _ = page
    assert Audit.load(audit.save(tmp_path / "audit.json")) == audit


def test_effects_that_undo_each_other_are_named_with_what_is_left_of_them():
    dec = decomposition_of({(0,): FIRST, (1,): -0.8 * FIRST + 0.4 * PRODUCT, (2,): SECOND})
    (found,) = read_together(dec, 0)
    assert not found.inseparable
    assert (
        "move against each other (correlation −0.894): where one raises the prediction, the other lowers it"
        in found.why
    )
    assert "Their structural shares are 83.3% and 66.7%; that of both added up is 16.7%." in found.why
    assert alone_note([found], (1,)) == "Better not read alone: see the joint effect of x0 and x1."
    assert alone_note([found], (2,)) == ""
    assert verdict_note((found,)) == " Read together: x0 and x1, which move against each other."


def test_what_cannot_be_distinguished_is_not_said_twice():
    dec = decomposition_of({(0,): FIRST, (1,): FIRST, (2,): SECOND})
    assert [item.how for item in read_together(dec, 0)] == ["move together"]
    assert [item.how for item in read_together(with_concurvity(dec, 1.0, 1.0), 0)] == ["cannot be distinguished"]


def test_of_many_groups_the_verdict_names_two_and_counts_the_others():
    columns = {(index,): FIRST * (index < 2) + SECOND * (2 <= index < 4) + PRODUCT * (index >= 4) for index in range(6)}
    found = read_together(decomposition_of(columns), 0)
    words = verdict_note(found)
    assert words == " Read together: x0 and x1, which move together; x2 and x3, which move together; and 1 more."
    assert verdict_note(()) == ""


def test_independent_features_are_read_alone():
    dec = decomposition_of({(0,): FIRST, (1,): SECOND}, dependence=Dependence(np.zeros((2, 1)), (((), ()),)))
    assert read_together(dec, 0) == ()
    assert measures.findings(dec)["AR011"].status == "pass"
