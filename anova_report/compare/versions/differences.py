"""Differences of components: where two decompositions say different things by more than chance.

Each decomposition knows what every chunk of rows contributed to its value at a point (a jackknife). That gives standard
errors of a difference at every point, and the noise floor of its distance: what equal models stay below.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher
from scipy.stats import t as student

from anova_report.compare.versions.points import Points
from anova_report.core.arrays import Floats, read_only
from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.terms import TIMES, Term

# A fit chooses its functions by looking at the rows, and errs by that beyond what its chunks tell: on other rows of the
# same function, distances reach 1.3 times the floors they would have without it.
CHOICE = 1.5
# And two fits on the same rows do not choose the same functions, so not all of what these rows do to both cancels: this
# share of it stays. Both were measured by `python -m benchmarks.alarms`.
UNSHARED = 0.35

Rows: TypeAlias = Literal["same chunks", "same", "different"]


def same_chunks(a: Decomposition, b: Decomposition) -> bool:
    """Whether two decompositions come from the same rows, dealt out to the same chunks."""
    dealt = [dec.uncertainty.replicate_key for dec in (a, b) if dec.uncertainty is not None]
    return len(dealt) == 2 and dealt[0] == dealt[1] != ""


@dataclass(frozen=True, eq=False)
class Traces:
    """Contributions of chunks to values of two estimates at some points.

    Parameters
    ----------
    first, second : arrays of shape (n_points, n_chunks)
    rows : {"same chunks", "same", "different"}
        How errors go together. Of the same rows, dealt out to the same chunks, contributions are subtracted: what a
        chunk does to both cancels. Of different rows squared errors add up. Of the same rows in another order errors
        may move together or apart in ways that are not known, so they are added themselves: never too small.
    """

    first: Floats
    second: Floats
    rows: Rows

    @classmethod
    def of(cls, first: Floats | None, second: Floats | None, rows: Rows) -> "Traces | None":
        """Gather contributions; where one side leaves a term out, that is no surer than what the other makes of it."""
        known = [traced for traced in (first, second) if traced is not None]
        if not known:
            return None
        if len(known) == 1 and rows == "same chunks":
            rows = "same"  # the choice to leave it out was a close one if the term is small
        return cls(known[0], known[-1], rows)

    def standard_error(self) -> Floats:
        """Estimate the standard error of the difference at each point."""
        first, second = (CHOICE * standard_error(traced, axis=1) for traced in (self.first, self.second))
        if self.rows == "same":
            return first + second
        apart = np.hypot(first, second)
        if self.rows == "different":
            return apart
        return np.hypot(CHOICE * standard_error(self.second - self.first, axis=1), UNSHARED * apart)

    def reach(self, level: float) -> Floats:
        """Half the width of a band that holds the difference at each point, in so many of 100 samples, over 100."""
        n_chunks = min(self.first.shape[1], self.second.shape[1])
        return np.asarray(float(student.ppf((1 + level) / 2, n_chunks - 1)) * self.standard_error())

    def floor(self, level: float) -> float:
        """Root mean square difference that equal components stay below, in so many of 100 samples, over 100."""
        if self.rows == "same":
            # The distance of two is at most the sum of their distances from the truth; each has half of the error rate.
            return sum(_floor(traced, (1 + level) / 2) for traced in (self.first, self.second))
        apart = np.concatenate([self.first, self.second], axis=1)
        if self.rows == "different":
            return _floor(apart, level)
        return _floor(np.concatenate([self.second - self.first, UNSHARED * apart], axis=1), level)


def _floor(traced: Floats, level: float) -> float:
    """Quantile of the root mean square of a random function whose jackknife contributions are given.

    Its mean square is a weighted sum of squared normals; Box's approximation gives it the first two moments of a
    multiple of chi-squared.
    """
    n_points, n_chunks = traced.shape
    if not n_points:
        return 0.0
    products = traced.T @ traced / n_points * n_chunks / (n_chunks - 1)
    mean, squares = float(np.trace(products)), float((products**2).sum())
    if mean <= 0:
        return 0.0
    return CHOICE * float(np.sqrt(mean * fisher.ppf(level, mean**2 / squares, n_chunks - 1)))


Holder: TypeAlias = Literal["both", "first", "second"]

TERMS_AT_ONCE = 40  # evaluated together: bounds memory
SMALLEST = 0.01  # of the answers' standard deviation: smaller differences are no news, whatever a band says


@dataclass(frozen=True, eq=False)
class EffectDifference:
    """One component in two decompositions, both with mean zero over the same points.

    Parameters
    ----------
    features : tuple of str
    label : str
    held_by : {"both", "first", "second"}
        Which decomposition has the component; where one has not, it is zero there.
    values : array of shape (n_points, order)
        Where it was compared, as the first decomposition codes it; points off the data of either are left out.
    first, second, difference : arrays of shape (n_points,)
        `difference` is second minus first.
    lower, upper : arrays of shape (n_points,) or None
        A 95% band of the difference, point by point; None where an estimator keeps no track of uncertainty.
    distance : float
        Root mean square difference, in units of the answers; dense regions count as often as they occur.
    floor : float or None
        Noise floor: if nothing differs, the distances of all effects stay below theirs in 95 of 100 samples.
    smallest : float
        Differences below it do not count.
    """

    features: tuple[str, ...]
    label: str
    held_by: Holder
    values: Floats
    first: Floats
    second: Floats
    difference: Floats
    lower: Floats | None
    upper: Floats | None
    distance: float
    floor: float | None
    smallest: float

    def __post_init__(self) -> None:
        read_only(self.values, self.first, self.second, self.difference, self.lower, self.upper)

    @property
    def exceeds(self) -> NDArray[np.bool_] | None:
        """At which points the band of the difference leaves out zero."""
        if self.lower is None or self.upper is None:
            return None
        beyond = (self.lower > 0) | (self.upper < 0)
        return np.asarray(beyond & (np.abs(self.difference) > self.smallest))

    @property
    def exceeding(self) -> float | None:
        """Share of the points, and so of the rows, at which it does; of equal components 5% may."""
        exceeds = self.exceeds
        return None if exceeds is None or not len(exceeds) else float(exceeds.mean())

    @property
    def differs(self) -> bool | None:
        """Whether the distance is more than noise, and large enough to matter."""
        return None if self.floor is None else self.distance > max(self.floor, self.smallest)


@dataclass(frozen=True, eq=False)
class Pairing:
    """Two decompositions, an output of each, and the points at which they are compared."""

    a: Decomposition
    b: Decomposition
    outputs: tuple[int, int]
    points: Points
    rows: Rows

    def term(self, dec: Decomposition, names: Sequence[str]) -> Term | None:
        """Find a term by names of features; None where the decomposition does not hold it."""
        term = tuple(sorted(dec.feature_names.index(name) for name in names))
        return term if term in dec.expansion.position else None


def effect_differences(
    pairing: Pairing, names: Sequence[tuple[str, ...]], smallest: float, level: float
) -> tuple[EffectDifference, ...]:
    """Compare components, given by names of features.

    Parameters
    ----------
    pairing : Pairing
    names : sequence of tuple of str
        The features of each component.
    smallest : float
        Differences below it do not count.
    level : float
        Of each band, and of all noise floors at once.
    """
    at_once = 1 - (1 - level) / max(len(names), 1)
    return tuple(
        _difference(measured, smallest, level, at_once)
        for chosen in _batches(names)
        for measured in _measure(pairing, chosen)
    )


@dataclass(frozen=True, eq=False)
class _Measured:
    """A component at the points, and what is known about its errors."""

    names: tuple[str, ...]
    held_by: Holder
    values: Floats
    first: Floats
    second: Floats
    traces: Traces | None


def _difference(measured: _Measured, smallest: float, level: float, at_once: float) -> EffectDifference:
    difference, traces = measured.second - measured.first, measured.traces
    reach = None if traces is None else traces.reach(level)
    return EffectDifference(
        features=measured.names,
        label=TIMES.join(measured.names),
        held_by=measured.held_by,
        values=measured.values,
        first=measured.first,
        second=measured.second,
        difference=difference,
        lower=None if reach is None else difference - reach,
        upper=None if reach is None else difference + reach,
        distance=float(np.sqrt(np.mean(difference**2))) if len(difference) else 0.0,
        floor=None if traces is None else traces.floor(at_once),
        smallest=smallest,
    )


def _batches(names: Sequence[tuple[str, ...]]) -> Iterator[Sequence[tuple[str, ...]]]:
    for start in range(0, len(names), TERMS_AT_ONCE):
        yield names[start : start + TERMS_AT_ONCE]


def _measure(pairing: Pairing, names: Sequence[tuple[str, ...]]) -> Iterator[_Measured]:
    points = pairing.points
    a = _Side(pairing.a, pairing.outputs[0], points.first, [pairing.term(pairing.a, chosen) for chosen in names])
    b = _Side(pairing.b, pairing.outputs[1], points.second, [pairing.term(pairing.b, chosen) for chosen in names])
    keep_track = a.keeps_track and b.keeps_track
    for index, chosen in enumerate(names):
        own, other = ([dec.feature_names.index(name) for name in chosen] for dec in (pairing.a, pairing.b))
        off = np.hstack([points.first_outside[:, own], points.second_outside[:, other]])
        kept: NDArray[np.bool_] = np.logical_not(off.any(axis=1))
        yield _Measured(
            names=chosen,
            held_by="second" if a.terms[index] is None else "first" if b.terms[index] is None else "both",
            values=points.first[kept][:, own],
            first=a.values(index, kept),
            second=b.values(index, kept),
            traces=Traces.of(a.traced(index, kept), b.traced(index, kept), pairing.rows) if keep_track else None,
        )


class _Side:
    """Some terms of one decomposition, evaluated at the points once for all."""

    def __init__(self, dec: Decomposition, output: int, points: Floats, terms: Sequence[Term | None]) -> None:
        self.terms = terms
        held = [term for term in terms if term is not None]
        self._position = {term: index for index, term in enumerate(held)}
        self._values = dec.expansion.evaluate(points, held)[:, :, output]
        traced = dec.uncertainty
        self.keeps_track = traced is not None
        self._traced = None if traced is None else traced.components[output].evaluate(points, held)

    def values(self, index: int, kept: NDArray[np.bool_]) -> Floats:
        """Values of a term at the points kept, with mean zero there; all zero where it is not held."""
        term = self.terms[index]
        if term is None:
            return np.zeros(int(kept.sum()))
        return _centred(self._values[kept, self._position[term]])

    def traced(self, index: int, kept: NDArray[np.bool_]) -> Floats | None:
        """Contributions of chunks to these values, shape (n_kept, n_chunks)."""
        term = self.terms[index]
        if term is None or self._traced is None:
            return None
        return _centred(self._traced[kept, self._position[term]])


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(axis=0)) if len(values) else values
