"""The components of a fit at some of its rows, beside the values and lowest functions of its features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats, Reals
from anova_report.core.basis.marginals import NumericMarginal
from anova_report.core.fit.purification import Subterms
from anova_report.core.fit.row_blocks import FitRows, GroupBlock, GroupedRows
from anova_report.core.fit.summary import Assembly
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.result.terms import CARRIES, Term

# Budgets of time.
MOST_ROWS = 5000  # at which effects are compared: shares are then known to ± .03, and better where they are large
MOST_COMPARED = 30  # features, those with the largest effects: the work grows with the square of their number
MOST_INTERACTIONS = 20  # the largest: more of 1% or more are rare

MOST_FUNCTIONS = 8  # of one feature: as smooth as effects that others could stand for (`make verdicts`)


@dataclass(frozen=True, eq=False)
class SampledEffects:
    """Components at some rows; effects are centered, and multiplied by the roots of the weights."""

    features: tuple[int, ...]  # that are compared, ascending
    codes: Mapping[int, NDArray[np.intp]]  # of their values
    numbers: Mapping[int, Floats]  # the different values of those that are numbers, ascending
    raw: Mapping[int, Reals]  # shape (n_functions, n_rows): their lowest functions
    own: tuple[tuple[int, Term], ...]  # output and term of each effect
    effects: Floats  # shape (n_effects, n_rows)
    sizes: Floats  # shape (n_effects,): variances for standardized predictions
    weights: Floats  # shape (n_rows,): 1 on average

    @classmethod
    def of(cls, assembly: Assembly, rows: GroupedRows) -> "SampledEffects":
        """Evaluate main effects, and interactions that carry 1%, at as many rows as are looked at.

        In the place of a main effect that is next to nothing stands the feature itself: it may have one that others
        stand for.
        """
        blocks = list(rows.blocks(assembly.fit.groups))
        share = min(1.0, MOST_ROWS / sum(len(block.predictions) for block in blocks))
        parts = [block.leading(share) for block in blocks]
        weights = np.concatenate(
            [np.ones(len(part.predictions)) if part.weights is None else part.weights for part in parts]
        )
        weights /= weights.mean()
        variances = {term: _variances(assembly, term) for term in assembly.terms}
        features = _compared(variances, len(rows.marginals))
        raw = {j: np.concatenate([part.functions[j][:MOST_FUNCTIONS] for part in parts], axis=1) for j in features}
        codes = {j: np.concatenate([part.codes[j] for part in parts]).astype(np.intp) for j in features}
        terms = [(j,) for j in features if (j,) in variances] + _large(variances)
        values = np.concatenate([_evaluated(assembly, terms, part) for part in parts], axis=2).astype(np.float64)
        own, effects, sizes = [], [], []
        for output, of_output in enumerate(values):
            evaluated = dict(zip(terms, of_output, strict=True))
            for term in [(j,) for j in features if len(raw[j])] + _large(variances):
                size = float(variances[term][output]) if term in variances else 0.0
                if size >= CARRIES or len(term) == 1:
                    own.append((output, term))
                    sizes.append(size)
                    effects.append(evaluated[term] if size >= CARRIES else raw[term[0]][_lowest(rows, term[0])])
        found = scaled(np.array(effects, dtype=np.float64).reshape(-1, len(weights)), weights)
        numbers = {j: _numbers(rows, j, codes[j]) for j in features if isinstance(rows.marginals[j], NumericMarginal)}
        varying = np.flatnonzero((found**2).sum(axis=1) > ROUNDING * len(weights))
        known = tuple(own[at] for at in varying.tolist())
        return cls(features, codes, numbers, raw, known, found[varying], np.array(sizes)[varying], weights)

    @property
    def n_rows(self) -> int:
        """How many rows are looked at."""
        return len(self.weights)

    @cached_property
    def by_row(self) -> Floats:
        """The effects without the roots of the weights, shape (n_rows, n_effects)."""
        return np.ascontiguousarray((self.effects / np.sqrt(self.weights)).T)

    @cached_property
    def mains(self) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Lowest functions of all features: whose each is, the functions, and averages of their products.

        There are as many as the rows afford for a regression on those of all features but one.
        """
        known = [j for j in self.features if len(self.raw[j])]
        most = max(1, min(MOST_FUNCTIONS, self.n_rows // ROWS_EACH // max(len(known) - 1, 1)))
        columns = self.products([(j,) for j in known], (most,))
        owners = np.repeat(np.array(known, dtype=np.intp), [len(self.raw[j][:most]) for j in known])
        return owners, columns, columns @ columns.T / self.n_rows

    def n_values(self, feature: int) -> int:
        """Count the different values of a feature, missing ones as one."""
        return len(np.unique(self.codes[feature]))

    def size(self, feature: int) -> float:
        """Largest variance of a main effect over all outputs."""
        pairs = zip(self.own, self.sizes.tolist(), strict=True)
        return max((size for (_, term), size in pairs if term == (feature,)), default=0.0)

    def products(self, terms: Sequence[Term], degrees: Sequence[int]) -> Floats:
        """Multiply the lowest functions of the features of each term, as many as `degrees` allows for its order."""
        found = [np.zeros((0, self.n_rows))]
        for term in terms:
            values, *factors = (self.raw[j][: degrees[len(term) - 1]] for j in term)
            for factor in factors:
                values = (values[:, None] * factor).reshape(-1, self.n_rows)
            found.append(scaled(values.astype(np.float64), self.weights))
        return np.concatenate(found)


def scaled(values: Floats, weights: Floats) -> Floats:
    """Center rows of numbers, and multiply them by the roots of the weights, so that their products are weighted."""
    return np.asarray((values - (values @ weights / weights.sum())[:, None]) * np.sqrt(weights))


def _variances(assembly: Assembly, term: Term) -> Floats:
    """Variance of a component for standardized predictions, shape (n_outputs,), from the Gram matrix."""
    at, coefficients, gram = assembly.positions(term), assembly.coefficients(term), assembly.fit.normal.gram
    second = (coefficients * (gram[np.ix_(at, at)] @ coefficients)).sum(axis=0)
    return np.asarray(np.maximum(second - (gram[0, at] @ coefficients) ** 2, 0.0))


def _large(variances: Mapping[Term, Floats]) -> list[Term]:
    """List the interactions that carry 1%, the largest first."""
    found = [term for term, own in variances.items() if len(term) > 1 and own.max() >= CARRIES]
    return sorted(found, key=lambda term: -float(variances[term].max()))[:MOST_INTERACTIONS]


def _compared(variances: Mapping[Term, Floats], n_features: int) -> tuple[int, ...]:
    sizes = np.zeros(n_features)
    for term, variance in variances.items():
        sizes[list(term)] += variance.max()
    return tuple(sorted(np.argsort(-sizes, kind="stable")[:MOST_COMPARED].tolist()))


def _lowest(rows: FitRows, feature: int) -> int:
    """Find the lowest function of a feature that is no indicator of missing values, if there is one."""
    marginal = rows.marginals[feature]
    missing = isinstance(marginal, NumericMarginal) and marginal.missing > 0
    return int(missing and len(marginal.roughness) > 1)


def _numbers(rows: FitRows, feature: int, codes: NDArray[np.intp]) -> Floats:
    values = rows.books[feature].decode(np.unique(codes))
    return values[~np.isnan(values)]


def _evaluated(assembly: Assembly, terms: Sequence[Term], block: GroupBlock) -> Reals:
    """Evaluate components, interactions last, on a row block, shape (n_outputs, n_terms, n_rows)."""
    known, interactions = assembly.values, [term for term in terms if len(term) > 1]
    values = known.evaluator.components(terms, block.functions)
    subterms = Subterms(assembly.fit.columns, interactions)
    subterms.subtract(known.shifts, block.functions, values[:, len(terms) - len(interactions) :])
    return values
