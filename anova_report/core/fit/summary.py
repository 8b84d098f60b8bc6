"""The last pass over the rows: component functions, their moments, and sums over replicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.basis.design import Evaluator
from anova_report.core.basis.marginals import MarginalReference
from anova_report.core.fit.fits import Fit, HeldOutFit
from anova_report.core.fit.jackknife_groups import REPLICATES, Slices, sum_slices
from anova_report.core.fit.lack_of_fit import HeldOutResiduals, KeptResiduals, LackOfFit
from anova_report.core.fit.moments import LeakageProducts, LeakageSums, Moments, MomentSums, ResidualSums
from anova_report.core.fit.purification import Projection, SubtermProducts, Subterms, SubtermSums, purify
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.unmoved import CellSums, SharedSums, Unmoved, left_behind
from anova_report.core.result.expansion import Component, Expansion
from anova_report.core.result.terms import Term, sort_terms
from anova_report.core.threads import Scratch

BlockSums: TypeAlias = tuple[Slices, MomentSums, dict[str, Floats], ResidualSums]  # what `RowSummary.add` takes
BlockScores: TypeAlias = tuple[Slices, list[Reals], list[Reals], list[SubtermProducts]]  # and `ScoreSums.add`


@dataclass(frozen=True, eq=False)
class Assembly:
    """The components of a fit, as combinations of its columns."""

    fit: Fit
    moved: Floats  # shape (n_columns, n_outputs): coefficients of the columns after purification; the first is the mean
    projections: Mapping[Term, Projection]  # what purification took out of each interaction

    @classmethod
    def purified(cls, fit: Fit) -> "Assembly":
        """Purify a fit."""
        known = fit.columns, fit.normal, fit.coefficients, fit.rows, fit.groups
        centered, few = fit.known is None, fit.known is not None or fit.asked is not None
        return cls(fit, *purify(*known, exact=fit.solution is not None, centered=centered, few=few))

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
        """Coefficients of a component for standardized predictions, in the order of `positions`."""
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
        """Write the components as functions, in the units of the predictions."""
        rows = self.fit.rows
        components = tuple(
            Component(term, self.degrees(term), self.coefficients(term) * rows.spread, -offset * rows.spread)
            for term, offset in zip(self.terms, self.offsets, strict=True)
        )
        mean = rows.center + rows.spread * (self.moved[0] + self.offsets.sum(axis=0))
        return Expansion(MarginalReference(tuple(rows.marginals)), components, mean)

    @cached_property
    def values(self) -> "ComponentValues":
        """The components as they are evaluated on the rows of a fit."""
        shifts = {term: projection.shift for term, projection in self.projections.items()}
        mean = self.moved[0] + self.offsets.sum(axis=0)
        evaluator = Evaluator(self.fit.columns, self.moved)
        return ComponentValues(self.terms, self.subterms, evaluator, shifts, self.offsets, mean)


@dataclass(frozen=True, eq=False)
class ComponentValues:
    """All that the components of a fit need to be evaluated on its rows, and no more: it may have far to go there."""

    terms: tuple[Term, ...]
    subterms: Subterms
    evaluator: Evaluator  # of components before subterms are taken out of them
    shifts: Mapping[Term, Floats]
    offsets: Floats
    mean: Floats

    def columns(self, block: GroupBlock) -> Floats:
        """Evaluate components and, last, the residual, standardized, shape (n_outputs, n_terms + 1, n_rows)."""
        values = self.evaluator.components(self.terms, block.functions)
        n_mains = len(self.terms) - len(self.subterms.terms)
        self.subterms.subtract(self.shifts, block.functions, values[:, n_mains:])
        columns = np.empty((len(values), len(self.terms) + 1, values.shape[2]))
        np.subtract(values, self.offsets.T[:, :, None], out=columns[:, :-1])
        columns[:, -1] = block.predictions.T - self.mean[:, None] - columns[:, :-1].sum(axis=1)
        return columns


@dataclass(frozen=True, eq=False)
class ReplicateSums:
    """Sums over replicates, or over slices of a row block, along the first axis; rows count by their weights."""

    # The first three have shape (n_replicates, n_outputs, n_terms + 1), the others (n_replicates, n_outputs).
    values: Floats  # components and the residual
    squares: Floats  # the same squared
    products: Floats  # and times the centered prediction
    residuals: Floats  # squared
    predictions: Floats  # centered
    squared_predictions: Floats
    n_rows: Floats  # shape (n_replicates,)


class RowSummary:
    """Sums over rows, for standardized predictions: the moments of components, and what replicates add up to."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.moments = MomentSums(0, 0.0, *(np.zeros((1,) * n_axes) for n_axes in (2, 3, 2)))
        self._terms = terms
        self._by_replicate: dict[str, Floats] = {}
        self._residuals: ResidualSums | None = None

    def sums(self, columns: Floats, residual: Floats, block: GroupBlock) -> BlockSums:
        """Sum over the rows of one block; `columns` has shape (n_outputs, n_terms + 1, n_rows)."""
        squares, predictions = columns**2, block.predictions.T
        by_row = {
            "values": columns,
            "squares": squares,
            "products": columns * predictions[:, None],
            "residuals": residual**2,
            "predictions": predictions,
            "squared_predictions": predictions**2,
            "n_rows": np.ones(len(block.predictions)),
        }
        sums = {name: sum_slices(block.weighed(values), block.slices) for name, values in by_row.items()}
        moments = MomentSums.of(columns, squares, self._terms, block.weights)
        moments = replace(moments, n_rows=block.n_table_rows)
        residuals = ResidualSums.of(block.weighed(residual**2), block.weighed(predictions**2), block.positions)
        return block.slices, moments, sums, residuals

    def add(self, found: BlockSums) -> None:
        """Count the rows of one more block."""
        slices, moments, sums, residuals = found
        self.moments = self.moments + moments
        self._residuals = residuals if self._residuals is None else self._residuals + residuals
        replicates = [replicate for replicate, _ in slices]  # each occurs once
        for name, values in sums.items():
            if name not in self._by_replicate:
                self._by_replicate[name] = np.zeros((REPLICATES, *values.shape[1:]))
            self._by_replicate[name][replicates] += values

    def merge(self, other: "RowSummary") -> None:
        """Count other rows as well."""
        self.moments = self.moments + other.moments
        if other._residuals is not None:
            self._residuals = other._residuals if self._residuals is None else self._residuals + other._residuals
        for name, values in other._by_replicate.items():
            self._by_replicate[name] = self._by_replicate.get(name, 0.0) + values

    def averages(self, spread: Floats) -> Moments:
        """Average over all rows that were counted, in the units of the predictions."""
        hardest = None if self._residuals is None else self._residuals.hardest(self.moments.weight)
        return replace(self.moments.average(spread), hardest=hardest)

    def replicate_sums(self, spread: Floats) -> ReplicateSums:
        """Return the sums over replicates of all rows that were counted, in the units of the predictions."""
        wide = spread[:, None]
        units = {
            "values": wide,
            "squares": wide**2,
            "products": wide**2,
            "residuals": spread**2,
            "predictions": spread,
            "squared_predictions": spread**2,
        }
        return ReplicateSums(**{name: sums * units.get(name, 1.0) for name, sums in self._by_replicate.items()})


