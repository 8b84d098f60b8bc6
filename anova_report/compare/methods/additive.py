"""Main effects read from inside a model: EBM (package interpret), TreeHFD (package treehfd), NAM.

Main effects inside an EBM's interactions are moved to the functions of single features first.
"""

import copy
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.attribution import Found
from anova_report.compare.methods.request import Request, require_complete
from anova_report.compare.methods.shapley import trees_of
from anova_report.core.arrays import Floats
from anova_report.core.libraries import library, quiet
from anova_report.core.progress import Steps
from anova_report.core.randomness import seed_for
from anova_report.errors import InputError, InputTypeError, listing
from anova_report.measures.wording import counted

Bins: TypeAlias = tuple[NDArray[np.intp], ...]


@runtime_checkable
class ShapeFunctions(Protocol):
    """What the method "nam" asks of a model: its prediction is the intercept plus one function of each feature.

    A classifier of two classes adds up the logit of its second class.
    """

    intercept_: float

    def shape_functions(self, X: Any) -> Floats:
        """Evaluate what each feature adds, shape (n_rows, n_features).

        In the order of `feature_names_in_` if the model has it, else of the table.
        """
        ...


def bins_of_rows(machine: Any, rows: Any) -> list[Bins]:
    """Find the bins of rows: for each term of a fitted EBM of one output, one array for each of its features.

    Missing values and unknown levels have bins of their own.
    """
    # An EBM tells scores, not bins: one whose scores are the numbers of their cells tells both.
    numbered = copy.copy(machine)
    shapes = [np.shape(scores) for scores in machine.term_scores_]
    numbered.term_scores_ = [np.arange(np.prod(shape), dtype=np.float64).reshape(shape) for shape in shapes]
    with quiet():
        cells = np.asarray(numbered.eval_terms(rows)).astype(np.intp)
    return [np.unravel_index(cells[:, index], shape) for index, shape in enumerate(shapes)]


