"""How each chunk of rows moved the estimates: uncertainty from sums over rows, without another fit or model call.

Leaving a chunk out, or counting it twice, changes a penalised fit by its score, (G + λP)⁻¹ Σ_{rows of the chunk} B r.
What the chunk does to the projections that purify interactions and to the averages that centre components is added.
The spread of an estimate over resampled rows is then the root of the sum of squares over chunks (a jackknife).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from anova_report.core.arrays import Floats, read_only
from anova_report.core.engines.threads import in_order
from anova_report.core.expansion import Component, Expansion
from anova_report.core.fit.families import MarginalReference
from anova_report.core.fit.purification import Projection, symmetric
from anova_report.core.fit.replicates import CHUNKS, deviations
from anova_report.core.fit.solve import factor, solve_factored
from anova_report.core.fit.summary import Assembly, ChunkSums, ScoreSums
from anova_report.core.terms import Term

PROBES = 32  # random vectors for a trace; its error is then well below one percent of the columns
MAX_POWER = 300  # of ten; beyond, its inverse is no float
DIGITS = 6  # of the largest that are kept: a band needs no more, and files stay small


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What each chunk of rows contributed to the estimates.

    Parameters
    ----------
    components : tuple of Expansion
        For each output, components whose "outputs" are chunks: evaluated at a row they give the chunks' contributions.
    structural : array of shape (n_terms, n_chunks, n_outputs)
        Contributions to Var(ν_S) / Var(ν).
    total : array of shape (n_terms, n_chunks, n_outputs)
        Contributions to Cov(ν_S, ν) / Var(ν).
    in_sample, held_out : arrays of shape (n_chunks, n_outputs)
        Contributions to R².
    dealt : str
        Of the rows and how they were dealt out to chunks. Where it is the same in two decompositions, their chunks are
        the same rows, and the contributions to a difference are the differences of contributions. Empty: not known.
    """

    components: tuple[Expansion, ...]
    structural: Floats
    total: Floats
    in_sample: Floats
    held_out: Floats
    dealt: str = ""

    def __post_init__(self) -> None:
        read_only(self.structural, self.total, self.in_sample, self.held_out)


def standard_error(contributions: Floats, axis: int = -1) -> Floats:
    """Estimate a standard error from the contributions of chunks along one axis.

    Examples
    --------
    >>> standard_error(np.array([1.0, -1.0]))
    array(2.)
    """
    n_chunks = contributions.shape[axis]
    return np.asarray(np.sqrt((contributions**2).sum(axis=axis) * n_chunks / (n_chunks - 1)))


def uncertainty(
    assembly: Assembly, sums: ChunkSums, scores: ScoreSums, held_out: ChunkSums, dealt: str = ""
) -> Uncertainty:
    """Trace every estimate back to the chunks of rows.

    Parameters
    ----------
    assembly : Assembly
        The fit on all rows.
    sums, scores : ChunkSums, ScoreSums
        Over the same rows.
    held_out : ChunkSums
        Over held-out rows, of the fits that have not seen them.
    dealt : str
        What the rows of each chunk can be recognised by.
    """
    moves = coefficient_contributions(assembly, scores, sums.n_rows)
    structural, total = _share_contributions(assembly, sums, moves)
    expansions = in_order(lambda output: _expansion(assembly, sums, moves, output), range(sums.gaps.shape[1]))
    return Uncertainty(
        components=tuple(expansions),
        structural=significant(structural),
        total=significant(total),
        in_sample=significant(_fidelity_contributions(sums)),
        held_out=significant(_fidelity_contributions(held_out)),
        dealt=dealt,
    )


