"""The page as text: complete, escaped, self-contained, and always the same."""

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import StorageError
from anova_report.figures.figure import Table
from anova_report.report.audit.audit import Audit
from anova_report.report.page import assets
from anova_report.report.page.render import environment, render
from tests.live_page import unpacked
from tests.report.samples import hostile_audit, sample_audit

FIRST_WORDS = ("audit", "comparison", "document", "page", "sections/", "macros/")
ROOMS = ("explorer", "inline", "mail")  # whose templates are small and many
SECTIONS = ("verdict", "subject", "drivers", "main-effects", "interactions", "cases", "trust", "method", "provenance")


def parsed(audit: Audit) -> BeautifulSoup:
    """Render and read again."""
    return BeautifulSoup(render(audit), "html.parser")


@pytest.fixture(scope="module", params=["one output", "three outputs", "hostile"])
def audit(request) -> Audit:
    names = {"one output": ("prediction",), "three outputs": ("setosa", "versicolor", "virginica")}
    return hostile_audit() if request.param == "hostile" else sample_audit(names[request.param])


@pytest.fixture(scope="module")
def page(audit) -> BeautifulSoup:
    return parsed(audit)


@pytest.fixture(scope="module")
def plain() -> BeautifulSoup:
    return parsed(sample_audit())


def test_sections_come_in_the_order_of_reading(plain):
    assert tuple(section["id"] for section in plain.find_all("section")) == SECTIONS
    assert [link["href"] for link in plain.select("nav.contents a")] == [f"#{name}" for name in SECTIONS]


def test_every_section_has_a_line_with_its_result_and_begins_with_a_sentence(page):
    for section in page.select("details.fold > section"):
        heading = section.parent.summary.h2
        assert section["aria-labelledby"] == heading["id"]
        assert section.parent.summary.select_one(".result").get_text().strip()
        lead = section.find(recursive=False)
        assert lead["class"] == ["lead"]
        assert lead.get_text().strip().endswith(".")
    for first in page.select("section.first"):
        assert first.find(recursive=False)["id"] == first["aria-labelledby"]


def test_ids_are_unique_and_every_anchor_leads_somewhere(page):
    counts = Counter(tag["id"] for tag in page.find_all(id=True))
    assert [name for name, count in counts.items() if count > 1] == []
    assert {link["href"][1:] for link in page.find_all("a")} <= set(counts)


def test_every_figure_has_a_title_a_description_and_a_table(page, audit):
    figures = page.select("figure:not(.glance)")
    assert {figure["id"] for figure in figures} == set(audit.figures)
    for figure in figures:
        drawing = figure.find("svg", role="img")
        assert drawing.find("title").get_text()
        assert drawing.find("desc").get_text() == audit.figures[figure["id"]].alt
        assert drawing["viewbox"] == f"0 0 {drawing['width']} {drawing['height']}"
        table = audit.figures[figure["id"]].table
        cells = [tuple(cell.get_text() for cell in row.find_all(["th", "td"])) for row in figure.select("details tr")]
        assert cells == [table.head, *table.rows]


def test_nothing_refers_outside_the_page(page):
    for tag in page.find_all(True):
        for name in ("src", "href", "action", "srcset", "data", "poster", "xlink:href"):
            assert tag.get(name, "#").startswith(("#", "data:")), tag
    for style in page.find_all("style"):
        assert "url(" not in style.get_text()
        assert "@import" not in style.get_text()


def test_no_text_of_the_user_becomes_markup(page):
    known = {"application/json": ["facts"], "text/plain": ["bokehjs", "plots"], None: [None]}
    found: dict[str | None, list[str | None]] = {}
    for script in page.find_all("script"):
        found.setdefault(script.get("type"), []).append(script.get("id"))
    assert found == known
    assert not page.find_all(["iframe", "object", "embed", "form", "base", "b"])
    assert not [tag for tag in page.find_all(True) if any(name.startswith("on") for name in tag.attrs)]
    allowed = {"png"}
    assert {image["href"].split(";")[0].removeprefix("data:image/") for image in page.find_all("image")} <= allowed


def test_headings_never_skip_a_level(page):
    levels = [int(tag.name[1]) for tag in page.find_all(["h1", "h2", "h3", "h4"])]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_the_policy_allows_the_two_scripts_and_nothing_else(page):
    content = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    rules = dict(rule.split(" ", 1) for rule in content.split("; "))
    loader = page.find_all("script")[-1].string
    bokehjs = gzip.decompress(unpacked(page.find(id="bokehjs").string)).decode()
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [assets.source_hash(loader), assets.source_hash(bokehjs)]
    assert rules["img-src"] == "data:"


