"""The methods by name, with what each is compared with and why."""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from anova_report.compare.methods.additive import ebm, nam, treehfd
from anova_report.compare.methods.attribution import Attribution, Method
from anova_report.compare.methods.partial import ale, pdp
from anova_report.compare.methods.request import make_request
from anova_report.compare.methods.shapley import deepshap, kernelshap, treeshap, treeshap_interventional
from anova_report.core.arrays import Floats
from anova_report.core.input.scales import Scale
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError, listing

SHARED = (
    "It shares the whole prediction of a row among the features, interactions included, so its counterpart is the "
    "ANOVA-Shapley value, which shares every component equally among its features; with independent inputs the two are "
    "the same number."
)

_ALL = (
    Method(
        "treeshap",
        "TreeSHAP, path-dependent",
        treeshap,
        "ANOVA-Shapley value",
        f"{SHARED} With dependent inputs it averages over a feature that is left out along the paths of the trees, "
        "which follows the dependence only as far as the splits do.",
        max_rows=2000,
    ),
    Method(
        "treeshap-interventional",
        "TreeSHAP, interventional",
        treeshap_interventional,
        "ANOVA-Shapley value",
        f"{SHARED} With dependent inputs it puts values together that never occur together, so it describes the model "
        "off the data as well as on it.",
        max_rows=1000,
    ),
    Method(
        "kernelshap",
        "KernelSHAP",
        kernelshap,
        "ANOVA-Shapley value",
        f"{SHARED} With dependent inputs it asks the model about mixed rows that never occur, and a small background "
        "adds noise.",
        max_rows=100,
    ),
    Method(
        "deepshap",
        "DeepSHAP",
        deepshap,
        "ANOVA-Shapley value",
        f"{SHARED} It approximates Shapley values layer by layer, so interactions may be shared differently even with "
        "independent inputs.",
        max_rows=1000,
    ),
    Method(
        "treehfd",
        "TreeHFD",
        treehfd,
        "main effect",
        "It estimates the same decomposition from inside the trees, with orthogonality over the cells of each tree, so "
        "its main effects are compared with ours; they should agree as far as both are estimated well.",
        max_rows=3000,
    ),
    Method(
        "ebm",
        "EBM",
        ebm,
        "main effect",
        "Its shape functions are main effects. Main effects inside its interactions are added to them first, under the "
        "same distribution of the rows as ours, so both describe the same functions.",
        max_rows=5000,
    ),
    Method(
        "nam",
        "NAM",
        nam,
        "main effect",
        "It is a sum of functions of one feature each, so these functions, centered, are its main effects whatever the "
        "dependence.",
        max_rows=5000,
    ),
    Method(
        "pdp",
        "Partial dependence",
        pdp,
        "main effect",
        "The average prediction with one feature set to a value is the main effect if inputs are independent, or if "
        "the feature does not interact; with dependent inputs it averages over rows that never occur.",
        max_rows=2000,
    ),
    Method(
        "ale",
        "Accumulated local effects",
        ale,
        "main effect",
        "It adds up local differences, so it stays on the data, and equals the main effect if the feature does not "
        "interact or inputs are independent; with dependent inputs the two share an interaction differently.",
        max_rows=5000,
    ),
)
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})


def attribute(  # noqa: PLR0913 what a user may choose, all but three by name
    method: str,
    model: Any,
    X: Any,
    *,
    like: Decomposition | None = None,
    scale: Scale | None = None,
    output: Any = None,
    max_rows: int | None = None,
    random_state: int = 0,
    progress: bool = True,
    **settings: Any,
) -> Attribution:
    """Explain rows by another method.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    model : object
        As `explain` takes it; some methods look into it.
    X : table of shape (n_rows, n_features)
        In the form in which the model takes it.
    like : Decomposition, optional
        Which the result will be compared with: its scale, class and codes of levels are used.
    scale : {"logit", "probability", "log", "identity"}, optional
        As for `explain`; that of `like`, or log-odds of classes and predictions of numbers as they are.
    output : object, optional
        One class, by its label, or one column of the predictions, by its position.
    max_rows : int, optional
        Explain at most so many rows, drawn at random; each method has its own default.
    random_state : int
        Decides about all that is drawn.
    progress : bool
        Show a bar once it has taken two seconds.
    **settings
        Of the method.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> found = attribute("pdp", lambda rows: 3 * rows[:, 0], X)
    >>> value, contribution = found.column("x0")
    >>> bool(np.allclose(contribution, 3 * (value - value.mean())))
    True
    """
    chosen = find_method(method)
    _check_settings(chosen, settings)
    request = make_request(
        model,
        X,
        like,
        scale=scale,
        output=output,
        max_rows=chosen.max_rows if max_rows is None else max_rows,
        random_state=random_state,
        progress=progress,
    )
    values, predictions = request.values, request.predictions
    found = chosen.explain(request, **settings)
    n_rows, n_table = len(request.rows), request.table.shape[0]
    budget = f"{n_rows:,} of {n_table:,} rows." if n_rows < n_table else f"All {n_table:,} rows."
    return Attribution(
        method=chosen.name,
        title=chosen.title,
        features=request.features,
        rows=request.rows,
        values=values,
        contributions=centered(found.contributions),
        output=predictions.names[0],
        scale=predictions.scale,
        counterpart=chosen.counterpart,
        note=f"{budget} {found.note}".strip(),
    )


def find_method(name: str) -> Method:
    """Look a method up by name.

    Raises
    ------
    InputError
        If there is none; the message lists those there are.
    """
    if name not in METHODS:
        raise InputError(f"There is no method {name!r}. There are: {listing(list(METHODS), limit=20)}.")
    return METHODS[name]


def centered(contributions: Floats) -> Floats:
    """Give every column mean zero over the rows where it is known."""
    known = np.isfinite(contributions)
    counts = known.sum(axis=0).clip(1)
    return np.asarray(contributions - np.where(known, contributions, 0.0).sum(axis=0) / counts)


def _check_settings(method: Method, settings: Mapping[str, Any]) -> None:
    known = [name for name in inspect.signature(method.explain).parameters if name != "request"]
    unknown = [name for name in settings if name not in known]
    if unknown:
        theirs = f"its settings are {listing(known)}" if known else "it has none"
        raise InputError(f"{method.title} has no setting {listing(unknown)}; {theirs}.")
