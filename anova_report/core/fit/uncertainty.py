"""How each replicate moved the estimates: uncertainty from sums over rows, without another fit or model call.

Leaving a replicate out, or counting it twice, changes a penalized fit by its score, (G + λP)⁻¹ Σ B r over its rows.
What the replicate does to the projections that purify interactions and to the averages that center components is added,
and so are draws of what no replicate shows: what the penalty decides, what purification left behind, and the lack of
fit of pairs. The standard error of an estimate is then the root of the sum of squares over replicates (a jackknife).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from anova_report.core.arrays import ROUNDING, Floats, Reals, read_only
from anova_report.core.basis.design import Columns, Evaluator
from anova_report.core.basis.marginals import MarginalReference
from anova_report.core.fit.drawn_errors import PROBES, draw_signs, lost_contributions, penalty_contributions
from anova_report.core.fit.fits import Fit
from anova_report.core.fit.jackknife_groups import REPLICATES, Slices, deviations
from anova_report.core.fit.lack_of_fit import LackOfFit
from anova_report.core.fit.partition import ASKED
from anova_report.core.fit.purification import by_margins
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.summary import Assembly, ReplicateSums, ScoreSums
from anova_report.core.fit.sums import mean_squared_error, solve_factored, solve_upper
from anova_report.core.fit.unmoved import Unmoved, left_behind
from anova_report.core.randomness import stream
from anova_report.core.result.expansion import Component, Expansion
from anova_report.core.result.terms import Term
from anova_report.core.threads import Scratch, in_order

# Statistics (`make bands`).
MOST_HIDDEN = 16.0  # times the error that residuals of a fit suggest: beyond, fits without the held-out rows are others


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What each replicate contributed to the estimates.

    Parameters
    ----------
    components : tuple of Expansion
        For each output, components whose "outputs" are replicates: at a row they give the replicates' contributions,
        and their sum, with the mean, those to the explained value.
    structural : array of shape (n_terms, n_replicates, n_outputs)
        Contributions to Var(ν_S) / Var(ν); they add up to the share that held-out rows show to be missing.
    total : array of shape (n_terms, n_replicates, n_outputs)
        Contributions to Cov(ν_S, ν) / Var(ν), likewise.
    in_sample, held_out : arrays of shape (n_replicates, n_outputs)
        Contributions to R².
    replicate_key : str
        Identifies the rows and how they were assigned to replicates. Where two decompositions have the same key, their
        replicates are the same rows, and contributions to a difference are differences of contributions; "": unknown.
    """

    components: tuple[Expansion, ...]
    structural: Floats
    total: Floats
    in_sample: Floats
    held_out: Floats
    replicate_key: str = ""

    def __post_init__(self) -> None:
        read_only(self.structural, self.total, self.in_sample, self.held_out)


def standard_error(contributions: Floats, axis: int = -1) -> Floats:
    """Estimate a standard error from the contributions of replicates along one axis.

    Examples
    --------
    >>> standard_error(np.array([1.0, -1.0]))
    array(2.)
    """
    n_replicates = contributions.shape[axis]
    return np.asarray(np.sqrt((contributions**2).sum(axis=axis) * n_replicates / (n_replicates - 1)))


