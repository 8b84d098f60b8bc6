"""Second moments of components on a set of rows: all that measures need, so they need no data.

Leakage, how much of an interaction functions of its subterms explain on rows the fit has not seen, is made of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from anova_report.core.arrays import DOUBLE_ROUNDING, Floats, Reals, read_only
from anova_report.core.result.expansion import Expansion, row_blocks
from anova_report.core.result.terms import CARRIES, Term, subterms

# Statistics (`make verdicts`): more functions find finer leakage, and have higher floors.
DEGREE = 8  # of the functions of a subterm that are tried at most: finer ones could not be distinguished from chance
ROWS_PER_TRIED = 25  # and with few rows fewer functions are tried
LEAKAGE_LEVEL = 0.95  # share of samples that stay below all floors where nothing leaks: as that of bands
NAMED = 5  # rows, or interactions: as many as a reader looks up one by one
LISTED = 100  # rows that R² rests on: as many as a reader looks through


@dataclass(frozen=True, eq=False)
class HardestRows:
    """The rows that fidelity rests on most, and how many rows decide it, output by output.

    Parameters
    ----------
    positions : array of int of shape (n_listed, n_outputs)
        Of rows in the table; first the one without which R² changes most.
    shares : array of shape (n_listed, n_outputs)
        Of the sum of all squared residuals.
    gap_rows, prediction_rows : arrays of shape (n_outputs,)
        (Σr²)² / Σr⁴ of residuals r, and likewise of centered predictions: as many rows as would weigh that much if all
        were equal. Normal values give a third of the rows.
    prediction_shares : array of shape (n_listed, n_outputs) or None
        Of the sum of all squared centered predictions. Files of earlier versions lack it; they list the rows with
        the largest residuals.
    """

    positions: NDArray[np.int64]
    shares: Floats
    gap_rows: Floats
    prediction_rows: Floats
    prediction_shares: Floats | None = None

    def __post_init__(self) -> None:
        read_only(self.positions, self.shares, self.gap_rows, self.prediction_rows, self.prediction_shares)


@dataclass(frozen=True, eq=False)
class Moments:
    """Averages over rows of the components and, as a last column, of the residual: the prediction minus their sum.

    The prediction is the mean plus all columns, so every variance and covariance of the prediction follows from
    `seconds`.

    Parameters
    ----------
    n_rows : int
        Rows of the user's table.
    firsts : array of shape (n_terms + 1, n_outputs)
        Averages of each column.
    seconds : array of shape (n_terms + 1, n_terms + 1, n_outputs)
        Averages of the product of two columns.
    fourths : array of shape (n_relations, n_outputs)
        Averages of ν_S² ν_T² for the relations T ⊊ S, in the order of `relations`.
    squared_gap : array of shape (n_outputs,)
        Average squared residual. On held-out rows the explanation may hold a term that
        the fit on all rows does not list; then the last column is not the residual alone.
    leakages : array of shape (n_relations, n_outputs) or None
        Share of Var(ν_S) that functions of X_T explain, beyond what chance would.
    leakage_floors : array of shape (n_relations, n_outputs) or None
        What 95% of samples stay below where nothing leaks, in all relations that count; files of the first versions do
        not have it.
    hardest : HardestRows or None
        Which rows decide the squared residual; of those the first versions wrote nothing, either.
    n_effective : float or None
        How many rows of equal weight would show as much, where rows are weighted or copies of others.
    """

    n_rows: int
    firsts: Floats
    seconds: Floats
    fourths: Floats
    squared_gap: Floats
    leakages: Floats | None = None
    leakage_floors: Floats | None = None
    hardest: HardestRows | None = None
    n_effective: float | None = None

    @property
    def effective_rows(self) -> float:
        """How many independent rows of equal weight would show as much."""
        return float(self.n_rows) if self.n_effective is None else self.n_effective

    def __post_init__(self) -> None:
        read_only(self.firsts, self.seconds, self.fourths, self.squared_gap, self.leakages, self.leakage_floors)

    def covariance(self, output: int) -> Floats:
        """Covariances of the components and the residual for one output, shape (n_terms + 1, n_terms + 1)."""
        firsts = self.firsts[:, output]
        return np.asarray(self.seconds[:, :, output] - np.outer(firsts, firsts))


def relations(terms: Sequence[Term]) -> tuple[tuple[Term, Term], ...]:
    """List the pairs (S, T), T ⊊ S not empty, of which both are components.

    Examples
    --------
    >>> relations(((0,), (1,), (0, 1)))
    (((0, 1), (0,)), ((0, 1), (1,)))
    """
    known = set(terms)
    return tuple((term, subterm) for term in terms for subterm in subterms(term) if subterm in known)


@dataclass(frozen=True, eq=False)
class MomentSums:
    """Sums over some rows of columns, of shape (n_outputs, n_terms + 1, n_rows), and of their products."""

    n_rows: int
    weight: float  # how many rows these count as
    firsts: Floats  # shape (n_outputs, n_terms + 1)
    seconds: Floats  # shape (n_outputs, n_terms + 1, n_terms + 1)
    fourths: Floats  # shape (n_relations, n_outputs)

    @classmethod
    def of(cls, columns: Floats, squares: Floats, terms: Sequence[Term], weights: Floats | None = None) -> "MomentSums":
        """Sum over rows; `squares` are the squared columns, which others need, too."""
        position = {term: index for index, term in enumerate(terms)}
        counted, weighed = (columns, squares) if weights is None else (columns * weights, squares * weights)
        fourths = [
            np.einsum("on,on->o", weighed[:, position[term]], squares[:, position[subterm]])
            for term, subterm in relations(terms)
        ]
        return cls(
            n_rows=columns.shape[2],
            weight=float(columns.shape[2] if weights is None else weights.sum()),
            firsts=counted.sum(axis=2),
            seconds=counted @ columns.transpose(0, 2, 1),
            fourths=np.reshape(fourths, (-1, len(columns))),
        )

    def __add__(self, other: "MomentSums") -> "MomentSums":
        """Count other rows as well."""
        return MomentSums(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def average(self, spread: Floats | float = 1.0) -> Moments:
        """Divide by the number of rows, and give standardized columns the units of the predictions, `spread`."""
        seconds = np.moveaxis(self.seconds, 0, 2) * (spread**2 / self.weight)
        return Moments(
            n_rows=self.n_rows,
            firsts=self.firsts.T * (spread / self.weight),
            seconds=seconds,
            fourths=self.fourths * (spread**4 / self.weight),
            squared_gap=seconds[-1, -1].copy(),
            n_effective=None if self.weight == self.n_rows else self.weight,
        )


@dataclass(frozen=True, eq=False)
class ListedRows:
    """Some rows with their squared residuals and squared centered predictions, shapes (n_listed, n_outputs)."""

    positions: NDArray[np.int64]
    residuals: Floats
    predictions: Floats

    def __add__(self, other: "ListedRows") -> "ListedRows":
        """List other rows as well."""
        return ListedRows(
            *(np.concatenate([getattr(self, each.name), getattr(other, each.name)]) for each in fields(self))
        )

    def largest(self, values: Floats) -> "ListedRows":
        """Keep the rows with the largest values; of equal ones the first in the table."""
        order = np.lexsort((self.positions, -values), axis=0)[:LISTED]
        return ListedRows(*(np.take_along_axis(getattr(self, each.name), order, axis=0) for each in fields(self)))


@dataclass(frozen=True, eq=False)
class ResidualSums:
    """Sums over some rows of powers of residuals and centered predictions, shape (n_outputs,), and the largest of both.

    Squares are multiplied by the weights of the rows, where these have any: so much does a row decide.
    """

    by_residual: ListedRows
    by_prediction: ListedRows
    residuals: Floats  # squared
    fourth_residuals: Floats
    predictions: Floats  # squared
    fourth_predictions: Floats

    @classmethod
    def of(cls, squares: Floats, heights: Floats, positions: NDArray[np.intp]) -> "ResidualSums":
        """Sum over rows; squares of residuals and of centered predictions have shape (n_outputs, n_rows)."""
        where = np.broadcast_to(positions.astype(np.int64)[:, None], squares.T.shape)
        rows, powers = ListedRows(where, squares.T, heights.T), (squares, squares**2, heights, heights**2)
        listed = rows.largest(rows.residuals), rows.largest(rows.predictions)
        return cls(*listed, *(power.sum(axis=1) for power in powers))

    def __add__(self, other: "ResidualSums") -> "ResidualSums":
        """Count other rows as well."""
        by_residual, by_prediction, *sums = (
            getattr(self, each.name) + getattr(other, each.name) for each in fields(self)
        )
        listed = by_residual.largest(by_residual.residuals), by_prediction.largest(by_prediction.predictions)
        return ResidualSums(*listed, *sums)

    def hardest(self, n_rows: float) -> HardestRows:
        """Name the rows and count how many of `n_rows` decide; where all is zero, all of them do."""

        def effective(squares: Floats, fourths: Floats) -> Floats:
            every = np.full(len(squares), float(n_rows))
            return np.asarray(np.divide(squares**2, fourths, out=every, where=fourths > 0))

        rows = self._most_influential()
        shares, heights = (
            np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
            for own, whole in ((rows.residuals, self.residuals), (rows.predictions, self.predictions))
        )
        by_residual = effective(self.residuals, self.fourth_residuals)
        by_prediction = effective(self.predictions, self.fourth_predictions)
        return HardestRows(rows.positions, shares, by_residual, by_prediction, heights)

    def _most_influential(self) -> ListedRows:
        """Choose the rows without which Σr² / Σν², the unexplained share, changes most."""
        rows, n_listed = self.by_residual + self.by_prediction, len(self.by_residual.positions)
        without = np.maximum(self.predictions - rows.predictions, 0.0)
        # Without row i the share is (Σr² − rᵢ²) / (Σν² − νᵢ²): it changes by this times a constant.
        change = np.abs(rows.residuals * self.predictions - rows.predictions * self.residuals)
        change = np.divide(change, without, out=np.where(change > 0, np.inf, 0.0), where=without > 0)
        first, second = rows.positions[:n_listed], rows.positions[n_listed:]
        change[n_listed:][(second[:, None] == first[None]).any(axis=1)] = -1.0  # a row that is in both lists
        found = rows.largest(change)
        return ListedRows(*(getattr(found, each.name)[:n_listed] for each in fields(found)))


def average_moments(expansion: Expansion, values: Floats, predictions: Floats) -> Moments:
    """Average the products of components over encoded rows and their predictions, shape (n_rows, n_outputs)."""
    terms = tuple(component.term for component in expansion.components)

    def sums(rows: slice) -> MomentSums:
        components = expansion.evaluate(values[rows])
        residual = predictions[rows] - expansion.mean - components.sum(axis=1)
        columns = np.concatenate([components, residual[:, None, :]], axis=1)
        columns = np.ascontiguousarray(columns.transpose(2, 1, 0))
        return MomentSums.of(columns, columns**2, terms)

    return reduce(add, map(sums, row_blocks(len(values)))).average()


# Of a subterm: the Gram of its functions, and for components that contain it cross products, the Grams that squared
# products would have as weights, and squares.
LeakageProducts: TypeAlias = dict[Term, tuple[Floats, Floats, Floats, Floats]]


@dataclass(frozen=True, eq=False)
class LeakageEvidence:
    """What functions of X_T explain of ν_S, summed over rows, shapes (n_relations, n_outputs); evidence adds up.

    Without leakage `explained` is a weighted sum of squared normals, of which chance and cumulants are the first three
    cumulants: none of them supposes that ν_S varies equally wherever X_T lies.
    """

    explained: Floats  # squared
    squares: Floats  # of ν_S, centered
    chance: Floats  # what is explained on average where nothing leaks
    second: Floats  # cumulant
    third: Floats

    def __add__(self, other: "LeakageEvidence") -> "LeakageEvidence":
        """Count another fit and rows it has not seen; squares are added, so leaks of two fits do not cancel."""
        return LeakageEvidence(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def shares(self) -> Floats:
        """Give the share of Var(ν_S) that X_T explains beyond chance."""
        return np.clip(self._relative(self.explained - self.chance), 0.0, 1.0)

    def floors(self, n_rows: float) -> Floats:
        """Find what 95% of samples stay below where nothing leaks, in all relations that carry some variance at once.

        Predictions are standardized, so that `n_rows` is the sum of their squares.
        """
        n_asked = np.maximum((self.squares >= CARRIES * n_rows).sum(axis=0), 1)
        # Pearson's approximation: a chi-squared law with the same skewness, moved and stretched.
        cubed, squared = 8 * self.second**3, self.third**2
        degrees = np.divide(cubed, squared, out=np.ones_like(cubed), where=(cubed > 0) & (squared > 0))
        reach = (chi2.isf((1 - LEAKAGE_LEVEL) / n_asked, degrees) - degrees) / np.sqrt(2 * degrees)
        return np.clip(self._relative(np.sqrt(self.second) * reach), 0.0, 1.0)

    def _relative(self, values: Floats) -> Floats:
        left = self.squares - self.chance
        # Where chance explains everything, nothing is determined, and the floor is the whole.
        return np.divide(values, left, out=np.sign(values), where=left > DOUBLE_ROUNDING * self.squares)


class LeakageSums:
    """Sums over `n_rows` rows that one fit has not seen, to regress every component ν_S on functions of X_T, T ⊊ S."""

    def __init__(self, terms: Sequence[Term], n_rows: float, n_outputs: int) -> None:
        self._n_outputs = n_outputs  # without interactions there are no sums to count them in
        self._degree = min(DEGREE, max(1, int(n_rows) // ROWS_PER_TRIED))
        self._position = {term: index for index, term in enumerate(terms)}
        self.relations = relations(terms)
        self.sharing: dict[Term, list[int]] = {}
        for term, subterm in self.relations:
            self.sharing.setdefault(subterm, []).append(self._position[term])
        self._sums: LeakageProducts = {}

    def products(
        self, functions: Sequence[Reals], components: Floats, weights: Floats | None = None
    ) -> LeakageProducts:
        """Sum over some rows; `components` has shape (n_outputs, n_terms + 1, n_rows)."""
        found = {}
        for subterm, sharing in self.sharing.items():
            tried, own = _functions(subterm, functions, self._degree), components[:, sharing]
            counted, scaled = (own, tried) if weights is None else (own * weights, tried * weights)
            rows, columns = np.triu_indices(len(tried))
            weighted = np.empty((*own.shape[:2], len(tried), len(tried)))
            weighted[..., rows, columns] = counted**2 @ (tried[rows] * tried[columns]).T
            weighted[..., columns, rows] = weighted[..., rows, columns]
            squares = weighted[..., 0, 0] if weights is None else (counted * own).sum(axis=2)
            found[subterm] = scaled @ tried.T, counted @ tried.T, weighted, squares
        return found

    def add(self, products: LeakageProducts) -> None:
        """Count some rows."""
        for subterm, (gram, cross, weighted, squares) in products.items():
            known = self._sums.get(subterm, (np.zeros(1),) * 4)
            self._sums[subterm] = known[0] + gram, known[1] + cross, known[2] + weighted, known[3] + squares

    def merge(self, other: "LeakageSums") -> None:
        """Count other rows as well."""
        self.add(other._sums)

    def evidence(self) -> LeakageEvidence:
        """Compare what subterms explain on all rows that were counted with what chance would."""
        found = []
        for term, subterm in self.relations:
            gram, *others = self._sums[subterm]
            at = self.sharing[subterm].index(self._position[term])
            found.append([_explained(gram, *own) for own in zip(*(sums[:, at] for sums in others), strict=True)])
        by_name = np.reshape(found, (len(self.relations), self._n_outputs, len(fields(LeakageEvidence))))
        return LeakageEvidence(*np.moveaxis(by_name, 2, 0))


def _explained(
    gram: Floats, cross: Floats, weighted: Floats, squares: float
) -> tuple[float, float, float, float, float]:
    """Evidence of one component: `weighted` is the Gram of the functions with ν² as weights; the first is constant."""
    n_rows, squares = gram[0, 0], squares - cross[0] ** 2 / gram[0, 0]
    centered = np.eye(len(gram))[1:]
    centered[:, 0] = -gram[0, 1:] / n_rows
    inverse = np.linalg.pinv(centered @ gram @ centered.T, rcond=1e-8, hermitian=True)
    cross = centered @ cross
    # E[Σ_ij ν_i ν_j h_ij] is that of the terms i = j alone where E[ν | X_T] = 0.
    noise = inverse @ (centered @ weighted @ centered.T)
    squared = noise @ noise
    # Where next to nothing varies, rounding may make them negative.
    second, third = max(2 * np.trace(squared), 0.0), max(8 * np.trace(squared @ noise), 0.0)
    return float(cross @ inverse @ cross), float(squares), float(np.trace(noise)), float(second), float(third)


def _functions(subterm: Term, functions: Sequence[Reals], degree: int) -> Floats:
    """Evaluate the constant and low functions of the features of a subterm, and for two features their products."""
    constant = np.ones((1, functions[0].shape[1]))
    values = constant
    for feature in subterm:
        own = np.concatenate([constant, functions[feature][: degree if len(subterm) == 1 else max(1, degree // 2)]])
        values = (values[:, None] * own[None]).reshape(-1, values.shape[1])
    return np.asarray(values, dtype=np.float64)
