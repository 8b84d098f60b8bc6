"""Whether components are hierarchically orthogonal, as the decomposition promises."""

from dataclasses import dataclass

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.moments import Moments, relations
from anova_report.core.terms import Term
from anova_report.measures.variance import answer_variance

MAX_CORR_SHARE = 0.01  # the paper looks at terms that carry at least 1% of the variance
NOISE_QUANTILE = 1.96  # two-sided 95% of a normal law
NOISE_SIGMAS = 3.0  # cosines within three standard deviations of zero are taken as zero


@dataclass(frozen=True)
class Cosine:
    """How far one component is from being orthogonal to a part of it.

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
        fields = ("label", "share", "cosine", "noise_floor", "held_out", "held_out_floor", "leakage")
        return {name: [getattr(pair, name) for pair in self.cosines] for name in fields}


def orthogonality(dec: Decomposition, output: str | int | None = None) -> Orthogonality:
    """Measure every cosine between a component and its parts, the mean included.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.
    """
    index = dec.output_index(output)
    mean = float(dec.expansion.mean[index])
    pairs = [(term, ()) for term in dec.terms] + list(relations(dec.terms))
    leakages = _leakages(dec, index)
    inside = _cosines(dec, dec.in_sample, index, mean)
    outside = None if dec.held_out is None else _cosines(dec, dec.held_out, index, mean)
    return Orthogonality(
        tuple(
            Cosine(
                term=term,
                part=part,
                label=f"{dec.label(term)} | {dec.label(part) if part else 'mean'}",
                share=inside.share[term],
                cosine=inside.cosine[position],
                noise_floor=inside.floor[position],
                held_out=None if outside is None else outside.cosine[position],
                held_out_floor=None if outside is None else outside.floor[position],
                leakage=leakages[position],
            )
            for position, (term, part) in enumerate(pairs)
        )
    )


def _leakages(dec: Decomposition, output: int) -> list[float | None]:
    """Leakage of every relation; onto the mean there is none to speak of."""
    onto_mean: list[float | None] = [None] * len(dec.terms)
    if dec.held_out is None or dec.held_out.leakages is None:
        return onto_mean + [None] * len(relations(dec.terms))
    return onto_mean + [float(share) for share in dec.held_out.leakages[:, output]]


@dataclass(frozen=True)
class _Measured:
    share: dict[Term, float]
    cosine: list[float]
    floor: list[float]


def _cosines(dec: Decomposition, moments: Moments, output: int, mean: float) -> _Measured:
    position = dec.expansion.position
    squares = np.diag(moments.seconds[:, :, output])
    covariance = moments.covariance(output)
    variance = answer_variance(dec, moments, output)
    share = {term: _ratio(covariance[at, at], variance) for term, at in position.items()}
    cosine = [_ratio(moments.firsts[at, output] * np.sign(mean), squares[at] ** 0.5) for at in position.values()]
    # A constant does not vary, so the sample cosine with it has variance 1/n.
    floor = [NOISE_QUANTILE / moments.n_rows**0.5] * len(cosine)
    for row, (term, part) in enumerate(relations(dec.terms)):
        s, t = position[term], position[part]
        size = squares[s] * squares[t]
        cosine.append(_ratio(moments.seconds[s, t, output], size**0.5))
        floor.append(NOISE_QUANTILE * _ratio(moments.fourths[row, output], moments.n_rows * size) ** 0.5)
    return _Measured(share, cosine, floor)


def _ratio(numerator: float, denominator: float) -> float:
    """Divide, where an empty component (0 / 0) counts as orthogonal to everything."""
    return float(numerator / denominator) if denominator > 0 else 0.0
