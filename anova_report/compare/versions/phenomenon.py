"""The data themselves, decomposed as a model was, to see where the model departs from what was observed."""

from dataclasses import replace
from typing import Any

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.estimator import FunctionalANOVA, PublishedANOVA
from anova_report.errors import InputError, listing


def phenomenon(X: Any, target: Any, like: Decomposition) -> Decomposition:
    """Decompose what was observed, noise and all, with the settings of a model's decomposition.

    Compared with that decomposition by `compare_decompositions`, it shows which effects the model has learnt as they
    are in the data, and which it exaggerates, flattens or has missed.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    target : array-like of shape (n_rows,)
        What was observed: numbers, or classes where `like` explains probabilities.
    like : Decomposition
        Of the model's answers.
    """
    if like.scale in ("logit", "margin"):
        raise InputError(
            f"The model was explained on the scale {like.scale!r}, and a single observed class has no such number. "
            "Explain the model with scale='probability': what was observed is then 0 or 1."
        )
    settings = dict(like.settings)
    name = settings.pop("estimator", None)
    estimators = {kind.__name__: kind for kind in (FunctionalANOVA, PublishedANOVA)}
    if name not in estimators:
        raise InputError(
            f"The decomposition was made by {name!r}; known are {listing(list(estimators))}. Fit one of them."
        )
    observed = _indicators(target, like) if like.scale == "probability" else np.asarray(target)
    found = estimators[name](**settings).fit(X, observed).decomposition_
    same = len(like.output_names) == len(found.output_names)
    return replace(found, output_names=like.output_names if same else found.output_names, scale=like.scale)


def _indicators(target: Any, like: Decomposition) -> Any:
    """Write classes as columns of 0 and 1, one for each class that the decomposition explains."""
    column = np.asarray(target, dtype=object)
    texts = np.array([str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in column.tolist()])
    found = np.column_stack([texts == name for name in like.output_names]).astype(np.float64)
    absent = [name for name, hits in zip(like.output_names, found.T, strict=True) if not hits.any()]
    if absent:
        raise InputError(
            f"The class(es) {listing(absent)} that the decomposition explains do not occur in the target, which holds "
            f"{listing(sorted(set(texts.tolist())), limit=10)}."
        )
    return found[:, 0] if like.single_output else found
