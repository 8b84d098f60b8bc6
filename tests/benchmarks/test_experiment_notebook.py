"""The notebook of the paper's experiments: run on a few rows, alone and as part of a batch."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import RunError
from anova_report.report import Audit
from anova_report.report.notebooks.execution import run_notebook
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import read_summary
from anova_report.report.notebooks.runs import read_runs
from benchmarks.blackboxes import missing
from benchmarks.datasets import available
from benchmarks.paper import TABLES
from tests.report.tiny_notebooks import outside_addresses

NOTEBOOKS = Path(__file__).parents[2] / "benchmarks" / "notebooks"
NOTEBOOK, BATCH = NOTEBOOKS / "experiment.ipynb", NOTEBOOKS / "experiments.yaml"
needs_data = pytest.mark.skipif(not available("diabetes"), reason="needs the data in the folder ANOVA_REPORT_DATA")
needs_xgboost = pytest.mark.skipif(missing("xgb") is not None, reason="needs xgboost, of the extra `bench`")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run the smallest experiment on a few rows."""
    place = tmp_path_factory.mktemp("experiment")
    given = {"dataset": "diabetes", "model": "xgb", "rows": 200, "compare": ["ale"], "compare_rows": 50}
    places = {"out": "page.html", "save": "audit.json"}
    return run_notebook(NOTEBOOK, given | places, place / "run.ipynb", progress=False, cwd=place)


@needs_data
@needs_xgboost
def test_the_audit_is_written_where_the_parameters_say(ran):
    audit = Audit.load(ran.notebook.parent / "audit.json")
    assert audit.title == "Diabetes (Pima), XGBoost"
    assert audit.subject.n_rows == 200
    assert "accuracy" in audit.subject.model
    assert [feature.name for feature in audit.features][:2] == ["Pregnancies", "Glucose"]
    page = BeautifulSoup((ran.notebook.parent / "page.html").read_text(encoding="utf-8"), "html.parser")
    assert page.h1.get_text() == audit.title
    curve = audit.figures[audit.outputs[0].mains[0].figure].data
    assert [line.name for line in curve.overlays] == ["Accumulated local effects"]


@needs_data
def test_an_unknown_dataset_stops_the_notebook_with_the_names_there_are(tmp_path):
    with pytest.raises(RunError, match=r"There is no dataset 'iris'\. There are: 'bike_sharing'"):
        run_notebook(NOTEBOOK, {"dataset": "iris"}, tmp_path / "run.ipynb", progress=False, cwd=tmp_path)
    assert (tmp_path / "run.ipynb").is_file()


@needs_data
@needs_xgboost
def test_a_batch_finds_the_verdict_in_the_notebook(ran):
    summary = read_summary(read_notebook(ran.notebook))
    audit = Audit.load(ran.notebook.parent / "audit.json")
    assert summary.verdict == audit.verdict
    assert (summary.page, summary.audit) == ("page.html", "audit.json")


@needs_data
@needs_xgboost
def test_the_notebooks_page_shows_model_agreement_and_what_is_compared_with_what(ran):
    html = ran.html.read_text(encoding="utf-8")
    assert outside_addresses(html) == []
    page = BeautifulSoup(html, "html.parser")
    tables = {region["aria-label"]: region for region in page.select(".scroll[role=region]")}
    assert "max_depth 10" in tables["Model"].get_text()
    agreement = tables["Agreement of other explanations with ours"].get_text(" ")
    assert "Accumulated local effects: correlation" in agreement
    assert "Glucose" in agreement
    assert "main effect" in tables["What is compared with what"].get_text()
    titles = [title.get_text(strip=True) for title in page.select("figcaption h4")]
    assert sum(title.startswith("What pushes the prediction of row") for title in titles) == 2
    assert sum(title.startswith("Contributions in row") for title in titles) == 2
    outputs = [output for cell in read_notebook(ran.notebook).cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.output_type == "stream"] == []


def test_the_batch_asks_for_every_row_of_the_papers_tables(tmp_path):
    runs = read_runs(BATCH, tmp_path)
    asked = [(run.parameters["dataset"], run.parameters["model"]) for run in runs]
    assert asked == [(dataset, model) for dataset, rows in TABLES.items() for model in rows]
    assert {run.notebook for run in runs} == {NOTEBOOK}
    assert {Path(run.places["out"]).name for run in runs} == {"audit.html"}
    assert len({run.folder for run in runs}) == 21
