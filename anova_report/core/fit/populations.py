"""The same function under the law of other rows: what interactions share with their subterms there moves there.

A decomposition is a sum of products of functions of single features. The sum is kept as it is; what belongs to which
term depends on the law alone, so that it takes rows, and no predictions. Sums over these rows are made by the code that
makes those of a fit, and are used in the same way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.basis.design import ColumnBlock, Columns
from anova_report.core.basis.marginals import Marginal, MarginalReference, NominalMarginal
from anova_report.core.basis.tally import Tally, tally
from anova_report.core.diagnostics.concurvity import dependence, rank_correlations
from anova_report.core.diagnostics.functional_dependence import compare_effects
from anova_report.core.fit.cell_table import CellSolution
from anova_report.core.fit.drawn_errors import draw_signs
from anova_report.core.fit.fits import Fit, HeldOutFit
from anova_report.core.fit.moments import DEGREE, Moments
from anova_report.core.fit.partition import FEWEST_ROWS, RANKED_ROWS, find_units, merge_copies
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows, GroupBlock, GroupedRows
from anova_report.core.fit.summary import Assembly, ReplicateSums, ScoreSums, summarize_fit, summarize_held_out
from anova_report.core.fit.sums import Normal
from anova_report.core.fit.uncertainty import (
    Uncertainty,
    adding_up_to,
    centering_contributions,
    purified_contributions,
    share_contributions,
    significant,
    traced_expansions,
)
from anova_report.core.input.weights import RowWeights, read_weights
from anova_report.core.large.parts import open_parts
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Expansion
from anova_report.core.result.population import Population
from anova_report.core.result.terms import Term, sort_terms, subterms
from anova_report.core.threads import Scratch, workers
from anova_report.errors import InputError

ARRAYS = ("centering", "structural", "total")  # of `Contributions`


def read_population(population: Any, X: Any) -> tuple[Any, Any] | None:
    """Read the argument `population`: rows, or one weight for every row of X; returned are rows and their weights.

    Examples
    --------
    >>> rows, weights = read_population([1.0, 3.0], [[0.0], [1.0]])
    >>> rows, weights.tolist()
    ([[0.0], [1.0]], [1.0, 3.0])
    """
    if population is None:
        return None
    is_table = hasattr(population, "columns") or hasattr(population, "column_names") or open_parts(population)
    weights = np.zeros((0, 0)) if is_table else np.asarray(population)
    if weights.ndim != 1:
        return population, None
    if weights.dtype.kind not in "biuf" or open_parts(X) is not None or len(weights) != len(X):
        raise InputError(
            f"population holds {len(weights):,} value(s) in one dimension. Pass a table of rows with the columns of X, "
            "or one weight for every row of X, which must be a table in memory."
        )
    return X, weights


def decompose_under(
    dec: Decomposition, X: Any, sample_weight: Any = None, unexplained: Floats | None = None
) -> Decomposition:
    """Decompose the function that `dec` is the sum of under the law of the rows of X; `Decomposition.under` tells.

    The unexplained share of each output is that of the rows of the fit unless it is known of these.
    """
    reference = dec.expansion.reference
    if not isinstance(reference, MarginalReference):
        raise InputError(
            "The published method divides its functions by densities of the rows it was fitted to, so it cannot be "
            "moved to other rows. Fit FunctionalANOVA() instead, or fit the published method to those rows."
        )
    if open_parts(X) is not None:
        raise InputError("The population must be a table in memory. Pass a sample of its rows: 100,000 are plenty.")
    values, weights, known = _known_rows(dec, reference.marginals, X, sample_weight)
    unexplained = _unexplained(dec.in_sample) if unexplained is None else unexplained
    with workers():
        law = Law.of(dec, reference.marginals, values, weights)
        known = replace(known, n_effective=law.counted.effective, fingerprint=law.counted.fingerprint)
        assembly = Assembly.purified(law.fit)
        averages, sums, scores, _ = summarize_fit(assembly)
        scaled = _scaled(averages, dec.in_sample, unexplained)
        outside, *_ = summarize_held_out(law.halves, assembly.terms)
        traced, key = dec.uncertainty, f"{known.fingerprint}-{law.key}"
        if traced is not None:
            traced = _uncertainty(dec, traced, assembly, sums, scores, key, unexplained)
            known = replace(known, n_replicates=int((sums.n_rows > 0).sum()))
        related, _ = compare_effects(assembly, cast(GroupedRows, law.fit.rows))
        correlations, alike = rank_correlations(law.coded, dec.features), dependence(assembly).with_relations(related)
    return replace(
        dec,
        expansion=assembly.expansion(),
        in_sample=scaled,
        held_out=None if dec.held_out is None else _held_out(outside, scaled, dec.held_out),
        uncertainty=traced,
        dependence=None if dec.dependence is None else alike,
        correlations=correlations,
        population=known,
    )


def _known_rows(
    dec: Decomposition, marginals: Sequence[Marginal], X: Any, sample_weight: Any
) -> tuple[Floats, RowWeights | None, Population]:
    """Encode rows, leave out those about which the fit knows nothing, and count those that are unlike its own."""
    values = dec.encode(X, reader="Decomposition.under")
    weights = read_weights(sample_weight, len(values))
    at = np.arange(len(values)) if weights is None else weights.positions
    same = dec.fingerprint is not None and dec.fingerprint.is_of_rows(np.asfortranarray(values))
    outside = np.column_stack([own.outside(values[at, j]) for j, own in enumerate(marginals)])
    levels = np.array([isinstance(own, NominalMarginal) for own in marginals])
    unknown = (outside & (levels | np.isnan(values[at]))).any(axis=1)
    kept = at[~unknown]
    if not len(kept):
        raise InputError(
            f"None of the {len(at):,} row(s) of the population has levels, and values at all, as rows of the fit have. "
            "Check that levels and missing values are written as in the fit."
        )
    if weights is not None:
        given = np.ones(len(at)) if weights.values is None else weights.values
        weights = RowWeights.of(given[~unknown], kept)
    values = np.asfortranarray(values[kept])
    joint = dec.joint_support
    uncombined = 0 if joint is None else int(joint.unseen(marginals, values).any(axis=1).sum())
    means, variances = _fitted(dec)
    known = Population(
        n_rows=len(kept),
        n_effective=0.0,
        weighted=weights is not None and weights.values is not None,
        same_rows=same,
        fingerprint="",
        n_beyond=int(outside[~unknown].any(axis=1).sum()),
        n_uncombined=uncombined,
        n_left_out=int(unknown.sum()),
        fit_means=means,
        fit_variances=variances,
    )
    return values, weights, known


def _fitted(dec: Decomposition) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Find means and variances of the predictions in the rows of the fit, under whichever law `dec` is."""
    if dec.population is not None:
        return dec.population.fit_means, dec.population.fit_variances
    means = dec.expansion.mean + dec.in_sample.firsts.sum(axis=0)
    return tuple(means.tolist()), tuple(_variances(dec.in_sample)[0].tolist())