def test_every_figure_but_the_small_ones_has_a_live_form_and_a_button_that_waits_for_the_script(page, audit):
    plots = json.loads(gzip.decompress(unpacked(page.find(id="plots").string)))
    small = {feature.figure for feature in audit.features}
    assert set(plots) == set(audit.figures) - small
    assert {figure["id"] for figure in page.select("figure:has(button.live[hidden])")} == set(plots)


def test_the_same_audit_gives_the_same_page():
    assert render(sample_audit()) == render(sample_audit())


def test_every_finding_is_listed_and_concerns_come_with_advice(plain):
    findings = sample_audit().outputs[0].findings
    assert [row["id"] for row in plain.select(".all-findings tbody tr")] == [item.code for item in findings]
    concerns = plain.select("#verdict .to-do li")
    assert [item.a["href"] for item in concerns] == ["#AR004", "#AR002"]  # the worst first
    assert all(item.get_text().strip().endswith("Act.") for item in concerns)


def test_without_predictions_the_page_says_what_is_missing():
    audit = sample_audit()
    case = replace(audit.outputs[0].cases[0], prediction=None, remainder=None)
    output = replace(audit.outputs[0], predictions=None, scatter=None, regions=None, cases=(case,))
    page = parsed(replace(audit, outputs=(output,)))
    assert "their distribution is not shown" in page.select_one("#subject").get_text()
    assert "cannot be compared row by row" in page.select_one("#trust").get_text()
    assert [value.get_text() for value in page.select("#o0-case-0 dl dd")] == ["not given", "2.65", "unknown"]


def test_what_is_empty_is_said_to_be_empty():
    audit = sample_audit()
    nothing = Table((), ())
    output = replace(
        audit.outputs[0],
        mains=(),
        pairs=(),
        cases=(),
        network=None,
        matrix=None,
        orthogonality=nothing,
        stability=nothing,
    )
    text = " ".join(parsed(replace(audit, outputs=(output,), limits=nothing)).get_text().split())
    for words in (
        "No feature has a main effect",
        "No pair of features",
        "No rows were explained",
        "nothing to separate",
    ):
        assert words in text
    assert "does not estimate uncertainty" in text
    assert "Limits of the findings" not in text


def test_an_audit_that_refers_to_a_figure_it_does_not_hold_is_refused():
    audit = sample_audit()
    figures = {key: figure for key, figure in audit.figures.items() if key != "o0-scatter"}
    with pytest.raises(StorageError, match="not complete"):
        render(replace(audit, figures=figures))


@pytest.mark.parametrize(
    ("name", "head"), [("audit", "document"), ("comparison", "document"), ("document", "page"), ("index", "page")]
)
def test_pages_share_one_head(name, head):
    source, _, _ = environment().loader.get_source(environment(), f"{name}.html")
    assert f'{{% extends "{head}.html" %}}' in source
    assert not re.search(r"<!doctype|<head>|<meta|<style|<title>", source)


def test_the_map_of_the_templates_names_every_one_of_them():
    described = (assets.folder("templates") / "README.md").read_text(encoding="utf-8")
    for name in environment().list_templates(extensions=["html"]):
        room, _, file = name.rpartition("/")
        assert file.removesuffix(".html") in described or room in ROOMS, name
    assert all(f"{room}/" in described for room in ROOMS)


def test_templates_hold_no_arithmetic_no_thresholds_and_no_sorting():
    names = [name for name in environment().list_templates() if name.startswith(FIRST_WORDS)]
    assert len(names) > 10
    for name in names:
        source, _, _ = environment().loader.get_source(environment(), name)
        code = " ".join(re.findall(r"{[{%].*?[%}]}", source, re.DOTALL))
        code = re.sub(r"""(["']).*?\1""", "''", code).replace("{%-", "").replace("-%}", "")
        code = re.sub(r"\b(audit\.outputs|output_names)\|length > 1", "", code)  # the panel has names of outputs alone
        assert not re.search(r"\|\s*(sort|sum|round|int|float|safe)\b|[<>*/+]| - ", code), name


def test_nothing_but_our_own_words_is_exempt_from_escaping():
    assert environment().autoescape is True
    for name in environment().list_templates(extensions=["html"]):
        source, _, _ = environment().loader.get_source(environment(), name)
        assert "|safe" not in source.replace(" ", "")
        assert "autoescape" not in source
