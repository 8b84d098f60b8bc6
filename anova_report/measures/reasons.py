"""Reason codes: the few features, or groups of features, that move the prediction of a row most."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.expansion import row_blocks
from anova_report.errors import InputError
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.groups import Member, group_values, members
from anova_report.measures.intervals import LEVEL, certain_quantile

UNDETERMINED = "cannot be determined"
HEAD = ("row", "place", "reason", "value", "low", "high", "direction", "rank")


@dataclass(frozen=True)
class Reason:
    """What a feature, or a group of features, adds to the prediction of a row: its ANOVA-Shapley value.

    Parameters
    ----------
    name : str
    features : tuple of int
    value : float
    low, high : float or None
        95% bounds of the value, where the estimator keeps track of uncertainty.
    direction : {"raises", "lowers", "cannot be determined"}
        The last where the bounds hold zero.
    is_ranked : bool
        Whether it is smaller than the reason before and larger than the one after, beyond what bounds leave open:
        otherwise its rank cannot be determined. True where the estimator does not keep track of uncertainty.
    """

    name: str
    features: tuple[int, ...]
    value: float
    low: float | None
    high: float | None
    direction: str
    is_ranked: bool


@dataclass(frozen=True, repr=False)
class Reasons(Shown):
    """The reasons of some rows, the largest first.

    Parameters
    ----------
    rows : tuple of tuple of Reason
    output : int
    """

    rows: tuple[tuple[Reason, ...], ...]
    output: int = 0

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per row and reason."""
        lines = [line for row, own in enumerate(self.rows) for line in reason_lines(row, own)]
        return {name: [line[at] for line in lines] for at, name in enumerate(HEAD)}


def reason_lines(row: object, own: tuple[Reason, ...]) -> Iterator[tuple[object, ...]]:
    """Write the reasons of a row as lines of a table."""
    for place, reason in enumerate(own, 1):
        rank = place if reason.is_ranked else UNDETERMINED
        yield row, place, reason.name, reason.value, reason.low, reason.high, reason.direction, rank


def reasons(dec: Decomposition, rows: Any, k: int = 4, output: str | int | None = None) -> Reasons:
    """Find what moves the prediction of each row most: at most k features, or groups, by their ANOVA-Shapley values.

    Under independent features these are the exact Shapley values of the explanation. Groups of features that the
    decomposition names count as one. Values that are zero are no reasons.

    Parameters
    ----------
    dec : Decomposition
    rows : table of shape (n_rows, n_features)
    k : int
        Reasons of each row at most.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> dec = FunctionalANOVA().fit(X, 3 * X[:, 0] - X[:, 1]).decomposition_
    >>> [(reason.name, reason.direction) for reason in reasons(dec, [[1.0, 1.0, 0.0]], k=2).rows[0]]
    [('x0', 'raises'), ('x1', 'lowers')]
    """
    if not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k is the number of reasons of a row, at least 1; got {k!r}.")
    return encoded_reasons(dec, dec.encode(rows), k, dec.output_index(output))


def encoded_reasons(dec: Decomposition, values: Floats, k: int = 4, output: int = 0) -> Reasons:
    """Find the reasons of rows that `Decomposition.encode` has read."""
    listed, found = members(dec), list[tuple[Reason, ...]]()
    for part in row_blocks(len(values)):
        own = group_values(dec, dec.expansion.evaluate(values[part])[:, :, output], listed)
        order = np.argsort(-np.abs(own), axis=1, kind="stable")[:, : k + 1]
        largest = np.take_along_axis(own, order, axis=1)
        traced = _traced(dec, values[part], listed, order, output)
        found += _chosen(listed, order, largest, traced, k)
    return Reasons(tuple(found), output)


def _traced(
    dec: Decomposition, values: Floats, listed: tuple[Member, ...], order: NDArray[np.intp], output: int
) -> Floats | None:
    """Trace the chosen values of each row to jackknife groups, shape (n_rows, n_chosen, n_groups)."""
    if dec.uncertainty is None:
        return None
    expansion = dec.uncertainty.components[output]
    belongs = dec.membership @ np.array([[at in own.features for own in listed] for at in range(len(dec.features))])
    moved = np.zeros((*order.shape, len(expansion.mean)))
    for at, term in enumerate(dec.terms):
        weight = belongs[at][order]
        if weight.any():
            moved += weight[:, :, None] * expansion.evaluate(values, [term])[:, 0][:, None, :]
    return moved


def _chosen(
    listed: tuple[Member, ...], order: NDArray[np.intp], values: Floats, traced: Floats | None, k: int
) -> Iterator[tuple[Reason, ...]]:
    """Make reasons of the largest values of each row; the next one beyond k only decides whether the last is ranked."""
    reach = np.zeros_like(values)
    ranked = np.ones(values.shape, dtype=bool)
    if traced is not None:
        reach = _reach(traced)
        signed = np.sign(values)[:, :, None] * traced
        apart = np.abs(values[:, :-1]) - np.abs(values[:, 1:])
        separate = apart > _reach(signed[:, :-1] - signed[:, 1:])
        ranked[:, :-1] &= separate
        ranked[:, 1:] &= separate
    least = 1e-12 * np.abs(values).max(initial=0.0)
    for row in range(len(values)):
        yield tuple(
            Reason(
                listed[order[row, at]].name,
                listed[order[row, at]].features,
                float(value),
                None if traced is None else float(value - reach[row, at]),
                None if traced is None else float(value + reach[row, at]),
                UNDETERMINED if abs(value) <= reach[row, at] and traced is not None else _way(value),
                bool(ranked[row, at]),
            )
            for at, value in enumerate(values[row, :k].tolist())
            if abs(value) > least
        )


def _way(value: float) -> str:
    return "raises" if value > 0 else "lowers"


def _reach(traced: Floats) -> Floats:
    return np.asarray(certain_quantile(LEVEL, traced) * standard_error(traced, axis=-1))


def reason_claims(own: tuple[Reason, ...], row: int, output: int) -> Claims:
    """State the reasons of one row."""
    return tuple(
        Claim(
            "reason",
            {"value": reason.value, "place": float(place), "ranked": float(reason.is_ranked)}
            | ({} if reason.low is None or reason.high is None else {"low": reason.low, "high": reason.high}),
            features=reason.features,
            rows=(row,),
            output=output,
            places=(reason.name,),
        )
        for place, reason in enumerate(own, 1)
    )
