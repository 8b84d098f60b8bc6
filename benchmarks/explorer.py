"""How long pictures in a notebook take to follow: a real JupyterLab, a real browser, live figures through the bridge.

Run with `python -m benchmarks.explorer [--trips N]`. A trip begins with a key pressed on a slider, or a statement sent
to the kernel, goes through Python, which asks for other figures, and ends when the browser has drawn them. First
figures that were made beforehand, so that only the way is timed; then the whole explorer with the four figures of a
pair, where a key on the slider of rows, or in the list of terms, asks for mathematics, too.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from ipywidgets import IntSlider, VBox
from playwright.sync_api import sync_playwright

from anova_report import FunctionalANOVA
from anova_report.explorer import Explorer
from anova_report.explorer.bridge import BokehView
from anova_report.figures.cases import Waterfall
from anova_report.figures.curves import Curve
from anova_report.figures.figure import Data, Figure
from anova_report.figures.live import build, update
from anova_report.figures.pairs import Surface
from anova_report.figures.shares import Shares
from tests.browser import ARGUMENTS, Chromium, executable
from tests.explorer.lab import Notebook, opened, running
from tests.figures.samples import SAMPLES

KINDS = ("curve", "surface", "shares", "waterfall")
WARM_UP = 5  # trips that are not counted: code is compiled, fonts are looked up
STEPS = 500
# From now, or from the next key, until the plots are drawn: bokeh draws in the frame in which the first of them is seen
# with its new title, and the task after that frame finds all of them drawn.
WATCH = """([wanted, atKey]) => {
    const afterFrame = done => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = done;
        port2.postMessage(null);
    };
    const watch = start => new Promise((done, fail) => {
        setTimeout(() => fail(new Error(`"${wanted}" was never drawn`)), 30000);
        const look = () => Bokeh.documents[0].roots()[0].title.text === wanted
            ? afterFrame(() => done(performance.now() - start)) : requestAnimationFrame(look);
        look();
    });
    const key = new Promise(pressed => document.addEventListener("keydown", pressed, {once: true, capture: true}));
    window.trip = (atKey ? key : Promise.resolve()).then(() => watch(performance.now()));
}"""
HANDLE = "[role=slider]"
# From the next key, or from now, until what it changed first in a plot has been drawn; one message brings all of it.
WATCH_CHANGE = """atKey => {
    const key = new Promise(pressed => document.addEventListener("keydown", pressed, {once: true, capture: true}));
    window.trip = (atKey ? key : Promise.resolve()).then(() => new Promise((done, fail) => {
        const start = performance.now();
        setTimeout(() => fail(new Error("nothing was drawn")), 30000);
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => done(performance.now() - start);
        const documents = [...Bokeh.documents];
        const changed = () => {
            documents.forEach(found => found.remove_on_change(changed));
            requestAnimationFrame(() => port2.postMessage(null));
        };
        documents.forEach(found => found.on_change(changed));
    }));
}"""
# From the next key until what it changed in the panel of the row has been drawn: no kernel has a part in it.
WATCH_PANEL = """() => {
    const panel = [...document.querySelectorAll(".anova-explorer .anova-words")].find(found => found.shadowRoot);
    const key = new Promise(pressed => panel.addEventListener("keydown", pressed, {once: true, capture: true}));
    window.trip = key.then(() => new Promise((done, fail) => {
        const start = performance.now(), {port1, port2} = new MessageChannel();
        setTimeout(() => fail(new Error("nothing was drawn")), 30000);
        port1.onmessage = () => done(performance.now() - start);
        const drawn = (_, watcher) => (watcher.disconnect(), requestAnimationFrame(() => port2.postMessage(null)));
        new MutationObserver(drawn).observe(panel.shadowRoot.getElementById("what-if-cards"), {childList: true});
    }));
}"""
ASKED, ANSWERED = "statement: another value", "key: another value"
N_FEATURES = 5  # of the explored decomposition: ten pairs


@dataclass(frozen=True)
class Times:
    """What trips of one kind took, in milliseconds."""

    what: str
    n_figures: int
    milliseconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the trips took less."""
        return median(self.milliseconds)

    @property
    def p90(self) -> float:
        """Nine of ten trips took less."""
        return quantiles(self.milliseconds, n=10, method="inclusive")[-1]


