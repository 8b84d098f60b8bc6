"""What is different in a cohort: its predictions, what is unexplained there, and the shares of features or groups."""

from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.errors import InputError
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.groups import GroupShare, group_shares
from anova_report.measures.variance import prediction_variance


@dataclass(frozen=True)
class CohortShare:
    """The share of a feature, or a group, in a cohort and in all rows."""

    cohort: GroupShare
    whole: GroupShare

    @property
    def differs(self) -> bool:
        """Whether the intervals of the two have nothing in common."""
        own, all_rows = self.cohort.interval, self.whole.interval
        return own is not None and all_rows is not None and (own.low > all_rows.high or own.high < all_rows.low)


@dataclass(frozen=True, repr=False)
class CohortDifferences(Shown):
    """What is different in a cohort.

    Parameters
    ----------
    where : str
        The expression that its rows fulfill.
    n_rows, n_all : int
        How many rows fulfill it, and among how many.
    mean, mean_of_all : float
        Of the predictions.
    unexplained, unexplained_of_all : float
        Share of the predictions' variance, each on its own rows, those of the fit among them.
    shares : tuple of CohortShare
        The largest in the cohort first.
    """

    where: str
    n_rows: int
    n_all: int
    mean: float
    mean_of_all: float
    unexplained: float
    unexplained_of_all: float
    shares: tuple[CohortShare, ...]

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per feature or group."""
        return {
            "feature": [share.cohort.member.name for share in self.shares],
            "share": [share.cohort.share for share in self.shares],
            "share_of_all": [share.whole.share for share in self.shares],
            "differs": [share.differs for share in self.shares],
        }

    def claims(self, output: int) -> Claims:
        """State all of it."""
        rows = {"n_rows": float(self.n_rows), "n_all": float(self.n_all)}
        return (
            Claim("rows of a cohort", rows, output=output, places=(self.where,)),
            Claim("mean of a cohort", {"mean": self.mean, "all_rows": self.mean_of_all}, output=output),
            Claim(
                "unexplained in a cohort",
                {"share": self.unexplained, "all_rows": self.unexplained_of_all},
                output=output,
                over="rows of the fit",
            ),
            *(_share_claim(share, output) for share in self.shares),
        )


def cohort_differences(dec: Decomposition, whole: Decomposition, output: str | int | None = None) -> CohortDifferences:
    """Compare a cohort with all rows, of which `whole` is the decomposition.

    Parameters
    ----------
    dec, whole : Decomposition
        What `explain(…, where=…)` returns, and its `whole`.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import explain
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> dec = explain(lambda rows: rows[:, 0] * (rows[:, 1] > 0), X, where="x1 > 0")
    >>> found = cohort_differences(dec, dec.whole)
    >>> found.n_rows, found.n_all, found.shares[0].cohort.member.name
    (482, 1000, 'x0')
    """
    known, chosen = dec.population, dec.output_index(output)
    if known is None or not known.where:
        raise InputError("The decomposition is not that of a cohort. Make it with explain(…, where=…).")
    own, every = (group_shares(each, chosen).groups for each in (dec, whole))
    shares = sorted(map(CohortShare, own, every), key=lambda share: -share.cohort.share)
    means = _mean(dec, chosen), _mean(whole, chosen)
    left = _unexplained(dec, chosen), _unexplained(whole, chosen)
    return CohortDifferences(known.where, known.n_rows, known.n_all, *means, *left, tuple(shares))


def _mean(dec: Decomposition, output: int) -> float:
    firsts: Floats = dec.in_sample.firsts[:, output]
    return float(dec.expansion.mean[output] + firsts.sum())


def _unexplained(dec: Decomposition, output: int) -> float:
    variance = prediction_variance(dec, dec.in_sample, output)
    return float(np.divide(dec.in_sample.squared_gap[output], variance)) if variance else 0.0


def _share_claim(share: CohortShare, output: int) -> Claim:
    numbers = {"share": share.cohort.share, "all_rows": share.whole.share, "differs": float(share.differs)}
    for prefix, bounds in (("", share.cohort.interval), ("all_", share.whole.interval)):
        if bounds is not None:
            numbers |= {f"{prefix}low": bounds.low, f"{prefix}high": bounds.high}
    member = share.cohort.member
    return Claim("share in a cohort", numbers, features=member.features, output=output, places=(member.name,))
