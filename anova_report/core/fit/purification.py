"""Moving out of an interaction what belongs to its subterms, as far as the sample distinguishes it from noise."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import DOUBLE_ROUNDING, ROUNDING, Floats, Reals
from anova_report.core.basis.design import Columns, Evaluator
from anova_report.core.fit.jackknife_groups import REPLICATES, Slices, joined, sum_slices
from anova_report.core.fit.row_blocks import FitRows, GroupBlock
from anova_report.core.fit.sums import VERY_SURE, Normal, factor, solve_upper
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.result.terms import Term, subterms
from anova_report.core.threads import in_order

# Statistics: what moves too readily is noise in main effects (`make truth`), what stays is leakage (`make verdicts`).
SMOOTH = 16  # leading axes of a projection: blocks that begin beyond move only after one of these
NOISE_REPLICATES = REPLICATES // 4  # their spread measures noise; over all axes of a projection they are enough

SubtermProducts: TypeAlias = tuple[int, Reals, dict[Term, Reals]]  # replicate, and sums with the constant and subterms


class Subterms:
    """Which columns of a fit belong to subterms of which interactions, `terms`."""

    def __init__(self, columns: Columns, terms: Sequence[Term]) -> None:
        self.columns = columns
        self.terms = tuple(terms)
        sharing: dict[Term, list[int]] = {}
        for index, term in enumerate(self.terms):
            for subterm in self.of(term):
                sharing.setdefault(subterm, []).append(index)
        self.sharing = {subterm: np.array(indices) for subterm, indices in sharing.items()}

    def of(self, term: Term) -> list[Term]:
        """List the subterms of an interaction that have columns; the constant is not listed."""
        return [subterm for subterm in subterms(term) if subterm in self.columns.positions]

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns of the subterms of an interaction, the constant first."""
        own = [self.columns.positions[subterm] for subterm in self.of(term)]
        return np.concatenate([np.zeros(1, dtype=np.intp), *own])

    def evaluate(self, subterm: Term, functions: Sequence[Reals]) -> Reals:
        """Evaluate the columns of one subterm, shape (n_columns, n_rows)."""
        chosen = self.columns.functions[subterm]
        if len(subterm) == 1:
            # Main effects use the leading functions of a feature: a view, where a choice would copy.
            return functions[subterm[0]][: len(chosen)]
        factors = [functions[feature][which] for feature, which in zip(subterm, chosen.T, strict=True)]
        return np.asarray(np.prod(factors, axis=0))

    def subtract(self, shifts: Mapping[Term, Floats], functions: Sequence[Reals], values: Reals) -> None:
        """Take subterms out of interactions, in place; `values` has shape (n_outputs, n_interactions, n_rows)."""
        if not self.terms:
            return
        split: dict[Term, dict[Term, Floats]] = {}
        for term in self.terms:
            ends = np.cumsum([1, *(len(self.columns.positions[subterm]) for subterm in self.of(term))])[:-1]
            split[term] = dict(zip(self.of(term), np.split(shifts[term], ends)[1:], strict=True))
        values -= np.array([shifts[term][0] for term in self.terms], dtype=values.dtype).T[:, :, None]
        for subterm, sharing in self.sharing.items():
            weights = np.stack([split[self.terms[index]][subterm].T for index in sharing], axis=1).astype(values.dtype)
            values[:, sharing] -= weights @ self.evaluate(subterm, functions)

    def products(self, functions: Sequence[Reals], values: Reals, slices: Slices) -> list[SubtermProducts]:
        """Sum subterm times interaction over slices of rows; `values` is (n_outputs, n_interactions, n_rows)."""
        by_subterm: list[dict[Term, Reals]] = [{} for _ in slices]
        for subterm, sharing in self.sharing.items():
            own = self.evaluate(subterm, functions)
            shared = values[:, sharing].reshape(-1, values.shape[2])
            for found, (_, at) in zip(by_subterm, slices, strict=True):
                found[subterm] = (shared[:, at] @ own[:, at].T).reshape(len(values), len(sharing), -1)
        replicates = [replicate for replicate, _ in slices]
        return list(zip(replicates, sum_slices(values, slices), by_subterm, strict=True))


