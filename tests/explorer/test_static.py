import base64
from xml.etree.ElementTree import fromstring

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_output

from anova_report.explorer import fragments
from anova_report.report.notebooks.notebook_export import export_notebook
from tests.explorer import examples
from tests.explorer.examples import HOSTILE
from tests.report.tiny_notebooks import executed_notebook, outside_addresses

SPACE = "{http://www.w3.org/2000/svg}"
WIDGET = "application/vnd.jupyter.widget-view+json"


def soup(html):
    return BeautifulSoup(html, "html.parser")


@pytest.fixture(scope="module")
def views():
    return examples.mixed().views(term=HOSTILE, row=5)


def test_it_shows_verdict_shares_the_term_and_the_row(views):
    page = soup(fragments.static_html(views))
    assert page.select_one(".badge").get_text() == views.findings.verdict.capitalize()
    assert [title.get_text() for title in page.select("h3")] == [
        "What drives the answers",
        f"Term: {HOSTILE}",
        "Row 5",
    ]
    kinds = [figure["class"][-1] for figure in page.select("figure")]
    assert kinds == ["shares", "levels", "waterfall"]


def test_pictures_are_files_inside_the_page_with_their_own_size_and_words(views):
    pictures = soup(fragments.static_html(views)).select("figure .static img")
    assert len(pictures) == 3
    for picture in pictures:
        head, _, content = picture["src"].partition("base64,")
        drawn = fromstring(base64.b64decode(content))  # noqa: S314 drawn by ourselves
        assert head == "data:image/svg+xml;charset=utf-8;"
        assert (picture["width"], picture["height"]) == (drawn.get("width"), drawn.get("height"))
        assert picture["alt"] == drawn.find(f"{SPACE}title").text
        assert drawn[0].get("fill") == "#ffffff"  # words in it are dark, whatever the page is


def test_it_follows_the_state():
    views = examples.known().views(term="a")
    before = fragments.static_html(views)
    views.state.term = ("a", "c")
    after = soup(fragments.static_html(views))
    assert "Term: a × c" in after.get_text()
    assert [figure["class"][-1] for figure in after.select("figure")] == ["shares", "surface", "slices", "waterfall"]
    assert fragments.static_html(views) != before


def test_names_are_escaped_and_nothing_runs_or_is_fetched(views):
    html = fragments.static_html(views)
    assert not soup(html).find_all(["script", "iframe", "link"])
    assert outside_addresses(html) == []
    assert HOSTILE in soup(html).get_text()


def test_it_is_small(views):
    assert len(fragments.static_html(views).encode()) < 60_000


def test_a_term_of_three_features_shows_its_main_effects():
    example = examples.triple()
    page = soup(fragments.static_html(example.views(term=max(example.dec.terms, key=len))))
    assert len(page.select("figure.curve")) == 3


def test_the_text_tells_the_same_in_lines(views):
    verdict, shares, term, row = fragments.static_text(views).splitlines()
    assert verdict.startswith(f"Explorer of output first, 7 features, 900 rows: {views.findings.verdict}. ")
    assert shares.startswith(f"Largest shares: {views.state.shares[0].label} ")
    assert term.startswith(f"Term: {HOSTILE} carries ")
    assert row.startswith("Row 5: The answer is ")


def test_one_output_needs_no_name():
    assert fragments.static_text(examples.known().views()).startswith("Explorer of 3 features, 1,500 rows: ")


@pytest.fixture
def exported(views, tmp_path):
    both = {
        WIDGET: {"model_id": "1"},
        "text/html": fragments.static_html(views),
        "text/plain": fragments.static_text(views),
    }
    node = executed_notebook(new_output("execute_result", both, execution_count=1))
    return export_notebook(node, tmp_path / "page.html", title="Explored")


def test_an_exported_notebook_keeps_it_and_nothing_of_the_widget(exported, views):
    page = soup(exported.read_text(encoding="utf-8"))
    assert len(page.select(".anova-report figure img[src^='data:image/svg+xml']")) == 3
    assert page.select_one(".statement").get_text()
    assert "model_id" not in str(page)
    assert outside_addresses(str(page)) == []
    assert page.select(".anova-report .badge")[0].get_text() == views.findings.verdict.capitalize()


def test_an_exported_notebook_shows_it_offline_with_scripts_switched_off(exported, scriptless_page):
    scriptless_page.goto(exported.as_uri())
    for name in ("shares", "levels", "waterfall"):
        assert scriptless_page.locator(f"figure.{name} img").bounding_box()["height"] > 50
        assert scriptless_page.locator(f"figure.{name} img").evaluate("picture => picture.naturalWidth") > 100
    assert scriptless_page.locator(".badge").first.is_visible()
