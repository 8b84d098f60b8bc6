"""Audits in runs of MLflow: logged to a run, or made by its `evaluate`.

MLflow finds the evaluator by an entry point and is heavy, so that it is imported when one of the two is asked for.
"""

import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.libraries import library
from anova_report.errors import InputError
from anova_report.io import sinks
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.jobs.audit_model import audit
from anova_report.report.page.gate_files import summary
from anova_report.report.page.page_facts import page_facts
from anova_report.report.page.render import write_report

ASKED = "audit"  # key of the evaluator's configuration, without which it does nothing
MODEL_TYPES = ("classifier", "regressor")
PREFIX, LONGEST = "anova_report", 100  # letters of a name within that of a metric, which has 250


def metrics(audit: Audit) -> dict[str, float]:
    """Collect the numbers of an audit under names that MLflow takes: findings by code, shares by term."""
    found: dict[str, float] = {}
    facts = page_facts(audit)
    for output in facts.outputs:
        of = (PREFIX, *([sinks.file_name(output.name, "output")[:LONGEST]] if len(facts.outputs) > 1 else []))
        values: dict[str, float | None] = {item.code: item.value for item in output.findings}
        for share in output.shares:
            label = sinks.file_name(share.label, "term")[:LONGEST]
            values |= {f"share/{label}/total": share.value, f"share/{label}/structural": share.structural}
        for name, value in values.items():
            if value is not None and math.isfinite(value):
                found["/".join((*of, name))] = float(value)
    return found


def log_audit(audit: Audit, run_id: str | None = None) -> dict[str, float]:
    """Log an audit to a run of MLflow: page, JSON and summary as artifacts, numbers as metrics, the verdict as a tag.

    Parameters
    ----------
    audit : Audit
    run_id : str, optional
        By default the active run, or a new one.

    Returns
    -------
    dict of str to float
        The metrics that were logged.
    """
    mlflow = library("mlflow", "Logging an audit")
    run = run_id or (mlflow.active_run() or mlflow.start_run()).info.run_id
    client, found = mlflow.MlflowClient(), metrics(audit)
    with tempfile.TemporaryDirectory() as folder:
        write_report(audit, Path(folder) / "audit.html")
        audit.save(Path(folder) / "audit.json")
        (Path(folder) / "summary.md").write_text(summary(audit), encoding="utf-8")
        for file in sorted(Path(folder).iterdir()):
            client.log_artifact(run, str(file), PREFIX)
    for name, value in found.items():
        client.log_metric(run, name, value)
    client.set_tag(run, f"{PREFIX}.verdict", audit.verdict)
    return found


def audit_dataset(model: Any, dataset: Any, options: dict[str, Any]) -> Audit:
    """Audit a model of MLflow's, or predictions that a dataset holds, with options of `audit`."""
    X, target = dataset.features_data, dataset.labels_data
    told = {"progress": False} | options | ({} if target is None else {"target": target})
    if model is not None:
        return audit(_inside(model), X, **told)
    if dataset.predictions_data is None:
        raise InputError("There is neither a model nor a column of predictions. Pass one of the two to evaluate.")
    fitted = FunctionalANOVA(told.pop("max_order", 2), random_state=told.get("random_state", 0), progress=False)
    told.pop("target", None)  # which is judged where a model is at hand
    return build_audit(fitted.fit(X, dataset.predictions_data).decomposition_, X, dataset.predictions_data, **told)


def _inside(model: Any) -> Any:
    """Find the model that MLflow wraps: of a classifier it returns labels, and the model itself knows probabilities."""
    try:
        found = model.get_raw_model()
    except (AttributeError, NotImplementedError):
        return model
    return found if any(hasattr(found, name) for name in ("predict", "predict_proba")) else model


@cache
def evaluator() -> type:
    """Make the class that MLflow finds by its entry point."""
    base = library("mlflow.models.evaluation.base", "The evaluator")
    artifacts = library("mlflow.models.evaluation.artifacts", "The evaluator")

    class AnovaReportEvaluator(base.ModelEvaluator):  # type: ignore[misc, name-defined]  # MLflow is optional
        """Audits a model where the configuration of the evaluator has the key "audit", with options of `audit`."""

        name = PREFIX

        @classmethod
        def can_evaluate(cls, *, model_type: str, evaluator_config: Any, **_: Any) -> bool:
            """Take models whose configuration asks for it: MLflow lets every evaluator run that does not decline."""
            return model_type in MODEL_TYPES and isinstance((evaluator_config or {}).get(ASKED), dict)

        def evaluate(self, *, dataset: Any, run_id: str, evaluator_config: Any, model: Any = None, **_: Any) -> Any:
            """Audit, log, and say what was logged."""
            made = audit_dataset(model, dataset, dict(evaluator_config[ASKED]))
            found = log_audit(made, run_id)
            client = library("mlflow", "The evaluator").MlflowClient()
            root = client.get_run(run_id).info.artifact_uri
            kinds = {"audit.html": artifacts.TextEvaluationArtifact, "audit.json": artifacts.JsonEvaluationArtifact}
            logged = {f"{PREFIX}/{name}": kind(uri=f"{root}/{PREFIX}/{name}") for name, kind in kinds.items()}
            return base.EvaluationResult(metrics=found, artifacts=logged, run_id=run_id)

    return AnovaReportEvaluator


def __getattr__(name: str) -> Any:
    if name == "AnovaReportEvaluator":
        return evaluator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
