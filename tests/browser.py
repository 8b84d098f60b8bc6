"""A real browser for tests: Chromium through Playwright, without a network, that lists all that goes wrong."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import pytest

ARGUMENTS = (
    "--no-sandbox",  # containers have no user namespaces, and the pages are our own
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOCAL = ("file:", "data:", "blob:", "about:")
NAMES = ("chromium", "chromium-browser", "google-chrome")


def require(reason: str) -> NoReturn:
    """Skip the test on a person's machine, and fail it where a browser is promised."""
    if "true" in (os.environ.get("CI", "").lower(), _promised()):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _promised() -> str:
    return "true" if os.environ.get("ANOVA_REPORT_REQUIRE_BROWSER", "") == "1" else ""


def executable() -> str:
    """Find the browser: the one named by ANOVA_REPORT_CHROMIUM, else the system's."""
    named = os.environ.get("ANOVA_REPORT_CHROMIUM", "")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        require("There is no Chromium: install Debian's package chromium, or name one in ANOVA_REPORT_CHROMIUM.")
    return found


@dataclass(frozen=True)
class Chromium:
    """A running browser, and the event loop that drives it."""

    browser: Any
    loop: asyncio.AbstractEventLoop

    @contextmanager
    def driven(self) -> Iterator[Any]:
        """Lend the browser, and its loop to this thread, where other tests must be able to run loops of their own."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(before)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """Start one browser for all tests."""
    path = executable()
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 only browser tests need it
    except ImportError:
        require("There is no Playwright: pip install 'anova_report[test]'.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        started = Chromium(browser, asyncio.get_running_loop())
        asyncio._set_running_loop(None)
        yield started
        asyncio._set_running_loop(started.loop)
        browser.close()


@contextmanager
def watched(chromium: Chromium, **options: Any) -> Iterator[Any]:
    """Open a page without a network; its `trouble` lists errors, its `warned` what it warned of.

    Chromium tells every violation of a page's policy as an error on the console.
    """
    with chromium.driven() as browser:
        context = browser.new_context(offline=True, **options)
        page = context.new_page()
        page.trouble, page.warned = [], []
        page.on("pageerror", lambda error: page.trouble.append(f"page error: {error}"))
        page.on("console", lambda message: _listen(page, message.type, message.text))
        page.on("request", lambda request: _watch(page, request.url))
        try:
            yield page
        finally:
            context.close()


def _listen(page: Any, level: str, text: str) -> None:
    if level == "error":
        page.trouble.append(f"console: {text}")
    elif level == "warning":
        page.warned.append(text)


def _watch(page: Any, address: str) -> None:
    if not address.startswith(LOCAL):
        page.trouble.append(f"request: {address}")


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Any]:
    """Open a page that must cause no error, no policy violation and no request; a test may empty `page.trouble`."""
    with watched(chromium) as opened:
        yield opened
        assert opened.trouble == []


@pytest.fixture
def scriptless_page(chromium: Chromium) -> Iterator[Any]:
    """Open a page in a browser whose JavaScript is switched off."""
    with watched(chromium, java_script_enabled=False) as opened:
        yield opened
        assert opened.trouble == []
