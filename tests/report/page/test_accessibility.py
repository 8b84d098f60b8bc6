"""Pages as people use them who need a keyboard, a screen reader or contrast: axe-core finds nothing wrong with them."""

from pathlib import Path
from typing import Any

import pytest

from anova_report.report import build_audit, write_comparison, write_report
from tests.accessibility import violations
from tests.report.fits import Fitted, classes, mixed
from tests.report.two_fits import planted_change

UNFOLD = "() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
PANEL = "#what-if-cards .value"
PHONE = {"width": 390, "height": 844}
THEMES = ("light", "dark")


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Write pages with much that a page can hold."""
    folder = tmp_path_factory.mktemp("accessible")

    def audit(fit: Fitted) -> Any:
        about = {"owner": "Claims", "purpose": "Pricing", "reviewers": ["First reader"]}
        asked = {"about": about, "expectations": ["income: increasing"], "title": "A page"}
        return build_audit(fit.dec, fit.X, fit.predictions, progress=False, **asked)

    return {
        "one output": write_report(audit(mixed()), folder / "one.html"),
        "two outputs": write_report(audit(classes()), folder / "two.html"),
        "comparison": write_comparison(planted_change().page(), folder / "comparison.html"),
    }


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["one output", "two outputs", "comparison"])
def test_axe_finds_nothing_on_a_page_folded_or_not(page, pages, name, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(pages[name].as_uri())
    assert violations(page) == []
    page.evaluate(UNFOLD)
    if name != "comparison":
        page.wait_for_selector(PANEL)
    assert violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_where_the_panel_answers_and_figures_are_live(page, pages, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(f"{pages['one output'].as_uri()}#what-if")
    page.wait_for_selector(PANEL)
    page.locator("#what-if-0").fill("30")  # far outside: warned of, and changed
    page.locator("#what-if-line").evaluate("line => { line.closest('details').open = true; }")
    page.locator("#what-if-read").click()  # of an empty line: a fault
    page.wait_for_selector("#what-if-warned:visible")
    page.evaluate("() => anovaReport.liven(document.querySelector('figure.curve').id)")
    assert violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_on_a_phone(page, pages, theme):
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=theme)
    page.goto(f"{pages['one output'].as_uri()}#what-if")
    page.wait_for_selector(PANEL)
    assert violations(page) == []