def uncertainty(
    assembly: Assembly,
    sums: ReplicateSums,
    scores: ScoreSums,
    held_out: ReplicateSums,
    lack: LackOfFit,
    unmoved: Unmoved,
    replicate_key: str = "",
) -> Uncertainty:
    """Trace every estimate back to the replicates.

    `sums` and `scores` are over the rows of the fit on all of them, `held_out` is over held-out rows, of the fits that
    have not seen them.
    """
    unseen = held_out.residuals.sum(axis=0) / held_out.n_rows.sum() / assembly.fit.rows.spread**2
    by_rows, by_penalty = coefficient_contributions(assembly.fit, scores, sums.n_rows, unseen)
    moves = purified_contributions(assembly, by_rows + by_penalty, scores, sums.n_rows)
    # Where there are few units some replicates are empty; they tell nothing about how estimates vary.
    used, judged = sums.n_rows > 0, held_out.n_rows > 0
    # Lack of fit may be of any shape, so that it is the same everywhere on average, up or down.
    signs = draw_signs(len(assembly.terms), used)
    lacking = (signs * np.sqrt(lack.variance + unmoved.variance)[:, None])[:, used]
    known = _prediction_variance(sums)[0]
    by_structural, by_total = share_contributions(assembly, sums, moves)
    # The variance of an error counts as well as its covariance: an estimate may lack that much, or have it on top.
    by_square = np.hypot(lack.error, squared_errors(assembly, moves))
    # A penalized fit is the mean of what may be, and less varied than that: as a term that stands for its copy as well.
    shrunken = squared_errors(assembly, purified_contributions(assembly, by_penalty))
    structural, total = (
        adding_up_to(missing / known, (moved + signs * (error / known)[:, None])[:, used])
        for missing, error, moved in (
            (lack.variance + unmoved.bias + shrunken, by_square, by_structural),
            (lack.variance, lack.error, by_total),
        )
    )
    kept = {term: own[:, used] for term, own in moves.items()}
    return Uncertainty(
        components=traced_expansions(assembly, kept, centering_contributions(sums)[:, used], lacking),
        structural=significant(structural),
        total=significant(total),
        in_sample=significant(_fidelity_contributions(sums)[used]),
        held_out=significant(_fidelity_contributions(held_out)[judged]),
        replicate_key=replicate_key,
    )


def coefficient_contributions(
    fit: Fit, sums: ScoreSums, replicate_rows: Floats, unseen: Floats
) -> tuple[Floats, Floats]:
    """Contributions of replicates to the coefficients, and of the penalty, each (n_columns, REPLICATES, n_outputs).

    `unseen` is the mean squared error on rows that fits have not seen, for standardized predictions, (n_outputs,).
    """
    # Residuals are smaller than the noise by the degrees of freedom that the fit has used.
    shrunk = max(1 - degrees_of_freedom(fit.upper, fit.ridge) / fit.system.n_rows, 0.1)
    # Below the rounding of the sums nothing is known of what is left, and a fit through all rows may seem exact.
    left = np.maximum(mean_squared_error(fit.normal, fit.coefficients), ROUNDING)
    # What a fit lacks is no noise: columns bend toward it in the rows they were selected on, and other rows show more.
    more = np.sqrt(np.clip(unseen * shrunk**2 / left, 1.0, MOST_HIDDEN))
    moves = _moved_coefficients(fit, sums.scores, replicate_rows) / shrunk * more
    return moves, penalty_contributions(fit, left / shrunk * more**2, replicate_rows > 0)


