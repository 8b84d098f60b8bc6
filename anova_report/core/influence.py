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
    moved = coefficient_contributions(assembly, scores, sums.n_rows)
    shares = [_share_contributions(assembly, sums, moves, output) for output, moves in enumerate(moved)]
    return Uncertainty(
        components=tuple(_expansion(assembly, sums, moves, output) for output, moves in enumerate(moved)),
        structural=significant(np.stack([structural for structural, _ in shares], axis=-1)),
        total=significant(np.stack([total for _, total in shares], axis=-1)),
        in_sample=significant(_fidelity_contributions(sums)),
        held_out=significant(_fidelity_contributions(held_out)),
    )


def coefficient_contributions(assembly: Assembly, sums: ScoreSums, chunk_rows: Floats) -> list[dict[Term, Floats]]:
    """Contributions of chunks to the coefficients of each component, shapes (n_products, CHUNKS), for each output."""
    fit, projections = assembly.fit, assembly.purified.projections
    upper = factor(fit.normal.gram, fit.ridge)
    n_rows = fit.normal.n_rows
    freedom = degrees_of_freedom(upper, fit.ridge)
    result = []
    for output in range(fit.coefficients.shape[1]):
        scores = deviations(sums.scores[:, :, output], chunk_rows).T
        # Residuals are smaller than the noise by the degrees of freedom that the fit has used.
        moves = solve_factored(upper, scores) / n_rows / max(1 - freedom / n_rows, 0.1)
        components: dict[Term, Floats] = {}
        for term in sorted(projections, key=len, reverse=True):
            projection, own = projections[term], fit.columns.positions[term]
            cross = symmetric(fit.normal.gram, projection.positions, own)
            part_sums = deviations(sums.parts.of(term)[:, :, output], chunk_rows).T / n_rows + cross @ moves[own]
            means = fit.normal.gram[0, projection.positions[1:]]
            shift = projection.maps[output] @ (part_sums[1:] - np.outer(means, part_sums[0]))
            shift = np.concatenate([(part_sums[0] - means @ shift)[None], shift])
            components[term] = np.concatenate([moves[own], -shift])
            moves[projection.positions] += shift
        for term, own in fit.columns.positions.items():
            if len(term) == 1:
                components[term] = moves[own]
        result.append(components)
    return result


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
            centring = (
                centring - fit.normal.gram[0, fit.columns.positions[term]] @ moves[term] * fit.rows.spread[output]
            )
        coefficients = significant(moves[term] * fit.rows.spread[output])
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
        structural[index] += 2 * scale * slope @ moves[term]
        total[index] += scale * (cross[at] - gram[0, at] * cross[0]) @ moves[term]
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
