"""Models that are sums of shape functions, read from inside: EBM (package interpret) and NAM.

What an EBM's interactions hold of main effects is moved to these first.
"""

import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.methods.attribution import Found
from anova_report.compare.methods.request import Request
from anova_report.compare.nam import NAMRegressor, NeuralAdditiveModel
from anova_report.core.arrays import Floats
from anova_report.core.libraries import library, quiet
from anova_report.core.progress import Steps
from anova_report.errors import InputError, listing

Bins: TypeAlias = tuple[NDArray[np.intp], ...]


@dataclass(frozen=True, eq=False)
class Freed:
    """An interaction's table without main effects, and the main effects that it held.

    Parameters
    ----------
    scores : array, one axis for each feature
        On every row of the table's law, its average given the bin of any one feature is zero.
    mains : tuple of arrays, each of shape (n_bins,)
        What moves to the functions of single features, axis by axis; of a table of two axes, up to a constant, all
        that was taken away.
    """

    scores: Floats
    mains: tuple[Floats, ...]


def bins_of_rows(machine: Any, rows: Any) -> list[Bins]:
    """Find the bins into which rows fall: for each term of an EBM, one array for each of its features.

    Parameters
    ----------
    machine : fitted EBM
        Of one output.
    rows : table
        As the EBM takes it; missing values and unknown levels have bins of their own.
    """
    # An EBM tells scores, not bins: one whose scores are the numbers of their cells tells both.
    numbered = copy.copy(machine)
    shapes = [np.shape(scores) for scores in machine.term_scores_]
    numbered.term_scores_ = [np.arange(np.prod(shape), dtype=np.float64).reshape(shape) for shape in shapes]
    with quiet():
        cells = np.asarray(numbered.eval_terms(rows)).astype(np.intp)
    return [np.unravel_index(cells[:, index], shape) for index, shape in enumerate(shapes)]


def freed_of_mains(scores: Floats, counts: Floats) -> Freed:
    """Project an interaction's table on functions of its parts, under the law of the rows, and take that away.

    Parameters
    ----------
    scores : array, one axis for each feature
    counts : array of the same shape
        Rows in each cell: their joint law, however dependent the features are.

    Examples
    --------
    >>> scores = np.array([[0.0, 0.0], [0.0, 1.0]])
    >>> freed = freed_of_mains(scores, np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> freed.scores.round(3).tolist()
    [[0.167, -0.333], [-0.333, 0.167]]
    >>> [main.round(3).tolist() for main in freed.mains]
    [[-0.25, 0.25], [-0.25, 0.25]]
    """
    # Where rows cannot tell two features apart, what comes first would get all: both orders, on average, are fair.
    straight, turned = _purified(scores, counts), _purified(scores.T, counts.T)
    mains = [(first + second) / 2 for first, second in zip(straight.mains, reversed(turned.mains), strict=True)]
    return Freed((straight.scores + turned.scores.T) / 2, tuple(mains))


def main_parts(machine: Any, rows: Any, law: Any) -> Floats:
    """Evaluate the main effects that the interactions of an EBM hold, shape (n_rows, number of the EBM's features).

    Parameters
    ----------
    machine : fitted EBM
        Of one output.
    rows : table
        Where to evaluate.
    law : table
        Rows over which interactions are freed of main effects.
    """
    found = np.zeros((len(rows), len(machine.feature_names_in_)))
    terms = zip(
        machine.term_features_,
        machine.term_scores_,
        bins_of_rows(machine, law),
        bins_of_rows(machine, rows),
        strict=True,
    )
    for features, scores, of_law, of_rows in terms:
        if len(features) > 1:
            counts = np.zeros(np.shape(scores))
            np.add.at(counts, of_law, 1.0)
            freed = freed_of_mains(np.asarray(scores, dtype=np.float64), counts)
            for feature, main, bins in zip(features, freed.mains, of_rows, strict=True):
                found[:, feature] += main[bins]
    return found


def _purified(scores: Floats, counts: Floats) -> Freed:
    purify = library("interpret.utils", "EBM").purify
    pure, parts, _ = purify(np.ascontiguousarray(scores), np.ascontiguousarray(counts), is_randomized=False)
    by_axes = dict(parts)
    return Freed(pure, tuple(by_axes[(axis,)] for axis in range(scores.ndim)))


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


def nam(request: Request, *, max_epochs: int = 200) -> Found:
    """Explain rows by the shape functions of a neural additive model.

    A NAM of this package shows its own. To the answers of any other model one is fitted first, on the rows that are
    explained, and its functions are shown.

    Parameters
    ----------
    request : Request
    max_epochs : int
        For a NAM that is fitted here.
    """
    rows = request.own_form(request.rows)
    if isinstance(request.model, NeuralAdditiveModel):
        shapes = request.model.shape_functions(rows)
        request.require_sum(request.sign * (request.model.intercept_ + shapes.sum(axis=1)), "A NAM")
        return Found(request.sign * shapes)
    answers = request.answers.values[:, 0]
    network = NAMRegressor(max_epochs=max_epochs, random_state=request.seed, progress=request.progress)
    network.fit(rows, answers)
    fidelity = network.score(rows, answers)
    note = f"A NAM fitted to the answers: R² {fidelity:.3f} on the same rows."
    return Found(network.shape_functions(rows), note)
