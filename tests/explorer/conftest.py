"""A page for many tests of the bridge, because starting BokehJS takes longer than each of them."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from anova_report.explorer.bridge import BokehView
from tests.browser import Chromium, watched
from tests.explorer.desk import Desk, Points, Wire

Sheet: TypeAlias = Callable[[BokehView], Desk]


@pytest.fixture(scope="package")
def shared_page(chromium: Chromium) -> Iterator[Any]:
    with watched(chromium) as opened:
        asyncio._set_running_loop(None)  # lent to each test by itself
        yield opened
        asyncio._set_running_loop(chromium.loop)


@pytest.fixture
def sheet(chromium: Chromium, shared_page: Any) -> Iterator[Sheet]:
    """Lay widgets on a page where BokehJS may run already; nothing may be left when they are taken away."""
    desks: list[Desk] = []

    def lay(view: BokehView) -> Desk:
        desks.append(Desk(view, shared_page))
        return desks[-1]

    with chromium.driven():
        shared_page.mouse.move(0, 0)
        shared_page.warned.clear()
        yield lay
        for desk in desks:
            desk.leave()
        trouble = shared_page.trouble[:]
        shared_page.trouble.clear()
        n_left = shared_page.evaluate("() => window.Bokeh ? Bokeh.documents.length : 0")
    assert trouble == []
    assert n_left == 0


@pytest.fixture
def points() -> Points:
    return Points()


@pytest.fixture
def desk(points: Points, sheet: Sheet) -> Desk:
    """Lay three points on the page."""
    return sheet(points.view)


@pytest.fixture
def wire(points: Points) -> Iterator[Wire]:
    """Connect three points to a wire, and open one view of them."""
    made = Wire()
    points.view.comm = made
    made.deliver({"kind": "open", "view": "first", "library": True})
    made.waiting.clear()
    yield made
    points.view.close()