class ScoreSums:
    """Sums over each replicate that trace a fit back to its rows, for standardized predictions.

    Attributes
    ----------
    scores : array of shape (REPLICATES, n_columns, n_outputs)
        Column times residual.
    functions : list of array of shape (REPLICATES, n_functions)
        The functions of each feature that takes part in an interaction; of others zeros.
    products : SubtermSums
        Subterm times purified interaction.
    """

    def __init__(self, subterms: Subterms, n_outputs: int, n_functions: Sequence[int]) -> None:
        self.scores = np.zeros((REPLICATES, subterms.columns.size, n_outputs))
        self.functions = [np.zeros((REPLICATES, own)) for own in n_functions]
        self.products = SubtermSums(subterms, n_outputs)
        self._columns, self._subterms, self._scratch = subterms.columns, subterms, Scratch()
        self._involved = sorted({feature for term in subterms.terms for feature in term})

    def sums(self, columns: Floats, block: GroupBlock) -> BlockScores:
        """Sum over the rows of one block; `columns` has shape (n_outputs, n_terms + 1, n_rows)."""
        standard = block.weighed(columns[:, -1 - len(self._subterms.terms) :].astype(np.float32))
        residual = np.ascontiguousarray(standard[:, -1].T)
        design = self._columns.design(block.functions, self._scratch.matrix(self._columns.size, len(residual)))
        scores = [design[:, at] @ residual[at] for _, at in block.slices]
        functions = [sum_slices(block.weighed(block.functions[feature]), block.slices) for feature in self._involved]
        return block.slices, scores, functions, self._subterms.products(block.functions, standard[:, :-1], block.slices)

    def add(self, found: BlockScores) -> None:
        """Count the rows of one more block."""
        slices, scores, functions, products = found
        replicates = [replicate for replicate, _ in slices]
        for replicate, own in zip(replicates, scores, strict=True):
            self.scores[replicate] += own
        for feature, own in zip(self._involved, functions, strict=True):
            self.functions[feature][replicates] += own
        self.products.add(products)

    def merge(self, other: "ScoreSums") -> None:
        """Count other rows as well."""
        self.scores += other.scores
        for feature in self._involved:
            self.functions[feature] += other.functions[feature]
        self.products.merge(other.products)


class OnePass:
    """Sums of several kinds that one pass over the rows adds up."""

    parts: tuple[Any, ...]

    def add(self, found: tuple[Any, ...]) -> None:
        """Count the rows of one block."""
        for part, own in zip(self.parts, found, strict=True):
            part.add(own)

    def merge(self, other: "OnePass") -> None:
        """Count other rows as well."""
        for part, own in zip(self.parts, other.parts, strict=True):
            part.merge(own)


