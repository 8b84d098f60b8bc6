"""Whether components are hierarchically orthogonal, as the decomposition requires."""

import sys
from dataclasses import dataclass

import numpy as np

from anova_report.core.fit.moments import Moments, relations
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.terms import CARRIES, Term, label
from anova_report.measures.status import COSINE, LEAKAGE, MATTERS, Limit, judge_beyond_chance
from anova_report.measures.variance import prediction_variance

NOISE_SIGMAS = 3.0  # many cosines are looked at: 997 of 1,000 that are zero lie within three standard deviations


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
        What chance gives in a sample of this size when the true cosine is zero: three standard deviations.
    held_out, held_out_floor : float or None
        The same on rows that no step of the fit has seen.
    leakage : float or None
        Share of Var(ν_S) that functions of X_T explain on those rows, beyond what chance would.
    leakage_floor : float or None
        What 95% of samples stay below, in all relations at once, when nothing leaks.
    total : float
        Cov(ν_S, ν) / Var(ν).
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
    leakage_floor: float | None = None
    total: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether the term carries enough variance for MaxCorr."""
        return self.share >= CARRIES

    @property
    def asked_to_leak(self) -> bool:
        """Whether leakage is known and the term carries enough, by itself or with what moves along with it.

        A main effect in disguise moves with that main effect, so its total share is often the larger one.
        """
        return self.leakage is not None and max(self.share, abs(self.total)) >= CARRIES

    @property
    def judged(self) -> tuple[float, float]:
        """The cosine and its noise floor that count: on held-out rows where there are any."""
        if self.held_out is None or self.held_out_floor is None:
            return self.cosine, self.noise_floor
        return self.held_out, self.held_out_floor

    @property
    def overlap(self) -> tuple[float, float]:
        """The size of the cosine that counts, and its noise floor."""
        value, floor = self.judged
        return abs(value), floor

    @property
    def leaked(self) -> tuple[float, float]:
        """Leakage and its floor; of files without a floor, 0."""
        return self.leakage or 0.0, self.leakage_floor or 0.0


@dataclass(frozen=True, repr=False)
class Orthogonality(Shown):
    """Every cosine of a decomposition.

    Parameters
    ----------
    cosines : tuple of Cosine
    """

    cosines: tuple[Cosine, ...]

    @property
    def max_corr(self) -> float:
        """MaxCorr of the paper: the largest absolute cosine among terms with at least 1% of the variance."""
        return max((abs(pair.cosine) for pair in self.cosines if pair.counts), default=0.0)

    @property
    def held_out_max_corr(self) -> float | None:
        """MaxCorr on rows that no step of the fit has seen."""
        held_out = [abs(pair.held_out) for pair in self.cosines if pair.counts and pair.held_out is not None]
        return max(held_out, default=None)

    @property
    def worst(self) -> Cosine | None:
        """The overlap of an interaction that counts with a part of it that decides: see `_urgency`."""
        counting = [pair for pair in self.cosines if pair.counts and pair.part]
        return max(counting, key=lambda pair: _urgency(pair, pair.overlap, COSINE), default=None)

    @property
    def leakiest(self) -> Cosine | None:
        """The leakage that decides: see `_urgency`."""
        asked = [pair for pair in self.cosines if pair.asked_to_leak]
        return max(asked, key=lambda pair: _urgency(pair, pair.leaked, LEAKAGE), default=None)

    def ranked(self) -> tuple[Cosine, ...]:
        """Cosines by size, largest first."""
        return tuple(sorted(self.cosines, key=lambda pair: -abs(pair.cosine)))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        named = {"label": "label", "indices": "term", "subterm_indices": "part"}
        measured = ("share", "cosine", "noise_floor", "held_out", "held_out_floor", "leakage", "leakage_floor")
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
    leaks = _leakages(dec, index, len(pairs))
    covariance = dec.in_sample.covariance(index)
    variance = prediction_variance(dec, dec.in_sample, index)
    found = []
    for (term, part), ours, theirs, leak in zip(pairs, inside, outside, leaks, strict=True):
        at = dec.expansion.position[term]
        share, total = _ratio(covariance[at, at], variance), _ratio(covariance[at].sum(), variance)
        name = f"{dec.label(term)} | {label(part, dec.feature_titles)}"
        found.append(Cosine(term, part, name, share, *ours, *theirs, *leak, total))
    return Orthogonality(tuple(found))


def _leakages(dec: Decomposition, output: int, n_pairs: int) -> list[tuple[float | None, float | None]]:
    """Leakage and its floor of every component with the mean, where there is none to speak of, then of relations."""
    found: list[tuple[float | None, float | None]] = [(None, None)] * n_pairs
    if dec.held_out is not None and dec.held_out.leakages is not None:
        leakages, floors = dec.held_out.leakages[:, output].tolist(), dec.held_out.leakage_floors
        known = [None] * len(leakages) if floors is None else floors[:, output].tolist()
        found[len(dec.terms) :] = zip(leakages, known, strict=True)
    return found


def _cosines(dec: Decomposition, moments: Moments, output: int) -> list[tuple[float, float]]:
    """Cosine and noise floor of every component with the mean, then of every relation."""
    position = dec.expansion.position
    squares = np.diag(moments.seconds[:, :, output])
    sign = np.sign(float(dec.expansion.mean[output]))
    # A constant does not vary, so the sample cosine with it has variance 1/n.
    n_rows = moments.effective_rows if dec.population is None else dec.law_rows
    floor = NOISE_SIGMAS / n_rows**0.5
    found = [(_ratio(moments.firsts[at, output] * sign, squares[at] ** 0.5), floor) for at in position.values()]
    for row, (term, part) in enumerate(relations(dec.terms)):
        s, t = position[term], position[part]
        size = squares[s] * squares[t]
        noise = _ratio(moments.fourths[row, output], n_rows * size) ** 0.5
        # No cosine exceeds 1, so a few rows that carry both components could give any.
        found.append((_ratio(moments.seconds[s, t, output], size**0.5), min(NOISE_SIGMAS * noise, 1.0)))
    return found


def _urgency(pair: Cosine, measured: tuple[float, float], limit: Limit) -> tuple[int, float]:
    """Rank by size what fails, then what calls for caution, then what chance hides of large terms, then all else."""
    value, floor = measured
    judged = judge_beyond_chance(limit, measured)
    if judged != "pass":
        return (4 if judged == "fail" else 3), value
    if value > floor or floor <= limit.fail:
        return 1, value
    return (2 if max(pair.share, abs(pair.total)) >= MATTERS else 0), value


def _ratio(numerator: float, denominator: float) -> float:
    """Divide, where an empty component (0 / 0) counts as orthogonal to everything; what is beyond floats is large."""
    return min(float(numerator) / float(denominator), sys.float_info.max) if denominator > 0 else 0.0
