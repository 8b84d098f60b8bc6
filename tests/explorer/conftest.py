"""A page for many tests of the bridge, because starting BokehJS takes longer than each of them."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from anova_report.explorer.bridge import BokehView
from tests.browser import Chromium, watched
from tests.explorer.hosted_widget import FakeComm, HostedWidget, Points, connected

HostMaker: TypeAlias = Callable[[BokehView], HostedWidget]


@pytest.fixture(scope="package")
def shared_page(chromium: Chromium) -> Iterator[Any]:
    with watched(chromium) as opened:
        asyncio._set_running_loop(None)  # lent to each test by itself
        yield opened
        asyncio._set_running_loop(chromium.loop)


@pytest.fixture
def host(chromium: Chromium, shared_page: Any) -> Iterator[HostMaker]:
    """Put widgets on a page where BokehJS may run already; nothing may be left when they are removed."""
    made: list[HostedWidget] = []

    def put(view: BokehView) -> HostedWidget:
        made.append(HostedWidget(view, shared_page))
        return made[-1]

    with chromium.driven():
        shared_page.mouse.move(0, 0)
        shared_page.warned.clear()
        yield put
        for hosted in made:
            hosted.remove()
        trouble = shared_page.trouble[:]
        shared_page.trouble.clear()
        n_left = shared_page.evaluate("() => window.Bokeh ? Bokeh.documents.length : 0")
    assert trouble == []
    assert n_left == 0


@pytest.fixture
def points() -> Points:
    return Points()


@pytest.fixture
def hosted(points: Points, host: HostMaker) -> HostedWidget:
    """Put three points on the page."""
    return host(points.view)


@pytest.fixture
def comm(points: Points) -> Iterator[FakeComm]:
    """Connect three points to a comm, and open one view of them."""
    yield connected(points.view)
    points.view.close()
