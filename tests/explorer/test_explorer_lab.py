"""The whole explorer in a real JupyterLab: it appears, follows, and survives a reload, in two views at once."""

from pathlib import Path
from typing import Any

from tests.browser import Chromium
from tests.explorer.lab import Notebook, opened, running

MAKE = """
from anova_report.explorer import Explorer
from tests.explorer.examples import known

example = known()
explorer = Explorer(example.dec, example.X, example.answers, model=example.model, row=3, term="a")
explorer
"""
AGAIN = "explorer"
TITLES = """() => [...document.querySelectorAll(".anova-explorer")].map(explorer =>
    [...explorer.querySelectorAll(".anova-view[data-state=live] .anova-plot figcaption")]
        .filter(title => title.checkVisibility()).map(title => title.textContent))"""
# The place of a bar in the first visible plot of a kind.
PLACE = """([kind, x, y]) => {
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


def wait_for(notebook: Notebook, *titles: str) -> None:
    """Wait until both views show pictures with these titles and no others."""
    wanted = [list(titles)] * 2
    notebook.page.wait_for_function(
        f"wanted => JSON.stringify(({TITLES})()) === JSON.stringify(wanted)", arg=wanted, timeout=20_000
    )


def control(notebook: Notebook, role: str, name: str) -> Any:
    """Find a control of the first view as a screen reader would."""
    return notebook.page.locator(".anova-explorer").first.get_by_role(role, name=name, exact=True)


def case(row: int, more: str = "") -> tuple[str, ...]:
    """Titles of the pictures of a row."""
    words = ("What pushes the answer of row", "How the answer of row", "Contributions in row")
    ends = (f" {row}", f" {row} comes about", f" {row}")
    return tuple(start + end + more for start, end in zip(words, ends, strict=True))


def test_the_explorer_lives_in_jupyterlab(chromium: Chromium, tmp_path: Path):
    with running(tmp_path) as lab, opened(chromium, lab, lab.write("explore.ipynb", [MAKE, AGAIN])) as notebook:
        notebook.run_all()
        wait_for(notebook, "Shares of the variance by term", "Main effects and pairs")
        assert notebook.page.evaluate(UNNAMED) == []

        notebook.page.mouse.click(*notebook.page.evaluate(PLACE, ["shares", 0.01, 0.0]))
        wait_for(notebook, "Pair a × c", "Pair a × c along a", "Main effect of a", "Main effect of c")

        control(notebook, "listbox", "Terms by share").select_option(index=2)
        wait_for(notebook, "Main effect of b")

        control(notebook, "tab", "Row").click()
        wait_for(notebook, *case(3))
        control(notebook, "spinbutton", "Row").fill("12")
        control(notebook, "spinbutton", "Row").press("Enter")
        wait_for(notebook, *case(12))
        control(notebook, "slider", "Browse").press("ArrowRight")
        wait_for(notebook, *case(13))
        control(notebook, "slider", "a").press("End")
        wait_for(notebook, *case(13, ", with edited values"))

        notebook.command("docmanager:save")
        assert (lab.folder / "explore.ipynb").stat().st_size < 100_000

        notebook.reload()
        wait_for(notebook, *case(13, ", with edited values"))
        control(notebook, "button", "Reset").click()
        wait_for(notebook, *case(13))
        assert notebook.page.trouble == []