class SubtermSums:
    """Sums of subterm times interaction over each replicate.

    `constant` has shape (n_replicates, n_outputs, n_interactions), and each array of `by_subterm` has shape
    (n_replicates, n_outputs, n_sharing, n_columns).
    """

    def __init__(self, subterms: Subterms, n_outputs: int, n_replicates: int = REPLICATES) -> None:
        self.subterms = subterms
        self.constant = np.zeros((n_replicates, n_outputs, len(subterms.terms)))
        self.by_subterm = {
            subterm: np.zeros((n_replicates, n_outputs, len(sharing), len(subterms.columns.positions[subterm])))
            for subterm, sharing in subterms.sharing.items()
        }

    def add(self, found: Iterable[SubtermProducts]) -> None:
        """Count some rows."""
        for replicate, constant, by_subterm in found:
            self.constant[replicate] += constant
            for subterm, sums in by_subterm.items():
                self.by_subterm[subterm][replicate] += sums

    def merge(self, other: "SubtermSums") -> None:
        """Count other rows as well."""
        self.constant += other.constant
        for subterm, sums in other.by_subterm.items():
            self.by_subterm[subterm] += sums

    def of(self, term: Term) -> Floats:
        """Return the sums of one interaction, (n_outputs, n_replicates, n_columns), ordered as `Subterms.positions`."""
        index = self.subterms.terms.index(term)
        found = [self.constant[:, :, [index]]]
        for subterm in self.subterms.of(term):
            at = int(np.searchsorted(self.subterms.sharing[subterm], index))
            found.append(self.by_subterm[subterm][:, :, at])
        return np.concatenate(found, axis=2).transpose(1, 0, 2)


@dataclass(frozen=True, eq=False)
class Projection:
    """What an interaction holds of its subterms."""

    positions: NDArray[np.intp]  # shape (n_columns,): columns of the fit that belong to subterms, the constant first
    shift: Floats  # shape (n_columns, n_outputs): coefficients that move from the interaction to its subterms
    turn: Floats  # shape (n_axes, n_columns - 1): makes these columns, constant aside, orthonormal
    blocks: tuple[slice, ...]  # of axes of about the same roughness, the smooth ones first
    found: Floats  # shape (n_outputs, n_axes): the projection along each of these axes
    kept: Floats  # shape (n_outputs, n_axes): how much of that was kept

    def project(self, products: Floats) -> Floats:
        """Turn average products with the centered columns, (n_outputs, n_columns - 1, …), into what moves."""
        kept = self.kept.reshape(*self.kept.shape, *(1,) * (products.ndim - 2))
        return np.asarray(self.turn.T @ (kept * (self.turn @ products)))


def purify(
    columns: Columns,
    normal: Normal,
    coefficients: Floats,
    rows: FitRows,
    groups: tuple[int, ...],
    *,
    exact: bool = False,
    centered: bool = True,
    few: bool = False,
) -> tuple[Floats, dict[Term, Projection]]:
    """Purify every interaction, the highest order first; the sum of all components does not change.

    The rows of the fit are read once for each order. Smooth functions are moved more readily than rough ones; `exact`
    moves all that the Gram shows to be shared, and reads no rows. Where the functions of features are not `centered` in
    these rows, what products share with subterms because of that moves first, whatever the noise: so it is in a fit,
    whose functions average to zero in its own rows. Main effects of a fit to these rows alone have no more functions
    than the rows distinguish; where they may have more, the rows are `few`. Products of pairs may always be more.
    Returned are the coefficients of all columns after everything moved, shape (n_columns, n_outputs), and what was
    taken out of each interaction.
    """
    moved, roughness = coefficients.copy(), columns.roughness(rows.marginals)
    projections: dict[Term, Projection] = {}
    orders = sorted({len(term) for term in columns.positions if len(term) > 1}, reverse=True)
    for order in orders:
        own = Subterms(columns, [term for term in columns.positions if len(term) == order])
        shifts: dict[Term, Floats] = {}
        if not centered:
            shifts = {term: by_margins(own, term, moved[columns.positions[term]], normal.gram[0]) for term in own.terms}
        sums = None if exact else rows.fold(partial(SubtermPass, own, moved, shifts), groups, "orthogonality")

        def project(
            term: Term, own: Subterms = own, sums: SubtermSums | None = sums, shifts: Mapping[Term, Floats] = shifts
        ) -> Projection:
            positions = own.positions(term)
            gram = normal.gram[np.ix_(positions, positions)]
            at, coefficients = columns.positions[term], moved[columns.positions[term]]
            if sums is None:
                return project_exactly(positions, gram, normal.gram[np.ix_(positions, at)] @ coefficients)
            if shifts:
                at = np.concatenate([at, positions])
                coefficients = np.concatenate([coefficients, -shifts[term]])
            squares = (coefficients * (normal.gram[np.ix_(at, at)] @ coefficients)).sum(axis=0)
            most = int(normal.n_rows / ROWS_EACH) if few or len(term) > 2 else len(positions)
            found = _project(positions, gram, roughness[positions], sums.of(term), squares, normal.n_rows, most)
            return replace(found, shift=found.shift + shifts[term]) if shifts else found

        for term, projection in zip(own.terms, in_order(project, own.terms), strict=True):
            projections[term] = projection
            moved[projection.positions] += projection.shift
    return moved, projections


