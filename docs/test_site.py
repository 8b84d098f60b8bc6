"""The site as it was built: every link and anchor inside it leads somewhere, and nothing is fetched from elsewhere."""

from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

SITE = Path(__file__).parent / "_build" / "html"
PAGES = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.py"))


@cache
def read(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(page: Path) -> set[str]:
    return {tag["id"] for tag in read(page).find_all(id=True)}


def test_there_is_a_site():
    assert len(PAGES) > 50, "Build it first: make docs."


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_every_link_inside_the_site_leads_somewhere(page):
    broken = []
    for tag in read(page).find_all(["a", "img", "iframe", "script", "link"]):
        address = urlsplit(tag.get(LOADED.get(tag.name, "href")) or "")
        if address.scheme or address.netloc:
            continue
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        target = target / "index.html" if target.is_dir() else target
        fragment = unquote(address.fragment)
        if not target.is_file() or (fragment and target.suffix == ".html" and fragment not in anchors(target)):
            broken.append(tag.get(LOADED.get(tag.name, "href")))
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_nothing_is_fetched_from_elsewhere(page):
    fetched = [tag.get(name) or "" for kind, name in LOADED.items() for tag in read(page).find_all(kind)]
    assert [address for address in fetched if address.startswith(("http:", "https:", "//"))] == []


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_every_study_shows_a_page_that_can_be_downloaded(script):
    page = SITE / "gallery" / f"{script.stem}.html"
    frames = [frame["src"] for frame in read(page).select("iframe")]
    assert frames
    assert frames == [link["href"] for link in read(page).select("figure.audit-page a[download]")]
