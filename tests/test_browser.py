"""The browser that other tests rely on: it is there where it is promised, and nothing that goes wrong is missed."""

import asyncio

import pytest

from tests import browser
from tests.browser import require, watched

PROMISES = ("CI", "ANOVA_REPORT_REQUIRE_BROWSER")


@pytest.fixture
def bare(monkeypatch):
    for name in (*PROMISES, "ANOVA_REPORT_CHROMIUM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_without_a_browser_a_person_is_told_why_a_test_is_skipped(bare):
    bare.setattr(browser, "NAMES", ("no-such-browser",))
    with pytest.raises(pytest.skip.Exception, match="There is no Chromium"):
        browser.executable()


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("CI", "True"), ("ANOVA_REPORT_REQUIRE_BROWSER", "1")])
def test_where_a_browser_is_promised_its_absence_fails(bare, name, value):
    bare.setenv(name, value)
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        require("There is no browser.")


def test_a_browser_can_be_named(bare, tmp_path):
    own = tmp_path / "browser"
    own.write_text("#!/bin/sh\n", encoding="utf-8")
    own.chmod(0o755)
    bare.setenv("ANOVA_REPORT_CHROMIUM", str(own))
    assert browser.executable() == str(own)


def test_a_named_browser_that_does_not_exist_is_not_replaced_by_another(bare):
    bare.setenv("ANOVA_REPORT_CHROMIUM", "/no/such/browser")
    with pytest.raises(pytest.skip.Exception):
        browser.executable()


def test_errors_requests_and_violations_are_all_noticed(chromium):
    with watched(chromium) as page:
        page.goto("data:text/html,<p>nothing</p>")
        assert page.trouble == []
        page.set_content(
            "<meta http-equiv='Content-Security-Policy' content=\"img-src 'none'\"><img src='data:image/png;base64,AA'>"
            "<link rel=stylesheet href='https://example.invalid/a.css'>"
        )
        page.evaluate(
            "() => { console.error('said'); console.warn('warned'); setTimeout(() => { throw Error('thrown') }) }"
        )
        for _ in range(50):  # what a page says arrives when it arrives
            page.wait_for_timeout(100)
            noticed = "\n".join(page.trouble)
            if "thrown" in noticed and "Content Security Policy" in noticed:
                break
        assert "request: https://example.invalid/a.css" in noticed
        assert "violates the following Content Security Policy" in noticed
        assert "console: said" in noticed
        assert "page error: thrown" in noticed
        assert page.warned == ["warned"]


def test_an_event_loop_runs_after_a_page_was_closed(chromium):
    async def prediction() -> int:
        return 42

    with watched(chromium) as page:
        page.set_content("<p>two</p>")
    assert asyncio.run(prediction()) == 42
    with watched(chromium) as page:
        page.set_content("<p>three</p>")
        assert page.locator("p").inner_text() == "three"


def test_a_page_without_scripts_runs_none(scriptless_page):
    scriptless_page.set_content("<p>before</p><script>document.querySelector('p').textContent = 'after'</script>")
    assert scriptless_page.locator("p").inner_text() == "before"
