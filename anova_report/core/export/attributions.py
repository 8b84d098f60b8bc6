"""Explanations of rows as objects of shap and of shapiq, which draw them."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from anova_report.core.libraries import library, quiet
from anova_report.errors import InputError

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition


def shap_explanation(dec: "Decomposition", X: Any) -> Any:
    """Return ANOVA-Shapley values of rows as a `shap.Explanation`."""
    shap = library("shap", "shap.Explanation")
    values = dec.shapley(X)
    means = np.broadcast_to(np.asarray(dec.mean), (len(values), *values.shape[2:]))
    with quiet():
        return shap.Explanation(
            values=values,
            base_values=np.array(means),
            data=_shown(dec, X),
            feature_names=list(dec.feature_titles),
            output_names=None if dec.single_output else list(dec.output_names),
        )


def interaction_values(dec: "Decomposition", row: Any, output: str | int | None = None) -> Any:
    """Return the components of one row as `shapiq.InteractionValues`, interactions kept as they are."""
    shapiq = library("shapiq", "shapiq.InteractionValues")
    at, found = dec.output_index(output), dec.components(row)
    if len(found) != 1:
        raise InputError(f"One row is explained at a time; got {len(found):,}. Pass X[:1], or X.iloc[[0]].")
    values = found[0] if dec.single_output else found[0, :, at]
    mean, order = float(dec.expansion.mean[at]), max(map(len, dec.terms), default=1)
    n_features = len(dec.features)
    # Mains are there even where a feature has no term, since plots draw all of them.
    every = {(index,): 0.0 for index in range(n_features)} | dict(zip(dec.terms, values.tolist(), strict=True))
    keys = [(), *(key for size in range(1, order + 1) for key in combinations(range(n_features), size) if key in every)]
    return shapiq.InteractionValues(
        np.array([mean, *(every[key] for key in keys[1:])]),
        index="Moebius",  # of the game whose coalitions are worth the sum of the components within them
        max_order=order,
        min_order=0,
        n_players=n_features,
        interaction_lookup={key: position for position, key in enumerate(keys)},
        estimated=True,
        baseline_value=mean,
    )


def _shown(dec: "Decomposition", X: Any) -> Any:
    """List the values of rows as their owner wrote them: numbers, and names of levels."""
    encoded = dec.encode(X)
    if not any(feature.has_levels for feature in dec.features):
        return encoded
    shown = encoded.astype(object)
    for index, feature in enumerate(dec.features):
        if feature.has_levels:
            names = dict(enumerate(feature.levels))
            shown[:, index] = [names.get(code) for code in np.nan_to_num(encoded[:, index], nan=-1.0).tolist()]
    return shown