def purified_contributions(
    assembly: Assembly, moves: Floats, sums: ScoreSums | None = None, replicate_rows: Floats | None = None
) -> dict[Term, Floats]:
    """Send contributions to the columns of a fit, (n_columns, n_replicates, n_outputs), through its projections.

    With `sums` over the rows of each replicate, what these do to the projections themselves is added; without, the law
    is taken as known.
    """
    fit, projections = assembly.fit, assembly.projections
    n_rows, gram, moves = fit.normal.n_rows, fit.normal.gram, moves.copy()
    counts = np.zeros(1) if replicate_rows is None else replicate_rows
    averages = [] if sums is None else [deviations(functions, counts) / n_rows for functions in sums.functions]

    def moved_out(term: Term) -> Floats:
        """How each replicate changes what moves from an interaction to its subterms."""
        at, own = projections[term].positions, fit.columns.positions[term]
        by_law = np.zeros((len(at), *moves.shape[1:]))
        products = np.tensordot(gram[np.ix_(at, own)], moves[own], axes=1)
        if fit.known is not None:
            by_law += by_margins(assembly.subterms, term, moves[own], gram[0])
        if sums is not None:
            by_law += _moved_by_laws(assembly, term, averages)
            # As with residuals of a fit, what is left of an interaction is smaller by what the projection has used.
            left = np.maximum(1 - projections[term].kept.sum(axis=1) / n_rows, 0.1)
            products += deviations(sums.products.of(term).swapaxes(0, 1), counts).transpose(2, 0, 1) / n_rows / left
        products -= np.tensordot(gram[np.ix_(at, at)], by_law, axes=1)
        means = gram[0, at[1:]]
        centered = products[1:] - means[:, None, None] * products[0]
        shift = np.moveaxis(projections[term].project(np.moveaxis(centered, 2, 0)), 0, 2)
        if sums is not None:
            behind = left_behind(projections[term], sums.products.of(term), means, n_rows)
            shift += lost_contributions(behind, projections[term].turn, counts > 0, term)
        constant = products[0] - np.tensordot(means, shift, axes=1)
        return np.asarray(by_law + np.concatenate([constant[None], shift]))

    components: dict[Term, Floats] = {}
    for order in sorted({len(term) for term in projections}, reverse=True):
        terms = [term for term in projections if len(term) == order]
        # Interactions of one order change lower ones only, so they need not wait for each other.
        for term, shift in zip(terms, list(in_order(moved_out, terms)), strict=True):
            components[term] = np.concatenate([moves[fit.columns.positions[term]], -shift])
            moves[projections[term].positions] += shift
    mains = {term: moves[own] for term, own in fit.columns.positions.items() if len(term) == 1}
    return components | mains


def _moved_coefficients(fit: Fit, law_scores: Floats, replicate_rows: Floats) -> Floats:
    """How each replicate moves the coefficients, shape (n_columns, REPLICATES, n_outputs).

    A recombined row moves with the replicates of both of its parents. `law_scores` are those of the rows of the data.
    """

    def solved(upper: Floats, scores: Floats) -> Floats:
        return solve_factored(upper, scores.reshape(len(scores), -1)).reshape(scores.shape)

    scores = np.moveaxis(deviations(law_scores, replicate_rows), 1, 0)
    if fit.asked is None or fit.asked_by is None:
        return solved(fit.upper, scores) / fit.normal.n_rows
    evaluator = Evaluator(fit.columns, fit.first_coefficients)
    first = fit.rows.fold(partial(ResidualScores, evaluator, fit.columns), fit.groups, "uncertainty").total
    asked_groups = [ASKED + group for group in fit.groups]
    for rows in fit.asked_by:
        found = rows.fold(partial(ResidualScores, evaluator, fit.columns), asked_groups, "uncertainty")
        first = first + found.total * (fit.asked.n_rows / found.n_rows)
    moved = solved(fit.upper, np.moveaxis(deviations(first, replicate_rows), 1, 0)) / fit.system.n_rows
    if fit.anchor is None or fit.anchored is None:
        return moved
    return solved(fit.anchored, scores / fit.normal.n_rows + fit.anchor[:, None, None] * moved)


class ResidualScores:
    """Sums of column times residual over each replicate, shape (REPLICATES, n_columns, n_outputs)."""

    def __init__(self, evaluator: Evaluator, columns: Columns) -> None:
        self.total = np.zeros((REPLICATES, columns.size, len(evaluator.constant)))
        self.n_rows = 0.0
        self._evaluator, self._columns, self._scratch = evaluator, columns, Scratch()

    def sums(self, block: GroupBlock) -> tuple[Slices, list[Reals], float]:
        """Sum over the rows of one block."""
        residual = block.weighed((block.predictions.T - self._evaluator.total(block.functions)).astype(np.float32)).T
        design = self._columns.design(block.functions, self._scratch.matrix(self._columns.size, len(residual)))
        return block.slices, [design[:, at] @ residual[at] for _, at in block.slices], block.n_rows

    def add(self, found: tuple[Slices, list[Reals], float]) -> None:
        """Count the rows of one block."""
        slices, scores, n_rows = found
        for (replicate, _), own in zip(slices, scores, strict=True):
            self.total[replicate] += own
        self.n_rows += n_rows

    def merge(self, other: "ResidualScores") -> None:
        """Count other rows as well."""
        self.total += other.total
        self.n_rows += other.n_rows


