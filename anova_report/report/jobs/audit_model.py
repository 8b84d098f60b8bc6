"""One call from a model and a table to the page."""

import difflib
import inspect
import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from anova_report.compare import Attribution
from anova_report.core.estimator import AnovaRegressor
from anova_report.core.input.scales import Scale
from anova_report.core.input.table import open_table
from anova_report.core.result.explanation import explain
from anova_report.errors import InputTypeError, listing
from anova_report.io import files
from anova_report.measures.expectations import check_columns
from anova_report.measures.policy import Policy, Tier
from anova_report.report.audit.about import read_about
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.audit.provenance import file_digest
from anova_report.report.jobs.columns_beside import names_of, of_table, read_aside
from anova_report.report.page.paper import find_browser, print_page
from anova_report.report.page.render import render

LONGEST_WRITTEN = 400  # letters of a value that the call on the page spells out: longer ones are tables


def audit(  # noqa: PLR0913 all but three by name
    model: Any,
    X: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    target: Any = None,
    split: Any = None,
    protected: Sequence[str] | Mapping[str, Any] = (),
    title: str | None = None,
    scale: Scale = "auto",
    output: Any = None,
    max_order: int = 2,
    family: Literal["auto", "waves", "polynomials"] = "auto",
    fold_one_hot: bool = True,
    estimator: AnovaRegressor | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    ask: int | None = None,
    population: Any = None,
    where: str | None = None,
    feature_groups: Mapping[str, Sequence[int | str]] | None = None,
    exposure: Any = None,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    prediction_name: str | None = None,
    prediction_unit: str | None = None,
    batch_size: int = 8192,
    others: Sequence[Attribution] = (),
    rows: Sequence[int] | None = None,
    row_names: Sequence[object] | None = None,
    notes: Sequence[str] = (),
    top_mains: int = 12,
    top_pairs: int = 12,
    command: str = "",
    created: str | None = None,
    random_state: int = 0,
    progress: bool = True,
    expectations: Sequence[str] = (),
    tier: Tier | None = None,
    limits: Mapping[str, Any] | None = None,
    waivers: Sequence[Mapping[str, Any]] | None = None,
    as_of: str | date | None = None,
    about: Mapping[str, Any] | None = None,
    model_file: str | os.PathLike[str] | None = None,
    pdf: str | os.PathLike[str] | None = None,
    what_if: bool = True,
    **unknown: Any,
) -> Audit:
    """Ask a model about every row of a table, decompose its predictions, and write the page.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
    X : table of shape (n_rows, n_features)
    path : path, optional
        Of the page; it is replaced as a whole, when all of it is there. By default no page is written:
        `report.write_report` does so later.
    target : str, sequence of str or array-like of shape (n_rows,), optional
        The observed target, as a column of X, which neither the model nor the decomposition gets, or as values; of
        several outputs that are no classes one for each. The page then says how accurate the model is, and how much of
        that simpler functions keep.
    split : str or array-like of shape (n_rows,), optional
        Which rows were held out when the model was trained: a column of X, or values; true, or "test", where they were.
        Accuracy is then that of these rows, and that of training rows stands beside.
    protected : sequence of str or mapping of str to array-like, optional
        Columns of X, or further ones by their names, of which the page says how they go with the predictions: directly,
        and through which other columns. One that the model does not have among its named columns is taken from X.
    title : str, optional
        Of the page.
    scale : {"auto", "identity", "log", "logit", "probability"}
        Of models with classes log-odds, where they exist, or probabilities; of others logarithms of predictions, whose
        effects read as factors, or predictions as they are: see `explain`.
    output : object, optional
        One class, by its label, or one column of the predictions, by its position; by default the second of two
        classes, or all.
    max_order, family, fold_one_hot
        Settings of `FunctionalANOVA`.
    estimator : AnovaRegressor, optional
        Instead of `FunctionalANOVA` with these settings.
    sample_weight : array-like of shape (n_rows,), optional
        How much each row counts.
    groups, time : array-like of shape (n_rows,), optional
        Which rows are learned from or held out together.
    ask : int, optional
        At how many recombined rows the model may be asked; 0 for none.
    population : table or array-like, optional
        Rows of the distribution under which the function is decomposed, or weights of the rows of X.
    where : str, optional
        Explain only the rows that fulfill an expression, "age > 60 and region == 'south'", under their own
        distribution; `rows` and `row_names` are theirs.
    feature_groups : mapping of str to sequence of str, optional
        Groups of features to be read together: ``{"location": ["Latitude", "Longitude"]}``.
    exposure : str or array-like of shape (n_rows,), optional
        The exposure of each row, as a column of X or as numbers: the rate is explained, and rows are weighted by it.
    labels, units : mapping of str to str, optional
        What readers see for the names of columns, and what their numbers count.
    prediction_name, prediction_unit : str, optional
        What is predicted, and what its numbers count.
    batch_size : int
        Rows per call of the model.
    others : sequence of Attribution
        Other explanations of rows of X, from `compare.attribute`, to be laid over main effects.
    rows : sequence of int, optional
        Positions of rows to explain one by one; by default the typical, the extreme and that with the largest residual.
    row_names : sequence, optional
        What each row is called.
    notes : sequence of str
        Sentences for the page.
    top_mains, top_pairs : int
        How many main effects and pairs are drawn at most.
    command : str
        What makes this audit again.
    created : str, optional
        When it was made; by default now.
    random_state : int
        Decides about all that is drawn.
    progress : bool
        Show bars once the model, the fit or drawing has taken two seconds.
    expectations : sequence of str
        What the model is expected to do, "income: increasing"; each is judged with bands, as a finding of its own.
    tier : {"high", "medium", "low"}, optional
        How much depends on the model: high tightens limits of findings, low loosens some.
    limits : mapping, optional
        Limits of findings, each with its reason: {"AR002": {"warn": 0.05, "fail": 0.2, "why": …}}.
    waivers : sequence of mapping, optional
        Findings that are accepted: [{"code": "AR008", "who": …, "why": …, "until": "2027-06-30"}].
    as_of : str or date, optional
        The day on which waivers must not have expired; today by default.
    about : mapping, optional
        Who answers for the model, and what it is for: purpose, owner, version, intended_use, data_window, population,
        limitations, reviewers.
    model_file : path, optional
        Where the model is kept: its digest stands on the page.
    pdf : path, optional
        Of the page as PDF, printed by Chromium or Chrome.
    what_if : bool
        Whether the page answers what the explanation says of rows that a reader types.
    **unknown
        Nothing: other names are refused, with the one that was probably meant.

    Returns
    -------
    Audit
        What the page shows, as plain data; `save` keeps it as JSON.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = audit(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, f"{folder}/audit.html", max_order=1)
    >>> made.verdict, made.subject.model
    ('pass', 'A Python function')
    """
    again = python_call(locals())
    if unknown:
        _refuse(next(iter(unknown)))
    # Before time has been spent. A page is replaced whoever wrote it, a PDF only if it is one of ours.
    files.claim([path, pdf], [model_file], overwrite=True)
    claimed = files.claim([pdf], [])
    if pdf is not None:
        find_browser()
    judged_by: dict[str, Any] = {"expectations": expectations, "tier": tier, "limits": limits, "waivers": waivers}
    policy = Policy.read(**judged_by, as_of=as_of)
    if (names := open_table(X).names) is not None:
        check_columns(policy.expectations, names)
    read_about(about)
    if model_file is not None:
        file_digest(model_file)
    X, beside = of_table(model, X, target, split, protected)
    rows_of: dict[str, Any] = {
        "sample_weight": sample_weight,
        "groups": groups,
        "time": time,
        "where": where,
        "exposure": exposure,
    }
    aside = read_aside(beside, X, **rows_of, labels=labels)
    taken = {*names_of(beside)} - {*(open_table(X).names or ())}
    # An estimator that is given has settings of its own.
    settings: dict[str, Any] = {
        "max_order": max_order,
        "family": family,
        "fold_one_hot": fold_one_hot,
        "random_state": random_state,
    }
    dec = explain(
        model,
        X,
        scale=scale,
        output=output,
        estimator=estimator,
        ask=ask,
        batch_size=batch_size,
        progress=progress,
        population=population,
        feature_groups=feature_groups,
        labels=None if labels is None else {name: text for name, text in labels.items() if name not in taken},
        units=units,
        prediction_name=prediction_name,
        prediction_unit=prediction_unit,
        **rows_of,
        **settings,
    )
    page = build_audit(
        dec,
        others=others,
        title=title,
        rows=rows,
        row_names=row_names,
        notes=notes,
        command=command or again,
        created=created,
        random_state=random_state,
        top_mains=top_mains,
        top_pairs=top_pairs,
        progress=progress,
        **judged_by,
        as_of=as_of,
        about=about,
        model_file=model_file,
        aside=aside,
        what_if=what_if,
    )
    written: dict[Any, str | bytes] = {} if path is None else {path: render(page)}
    if pdf is not None:
        written[pdf] = print_page(render(page), Path(pdf))
    files.write_texts(written, claimed)
    return page


def python_call(given: Mapping[str, Any]) -> str:
    """Write the call of `audit` that makes the same page again; what is no plain value stands there by its name.

    Examples
    --------
    >>> python_call({"path": "a.html", "max_order": 1, "groups": object(), "ask": None})
    "audit(model, X, 'a.html', max_order=1, groups=groups)"
    """
    plain = (str, int, float, bool, list, tuple, dict, date, os.PathLike)
    usual = {name: item.default for name, item in inspect.signature(audit).parameters.items()}
    words = ["model", "X"]
    for name, value in given.items():
        is_usual = value is usual.get(name) or (isinstance(value, plain) and value == usual.get(name))
        if name in ("model", "X", "unknown", "progress") or is_usual:
            continue
        text = repr(os.fspath(value) if isinstance(value, os.PathLike) else value)
        written = text if isinstance(value, plain) and len(text) <= LONGEST_WRITTEN else name
        words.append(written if name == "path" else f"{name}={written}")
    return f"audit({', '.join(words)})"


def _refuse(name: str) -> None:
    known = [own for own in inspect.signature(audit).parameters if own != "unknown"]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(known, limit=len(known))}."
    raise InputTypeError(f"audit has no option {name!r}. {hint}")
