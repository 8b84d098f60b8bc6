"""How much of the answers the explanation accounts for."""

from dataclasses import dataclass

from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.moments import Moments
from anova_report.measures.intervals import Interval, interval
from anova_report.measures.variance import answer_variance


@dataclass(frozen=True)
class Fidelity:
    """Agreement of explanation and answers.

    Parameters
    ----------
    in_sample : float
        R² on the rows of the fit: 1 minus the mean squared gap over the variance of the answers.
    held_out : float or None
        R² on rows that no step of the fit has seen; None where the estimator keeps no such rows.
    in_sample_interval, held_out_interval : Interval or None
        95% intervals, where the estimator keeps track of uncertainty.
    n_rows, n_held_out : int
        How many rows these are.
    """

    in_sample: float
    held_out: float | None
    in_sample_interval: Interval | None
    held_out_interval: Interval | None
    n_rows: int
    n_held_out: int

    @property
    def best(self) -> float:
        """The figure to quote: held out if there is one."""
        return self.in_sample if self.held_out is None else self.held_out

    @property
    def unexplained(self) -> float:
        """The share of the answers' variance that the explanation leaves open, on the rows of `best`."""
        return 1.0 - self.best

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        rows = [("in sample", self.in_sample, self.in_sample_interval, self.n_rows)]
        if self.held_out is not None:
            rows.insert(0, ("held out", self.held_out, self.held_out_interval, self.n_held_out))
        return {
            "rows": [name for name, *_ in rows],
            "n_rows": [count for *_, count in rows],
            "r_squared": [value for _, value, *_ in rows],
            "low": [None if bounds is None else bounds.low for *_, bounds, _ in rows],
            "high": [None if bounds is None else bounds.high for *_, bounds, _ in rows],
        }


def fidelity(dec: Decomposition, output: str | int | None = None) -> Fidelity:
    """Measure how closely the explanation follows the answers.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> dec = FunctionalANOVA.published(K=1, d=2, d_density=0, scaling=None).fit(X, X[:, 0] + X[:, 1]).decomposition_
    >>> round(fidelity(dec).in_sample, 6)
    1.0
    """
    index = dec.output_index(output)
    held_out = dec.held_out
    inside = _r_squared(dec, dec.in_sample, index)
    outside = None if held_out is None else _r_squared(dec, held_out, index)
    traced = dec.uncertainty
    return Fidelity(
        in_sample=inside,
        held_out=outside,
        in_sample_interval=None if traced is None else interval(inside, traced.in_sample[:, index]),
        held_out_interval=(None if traced is None or outside is None else interval(outside, traced.held_out[:, index])),
        n_rows=dec.in_sample.n_rows,
        n_held_out=0 if held_out is None else held_out.n_rows,
    )


def _r_squared(dec: Decomposition, moments: Moments, output: int) -> float:
    variance = answer_variance(dec, moments, output)
    # Answers that never change are explained by their mean.
    return float(1.0 - moments.squared_gap[output] / variance) if variance else 1.0
