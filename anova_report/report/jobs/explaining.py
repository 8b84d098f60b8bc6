"""Asking other methods about the model of an audit."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anova_report.compare import Attribution, attribute
from anova_report.compare.libraries import library
from anova_report.report.jobs.options import Job
from anova_report.report.jobs.question import Question, Rows
from anova_report.report.sources.answering import model_rows
from anova_report.report.sources.boosters import Booster, BoosterClassifier

XGBOOST = (".json", ".ubj")


def explain_otherwise(
    job: Job, rows: Rows, question: Question, *, progress: bool, tell: Callable[[str], object] | None = None
) -> tuple[Attribution, ...]:
    """Explain the rows of an audit by every method that was asked for, one output at a time.

    Parameters
    ----------
    job : Job
    rows : Rows
    question : Question
        Of a model, which it holds.
    progress : bool
        Show bars for what takes more than two seconds.
    tell : callable, optional
        Told the name of each method as it begins.
    """
    if not job.compare or question.asked is None:
        return ()
    asked = replace(question.asked, model=readable(question.asked.model, str(job.model)))
    table = model_rows(asked.model, rows.frame, asked.columns)
    found = []
    for method in job.compare:
        if tell is not None:
            tell(f"  {method}")
        for output in _outputs(job, question, asked.model):
            made = attribute(
                method,
                asked.model,
                table,
                scale="probability" if question.answers.scale == "probability" else "logit",
                output=output,
                max_rows=job.compare_rows,
                random_state=job.random_state,
                progress=progress,
            )
            found.append(_as_explained(made, asked.columns.table, [str(name) for name in question.inputs.columns]))
    return tuple(found)


def readable(model: Any, spec: str) -> Any:
    """Turn a loaded XGBoost file into a model that all methods can look into; return other models as they are."""
    if not isinstance(model, Booster) or model.categories or Path(spec).suffix not in XGBOOST:
        return model
    xgboost = library("xgboost", "TreeHFD")
    made = xgboost.XGBClassifier() if isinstance(model, BoosterClassifier) else xgboost.XGBRegressor()
    made.load_model(bytearray(model.inside.save_raw("ubj")))
    # The audit asks all trees that are inside, so all of them are explained.
    made.get_booster().set_attr(best_iteration=None)
    return made


def _outputs(job: Job, question: Question, model: Any) -> list[str | int | None]:
    """List what each explanation is asked for: a class by its name, one of several outputs by its position."""
    classes = [str(label) for label in np.asarray(getattr(model, "classes_", ())).tolist()]
    if all(name in classes for name in question.answers.names):
        return list(question.answers.names)
    return [job.output] if question.answers.single else list(range(len(question.answers.names)))


def _as_explained(made: Attribution, columns: tuple[str, ...], explained: list[str]) -> Attribution:
    """Name features as the table does, and keep those that the audit explains."""
    kept = [columns.index(name) for name in explained if name in columns]
    return replace(
        made,
        features=tuple(replace(made.features[at], name=columns[at]) for at in kept),
        values=made.values[:, kept],
        contributions=made.contributions[:, kept],
    )