@dataclass(frozen=True, eq=False)
class Law:
    """The rows of a population as a fit reads them, with the coefficients of a function instead of a fit."""

    fit: Fit
    halves: Sequence[HeldOutFit]
    coded: CodedRows
    counted: Tally
    key: str  # identifies how rows were divided into replicates

    @classmethod
    def of(cls, dec: Decomposition, marginals: Sequence[Marginal], values: Floats, weights: RowWeights | None) -> "Law":
        """Read rows; their predictions are those of the decomposition itself."""
        source: Any = ArrayRows(values, dec.expansion.predict(values), weights)
        counted, seed = tally(source, len(marginals)), int(dec.settings.get("random_state") or 0)
        if counted.n_distinct < FEWEST_ROWS:
            raise InputError(
                f"The population has {counted.n_distinct:,} different row(s); a distribution takes at least "
                f"{FEWEST_ROWS}, better some hundreds. Pass more rows."
            )
        source, counted, _ = merge_copies(source, counted, dec.features, None)
        units = find_units(source, counted, dec.features, None, seed, ranked=counted.n_rows <= RANKED_ROWS)
        spread = np.where(counted.spread > 0, counted.spread, 1.0)
        coded = CodedRows(source, counted.books(dec.features, constant=True), counted.center, spread)
        # Each half shows how orthogonal components are that were purified under the other.
        rows = GroupedRows(coded, marginals, units.groups((0.5, 0.5)), units.replicates, units.ranks)
        columns = columns_of(dec.expansion, marginals)
        coefficients = collected(dec.expansion, columns)
        coefficients[0] += dec.expansion.mean - counted.center
        coefficients[0] += np.sum([component.offset for component in dec.expansion.components], axis=0)
        coefficients /= spread
        products = rows.fold(partial(ColumnAverages, columns), (0, 1), "products of columns")
        exact = dec.path is not None and dec.path.startswith("exact")

        def fit(groups: tuple[int, ...]) -> Fit:
            solution = CellSolution(coefficients, {}, 0) if exact else None
            normal = products.normal(groups, coefficients)
            return Fit(columns, normal, np.zeros(columns.size), rows, groups, solution=solution, known=coefficients)

        halves = [HeldOutFit(fit((1 - group,)), group, products.n_rows[group]) for group in (0, 1)]
        return cls(fit((0, 1)), halves, coded, counted, units.key)