def coefficient_contributions(assembly: Assembly, sums: ScoreSums, chunk_rows: Floats) -> dict[Term, Floats]:
    """Contributions of chunks to the coefficients of each component, shapes (n_products, CHUNKS, n_outputs)."""
    fit, projections = assembly.fit, assembly.purified.projections
    n_rows, gram = fit.normal.n_rows, fit.normal.gram
    upper = factor(gram, fit.ridge)
    # Residuals are smaller than the noise by the degrees of freedom that the fit has used.
    shrunk = max(1 - degrees_of_freedom(upper, fit.ridge) / n_rows, 0.1)
    scores = np.moveaxis(deviations(sums.scores, chunk_rows), 1, 0)
    moves = solve_factored(upper, scores.reshape(len(upper), -1)).reshape(scores.shape) / n_rows / shrunk
    averages = [deviations(functions, chunk_rows) / n_rows for functions in sums.functions]

    def hand_over(term: Term) -> Floats:
        at, own = projections[term].positions, fit.columns.positions[term]
        by_law = _moved_by_laws(assembly, term, averages)
        part_sums = deviations(sums.parts.of(term).swapaxes(0, 1), chunk_rows).transpose(2, 0, 1) / n_rows
        part_sums = part_sums + np.tensordot(symmetric(gram, at, own), moves[own], axes=1)
        part_sums = part_sums - np.tensordot(symmetric(gram, at), by_law, axes=1)
        return by_law + _projected(projections[term], gram[0, at[1:]], part_sums)

    components: dict[Term, Floats] = {}
    for order in sorted({len(term) for term in projections}, reverse=True):
        terms = [term for term in projections if len(term) == order]
        # Interactions of one order hand over to lower ones only, so they need not wait for each other.
        for term, shift in zip(terms, list(in_order(hand_over, terms)), strict=True):
            components[term] = np.concatenate([moves[fit.columns.positions[term]], -shift])
            moves[projections[term].positions] += shift
    mains = {term: moves[own] for term, own in fit.columns.positions.items() if len(term) == 1}
    return components | mains


def _moved_by_laws(assembly: Assembly, term: Term, averages: Sequence[Floats]) -> Floats:
    """Trace what an interaction hands over to its parts when a chunk counts twice in the laws of the features.

    Its products are made of functions that average to zero. Under the law with the chunk they do not, and what they
    average to times the other factors is a part, Σ a_{lm} φ_l(x_i) E[φ_m(X_j)]: shape (n_parts, CHUNKS, n_outputs).
    """
    columns = assembly.fit.columns
    chosen, coefficients = columns.functions[term], assembly.purified.coefficients[columns.positions[term]]
    moved = [np.zeros((1, CHUNKS, coefficients.shape[1]))]
    for part in assembly.parts.of(term):
        inside = np.isin(term, part)
        left_out = np.flatnonzero(~inside)
        # Which column of the part each product falls to; a part may lack the functions of some.
        match = (columns.functions[part][:, None] == chosen[:, inside]).all(axis=2).astype(float)
        if len(left_out) == 1:
            average = averages[term[left_out[0]]][:, chosen[:, left_out[0]]]
            moved.append(np.tensordot(match, average.T[:, :, None] * coefficients[:, None], axes=1))
        else:  # two averages near zero multiply to nothing
            moved.append(np.zeros((len(match), *moved[0].shape[1:])))
    return np.concatenate(moved)


def _projected(projection: Projection, means: Floats, part_sums: Floats) -> Floats:
    """Project what average products with the parts, the constant first, have changed by."""
    centred = part_sums[1:] - means[:, None, None] * part_sums[0]
    shift = np.moveaxis(projection.project(np.moveaxis(centred, 2, 0)), 0, 2)
    return np.concatenate([(part_sums[0] - np.tensordot(means, shift, axes=1))[None], shift])


def degrees_of_freedom(upper: Floats, ridge: Floats) -> float:
    """Trace of G (G + R)⁻¹ = n_columns − trace R (G + R)⁻¹, by Hutchinson's random signs: the exact one costs a fit.

    Examples
    --------
    >>> round(degrees_of_freedom(np.diag([1.0, 2.0]), np.array([1.0, 0.0])), 6)
    1.0
    """
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(upper), PROBES))
    root = np.sqrt(ridge)[:, None] * signs
    half = solve_triangular(upper, root, trans=1, check_finite=False)
    return float(len(upper) - (half**2).sum() / PROBES)


