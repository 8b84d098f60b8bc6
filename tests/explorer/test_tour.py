"""The guided tour: runs as it is, and its page shows what was explored."""

import nbformat
import pytest
from bs4 import BeautifulSoup

from anova_report.report.notebooks.execution import run_notebook
from anova_report.report.page.assets import folder
from tests.report.tiny_notebooks import outside_addresses

TOUR = folder("notebooks") / "explore.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    place = tmp_path_factory.mktemp("tour")
    return run_notebook(TOUR, {"n_rows": 800, "out": "tour.html"}, place / "run.ipynb", progress=False, cwd=place)


@pytest.fixture(scope="module")
def outputs(ran):
    executed = nbformat.read(ran.notebook, as_version=4)
    found = {cell.id: cell.outputs[-1].data for cell in executed.cells if cell.get("outputs")}
    return found | {(cell.id, "still"): cell.outputs[0].data for cell in executed.cells if cell.get("outputs")}


def test_it_runs_to_its_end_and_prints_no_messages(ran):
    assert ran.failed is None
    executed = nbformat.read(ran.notebook, as_version=4)
    assert not [out for cell in executed.cells for out in cell.get("outputs", []) if out.output_type == "stream"]


def test_the_explorer_is_an_output_with_a_still_picture(outputs):
    assert WIDGET in outputs["explorer"]
    still = outputs["explorer", "still"]
    assert "text/html" in still
    assert still["text/plain"].startswith("Explorer of 6 features, 800 rows: ")


def test_choices_from_code_are_what_they_say(outputs):
    assert outputs["term"]["text/plain"].startswith("State of output 'prediction', term 'heat × time', row ")
    assert "prediction of the model" in outputs["what-if"]["text/plain"]
    assert "dose" in outputs["frame"]["text/plain"]


def test_the_page_of_the_notebook_shows_the_still_picture_and_fetches_nothing(ran):
    html = ran.html.read_text(encoding="utf-8")
    page = BeautifulSoup(html, "html.parser")
    assert [figure["class"][-1] for figure in page.select("figure.plot")] == ["shares", "curve", "waterfall"]
    assert page.select(".verdict .badge")
    assert outside_addresses(html) == []


def test_the_report_is_written_with_the_row_that_was_chosen(ran, outputs):
    row = outputs["term"]["text/plain"].rpartition("row ")[2]
    report = BeautifulSoup((ran.notebook.parent / "tour.html").read_text(encoding="utf-8"), "html.parser")
    assert report.h1.get_text() == "A tour of the explorer"
    assert report.select(f"#o0-row-{row}-waterfall")
