import pytest
from bs4 import BeautifulSoup

from anova_report.report.page import notebook_views
from anova_report.report.page.assets import confined_styles
from tests.report.samples import hostile_audit, sample_audit

ALL = (
    notebook_views.verdict,
    notebook_views.findings,
    notebook_views.drivers,
    notebook_views.main_effects,
    notebook_views.interactions,
    notebook_views.cases,
    notebook_views.trust,
)


def parse(view):
    return BeautifulSoup(view._repr_html_(), "html.parser")


def test_the_verdict_comes_with_its_numbers_and_the_styles_of_all_views():
    page = parse(notebook_views.verdict(sample_audit()))
    assert page.select_one(".statement").get_text() == "1 of 3 checks failed."
    assert [item.get_text() for item in page.select(".headline .value")] == ["0.881", "11.9%", "0.231"]
    assert page.select_one(".needs style")
    assert page.select_one("#icon-fail")


@pytest.mark.parametrize(
    ("view", "keys"),
    [
        (notebook_views.drivers, ["o0-totals", "o0-shares"]),
        (notebook_views.main_effects, ["o0-main-0", "o0-main-1"]),
        (notebook_views.interactions, ["o0-network", "o0-surface-0-1"]),
        (notebook_views.cases, ["o0-case-0-waterfall"]),
        (notebook_views.trust, ["o0-scatter", "o0-matrix"]),
    ],
)
def test_figures_are_drawn_as_svg_with_the_table_behind_them(view, keys):
    page = parse(view(sample_audit()))
    assert [figure["id"] for figure in page.select("figure")] == keys
    for figure in page.select("figure"):
        assert figure.select_one("svg[width][height] title")
        assert figure.select("table tbody tr")
    assert not page.select("button")


@pytest.mark.parametrize("view", ALL)
def test_several_outputs_stand_one_below_the_other(view):
    page = parse(view(sample_audit(("low", "high"))))
    assert [heading.get_text() for heading in page.select("h3:not(.about)")] == ["low", "high"]
    assert not parse(view(sample_audit())).select("h3:not(.about)")


@pytest.mark.parametrize("view", ALL)
def test_a_view_is_readable_as_text(view):
    shown = view(sample_audit())
    assert repr(shown)
    assert "<" not in repr(shown)


@pytest.mark.parametrize("view", ALL)
def test_nothing_in_a_hostile_audit_becomes_markup(view):
    page = parse(view(hostile_audit()))
    assert not page.find_all(["script", "img", "b"])
    assert not [tag for tag in page.find_all(True) for name in tag.attrs if name.startswith("on")]


def test_the_styles_of_views_apply_to_views_only(page):
    page.set_content(
        f"<style>{confined_styles()}</style><table id=a></table><div class=anova-report><table id=b></table></div>"
    )
    width = "id => getComputedStyle(document.getElementById(id)).borderCollapse"
    assert page.evaluate(width, "a") == "separate"
    assert page.evaluate(width, "b") == "collapse"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.querySelector('.anova-report')).getPropertyValue('--status')")
