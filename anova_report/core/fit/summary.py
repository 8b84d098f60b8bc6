"""The last pass over the rows: component functions, their moments, and how each chunk of rows moved them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.engines.threads import Scratch, in_order
from anova_report.core.expansion import Component, Expansion
from anova_report.core.fit.design import Evaluator
from anova_report.core.fit.families import MarginalReference
from anova_report.core.fit.moments import LeakageSums, Moments, MomentSums, PartProducts
from anova_report.core.fit.purification import Purified, purify
from anova_report.core.fit.replicates import CHUNKS, Cuts, sum_runs
from anova_report.core.fit.rows import Part
from anova_report.core.fit.sums import Parts, PartSums, Products
from anova_report.core.fit.tuning import Fit
from anova_report.core.terms import Term, ancestors, sort_terms


@dataclass(frozen=True, eq=False)
class Assembly:
    """The components of a fit, as combinations of its columns.

    Parameters
    ----------
    fit : Fit
    purified : Purified
    """

    fit: Fit
    purified: Purified

    @classmethod
    def of(cls, fit: Fit) -> "Assembly":
        """Purify a fit."""
        roughness = fit.columns.roughness(fit.rows.marginals)
        return cls(fit, purify(fit.columns, fit.normal, fit.coefficients, fit.rows, fit.groups, roughness))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Terms by order, then by index."""
        return sort_terms(self.fit.columns.positions)

    @cached_property
    def parts(self) -> Parts:
        """The parts of the interactions, which come last among the terms."""
        return Parts(self.fit.columns, [term for term in self.terms if len(term) > 1])

    @cached_property
    def offsets(self) -> Floats:
        """Averages of the main effects over the rows of the fit, shape (n_terms, n_outputs); others have none."""
        averages = self.fit.normal.gram[0]
        coefficients = self.purified.coefficients
        own = [self.fit.columns.positions[term] for term in self.terms]
        means = [averages[at] @ coefficients[at] for at in own]
        return np.array([mean if len(term) == 1 else 0 * mean for term, mean in zip(self.terms, means, strict=True)])

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns a component is made of: its own, then the parts that were taken out of it."""
        own = self.fit.columns.positions[term]
        return np.concatenate([own, self.purified.projections[term].positions]) if len(term) > 1 else own

    def coefficients(self, term: Term) -> Floats:
        """Coefficients of a component for standardised answers, in the order of `positions`."""
        own = self.purified.coefficients[self.fit.columns.positions[term]]
        return np.concatenate([own, -self.purified.projections[term].shift]) if len(term) > 1 else own

    def degrees(self, term: Term) -> NDArray[np.intp]:
        """Degrees of the products of a component, in the order of `positions`; the constant function is 0."""
        functions = self.fit.columns.functions
        own = functions[term] + 1
        if len(term) == 1:
            return own
        blocks = [own, np.zeros((1, len(term)), dtype=np.intp)]
        for part in ancestors(term):
            if part in functions:
                block = np.zeros((len(functions[part]), len(term)), dtype=np.intp)
                block[:, [term.index(feature) for feature in part]] = functions[part] + 1
                blocks.append(block)
        return np.concatenate(blocks)

    def expansion(self) -> Expansion:
        """Write the components as functions, for answers as they came."""
        rows = self.fit.rows
        components = tuple(
            Component(term, self.degrees(term), self.coefficients(term) * rows.spread, -offset * rows.spread)
            for term, offset in zip(self.terms, self.offsets, strict=True)
        )
        mean = rows.centre + rows.spread * (self.purified.coefficients[0] + self.offsets.sum(axis=0))
        return Expansion(MarginalReference(tuple(rows.marginals)), components, mean)

    @cached_property
    def evaluator(self) -> Evaluator:
        """The components before parts are taken out of them, on parts of the rows."""
        return Evaluator(self.fit.columns, self.purified.coefficients)

    def columns(self, part: Part) -> Floats:
        """Evaluate components and, last, the gap, for standardised answers, shape (n_outputs, n_terms + 1, n_rows)."""
        values = self.evaluator.components(self.terms, part.functions)
        n_mains = len(self.terms) - len(self.parts.terms)
        shifts = {term: projection.shift for term, projection in self.purified.projections.items()}
        self.parts.subtract(shifts, part.functions, values[:, n_mains:])
        columns = np.empty((len(values), len(self.terms) + 1, values.shape[2]))
        np.subtract(values, self.offsets.T[:, :, None], out=columns[:, :-1])
        mean = self.purified.coefficients[0] + self.offsets.sum(axis=0)
        columns[:, -1] = part.answers.T - mean[:, None] - columns[:, :-1].sum(axis=1)
        return columns


@dataclass(frozen=True, eq=False)
class ChunkSums:
    """Sums over chunks of rows, or over runs of them, along the first axis.

    Parameters
    ----------
    values, squares, products : arrays of shape (n_chunks, n_outputs, n_terms + 1)
        Of components and what they leave: themselves, squared, and times the centred answer.
    gaps, answers, squared_answers : arrays of shape (n_chunks, n_outputs)
        Squared gaps; centred answers, themselves and squared.
    n_rows : array of shape (n_chunks,)
    """

    values: Floats
    squares: Floats
    products: Floats
    gaps: Floats
    answers: Floats
    squared_answers: Floats
    n_rows: Floats

    @classmethod
    def of_runs(cls, columns: Floats, squares: Floats, gap: Floats, answers: Floats, cuts: Cuts) -> "ChunkSums":
        """Sum over runs of rows; columns have shape (n_outputs, n_terms + 1, n_rows), the others less."""
        return cls(
            values=sum_runs(columns, cuts),
            squares=sum_runs(squares, cuts),
            products=sum_runs(columns * answers[:, None], cuts),
            gaps=sum_runs(gap**2, cuts),
            answers=sum_runs(answers, cuts),
            squared_answers=sum_runs(answers**2, cuts),
            n_rows=np.array([float(cut.stop - cut.start) for _, cut in cuts]),
        )

    def in_units(self, spread: Floats) -> "ChunkSums":
        """Give sums over standardised answers the units of the answers."""
        wide = spread[:, None]
        return ChunkSums(
            values=self.values * wide,
            squares=self.squares * wide**2,
            products=self.products * wide**2,
            gaps=self.gaps * spread**2,
            answers=self.answers * spread,
            squared_answers=self.squared_answers * spread**2,
            n_rows=self.n_rows,
        )


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Sums over each chunk of rows that trace a fit back to them, for standardised answers.

    Parameters
    ----------
    scores : array of shape (CHUNKS, n_columns, n_outputs)
        Column times gap.
    functions : list of array of shape (CHUNKS, n_functions)
        The functions of each feature.
    parts : PartSums
        Part times purified interaction.
    """

    scores: Floats
    functions: list[Floats]
    parts: PartSums

    @classmethod
    def empty(cls, assembly: Assembly) -> "ScoreSums":
        """Start from nothing."""
        n_columns, n_outputs = assembly.fit.coefficients.shape
        functions = [np.zeros((CHUNKS, len(marginal.roughness))) for marginal in assembly.fit.rows.marginals]
        return cls(np.zeros((CHUNKS, n_columns, n_outputs)), functions, PartSums(assembly.parts, n_outputs))

    def add(self, found: "Scores") -> None:
        """Count some rows."""
        for (chunk, _), scores in zip(found.cuts, found.scores, strict=True):
            self.scores[chunk] += scores
        for total, own in zip(self.functions, found.functions, strict=True):
            total[[chunk for chunk, _ in found.cuts]] += own
        self.parts.add(found.parts)