def by_margins(own: Subterms, term: Term, coefficients: Floats, averages: Floats) -> Floats:
    """Find what products share with subterms because their functions average to something: Π φ − Π (φ − E φ).

    `coefficients` are those of the columns of an interaction, along the first axis, and `averages` those of all columns
    of the fit; of the functions of a main effect that has no such column zero is taken. The result has, along the first
    axis, the columns of `Subterms.positions`.
    """
    columns = own.columns
    chosen, means = columns.functions[term], np.zeros(columns.functions[term].shape)
    for place, feature in enumerate(term):
        mains = averages[columns.positions.get((feature,), np.zeros(0, np.intp))]
        known = chosen[:, place] < len(mains)
        means[known, place] = mains[chosen[known, place]]
    moved = []
    for subterm in ((), *own.of(term)):
        inside = np.isin(term, subterm)
        weights = -np.prod(-means[:, ~inside], axis=1)
        functions = columns.functions[subterm] if subterm else np.zeros((1, 0), np.intp)
        # Which column of the subterm each product falls to.
        match = (functions[:, None] == chosen[:, inside]).all(axis=2)
        moved.append(np.tensordot(match * weights, coefficients, axes=1))
    return np.concatenate(moved)


def project_exactly(positions: NDArray[np.intp], gram: Floats, products: Floats) -> Projection:
    """Regress functions on subterms, given the averages of their products with these, shape (n_columns, n_functions).

    Columns may depend on each other: of equal projections the one with the least coefficients is taken.
    """
    means = gram[0, 1:]
    sizes, axes = np.linalg.eigh(gram[1:, 1:] - np.outer(means, means))
    distinct = sizes > DOUBLE_ROUNDING * max(1.0, sizes.max(initial=0.0))
    turn = (axes[:, distinct] / np.sqrt(sizes[distinct])).T
    moved = turn.T @ (turn @ (products[1:] - np.outer(means, products[0])))
    constant = products[0] - means @ moved
    whole = np.ones((products.shape[1], len(turn)))
    shift = np.concatenate([constant[None], moved])
    return Projection(positions, shift, turn, (), np.zeros_like(whole), whole)


class SubtermPass(SubtermSums):
    """Sums of subterm times interaction over the rows of a fit, before more than `shifts` is taken out of these."""

    def __init__(self, own: Subterms, coefficients: Floats, shifts: Mapping[Term, Floats]) -> None:
        super().__init__(own, coefficients.shape[1], NOISE_REPLICATES)
        self._evaluator, self._shifts = Evaluator(own.columns, coefficients), shifts

    def sums(self, block: GroupBlock) -> list[SubtermProducts]:
        """Sum over the rows of one block."""
        values = self._evaluator.components(self.subterms.terms, block.functions)
        if self._shifts:
            self.subterms.subtract(self._shifts, block.functions, values)
        return self.subterms.products(block.functions, block.weighed(values), joined(block.slices, NOISE_REPLICATES))