def other(figure: Figure, step: int) -> Figure:
    """Return a figure of the same kind with other numbers, named after the step."""
    return replace(figure, title=f"step {step}", data=_moved(figure.data, 1.0 - 0.5 * (step % 10) / 10))


def _moved(data: Data, factor: float) -> Data:
    match data:
        case Curve():
            return replace(data, value=_times(data.value, factor), marked=data.x.low + factor)
        case Surface():
            return replace(data, value=tuple(_times(row, factor) for row in data.value))
        case Shares():
            return replace(data, total=_times(data.total, factor))
        case Waterfall():
            return replace(data, steps=tuple(replace(step, value=step.value * factor) for step in data.steps))
        case _:
            return data


def _times(values: Sequence[float], factor: float) -> tuple[float, ...]:
    return tuple(value * factor for value in values)


def stage(n_figures: int) -> tuple[VBox, IntSlider]:
    """Make a slider and plots that follow it; the notebook shows them."""
    figures = {kind: SAMPLES[kind].rich for kind in KINDS[:n_figures]}
    steps = [{kind: other(figure, step) for kind, figure in figures.items()} for step in range(10)]
    view = BokehView({kind: build(figure.scene, figure.title) for kind, figure in figures.items()})
    slider = IntSlider(0, 0, STEPS)

    def follow(change: Mapping[str, int]) -> None:
        with view.batch():
            for kind, plot in view.plots.items():
                update(plot, steps[change["new"] % 10][kind].scene, f"step {change['new']}")

    slider.observe(follow, "value")
    return VBox([slider, view]), slider


