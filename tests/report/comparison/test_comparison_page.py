"""The page of a comparison: complete without scripts, live with them, offline, and safe with any name."""

from collections import Counter

import pytest
from bs4 import BeautifulSoup

from anova_report.report.comparison.comparison import render_comparison, write_comparison
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
        assert parsed.find(id=main.figure).find_parent("details") is None
    for main in output.agreeing:
        assert not parsed.find(id=main.figure).find_parent("details").has_attr("open")


def test_the_page_opens_offline_without_a_request(comparison, tmp_path, page):
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert page.locator("figure.plot svg").count() == len(comparison.figures)
    assert page.locator(".verdict .badge").inner_text() == "Different"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_is_complete_without_scripts_and_on_a_phone(tmp_path, scriptless_page):
    comparison = planted_change().page()
    scriptless_page.set_viewport_size({"width": 390, "height": 844})
    scriptless_page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert scriptless_page.locator("#summary .statement").inner_text() == comparison.outputs[0].words
    assert scriptless_page.locator("figure.plot svg").first.is_visible()


def test_on_paper_all_effects_are_listed_and_what_agrees_stays_folded(comparison, tmp_path, page):
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    assert not page.locator(".effects-of").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".effects-of").bounding_box()["height"] > 100
    [output] = comparison.outputs
    folded = page.locator(f"#{output.agreeing[0].figure} svg")
    assert not folded.is_visible()


def test_no_name_can_run_or_break_anything(tmp_path, page):
    comparison = hostile().page(names=("<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>"))
    page.on("dialog", lambda dialog: page.trouble.append(dialog.message))
    page.goto(write_comparison(comparison, tmp_path / "diff.html").as_uri())
    page.evaluate("anovaReport.livenAll()")
    assert page.locator("figure.live").count() == len(comparison.figures)
    assert page.locator("script:not([id])").count() == 2  # the loader, and BokehJS that it started
    assert page.locator("img").count() == 0
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
