"""The notebooks, ours and those of the benchmarks: tidy as files, and run by the stock client as well as by our own."""

import ast
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from anova_report.report import Audit
from anova_report.report.jobs.options import Job
from anova_report.report.notebooks.execution import run_notebook
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.parameters import known_parameters
from anova_report.report.page.assets import folder
from tests.report import fits
from tests.report.tiny_notebooks import outside_addresses

FOLDERS = folder("notebooks"), Path(__file__).parents[1] / "benchmarks" / "notebooks"
NOTEBOOKS = [path for place in FOLDERS for path in sorted(place.glob("*.ipynb"))]
AUDIT = folder("notebooks") / "audit.ipynb"
NOT_FOR_NOTEBOOKS = {"fail_on", "json", "quiet"}  # options about what a command prints


def code_cells(path):
    return [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]


def parameters_of(path):
    (cell,) = [cell for cell in code_cells(path) if "parameters" in cell.metadata.get("tags", [])]
    return cell.source


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run the audit on a table with mixed columns and missing values."""
    place = tmp_path_factory.mktemp("audit")
    X = fits.table(400)
    X.assign(prediction=fits.prediction(X), truth=fits.prediction(X).round(1)).to_csv(place / "table.csv", index=False)
    given = {"data": "table.csv", "prediction": "prediction", "target": ("truth",), "title": "A <b>bold</b> title"}
    places = {"out": "page.html", "save": "audit.json"}
    return run_notebook(AUDIT, given | places, place / "run.ipynb", progress=False, cwd=place)


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """Run the audit as it is, by the stock client in a process of its own."""
    place = tmp_path_factory.mktemp("stock")
    command = [sys.executable, "-m", "papermill", str(AUDIT), "out.ipynb", "-p", "max_order", "1", "--no-progress-bar"]
    done = subprocess.run(command, cwd=place, env=dict(os.environ), capture_output=True, text=True, check=False)  # noqa: S603 our own command
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_committed_without_outputs(path):
    written = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(written)
    assert written["metadata"]["kernelspec"]["name"] == "python3"
    for cell in code_cells(path):
        assert cell.outputs == []
        assert cell.execution_count is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_parameters_are_json_values_each_explained_in_words(path):
    source = parameters_of(path)
    for statement in ast.parse(source).body:
        value = ast.literal_eval(statement.value)
        assert json.loads(json.dumps(value)) == value
    for line in source.splitlines():
        assert len(line.partition("#")[2].split()) >= 3
    assert len(known_parameters(path)) == len(source.splitlines())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_after_the_parameters_there_are_calls_only(path):
    for cell in code_cells(path):
        tree = ast.parse(cell.source)
        logic = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.Try, ast.If)
        assert not [node for node in ast.walk(tree) if isinstance(node, logic)]


def test_the_parameters_of_the_audit_are_options_of_the_command_with_the_same_defaults():
    options = {field.name: field.default for field in fields(Job)}
    given = {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(parameters_of(AUDIT)).body}
    assert set(given) <= set(options) - NOT_FOR_NOTEBOOKS
    for name, value in given.items():
        if value is not None:
            assert value == options[name]


def test_every_parameter_of_the_audit_is_handed_on():
    (cell,) = [cell for cell in code_cells(AUDIT) if "asked =" in cell.source]
    asked = next(node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Dict))
    handed = {key.value: value.id for key, value in zip(asked.keys, asked.values, strict=True)}
    assert handed == {name: name for name in known_parameters(AUDIT)}


def test_the_audit_is_written_where_the_parameters_say(ran):
    audit = Audit.load(ran.notebook.parent / "audit.json")
    assert audit.title == "A <b>bold</b> title"
    assert [feature.name for feature in audit.features] == ["income", "age", "region", "owner"]
    page = BeautifulSoup((ran.notebook.parent / "page.html").read_text(encoding="utf-8"), "html.parser")
    assert page.h1.get_text() == audit.title


def test_the_notebooks_page_shows_verdict_figures_and_findings_but_no_code(ran):
    page = BeautifulSoup(ran.html.read_text(encoding="utf-8"), "html.parser")
    audit = Audit.load(ran.notebook.parent / "audit.json")
    output = audit.outputs[0]
    assert page.select_one(".verdict .statement").get_text() == output.verdict_words
    shown = {figure["id"] for figure in page.select("figure")}
    assert {output.totals, output.shares, output.scatter, output.mains[0].figure, output.cases[0].waterfall} <= shown
    assert len(page.select(".finding")) == len(output.findings)
    text = page.get_text()
    assert not any(word in text for word in ("import ", "views.", "Job.from_config", "papermill audit.ipynb"))


def test_the_notebooks_page_has_no_address_outside_of_it(ran):
    html = ran.html.read_text(encoding="utf-8")
    assert outside_addresses(html) == []
    page = BeautifulSoup(html, "html.parser")
    assert not page.find_all(["script", "iframe"])
    assert not page.select("link[rel=stylesheet]")
    assert "A <b>bold</b> title" in page.get_text()


def test_the_stock_client_runs_the_example_without_any_table(stock):
    page = BeautifulSoup((stock / "audit.html").read_text(encoding="utf-8"), "html.parser")
    assert "diabetes" in page.h1.get_text()
    assert {path.name for path in stock.iterdir()} == {"audit.html", "out.ipynb", "anova-report-example.csv"}
