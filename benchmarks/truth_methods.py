"""The contestants of the benchmark of truth: each is given rows and predictions, and tells components on any rows.

Interactions of methods that do not care are purified under the law of the sample, so that all estimate the same.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from anova_report import Decomposition, FunctionalANOVA
from anova_report.compare.methods.additive import bins_of_rows, without_mains
from benchmarks.judge import Floats, Term
from benchmarks.spline_gam import MOST_PAIRS, PureGAM
from benchmarks.truth_cases import TruthCase

HIGHEST_DEGREE = 10
LOWEST_DEGREE = 2
MOST_COLUMNS = 1500  # of the published method, whose time grows with their square
# Predictions without noise hardly ever stop an EBM before its 50,000 rounds, which takes minutes. Fewer and larger
# steps come as close: R² on Ishigami with 5,000 rows is .993, with 5,000 rounds of the default's steps and all its bins
# .994.
EBM: dict[str, Any] = {"outer_bags": 8, "max_rounds": 500, "learning_rate": 0.15, "max_interaction_bins": 32}
TRIPLE_BINS = 8  # of each feature: with 32 one fit of triples takes seven minutes


class NotApplicable(Exception):  # noqa: N818 a state, not an error
    """A method has no prediction for a case, and the reason why."""


@dataclass(frozen=True, eq=False)
class Explained:
    """An explanation: its constant, and its components on any rows."""

    constant: float
    components: Callable[[Floats], Mapping[Term, Floats]]


Method = Callable[[TruthCase, Floats, Floats, int], Explained]


def ours(case: TruthCase, X: Floats, predictions: Floats, seed: int) -> Explained:
    """Fit our default."""
    estimator = FunctionalANOVA(case.max_order, random_state=seed, progress=False)
    return _of_decomposition(estimator.fit(X, predictions).decomposition_)


def published(case: TruthCase, X: Floats, predictions: Floats, seed: int) -> Explained:  # noqa: ARG001 nothing is random
    """Fit the published method, of the highest degree whose columns are no more than rows; it is told known bounds."""
    n_rows, n_features = X.shape
    degree = next(
        (
            degree
            for degree in range(HIGHEST_DEGREE, LOWEST_DEGREE - 1, -1)
            if n_columns(n_features, case.max_order, degree) <= min(n_rows, MOST_COLUMNS)
        ),
        None,
    )
    if degree is None:
        fewest = n_columns(n_features, case.max_order, LOWEST_DEGREE)
        raise NotApplicable(f"{n_features} features make {fewest:,} columns even at degree {LOWEST_DEGREE}")
    scaling = "tanh" if case.box is None else None
    estimator = FunctionalANOVA.published(case.max_order, degree, case.d_density, 0.01, scaling)

    def scaled(rows: Floats) -> Floats:
        if case.box is None:
            return rows
        low, high = case.box
        return (2 * rows - low - high) / (high - low)

    found = _of_decomposition(estimator.fit(scaled(X), predictions).decomposition_)
    return Explained(found.constant, lambda rows: found.components(scaled(rows)))


def n_columns(n_features: int, order: int, degree: int) -> int:
    """Count the columns of the published method.

    Examples
    --------
    >>> n_columns(8, 2, 5)
    740
    """
    return sum(comb(n_features, size) * degree**size for size in range(1, order + 1))


def gam(case: TruthCase, X: Floats, predictions: Floats, seed: int) -> Explained:  # noqa: ARG001 nothing is random
    """Fit a penalized spline GAM."""
    fitted = PureGAM(X, predictions, case.max_order)
    return Explained(fitted.constant, fitted.components)


def ebm(case: TruthCase, X: Floats, predictions: Floats, seed: int) -> Explained:
    """Fit an EBM of all pairs, the ten strongest where there are more, and of all triples where asked."""
    from interpret.glassbox import ExplainableBoostingRegressor

    n_features = X.shape[1]
    pairs: Any = min(comb(n_features, 2), MOST_PAIRS)
    settings = dict(EBM)
    if case.max_order > 2:
        settings["max_interaction_bins"] = TRIPLE_BINS
        orders = range(2, case.max_order + 1)
        pairs = [term for order in orders for term in combinations(range(n_features), order)]
    machine = ExplainableBoostingRegressor(interactions=pairs, random_state=seed, n_jobs=1, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(X, predictions)
    tables = _pure_tables(machine, X)

    def components(rows: Floats) -> dict[Term, Floats]:
        bins = bins_of_rows(machine, rows)
        values: dict[Term, Floats] = {}
        for term, table, index, axes in tables:
            own = table[tuple(bins[index][axis] for axis in axes)]
            values[term] = values.get(term, 0.0) + own
        return values

    constant = float(predictions.mean() - np.mean(sum(components(X).values())))
    return Explained(constant, components)


Table = tuple[Term, Floats, int, tuple[int, ...]]  # term, values, and whose bins to look up: EBM's term and its axes


def _pure_tables(machine: Any, X: Floats) -> list[Table]:
    """Split the tables of an EBM into pure ones under the law of the rows."""
    found: list[Table] = []
    for index, (features, bins) in enumerate(zip(machine.term_features_, bins_of_rows(machine, X), strict=True)):
        scores = np.asarray(machine.term_scores_[index], dtype=np.float64)
        counts = np.zeros(scores.shape)
        np.add.at(counts, bins, 1.0)
        for axes, table in _split(scores, counts):
            found.append((tuple(int(features[axis]) for axis in axes), table, index, axes))
    return found


def _split(scores: Floats, counts: Floats) -> list[tuple[tuple[int, ...], Floats]]:
    """Split one table into functions of all its axes and of fewer."""
    whole = tuple(range(scores.ndim))
    if scores.ndim == 1:
        return [(whole, scores)]
    if scores.ndim == 2:
        pure, mains = without_mains(scores, counts)
        return [(whole, pure), *(((axis,), main) for axis, main in enumerate(mains))]
    from interpret.utils import purify

    pure, parts, _ = purify(scores, counts, is_randomized=False)
    return [(whole, pure), *((tuple(axes), table) for axes, table in parts)]


def _of_decomposition(dec: Decomposition) -> Explained:
    def components(rows: Floats) -> dict[Term, Floats]:
        return dict(zip(dec.terms, dec.components(rows).T, strict=True))

    return Explained(float(dec.mean), components)


METHODS: dict[str, Method] = {"ours": ours, "published": published, "spline GAM": gam, "EBM": ebm}