class ColumnAverages:
    """Products of columns over the rows of each group, in double precision.

    Under the law of other rows than those of the fit, functions average to something, and vary little perhaps: what is
    left when averages are subtracted must not be rounding.
    """

    def __init__(self, columns: Columns) -> None:
        self.n_rows: dict[int, float] = {}
        self._columns, self._scratch = columns, Scratch()
        self._grams: dict[int, Floats] = {}

    def sums(self, block: GroupBlock) -> tuple[int, float, Floats]:
        """Multiply the columns on the rows of one block."""
        shape = self._columns.size, len(block.predictions)
        design = self._columns.design(block.functions, self._scratch.matrix(*shape)).astype(np.float64)
        if block.weights is not None:
            design *= np.sqrt(block.weights)  # on both sides, so that the product stays symmetric
        return block.group, block.n_rows, design @ design.T

    def add(self, found: tuple[int, float, Floats]) -> None:
        """Count the rows of one block."""
        group, n_rows, gram = found
        self.n_rows[group] = self.n_rows.get(group, 0.0) + n_rows
        self._grams[group] = self._grams.get(group, np.zeros(1)) + gram

    def merge(self, other: "ColumnAverages") -> None:
        """Count other rows as well."""
        for group, gram in other._grams.items():
            self.add((group, other.n_rows[group], gram))

    def normal(self, groups: Sequence[int], coefficients: Floats) -> Normal:
        """Average over some groups; predictions are what coefficients give."""
        n_rows = sum(self.n_rows[group] for group in groups)
        gram = np.sum([self._grams[group] for group in groups], axis=0) / n_rows
        cross = gram @ coefficients
        return Normal(gram, cross, (coefficients * cross).sum(axis=0), n_rows)


def columns_of(expansion: Expansion, marginals: Sequence[Marginal]) -> Columns:
    """List the products that an expansion is made of, term by term, and what interactions may share with subterms.

    Every interaction gets all its subterms, with the functions it has itself; main effects get the leading functions.
    """
    found = {component.term: [np.zeros((0, len(component.term)), np.intp)] for component in expansion.components}
    for term, functions, _ in _products(expansion):
        found.setdefault(term, []).append(functions)
    for term in sorted(found, key=len, reverse=True):
        for subterm in filter(None, subterms(term)):
            held = np.isin(term, subterm)
            found.setdefault(subterm, []).extend([functions[:, held] for functions in found[term]])
    interacting = {feature for term in found if len(term) > 1 for feature in term}
    blocks = []
    for term in sort_terms(filter(None, found)):
        functions = np.unique(np.concatenate(found[term]), axis=0)
        if len(term) == 1:
            # Leakage is looked for with so many functions, so as many must be there to take what an interaction holds.
            least = min(DEGREE, len(marginals[term[0]].roughness)) if term[0] in interacting else 0
            functions = np.arange(max(int(functions.max(initial=-1)) + 1, least))[:, None]
        blocks.append(ColumnBlock(term, functions))
    return Columns(tuple(blocks))


