"""How the functions of an ordered feature are made: natural cubic splines, orthonormal in the sample.

Two families share one space and differ in what comes first, and so in what is cheap. *Polynomials* are exact on what is
smooth: a product of two features is one column. *Waves*, the smoothest functions that are orthogonal to all smoother
ones, are bounded everywhere and follow the steps of trees. Which one suits a model is for its predictions to say.

Knots lie at equal steps of a coordinate between rank and value: where rows are many and where values are far apart.
Functions of the rank alone would follow every bump of the sample, and be steep where a feature has a long tail.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.linalg import block_diag, eigh, solve_triangular
from scipy.sparse import csr_array

from anova_report.core.arrays import NEGLIGIBLE, Floats

FamilyName: TypeAlias = Literal["waves", "polynomials"]
FAMILIES: tuple[FamilyName, ...] = get_args(FamilyName)
# Of roughness in the penalty: waves pay for their slopes, polynomials for their curvature.
POWERS: dict[FamilyName, int] = {"waves": 1, "polynomials": 2}

# Statistics: too coarse leaves more unexplained, too fine takes columns and noise (`make truth`, `make bench`).
FEW_VALUES = 256  # distinct values up to which a feature gets the whole space of functions of them
SCATTERED = 50  # and with more than so many, only where these come twice on average: few rows of a scale all differ
KNOTS_PER_FUNCTION = 1.3  # the roughest functions that as many knots allow are bent by the knots
ROWS_PER_FUNCTION = 4  # at least, also between neighboring knots: with fewer, functions follow single rows
POLYNOMIALS = 10  # that come before waves: of higher degree they are steep at the ends of the range
LIGHT_TAILS = 10.0  # quartile ranges that the values span at most for polynomials of the value itself
BEFORE_ATOMS = 2  # functions that come before those of heavy values: what is straight or bent once needs no jump
APART = 0.05  # share of the rows at one value, or of the coordinate between two, from which functions may jump there


@dataclass(frozen=True, eq=False)
class SplineBasis:
    """Natural cubic splines by their values at the knots, and indicators of heavy values."""

    knots: Floats
    t: Floats  # the coordinate at the knots, from 0 to 1
    gaps: NDArray[np.intp]  # knots after which nothing was seen until the next: splines start anew
    heavy: Floats  # shape (n_heavy,): values that many rows share
    whole: bool  # whether the knots are all values there are; then functions are their values there

    def gram(self, values: Floats, mass: Floats) -> Floats:
        """Average products of all splines, then of all indicators, over values with these shares of the rows."""
        if self.whole:
            return np.diag(mass)
        each = np.eye(len(self.knots))
        slopes = knot_slopes(self.knots, each, self.gaps).T
        spread = block_diag(np.vstack([each, slopes]), np.eye(len(self.heavy)))
        return np.asarray(spread.T @ self._local_gram(values, mass) @ spread)

    def _local_gram(self, values: Floats, mass: Floats) -> Floats:
        """Average products of what counts at each value: values and slopes at the knots beside it, and indicators."""
        n_knots, (left, parts) = len(self.knots), local_weights(self.knots, self.gaps, values)
        gram = np.zeros((2 * n_knots + len(self.heavy),) * 2)
        both, at = np.concatenate([left + 1, left]), np.arange(n_knots)
        for (first, i), (second, j) in product(((0, at), (2, n_knots + at)), repeat=2):
            one, other = parts[first : first + 2], parts[second : second + 2] * mass
            gram[i, j] = np.bincount(both, (one[::-1] * other[::-1]).ravel(), n_knots)
            gram[i[:-1], j[1:]] = np.bincount(left, one[0] * other[1], n_knots)[:-1]
            gram[i[1:], j[:-1]] = np.bincount(left, one[1] * other[0], n_knots)[:-1]
        for own, place in enumerate(np.searchsorted(values, self.heavy), start=2 * n_knots):
            columns = left[place] + [0, 1, n_knots, n_knots + 1]
            gram[own, own] = mass[place]
            gram[own, columns] = gram[columns, own] = parts[:, place] * mass[place]
        return gram

    def roughness(self) -> Floats:
        """Integrate products of first derivatives by the coordinate, which is taken as straight between knots."""
        steps = np.maximum(np.diff(self.t), 1e-9)
        straight = np.arange(len(steps)) if self.whole else self.gaps
        rises = np.diff(np.eye(len(self.knots)), axis=0)[straight]
        total = rises.T @ (rises / steps[straight, None])
        if self.whole:
            return np.asarray(total)
        nodes, weights = np.polynomial.legendre.leggauss(3)  # exact for products of slopes of cubics
        for piece in pieces(len(self.knots), self.gaps):
            if piece.stop - piece.start > 1:
                knots, widths = self.knots[piece], np.diff(self.knots[piece])[:, None]
                at = (knots[:-1, None] + widths / 2 * (1 + nodes)).ravel()
                each = widths**2 / 2 * weights / steps[piece.start : piece.stop - 1, None]
                slopes = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")(at, 1)
                total[piece, piece] += slopes.T @ (slopes * each.reshape(-1, 1))
        return np.asarray(total)


def pieces(n_knots: int, gaps: NDArray[np.intp]) -> list[slice]:
    """Cut knots into pieces at the gaps.

    Examples
    --------
    >>> pieces(5, np.array([1]))
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(*ends) for ends in pairwise([0, *(gaps + 1).tolist(), n_knots])]


