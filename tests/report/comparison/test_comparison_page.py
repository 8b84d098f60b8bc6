"""The page of a comparison: saved and rendered again, complete without scripts, live with them, safe with any name."""

import json
from collections import Counter
from dataclasses import replace
from email.message import EmailMessage

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import StorageError
from anova_report.report.comparison.comparison import (
    STAMP,
    ComparisonPage,
    comparison_facts,
    render_comparison,
    write_comparison,
)
from anova_report.report.mail import compose
from anova_report.report.page.page_facts import read_facts
from tests.report.two_fits import hostile, planted_change, planted_pair


@pytest.fixture(scope="module")
def comparison():
    return planted_pair().page(command="anova-report compare a.json b.json")


@pytest.fixture(scope="module")
def parsed(comparison):
    return BeautifulSoup(render_comparison(comparison), "html.parser")


def test_sections_come_in_the_order_of_reading(parsed):
    sections = [section["id"] for section in parsed.find_all("section")]
    assert sections == ["summary", "differs", "shares", "fidelity", "agrees", "compared", "method", "provenance"]
    assert [link["href"] for link in parsed.select("nav.contents a")] == [f"#{name}" for name in sections]


def test_ids_are_unique_and_every_anchor_leads_somewhere(parsed):
    counts = Counter(tag["id"] for tag in parsed.find_all(id=True))
    assert [name for name, count in counts.items() if count > 1] == []
    assert {link["href"][1:] for link in parsed.find_all("a")} <= set(counts)


def test_every_figure_of_the_comparison_is_drawn_with_a_table(parsed, comparison):
    figures = parsed.find_all("figure")
    assert {figure["id"] for figure in figures} == set(comparison.figures)
    for figure in figures:
        assert figure.find("svg", role="img").find("desc").get_text()
        assert figure.find("details").find("table")


def test_what_differs_is_open_and_what_agrees_is_folded(parsed, comparison):
    [output] = comparison.outputs
    assert output.agreeing
    for main in output.mains:
        assert parsed.find(id=main.figure).find_parent("details").has_attr("open")
    for main in output.agreeing:
        assert not parsed.find(id=main.figure).find_parent("details").has_attr("open")


def test_the_page_opens_offline_without_a_request(comparison, tmp_path, page):
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert page.locator("figure.plot svg").count() == len(comparison.figures)
    assert page.locator(".verdict .badge").inner_text() == "Function changed"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_is_complete_without_scripts_and_on_a_phone(tmp_path, scriptless_page):
    comparison = planted_change().page()
    scriptless_page.set_viewport_size({"width": 390, "height": 844})
    scriptless_page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert scriptless_page.locator("#summary .statement").inner_text() == comparison.outputs[0].words
    assert scriptless_page.locator("figure.plot svg").first.is_visible()


def test_on_paper_all_effects_are_listed_and_drawn(comparison, tmp_path, page):
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert not page.locator(".effects-of").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".effects-of").bounding_box()["height"] > 100
    [output] = comparison.outputs
    assert page.locator(f"#{output.agreeing[0].figure} .static svg").bounding_box()["height"] > 50


def test_no_name_can_run_or_break_anything(tmp_path, page):
    comparison = hostile().page(names=("<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>"))
    page.on("dialog", lambda dialog: page.trouble.append(dialog.message))
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    page.evaluate("anovaReport.livenAll()")
    assert page.locator("figure.live").count() == len(comparison.figures)
    assert page.locator("script:not([id])").count() == 2  # the loader, and BokehJS that it started
    assert page.locator("img").count() == 0
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()


def test_a_comparison_comes_back_from_its_file_unchanged(tmp_path):
    page = planted_change().page()
    saved = page.save(tmp_path / "comparison.json")
    assert ComparisonPage.load(saved) == page
    assert render_comparison(ComparisonPage.load(saved)) == render_comparison(page)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "does not hold a comparison"),
        (json.dumps({"schema": "anova_report.audit", "version": 1}), "does not hold a comparison"),
        (json.dumps({"schema": STAMP.schema, "version": STAMP.version + 1}), "reads up to"),
        (json.dumps({"schema": STAMP.schema, "version": 1, "title": "x"}), "not complete"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path, content, said):
    place = tmp_path / "odd.json"
    place.write_text(content)
    with pytest.raises(StorageError, match=said):
        ComparisonPage.load(place)


def outputs_that(comparison: ComparisonPage, *changed: bool | None) -> ComparisonPage:
    """Give a comparison one output for each state, which their words distinguish."""
    [output] = comparison.outputs
    made = (replace(output, name=str(state), changed=state, words=f"words of {state}") for state in changed)
    return replace(comparison, outputs=tuple(made))


def test_the_facts_are_those_the_page_shows(comparison):
    found = read_facts(render_comparison(comparison))
    assert found == comparison_facts(comparison)
    [output], [shown] = found.outputs, comparison.outputs
    assert (found.title, found.verdict_words) == (comparison.title, shown.words)
    assert [(item.label, item.value, item.words) for item in output.headlines] == [
        (item.label, item.value, item.words) for item in shown.headlines
    ]
    assert comparison.names[0] in found.subject
    assert comparison.names[1] in found.subject


@pytest.mark.parametrize(
    ("changed", "verdict", "decisive"),
    [
        ((False, True), "fail", "True"),
        ((None, True), "fail", "True"),
        ((False, None), "warn", "None"),
        ((False, False), "pass", "False"),
    ],
)
def test_the_worst_output_decides(comparison, changed, verdict, decisive):
    found = comparison_facts(outputs_that(comparison, *changed))
    assert (found.verdict, found.verdict_words) == (verdict, f"words of {decisive}")
    assert [output.name for output in found.outputs] == [str(state) for state in changed]


def test_a_page_can_be_mailed(comparison, tmp_path):
    page = write_comparison(comparison, tmp_path / "diff.html")
    message = compose(page, to=["ada@example.org"], sender="audits@example.org")
    assert isinstance(message, EmailMessage)
    assert message["Subject"] == f"[Function changed] {comparison.title}"
    body = message.get_body(("plain",)).get_content()
    assert comparison.outputs[0].words in body.replace("\n", " ")
    assert "Fidelity" in message.get_body(("html",)).get_content()
    [attached] = message.iter_attachments()
    assert attached.get_filename() == "diff.html"


def test_a_page_that_cannot_tell_is_amber_and_says_so(comparison, tmp_path, page):
    [output] = outputs_that(comparison, None).outputs
    unsure = replace(comparison, outputs=(replace(output, inputs_moved=("age",)),))
    page.goto(write_comparison(unsure, tmp_path / "unsure.html").as_uri())
    assert page.locator(".verdict .badge").inner_text() == "Cannot be determined, inputs moved"
    assert "warn" in page.locator(".verdict").get_attribute("class")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    badge, verdict = (page.locator(place).bounding_box() for place in (".verdict .badge", ".verdict"))
    assert badge["x"] + badge["width"] <= verdict["x"] + verdict["width"]
    message = compose(tmp_path / "unsure.html", to=["ada@example.org"], sender="audits@example.org")
    assert message["Subject"] == f"[Cannot be determined, inputs moved] {comparison.title}"
    assert "Failed." not in message.get_body(("html",)).get_content()


def test_names_cannot_leave_the_element():
    comparison = hostile().page(names=("</script><script>alert(1)</script>", "b"), title="</script>")
    page = render_comparison(comparison)
    assert page.count("<script") == 4  # the facts, BokehJS, the plots, and the loader
    assert read_facts(page).title == "</script>"
