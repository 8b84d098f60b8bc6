"""Drift of shares: whether the same terms and features still move the predictions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anova_report.compare.versions.differences import Family, ReplicateErrors
from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import TIMES
from anova_report.measures.intervals import Interval
from anova_report.measures.variance import feature_totals, variance_shares

SMALLEST = 0.005  # half a percentage point: smaller drifts do not matter, whatever an interval says


@dataclass(frozen=True)
class ShareDrift:
    """A share in two decompositions.

    Parameters
    ----------
    features : tuple of str
        Names of the features of a term, or of one feature, which identify it in both.
    first, second : float
        Total shares; zero where a decomposition does not hold the term.
    interval : Interval or None
        Of second minus first; all intervals and noise floors of a page hold at once in 95 of 100 cases. None where an
        estimator keeps no track of uncertainty.
    asked : bool
        Whether single shares are asked about at all: only where the functions or the inputs were found to differ.
    """

    features: tuple[str, ...]
    first: float
    second: float
    interval: Interval | None
    asked: bool = True

    @property
    def label(self) -> str:
        """What a reader calls the term or feature."""
        return TIMES.join(self.features)

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
        return self.asked and beyond and abs(self.difference) >= SMALLEST


# A share, and what each replicate contributed to it where that is known; found by the names of features in any order.
Shares: TypeAlias = dict[frozenset[str], tuple[float, Floats | None]]


def term_drift(
    decs: tuple[Decomposition, Decomposition],
    outputs: tuple[int, int],
    names: Sequence[tuple[str, ...]],
    family: Family,
) -> tuple[ShareDrift, ...]:
    """Compare the shares of terms, given by names of features."""

    def shares(dec: Decomposition, output: int) -> Shares:
        traced = None if dec.uncertainty is None else dec.uncertainty.total[:, :, output]
        found: Shares = {}
        for index, share in enumerate(variance_shares(dec, output).terms):
            key = frozenset(dec.feature_names[feature] for feature in share.term)
            found[key] = share.total, None if traced is None else traced[index]
        return found

    return _drifts(map(shares, decs, outputs), names, decs, family)


def feature_drift(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], names: Sequence[str], family: Family
) -> tuple[ShareDrift, ...]:
    """Compare the ANOVA-Shapley effects of features."""

    def shares(dec: Decomposition, output: int) -> Shares:
        traced = None if dec.uncertainty is None else dec.membership.T @ dec.uncertainty.total[:, :, output]
        return {
            frozenset([total.feature]): (total.share, None if traced is None else traced[index])
            for index, total in enumerate(feature_totals(dec, output).features)
        }

    return _drifts(map(shares, decs, outputs), [(name,) for name in names], decs, family)


def _drifts(
    shares: Iterable[Shares],
    names: Sequence[tuple[str, ...]],
    decs: tuple[Decomposition, Decomposition],
    family: Family,
) -> tuple[ShareDrift, ...]:
    known = all(dec.uncertainty is not None for dec in decs)
    both = tuple(shares)
    found = []
    for chosen in names:
        (first, ours), (second, theirs) = (each.get(frozenset(chosen), (0.0, None)) for each in both)
        traced = zip((ours, theirs), family.choices, strict=True)
        one, other = (None if each is None else choice * each[None] for each, choice in traced)
        errors = ReplicateErrors.of(one, other, family.rows) if known else None
        interval = None
        if errors is not None:
            half = float(errors.half_width(family.level)[0])
            interval = Interval(second - first - half, second - first + half)
        found.append(ShareDrift(chosen, first, second, interval, family.asked))
    return tuple(found)
