"""TreeHFD: the functional decomposition of an XGBoost model, from inside its trees (package treehfd)."""

from typing import Any

import numpy as np

from anova_report.compare.methods.attribution import Found
from anova_report.compare.methods.request import Request, require_complete
from anova_report.compare.methods.shapley import trees_of
from anova_report.core.libraries import library, quiet
from anova_report.core.progress import Steps
from anova_report.errors import InputError, InputTypeError


def treehfd(request: Request, *, interaction_order: int = 1) -> Found:
    """Explain rows by the main effects of TreeHFD.

    Parameters
    ----------
    request : Request
        Its model is an XGBRegressor or an XGBClassifier.
    interaction_order : {1, 2}
        With 2 pairs are estimated beside the main effects. For deep trees that takes many times longer, and needs many
        more rows: on a few thousand the cells of pairs outnumber the rows, and main effects are worse than with 1.
    """
    module = library("treehfd", "TreeHFD")
    rows = request.numbers(request.rows, "TreeHFD")
    require_complete(rows, "TreeHFD")
    if request.answers.scale == "probability":
        raise InputError("TreeHFD explains logits, and probabilities were asked for. Leave out scale='probability'.")
    with Steps(2, request.progress) as steps, quiet():
        explainer = module.XGBTreeHFD(_bare_model(request.model))
        steps.start("TreeHFD fit")
        explainer.fit(rows, interaction_order=interaction_order, verbose=False)
        steps.start("TreeHFD effects")
        mains, pairs = explainer.predict(rows, verbose=False)
    if mains.ndim == 3:
        raise InputError("TreeHFD is compared for two classes at most. Use kernelshap, which asks for one output.")
    explained = request.sign * (explainer.eta0 + mains.sum(axis=1) + pairs.sum(axis=1))
    answers = request.answers.values[:, 0]
    fidelity = 1 - float(np.mean((explained - answers) ** 2) / np.var(answers)) if np.var(answers) else 1.0
    return Found(
        request.sign * mains, f"TreeHFD of order {interaction_order} explains these answers with R² {fidelity:.3f}."
    )


def _bare_model(model: Any) -> Any:
    """Copy an XGBoost model without names of features, which TreeHFD cannot pass on, and without unused trees."""
    xgboost = library("xgboost", "TreeHFD")
    if not isinstance(model, xgboost.XGBRegressor | xgboost.XGBClassifier):
        raise InputTypeError(
            f"TreeHFD reads XGBRegressor and XGBClassifier, and the model is a {type(model).__name__}. Use ale or "
            "pdp, which ask any model."
        )
    used = trees_of(model)
    booster = (used.get_booster() if used is model else used).copy()
    booster.feature_names = booster.feature_types = None
    bare = type(model)()
    bare.load_model(bytearray(booster.save_raw("json")))
    return bare