def adding_up_to(lacking: Floats, own: Floats) -> Floats:
    """Shift contributions, (n_terms, n_replicates, n_outputs), so that they add up to what is lacking."""
    return np.asarray(own + (lacking / own.shape[1] - own.mean(axis=1))[:, None])


def _moved_by_laws(assembly: Assembly, term: Term, averages: Sequence[Floats]) -> Floats:
    """Trace what moves from an interaction to its subterms when a replicate counts twice in the laws of the features.

    Its products are made of functions that average to zero. Under the law with the replicate they do not, and what they
    average to times the other factors belongs to a subterm, Σ a_{lm} φ_l(x_i) E[φ_m(X_j)]. The result has shape
    (n_columns, REPLICATES, n_outputs).
    """
    columns = assembly.fit.columns
    chosen, coefficients = columns.functions[term], assembly.moved[columns.positions[term]]
    moved = [np.zeros((1, REPLICATES, coefficients.shape[1]))]
    for subterm in assembly.subterms.of(term):
        inside = np.isin(term, subterm)
        left_out = np.flatnonzero(~inside)
        # Which column of the subterm each product falls to; a subterm may lack the functions of some.
        match = (columns.functions[subterm][:, None] == chosen[:, inside]).all(axis=2).astype(float)
        if len(left_out) == 1:
            average = averages[term[left_out[0]]][:, chosen[:, left_out[0]]]
            moved.append(np.tensordot(match, average.T[:, :, None] * coefficients[:, None], axes=1))
        else:  # two averages near zero multiply to nothing
            moved.append(np.zeros((len(match), *moved[0].shape[1:])))
    return np.concatenate(moved)


def degrees_of_freedom(upper: Floats, ridge: Floats) -> float:
    """Trace of G (G + R)⁻¹ = n_columns − trace R (G + R)⁻¹, by Hutchinson's random signs: the exact one costs a fit.

    Examples
    --------
    >>> round(degrees_of_freedom(np.diag([1.0, 2.0]), np.array([1.0, 0.0])), 6)
    1.0
    """
    signs = stream(0, "probes").choice([-1.0, 1.0], size=(len(upper), PROBES))
    root = np.sqrt(ridge)[:, None] * signs
    half = solve_upper(upper, root, transposed=True)
    return float(len(upper) - (half**2).sum() / PROBES)