def knot_slopes(knots: Floats, table: Floats, gaps: NDArray[np.intp]) -> Floats:
    """Slopes at the knots of natural cubic splines with these values there, shape (n_functions, n_knots)."""
    slopes = np.zeros_like(table)
    for piece in pieces(len(knots), gaps):
        if piece.stop - piece.start > 1:
            spline = CubicSpline(knots[piece], table[:, piece].T, bc_type="natural")
            slopes[:, piece] = spline(knots[piece], 1).T
    for end, after in ((0, 0), (-1, len(knots) - 2)):
        if after in gaps:  # a value alone at the end: beyond it the line through the gap goes on
            slopes[:, end] = (table[:, after + 1] - table[:, after]) / (knots[after + 1] - knots[after])
    return slopes


def local_weights(knots: Floats, gaps: NDArray[np.intp], values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Find the knot before each of some values, and how much the spline there and at the next knot counts.

    Of shape (4, n_values): its value at both, then its slope. In gaps and outside of the knots splines are straight
    lines.
    """
    inside = values.clip(knots[0], knots[-1])
    left = (np.searchsorted(knots, inside, side="right") - 1).clip(0, len(knots) - 2)
    width = knots[left + 1] - knots[left]
    u = (inside - knots[left]) / width
    bend = np.where(np.isin(left, gaps), 0.0, u * (1 - u))
    rise = u + bend * (2 * u - 1)
    beyond = values - inside
    low = bend * width * (1 - u) + np.where(beyond < 0, beyond, 0.0)
    high = -bend * width * u + np.where(beyond > 0, beyond, 0.0)
    return left, np.stack([1 - rise, rise, low, high])


def interpolate(knots: Floats, table: Floats, slopes: Floats, gaps: NDArray[np.intp], values: Floats) -> Floats:
    """Evaluate splines given by their values and slopes at the knots, shape (n_functions, n_values)."""
    if not len(table):
        return np.zeros((0, len(values)))
    left, parts = local_weights(knots, gaps, values)
    starts, columns = 2 * np.arange(len(values) + 1), np.stack([left, left + 1], axis=1).ravel()
    shape = len(values), len(knots)
    at_knots, bends = (csr_array((own.T.ravel(), columns, starts), shape=shape) for own in (parts[:2], parts[2:]))
    return np.asarray((at_knots @ table.T + bends @ slopes.T).T)


@dataclass(frozen=True, eq=False)
class FunctionSpace:
    """All functions that a feature may have, from which each family takes some in its own order."""

    basis: SplineBasis
    gram: Floats  # shape (n_basis, n_basis): average products in the sample
    light: bool  # whether tails are light enough for polynomials of the values
    most: int  # functions that may be taken

    @classmethod
    def of(cls, values: Floats, counts: Floats, degree: int) -> "FunctionSpace":
        """Span a space from distinct values, ascending, and how many rows have each; it gives at most `degree`."""
        basis, light = spline_basis(values, counts, degree)
        gram = basis.gram(values, counts / counts.sum())
        gram.flat[:: len(gram) + 1] += 1e-12 * np.trace(gram) / len(gram)
        return cls(basis, gram, light, min(degree, len(values) - 1))

    @cached_property
    def waves(self) -> Floats:
        """Functions without indicators, the smoothest first, shape (n_knots - 1, n_basis); the constant is left out."""
        n_knots = len(self.basis.knots)
        _, vectors = eigh(self.basis.roughness(), self.gram[:n_knots, :n_knots])
        return self._without_indicators(vectors.T[1:])

    def functions(self, family: FamilyName) -> Floats:
        """Make the functions of a family, orthonormal in the sample, shape (n_functions, n_basis)."""
        if not self.most:
            return np.zeros((0, len(self.gram)))
        ordered = self.waves
        if family == "polynomials":
            knots = self.basis.knots
            value = (knots - knots[0]) / (knots[-1] - knots[0])
            place = value if self.light else self.basis.t
            powers = np.polynomial.legendre.legvander(2 * place - 1, min(POLYNOMIALS, self.most)).T[1:]
            # A straight line is one function even where polynomials are those of a coordinate that draws tails in.
            powers = powers if self.light else np.concatenate([value[None], powers])
            ordered = np.concatenate([self._without_indicators(powers), ordered])
        constant = self._without_indicators(np.ones((1, len(self.basis.knots))))
        indicators = np.eye(len(self.gram))[len(self.basis.knots) :]
        wanted = [constant, ordered[:BEFORE_ATOMS], indicators, ordered[BEFORE_ATOMS:]]
        return _orthonormal(np.concatenate(wanted), self.gram, self.most)

    def _without_indicators(self, at_knots: Floats) -> Floats:
        return np.hstack([at_knots, np.zeros((len(at_knots), len(self.gram) - at_knots.shape[1]))])


def spline_basis(values: Floats, counts: Floats, degree: int) -> tuple[SplineBasis, bool]:
    """Choose knots; also tells whether the tails of the feature are light enough for polynomials of its values."""
    mass = counts / counts.sum()
    heavy = mass >= APART
    whole = len(values) <= max(SCATTERED, min(FEW_VALUES, counts.sum() / 2))
    # Heavy values have indicators of their own, so that the others need not make room for them.
    t, light = coordinate(values, mass if whole else np.where(heavy, 0.0, mass))
    if whole:
        return SplineBasis(values, t, np.zeros(0, dtype=np.intp), np.zeros(0), whole), light
    gaps = np.flatnonzero(np.diff(t) > APART)
    knots = _spread_knots(values, counts, t, degree)
    inside = np.isin(np.searchsorted(values, knots), gaps + 1) & ~np.isin(knots, values[gaps + 1])
    knots = np.unique(np.concatenate([knots[~inside], values[gaps], values[gaps + 1]]))
    at_gaps = np.searchsorted(knots, values[gaps])
    alone = [piece.start for piece in pieces(len(knots), at_gaps) if piece.stop - piece.start == 1]
    jumping = np.setdiff1d(values[heavy], knots[alone])  # a value between two gaps is free anyway
    return SplineBasis(knots, np.interp(knots, values, t), at_gaps, jumping, whole), light


def _spread_knots(values: Floats, counts: Floats, t: Floats, degree: int) -> Floats:
    """Put knots at equal steps of the coordinate, with some rows between any two, from both ends alike."""
    half = int(KNOTS_PER_FUNCTION * degree + 3) // 2
    places = np.interp(np.linspace(0, 1, 2 * half), t, values)
    reached = np.interp(places, values, np.cumsum(counts) - counts / 2)
    least = max(ROWS_PER_FUNCTION, counts.sum() / len(places) / 8)
    left, right = (_steps_of(reached, side, least) for side in (range(half), range(len(places) - 1, half - 1, -1)))
    if reached[right[-1]] - reached[left[-1]] < least:  # they meet: the ends stay
        left, right = left[: max(len(left) - 1, 1)], right[: max(len(right) - 1, 1)]
    return np.asarray(places[[*left, *reversed(right)]])


def _steps_of(reached: Floats, side: Sequence[int], least: float) -> list[int]:
    """Choose places, the first of them and then each that is far enough from the one before."""
    kept = [side[0]]
    for index in side[1:]:
        if abs(reached[index] - reached[kept[-1]]) >= least:
            kept.append(index)
    return kept


def coordinate(values: Floats, mass: Floats) -> tuple[Floats, bool]:
    """Place values between rank and value, from 0 to 1, long tails drawn in; also tells whether tails are short."""
    if len(values) == 1:
        return np.zeros(1), False
    ranks = (np.cumsum(mass) - mass / 2) / mass.sum()
    low, middle, high = np.interp([0.25, 0.5, 0.75], ranks, values)
    width = high - low if high > low else (values[-1] - values[0]) / 10
    drawn_in = np.arcsinh((values - middle) / width)
    by_value = (drawn_in - drawn_in[0]) / (drawn_in[-1] - drawn_in[0])
    by_rank = (ranks - ranks[0]) / (ranks[-1] - ranks[0])
    return (by_rank + by_value) / 2, bool(values[-1] - values[0] <= LIGHT_TAILS * (high - low))


def _orthonormal(wanted: Floats, gram: Floats, degree: int) -> Floats:
    """Orthonormalise functions in their order; without the first, the constant, and what depends on earlier ones."""
    root = np.linalg.cholesky(gram)
    done = np.zeros((len(gram), degree + 1))
    n_done = 0
    for function in wanted @ root:
        left = function / np.sqrt(function @ function)
        for _ in range(2):
            left = left - done[:, :n_done] @ (done[:, :n_done].T @ left)
        size = np.sqrt(left @ left)
        if size**2 > NEGLIGIBLE:
            done[:, n_done] = left / size
            n_done += 1
        if n_done > degree:
            break
    return np.ascontiguousarray(solve_triangular(root.T, done[:, 1:n_done]).T)
