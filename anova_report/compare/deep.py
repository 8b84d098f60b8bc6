"""DeepSHAP: approximate Shapley values from inside a torch module (package shap)."""

import copy
import warnings
from typing import Any

import numpy as np

from anova_report.compare.libraries import library, quiet
from anova_report.compare.methods import Found
from anova_report.compare.request import Request, tensor
from anova_report.compare.shapley import by_output, one_output
from anova_report.errors import InputTypeError

BLOCK_ROWS = 50  # rows per call, so that a bar can move


def deepshap(request: Request, *, background: int = 100) -> Found:
    """Explain rows by DeepSHAP, which follows differences to background rows back through the layers.

    Parameters
    ----------
    request : Request
        Its model is a torch module that takes rows of numbers, or holds one under the name `module_`.
    background : int
        Rows that differences are taken to.
    """
    torch, shap = library("torch", "DeepSHAP"), library("shap", "DeepSHAP")
    module = _module(torch, request)
    drawn = request.background(background)
    reference = tensor(torch, module, request.numbers(drawn, "DeepSHAP"))
    blocks = []
    with quiet(), warnings.catch_warnings():
        # Layers that shap has no rule for are treated as linear; whether that holds, the sums tell.
        warnings.filterwarnings("ignore", message="unrecognized nn.Module")
        explainer = shap.DeepExplainer(module, reference)
        starts = range(0, len(request.rows), BLOCK_ROWS)
        for start in request.bar(starts, len(starts), "DeepSHAP"):
            rows = request.numbers(request.rows[start : start + BLOCK_ROWS], "DeepSHAP")
            values = explainer.shap_values(tensor(torch, module, rows), check_additivity=False)
            blocks.append(by_output(values))
    contributions, base = one_output(request, np.concatenate(blocks), explainer.expected_value)
    request.require_sum(base + contributions.sum(axis=1), "DeepSHAP")
    return Found(contributions, f"Against {len(drawn)} background rows.")


def _module(torch: Any, request: Request) -> Any:
    """Find the module, as a copy that shap may change, with an axis of outputs."""
    module = getattr(request.model, "module_", request.model)
    if not isinstance(module, torch.nn.Module):
        raise InputTypeError(
            f"DeepSHAP looks into torch modules, and the model is a {type(request.model).__name__}. Pass the module "
            "itself, or use kernelshap, which asks any model."
        )
    module = copy.deepcopy(module).eval()
    with torch.no_grad():
        flat = module(tensor(torch, module, request.numbers(request.rows[:1], "DeepSHAP"))).ndim == 1
    return torch.nn.Sequential(module, torch.nn.Unflatten(0, (-1, 1))) if flat else module
