"""Shapley values by the package shap: KernelSHAP of any model, TreeSHAP of trees, DeepSHAP of a torch module."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from anova_report.compare.methods.attribution import Found
from anova_report.compare.methods.cells import Positions
from anova_report.compare.methods.request import NUMBERS, Request, class_names
from anova_report.core.arrays import Floats
from anova_report.core.input.model_forms import tensor
from anova_report.core.libraries import library, quiet
from anova_report.core.randomness import seed_for
from anova_report.errors import InputError, InputTypeError

BLOCK_ROWS = 50  # rows per call, so that a bar can move


def one_output(request: Request, values: Floats, base: Any) -> tuple[Floats, float]:
    """Choose contributions, of shape (n_rows, n_features, n_outputs), and base value of the output asked for."""
    bases = np.atleast_1d(np.asarray(base, dtype=np.float64))
    if values.shape[2] == 1:
        # For two classes only the second is explained.
        return request.sign * values[:, :, 0], request.sign * float(bases[0])
    labels = class_names(request.model)
    position = labels.index(request.predictions.names[0]) if labels else request.output
    if position is None:
        raise InputError(f"The model has {values.shape[2]} outputs. Choose one with output=.")
    return values[:, :, position], float(bases[position])


def kernelshap(request: Request, *, background: int = 100, coalitions: int = 1024) -> Found:
    """Explain rows by KernelSHAP; a feature that is left out takes values of `background` rows.

    The model is asked about `coalitions` × `background` mixed rows for every row that is explained: so many sets of
    features are tried, all of them where there are no more.
    """
    shap = library("shap", "KernelSHAP")
    drawn = request.background(background)

    def predictions(codes: Any) -> Floats:
        return request.asked(np.asarray(codes).astype(np.intp))

    # shap sees the numbers of the distinct values, and mixes these; the model sees the values themselves.
    codes = request.cells.codes.astype(np.float64)
    found = []
    before = np.random.get_state()  # noqa: NPY002 shap draws from numpy's global generator, which is put back below
    np.random.seed(seed_for(request.seed, "kernelshap"))  # noqa: NPY002 the same
    try:
        with quiet():
            explainer = shap.KernelExplainer(predictions, codes[drawn])
            for row in request.bar(request.rows, len(request.rows), "KernelSHAP"):
                # Choosing ten features for every row, as shap would, leaves out what is small but real.
                values = explainer.shap_values(codes[row : row + 1], nsamples=coalitions, l1_reg=False, silent=True)
                found.append(np.asarray(values, dtype=np.float64).reshape(1, -1))
    finally:
        np.random.set_state(before)  # noqa: NPY002 the same
    return Found(np.concatenate(found), f"Against {len(drawn):,} background rows.")


def treeshap(request: Request) -> Found:
    """Explain rows by TreeSHAP; a feature that is left out follows the training rows down the trees."""
    return Found(_tree_values(request, {"feature_perturbation": "tree_path_dependent"}))


def treeshap_interventional(request: Request, *, background: int = 100) -> Found:
    """Explain rows by TreeSHAP; a feature that is left out takes values of `background` rows; time grows with them."""
    shap = library("shap", "TreeSHAP")
    drawn = request.background(background)
    numbers = request.numbers(drawn, "Interventional TreeSHAP")[:, _order(request)]
    # A plain array would be cut to a hundred rows without a word.
    data = shap.maskers.Independent(numbers, max_samples=len(numbers))
    values = _tree_values(request, {"data": data, "feature_perturbation": "interventional"})
    return Found(values, f"Against {len(drawn):,} background rows.")


def trees_of(model: Any) -> Any:
    """Find the trees that a model predicts with: those inside a loaded file; for XGBoost none after an early stop."""
    if hasattr(model, "inside"):
        return model.inside
    best = getattr(model, "best_iteration", None) if hasattr(model, "get_booster") else None
    return model if best is None else model.get_booster()[: best + 1]


def _tree_values(request: Request, settings: dict[str, Any]) -> Floats:
    shap = library("shap", "TreeSHAP")
    try:
        with quiet():
            explainer = shap.TreeExplainer(trees_of(request.model), **settings)
    except Exception as error:  # shap raises its own class for models it does not know, others for the rest
        raise InputError(
            f"TreeSHAP cannot read the trees of a {type(request.model).__name__}: {error}. Use kernelshap, which asks "
            "any model."
        ) from error

    def values(rows: Positions) -> Any:
        with quiet():
            return explainer.shap_values(_tree_input(request, rows), check_additivity=False)

    return _in_blocks(request, values, explainer, "TreeSHAP")[:, np.argsort(_order(request))]


def _in_blocks(request: Request, values: Callable[[Positions], Any], explainer: Any, title: str) -> Floats:
    """Explain the rows block by block, and check that base value and contributions add up to the predictions."""
    starts = range(0, len(request.rows), BLOCK_ROWS)
    bar = request.bar(starts, len(starts), title)
    found = [values(request.rows[start : start + BLOCK_ROWS]) for start in bar]
    # Several outputs are the last axis, or a list in some versions of shap; a single one may have no axis.
    blocks = [np.stack(block, axis=-1) if isinstance(block, list) else np.asarray(block) for block in found]
    whole = np.concatenate(blocks).astype(np.float64)
    whole = whole.reshape(*whole.shape[:2], -1)
    contributions, base = one_output(request, whole, explainer.expected_value)
    request.require_sum(base + contributions.sum(axis=1), title)
    return contributions


def _tree_input(request: Request, rows: Positions) -> Any:
    """Write rows as the trees take them: levels are coded by the model's own library, which must see them as such."""
    if all(column.kind in NUMBERS for column in request.columns):
        return request.numbers(rows, "TreeSHAP")[:, _order(request)]
    table = request.own_form(rows)
    if hasattr(request.model, "formed"):
        return request.model.formed(table)
    if hasattr(request.model, "get_booster"):  # XGBoost; what is left after an early stop no longer knows of levels
        return library("xgboost", "TreeSHAP").DMatrix(table, enable_categorical=True)
    return table


