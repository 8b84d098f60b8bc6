"""The last pass over the rows: component functions, their moments, and sums over replicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.engines.threads import Scratch, in_order
from anova_report.core.expansion import Component, Expansion
from anova_report.core.fit.design import Evaluator
from anova_report.core.fit.families import MarginalReference
from anova_report.core.fit.moments import LeakageProducts, LeakageSums, Moments, MomentSums
from anova_report.core.fit.purification import Projection, SubtermProducts, Subterms, SubtermSums, purify
from anova_report.core.fit.replicates import REPLICATES, Slices, sum_slices
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.tuning import Fit, HeldOutFit
from anova_report.core.terms import Term, sort_terms


@dataclass(frozen=True, eq=False)
class Assembly:
    """The components of a fit, as combinations of its columns."""

    fit: Fit
    moved: Floats  # shape (n_columns, n_outputs): coefficients of the columns after purification; the first is the mean
    projections: Mapping[Term, Projection]  # what purification took out of each interaction

    @classmethod
    def purified(cls, fit: Fit) -> "Assembly":
        """Purify a fit."""
        roughness = fit.columns.roughness(fit.rows.marginals)
        return cls(fit, *purify(fit.columns, fit.normal, fit.coefficients, fit.rows, fit.groups, roughness))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Terms by order, then by index."""
        return sort_terms(self.fit.columns.positions)

    @cached_property
    def subterms(self) -> Subterms:
        """The subterms of the interactions, which come last among the terms."""
        return Subterms(self.fit.columns, [term for term in self.terms if len(term) > 1])

    @cached_property
    def offsets(self) -> Floats:
        """Averages of the main effects over the rows of the fit, shape (n_terms, n_outputs); others have none."""
        own = [self.fit.columns.positions[term] for term in self.terms]
        means = [self.fit.normal.gram[0][at] @ self.moved[at] for at in own]
        return np.array([mean if len(term) == 1 else 0 * mean for term, mean in zip(self.terms, means, strict=True)])

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns a component is made of: its own, then those of the subterms that were taken out of it."""
        own = self.fit.columns.positions[term]
        return np.concatenate([own, self.projections[term].positions]) if len(term) > 1 else own

    def coefficients(self, term: Term) -> Floats:
        """Coefficients of a component for standardised answers, in the order of `positions`."""
        own = self.moved[self.fit.columns.positions[term]]
        return np.concatenate([own, -self.projections[term].shift]) if len(term) > 1 else own

    def degrees(self, term: Term) -> NDArray[np.intp]:
        """Degrees of the products of a component, in the order of `positions`; the constant function is 0."""
        functions = self.fit.columns.functions
        own = functions[term] + 1
        if len(term) == 1:
            return own
        blocks = [own, np.zeros((1, len(term)), dtype=np.intp)]
        for subterm in self.subterms.of(term):
            block = np.zeros((len(functions[subterm]), len(term)), dtype=np.intp)
            block[:, [term.index(feature) for feature in subterm]] = functions[subterm] + 1
            blocks.append(block)
        return np.concatenate(blocks)

    def expansion(self) -> Expansion:
        """Write the components as functions, in the units of the answers."""
        rows = self.fit.rows
        components = tuple(
            Component(term, self.degrees(term), self.coefficients(term) * rows.spread, -offset * rows.spread)
            for term, offset in zip(self.terms, self.offsets, strict=True)
        )
        mean = rows.centre + rows.spread * (self.moved[0] + self.offsets.sum(axis=0))
        return Expansion(MarginalReference(tuple(rows.marginals)), components, mean)

    @cached_property
    def evaluator(self) -> Evaluator:
        """The components before subterms are taken out of them."""
        return Evaluator(self.fit.columns, self.moved)

    def columns(self, block: GroupBlock) -> Floats:
        """Evaluate components and, last, the gap, for standardised answers, shape (n_outputs, n_terms + 1, n_rows)."""
        values = self.evaluator.components(self.terms, block.functions)
        n_mains = len(self.terms) - len(self.subterms.terms)
        shifts = {term: projection.shift for term, projection in self.projections.items()}
        self.subterms.subtract(shifts, block.functions, values[:, n_mains:])
        columns = np.empty((len(values), len(self.terms) + 1, values.shape[2]))
        np.subtract(values, self.offsets.T[:, :, None], out=columns[:, :-1])
        mean = self.moved[0] + self.offsets.sum(axis=0)
        columns[:, -1] = block.answers.T - mean[:, None] - columns[:, :-1].sum(axis=1)
        return columns


@dataclass(frozen=True, eq=False)
class ReplicateSums:
    """Sums over replicates, or over slices of a row block, along the first axis."""

    # The first three have shape (n_replicates, n_outputs, n_terms + 1), the others (n_replicates, n_outputs).
    values: Floats  # components and the gap
    squares: Floats  # the same squared
    products: Floats  # and times the centred answer
    gaps: Floats  # squared
    answers: Floats  # centred
    squared_answers: Floats
    n_rows: Floats  # shape (n_replicates,)


@dataclass(frozen=True, eq=False)
class BlockSummary:
    """Sums over the rows of one block, for standardised answers."""

    slices: Slices
    moments: MomentSums
    sums: ReplicateSums  # over each slice

    @classmethod
    def of(cls, columns: Floats, gap: Floats, block: GroupBlock, terms: Sequence[Term]) -> "BlockSummary":
        """Sum over rows; `columns` has shape (n_outputs, n_terms + 1, n_rows)."""
        squares, answers, slices = columns**2, block.answers.T, block.slices
        sums = ReplicateSums(
            values=sum_slices(columns, slices),
            squares=sum_slices(squares, slices),
            products=sum_slices(columns * answers[:, None], slices),
            gaps=sum_slices(gap**2, slices),
            answers=sum_slices(answers, slices),
            squared_answers=sum_slices(answers**2, slices),
            n_rows=np.array([float(at.stop - at.start) for _, at in slices]),
        )
        return cls(slices, MomentSums.of(columns, squares, terms), sums)


class RowSummary:
    """Adds up the summaries of row blocks."""

    def __init__(self) -> None:
        self.moments = MomentSums(0, *(np.zeros((1,) * n_axes) for n_axes in (2, 3, 2)))
        self._by_replicate: dict[str, Floats] = {}

    def add(self, block: BlockSummary) -> None:
        """Count the rows of one more block."""
        self.moments = self.moments + block.moments
        replicates = [replicate for replicate, _ in block.slices]  # each occurs once
        for field in fields(ReplicateSums):
            sums = getattr(block.sums, field.name)
            if field.name not in self._by_replicate:
                self._by_replicate[field.name] = np.zeros((REPLICATES, *sums.shape[1:]))
            self._by_replicate[field.name][replicates] += sums

    def replicate_sums(self, spread: Floats) -> ReplicateSums:
        """Return the sums over replicates of all rows that were counted, in the units of the answers."""
        wide, sums = spread[:, None], self._by_replicate
        units = {
            "values": wide,
            "squares": wide**2,
            "products": wide**2,
            "gaps": spread**2,
            "answers": spread,
            "squared_answers": spread**2,
        }
        return ReplicateSums(**{name: values * units.get(name, 1.0) for name, values in sums.items()})


@dataclass(frozen=True, eq=False)
class Scores:
    """What the rows of one block add to `ScoreSums`, slice by slice."""

    slices: Slices
    scores: list[Reals]
    functions: list[Reals]
    products: list[SubtermProducts]

    @classmethod
    def of(cls, assembly: Assembly, block: GroupBlock, columns: Floats, scratch: Scratch) -> "Scores":
        """Sum over rows; `columns` has shape (n_outputs, n_terms + 1, n_rows)."""
        standard = columns[:, -1 - len(assembly.subterms.terms) :].astype(np.float32)
        gap = np.ascontiguousarray(standard[:, -1].T)
        design = assembly.fit.columns.design(block.functions, scratch.matrix(assembly.fit.columns.size, len(gap)))
        return cls(
            slices=block.slices,
            scores=[design[:, at] @ gap[at] for _, at in block.slices],
            functions=[sum_slices(own, block.slices) for own in block.functions],
            products=assembly.subterms.products(block.functions, standard[:, :-1], block.slices),
        )


class ScoreSums:
    """Sums over each replicate that trace a fit back to its rows, for standardised answers.

    Attributes
    ----------
    scores : array of shape (REPLICATES, n_columns, n_outputs)
        Column times gap.
    functions : list of array of shape (REPLICATES, n_functions)
        The functions of each feature.
    products : SubtermSums
        Subterm times purified interaction.
    """

    def __init__(self, assembly: Assembly) -> None:
        n_columns, n_outputs = assembly.fit.coefficients.shape
        self.scores = np.zeros((REPLICATES, n_columns, n_outputs))
        self.functions = [np.zeros((REPLICATES, len(marginal.roughness))) for marginal in assembly.fit.rows.marginals]
        self.products = SubtermSums(assembly.subterms, n_outputs)

    def add(self, found: Scores) -> None:
        """Count the rows of one more block."""
        for (replicate, _), scores in zip(found.slices, found.scores, strict=True):
            self.scores[replicate] += scores
        for total, own in zip(self.functions, found.functions, strict=True):
            total[[replicate for replicate, _ in found.slices]] += own
        self.products.add(found.products)


def summarise_fit(assembly: Assembly) -> tuple[Moments, ReplicateSums, ScoreSums]:
    """Read the rows of a fit once, for its moments and for everything its uncertainty needs."""
    fit, scratch = assembly.fit, Scratch()

    def summarise(block: GroupBlock) -> tuple[BlockSummary, Scores]:
        columns = assembly.columns(block)
        found = BlockSummary.of(columns, columns[:, -1], block, assembly.terms)
        return found, Scores.of(assembly, block, columns, scratch)

    summary, scores = RowSummary(), ScoreSums(assembly)
    for found, traced in in_order(summarise, fit.rows.blocks(fit.groups)):
        summary.add(found)
        scores.add(traced)
    return summary.moments.average(fit.rows.spread), summary.replicate_sums(fit.rows.spread), scores


def summarise_held_out(held_out: Sequence[HeldOutFit], terms: Sequence[Term]) -> tuple[Moments, ReplicateSums]:
    """Purify fits and read the rows that each has not seen; all are fits of the same answers.

    A component is listed under its place in `terms`; a term that a fit does not have counts as zero.
    """
    n_rows = sum(item.n_rows for item in held_out)
    summary, leakage = RowSummary(), LeakageSums(terms, n_rows)
    for item in held_out:
        assembly = Assembly.purified(item.fit)

        def summarise(block: GroupBlock, assembly: Assembly = assembly) -> tuple[BlockSummary, LeakageProducts]:
            columns = assembly.columns(block)
            listed = _listed(columns, assembly.terms, terms)
            found = BlockSummary.of(listed, columns[:, -1], block, terms)
            return found, leakage.products(block.functions, listed)

        for found, products in in_order(summarise, item.fit.rows.blocks((item.group,))):
            summary.add(found)
            leakage.add(products)
    spread = held_out[0].fit.rows.spread
    sums = summary.replicate_sums(spread)
    squared_gap, leakages = sums.gaps.sum(axis=0) / n_rows, leakage.shares(summary.moments)
    return replace(summary.moments.average(spread), squared_gap=squared_gap, leakages=leakages), sums


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
