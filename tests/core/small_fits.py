"""Rows, columns and fits small enough to check against numpy in double precision."""

from collections.abc import Mapping
from itertools import product

import numpy as np

from anova_report.core.basis.design import ColumnBlock, Columns
from anova_report.core.basis.marginals import Marginal
from anova_report.core.basis.splines import FamilyName
from anova_report.core.basis.tally import make_marginals, tally
from anova_report.core.fit import row_blocks as rows_module
from anova_report.core.fit.fits import Candidate, Fit
from anova_report.core.fit.forward_selection import ColumnSearch, Degrees
from anova_report.core.fit.jackknife_groups import assign_replicates
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows, GroupedRows, Groups, given_groups, random_replicates
from anova_report.core.fit.sums import GroupSums
from anova_report.core.input.features import Feature
from anova_report.core.progress import Steps
from anova_report.core.result.terms import Term


def correlated(n_rows: int, seed: int, rho: float = 0.7, n_features: int = 2) -> np.ndarray:
    """Draw normals of unit variance, every two of them with the same correlation."""
    covariance = np.full((n_features, n_features), rho) + (1 - rho) * np.eye(n_features)
    return np.random.default_rng(seed).multivariate_normal(np.zeros(n_features), covariance, size=n_rows)


def draw_pair(n_rows: int = 5000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw four independent features and predictions with a curve, a product and as much noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=n_rows)


def grouped_rows(
    X: np.ndarray,
    predictions: np.ndarray,
    group: np.ndarray | Groups | None = None,
    degree: int = 4,
    family: FamilyName = "waves",
) -> GroupedRows:
    """Make the rows of a fit on numbers, all in group 0 unless told otherwise."""
    source = ArrayRows(X, predictions.reshape(len(X), -1))
    counted = tally(source, X.shape[1])
    features = [Feature(f"x{index}", "numeric") for index in range(X.shape[1])]
    books = counted.books(features)
    marginals = make_marginals(features, books, degree)[family]
    if group is None:
        group = np.zeros(len(X), dtype=np.intp)
    groups = given_groups(group) if isinstance(group, np.ndarray) else group
    spread = np.where(counted.spread > 0, counted.spread, 1.0)
    return GroupedRows(CodedRows(source, books, counted.center, spread), marginals, groups)


def replicate_of_rows(n_rows: int) -> np.ndarray:
    """The replicate of every row of a table, with seed 0."""
    size = rows_module.BLOCK_ROWS
    starts = range(0, n_rows, size)
    return np.concatenate([assign_replicates(min(size, n_rows - at), 0, number) for number, at in enumerate(starts)])


def in_order_of_visit(n_rows: int) -> np.ndarray:
    """Positions of the rows as a fit reads them: by row block, then by replicate."""
    return np.lexsort([replicate_of_rows(n_rows), np.arange(n_rows) // rows_module.BLOCK_ROWS])


def all_products(term: Term, degree: int) -> ColumnBlock:
    """Every product of functions of a term up to a degree in each direction."""
    return ColumnBlock(term, np.array(list(product(range(degree), repeat=len(term)))))


def columns_of(*blocks: tuple[Term, int]) -> Columns:
    """Columns with all products of some terms, each up to its own degree."""
    return Columns(tuple(all_products(term, degree) for term, degree in blocks))


def mains(n_features: int, degree: int = 4) -> Columns:
    """Columns of every main effect, up to one degree."""
    return columns_of(*(((feature,), degree) for feature in range(n_features)))


def exact_design(rows: GroupedRows, columns: Columns) -> np.ndarray:
    """Design in double precision, shape (n_rows, n_columns), written from the definition."""
    functions = [marginal.evaluate(rows.coded.source.values[:, j]) for j, marginal in enumerate(rows.marginals)]
    made = [np.ones(len(rows.coded.source.values))]
    for block in columns.blocks:
        chosen = ([functions[j][k] for j, k in zip(block.term, which, strict=True)] for which in block.functions)
        made.extend(np.prod(factors, axis=0) for factors in chosen)
    return np.stack(made, axis=1)


def standard_predictions(rows: GroupedRows) -> np.ndarray:
    """Predictions as the fit sees them."""
    return (rows.coded.source.predictions - rows.center) / rows.spread


def fit_columns(rows: GroupedRows, columns: Columns, strength: float = 1e-8) -> Fit:
    """Fit given columns on the rows of group 0, next to unpenalized by default."""
    sums = GroupSums((0,), len(rows.spread))
    sums.extend(rows, columns)
    normal = sums.average((0,))
    ridge = strength * columns.roughness(rows.marginals)
    return Fit(columns, normal, ridge, rows, (0,))


def column_search_for(rows: GroupedRows, max_order: int = 2, degree: int = 6) -> ColumnSearch:
    """Make a search_columns of columns for some rows that shows no bar."""
    return ColumnSearch(rows.marginals, Degrees(degree, degree), max_order, Steps(1, show=False))


def spoil(predictions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Replace some predictions by others that would lead any search astray."""
    spoilt = predictions.copy()
    spoilt[chosen] = 100 * np.random.default_rng(9).normal(size=(int(chosen.sum()), *predictions.shape[1:]))
    return spoilt


def with_predictions(rows: GroupedRows, predictions: np.ndarray) -> GroupedRows:
    """Make rows with the functions, center and spread of others, so that only the predictions differ."""
    source = ArrayRows(rows.coded.source.values, predictions.reshape(len(predictions), -1))
    coded = CodedRows(source, rows.coded.books, rows.center, rows.spread)
    return GroupedRows(coded, rows.marginals, rows.groups)


def candidates_for(rows: GroupedRows, degree: int = 6, n_low_order: int = 0) -> dict[FamilyName, Candidate]:
    """Both families of functions for some rows."""
    settings = Degrees(degree, degree), 2, Steps(1, show=False)
    return {
        family: Candidate(ColumnSearch(marginals, *settings, n_low_order=n_low_order), rows.coded, random_replicates(0))
        for family, marginals in families_of(rows.coded.source.values, degree).items()
    }


def predictions_for(family: FamilyName, X: np.ndarray) -> np.ndarray:
    """Predictions that are a product of two functions of this family, and of no two of the other."""
    first, second = (marginal.evaluate(X[:, at]) for at, marginal in enumerate(families_of(X, 12)[family]))
    return first[0] + first[3] * second[2]


def families_of(X: np.ndarray, degree: int) -> Mapping[FamilyName, tuple[Marginal, ...]]:
    features = [Feature(f"x{index}", "numeric") for index in range(X.shape[1])]
    books = tally(ArrayRows(X, X[:, :1]), len(features)).books(features)
    return make_marginals(features, books, degree)


def assert_same_fit(ours: Fit, theirs: Fit) -> None:
    np.testing.assert_array_equal(ours.ridge, theirs.ridge)
    np.testing.assert_array_equal(ours.coefficients, theirs.coefficients)
