"""Pieces of HTML, what may stand in a still picture, and the static page."""

import base64
from xml.etree.ElementTree import fromstring

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_output

from anova_report.errors import InputError
from anova_report.explorer import fragments
from anova_report.explorer.fragments import FileLink, checked, draw
from anova_report.figures.style import DARK, LIGHT
from anova_report.io.files import write_text
from anova_report.measures.findings import findings
from anova_report.measures.status import VERDICTS
from anova_report.report.audit.verdict import verdict_words
from anova_report.report.notebooks.notebook_export import notebook_page
from anova_report.report.page.what_if_panel import saved_loader
from tests.explorer import examples
from tests.explorer.examples import HOSTILE
from tests.figures.samples import SAMPLES
from tests.report.tiny_notebooks import executed_notebook, outside_addresses

SPACE = "{http://www.w3.org/2000/svg}"
WIDGET = "application/vnd.jupyter.widget-view+json"
ATTACKS = {
    "script": "<script>window.pwned = 1</script>",
    "script in a drawing": "<svg><script>window.pwned = 1</script></svg>",
    "script of another namespace": '<x:script xmlns:x="http://www.w3.org/1999/xhtml">window.pwned = 1</x:script>',
    "handler": '<p onclick="window.pwned = 1">x</p>',
    "handler in capitals": '<svg ONLOAD="window.pwned = 1"></svg>',
    "picture that fails": '<img src="x" onerror="window.pwned = 1" />',
    "link": '<svg><a href="javascript:window.pwned = 1"><text>x</text></a></svg>',
    "old link": '<svg><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://example.org/x#y"/></svg>',
    "picture from elsewhere": '<svg><image href="https://example.org/x.png" /></svg>',
    "drawing as a picture": '<svg><image href="data:image/svg+xml;base64,AAAA" /></svg>',
    "fill from elsewhere": '<svg><rect fill="url(https://example.org/x)" /></svg>',
    "style from elsewhere": '<p style="background: URL( https://example.org/x )">x</p>',
    "style in disguise": r'<p style="background: u\72l(https://example.org/x)">x</p>',
    "style sheet": "<style>@import 'https://example.org/x'</style>",
    "frame": '<iframe srcdoc="x"></iframe>',
    "foreign object": "<svg><foreignObject><p>x</p></foreignObject></svg>",
    "animation": '<svg><set attributeName="href" to="x"/></svg>',
    "form": '<form action="https://example.org"></form>',
    "comment": "<!-- --!><img src=x onerror='window.pwned = 1'> -->",
    "section of text": "<p><![CDATA[<img src=x onerror='window.pwned = 1'>]]></p>",
    "instruction": "<?xml-stylesheet href='https://example.org/x'?>",
    "entities": '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><p>&b;</p>',
    "end of the frame around": "</div><p>x</p><div>",
    "open element": "<p>x",
    "bare ampersand": "<p>a & b</p>",
}


def soup(html):
    return BeautifulSoup(html, "html.parser")


@pytest.fixture(scope="module")
def views():
    return examples.mixed().views(term=HOSTILE, row=5, colour_by=HOSTILE)


@pytest.mark.parametrize("html", ATTACKS.values(), ids=ATTACKS)
def test_what_could_act_or_fetch_is_refused(html):
    with pytest.raises(InputError, match=r"A still picture holds .*figures\.svg\.draw"):
        checked(html)


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_picture_we_draw_passes_whatever_its_names_are(kind):
    for figure in (SAMPLES[kind].rich, SAMPLES[kind].edge):
        assert checked(draw(figure)) == draw(figure)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "just words",
        "<h2>Verdict</h2><p>pass: <strong>97%</strong> of 1 &lt; 2</p>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
        r'<p title="C:\data, url(x)">words may name anything</p>',
        '<svg><pattern id="p"></pattern><rect fill="url(#p)" style="opacity: 0.5" /></svg>',
    ],
)
def test_words_tables_and_drawings_pass_unchanged(html):
    assert checked(html) == html


def test_the_badge_shows_verdict_and_sentence_and_three_numbers_decide_it(views):
    page = soup(fragments.badge(views))
    found = findings(examples.mixed().dec, examples.mixed().X, 0)
    assert page.select_one(".badge").get_text() == VERDICTS[found.verdict]
    assert page.select_one(".statement").get_text() == verdict_words(examples.mixed().dec, found, 0)
    assert found.verdict in page.select_one(".verdict")["class"]
    assert len(soup(fragments.numbers(views)).select(".headline .value")) == 3


def test_findings_that_call_for_action_come_first_and_others_are_folded(views):
    page = soup(fragments.findings(views))
    pressing = [item for item in views.findings.items if item.status in ("warn", "fail")]
    folded = page.select("details .finding")
    assert len(page.select(".finding")) == len(views.findings.items)
    assert len(folded) == len(views.findings.items) - len(pressing)
    assert not [item for item in folded if {"warn", "fail"} & set(item["class"])]
    known = examples.known().views()
    assert ("Nothing calls for action" in fragments.findings(known)) == (known.findings.verdict == "pass")


