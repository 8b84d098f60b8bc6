"""The last pass over the rows: moments of the components, and sums over chunks for their uncertainty."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.assembly import Assembly
from anova_report.core.chunks import CHUNKS, ChunkCutter
from anova_report.core.leakage import LeakageSums
from anova_report.core.moments import Moments, moments_of_columns
from anova_report.core.parallel import Scratch
from anova_report.core.parts import Cuts, PartSums
from anova_report.core.rows import Part
from anova_report.core.terms import Term


@dataclass(frozen=True, eq=False)
class ChunkSums:
    """Sums over each chunk of rows.

    Parameters
    ----------
    values, squares, products : arrays of shape (CHUNKS, n_terms + 1, n_outputs)
        Of components and what they leave: themselves, squared, and times the centred answer.
    gaps, answers, squared_answers : arrays of shape (CHUNKS, n_outputs)
        Squared gaps; centred answers, themselves and squared.
    n_rows : array of shape (CHUNKS,)
    """

    values: Floats
    squares: Floats
    products: Floats
    gaps: Floats
    answers: Floats
    squared_answers: Floats
    n_rows: Floats

    @classmethod
    def empty(cls, n_terms: int, n_outputs: int, n_rows: Floats) -> "ChunkSums":
        """Start from nothing; `n_rows` is counted by the cutter."""
        values, squares, products = np.zeros((3, CHUNKS, n_terms + 1, n_outputs))
        gaps, answers, squared_answers = np.zeros((3, CHUNKS, n_outputs))
        return cls(values, squares, products, gaps, answers, squared_answers, n_rows)

    def add(self, chunk: int, columns: Floats, gap: Floats, answers: Floats) -> None:
        """Count some rows of one chunk."""
        self.values[chunk] += columns.sum(axis=0)
        self.squares[chunk] += (columns**2).sum(axis=0)
        self.products[chunk] += np.einsum("nto,no->to", columns, answers)
        self.gaps[chunk] += (gap**2).sum(axis=0)
        self.answers[chunk] += answers.sum(axis=0)
        self.squared_answers[chunk] += (answers**2).sum(axis=0)


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Sums over each chunk of rows that trace a fit back to them, for standardised answers.

    Parameters
    ----------
    scores : array of shape (CHUNKS, n_columns, n_outputs)
        Column times gap.
    parts : PartSums
        Part times purified interaction.
    """

    scores: Floats
    parts: PartSums
    scratch: Scratch

    @classmethod
    def empty(cls, assembly: Assembly) -> "ScoreSums":
        """Start from nothing."""
        n_columns, n_outputs = assembly.fit.coefficients.shape
        return cls(np.zeros((CHUNKS, n_columns, n_outputs)), PartSums(assembly.parts, n_outputs), Scratch())

    def add(self, assembly: Assembly, part: Part, columns: Floats, cuts: Cuts) -> None:
        """Count some rows; `columns` are components and gap in units of the answers."""
        standard = (columns / assembly.fit.rows.spread).astype(np.float32)
        design = assembly.fit.columns.design(part.functions, self.scratch.matrix(self.scores.shape[1], len(columns)))
        for chunk, cut in cuts:
            self.scores[chunk] += design[:, cut] @ standard[cut, -1]
        n_interactions = len(assembly.parts.terms)
        interactions = standard[:, -1 - n_interactions : -1]
        self.parts.add(assembly.parts.products(part.functions, interactions, cuts))


def summarise_fit(assembly: Assembly) -> tuple[Moments, ChunkSums, ScoreSums]:
    """Visit the rows of a fit once, for its moments and for everything its uncertainty needs."""
    fit = assembly.fit
    cutter = ChunkCutter(fit.normal.n_rows)
    sums = ChunkSums.empty(len(assembly.terms), len(fit.rows.spread), cutter.n_rows)
    scores = ScoreSums.empty(assembly)

    def blocks() -> Iterator[Floats]:
        for part, columns in assembly.columns(fit.groups):
            cuts = list(cutter.cut(len(columns)))
            answers = part.answers * fit.rows.spread
            for chunk, cut in cuts:
                sums.add(chunk, columns[cut], columns[cut, -1], answers[cut])
            scores.add(assembly, part, columns, cuts)
            yield columns

    return moments_of_columns(blocks(), assembly.terms), sums, scores


def summarise_held_out(
    fits: Iterable[tuple[Assembly, Collection[int]]], terms: Sequence[Term], n_rows: int
) -> tuple[Moments, ChunkSums]:
    """Visit held-out rows with the fits that have not seen them; their components are listed as `terms`.

    Parameters
    ----------
    fits : iterable of Assembly and groups
        Each fit with its held-out rows.
    terms : sequence of Term
        Components that are wanted; a term that a fit does not have counts as zero.
    n_rows : int
        How many held-out rows there are.
    """
    cutter = ChunkCutter(n_rows)
    sums: list[ChunkSums] = []
    leakage = LeakageSums(terms, n_rows)

    def blocks() -> Iterator[Floats]:
        for assembly, groups in fits:
            for part, columns in assembly.columns(groups):
                answers = part.answers * assembly.fit.rows.spread
                listed = _listed(columns, assembly.terms, terms)
                gap = columns[:, -1]
                if not sums:
                    sums.append(ChunkSums.empty(len(terms), answers.shape[1], cutter.n_rows))
                for chunk, cut in cutter.cut(len(columns)):
                    sums[0].add(chunk, listed[cut], gap[cut], answers[cut])
                leakage.add(part.functions, listed)
                yield listed

    moments = moments_of_columns(blocks(), terms)
    squared_gap = sums[0].gaps.sum(axis=0) / n_rows
    return replace(moments, squared_gap=squared_gap, leakages=leakage.shares()), sums[0]


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
