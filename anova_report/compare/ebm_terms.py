"""The terms of an EBM as tables over bins, and what its interactions hold of main effects."""

import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.libraries import library, quiet
from anova_report.core.arrays import Floats

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
