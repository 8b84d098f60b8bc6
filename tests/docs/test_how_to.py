"""The Python of the site is run, page by page, as it is written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tests.docs.conftest import N_ROWS
from tests.docs.reading import SITE, blocks

PAGES = {str(page.relative_to(SITE)): page for page in (SITE / "start.md", *sorted(SITE.glob("how_to/*.md")))}
RUN = [name for name, page in PAGES.items() if blocks(page, "python")]


def asked(name: str, rows) -> dict[str, object]:
    """Return what a page takes as given: a model and its table, and one value a row for what it says of rows."""
    levels = make_column_transformer((OrdinalEncoder(), ["region"]), remainder="passthrough")
    truth = rows["income"] + 0.5 * rows["income"] * (rows["region"] == "south")
    model = make_pipeline(levels, GradientBoostingRegressor(n_estimators=40, max_depth=2, random_state=0))
    other = make_pipeline(levels, GradientBoostingRegressor(n_estimators=10, random_state=0)).fit(rows, truth)
    classes = np.where(truth + np.cos(7 * rows["age"]) > 0, "yes", "no")
    classifier = make_pipeline(levels, GradientBoostingClassifier(n_estimators=10, random_state=0)).fit(rows, classes)
    each = np.arange(N_ROWS)
    given = {"X": rows, "y": truth, "model": model.fit(rows, truth), "other_model": other, "classifier": classifier}
    given["X_new"] = rows.assign(income=3 * rows["income"])
    given |= {"exposure": 1 + each % 4, "patient": each // 3, "month": each // 25}
    if name == "how_to/large.md":  # of the folder, whose columns are numbers
        given["model"] = lambda table: np.asarray(table)[:, 0] * np.asarray(table)[:, 1]
    return given


@pytest.mark.parametrize("name", RUN)
def test_the_python_of_a_page_runs_as_it_is_written(name, rows, place, monkeypatch):
    monkeypatch.chdir(place)
    names = asked(name, rows)
    for lines in blocks(PAGES[name], "python"):
        exec(compile(lines, name, "exec"), names)  # noqa: S102 the page's own lines
    for word, found in list(names.items()):
        if word.startswith("test_"):  # tests that a page shows
            found()
        if hasattr(found, "close") and word == "explorer":
            found.close()


def test_the_workflow_of_a_pipeline_runs_as_far_as_it_does_not_install(place, monkeypatch, tmp_path):
    """Its commands, in their order, by a shell; what comes from the service that runs it is ours."""
    page = yaml.safe_load(blocks(SITE / "how_to" / "pipelines.md", "yaml")[0])
    steps = [step["run"] for step in page["jobs"]["audit"]["steps"] if "run" in step]
    commands = [line for step in steps for line in step.splitlines() if not line.startswith("python -m pip ")]
    assert len(commands) == 2
    monkeypatch.chdir(tmp_path)
    shutil.copy(place / "clients.csv", tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "shown.md"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for line in commands:
        done = subprocess.run(["/bin/sh", "-ec", line], capture_output=True, text=True, check=False)  # noqa: S603 the page's own lines
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "shown.md").read_text(encoding="utf-8").startswith("<!-- Made by anova_report -->\n# ")
    written = [
        step["with"]["path"].split() for step in page["jobs"]["audit"]["steps"] if "path" in step.get("with", {})
    ]
    assert all((tmp_path / name).is_file() for name in written[0])