def significant(values: Floats, digits: int = 6) -> Floats:
    """Round to some digits of the largest: a band needs no more, and files stay small.

    Examples
    --------
    >>> significant(np.array([1.23456789, -0.0123456789, 0.0])).tolist()
    [1.23457, -0.01235, 0.0]
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest:
        return values
    size = math.floor(math.log10(largest)) - digits + 1
    if abs(size) > 300:  # beyond, the inverse of a power of ten is no float
        return values
    # A power of ten with a negative exponent is no float, so what is kept is divided by one that is.
    return np.round(values * 10.0**-size) / 10.0**-size if size < 0 else np.round(values / 10.0**size) * 10.0**size


def centering_contributions(sums: ReplicateSums) -> Floats:
    """How counting a replicate twice moves the averages that center components, (n_terms, REPLICATES, n_outputs)."""
    moved = -deviations(sums.values[:, :, :-1], sums.n_rows) / sums.n_rows.sum()
    return np.asarray(moved.transpose(2, 0, 1))


def traced_expansions(
    assembly: Assembly, moves: Mapping[Term, Floats], centering: Floats, lacking: Floats | None = None
) -> tuple[Expansion, ...]:
    """Components, by output, that give at a row what each replicate contributed to the value there.

    `moves` are contributions to the coefficients of components, `centering`, (n_terms, n_replicates, n_outputs), to the
    averages that are taken off them, and `lacking` of any shape; main effects are centered here.
    """
    lost = np.zeros_like(centering) if lacking is None else lacking
    return tuple(in_order(lambda output: _expansion(assembly, moves, centering, lost, output), range(lost.shape[2])))


def _expansion(
    assembly: Assembly, moves: Mapping[Term, Floats], centering: Floats, lacking: Floats, output: int
) -> Expansion:
    fit, components = assembly.fit, []
    # What is taken off components, on average over the rows, goes into the constant.
    mean = -centering[:, :, output].sum(axis=0)
    for term, own, lost in zip(assembly.terms, centering[:, :, output], lacking[:, :, output], strict=True):
        coefficients = moves[term][:, :, output] * fit.rows.spread[output]
        average = fit.normal.gram[0, assembly.positions(term)] @ coefficients
        offset = own + lost
        if len(term) == 1:
            offset -= average
        else:
            mean -= average
        components.append(Component(term, assembly.degrees(term), significant(coefficients), significant(offset)))
    return Expansion(MarginalReference(tuple(fit.rows.marginals)), tuple(components), significant(mean))


def share_contributions(assembly: Assembly, sums: ReplicateSums, moves: dict[Term, Floats]) -> tuple[Floats, Floats]:
    """Contributions to structural and total shares, shapes (n_terms, REPLICATES, n_outputs)."""
    gram, cross = assembly.fit.normal.gram, assembly.fit.normal.cross
    n_rows, scale = assembly.fit.normal.n_rows, assembly.fit.rows.spread**2
    known, by_variance = _prediction_variance(sums)
    squares, products = sums.squares[:, :, :-1], sums.products[:, :, :-1]
    structural, total = (
        deviations(by_replicate, sums.n_rows).transpose(2, 0, 1) / n_rows for by_replicate in (squares, products)
    )
    for index, term in enumerate(assembly.terms):
        at = assembly.positions(term)
        slope = gram[np.ix_(at, at)] @ assembly.coefficients(term)
        structural[index] += 2 * scale * np.einsum("po,pko->ko", slope, moves[term])
        total[index] += scale * np.einsum("po,pko->ko", cross[at] - np.outer(gram[0, at], cross[0]), moves[term])
    shares = (by_replicate.sum(axis=0).T[:, None] / n_rows / known for by_replicate in (squares, products))
    structural, total = (
        (moved - share * by_variance) / known for moved, share in zip((structural, total), shares, strict=True)
    )
    return structural, total


def squared_errors(assembly: Assembly, moves: Mapping[Term, Floats]) -> Floats:
    """Variance that components would have if all that replicates contribute were their errors, (n_terms, n_outputs)."""
    gram, found = assembly.fit.normal.gram, []
    for term in assembly.terms:
        at = assembly.positions(term)
        means, own = gram[0, at], moves[term]
        varied = np.tensordot(gram[np.ix_(at, at)] - np.outer(means, means), own, axes=1)
        found.append((own * varied).sum(axis=(0, 1)))
    return np.array(found) * assembly.fit.rows.spread**2


def _fidelity_contributions(sums: ReplicateSums) -> Floats:
    """Contributions to R², shape (REPLICATES, n_outputs)."""
    n_rows = sums.n_rows.sum()
    known, by_variance = _prediction_variance(sums)
    unexplained = sums.residuals.sum(axis=0) / n_rows / known
    return np.asarray((unexplained * by_variance - deviations(sums.residuals, sums.n_rows) / n_rows) / known)


def _prediction_variance(sums: ReplicateSums) -> tuple[Floats, Floats]:
    """Variance of predictions, infinite where they do not vary, and contributions to it, (REPLICATES, n_outputs)."""
    n_rows = float(sums.n_rows.sum())
    mean = sums.predictions.sum(axis=0) / n_rows
    squares = sums.squared_predictions - 2 * mean * sums.predictions + np.outer(sums.n_rows, mean**2)
    variance = squares.sum(axis=0) / n_rows
    return np.where(variance > 0, variance, np.inf), deviations(squares, sums.n_rows) / n_rows