def significant(values: Floats) -> Floats:
    """Round to a few significant digits of the largest.

    Examples
    --------
    >>> significant(np.array([1.23456789, -0.0123456789, 0.0])).tolist()
    [1.23457, -0.01235, 0.0]
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest:
        return values
    size = math.floor(math.log10(largest)) - DIGITS + 1
    if abs(size) > MAX_POWER:
        return values
    # A power of ten with a negative exponent is no float, so what is kept is divided by one that is.
    return np.round(values * 10.0**-size) / 10.0**-size if size < 0 else np.round(values / 10.0**size) * 10.0**size


def _expansion(assembly: Assembly, sums: ChunkSums, moves: dict[Term, Floats], output: int) -> Expansion:
    """Components that give, at a row, what each chunk contributed to the value there."""
    fit = assembly.fit
    components = []
    for index, term in enumerate(assembly.terms):
        # Counting a chunk twice moves the average that a component is centred by.
        centring = -deviations(sums.values[:, output, index], sums.n_rows) / fit.normal.n_rows
        if len(term) == 1:
            averages = fit.normal.gram[0, fit.columns.positions[term]]
            centring = centring - averages @ moves[term][:, :, output] * fit.rows.spread[output]
        coefficients = significant(moves[term][:, :, output] * fit.rows.spread[output])
        components.append(Component(term, assembly.degrees(term), coefficients, significant(centring)))
    return Expansion(MarginalReference(tuple(fit.rows.marginals)), tuple(components), np.zeros(CHUNKS))


def _share_contributions(assembly: Assembly, sums: ChunkSums, moves: dict[Term, Floats]) -> tuple[Floats, Floats]:
    """Contributions to structural and total shares, shapes (n_terms, CHUNKS, n_outputs)."""
    gram, cross = assembly.fit.normal.gram, assembly.fit.normal.cross
    n_rows, scale = assembly.fit.normal.n_rows, assembly.fit.rows.spread**2
    variance, by_variance = _answer_variance(sums)
    known = np.where(variance > 0, variance, np.inf)
    squares, products = sums.squares[:, :, :-1], sums.products[:, :, :-1]
    structural, total = (
        deviations(by_chunk, sums.n_rows).transpose(2, 0, 1) / n_rows for by_chunk in (squares, products)
    )
    for index, term in enumerate(assembly.terms):
        at = assembly.positions(term)
        slope = symmetric(gram, at) @ assembly.coefficients(term)
        structural[index] += 2 * scale * np.einsum("po,pko->ko", slope, moves[term])
        total[index] += scale * np.einsum("po,pko->ko", cross[at] - np.outer(gram[0, at], cross[0]), moves[term])
    shares = (by_chunk.sum(axis=0).T[:, None] / n_rows / known for by_chunk in (squares, products))
    structural, total = (
        (moved - share * by_variance) / known for moved, share in zip((structural, total), shares, strict=True)
    )
    return structural, total


def _fidelity_contributions(sums: ChunkSums) -> Floats:
    """Contributions to R², shape (CHUNKS, n_outputs)."""
    n_rows = sums.n_rows.sum()
    variance, by_variance = _answer_variance(sums)
    known = np.where(variance > 0, variance, np.inf)
    unexplained = sums.gaps.sum(axis=0) / n_rows / known
    return np.asarray((unexplained * by_variance - deviations(sums.gaps, sums.n_rows) / n_rows) / known)


def _answer_variance(sums: ChunkSums) -> tuple[Floats, Floats]:
    """Variance of the answers, (n_outputs,), and the contributions of chunks to it, (CHUNKS, n_outputs)."""
    n_rows = float(sums.n_rows.sum())
    mean = sums.answers.sum(axis=0) / n_rows
    squares = sums.squared_answers - 2 * mean * sums.answers + np.outer(sums.n_rows, mean**2)
    return squares.sum(axis=0) / n_rows, deviations(squares, sums.n_rows) / n_rows
