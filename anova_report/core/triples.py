"""Interactions of three features, looked for only where all three of their pairs were found (heredity)."""

from collections.abc import Collection
from itertools import combinations

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.basis import product_columns
from anova_report.core.design import Block, Columns
from anova_report.core.rows import GroupedRows
from anova_report.core.screening import Evidence, Residuals, Sieve, fitting, judge
from anova_report.core.terms import Term

DEGREE = 5  # in each direction: 125 products a triple
SIEVE = Sieve(3.5, 3)


def candidate_triples(columns: Columns) -> list[Term]:
    """List the triples of which all three pairs are there.

    Examples
    --------
    >>> pairs = [Block(pair, np.zeros((1, 2), dtype=int)) for pair in ((0, 1), (0, 2), (1, 2), (1, 3))]
    >>> candidate_triples(Columns(tuple(pairs)))
    [(0, 1, 2)]
    """
    pairs = {term for term in columns.positions if len(term) == 2}
    features = sorted({feature for pair in pairs for feature in pair})
    return [triple for triple in combinations(features, 3) if pairs.issuperset(combinations(triple, 2))]


def choose_triples(
    rows: GroupedRows, learn: Collection[int], columns: Columns, coefficients: Floats, room: int
) -> list[Block]:
    """Choose products of three functions that the residual of a fit calls for, the strongest triple first."""
    triples = candidate_triples(columns)
    if not triples:
        return []
    residuals = Residuals(columns.evaluator(coefficients), next(rows.parts(learn)))
    means: dict[Term, Floats] = {}
    squares: dict[Term, Floats] = {}
    spread, n_rows = np.zeros(1), 0
    for part in rows.parts(learn):
        left = residuals.of(part).astype(float)
        spread = spread + (left**2).sum(axis=1)
        n_rows += left.shape[1]
        for triple in triples:
            products = product_columns([part.functions[feature][:DEGREE].T for feature in triple])
            means[triple] = means.get(triple, 0.0) + left @ products
            squares[triple] = squares.get(triple, 0.0) + left**2 @ products**2
    spread = spread / n_rows
    ranked = []
    for triple in triples:
        shape = [min(DEGREE, rows.marginals[feature].roughness.size) for feature in triple]
        mean = np.reshape(means[triple] / n_rows, (len(spread), *shape))
        variance = np.reshape(squares[triple] / n_rows**2, mean.shape)
        score, keep = judge(Evidence(mean, variance), spread, SIEVE, residuals.needed)
        if keep.any():
            ranked.append((score, Block(triple, np.argwhere(keep))))
    ranked.sort(key=lambda item: -item[0])
    return fitting([block for _, block in ranked], room)
