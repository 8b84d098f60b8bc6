"""Explainable boosting machines: the shape functions they are made of (package interpret)."""

from typing import Any

import numpy as np

from anova_report.compare.ebm_terms import main_parts
from anova_report.compare.libraries import library, quiet
from anova_report.compare.methods import Found
from anova_report.compare.request import Request
from anova_report.core.arrays import Floats
from anova_report.core.progress import Steps
from anova_report.errors import InputError, listing


def ebm(request: Request, *, outer_bags: int = 4) -> Found:
    """Explain rows by the shape functions of an EBM.

    An EBM shows its own, with the main effects that its interactions hold added to them. To the answers of any other
    model an EBM of main effects is fitted first, on the rows that are explained, and its functions are shown.

    Parameters
    ----------
    request : Request
    outer_bags : int
        Fits that are averaged, for an EBM that is fitted here.
    """
    glassbox = library("interpret.glassbox", "EBM")
    kinds = (glassbox.ExplainableBoostingRegressor, glassbox.ExplainableBoostingClassifier)
    if isinstance(request.model, kinds):
        return _native(request)
    _require_no_times(request)
    machine = glassbox.ExplainableBoostingRegressor(interactions=0, outer_bags=outer_bags, random_state=request.seed)
    rows, answers = request.own_form(request.rows), request.answers.values[:, 0]
    with Steps(1, request.progress) as steps, quiet():
        steps.start("EBM")
        machine.fit(rows, answers)
        values = _single_terms(request, machine, machine.eval_terms(rows))
        fidelity = machine.score(rows, answers)
    return Found(values, f"An EBM of main effects, fitted to the answers: R² {fidelity:.3f} on the same rows.")


def _require_no_times(request: Request) -> None:
    times = [column.name for column in request.columns if column.kind in ("datetime", "duration")]
    if times:
        raise InputError(
            f"An EBM takes numbers and levels, and these columns hold times: {listing(times)}. Use ale or pdp, which "
            "ask the model in the table's own form."
        )


def _native(request: Request) -> Found:
    machine, rows = request.model, request.own_form(request.rows)
    with quiet():
        terms = np.asarray(machine.eval_terms(rows), dtype=np.float64)
    if terms.ndim > 2:
        raise InputError(
            f"An EBM of {terms.shape[2]} classes adds up scores that are no logits of one class against the rest. "
            "Compare it by kernelshap, which asks for its answers."
        )
    intercept = float(np.ravel(machine.intercept_)[0])
    request.require_sum(request.sign * (intercept + terms.sum(axis=1)), "An EBM")
    values = _single_terms(request, machine, terms)
    interactions = sum(len(term) > 1 for term in machine.term_features_)
    if not interactions:
        return Found(request.sign * values)
    n_table = request.table.shape[0]
    held = main_parts(machine, rows, request.own_form(np.arange(n_table)))
    values[:, _columns(request, machine)] += held
    return Found(request.sign * values, _freeing(interactions, n_table))


def _freeing(interactions: int, n_rows: int) -> str:
    """Tell what was done to interactions."""
    theirs = f"Its {interactions} interactions were" if interactions > 1 else "Its interaction was"
    return (
        f"{theirs} freed of main effects first, over the {n_rows:,} rows of the table: what an interaction says about "
        "one of its features alone was added to the function of that feature."
    )


def _single_terms(request: Request, machine: Any, terms: Floats) -> Floats:
    """Order the terms of one feature as the columns of the table; a feature without one contributes nothing."""
    columns = _columns(request, machine)
    values = np.zeros((len(terms), len(request.columns)))
    for index, term in enumerate(machine.term_features_):
        if len(term) == 1:
            values[:, columns[term[0]]] = terms[:, index]
    return values


def _columns(request: Request, machine: Any) -> list[int]:
    """Find the column of the table that holds each feature of an EBM: by name if names match, else by position."""
    names = [column.name for column in request.columns]
    own = [str(name) for name in machine.feature_names_in_]
    return [names.index(name) for name in own] if set(own) == set(names) else list(range(len(own)))
