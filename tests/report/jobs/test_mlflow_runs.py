"""Audits in runs of MLflow, read back by MLflow."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from anova_report.errors import InputError
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs.mlflow_runs import log_audit, metrics
from tests.report.samples import hostile_audit, sample_audit

RNG = np.random.default_rng(0)


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")
    found.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    found.set_experiment("audits")
    yield found
    while found.active_run():
        found.end_run()


def test_names_of_metrics_are_those_that_mlflow_takes():
    found = metrics(sample_audit(("price", "rent")))
    assert found["anova_report/price/AR002"] == 0.12
    assert found["anova_report/rent/share/MedInc/total"]
    for name in metrics(hostile_audit()):
        assert all(sign.isalnum() or sign in "_-./" for sign in name)
        assert "//" not in name
        assert len(name) <= 250


def test_without_mlflow_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(InputError, match=r"needs the package mlflow: pip install 'anova_report\[mlflow\]'"):
        log_audit(sample_audit())


@pytest.mark.filterwarnings("ignore")  # what MLflow and its libraries say of each other
def test_an_audit_is_logged_to_the_active_run(mlflow, tmp_path):
    with mlflow.start_run() as run:
        log_audit(sample_audit())
    client = mlflow.MlflowClient()
    found = client.get_run(run.info.run_id)
    assert found.data.metrics == metrics(sample_audit())
    assert found.data.tags["anova_report.verdict"] == "fail"
    names = {item.path for item in client.list_artifacts(run.info.run_id, "anova_report")}
    assert names == {"anova_report/audit.html", "anova_report/audit.json", "anova_report/summary.md"}
    place = client.download_artifacts(run.info.run_id, "anova_report/audit.json", str(tmp_path))
    assert Audit.load(place).verdict == "fail"
    with mlflow.start_run():
        log_audit(hostile_audit())


@pytest.mark.filterwarnings("ignore")  # what MLflow and its libraries say of each other
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_mlflow_evaluates_with_an_audit(mlflow, kind, tmp_path):
    X = pd.DataFrame({"a": RNG.normal(size=300), "b": RNG.normal(size=300)})
    truth = X["a"] + 0.5 * X["b"] + 0.1 * RNG.normal(size=300)
    y = truth if kind == "regressor" else np.where(truth > 0, "yes", "no")
    model = (LinearRegression() if kind == "regressor" else LogisticRegression()).fit(X, y)
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", input_example=X[:2], serialization_format="cloudpickle")
        options = {"title": "An evaluation", "max_order": 1, "ask": 0}
        found = mlflow.models.evaluate(
            logged.model_uri,
            X.assign(y=y),
            targets="y",
            model_type=kind,
            evaluators="anova_report",
            evaluator_config={"audit": options},
        )
    (tmp_path / "audit.json").write_text(json.dumps(found.artifacts["anova_report/audit.json"].content))
    made = Audit.load(tmp_path / "audit.json")
    assert made.title == "An evaluation"
    assert found.metrics == metrics(made)
    assert "An evaluation" in found.artifacts["anova_report/audit.html"].content
    if kind == "classifier":
        assert "log-odds" in made.subject.scale  # not labels


@pytest.mark.filterwarnings("ignore")  # what MLflow and its libraries say of each other
def test_predictions_in_a_column_are_audited_and_nobody_is_audited_unasked(mlflow):
    X = pd.DataFrame({"a": RNG.normal(size=300), "b": RNG.normal(size=300)})
    table = X.assign(y=X["a"], p=X["a"] + 0.1)
    given = {"targets": "y", "predictions": "p", "model_type": "regressor"}
    with mlflow.start_run():
        options = {"audit": {"max_order": 1}}
        found = mlflow.models.evaluate(data=table, **given, evaluators="anova_report", evaluator_config=options)
        assert "anova_report/AR002" in found.metrics
    with mlflow.start_run():
        plain = mlflow.models.evaluate(data=table, **given)
        assert not any(name.startswith("anova_report") for name in plain.metrics)