def test_names_are_escaped_in_words_notices_and_links():
    html = fragments.sentences([HOSTILE], HOSTILE)
    assert "<script" not in html
    assert (soup(html).h4.get_text(), soup(html).p.get_text()) == (HOSTILE, HOSTILE)
    assert soup(fragments.notice(HOSTILE)).select_one("[role=alert]").get_text() == HOSTILE
    page = soup(fragments.links([FileLink('a".csv', "data:text/csv;base64,YQ==", HOSTILE)]))
    assert (page.a["download"], page.a["href"], page.a.get_text()) == ('a".csv', "data:text/csv;base64,YQ==", HOSTILE)


def test_still_pictures_can_be_put_into_any_page(views):
    for tab in ("overview", "term", "row", "trust"):
        html = fragments.pictures(views.of(tab))
        assert checked(html) == html
        titles = [title.get_text() for title in soup(html).select("figcaption")]
        assert titles == [figure.title for figure in views.of(tab).values()]


def test_styles_have_both_themes_and_fetch_nothing():
    html = fragments.styles()
    for theme in (LIGHT, DARK):
        assert f"--accent: {theme['accent']}" in html
    assert 'body[data-jp-theme-light="false"] .anova-words' in html
    assert "url(" not in html
    assert "@import" not in html
    assert html.count("{") == html.count("}")


def test_symbols_are_styled_wherever_copies_of_them_stand():
    html = fragments.styles()
    outside = html[html.index("/* Symbols") :]
    assert "\n.icon-shape {" in outside
    assert {symbol["id"] for symbol in soup(html).select("symbol")} >= {"icon-pass", "icon-warn", "icon-fail"}


def test_the_static_page_shows_verdict_shares_the_term_and_the_row(views):
    html = fragments.static_html(views)
    page = soup(html)
    assert page.select_one(".badge").get_text() == VERDICTS[views.findings.verdict]
    titles = ["Verdict", "What drives the predictions", f"Term: {HOSTILE}", "Row 5"]
    assert [title.get_text() for title in page.select("h3")] == titles
    assert [figure["class"][-1] for figure in page.select("figure")] == ["shares", "levels", "waterfall"]
    assert not page.find_all(["iframe", "link"])
    assert [code.string for code in page.find_all("script") if code.get("type") != "text/plain"] == [saved_loader()]
    assert outside_addresses(html) == []
    assert len(html.encode()) < 160_000


def test_its_pictures_are_files_inside_the_page_with_their_own_size_and_words(views):
    for picture in soup(fragments.static_html(views)).select("figure .static img"):
        head, _, content = picture["src"].partition("base64,")
        drawn = fromstring(base64.b64decode(content))  # noqa: S314 drawn by ourselves
        assert head == "data:image/svg+xml;charset=utf-8;"
        sizes = [float(drawn.get(name)) - float(picture[name]) for name in ("width", "height")]
        assert sizes == pytest.approx([0, 0], abs=0.5)
        assert picture["alt"] == drawn.find(f"{SPACE}title").text
        assert drawn[0].get("fill") == "#ffffff"  # words in it are dark, whatever the page is


def test_it_follows_the_state_and_a_term_of_three_features_shows_its_main_effects():
    views = examples.known().views(term="a")
    before = fragments.static_html(views)
    views.state.term = ("a", "c")
    after = soup(fragments.static_html(views))
    assert "Term: a × c" in after.get_text()
    assert "Term: a × c" not in before
    assert [figure["class"][-1] for figure in after.select("figure")] == ["shares", "surface", "slices", "waterfall"]
    triple = examples.triple()
    page = soup(fragments.static_html(triple.views(term=max(triple.dec.terms, key=len))))
    assert len(page.select("figure.curve")) == 3


def test_the_text_says_the_same_in_lines(views):
    verdict, shares, term, row = fragments.static_text(views).splitlines()
    assert verdict.startswith(f"Explorer of output first, 7 features, 900 rows: {views.findings.verdict}. ")
    assert shares.startswith(f"Largest terms: {views.state.shares[0].label} (")
    assert term.startswith(f"Term: {HOSTILE} carries ")
    assert row.startswith("Row 5: The prediction is ")
    assert fragments.static_text(examples.known().views()).startswith("Explorer of 3 features, 1,500 rows: ")


def test_an_exported_notebook_keeps_it_offline_and_without_scripts(views, tmp_path, scriptless_page):
    parts = {WIDGET: {"model_id": "1"}, "text/html": fragments.static_html(views), "text/plain": "Explorer"}
    node = executed_notebook(new_output("execute_result", parts, execution_count=1))
    exported = write_text(tmp_path / "page.html", notebook_page(node, "Explored"))
    page = soup(exported.read_text(encoding="utf-8"))
    assert "model_id" not in str(page)
    assert outside_addresses(str(page)) == []
    scriptless_page.goto(exported.as_uri())
    for name in ("shares", "levels", "waterfall"):
        assert scriptless_page.locator(f"figure.{name} img").bounding_box()["height"] > 50
        assert scriptless_page.locator(f"figure.{name} img").evaluate("picture => picture.naturalWidth") > 100
    assert scriptless_page.locator(".badge").first.is_visible()
