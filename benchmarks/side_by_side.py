"""For the notebook: an experiment's model in words, other explanations of it next to ours, and single rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from anova_report import Decomposition
from anova_report.compare import Agreement, Attribution, FeatureAgreement, agreement, attribute, find_method
from anova_report.errors import AnovaReportError
from anova_report.figures.figure import Table
from anova_report.measures.wording import number, percent, score
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.sentences import duration
from anova_report.report.page.notebook_views import View
from anova_report.report.page.render import Live, environment
from benchmarks.blackboxes import KINDS, Trained
from benchmarks.experiments import Experiment
from benchmarks.paper import TITLES
from benchmarks.reproduction_page import NOTHING, performance_is

ROWS = 2  # that are shown one by one; the page has more
# Methods that look into a model of the kind, and one that looks at the data.
USUAL = {
    "xgb": ("treeshap", "treehfd", "ale"),
    "mlp": ("deepshap", "ale"),
    "ebm": ("ebm", "ale"),
    "nam": ("nam", "ale"),
}


@dataclass(frozen=True, eq=False)
class Asked:
    """One method that was asked: what it said, how far that agrees with the decomposition, or why it said nothing."""

    method: str
    title: str
    attribution: Attribution | None = None
    agreement: Agreement | None = None
    reason: str = ""

    @property
    def ranked(self) -> tuple[FeatureAgreement, ...]:
        """Features by share, largest first."""
        return self.agreement.ranked() if self.agreement is not None else ()


def methods_for(model: str, chosen: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the methods that were chosen, or those that fit a kind of model."""
    return USUAL[model] if chosen is None else tuple(chosen)


def compare(
    dec: Decomposition,
    X: pd.DataFrame,
    model: Any,
    methods: Sequence[str],
    *,
    seed: int = 0,
    max_rows: int | None = None,
) -> tuple[Asked, ...]:
    """Explain rows by other methods, and compare each with its counterpart in the decomposition.

    A method whose library is missing, or that has nothing to say about this model, is told with the reason.
    """
    return tuple(_ask(dec, X, model, find_method(name).name, seed, max_rows) for name in methods)


def attributions(asked: Sequence[Asked]) -> tuple[Attribution, ...]:
    """Return the attributions that were made, to be drawn over our main effects."""
    return tuple(each.attribution for each in asked if each.attribution is not None)


def model_words(experiment: Experiment, trained: Trained) -> str:
    """Describe a trained model in a sentence."""
    return (
        f"{experiment.title}: {performance_is(experiment.dataset)} {score(trained.performance)} on the fifth of the "
        "rows that it was not trained on"
    )


def model_table(experiment: Experiment, trained: Trained) -> View:
    """Show what was trained, how, and how good it is."""
    facts = {
        "Dataset": f"{TITLES[experiment.dataset]}, {len(trained.predictions):,} rows",
        "Model": KINDS[experiment.model].title,
        "Settings": ", ".join(f"{name} {value}" for name, value in experiment.settings.items()),
        "Performance": f"{performance_is(experiment.dataset)} {score(trained.performance)} on test rows",
        "Trained in": duration(trained.seconds),
    }
    return _shown(Table(("What", "Value"), tuple(facts.items())), "Model", kind="verdicts")


def agreement_table(asked: Sequence[Asked]) -> View:
    """Show features, largest share first, with correlation and distance of every method."""
    told = [each for each in asked if each.agreement is not None]
    head = ("Feature", "Share", *(f"{each.title}: {what}" for each in told for what in ("correlation", "distance")))
    columns = [_columns(each.ranked) for each in told]
    first = told[0].ranked if told else ()
    rows = [
        (item.feature, percent(item.share), *(cell for column in columns for cell in column[position]))
        for position, item in enumerate(first)
    ]
    return _shown(Table(head, tuple(rows)), "Agreement of other explanations with ours")


def counterparts(asked: Sequence[Asked]) -> View:
    """Show what every method was compared with and why, or why it is missing."""
    rows = [
        (each.title, NOTHING, each.reason)
        if each.agreement is None
        else (each.title, each.agreement.counterpart, f"{each.agreement.why} {each.agreement.note}".strip())
        for each in asked
    ]
    table = Table(("Method", "Compared with", "Because"), tuple(rows))
    return _shown(table, "What is compared with what", kind="verdicts")


def single_rows(audit: Audit, top: int = ROWS) -> View:
    """Show what pushes the predictions of a few rows: a force plot and a network of each, in full width."""
    cases = [case for output in audit.outputs for case in output.cases[:top]]
    keys = [key for case in cases for key in (case.force, case.network) if key]
    template = environment().get_template("inline/figures.html")
    parts = [template.render(audit=audit, groups=[("", [key])], live=Live()) for key in keys]
    shown = [audit.figures[key] for key in keys]
    return View("\n".join(parts), "\n".join(f"{figure.title}: {figure.alt}" for figure in shown))


def _ask(dec: Decomposition, X: pd.DataFrame, model: Any, name: str, seed: int, max_rows: int | None) -> Asked:
    title = find_method(name).title
    try:
        found = attribute(name, model, X, like=dec, max_rows=max_rows, random_state=seed, progress=False)
        return Asked(name, title, found, agreement(dec, X, found))
    except AnovaReportError as error:
        return Asked(name, title, reason=str(error))


def _columns(items: Sequence[FeatureAgreement]) -> list[tuple[str, str]]:
    return [(_written(item.correlation, score), _written(item.distance, number)) for item in items]


def _written(value: float | None, write: Callable[[float], str]) -> str:
    return NOTHING if value is None else write(value)


def _shown(table: Table, label: str, kind: str = "") -> View:
    html = environment().get_template("inline/table.html").render(table=table, label=label, kind=kind)
    return View(html, "\n".join(" | ".join(row) for row in (table.head, *table.rows)))
