"""Differences of components: where two decompositions say different things by more than chance.

Each decomposition knows what every replicate contributed to its value at a point (a jackknife). That gives standard
errors of a difference at every point, and the noise floor of its distance: what equal models stay below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher

from anova_report.compare.versions.points import Points
from anova_report.core.arrays import Floats, read_only
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import TIMES
from anova_report.measures.intervals import LEVEL, quantile

# Two fits on the same rows do not choose the same functions, so not all of what these rows do to both cancels: this
# share of it stays, as `python -m benchmarks.alarms` measured it.
UNSHARED = 0.35
TERMS_AT_ONCE = 40  # evaluated together: bounds memory
SMALLEST = 0.01  # of the predictions' standard deviation: smaller differences do not matter, whatever a band says

SharedRows: TypeAlias = Literal["same replicates", "same", "different"]
Holder: TypeAlias = Literal["both", "first", "second"]


def same_replicates(a: Decomposition, b: Decomposition) -> bool:
    """Whether two decompositions come from the same rows, divided into the same replicates."""
    divided = [dec.uncertainty.replicate_key for dec in (a, b) if dec.uncertainty is not None]
    return len(divided) == 2 and divided[0] == divided[1] != ""


@dataclass(frozen=True, eq=False)
class ReplicateErrors:
    """What each replicate contributed to the values of two estimates at some points, and how errors combine.

    Contributions come with the factor by which a fit errs more than they show, since it chooses its functions by
    looking at the rows.

    With the same replicates, contributions are subtracted: what a replicate does to both cancels. With different rows
    squared errors add up. With the same rows in another order errors may move together or apart in ways that are not
    known, so they are added themselves: never too small.
    """

    first: Floats  # shape (n_points, n_replicates)
    second: Floats
    rows: SharedRows

    @classmethod
    def of(cls, first: Floats | None, second: Floats | None, rows: SharedRows) -> "ReplicateErrors | None":
        """Combine contributions; a zero where a term is left out is no surer than the other estimate of the term."""
        known = [contributions for contributions in (first, second) if contributions is not None]
        if not known:
            return None
        if len(known) == 1 and rows == "same replicates":
            rows = "different"  # the choice to leave it out was a close one if the term is small: nothing cancels
        return cls(known[0], known[-1], rows)

    def standard_error(self) -> Floats:
        """Estimate the standard error of the difference at each point."""
        first, second = (standard_error(each, axis=1) for each in (self.first, self.second))
        if self.rows == "same":
            return first + second
        apart = np.hypot(first, second)
        if self.rows == "different":
            return apart
        return np.hypot(standard_error(self.second - self.first, axis=1), UNSHARED * apart)

    def half_width(self, level: float) -> Floats:
        """Half the width of a band that contains the difference at each point with probability `level`."""
        n_replicates = min(self.first.shape[1], self.second.shape[1])
        return quantile(level, n_replicates) * self.standard_error()

    def floor(self, level: float) -> float:
        """Root mean square difference that equal components stay below with probability `level`."""
        if self.rows == "same":
            # The distance of two is at most the sum of their distances from the truth; each has half of the error rate.
            return sum(_floor(each, (1 + level) / 2) for each in (self.first, self.second))
        apart = np.concatenate([self.first, self.second], axis=1)
        if self.rows == "different":
            return _floor(apart, level)
        return _floor(np.concatenate([self.second - self.first, UNSHARED * apart], axis=1), level)


def _floor(contributions: Floats, level: float) -> float:
    """Quantile of the root mean square of a random function whose jackknife contributions are given.

    Its mean square is a weighted sum of squared normals; Box's approximation gives it the first two moments of a
    multiple of chi-squared.
    """
    n_points, n_replicates = contributions.shape
    if not n_points:
        return 0.0
    products = contributions.T @ contributions / n_points * n_replicates / (n_replicates - 1)
    mean, squares = float(np.trace(products)), float((products**2).sum())
    if mean <= 0:
        return 0.0
    return float(np.sqrt(mean * fisher.ppf(level, mean**2 / squares, n_replicates - 1)))


@dataclass(frozen=True, eq=False)
class EffectDifference:
    """One component in two decompositions, both with mean zero over the same points.

    Parameters
    ----------
    features : tuple of str
        Names of the component's features, which identify it in both.
    held_by : {"both", "first", "second"}
        Which decomposition has the component; where one has not, it is zero there.
    values : array of shape (n_points, order)
        Where it was compared, as the first decomposition codes it; points off the data of either are left out.
    first, second, difference : arrays of shape (n_points,)
        `difference` is second minus first.
    lower, upper : arrays of shape (n_points,) or None
        A 95% band of the difference, point by point; None where an estimator keeps no track of uncertainty.
    distance : float
        Root mean square difference, in units of the predictions; dense regions count as often as they occur.
    floor : float or None
        Noise floor: if nothing differs, the distances of all effects stay below theirs in 95 of 100 samples.
    smallest : float
        Differences below it do not count.
    asked : bool
        Whether single effects are asked about at all: only where the functions or the inputs were found to differ.
    """

    features: tuple[str, ...]
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
    asked: bool = True

    def __post_init__(self) -> None:
        read_only(self.values, self.first, self.second, self.difference, self.lower, self.upper)

    @property
    def label(self) -> str:
        """What a reader calls the component."""
        return TIMES.join(self.features)

    @property
    def exceeds(self) -> NDArray[np.bool_] | None:
        """At which points the band of the difference leaves out zero."""
        if self.lower is None or self.upper is None:
            return None
        beyond = (self.lower > 0) | (self.upper < 0)
        return np.asarray(beyond & (np.abs(self.difference) > self.smallest))

    @property
    def exceeding(self) -> float | None:
        """Share of the points, and so of the rows, at which it does; for equal components 5% may."""
        exceeds = self.exceeds
        return None if exceeds is None or not len(exceeds) else float(exceeds.mean())

    @property
    def differs(self) -> bool | None:
        """Whether the distance is more than noise, and large enough to matter."""
        return None if self.floor is None else self.asked and self.distance > max(self.floor, self.smallest)


@dataclass(frozen=True)
class Family:
    """What all questions on one page have in common: about effects, shares of terms and shares of features."""

    rows: SharedRows
    size: int = 1  # how many questions there are, which share the error rate
    choices: tuple[float, float] = (1.0, 1.0)  # how much more than replicates show each fit errs by what it chose
    asked: bool = True  # whether functions or inputs were found to differ at all

    @property
    def level(self) -> float:
        """Level of each floor and interval, so that all hold at once in 95 of 100 samples."""
        return 1 - (1 - LEVEL) / max(self.size, 1)


def effect_differences(
    decs: tuple[Decomposition, Decomposition],
    outputs: tuple[int, int],
    points: Points,
    names: Sequence[tuple[str, ...]],
    family: Family,
    smallest: float,
) -> tuple[EffectDifference, ...]:
    """Compare components, given by names of features; differences below `smallest` do not count."""
    found: list[EffectDifference] = []
    for start in range(0, len(names), TERMS_AT_ONCE):
        chosen = names[start : start + TERMS_AT_ONCE]
        first = _components(decs[0], outputs[0], points.first, chosen, family.choices[0])
        second = _components(decs[1], outputs[1], points.second, chosen, family.choices[1])
        each = zip(chosen, first, second, strict=True)
        found += [_difference(decs, points, *component, family, smallest) for component in each]
    return tuple(found)


Component: TypeAlias = tuple[Floats, Floats | None]  # at the points, and what each replicate contributed to it


def _components(
    dec: Decomposition, output: int, points: Floats, names: Sequence[tuple[str, ...]], choice: float
) -> list[Component | None]:
    """Evaluate components together; None where the decomposition does not have one."""
    terms = [tuple(sorted(dec.feature_names.index(name) for name in chosen)) for chosen in names]
    held = [term for term in terms if term in dec.expansion.position]
    values = dec.expansion.evaluate(points, held)[:, :, output]
    traced = None if dec.uncertainty is None else choice * dec.uncertainty.components[output].evaluate(points, held)
    found = {term: (values[:, index], None if traced is None else traced[:, index]) for index, term in enumerate(held)}
    return [found.get(term) for term in terms]


def _difference(
    decs: tuple[Decomposition, Decomposition],
    points: Points,
    names: tuple[str, ...],
    first: Component | None,
    second: Component | None,
    family: Family,
    smallest: float,
) -> EffectDifference:
    own, other = ([dec.feature_names.index(name) for name in names] for dec in decs)
    off = np.hstack([points.first_outside[:, own], points.second_outside[:, other]])
    kept = np.logical_not(off.any(axis=1))

    def recentered(values: Floats) -> Floats:
        return np.asarray(values[kept] - values[kept].mean(axis=0)) if kept.any() else values[kept]

    shown = [np.zeros(int(kept.sum())) if each is None else recentered(each[0]) for each in (first, second)]
    ours, theirs = (None if each is None or each[1] is None else recentered(each[1]) for each in (first, second))
    known = all(dec.uncertainty is not None for dec in decs)
    errors = ReplicateErrors.of(ours, theirs, family.rows) if known else None
    difference = shown[1] - shown[0]
    half = None if errors is None else errors.half_width(LEVEL)
    return EffectDifference(
        features=names,
        held_by="second" if first is None else "first" if second is None else "both",
        values=points.first[kept][:, own],
        first=shown[0],
        second=shown[1],
        difference=difference,
        lower=None if half is None else difference - half,
        upper=None if half is None else difference + half,
        distance=float(np.sqrt(np.mean(difference**2))) if len(difference) else 0.0,
        floor=None if errors is None else errors.floor(family.level),
        smallest=smallest,
        asked=family.asked,
    )