@dataclass(frozen=True, eq=False)
class Scores:
    """What some rows add to `ScoreSums`, run by run."""

    cuts: Cuts
    scores: list[Reals]
    functions: list[Reals]
    parts: list[Products]


def _scores(assembly: Assembly, part: Part, columns: Floats, scratch: Scratch) -> Scores:
    n_interactions = len(assembly.parts.terms)
    standard = columns[:, -1 - n_interactions :].astype(np.float32)
    gap = np.ascontiguousarray(standard[:, -1].T)
    design = assembly.fit.columns.design(part.functions, scratch.matrix(assembly.fit.columns.size, len(gap)))
    return Scores(
        cuts=part.cuts,
        scores=[design[:, cut] @ gap[cut] for _, cut in part.cuts],
        functions=[sum_runs(own, part.cuts) for own in part.functions],
        parts=assembly.parts.products(part.functions, standard[:, :-1], part.cuts),
    )


@dataclass(frozen=True, eq=False)
class Visit:
    """What some rows tell about components and gaps, for standardised answers."""

    moments: MomentSums
    runs: ChunkSums
    cuts: Cuts

    @classmethod
    def of(cls, columns: Floats, gap: Floats, part: Part, terms: Sequence[Term]) -> "Visit":
        """Sum over rows; `columns` has shape (n_outputs, n_terms + 1, n_rows)."""
        squares = columns**2
        runs = ChunkSums.of_runs(columns, squares, gap, part.answers.T, part.cuts)
        return cls(MomentSums.of(columns, squares, terms), runs, part.cuts)


