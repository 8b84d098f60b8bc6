"""The README as a new user reads it: its lines are run as they are written, and the page they make is complete."""

import pytest
from sklearn.ensemble import GradientBoostingClassifier

from anova_report import cli, explain
from anova_report.explorer import Explorer
from anova_report.report import Audit
from tests.docs.conftest import N_ROWS
from tests.docs.reading import README, blocks


def test_three_lines_of_python_give_a_whole_page_and_an_explorer(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (lines,) = blocks(README, "python")
    numbers = rows[["income", "age"]]
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(numbers, rows["region"] == "south")
    names = {"model": model, "X": numbers}
    *before, last = lines.strip().splitlines()
    exec("\n".join(before), names)  # noqa: S102 the README's own lines
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    for part in (
        "GradientBoostingClassifier (scikit-learn ",
        "Largest residual",
        "Predictions against explained values",
    ):
        assert part in page
    assert "not given" not in page  # the digest of the predictions
    explorer = eval(last.partition("#")[0], names)  # noqa: S307 likewise
    assert isinstance(explorer, Explorer)
    assert explorer.views.model is model
    assert explorer.views.rows.predictions is not None
    explorer.close()


def test_the_lines_for_dask_explain_a_collection_on_a_cluster(place, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="pip install 'anova_report[dask]'")
    monkeypatch.chdir(place)
    (lines,) = blocks(README, "py")
    names = {"model": lambda frame: frame["income"] * frame["age"], "explain": explain}
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        exec(lines.replace("tcp://scheduler:8786", cluster.scheduler_address), names)  # noqa: S102 the README's own lines
        names["client"].close()
    assert names["dec"].in_sample.n_rows == N_ROWS
    assert (0, 1) in names["dec"].terms


def test_a_page_of_the_command_line_is_complete(place, monkeypatch):
    monkeypatch.chdir(place)
    asked = ["audit", "data.parquet", "--model", "model.ubj", "--target", "y", "--id", "client", "--save", "asked.json"]
    assert cli.main([*asked, "--quiet"]) == 0
    page = Audit.load("asked.json")
    assert page.subject.model.startswith("Booster (XGBoost ")
    assert page.subject.model.endswith(" from model.ubj")
    assert len(page.provenance.predictions_digest) == 64
    assert page.outputs[0].scatter is not None