def without_mains(scores: Floats, counts: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Project an interaction's table on functions of its single features, and subtract the projection.

    `counts` are the rows in each cell: their joint law, however dependent the features are. What is left averages to
    zero over the rows given the bin of any one feature. Returned with it is what moves to the functions of single
    features, axis by axis; for a table of two axes this is, up to a constant, all that was subtracted.

    Examples
    --------
    >>> pure, mains = without_mains(np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> pure.round(3).tolist()
    [[0.167, -0.333], [-0.333, 0.167]]
    >>> [main.round(3).tolist() for main in mains]
    [[-0.25, 0.25], [-0.25, 0.25]]
    """
    purify = library("interpret.utils", "EBM").purify
    found = []
    # Where rows cannot tell two features apart, the first of them would get all: both orders are averaged.
    for table, weights in ((scores, counts), (scores.T, counts.T)):
        pure, parts, _ = purify(np.ascontiguousarray(table), np.ascontiguousarray(weights), is_randomized=False)
        by_axes = dict(parts)
        found.append((pure, [by_axes[(axis,)] for axis in range(table.ndim)]))
    (straight, first), (turned, second) = found
    mains = [(one + other) / 2 for one, other in zip(first, reversed(second), strict=True)]
    return (straight + turned.T) / 2, tuple(mains)


def main_parts(machine: Any, rows: Any, law: Any) -> Floats:
    """Evaluate the main effects inside the interactions of an EBM, shape (n_rows, number of the EBM's features).

    They are separated from the interactions over the rows of the table `law`, and evaluated at `rows`.
    """
    found = np.zeros((len(rows), len(machine.feature_names_in_)))
    binned = zip(bins_of_rows(machine, law), bins_of_rows(machine, rows), strict=True)
    for features, scores, (of_law, of_rows) in zip(machine.term_features_, machine.term_scores_, binned, strict=True):
        if len(features) > 1:
            counts = np.zeros(np.shape(scores))
            np.add.at(counts, of_law, 1.0)
            _, mains = without_mains(np.asarray(scores, dtype=np.float64), counts)
            for feature, main, bins in zip(features, mains, of_rows, strict=True):
                found[:, feature] += main[bins]
    return found


def ebm(request: Request, *, outer_bags: int = 4) -> Found:
    """Explain rows by the shape functions of an EBM.

    An EBM shows its own, with the main effects inside its interactions added to them. To the predictions of any other
    model an EBM of main effects, the average of `outer_bags` fits, is fitted first, on the rows that are explained.
    """
    glassbox = library("interpret.glassbox", "EBM")
    if isinstance(request.model, glassbox.ExplainableBoostingRegressor | glassbox.ExplainableBoostingClassifier):
        return _native(request)
    times = [column.name for column in request.columns if column.kind in ("datetime", "duration")]
    if times:
        raise InputError(
            f"An EBM takes numbers and levels, and these columns hold times: {listing(times)}. Use ale or pdp, which "
            "ask the model in the table's own form."
        )
    seed = seed_for(request.seed, "ebm")
    machine = glassbox.ExplainableBoostingRegressor(interactions=0, outer_bags=outer_bags, random_state=seed)
    rows, predictions = request.own_form(request.rows), request.predictions.values[:, 0]
    with Steps(1, request.progress) as steps, quiet():
        steps.start("EBM")
        machine.fit(rows, predictions)
        values = _single_terms(request, machine, machine.eval_terms(rows))
        fidelity = machine.score(rows, predictions)
    return Found(values, f"An EBM of main effects, fitted to the predictions: R² {fidelity:.3f} on the same rows.")


def _native(request: Request) -> Found:
    machine, rows = request.model, request.own_form(request.rows)
    with quiet():
        terms = np.asarray(machine.eval_terms(rows), dtype=np.float64)
    if terms.ndim > 2:
        raise InputError(
            f"An EBM of {terms.shape[2]} classes adds up scores that are no logits of one class against the rest. "
            "Compare it by kernelshap, which asks for its predictions."
        )
    intercept = float(np.ravel(machine.intercept_)[0])
    request.require_sum(request.sign * (intercept + terms.sum(axis=1)), "An EBM")
    values = _single_terms(request, machine, terms)
    interactions = sum(len(term) > 1 for term in machine.term_features_)
    if not interactions:
        return Found(request.sign * values)
    n_table = request.table.shape[0]
    values[:, _columns(request, machine)] += main_parts(machine, rows, request.own_form(np.arange(n_table)))
    note = (
        f"Main effects inside its {counted(interactions, 'interaction', 'interactions')} were added to its own first, "
        f"over the {n_table:,} rows of the table."
    )
    return Found(request.sign * values, note)


def _single_terms(request: Request, machine: Any, terms: Floats) -> Floats:
    """Order the terms of one feature as the columns of the table; a feature without one contributes nothing."""
    columns = _columns(request, machine)
    values = np.zeros((len(terms), len(request.columns)))
    for index, term in enumerate(machine.term_features_):
        if len(term) == 1:
            values[:, columns[term[0]]] = terms[:, index]
    return values


def _columns(request: Request, machine: Any) -> list[int]:
    """Find the column of the table for each feature of a model: by name if names match, else by position."""
    names = [column.name for column in request.columns]
    own = [str(name) for name in machine.feature_names_in_]
    return [names.index(name) for name in own] if set(own) == set(names) else list(range(len(own)))


def nam(request: Request) -> Found:
    """Explain rows by the shape functions of a neural additive model, or of any model that exposes `ShapeFunctions`.

    Nothing is trained here, so no library of networks is needed.
    """
    model = request.model
    if not isinstance(model, ShapeFunctions):
        raise InputTypeError(
            "nam shows the functions of a model that has shape_functions(X), of shape (n_rows, n_features), and "
            f"intercept_; got a {type(model).__name__}. Use ebm, which is fitted to the predictions of any model."
        )
    shapes = np.asarray(model.shape_functions(request.own_form(request.rows)), dtype=np.float64)
    expected = (len(request.rows), len(request.columns))
    if shapes.shape != expected:
        raise InputError(f"shape_functions(X) must return an array of shape {expected}; got {shapes.shape}.")
    request.require_sum(request.sign * (float(model.intercept_) + shapes.sum(axis=1)), "A NAM")
    values = np.empty(expected)
    values[:, _columns(request, model) if hasattr(model, "feature_names_in_") else slice(None)] = shapes
    return Found(request.sign * values)


def treehfd(request: Request, *, interaction_order: int = 1) -> Found:
    """Explain rows of an XGBRegressor or an XGBClassifier by the main effects of TreeHFD.

    With an `interaction_order` of 2, pairs are estimated as well. For deep trees that takes many times longer and needs
    many more rows: on a few thousand the cells of pairs outnumber the rows, and main effects are worse than with 1.
    """
    module = library("treehfd", "TreeHFD")
    rows = request.numbers(request.rows, "TreeHFD")
    require_complete(rows, "TreeHFD")
    if request.predictions.scale == "probability":
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
    predictions = request.predictions.values[:, 0]
    fidelity = 1 - float(np.mean((explained - predictions) ** 2) / np.var(predictions)) if np.var(predictions) else 1.0
    note = f"TreeHFD of order {interaction_order} explains these predictions with R² {fidelity:.3f}."
    return Found(request.sign * mains, note)


def _bare_model(model: Any) -> Any:
    """Copy an XGBoost model without names of features, which TreeHFD cannot pass on, and without unused trees."""
    xgboost = library("xgboost", "TreeHFD")
    if not isinstance(model, xgboost.XGBRegressor | xgboost.XGBClassifier):
        raise InputTypeError(
            f"TreeHFD reads XGBRegressor and XGBClassifier; got a {type(model).__name__}. Use ale or pdp, which "
            "ask any model."
        )
    used = trees_of(model)
    booster = (used.get_booster() if used is model else used).copy()
    booster.feature_names = booster.feature_types = None
    bare = type(model)()
    bare.load_model(bytearray(booster.save_raw("json")))
    return bare