class Visits:
    """Adds up what parts of the rows tell."""

    def __init__(self) -> None:
        self.moments = MomentSums(0, *(np.zeros((1,) * n_axes) for n_axes in (2, 3, 2)))
        self._by_chunk: dict[str, Floats] = {}

    def add(self, visit: Visit) -> None:
        """Count some rows."""
        self.moments = self.moments + visit.moments
        chunks = [chunk for chunk, _ in visit.cuts]  # each occurs once
        for field in fields(ChunkSums):
            runs = getattr(visit.runs, field.name)
            if field.name not in self._by_chunk:
                self._by_chunk[field.name] = np.zeros((CHUNKS, *runs.shape[1:]))
            self._by_chunk[field.name][chunks] += runs

    def chunk_sums(self) -> ChunkSums:
        """Return the sums over chunks of all rows that were counted."""
        return ChunkSums(**self._by_chunk)


def summarise_fit(assembly: Assembly) -> tuple[Moments, ChunkSums, ScoreSums]:
    """Visit the rows of a fit once, for its moments and for everything its uncertainty needs."""
    fit, scratch = assembly.fit, Scratch()

    def visit(part: Part) -> tuple[Visit, Scores]:
        columns = assembly.columns(part)
        found = Visit.of(columns, columns[:, -1], part, assembly.terms)
        return found, _scores(assembly, part, columns, scratch)

    visits, scores = Visits(), ScoreSums.empty(assembly)
    for found, traced in in_order(visit, fit.rows.parts(fit.groups)):
        visits.add(found)
        scores.add(traced)
    return visits.moments.average(fit.rows.spread), visits.chunk_sums().in_units(fit.rows.spread), scores


def summarise_held_out(
    fits: Iterable[tuple[Assembly, Collection[int]]], terms: Sequence[Term], n_rows: int
) -> tuple[Moments, ChunkSums]:
    """Visit held-out rows with the fits that have not seen them; their components are listed as `terms`.

    Parameters
    ----------
    fits : iterable of Assembly and groups
        Each fit with its held-out rows; all of answers in the same units.
    terms : sequence of Term
        Components that are wanted; a term that a fit does not have counts as zero.
    n_rows : int
        How many held-out rows there are.
    """
    visits, leakage = Visits(), LeakageSums(terms, n_rows)
    spread = np.ones(1)
    for assembly, groups in fits:
        spread = assembly.fit.rows.spread

        def visit(part: Part, fit: Assembly = assembly) -> tuple[Visit, dict[Term, PartProducts]]:
            columns = fit.columns(part)
            listed = _listed(columns, fit.terms, terms)
            found = Visit.of(listed, columns[:, -1], part, terms)
            return found, leakage.products(part.functions, listed)

        for found, products in in_order(visit, assembly.fit.rows.parts(groups)):
            visits.add(found)
            leakage.add(products)
    sums = visits.chunk_sums().in_units(spread)
    squared_gap, leakages = sums.gaps.sum(axis=0) / n_rows, leakage.shares(visits.moments)
    return replace(visits.moments.average(spread), squared_gap=squared_gap, leakages=leakages), sums


def _listed(columns: Floats, have: Sequence[Term], want: Sequence[Term]) -> Floats:
    """Order components as wanted; what is not wanted is left to the last column."""
    if tuple(have) == tuple(want):
        return columns
    position = {term: index for index, term in enumerate(have)}
    listed = np.zeros((len(columns), len(want) + 1, columns.shape[2]))
    for index, term in enumerate(want):
        if term in position:
            listed[:, index] = columns[:, position[term]]
    listed[:, -1] = columns.sum(axis=1) - listed.sum(axis=1)
    return listed