def explored() -> Explorer:
    """Explore a decomposition with as many pairs as there can be, at one of them; only pairs are listed."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(2000, N_FEATURES))
    predictions = X.sum(axis=1) + sum(X[:, i] * X[:, j] for i, j in combinations(range(N_FEATURES), 2))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    explorer = Explorer(dec, X, predictions, row=0, order=2)
    explorer.state.term = explorer.state.listed[0].term
    explorer.tabs.go_to("term")
    return explorer


def explore(notebook: Notebook, n_trips: int) -> Iterator[Times]:
    """Make trips in a notebook that shows `explored`."""
    notebook.run_all()
    notebook.page.wait_for_selector("[data-state=live]:visible")
    notebook.page.locator(HANDLE).first.focus()
    trips = [_change(notebook, "ArrowRight") for _ in range(n_trips)]
    yield Times("key: another row", len(KINDS), tuple(trips[WARM_UP:]))
    notebook.page.locator(".anova-explorer select[size]").first.focus()
    last = N_FEATURES * (N_FEATURES - 1) // 2 - 1  # of the list, at whose ends a key turns back
    trips = [_change(notebook, "ArrowDown" if step // last % 2 == 0 else "ArrowUp") for step in range(n_trips)]
    yield Times("key: another pair", len(KINDS), tuple(trips[WARM_UP:]))
    yield from values(notebook, n_trips)


def values(notebook: Notebook, n_trips: int) -> Iterator[Times]:
    """Change a value of the row: in Python, which redraws its figures, and in the panel, which asks nobody."""
    notebook.page.locator(".anova-explorer").get_by_role("tab", name="Row", exact=True).click()
    slider = notebook.page.locator(".anova-explorer").get_by_role("slider", name="x0, over the range of the fit")
    slider.wait_for()
    trips = []
    for step in range(n_trips):
        notebook.page.evaluate(WATCH_CHANGE, False)
        notebook.run(f"explorer.state.edit('x0', {step / n_trips - 0.5})")
        trips.append(float(notebook.page.evaluate("() => window.trip")))
    yield Times(ASKED, 3, tuple(trips[WARM_UP:]))
    slider.focus()
    trips = []
    for step in range(n_trips):
        notebook.page.evaluate(WATCH_PANEL)
        notebook.page.keyboard.press("ArrowRight" if step // 50 % 2 == 0 else "ArrowLeft")
        trips.append(float(notebook.page.evaluate("() => window.trip")))
    yield Times(ANSWERED, 2, tuple(trips[WARM_UP:]))


def _change(notebook: Notebook, key: str) -> float:
    notebook.page.evaluate(WATCH_CHANGE, True)
    notebook.page.keyboard.press(key)
    return float(notebook.page.evaluate("() => window.trip"))


def measure(notebook: Notebook, n_figures: int, n_trips: int) -> Iterator[Times]:
    """Make trips in a notebook that shows `stage`."""
    notebook.run_all()
    notebook.page.wait_for_selector("[data-state=live]:visible")
    notebook.page.locator(HANDLE).first.focus()
    trips = [_press(notebook, step) for step in range(1, n_trips + 1)]
    yield Times("key on a slider", n_figures, tuple(trips[WARM_UP:]))
    trips = [_state(notebook, step) for step in range(n_trips + 1, 2 * n_trips + 1)]
    yield Times("statement in Python", n_figures, tuple(trips[WARM_UP:]))


def _press(notebook: Notebook, step: int) -> float:
    notebook.page.evaluate(WATCH, [f"step {step}", True])
    notebook.page.keyboard.press("ArrowRight")
    return float(notebook.page.evaluate("() => window.trip"))


def _state(notebook: Notebook, step: int) -> float:
    notebook.page.evaluate(WATCH, [f"step {step}", False])
    notebook.run(f"slider.value = {step}")
    return float(notebook.page.evaluate("() => window.trip"))


def table(found: Sequence[Times]) -> str:
    """Write what was measured, one line each."""
    head = f"{'from':<22}{'figures':>8}{'trips':>7}{'median ms':>11}{'90% below':>11}"
    lines = (
        f"{times.what:<22}{times.n_figures:>8}{len(times.milliseconds):>7}{times.median:>11.0f}{times.p90:>11.0f}"
        for times in found
    )
    return "\n".join((head, *lines))


@contextmanager
def browser() -> Iterator[Chromium]:
    """Start the browser of the tests."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        yield Chromium(started, asyncio.get_running_loop())
        started.close()


def main(arguments: list[str] | None = None) -> None:
    """Measure one and four figures and the whole explorer, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorer", description=__doc__.splitlines()[0])
    parser.add_argument("--trips", type=int, default=60, help="of each kind; 60 by default")
    options = parser.parse_args(arguments)
    n_trips = min(options.trips + WARM_UP, STEPS // 2)
    found: list[Times] = []
    with tempfile.TemporaryDirectory() as folder, browser() as chromium, running(Path(folder)) as lab:
        for n_figures in (1, len(KINDS)):
            cell = f"from benchmarks.explorer import stage\nbox, slider = stage({n_figures})\nbox"
            with opened(chromium, lab, lab.write(f"trips-{n_figures}.ipynb", [cell])) as notebook:
                found.extend(measure(notebook, n_figures, n_trips))
        cell = "from benchmarks.explorer import explored\nexplorer = explored()\nexplorer"
        with opened(chromium, lab, lab.write("explored.ipynb", [cell])) as notebook:
            found.extend(explore(notebook, n_trips))
    print(table(found))
    by_name = {times.what: times.median for times in found}
    print(f"a value in the panel is answered in 1/{by_name[ASKED] / by_name[ANSWERED]:.1f} of the time of a statement")
    print(f"{os.cpu_count()} cores, {os.getloadavg()[0]:.1f} processes busy on average in the last minute")


if __name__ == "__main__":
    main()
