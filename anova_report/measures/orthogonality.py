"""Whether components are hierarchically orthogonal, as the decomposition promises."""

from dataclasses import dataclass

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.moments import Moments, relations
from anova_report.core.terms import Term, label
from anova_report.measures.variance import answer_variance

MAX_CORR_SHARE = 0.01  # the paper looks at terms that carry at least 1% of the variance
NOISE_QUANTILE = 1.96  # two-sided 95% of a normal law
NOISE_SIGMAS = 3.0  # cosines within three standard deviations of zero are taken as zero


@dataclass(frozen=True)
class Cosine:
    """How far one component is from being orthogonal to a subterm.

    Parameters
    ----------
    term, part : Term
        S and T ⊊ S; T = () is the mean.
    label : str
    share : float
        Var(ν_S) / Var(ν).
    cosine : float
        E[ν_S ν_T] / sqrt(E[ν_S²] E[ν_T²]) on the rows of the fit.
    noise_floor : float
        What 95% of samples of this size stay below when the true cosine is zero.
    held_out, held_out_floor : float or None
        The same on rows that no step of the fit has seen.
    leakage : float or None
        Share of Var(ν_S) that functions of X_T explain on those rows, beyond what chance would.
    """

    term: Term
    part: Term
    label: str
    share: float
    cosine: float
    noise_floor: float
    held_out: float | None
    held_out_floor: float | None
    leakage: float | None

    @property
    def counts(self) -> bool:
        """Whether the term carries enough variance for MaxCorr."""
        return self.share >= MAX_CORR_SHARE

    @property
    def judged(self) -> tuple[float, float]:
        """The cosine and its noise floor that count: on held-out rows where there are any."""
        if self.held_out is None or self.held_out_floor is None:
            return self.cosine, self.noise_floor
        return self.held_out, self.held_out_floor

    @property
    def beyond_noise(self) -> float:
        """How far its size lies above what chance gives; negative within chance."""
        value, floor = self.judged
        return abs(value) - NOISE_SIGMAS / NOISE_QUANTILE * floor


@dataclass(frozen=True)
class Orthogonality:
    """Every cosine of a decomposition.

    Parameters
    ----------
    cosines : tuple of Cosine
    """

    cosines: tuple[Cosine, ...]

    @property
    def max_corr(self) -> float:
        """MaxCorr of the paper: the largest |cosine| among terms with at least 1% of the variance."""
        return max((abs(pair.cosine) for pair in self.cosines if pair.counts), default=0.0)

    @property
    def held_out_max_corr(self) -> float | None:
        """MaxCorr on rows that no step of the fit has seen."""
        held_out = [abs(pair.held_out) for pair in self.cosines if pair.counts and pair.held_out is not None]
        return max(held_out, default=None)

    @property
    def worst(self) -> Cosine | None:
        """The one furthest beyond chance between an interaction that counts and a part of it."""
        counting = [pair for pair in self.cosines if pair.counts and pair.part]
        return max(counting, key=lambda pair: pair.beyond_noise, default=None)

    def ranked(self) -> tuple[Cosine, ...]:
        """Cosines by size, largest first."""
        return tuple(sorted(self.cosines, key=lambda pair: -abs(pair.cosine)))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        named = {"label": "label", "indices": "term", "subterm_indices": "part"}
        measured = ("share", "cosine", "noise_floor", "held_out", "held_out_floor", "leakage")
        columns = named | {name: name for name in measured}
        return {column: [getattr(pair, name) for pair in self.cosines] for column, name in columns.items()}


def orthogonality(dec: Decomposition, output: str | int | None = None) -> Orthogonality:
    """Measure every cosine between a component and its subterms, the mean included.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.
    """
    index, held_out = dec.output_index(output), dec.held_out
    pairs: list[tuple[Term, Term]] = [(term, ()) for term in dec.terms]
    pairs += relations(dec.terms)
    inside = _cosines(dec, dec.in_sample, index)
    outside = [(None, None)] * len(pairs) if held_out is None else _cosines(dec, held_out, index)
    leakages: list[float | None] = [None] * len(pairs)
    if held_out is not None and held_out.leakages is not None:
        leakages[len(dec.terms) :] = held_out.leakages[:, index].tolist()  # onto the mean there is none to speak of
    covariance = dec.in_sample.covariance(index)
    variance = answer_variance(dec, dec.in_sample, index)
    shares = {term: _ratio(covariance[at, at], variance) for term, at in dec.expansion.position.items()}
    return Orthogonality(
        tuple(
            Cosine(
                term, part, f"{dec.label(term)} | {label(part, dec.feature_names)}", shares[term], *ours, *theirs, leak
            )
            for (term, part), ours, theirs, leak in zip(pairs, inside, outside, leakages, strict=True)
        )
    )


def _cosines(dec: Decomposition, moments: Moments, output: int) -> list[tuple[float, float]]:
    """Cosine and noise floor of every component with the mean, then of every relation."""
    position = dec.expansion.position
    squares = np.diag(moments.seconds[:, :, output])
    sign = np.sign(float(dec.expansion.mean[output]))
    # A constant does not vary, so the sample cosine with it has variance 1/n.
    floor = NOISE_QUANTILE / moments.n_rows**0.5
    found = [(_ratio(moments.firsts[at, output] * sign, squares[at] ** 0.5), floor) for at in position.values()]
    for row, (term, part) in enumerate(relations(dec.terms)):
        s, t = position[term], position[part]
        size = squares[s] * squares[t]
        noise = _ratio(moments.fourths[row, output], moments.n_rows * size) ** 0.5
        found.append((_ratio(moments.seconds[s, t, output], size**0.5), NOISE_QUANTILE * noise))
    return found


def _ratio(numerator: float, denominator: float) -> float:
    """Divide, where an empty component (0 / 0) counts as orthogonal to everything."""
    return float(numerator / denominator) if denominator > 0 else 0.0
