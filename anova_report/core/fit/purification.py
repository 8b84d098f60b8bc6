"""Moving out of an interaction what belongs to its parts, as far as the sample can tell it from noise."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.engines.threads import in_order
from anova_report.core.fit.design import Columns, Evaluator
from anova_report.core.fit.replicates import joined
from anova_report.core.fit.rows import GroupedRows, Part
from anova_report.core.fit.sums import Normal, Parts, PartSums, Products
from anova_report.core.terms import Term

GATE = 3.0  # a projection must promise a gain so many standard deviations beyond noise
SLACK_SIGMAS = 5.0  # among strengths, the least shrinkage whose gain is not worse by more than this
SLACK_SHARE = 0.1  # or by this share of the gain
CHUNKS = 16  # of rows, whose spread tells noise: over all axes of a projection together that is sure enough
SHRINKAGE = 10.0 ** np.arange(-7, 2, 0.5)


@dataclass(frozen=True, eq=False)
class Projection:
    """What an interaction holds of its parts.

    Parameters
    ----------
    positions : array of int, shape (n_parts,)
        Columns of the fit that are parts, the constant first.
    shift : array of shape (n_parts, n_outputs)
        Coefficients that move from the interaction to its parts.
    turn : array of shape (n_parts - 1, n_parts - 1)
        Makes the parts, constant aside, orthonormal.
    kept : array of shape (n_outputs, n_parts - 1)
        How much of the projection along each of these axes was kept.
    """

    positions: NDArray[np.intp]
    shift: Floats
    turn: Floats
    kept: Floats

    def project(self, products: Floats) -> Floats:
        """Turn average products with the centred parts, (n_outputs, n_parts - 1, …), into coefficients that move."""
        kept = self.kept.reshape(*self.kept.shape, *(1,) * (products.ndim - 2))
        return np.asarray(self.turn.T @ (kept * (self.turn @ products)))


@dataclass(frozen=True, eq=False)
class Purified:
    """A fit whose interactions are free of their parts.

    Parameters
    ----------
    coefficients : array of shape (n_columns, n_outputs)
        Of the columns, after everything moved; the first is the mean.
    projections : mapping of Term to Projection
        What was taken out of each interaction.
    """

    coefficients: Floats
    projections: Mapping[Term, Projection]


def purify(
    columns: Columns,
    normal: Normal,
    coefficients: Floats,
    rows: GroupedRows,
    groups: tuple[int, ...],
    roughness: Floats,
) -> Purified:
    """Purify every interaction, the highest order first; the sum of all components does not change.

    Parameters
    ----------
    columns, normal, coefficients
        The fit.
    rows, groups
        Rows of the fit, visited once for each order.
    roughness : array of shape (n_columns,)
        Smooth parts are moved more readily than rough ones.
    """
    moved = coefficients.copy()
    projections: dict[Term, Projection] = {}
    orders = sorted({len(term) for term in columns.positions if len(term) > 1}, reverse=True)
    for order in orders:
        parts = Parts(columns, [term for term in columns.positions if len(term) == order])
        sums = _part_sums(parts, moved, rows, groups)

        def project(term: Term, parts: Parts = parts, sums: PartSums = sums) -> Projection:
            positions = parts.positions(term)
            gram = symmetric(normal.gram, positions)
            return _project(positions, gram, roughness[positions], sums.of(term), normal.n_rows)

        for term, projection in zip(parts.terms, in_order(project, parts.terms), strict=True):
            projections[term] = projection
            moved[projection.positions] += projection.shift
    return Purified(moved, projections)


def symmetric(gram: Floats, positions: NDArray[np.intp], others: NDArray[np.intp] | None = None) -> Floats:
    """Read a part of a Gram of which only the upper triangle is filled."""
    others = positions if others is None else others
    low, high = np.minimum.outer(positions, others), np.maximum.outer(positions, others)
    return gram[low, high]


def _part_sums(parts: Parts, coefficients: Floats, rows: GroupedRows, groups: tuple[int, ...]) -> PartSums:
    evaluator = Evaluator(parts.columns, coefficients)

    def multiply(part: Part) -> list[Products]:
        values = evaluator.components(parts.terms, part.functions)
        return parts.products(part.functions, values, joined(part.cuts, CHUNKS))

    total = PartSums(parts, coefficients.shape[1], CHUNKS)
    for products in in_order(multiply, rows.parts(groups)):
        total.add(products)
    return total


def _project(positions: NDArray[np.intp], gram: Floats, roughness: Floats, scores: Floats, n_rows: int) -> Projection:
    """Regress an interaction on its parts, shrunk along the axes in which the parts are smooth.

    The strength is that of least estimated risk (Stein), leaning to the side of less shrinkage, and nothing but the
    mean is moved unless the gain is beyond noise: an exact projection would move noise into the main effects.
    """
    means = gram[0, 1:]
    centred = gram[1:, 1:] - np.outer(means, means)
    ease = 1 / np.sqrt(np.maximum(roughness[1:], 1.0))
    sizes, axes = np.linalg.eigh(ease[:, None] * centred * ease)
    sizes = np.maximum(sizes, 1e-12)
    turn = (ease[:, None] * axes / np.sqrt(sizes)).T  # turned parts are orthonormal
    constants = scores[:, :, 0]
    by_chunk = (scores[:, :, 1:] - constants[:, :, None] * means) @ turn.T
    kept = np.array([_shrinkage(of_output, sizes, n_rows) for of_output in by_chunk])
    moved = turn.T @ (kept * by_chunk.sum(axis=1)).T / n_rows
    constant = constants.sum(axis=1) / n_rows - means @ moved
    return Projection(positions, np.concatenate([constant[None], moved]), turn, kept)


def _shrinkage(by_chunk: Floats, sizes: Floats, n_rows: int) -> Floats:
    """How much of the projection along each axis is kept, in [0, 1]."""
    projected = by_chunk.sum(axis=0) / n_rows
    spread = by_chunk - projected * n_rows / CHUNKS
    variance = (spread**2).sum(axis=0) / n_rows**2 * CHUNKS / (CHUNKS - 1)
    kept = sizes / (sizes + SHRINKAGE[:, None])
    gains = (kept * (2 - kept) * projected**2 - 2 * kept * variance).sum(axis=1)
    noise = np.sqrt(2 * ((kept * (2 - kept) * variance) ** 2).sum(axis=1))
    best = int(gains.argmax())
    if gains[best] <= GATE * noise[best]:
        return np.zeros(len(sizes))
    enough = gains[best] - max(SLACK_SIGMAS * noise[best], SLACK_SHARE * gains[best])
    return np.asarray(kept[np.flatnonzero(gains >= enough)[0]])