class FitSummary(OnePass):
    """What one pass over the rows of a fit sums up: moments, and everything its uncertainty needs."""

    def __init__(
        self, values: ComponentValues, n_functions: Sequence[int], n_rows: float, ranks: Mapping[int, Reals]
    ) -> None:
        self.summary = RowSummary(values.terms)
        self.scores = ScoreSums(values.subterms, len(values.mean), n_functions)
        self.shared = SharedSums(values.subterms, ranks, len(values.mean), n_rows)
        self.parts, self._values = (self.summary, self.scores, self.shared), values

    def sums(self, block: GroupBlock) -> tuple[BlockSums, BlockScores, CellSums]:
        """Sum over the rows of one block."""
        columns = self._values.columns(block)
        interactions = columns[:, -1 - len(self._values.subterms.terms) : -1]
        summed = self.summary.sums(columns, columns[:, -1], block)
        return summed, self.scores.sums(columns, block), self.shared.sums(interactions, block)


class HeldOutSummary(OnePass):
    """What one pass over rows that a fit has not seen sums up; components are listed as `terms`.

    These are `n_rows` of `n_all` rows that are held out; `ranks` are those of the codes of features in pairs.
    """

    def __init__(
        self, values: ComponentValues, terms: Sequence[Term], n_rows: float, n_all: float, ranks: Mapping[int, Reals]
    ) -> None:
        self.summary, self.residuals = RowSummary(terms), HeldOutResiduals(terms, n_all)
        self.leakage = LeakageSums(terms, n_rows, len(values.mean))
        self.parts = self.summary, self.leakage, self.residuals
        self._values, self._terms, self._ranks = values, terms, ranks

    def sums(self, block: GroupBlock) -> tuple[BlockSums, LeakageProducts, KeptResiduals]:
        """Sum over the rows of one block."""
        columns = self._values.columns(block)
        listed, residual = _listed(columns, self._values.terms, self._terms), columns[:, -1]
        leaked = self.leakage.products(block.functions, listed, block.weights)
        return self.summary.sums(listed, residual, block), leaked, self.residuals.of(block, residual, self._ranks)


def summarize_fit(assembly: Assembly) -> tuple[Moments, ReplicateSums, ScoreSums, Unmoved]:
    """Read the rows of a fit once, for its moments and for everything its uncertainty needs."""
    fit, rows = assembly.fit, assembly.fit.rows
    n_functions = [len(marginal.roughness) for marginal in rows.marginals]
    # A table of cells is projected exactly, so that nothing is left to look for.
    looked_at = [] if fit.solution is not None else assembly.subterms.terms
    ranks = {feature: rows.books[feature].ranks() for term in looked_at for feature in term}
    start = partial(FitSummary, assembly.values, n_functions, fit.normal.n_rows, ranks)
    found = rows.fold(start, fit.groups, "uncertainty")
    n_rows, means = fit.normal.n_rows, fit.normal.gram[0]
    behind = {
        term: left_behind(own, found.scores.products.of(term), means[own.positions[1:]], n_rows)
        for term, own in assembly.projections.items()
    }
    unmoved = found.shared.unmoved(behind, assembly.terms, rows.spread)
    return found.summary.averages(rows.spread), found.summary.replicate_sums(rows.spread), found.scores, unmoved


def summarize_held_out(
    held_out: Sequence[HeldOutFit], terms: Sequence[Term]
) -> tuple[Moments, ReplicateSums, LackOfFit]:
    """Purify fits and read the rows that each has not seen; all are fits of the same predictions.

    A component is listed under its place in `terms`; a term that a fit does not have counts as zero. The last result
    is the lack of fit of pairs.
    """
    n_rows = sum(item.n_rows for item in held_out)
    summary, evidence, residuals = RowSummary(terms), [], HeldOutResiduals(terms, n_rows)

    def summed(item: HeldOutFit) -> HeldOutSummary:
        values = Assembly.purified(item.fit).values
        ranks = {feature: item.fit.rows.books[feature].ranks() for feature in residuals.features}
        start = partial(HeldOutSummary, values, terms, item.n_rows, n_rows, ranks)
        return item.fit.rows.fold(start, (item.group,), "held-out rows")

    for found in held_out[0].fit.rows.together([partial(summed, item) for item in held_out]):
        summary.merge(found.summary)
        residuals.merge(found.residuals)
        evidence.append(found.leakage.evidence())
    spread = held_out[0].fit.rows.spread
    sums = summary.replicate_sums(spread)
    leaks = reduce(add, evidence)
    moments = replace(
        summary.averages(spread),
        squared_gap=sums.residuals.sum(axis=0) / n_rows,
        leakages=leaks.shares(),
        leakage_floors=leaks.floors(n_rows),
    )
    return moments, sums, residuals.lack_of_fit(spread)


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
