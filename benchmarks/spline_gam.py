"""A penalized spline GAM: smooth main effects and tensor products, every smoothing parameter chosen by REML.

It is the textbook method (Wood, Generalized Additive Models, 2017): cubic splines with knots at quantiles, penalized by
their integrated squared second derivative, tensor products of them with one penalty for each direction, one more
penalty for what these leave free (`select = TRUE` in mgcv), and generalized Fellner–Schall steps (Wood and Fasiolo,
2017) toward the maximum of the restricted likelihood. Interactions are purified by the same means: their additive part
under the law of the sample is itself a GAM of their values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import cho_factor, cho_solve, eigh

from benchmarks.judge import Floats, Term

CUBIC = 3
SIZES = {1: 20, 2: 10, 3: 6}  # splines along one feature, by the order of the term
MANY_FEATURES = 14
FEWER = 10  # splines of a main effect where there are many features
MOST_PAIRS = 10  # the strongest by a first look at what main effects leave
LOOKED_AT = 4  # smoothest functions of each feature in that look
STEPS = 60
STILL = 0.02  # steps end when no smoothing parameter that matters moves by more than this, in logarithms
STRENGTHS = (1e-10, 1e10)


class Margin:
    """Smooth functions of one feature, centered and orthonormal on the rows of the sample, the smoothest first.

    `roughness` is the integrated squared second derivative of each, over that of the smoothest that bends.
    """

    def __init__(self, x: Floats, size: int) -> None:
        inner = np.unique(np.quantile(x, np.linspace(0, 1, size - CUBIC + 1)))
        self.low, self.high = float(inner[0]), float(inner[-1])
        self.knots = np.concatenate([[self.low] * CUBIC, inner, [self.high] * CUBIC])
        values = self._splines(x)
        self.centre = values.mean(axis=0)
        gram = (values - self.centre).T @ (values - self.centre) / len(x)
        # Splines add up to one, so one direction is constant; directions that no row tells apart go with it.
        sizes, axes = np.linalg.eigh(gram)
        seen = sizes > 1e-9 * sizes[-1]
        turn = axes[:, seen] / np.sqrt(sizes[seen])
        bends, inside = eigh(turn.T @ self._bending() @ turn)
        self.turn = turn @ inside
        bends[0] = 0.0  # the straight line
        self.roughness = np.maximum(bends, 0) / max(bends[1], 1e-300)

    def evaluate(self, x: Floats) -> Floats:
        """Evaluate the functions, shape (n_rows, n_functions); beyond the sample they go on as straight lines."""
        return (self._splines(x) - self.centre) @ self.turn

    def _splines(self, x: Floats) -> Floats:
        inside = np.clip(x, self.low, self.high)
        values = np.asarray(BSpline.design_matrix(inside, self.knots, CUBIC).toarray())
        beyond = x - inside
        ends = self._derivative(np.array([self.low, self.high]), 1)
        return values + np.minimum(beyond, 0)[:, None] * ends[0] + np.maximum(beyond, 0)[:, None] * ends[1]

    def _derivative(self, x: Floats, order: int) -> Floats:
        n_splines = len(self.knots) - CUBIC - 1
        return np.asarray(BSpline(self.knots, np.eye(n_splines), CUBIC).derivative(order)(x))

    def _bending(self) -> Floats:
        """Integrate products of second derivatives: between knots they are lines, so two points are exact."""
        breaks = np.unique(self.knots)
        half, middle = np.diff(breaks) / 2, (breaks[1:] + breaks[:-1]) / 2
        total = np.zeros((len(self.knots) - CUBIC - 1,) * 2)
        for sign in (-1, 1):
            second = self._derivative(middle + sign * half / np.sqrt(3), 2)
            total += second.T @ (half[:, None] * second)
        return total


@dataclass(frozen=True, eq=False)
class Smooth:
    """The functions of one term: products of functions of its features."""

    term: Term
    margins: tuple[Margin, ...]

    def columns(self, X: Floats) -> Floats:
        """Evaluate the products, shape (n_rows, n_columns)."""
        found = np.ones((len(X), 1))
        for feature, margin in zip(self.term, self.margins, strict=True):
            found = (found[:, :, None] * margin.evaluate(X[:, feature])[:, None, :]).reshape(len(X), -1)
        return found

    def penalties(self) -> Floats:
        """List the penalty of each column in each direction, and of what has none, shape (order + 1, n_columns)."""
        grid = np.meshgrid(*(margin.roughness for margin in self.margins), indexing="ij")
        rough = np.array([axis.ravel() for axis in grid])
        free = (rough.sum(axis=0) == 0).astype(float)
        return np.vstack([rough, free])


class SplineGAM:
    """Additive smooth terms of given features.

    Parameters
    ----------
    terms : sequence of Term, optional
        All main effects, the strongest pairs and all triples by default, as far as `max_order` goes.
    """

    def __init__(self, max_order: int = 2, terms: Sequence[Term] | None = None) -> None:
        self.max_order = max_order
        self.terms = terms

    def fit(self, X: Floats, predictions: Floats) -> "SplineGAM":
        """Estimate all terms at once."""
        terms = self._likely_terms(X, predictions) if self.terms is None else self.terms
        self.smooths = [self._smooth(X, term) for term in terms]
        blocks = [smooth.columns(X) for smooth in self.smooths]
        self.shifts = [block.mean(axis=0) for block in blocks]
        design = np.hstack([block - shift for block, shift in zip(blocks, self.shifts, strict=True)])
        self.constant = float(predictions.mean())
        solved = restricted_likelihood(design, predictions - self.constant, _joined(self.smooths))
        ends = np.cumsum([block.shape[1] for block in blocks])[:-1]
        self.coefficients = np.split(solved, ends)
        return self

    def components(self, X: Floats) -> dict[Term, Floats]:
        """Evaluate each term on rows."""
        parts = zip(self.smooths, self.shifts, self.coefficients, strict=True)
        return {smooth.term: (smooth.columns(X) - shift) @ own for smooth, shift, own in parts}

    def _likely_terms(self, X: Floats, predictions: Floats) -> list[Term]:
        features = range(X.shape[1])
        terms: list[Term] = [(feature,) for feature in features]
        if self.max_order > 1:
            first = SplineGAM(terms=terms).fit(X, predictions)
            left = predictions - first.constant - np.sum(list(first.components(X).values()), axis=0)
            terms += strongest_pairs(X, left, [smooth.margins[0] for smooth in first.smooths])
        return [*terms, *(combinations(features, 3) if self.max_order > 2 else ())]

    def _smooth(self, X: Floats, term: Term) -> Smooth:
        size = FEWER if len(term) == 1 and X.shape[1] > MANY_FEATURES else SIZES[len(term)]
        return Smooth(term, tuple(Margin(X[:, feature], size) for feature in term))


class PureGAM:
    """A GAM whose interactions hold nothing of their subterms under the law of the sample."""

    def __init__(self, X: Floats, predictions: Floats, max_order: int) -> None:
        self.gam = SplineGAM(max_order).fit(X, predictions)
        self.constant = self.gam.constant
        self.moves: list[tuple[Term, SplineGAM]] = []
        values = self.gam.components(X)
        for term in sorted((term for term in values if len(term) > 1), key=len, reverse=True):
            subterms = [part for order in range(1, len(term)) for part in combinations(term, order)]
            inside = SplineGAM(terms=subterms).fit(X, values[term])
            self.moves.append((term, inside))
            values = _moved(values, term, inside.components(X))

    def components(self, X: Floats) -> dict[Term, Floats]:
        """Evaluate each term on rows."""
        values = self.gam.components(X)
        for term, inside in self.moves:
            values = _moved(values, term, inside.components(X))
        return values


def strongest_pairs(X: Floats, left: Floats, margins: Sequence[Margin]) -> list[Term]:
    """List the pairs whose products of smooth functions agree best with what main effects leave."""
    smooth = [margin.evaluate(X[:, feature])[:, :LOOKED_AT] for feature, margin in enumerate(margins)]
    scores = {
        (one, other): float(np.sum((smooth[one].T @ (left[:, None] * smooth[other])) ** 2))
        for one, other in combinations(range(len(smooth)), 2)
    }
    return sorted(sorted(scores, key=scores.__getitem__, reverse=True)[:MOST_PAIRS])


def restricted_likelihood(design: Floats, predictions: Floats, penalties: Floats) -> Floats:
    """Solve penalized least squares, the strength of each penalty by Fellner–Schall steps.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
    predictions : array of shape (n_rows,)
    penalties : array of shape (n_penalties, n_columns)
        What each column pays; columns that pay together share a strength.
    """
    gram, scores, square = design.T @ design, design.T @ predictions, float(predictions @ predictions)
    strengths = np.full(len(penalties), 1e-3 * len(design))
    for _ in range(STEPS):
        paid = strengths @ penalties
        factor = cho_factor(gram + np.diag(paid + 1e-12 * len(design)))
        inverse = cho_solve(factor, np.eye(len(gram)))
        solved = inverse @ scores
        used = np.sum(inverse * gram)  # effective degrees of freedom
        squares = max(square - 2 * solved @ scores + solved @ gram @ solved, 1e-12 * square)
        noise = squares / max(len(design) - used - 1, 1.0)
        free = penalties @ (1 / paid - np.diag(inverse))
        wanted = noise * np.maximum(free, 1e-12) / np.maximum(penalties @ solved**2, 1e-300)
        moved = np.clip(strengths * wanted, *(bound * len(design) for bound in STRENGTHS))
        change = np.abs(np.log(moved / strengths))
        strengths = moved
        # A penalty that already holds its columns at zero, or hardly at all, may move on without consequence.
        if change[(strengths < 1e4 * len(design)) & (strengths > 1e-7 * len(design))].max(initial=0) < STILL:
            break
    return np.asarray(solved)


def _joined(smooths: Sequence[Smooth]) -> Floats:
    """Put the penalties of all terms below each other, each with the columns of its own term."""
    found = [smooth.penalties() for smooth in smooths]
    joined = np.zeros((sum(map(len, found)), sum(each.shape[1] for each in found)))
    row = column = 0
    for each in found:
        joined[row : row + len(each), column : column + each.shape[1]] = each
        row, column = row + len(each), column + each.shape[1]
    return joined


def _moved(values: dict[Term, Floats], term: Term, parts: dict[Term, Floats]) -> dict[Term, Floats]:
    """Take parts out of an interaction and add them to the subterms they belong to."""
    moved = {**values, term: values[term] - sum(parts.values())}
    for part, own in parts.items():
        moved[part] = moved.get(part, 0.0) + own
    return moved
