"""TreeSHAP: Shapley values from inside a model of trees (package shap)."""

from typing import Any

import numpy as np

from anova_report.compare.cells import Positions
from anova_report.compare.libraries import library, quiet
from anova_report.compare.methods import Found
from anova_report.compare.numbers import only_numbers
from anova_report.compare.request import Request
from anova_report.compare.shapley import by_output, one_output
from anova_report.core.arrays import Floats
from anova_report.errors import InputError

BLOCK_ROWS = 50  # rows per call, so that a bar can move


def treeshap(request: Request) -> Found:
    """Explain rows by TreeSHAP; a feature that is left out follows the training rows down the trees."""
    shap = library("shap", "TreeSHAP")
    explainer = _explainer(shap, request, {"feature_perturbation": "tree_path_dependent"})
    return _explained(request, explainer, "TreeSHAP")


def treeshap_interventional(request: Request, *, background: int = 100) -> Found:
    """Explain rows by TreeSHAP; a feature that is left out takes values of background rows.

    Parameters
    ----------
    request : Request
    background : int
        Rows that values are taken from; time grows with their number.
    """
    shap = library("shap", "TreeSHAP")
    drawn = request.background(background)
    numbers = request.numbers(drawn, "Interventional TreeSHAP")[:, _order(request)]
    # A plain array would be cut to a hundred rows without a word.
    data = shap.maskers.Independent(numbers, max_samples=len(numbers))
    explainer = _explainer(shap, request, {"data": data, "feature_perturbation": "interventional"})
    return _explained(request, explainer, "TreeSHAP", f"Against {len(drawn)} background rows.")


def trees_of(model: Any) -> Any:
    """Find the trees that a model answers with: those inside a loaded file, and of XGBoost none after an early stop."""
    if hasattr(model, "inside"):
        return model.inside
    best = getattr(model, "best_iteration", None) if hasattr(model, "get_booster") else None
    return model if best is None else model.get_booster()[: best + 1]


def _explainer(shap: Any, request: Request, settings: dict[str, Any]) -> Any:
    try:
        with quiet():
            return shap.TreeExplainer(trees_of(request.model), **settings)
    except Exception as error:  # shap raises its own class for models it does not know, others for the rest
        raise InputError(
            f"TreeSHAP cannot read the trees of a {type(request.model).__name__}: {error}. Use kernelshap, which asks "
            "any model."
        ) from error


def _explained(request: Request, explainer: Any, title: str, note: str = "") -> Found:
    starts = range(0, len(request.rows), BLOCK_ROWS)
    blocks: list[Floats] = []
    for start in request.bar(starts, len(starts), title):
        table = _as_taken(request, request.rows[start : start + BLOCK_ROWS], title)
        with quiet():
            blocks.append(by_output(explainer.shap_values(table, check_additivity=False)))
    contributions, base = one_output(request, np.concatenate(blocks), explainer.expected_value)
    request.require_sum(base + contributions.sum(axis=1), title)
    return Found(contributions[:, np.argsort(_order(request))], note)


def _as_taken(request: Request, rows: Positions, title: str) -> Any:
    """Write rows as the trees take them: levels are coded by the model's own library, which must see them as such."""
    if only_numbers(request.columns):
        return request.numbers(rows, title)[:, _order(request)]
    table = request.own_form(rows)
    if hasattr(request.model, "formed"):
        return request.model.formed(table)
    if hasattr(request.model, "get_booster"):  # XGBoost; what is left after an early stop no longer knows of levels
        return library("xgboost", title).DMatrix(table, enable_categorical=True)
    return table


def _order(request: Request) -> list[int]:
    """Find the columns of the table in the order of the trees, which a loaded file knows by name."""
    names = [column.name for column in request.columns]
    known = getattr(request.model, "feature_names_in_", None) if hasattr(request.model, "inside") else None
    return list(range(len(names))) if known is None else [names.index(name) for name in known]