def _order(request: Request) -> list[int]:
    """Find the columns of the table in the order of the trees, which a loaded file knows by name."""
    names = [column.name for column in request.columns]
    known = getattr(request.model, "feature_names_in_", None) if hasattr(request.model, "inside") else None
    return list(range(len(names))) if known is None else [names.index(name) for name in known]


def deepshap(request: Request, *, background: int = 100) -> Found:
    """Explain rows by DeepSHAP, which follows differences to `background` rows back through the layers.

    The model is a torch module that takes rows of numbers, or holds one under the name `module_`.
    """
    torch, shap = library("torch", "DeepSHAP"), library("shap", "DeepSHAP")
    module = _module(torch, request)
    drawn = request.background(background)
    reference = tensor(torch, module, request.numbers(drawn, "DeepSHAP"))
    with quiet(), warnings.catch_warnings():
        # Layers that shap has no rule for are treated as linear; the sums tell whether that holds.
        warnings.filterwarnings("ignore", message="unrecognized nn.Module")
        explainer = shap.DeepExplainer(module, reference)

        def values(rows: Positions) -> Any:
            inputs = tensor(torch, module, request.numbers(rows, "DeepSHAP"))
            return explainer.shap_values(inputs, check_additivity=False)

        contributions = _in_blocks(request, values, explainer, "DeepSHAP")
    return Found(contributions, f"Against {len(drawn):,} background rows.")


def _module(torch: Any, request: Request) -> Any:
    """Find the module, as a copy that shap may change, with an axis of outputs."""
    module = getattr(request.model, "module_", request.model)
    if not isinstance(module, torch.nn.Module):
        raise InputTypeError(
            f"DeepSHAP looks into torch modules; got a {type(request.model).__name__}. Pass the module itself, or use "
            "kernelshap, which asks any model."
        )
    module = copy.deepcopy(module).eval()
    with torch.no_grad():
        flat = module(tensor(torch, module, request.numbers(request.rows[:1], "DeepSHAP"))).ndim == 1
    return torch.nn.Sequential(module, torch.nn.Unflatten(0, (-1, 1))) if flat else module