def _project(
    positions: NDArray[np.intp],
    gram: Floats,
    roughness: Floats,
    scores: Floats,
    squares: Floats,
    n_rows: float,
    most: int,
) -> Projection:
    """Regress an interaction, of which `squares` are the averages, on its subterms, as far as it is beyond noise.

    No more than `most` axes are used, the smoothest.
    """
    means = gram[0, 1:]
    turn, blocks = _axes(gram[1:, 1:] - np.outer(means, means), roughness[1:], DOUBLE_ROUNDING * np.diag(gram)[1:])
    turn[most:] = 0.0
    scores = scores[:, scores.any(axis=(0, 2))]  # with few units some replicates are empty
    constants = scores[:, :, 0].sum(axis=1) / n_rows
    by_replicate = (scores[:, :, 1:] - scores[:, :, :1] * means) @ turn.T
    variance = np.maximum(squares - constants**2, np.finfo(float).tiny)
    shown = zip(by_replicate, variance, strict=True)
    kept = np.array([_shrinkage(of_output, blocks, n_rows, own) for of_output, own in shown])
    found = by_replicate.sum(axis=1) / n_rows
    moved = turn.T @ (kept * found).T
    shift = np.concatenate([(constants - means @ moved)[None], moved])
    return Projection(positions, shift, turn, tuple(blocks), found, kept)


def _axes(centered: Floats, roughness: Floats, rounding: Floats) -> tuple[Floats, list[slice]]:
    """Orthonormalise columns, the smooth ones first, and cut them into blocks whose roughness doubles twice.

    The rows of the first result turn columns into axes. What hardly adds to smoother columns gets no axis, nor do
    columns that vary by no more than rounding.
    """
    order = np.argsort(roughness, kind="stable")
    scale = np.sqrt(np.maximum(np.diag(centered), np.maximum(rounding, np.finfo(float).tiny))[order])
    ordered = centered[np.ix_(order, order)] / np.outer(scale, scale)
    upper = factor(ordered, np.full(len(ordered), ROUNDING))
    turn = np.zeros_like(ordered)
    turn[:, order] = solve_upper(upper, np.eye(len(upper)), transposed=True) / scale
    turn[np.diag(upper) ** 2 < 4 * ROUNDING] = 0.0
    level = np.ceil(np.log2(np.maximum(roughness[order], 1.0)) / 2)
    edges = [0, *(np.flatnonzero(np.diff(level)) + 1).tolist(), len(order)]
    return turn, [slice(*ends) for ends in pairwise(edges)]


def _shrinkage(by_replicate: Floats, blocks: Sequence[slice], n_rows: float, variance: float) -> Floats:
    """How much of the projection along each axis is kept, in [0, 1]; `variance` is that of the interaction.

    Axes are judged in blocks of about the same smoothness, smooth ones first: what is beyond noise in a block is kept
    but for the share that noise has in it (James and Stein), and a block that may be noise is left alone. Rough
    functions alone share nothing with an interaction: in a sample of few rows it only seems so.
    """
    projected, kept = by_replicate.sum(axis=0) / n_rows, np.zeros(by_replicate.shape[1])
    if len(by_replicate) < 2:  # the interaction is zero in all rows, or nothing shows how it varies
        return kept
    spread = spread_over(by_replicate / n_rows)
    spread *= np.sqrt(_left_alone(projected, spread, variance))
    for block in blocks:
        found = float((projected[block] ** 2).sum())
        noise, chance = noise_of(spread[:, block])
        if found - noise > VERY_SURE * chance and (block.start < SMOOTH or kept.any()):
            kept[block] = (found - noise) / found
    return kept


def spread_over(by_replicate: Floats) -> Floats:
    """Deviate each replicate's part of a sum, along the first axis, from the mean: squares add up to its variance."""
    n_replicates = len(by_replicate)
    return np.asarray((by_replicate - by_replicate.mean(axis=0)) * np.sqrt(n_replicates / (n_replicates - 1)))


def noise_of(spread: Floats) -> tuple[float, float]:
    """Estimate the noise in the squared length of a vector, given its spread, and how far chance moves that length."""
    among = spread @ spread.T
    # Products of two replicates vary by chance alone, and show how many axes vary together.
    chance = np.sqrt(2 * ((among**2).sum() - (np.diag(among) ** 2).sum()))
    return float(np.trace(among)), float(chance)


def _left_alone(projected: Floats, spread: Floats, variance: float) -> float:
    """Estimate what share of an interaction its projection leaves alone: 1 less an adjusted R².

    The interaction times a column varies from replicate to replicate with all of the interaction. A regression is
    blurred by what it leaves alone, so the variation counts in proportion to that. Chance alone projects as much of
    what is left as the replicates show.
    """
    noise = min(float((spread**2).sum()), variance / 2)  # of few rows with many axes each
    return float(np.clip((variance - float((projected**2).sum())) / (variance - noise), ROUNDING, 1.0))