def collected(expansion: Expansion, columns: Columns) -> Floats:
    """Add up the coefficients of equal products over all components, shape (n_columns, n_outputs)."""
    found = np.zeros((columns.size, len(expansion.mean)))
    known = {
        term: dict(zip(map(tuple, own.tolist()), at.tolist(), strict=True))
        for (term, own), at in zip(columns.functions.items(), columns.positions.values(), strict=True)
    }
    known[()] = {(): 0}
    for term, functions, coefficients in _products(expansion):
        np.add.at(found, [known[term][row] for row in map(tuple, functions.tolist())], coefficients)
    return found


def _products(expansion: Expansion) -> Iterator[tuple[Term, NDArray[np.intp], Floats]]:
    """Sort the products of every component by the features they depend on: their functions, and coefficients."""
    for component in expansion.components:
        depends = component.degrees > 0
        for on in np.unique(depends, axis=0):
            at = (depends == on).all(axis=1)
            term = tuple(feature for feature, so in zip(component.term, on.tolist(), strict=True) if so)
            yield term, component.degrees[at][:, on] - 1, component.coefficients[at]


def _variances(moments: Moments) -> tuple[Floats, Floats]:
    """Variances of the predictions, and of their explained part, shapes (n_outputs,)."""
    covariances = [moments.covariance(output) for output in range(moments.firsts.shape[1])]
    whole, explained = (np.array([own[at, at].sum() for own in covariances]) for at in (slice(None), slice(-1)))
    return np.maximum(whole, 0.0), np.maximum(explained, 0.0)


def _unexplained(known: Moments) -> Floats:
    """Find the unexplained share of each output in rows with predictions."""
    variance, _ = _variances(known)
    return np.divide(known.squared_gap, variance, out=np.zeros_like(variance), where=variance > 0)


def _scaled(found: Moments, known: Moments, unexplained: Floats) -> Moments:
    """Complete averages over a population by a residual, of which a share of the predictions' variance consists.

    It is taken to go with none of the components. Numbers of rows stay those of the rows of the fit, which fidelity
    rests on.
    """
    _, explained = _variances(found)
    scalable = 1 - unexplained > ROUNDING
    ratio = np.divide(unexplained, 1 - unexplained, out=np.zeros_like(unexplained), where=scalable)
    residual = np.where(scalable, explained * ratio, known.squared_gap)
    return _with_residual(found, known, residual, residual)


def _held_out(found: Moments, scaled: Moments, known: Moments) -> Moments:
    """Complete averages over halves of a population likewise; R² stays that of held-out rows with predictions."""
    _, explained = _variances(found)
    return _with_residual(found, known, scaled.squared_gap, _unexplained(known) * (explained + scaled.squared_gap))


def _with_residual(found: Moments, known: Moments, variance: Floats, squared_gap: Floats) -> Moments:
    """Put a residual of some variance, that goes with no component, in the last place."""
    firsts, seconds = found.firsts.copy(), found.seconds.copy()
    firsts[-1] = seconds[-1] = seconds[:, -1] = 0.0
    seconds[-1, -1] = variance
    return replace(
        found,
        firsts=firsts,
        seconds=seconds,
        squared_gap=squared_gap,
        n_rows=known.n_rows,
        n_effective=known.n_effective,
        hardest=known.hardest,
    )


@dataclass(frozen=True, eq=False)
class Contributions:
    """What some replicates contributed; arrays have shape (n_terms, n_replicates, n_outputs)."""

    moves: Mapping[Term, Floats]  # to the coefficients of components, (n_products, n_replicates, n_outputs)
    centering: Floats
    structural: Floats
    total: Floats


