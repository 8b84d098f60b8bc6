import pytest
from bs4 import BeautifulSoup

from anova_report.explorer import fragments
from anova_report.explorer.fragments import Link, checked
from anova_report.figures.style import DARK, LIGHT
from anova_report.measures.findings import findings
from anova_report.report.audit.verdict import verdict_words
from tests.explorer import examples
from tests.explorer.examples import HOSTILE


def soup(html):
    return BeautifulSoup(html, "html.parser")


@pytest.fixture(scope="module")
def views():
    return examples.mixed().views(term=HOSTILE)


def test_the_badge_tells_verdict_and_sentence(views):
    page = soup(fragments.badge(views))
    found = findings(examples.mixed().dec, examples.mixed().X, 0)
    assert page.select_one(".badge").get_text() == found.verdict.capitalize()
    assert page.select_one(".statement").get_text() == verdict_words(examples.mixed().dec, found, 0)
    assert found.verdict in page.select_one(".verdict")["class"]


def test_three_numbers_decide_the_verdict(views):
    page = soup(fragments.numbers(views))
    assert len(page.select(".headline .value")) == 3


def test_findings_that_call_for_action_come_first_and_others_are_folded_away(views):
    page = soup(fragments.findings(views))
    pressing = [item for item in views.findings.items if item.status in ("warn", "fail")]
    folded = page.select("details .finding")
    assert len(page.select(".finding")) == len(views.findings.items)
    assert len(folded) == len(views.findings.items) - len(pressing)
    assert not [item for item in folded if {"warn", "fail"} & set(item["class"])]


def test_where_nothing_calls_for_action_that_is_said():
    views = examples.known().views()
    assert ("Nothing calls for action" in fragments.findings(views)) == (views.findings.verdict == "pass")


def test_names_are_escaped_in_words_and_legends(views):
    views.state.colour_by = HOSTILE
    html = fragments.sentences([HOSTILE], HOSTILE, views.groups())
    assert "<script" not in html
    assert "<b>" not in html
    page = soup(html)
    assert page.h4.get_text() == HOSTILE
    assert page.p.get_text() == HOSTILE
    assert [item.get_text() for item in page.select(".key span")] == list(views.groups().names)


def test_still_pictures_can_be_put_into_any_page(views):
    for tab in ("overview", "term", "row", "trust"):
        html = fragments.pictures(views.of(tab), views.groups())
        assert checked(html) == html
        assert [title.get_text() for title in soup(html).select("figcaption")] == [
            figure.title for figure in views.of(tab).values()
        ]


def test_links_hold_their_files():
    page = soup(fragments.links([Link('a".csv', "data:text/csv;base64,YQ==", HOSTILE)]))
    assert page.a["download"] == 'a".csv'
    assert page.a["href"] == "data:text/csv;base64,YQ=="
    assert page.a.get_text() == HOSTILE


def test_a_refusal_is_read_out_and_escaped():
    page = soup(fragments.notice(HOSTILE))
    assert page.select_one("[role=alert]").get_text() == HOSTILE


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
