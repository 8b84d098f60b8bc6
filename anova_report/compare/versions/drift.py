"""Drift of shares: whether the same terms and features still move the answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from anova_report.compare.versions.differences import Rows, Traces
from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.terms import TIMES
from anova_report.measures.intervals import LEVEL, Interval
from anova_report.measures.variance import feature_totals, variance_shares

SMALLEST = 0.005  # half a percentage point: smaller drifts are no news, whatever an interval says


@dataclass(frozen=True)
class ShareDrift:
    """A share in two decompositions.

    Parameters
    ----------
    label : str
    first, second : float
        Total shares; zero where a decomposition does not hold the term.
    interval : Interval or None
        Of second minus first; all intervals of a table hold at once in 95 of 100 cases. None where an estimator keeps
        no track of uncertainty.
    """

    label: str
    first: float
    second: float
    interval: Interval | None

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first

    @property
    def exceeds(self) -> bool | None:
        """Whether the interval leaves out zero, and the difference is large enough to matter."""
        if self.interval is None:
            return None
        beyond = self.interval.low > 0 or self.interval.high < 0
        return beyond and abs(self.difference) >= SMALLEST


@dataclass(frozen=True, eq=False)
class _Share:
    """A share and what each chunk of rows contributed to it, where that is known."""

    value: float = 0.0
    traced: Floats | None = None


def term_drift(
    decs: tuple[Decomposition, Decomposition],
    outputs: tuple[int, int],
    names: Sequence[tuple[str, ...]],
    rows: Rows,
) -> tuple[ShareDrift, ...]:
    """Compare the shares of terms, given by names of features."""
    first, second = (_term_shares(dec, output) for dec, output in zip(decs, outputs, strict=True))
    pairs = [(first.get(frozenset(chosen), _Share()), second.get(frozenset(chosen), _Share())) for chosen in names]
    return _drifts([TIMES.join(chosen) for chosen in names], pairs, decs, rows)


def feature_drift(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], names: Sequence[str], rows: Rows
) -> tuple[ShareDrift, ...]:
    """Compare the ANOVA-Shapley effects of features."""
    first, second = (_feature_shares(dec, output) for dec, output in zip(decs, outputs, strict=True))
    return _drifts(names, [(first[name], second[name]) for name in names], decs, rows)


def _term_shares(dec: Decomposition, output: int) -> dict[frozenset[str], _Share]:
    traced = None if dec.uncertainty is None else dec.uncertainty.total[:, :, output]
    found = {}
    for index, share in enumerate(variance_shares(dec, output).terms):
        names = frozenset(dec.feature_names[feature] for feature in share.term)
        found[names] = _Share(share.total, None if traced is None else traced[index])
    return found


def _feature_shares(dec: Decomposition, output: int) -> dict[str, _Share]:
    traced = None if dec.uncertainty is None else dec.membership.T @ dec.uncertainty.total[:, :, output]
    totals = feature_totals(dec, output).features
    return {
        total.feature: _Share(total.share, None if traced is None else traced[index])
        for index, total in enumerate(totals)
    }


def _drifts(
    labels: Sequence[str],
    pairs: Sequence[tuple[_Share, _Share]],
    decs: tuple[Decomposition, Decomposition],
    rows: Rows,
) -> tuple[ShareDrift, ...]:
    known = all(dec.uncertainty is not None for dec in decs)
    return tuple(
        ShareDrift(label, first.value, second.value, _interval(first, second, rows, len(labels)) if known else None)
        for label, (first, second) in zip(labels, pairs, strict=True)
    )


def _interval(first: _Share, second: _Share, rows: Rows, n_shares: int) -> Interval | None:
    """Make an interval of the difference that, together with those of the other shares, holds in 95 of 100 cases."""
    ours, theirs = (None if share.traced is None else share.traced[None] for share in (first, second))
    traces = Traces.of(ours, theirs, rows)
    if traces is None:
        return None
    reach = float(traces.reach(1 - (1 - LEVEL) / n_shares)[0])
    difference = second.value - first.value
    return Interval(difference - reach, difference + reach)