def _uncertainty(
    dec: Decomposition,
    known: Uncertainty,
    assembly: Assembly,
    sums: ReplicateSums,
    scores: ScoreSums,
    key: str,
    unexplained: Floats,
) -> Uncertainty:
    """Trace components under another law back to the replicates of the fit, then to those of the population."""
    n_fit = len(known.in_sample) - (0 if dec.population is None else dec.population.n_replicates)
    variance, _ = _variances(dec.in_sample)
    explained = np.clip(1 - unexplained, 0.0, 1.0)
    lacking = np.zeros((len(assembly.terms), len(variance)))
    lacking[[assembly.terms.index(term) for term in dec.terms]] = known.total[:, :n_fit].sum(axis=1)
    fitted = _of_fit(assembly, known, n_fit, explained, lacking, variance)
    drawn = _of_population(assembly, sums, scores, explained)
    both = {name: np.concatenate([getattr(each, name) for each in (fitted, drawn)], axis=1) for name in ARRAYS}
    moves = {term: np.concatenate([own, drawn.moves[term]], axis=1) for term, own in fitted.moves.items()}
    nothing = np.zeros((drawn.total.shape[1], len(variance)))  # rows without predictions say nothing of R²
    return Uncertainty(
        components=traced_expansions(assembly, moves, both["centering"]),
        structural=significant(both["structural"]),
        total=significant(both["total"]),
        in_sample=np.concatenate([known.in_sample[:n_fit], nothing]),
        held_out=np.concatenate([known.held_out[:n_fit], nothing]),
        replicate_key=known.replicate_key and f"{known.replicate_key}-{key}",
    )


def _of_fit(
    assembly: Assembly, known: Uncertainty, n_fit: int, explained: Floats, lacking: Floats, variance: Floats
) -> Contributions:
    """Send what each replicate of the fit did to the function through the projections of the population.

    Lack of fit of a term is the share of the predictions' variance it was in their rows.
    """
    fit = assembly.fit
    raw = np.stack([collected(own, fit.columns)[:, :n_fit] for own in known.components], axis=2) / fit.rows.spread
    moves = purified_contributions(assembly, raw)
    means, whole = fit.normal.gram[0], fit.coefficients
    slope = fit.normal.cross - np.outer(means, fit.normal.cross[0])  # covariances of columns with the function
    power = np.maximum((whole * slope).sum(axis=0), np.finfo(float).tiny)
    by_variance = 2 * np.einsum("co,cko->ko", slope, raw)
    structural, total = np.zeros((2, len(assembly.terms), n_fit, len(variance)))
    for index, term in enumerate(assembly.terms):
        at, own = assembly.positions(term), assembly.coefficients(term)
        with_all = fit.normal.gram[at] - np.outer(means[at], means)
        with_own = with_all[:, at] @ own
        shares = (own * with_own).sum(axis=0) / power, (own * slope[at]).sum(axis=0) / power
        by_own = 2 * np.einsum("po,pko->ko", with_own, moves[term])
        by_both = np.einsum("po,pko->ko", slope[at], moves[term]) + np.einsum("co,cko->ko", with_all.T @ own, raw)
        for found, share, moved in zip((structural, total), shares, (by_own, by_both), strict=True):
            # The function that components are shares of moves as well, and so does how much of all it explains.
            found[index] = explained * (moved - share * by_variance) / power + share * known.in_sample[:n_fit]
    centering = (
        draw_signs(len(lacking), np.ones(n_fit, dtype=bool)) * np.sqrt(np.maximum(lacking * variance, 0))[:, None]
    )
    return Contributions(moves, centering, adding_up_to(lacking, structural), adding_up_to(lacking, total))


def _of_population(assembly: Assembly, sums: ReplicateSums, scores: ScoreSums, explained: Floats) -> Contributions:
    """Trace what the rows of the population do to projections, averages and shares; the function is as it is."""
    used, nothing = sums.n_rows > 0, np.zeros((*scores.scores.shape[1::-1], scores.scores.shape[2]))
    moves = purified_contributions(assembly, nothing, scores, sums.n_rows)
    structural, total = (explained * own[:, used] for own in share_contributions(assembly, sums, moves))
    none = np.zeros((len(structural), len(explained)))
    kept = {term: own[:, used] for term, own in moves.items()}
    return Contributions(
        kept, centering_contributions(sums)[:, used], adding_up_to(none, structural), adding_up_to(none, total)
    )
