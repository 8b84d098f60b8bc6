"""Where an explanation rests on data, and where it does not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal
from anova_report.core.result import terms
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.outside import outside_words
from anova_report.core.result.terms import Term
from anova_report.errors import InputError

CELLS = 12  # cells of equal frequency along each feature
NAMED_ROWS = 5  # as many as a reader looks up one by one
THIN_SHARE = 0.1  # a cell with less than a tenth of the rows it would have if features were independent is thin


@dataclass(frozen=True)
class FeatureSupport:
    """Rows of one feature that lie off the data.

    Parameters
    ----------
    feature : str
    outside : int
        Rows beyond the range of the fit, with a level it has not seen, or missing where it saw none missing.
    pooled : int
        Rows whose level was too rare for an effect of its own.
    pooled_levels : tuple of str
    """

    feature: str
    outside: int
    pooled: int
    pooled_levels: tuple[str, ...]


@dataclass(frozen=True)
class BeyondRows:
    """Rows that lie off the data in any one feature.

    Parameters
    ----------
    rows : int
    first : tuple of int
        Positions of the first of them in the table.
    words : tuple of str
        Of each feature concerned: what the fit has seen of it, and how many rows lie beyond.
    """

    rows: int
    first: tuple[int, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairSupport:
    """How evenly the rows fill the plane of two features.

    Parameters
    ----------
    term : Term
    label : str
    thin : int
        Rows in cells that hold far fewer rows than independent features would put there.
    empty_share : float
        Share of the plane, in cells of equal frequency, that holds no row: a surface is extrapolated there.
    """

    term: Term
    label: str
    thin: int
    empty_share: float


@dataclass(frozen=True)
class UnseenPair:
    """Rows whose values of two features the fit has not seen together, nor values close to them."""

    term: Term
    label: str
    rows: int


@dataclass(frozen=True)
class JointRows:
    """Rows that combine values as no row of the fit does, although it has seen each of the values.

    Parameters
    ----------
    n_rows : int
        All rows that were looked at.
    unseen : int
        Rows with such a combination of any two features.
    chance : float
        Share of fresh rows, of the same law as those of the fit, that would have one.
    n_fit : int
        Rows of the fit.
    pairs : tuple of UnseenPair
        Pairs with such rows, those with most first.
    """

    n_rows: int
    unseen: int
    chance: float
    n_fit: int
    pairs: tuple[UnseenPair, ...]

    @property
    def share(self) -> float:
        """Share of the rows."""
        return self.unseen / self.n_rows

    @property
    def beyond_chance(self) -> float:
        """The share less what chance gives in 95% of samples of so many rows; zero where that is more."""
        # Either number of rows is small enough to matter: by one row more or less the shares below are wrong.
        noise = sum((self.chance + 1 / count) / count for count in (self.n_fit, self.n_rows)) ** 0.5
        return max(self.share - self.chance - 2 * noise, 0.0) if self.unseen else 0.0


@dataclass(frozen=True, repr=False)
class Support(Shown):
    """Support of an explanation on some rows."""

    n_rows: int
    features: tuple[FeatureSupport, ...]
    pairs: tuple[PairSupport, ...]
    joint: JointRows | None = None  # None where the decomposition does not know what its rows combine
    beyond: BeyondRows = BeyondRows(0)

    @property
    def outside(self) -> int:
        """Most rows that any one feature has off the data."""
        return max((feature.outside for feature in self.features), default=0)

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        columns = ("feature", "outside", "pooled")
        return {name: [getattr(item, name) for item in self.features] for name in columns}


def support(dec: Decomposition, X: Any) -> Support:
    """Count the rows where the explanation is extrapolated or rests on few neighbors.

    Parameters
    ----------
    dec : Decomposition
        Made by the default estimator.
    X : table of shape (n_rows, n_features)
        Rows of the fit, or new ones.
    """
    values = dec.encode(X)
    if not len(values):
        raise InputError("The table has no rows, so there is no support to measure. Pass at least one row.")
    cells = [_cells(column) for column in values.T]
    pairs = []
    for first, second in (term for term in dec.terms if len(term) == 2):
        counts, thin = thin_cells(cells[first], cells[second])
        label, empty = dec.label((first, second)), float((counts == 0).mean())
        pairs.append(PairSupport((first, second), label, int(counts[thin].sum()), empty))
    features, joint = _feature_supports(dec, values), _joint_rows(dec, values)
    return Support(len(values), features, tuple(pairs), joint, _beyond_rows(dec, values))


def outside_rows(dec: Decomposition, values: Floats) -> NDArray[np.bool_]:
    """Tell, for encoded rows and every feature, what lies off the data of the fit, shape (n_rows, n_features)."""
    return dec.expansion.reference.outside(values)


def unseen_pairs(dec: Decomposition, values: Floats) -> tuple[tuple[Term, ...], NDArray[np.bool_]]:
    """Tell, for encoded rows, which combine values of two features as no row of the fit does.

    Returns the pairs of which this is known, and an array of shape (n_rows, n_pairs).
    """
    reference, known = dec.expansion.reference, dec.joint_support
    if known is None or not isinstance(reference, MarginalReference):
        return (), np.zeros((len(values), 0), dtype=bool)
    return tuple(pair.term for pair in known.pairs), known.unseen(reference.marginals, values)


def unseen_terms(dec: Decomposition, values: Floats) -> tuple[Term, ...]:
    """List what the fit has not seen of one encoded row, shape (1, n_features): features, and pairs of the others."""
    beyond = np.flatnonzero(outside_rows(dec, values)[0]).tolist()
    pairs, unseen = unseen_pairs(dec, values)
    return (
        *((feature,) for feature in beyond),
        *(pair for pair, is_unseen in zip(pairs, unseen[0], strict=True) if is_unseen),
    )


def thin_cells(first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Count rows in the cells of two features, and say which are thin; both arrays have shape (n_first, n_second)."""
    counts = np.zeros((first.max() + 1, second.max() + 1), dtype=np.int64)
    np.add.at(counts, (first, second), 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return counts, counts < THIN_SHARE * expected


def _joint_rows(dec: Decomposition, values: Floats) -> JointRows | None:
    if dec.joint_support is None:
        return None
    pairs, unseen = unseen_pairs(dec, values)
    counts = unseen.sum(axis=0).tolist()
    found = [
        UnseenPair(pair, terms.label(pair, dec.feature_titles), count)
        for pair, count in zip(pairs, counts, strict=True)
        if count
    ]
    ranked = tuple(sorted(found, key=lambda pair: -pair.rows))
    known = dec.joint_support
    return JointRows(len(values), int(unseen.any(axis=1).sum()), known.chance, known.n_rows, ranked)


def _beyond_rows(dec: Decomposition, values: Floats) -> BeyondRows:
    at = np.flatnonzero(outside_rows(dec, values).any(axis=1))
    words = outside_words(dec.features, dec.expansion.reference, values)
    return BeyondRows(len(at), tuple(at[:NAMED_ROWS].tolist()), words)


def _feature_supports(dec: Decomposition, values: Floats) -> tuple[FeatureSupport, ...]:
    outside, reference, found = outside_rows(dec, values).sum(axis=0).tolist(), dec.expansion.reference, []
    for index, feature in enumerate(dec.features):
        marginal = reference.marginals[index] if isinstance(reference, MarginalReference) else None
        pooled = marginal.pooled if isinstance(marginal, NominalMarginal) else ()
        rare, levels = int(np.isin(values[:, index], pooled).sum()), tuple(feature.levels[code] for code in pooled)
        found.append(FeatureSupport(feature.name, outside[index], rare, levels))
    return tuple(found)


def _cells(column: Floats) -> NDArray[np.intp]:
    """Cells of about equal frequency; few values are cells of their own, and so are missing ones."""
    absent = np.isnan(column)
    known = column[~absent]
    distinct = np.unique(known)
    if len(distinct) > CELLS:
        edges = np.unique(np.quantile(known, np.linspace(0, 1, CELLS + 1)[1:-1]))
        cells = np.searchsorted(edges, column, side="right")
    else:
        cells = np.searchsorted(distinct, column)
    return np.where(absent, cells[~absent].max(initial=-1) + 1, cells)
