"""The bridge in a real JupyterLab: what the played transport of the other tests cannot show."""

from pathlib import Path
from typing import Any

from tests.browser import Chromium
from tests.explorer.hosted_widget import PLACE
from tests.explorer.lab import Notebook, opened, running

MAKE = """
from anova_report.explorer.bridge import BokehView
from anova_report.figures.live import build, update
from anova_report.figures.svg import draw
from tests.explorer.hosted_widget import Points
from tests.figures.samples import SAMPLES

points, levels = Points(), SAMPLES["levels"]
plots = {"points": points.plot, "levels": build(levels.rich)}
view = BokehView(plots, fallback=draw(levels.rich), summary="points and levels")


def name_it(attr, old, new):
    view.captions = {"points": (f"chosen: {new}", "Three points.")}


points.source.selected.on_change("indices", name_it)
view
"""
AGAIN = "view"
CHANGE = """
with view.batch():
    points.source.data = {"x": [1.0, 2.0], "y": [8.0, 2.0]}
    update(plots["levels"], levels.edge)
"""
COLUMNS = """() => Bokeh.documents.map(doc => Array.from(doc.get_model_by_name("points").get_array("y")))"""
CAPTIONS = """() => [...document.querySelectorAll("[data-plot=points] figcaption")].map(found => found.textContent)"""
STATES = """() => [...document.querySelectorAll(".anova-view")].map(found => found.dataset.state)"""
INK = (
    """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(part => part > 0)"""
)


def wait_for(notebook: Notebook, script: str, expected: Any) -> None:
    """Wait until a function on the page gives what is expected."""
    notebook.page.wait_for_function(f"wanted => JSON.stringify(({script})()) === JSON.stringify(wanted)", arg=expected)


def click(notebook: Notebook, x: float, y: float) -> None:
    """Click at a point of the first view."""
    notebook.page.locator("[data-plot=points]").first.scroll_into_view_if_needed()
    notebook.page.mouse.click(*notebook.page.evaluate(f"at => ({PLACE})(Bokeh.documents[0], at)", [x, y]))


def test_plots_live_in_jupyterlab(chromium: Chromium, tmp_path: Path):
    with running(tmp_path) as lab, opened(chromium, lab, lab.write("plots.ipynb", [MAKE, AGAIN])) as notebook:
        notebook.run_all()
        wait_for(notebook, STATES, ["live", "live"])
        assert notebook.page.locator("[data-plot=levels] canvas").first.evaluate(INK)

        click(notebook, 2.0, 4.0)
        wait_for(notebook, CAPTIONS, ["chosen: [1]", "chosen: [1]"])

        notebook.run(CHANGE)
        wait_for(notebook, COLUMNS, [[8.0, 2.0], [8.0, 2.0]])

        notebook.command("docmanager:save")
        assert (lab.folder / "plots.ipynb").stat().st_size < 30_000

        notebook.reload()
        wait_for(notebook, STATES, ["live", "live"])
        assert notebook.page.evaluate(COLUMNS) == [[8.0, 2.0], [8.0, 2.0]]
        assert notebook.page.evaluate(CAPTIONS) == ["chosen: [1]", "chosen: [1]"]

        notebook.restart()
        click(notebook, 1.0, 8.0)
        assert notebook.page.evaluate(STATES)[0] == "cut-off"
        notebook.run_all()
        wait_for(notebook, STATES, ["live", "live"])
        assert notebook.page.evaluate(COLUMNS) == [[1.0, 4.0, 9.0], [1.0, 4.0, 9.0]]
        assert notebook.page.trouble == []
