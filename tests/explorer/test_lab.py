"""Plots and the whole explorer in a real JupyterLab: what the replaced transport of other tests cannot show."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from anova_report.explorer import Explorer
from anova_report.explorer.fragments import static_html
from anova_report.measures.wording import number
from tests.accessibility import violations
from tests.browser import Chromium
from tests.explorer.examples import known
from tests.explorer.hosted_widget import PLACE
from tests.explorer.lab import ROOT, Lab, Notebook, opened, running

PLOTS = """
from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import draw
from tests.explorer.hosted_widget import Points, built, show_on
from tests.figures.samples import SAMPLES

points, levels = Points(), SAMPLES["levels"]
plots = {"points": points.plot, "levels": built(levels.rich)}
view = BokehView(plots, still=lambda: draw(levels.rich), summary="points and levels")


def name_it(attr, old, new):
    view.captions = {"points": (f"chosen: {new}", "Three points.")}


points.source.selected.on_change("indices", name_it)
view
"""
CHANGE = """
with view.batch():
    points.source.data = {"x": [1.0, 2.0], "y": [8.0, 2.0]}
    show_on(plots["levels"], levels.edge)
"""
EXPLORER = """
from anova_report.explorer import Explorer
from tests.explorer.examples import known

example = known()
explorer = Explorer(example.dec, example.X, example.predictions, model=example.model, row=3, term="a")
explorer
"""
COLUMNS = """() => Bokeh.documents.map(doc => Array.from(doc.get_model_by_name("points").get_array("y")))"""
CAPTIONS = """() => [...document.querySelectorAll("[data-plot=points] figcaption")].map(found => found.textContent)"""
STATES = """() => [...document.querySelectorAll(".anova-view")].map(found => found.dataset.state)"""
TITLES = """() => [...document.querySelectorAll(".anova-explorer")].map(explorer =>
    [...explorer.querySelectorAll(".anova-view[data-state=live] .anova-plot figcaption")]
        .filter(title => title.checkVisibility()).map(title => title.textContent))"""
INK = "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(part => part > 0)"
# The place of a bar in the first visible plot of a kind.
BAR = """([kind, x, y]) => {
    for (const doc of Bokeh.documents) for (const root of doc.roots()) {
        const view = doc.views_manager.get(root);
        const canvas = root.name === kind ? view.canvas_view.el : null;
        if (!canvas?.checkVisibility()) continue;
        canvas.scrollIntoView({block: "center"});
        const box = canvas.getBoundingClientRect();
        return [box.left + view.frame.x_scale.compute(x), box.top + view.frame.y_scale.compute(y)];
    }
}"""
UNNAMED = """() => [...document.querySelectorAll(".anova-explorer :is(input, select, button, .noUi-handle)")]
    .filter(control => control.checkVisibility())
    .filter(control => !(control.labels?.[0]?.textContent || control.ariaLabel || control.textContent).trim())
    .map(control => control.outerHTML)"""


# In how many columns the pictures of the first explorer stand, and how high all of it is.
GRID = """() => {
    const root = document.querySelector(".anova-explorer");
    const plots = [...root.querySelectorAll(".anova-plot")].filter(plot => plot.checkVisibility());
    const lefts = new Set(plots.map(plot => Math.round(plot.getBoundingClientRect().left)));
    return [plots.length, lefts.size, root.getBoundingClientRect().height];
}"""
# What the panel of the first explorer holds of the row, feature by feature.
TYPED = """() => {
    const panel = [...document.querySelectorAll(".anova-words, .living-host")].find(found => found.shadowRoot);
    return [0, 1, 2].map(at => panel.shadowRoot.getElementById(`what-if-${at}`).value);
}"""
EXPLAINED = """() => {
    const panel = [...document.querySelectorAll(".anova-words, .living-host")].find(found => found.shadowRoot);
    return panel?.shadowRoot.querySelector("#what-if-cards .after .value")?.textContent;
}"""
THEME = "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name}).then(() => null)"
COLLAPSE = "() => { window.jupyterapp.shell.collapseLeft(); }"

STEPS = """
from anova_report.explorer import fragments

drawn, draw = [], fragments.pictures
fragments.pictures = lambda figures: drawn.append(1) or draw(figures)
explorer.tabs.go_to("row")
for row in range(20, 30):
    explorer.state.row = row
