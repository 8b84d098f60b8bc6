"""How each chunk of rows moved the estimates: uncertainty from sums over rows, without another fit or model call.

Leaving a chunk out, or counting it twice, changes a penalised fit by its score, (G + λP)⁻¹ Σ_{rows of the chunk} B r.
What the chunk does to the projections that purify interactions and to the averages that centre components is added.
The spread of an estimate over resampled rows is then the root of the sum of squares over chunks (a jackknife).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from anova_report.core.arrays import Floats, read_only
from anova_report.core.assembly import Assembly
from anova_report.core.chunks import CHUNKS, deviations
from anova_report.core.expansion import Component, Expansion
from anova_report.core.marginals import MarginalReference
from anova_report.core.purify import symmetric
from anova_report.core.solve import factor, solve_factored
from anova_report.core.summary import ChunkSums, ScoreSums
from anova_report.core.terms import Term

PROBES = 32  # random vectors for a trace; its error is then well below one percent of the columns
DIGITS = 5  # significant digits that are kept: a band needs no more, and files stay small


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
    """

    components: tuple[Expansion, ...]
    structural: Floats
    total: Floats
    in_sample: Floats
    held_out: Floats

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


def uncertainty(assembly: Assembly, sums: ChunkSums, scores: ScoreSums, held_out: ChunkSums) -> Uncertainty:
    """Trace every estimate back to the chunks of rows.

    Parameters
    ----------
    assembly : Assembly
        The fit on all rows.
    sums, scores : ChunkSums, ScoreSums
        Over the same rows.
    held_out : ChunkSums
        Over held-out rows, of the fits that have not seen them.
    """
    moves = coefficient_contributions(assembly, scores, sums.n_rows)
    outputs = range(sums.gaps.shape[1])
    shares = [_share_contributions(assembly, sums, moves, output) for output in outputs]
    return Uncertainty(
        components=tuple(_expansion(assembly, sums, moves, output) for output in outputs),
        structural=significant(np.stack([structural for structural, _ in shares], axis=-1)),
        total=significant(np.stack([total for _, total in shares], axis=-1)),
        in_sample=significant(_fidelity_contributions(sums)),
        held_out=significant(_fidelity_contributions(held_out)),
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
    components: dict[Term, Floats] = {}
    for term in sorted(projections, key=len, reverse=True):
        projection, own = projections[term], fit.columns.positions[term]
        part_sums = np.moveaxis(deviations(sums.parts.of(term), chunk_rows), 1, 0) / n_rows
        part_sums = part_sums + np.tensordot(symmetric(gram, projection.positions, own), moves[own], axes=1)
        means = gram[0, projection.positions[1:]]
        centred = part_sums[1:] - means[:, None, None] * part_sums[0]
        shift = np.stack([found @ centred[:, :, o] for o, found in enumerate(projection.maps)], axis=2)
        shift = np.concatenate([(part_sums[0] - np.tensordot(means, shift, axes=1))[None], shift])
        components[term] = np.concatenate([moves[own], -shift])
        moves[projection.positions] += shift
    mains = {term: moves[own] for term, own in fit.columns.positions.items() if len(term) == 1}
    return components | mains


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
    """Round to a few significant digits.

    Examples
    --------
    >>> significant(np.array([1.23456789, -0.000123456789, 0.0])).tolist()
    [1.2346, -0.00012346, 0.0]
    """
    size = np.floor(np.log10(np.abs(values), where=values != 0, out=np.zeros_like(values)))
    scale = 10.0 ** (DIGITS - 1 - size)
    return np.asarray(np.round(values * scale) / scale)


def _expansion(assembly: Assembly, sums: ChunkSums, moves: dict[Term, Floats], output: int) -> Expansion:
    """Components that give, at a row, what each chunk contributed to the value there."""
    fit = assembly.fit
    components = []
    for index, term in enumerate(assembly.terms):
        # Counting a chunk twice moves the average that a component is centred by.
        centring = -deviations(sums.values[:, index, output], sums.n_rows) / fit.normal.n_rows
        if len(term) == 1:
            averages = fit.normal.gram[0, fit.columns.positions[term]]
            centring = centring - averages @ moves[term][:, :, output] * fit.rows.spread[output]
        coefficients = significant(moves[term][:, :, output] * fit.rows.spread[output])
        components.append(Component(term, assembly.degrees(term), coefficients, significant(centring)))
    return Expansion(MarginalReference(tuple(fit.rows.marginals)), tuple(components), np.zeros(CHUNKS))


def _share_contributions(
    assembly: Assembly, sums: ChunkSums, moves: dict[Term, Floats], output: int
) -> tuple[Floats, Floats]:
    """Contributions to structural and total shares, shapes (n_terms, CHUNKS)."""
    gram, cross = assembly.fit.normal.gram, assembly.fit.normal.cross[:, output]
    n_rows, scale = assembly.fit.normal.n_rows, assembly.fit.rows.spread[output] ** 2
    squares, products = sums.squares[:, :-1, output], sums.products[:, :-1, output]
    variance, by_variance = _answer_variance(sums, output)
    if variance <= 0:
        nothing = np.zeros((len(assembly.terms), CHUNKS))
        return nothing, nothing
    structural, total = (deviations(by_chunk, sums.n_rows).T / n_rows for by_chunk in (squares, products))
    for index, term in enumerate(assembly.terms):
        at = assembly.positions(term)
        slope = symmetric(gram, at) @ assembly.coefficients(term)[:, output]
        moved = moves[term][:, :, output]
        structural[index] += 2 * scale * slope @ moved
        total[index] += scale * (cross[at] - gram[0, at] * cross[0]) @ moved
    structural = structural - np.outer(squares.sum(axis=0) / n_rows / variance, by_variance)
    total = total - np.outer(products.sum(axis=0) / n_rows / variance, by_variance)
    return structural / variance, total / variance


def _fidelity_contributions(sums: ChunkSums) -> Floats:
    """Contributions to R², shape (CHUNKS, n_outputs)."""
    n_rows = sums.n_rows.sum()
    contributions = np.zeros_like(sums.gaps)
    for output in range(sums.gaps.shape[1]):
        variance, by_variance = _answer_variance(sums, output)
        if variance > 0:
            gaps = sums.gaps[:, output]
            unexplained = gaps.sum() / n_rows / variance
            by_gap = deviations(gaps, sums.n_rows) / n_rows
            contributions[:, output] = -(by_gap - unexplained * by_variance) / variance
    return contributions


def _answer_variance(sums: ChunkSums, output: int) -> tuple[float, Floats]:
    """Variance of the answers, and the contributions of chunks to it."""
    n_rows = float(sums.n_rows.sum())
    mean = sums.answers[:, output].sum() / n_rows
    squares = sums.squared_answers[:, output] - 2 * mean * sums.answers[:, output] + sums.n_rows * mean**2
    return float(squares.sum() / n_rows), deviations(squares, sums.n_rows) / n_rows
