"""Fixtures for every test; a browser is started only when a test asks for one."""

from tests.browser import chromium, page, scriptless_page

__all__ = ["chromium", "page", "scriptless_page"]