len(drawn)
"""
STATE = "application/vnd.jupyter.widget-state+json"


def test_an_executed_notebook_holds_the_last_still_picture_which_was_drawn_once(tmp_path: Path):
    notebook = new_notebook(cells=[new_code_cell(EXPLORER), new_code_cell(STEPS)])
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute(env=environment)
    assert notebook.cells[1].outputs[-1].data["text/plain"] == "1"  # that of the tab when it was opened
    models = notebook.metadata.widgets[STATE]["state"].values()
    saved = [model["state"]["fallback"] for model in models if "fallback" in model["state"]]
    assert [html for html in saved if "How the prediction of row 29 comes about" in html]
    assert not [html for html in saved if "row 20" in html]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running(tmp_path_factory.mktemp("lab")) as found:
        yield found


def wait_for(notebook: Notebook, script: str, expected: Any) -> None:
    """Wait until a function on the page returns what is expected."""
    notebook.page.wait_for_function(f"wanted => JSON.stringify(({script})()) === JSON.stringify(wanted)", arg=expected)


def click(notebook: Notebook, x: float, y: float) -> None:
    """Click a point of the first view."""
    notebook.page.locator("[data-plot=points]").first.scroll_into_view_if_needed()
    notebook.page.mouse.click(*notebook.page.evaluate(f"at => ({PLACE})(Bokeh.documents[0], at)", [x, y]))


def test_plots_live_in_jupyterlab(chromium: Chromium, lab: Lab):
    with opened(chromium, lab, lab.write("plots.ipynb", [PLOTS, "view"])) as notebook:
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


def control(notebook: Notebook, role: str, name: str) -> Any:
    """Find a control of the first view as a screen reader would."""
    return notebook.page.locator(".anova-explorer").first.get_by_role(role, name=name, exact=True)


OVERVIEW = ["Shares of the variance by term", "Main effects and pairs", "What each feature contributes, row by row"]


def titles(row: int, more: str = "") -> list[list[str]]:
    """Titles of the pictures of a row, in both views."""
    words = f"What pushes the prediction of row {row} up and down", f"How the prediction of row {row} comes about"
    return [[title + more for title in (*words, f"Contributions in row {row}")]] * 2


def test_the_explorer_lives_in_jupyterlab(chromium: Chromium, lab: Lab):
    with opened(chromium, lab, lab.write("explore.ipynb", [EXPLORER, "explorer"])) as notebook:
        notebook.run_all()
        wait_for(notebook, TITLES, [OVERVIEW] * 2)
        assert notebook.page.evaluate(UNNAMED) == []

        notebook.page.mouse.click(*notebook.page.evaluate(BAR, ["shares", 0.01, 0.0]))
        wait_for(notebook, TITLES, [["Pair a × c", "Pair a × c along a", "Main effect of a", "Main effect of c"]] * 2)

        notebook.page.evaluate(COLLAPSE)
        for wide, columns, most in ((1200, 2, 800), (600, 1, 2000)):
            notebook.page.set_viewport_size({"width": wide, "height": 900})
            notebook.page.wait_for_function(f"() => ({GRID})()[1] === {columns}")
            n_plots, _, high = notebook.page.evaluate(GRID)
            assert n_plots == 4
            assert high <= most
        notebook.page.set_viewport_size({"width": 1280, "height": 1000})

        control(notebook, "listbox", "Terms by share").press("ArrowDown")
        wait_for(notebook, TITLES, [["Main effect of a", "Contributions of a, row by row"]] * 2)
        control(notebook, "listbox", "Terms by share").press("ArrowDown")
        wait_for(notebook, TITLES, [["Main effect of b", "Contributions of b, row by row"]] * 2)

        control(notebook, "tab", "Row").click()
        wait_for(notebook, TITLES, titles(3))
        control(notebook, "spinbutton", "Row").fill("12")
        control(notebook, "spinbutton", "Row").press("Enter")
        wait_for(notebook, TITLES, titles(12))
        notebook.page.wait_for_function(f"() => ({EXPLAINED})() !== undefined")
        assert [float(text) for text in notebook.page.evaluate(TYPED)] == pytest.approx(
            known().X.iloc[12].tolist(), rel=1e-6
        )
        control(notebook, "slider", "Browse").press("ArrowRight")
        wait_for(notebook, TITLES, titles(13))
        control(notebook, "slider", "a, over the range of the fit").press("End")
        wait_for(notebook, TITLES, titles(13, ", with edited values"))
        edited = known().X.iloc[[13]].assign(a=known().X["a"].max())
        wait_for(notebook, EXPLAINED, number(float(known().dec.predict(edited)[0])))
        notebook.page.locator("#what-if-asked:has-text('the model itself predicts')").first.wait_for()
        control(notebook, "slider", "a, over the range of the fit").press("ArrowLeft")  # no command of the notebook
        notebook.page.wait_for_function(f"most => Number(({TYPED})()[0]) < most", arg=float(edited["a"].item()) - 1e-6)
        line = notebook.page.locator("#what-if-line").first
        line.evaluate("line => { line.closest('details').open = true; }")
        line.press_sequentially("dda")  # would delete a cell, and add one
        assert (line.input_value(), notebook.page.locator(".jp-Cell").count()) == ("dda", 2)

        notebook.command("docmanager:save")
        assert (lab.folder / "explore.ipynb").stat().st_size < 320_000  # shown twice, each able to answer

        notebook.reload()
        wait_for(notebook, TITLES, titles(13, ", with edited values"))
        control(notebook, "button", "Undo all changes").click()
        wait_for(notebook, TITLES, titles(13))
        assert notebook.page.trouble == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing_on_the_explorer_in_jupyterlab(chromium: Chromium, lab: Lab, theme: str):
    with opened(chromium, lab, lab.write(f"axe-{theme}.ipynb", [EXPLORER])) as notebook:
        notebook.page.evaluate(THEME, f"JupyterLab {theme}")
        notebook.run_all()
        wait_for(notebook, TITLES, [OVERVIEW])
        for tab in ("Overview", "Term", "Row", "Trust"):
            control(notebook, "tab", tab).click()
            if tab == "Row":
                notebook.page.wait_for_function(f"() => ({EXPLAINED})() !== undefined")
            assert violations(notebook.page, ".anova-explorer") == [], tab


TWINS = """() => [".anova-still", ".jupyter-widgets"].map(kind =>
    [...document.querySelectorAll(".jp-OutputArea " + kind)].filter(found => found.checkVisibility()).length > 0)"""
IS_LAB = "() => location.pathname.startsWith('/lab')"
SHUT_DOWN = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@pytest.mark.parametrize("front_end", ["JupyterLab", "Notebook 7"])
def test_a_notebook_that_is_reopened_without_its_kernel_still_answers(chromium: Chromium, lab: Lab, front_end: str):
    name = f"reopened-{front_end[0]}.ipynb"
    address = lab.write(name, [EXPLORER])
    with opened(chromium, lab, address) as notebook:
        notebook.run_all()
        wait_for(notebook, TITLES, [OVERVIEW])
        assert notebook.page.evaluate(TWINS) == [False, True]  # it lives, and the twin gives way
        notebook.command("docmanager:save")
        notebook.page.evaluate(SHUT_DOWN)
        notebook.page.goto(address if front_end == "JupyterLab" else lab.in_notebook_7(name))
        notebook.page.locator(".anova-still").wait_for()
        notebook.page.get_by_text("Error displaying widget").wait_for(state="attached")
        assert notebook.page.evaluate(TWINS) == [True, False]
        assert notebook.page.locator(".anova-still .verdict").is_visible()
        assert notebook.page.evaluate(IS_LAB) is (front_end == "JupyterLab")

        panel = notebook.page.locator(".anova-living")
        panel.scroll_into_view_if_needed()
        slider = panel.get_by_role("slider", name="a, over the range of the fit")
        before = notebook.page.evaluate(EXPLAINED)
        slider.press("End")
        notebook.page.wait_for_function(f"before => ({EXPLAINED})() !== before", arg=before)
        typed = dict(zip("abc", map(float, notebook.page.evaluate(TYPED)), strict=True))
        assert typed["a"] == pytest.approx(known().X["a"].max(), rel=1e-6)
        assert notebook.page.evaluate(EXPLAINED) == number(float(known().dec.predict(pd.DataFrame([typed]))[0]))
        assert "Explained, not asked" in panel.locator("#what-if-asked").inner_text()


def test_a_notebook_of_somebody_else_shows_the_still_pictures(chromium: Chromium, lab: Lab):
    """JupyterLab takes scripts out of outputs that it did not make itself."""
    example = known()
    explorer = Explorer(example.dec, example.X, example.predictions, row=3)
    address, path = lab.write("foreign.ipynb", [EXPLORER]), lab.folder / "foreign.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells[0].outputs = [new_output("display_data", {"text/html": static_html(explorer.views)})]
    notebook.cells[0].execution_count = 1
    nbformat.write(notebook, path)
    with opened(chromium, lab, address) as shown:
        still = shown.page.locator(".anova-still")
        still.locator("img").first.wait_for()
        assert still.locator(".verdict").is_visible()
        assert shown.page.evaluate("() => document.querySelectorAll('.anova-living[data-state]').length") == 0
        assert "anovaPanel" not in still.inner_text()
    explorer.close()
