"""Explainable boosting machines: the shape functions they are made of (package interpret)."""

from typing import Any

import numpy as np

from anova_report.compare.libraries import library, quiet
from anova_report.compare.methods import Found
from anova_report.compare.request import Request
from anova_report.core.arrays import Floats
from anova_report.core.progress import Steps
from anova_report.errors import InputError


def ebm(request: Request, *, outer_bags: int = 4) -> Found:
    """Explain rows by the shape functions of an EBM.

    An EBM shows its own. To the answers of any other model an EBM of main effects is fitted first, on the rows that are
    explained, and its functions are shown.

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
    machine = glassbox.ExplainableBoostingRegressor(interactions=0, outer_bags=outer_bags, random_state=request.seed)
    rows, answers = request.own_form(request.rows), request.answers.values[:, 0]
    with Steps(1, request.progress) as steps, quiet():
        steps.start("EBM")
        machine.fit(rows, answers)
        values = _single_terms(request, machine, machine.eval_terms(rows))
        fidelity = machine.score(rows, answers)
    return Found(values, f"An EBM of main effects, fitted to the answers: R² {fidelity:.3f} on the same rows.")


def _native(request: Request) -> Found:
    machine = request.model
    with quiet():
        terms = np.asarray(machine.eval_terms(request.own_form(request.rows)), dtype=np.float64)
    if terms.ndim > 2:
        raise InputError(
            f"An EBM of {terms.shape[2]} classes adds up scores that are no logits of one class against the rest. "
            "Compare it by kernelshap, which asks for its answers."
        )
    intercept = float(np.ravel(machine.intercept_)[0])
    request.require_sum(request.sign * (intercept + terms.sum(axis=1)), "An EBM")
    pairs = sum(len(term) > 1 for term in machine.term_features_)
    note = f"Its {pairs} interactions are left out; they may hold parts of main effects." if pairs else ""
    return Found(request.sign * _single_terms(request, machine, terms), note)


def _single_terms(request: Request, machine: Any, terms: Floats) -> Floats:
    """Order the terms of one feature as the columns of the table; a feature without one contributes nothing."""
    names = [column.name for column in request.columns]
    own = [str(name) for name in machine.feature_names_in_]
    by_name = set(own) == set(names)
    values = np.zeros((len(terms), len(names)))
    for index, term in enumerate(machine.term_features_):
        if len(term) == 1:
            column = names.index(own[term[0]]) if by_name else term[0]
            values[:, column] = terms[:, index]
    return values
