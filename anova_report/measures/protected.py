"""How a protected column goes with the predictions: through which components, directly or through other columns.

A contrast is what an association is measured by: a function h of the column with mean zero, so that E[h f] is the
difference of mean predictions between a level and all other rows or, of a number, the slope per standard deviation. As
f = mean + Σ ν_S + residual, E[h f] = Σ E[h ν_S] + E[h residual]: entries add up, whatever goes with what.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.input.features import Feature
from anova_report.core.input.units import read_units
from anova_report.core.input.weights import read_weights
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.expansion import row_blocks
from anova_report.core.result.explanation import rows_and_predictions
from anova_report.core.result.terms import Term
from anova_report.errors import InputError
from anova_report.measures.intervals import LEVEL, Interval, certain_quantile
from anova_report.measures.kept_aside import Held, KeptAside, Mask, columns_named, given_weights
from anova_report.measures.metrics import Measured, average, bounds, by_unit
from anova_report.measures.truths import PLAIN, RESPONSE, Truth
from anova_report.measures.wording import number

Standing: TypeAlias = Literal["read", "not read", "not given"]

GROUP_ROWS = 30  # a mean of fewer rows says little
MOST_LEVELS = 8  # of which ledgers are kept, the most frequent
TRACED_ROWS = 20_000  # over which errors of components are averaged: a budget of time
# Statistics (`make ledgers`): functions of a feature that are taken off a contrast, at most, and rows that each needs.
MOST_FUNCTIONS, FUNCTION_ROWS = 8, 50
MISSING = "(missing)"


@dataclass(frozen=True)
class Entry:
    """What runs through one component, or several; `direct` where the component is one of the column itself."""

    label: str
    term: Term
    value: float
    interval: Interval
    direct: bool = False


@dataclass(frozen=True, repr=False)
class Ledger(Shown):
    """How the association of a column with the predictions comes about.

    Parameters
    ----------
    column : str
    level : str
        Whose mean prediction is compared with that of all other rows; empty where the column is a number, and the
        association is the slope of the predictions per standard deviation.
    output : int
    n_rows : int
    whole : Entry
        The association itself; the entries and the residual add up to it.
    entries : tuple of Entry
        One for each component, the largest first.
    residual : Entry
        What no component explains.
    direct, proxies : Entry
        The sum of the components of the column itself, and that of all others.
    """

    column: str
    level: str
    output: int
    n_rows: int
    whole: Entry
    entries: tuple[Entry, ...]
    residual: Entry
    direct: Entry
    proxies: Entry

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`; the lines add up to the last one."""
        lines = (*self.entries, self.residual, self.whole)
        return {
            "through": [line.label for line in lines],
            "direct": [line.direct for line in lines],
            "value": [line.value for line in lines],
            "low": [line.interval.low for line in lines],
            "high": [line.interval.high for line in lines],
        }


@dataclass(frozen=True)
class GroupMeans:
    """Mean prediction of a group of rows and, where it is known, the mean truth.

    `predicted` is on the scale of the truth where there is one (probabilities for log-odds); `difference` is the mean
    truth minus the mean prediction.
    """

    level: str
    n_rows: int
    predicted: float
    predicted_interval: Interval
    observed: float | None = None
    difference: float | None = None
    difference_interval: Interval | None = None


@dataclass(frozen=True)
class Protected:
    """What is known about one protected column and one output.

    Parameters
    ----------
    column : str
    output : int
    standing : {"read", "not read", "not given"}
        Whether the column has terms; is among the inputs and has none; or is not among the inputs.
    groups : tuple of GroupMeans
        None of them has fewer than 30 rows.
    ledgers : tuple of Ledger
        Of two levels that of the second; of more, one for each level.
    n_small, n_missing : int
        Levels with too few rows, and rows that are not counted since the number is missing.
    """

    column: str
    output: int
    standing: Standing
    groups: tuple[GroupMeans, ...]
    ledgers: tuple[Ledger, ...]
    n_small: int = 0
    n_missing: int = 0

    @property
    def largest(self) -> Ledger:
        """The ledger of the largest association."""
        return max(self.ledgers, key=lambda ledger: abs(ledger.whole.value))


@dataclass(frozen=True, eq=False)
class Contrast:
    """A function of a protected column by which an association is measured.

    Parameters
    ----------
    level : str
        Empty for a number.
    inside : array of bool
        Rows that count.
    h : array
        Its values on these rows; their mean is zero.
    group : array of bool or None
        The rows of the level among these; None for a number.
    """

    level: str
    inside: Mask
    h: Floats
    group: Mask | None

    def measured(self, values: Floats, mass: Floats) -> Measured:
        """Return E[h v] of a column v, (n_rows,), and influence values, for rows that count."""
        found = float((mass * self.h) @ values)
        if self.group is None:
            return found, self.h * (values - mass @ values) - found * (1 + (self.h**2 - 1) / 2)
        inside, outside = (mass[side] @ values[side] / mass[side].sum() for side in (self.group, ~self.group))
        return found, self.h * (values - np.where(self.group, inside, outside))


@dataclass(frozen=True, eq=False)
class Decomposed:
    """The predictions of one output, row by row, and what they are made of.

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
        Encoded rows.
    components : array of shape (n_rows, n_terms)
    predictions : array of shape (n_rows,)
    truth : Truth or None
        Of this output.
    """

    dec: Decomposition
    values: Floats
    components: Floats
    predictions: Floats
    aside: KeptAside
    output: int
    truth: Truth | None = None
    seed: int = 0


def protected_columns(
    dec: Decomposition,
    columns: Any,
    X: Any = None,
    predictions: Any = None,
    *,
    output: str | int | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
) -> tuple[Protected, ...]:
    """Say how protected columns go with the predictions, and through which components.

    Parameters
    ----------
    dec : Decomposition
        Of an `Explanation` rows and predictions are known.
    columns : sequence of str, or mapping of str to array-like
        Names of columns of X, or columns of the same rows that the model does not get, by their names.
    X, predictions : optional
        Rows and their predictions, on the scale that was decomposed.
    output : str or int, optional
        Which output, where there are several.
    sample_weight, groups, time : array-like of shape (n_rows,), optional
        As for `explain`.

    Examples
    --------
    >>> from anova_report import explain
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.random(1000) < 0.5
    >>> X = np.column_stack([rng.normal(size=1000) + sex, rng.normal(size=1000)])
    >>> dec = explain(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, max_order=1, ask=0)
    >>> [found] = protected_columns(dec, {"sex": sex})
    >>> found.standing, found.largest.entries[0].label, round(found.largest.entries[0].value)
    ('not given', 'x0', 2)
    """
    X, predictions = rows_and_predictions(dec, X, predictions)
    if predictions is None:
        raise InputError("Protected columns are held against predictions, and there are none. Pass predictions=.")
    values = dec.encode(X)
    named = dict(columns) if hasattr(columns, "keys") else columns_named(X, columns, "columns")
    weights = read_weights(sample_weight, len(values))
    if weights is not None and len(weights.positions) < len(values):
        raise InputError("sample_weight is zero in some rows, which do not count. Leave these rows out.")
    units = read_units(groups, time, len(values), weights)
    known = given_weights(sample_weight, weights)
    aside = require_enough(KeptAside.read(len(values), protected=named, weights=known, units=units))
    given, chosen = np.asarray(predictions, dtype=np.float64).reshape(len(values), -1), dec.output_index(output)
    components = dec.expansion.evaluate(values)[:, :, chosen]
    rows = Decomposed(dec, values, components, given[:, chosen], aside, chosen)
    return tuple(protected(rows, held) for held in aside.protected)


def require_enough(aside: KeptAside) -> KeptAside:
    """Refuse protected columns of which no group, and no number, has rows enough."""
    for feature, column in aside.protected:
        is_number = feature.kind in PLAIN and (~np.isnan(column)).sum() >= GROUP_ROWS
        if not is_number and not _groups(feature, column)[0]:
            raise InputError(
                f"The protected column {feature.name!r} has too few rows of any value ({GROUP_ROWS} are needed), or "
                "holds dates. Join its levels, or write numbers."
            )
    return aside


def protected(rows: Decomposed, held: Held) -> Protected:
    """Measure how one protected column goes with one output."""
    feature, column = held
    groups, small = _groups(feature, column)
    return Protected(
        feature.name,
        rows.output,
        _standing(rows.dec, feature.name),
        tuple(_means(rows, *group) for group in groups),
        tuple(_ledger(rows, feature.name, contrast) for contrast in _contrasts(column, groups, rows.aside.mass)),
        small,
        0 if groups else int(np.isnan(column).sum()),
    )


def input_of(dec: Decomposition, name: str) -> int | None:
    """Find the feature that a column is, or is folded into; None where it is no input."""
    return next((at for at, feature in enumerate(dec.features) if name in (feature.name, *feature.sources)), None)


def _standing(dec: Decomposition, name: str) -> Standing:
    at = input_of(dec, name)
    if at is None:
        return "not given"
    return "read" if any(at in term for term in dec.terms) else "not read"


def _groups(feature: Feature, column: Floats) -> tuple[list[tuple[str, Mask]], int]:
    """Find the rows of each level; none of a number, unless it has two values."""
    distinct = np.unique(column[~np.isnan(column)])
    if not (feature.has_levels or feature.kind == "boolean" or len(distinct) <= 2):
        return [], 0
    named = [(_level(feature, value), column == value) for value in distinct.tolist()]
    if np.isnan(column).any():
        named.append((MISSING, np.isnan(column)))
    enough = [(level, inside) for level, inside in named if inside.sum() >= GROUP_ROWS]
    return enough, len(named) - len(enough)


def _level(feature: Feature, value: float) -> str:
    if feature.has_levels:
        return feature.levels[int(value)]
    return str(bool(value)) if feature.kind == "boolean" else number(value)


def _contrasts(column: Floats, groups: list[tuple[str, Mask]], mass: Floats) -> Iterator[Contrast]:
    """Go through the functions by which associations are measured."""
    if groups:
        often = sorted(groups, key=lambda item: -int(item[1].sum()))[:MOST_LEVELS]
        chosen = [item for item in groups if any(item[0] == level for level, _ in often)]
        if len(groups) == 2 and len(column) - sum(int(inside.sum()) for _, inside in groups) < GROUP_ROWS:
            chosen = chosen[1:]  # the first is its mirror, or nearly
        for level, inside in chosen:
            share = float(mass[inside].sum())
            yield Contrast(level, np.ones(len(column), bool), np.where(inside, 1 / share, -1 / (1 - share)), inside)
        return
    known = ~np.isnan(column)
    own = mass[known] / mass[known].sum()
    centered = column[known] - own @ column[known]
    yield Contrast("", known, centered / np.sqrt(own @ centered**2), None)


def _means(rows: Decomposed, level: str, inside: Mask) -> GroupMeans:
    """Average predictions and truth over a group, where the truth is known on the rows that are judged."""
    aside, truth = rows.aside, rows.truth
    if truth is not None and (truth.judged & inside).sum() >= GROUP_ROWS:
        inside = inside & truth.judged
    own, units = aside.mass[inside] / aside.mass[inside].sum(), aside.unit_codes[inside]
    on_scale = RESPONSE.get(rows.dec.scale, np.asarray)(rows.predictions[inside])
    predicted, of_predicted = average(on_scale, own)
    known = bounds(predicted, by_unit(of_predicted, own, units))
    if truth is None or truth.task == "ranking" or not truth.judged[inside].all():
        return GroupMeans(level, int(inside.sum()), predicted, known)
    observed, of_observed = average(truth.y[inside], own)
    apart = observed - predicted
    between = bounds(apart, by_unit(of_observed - of_predicted, own, units))
    if truth.task == "binary" and not np.ptp(truth.y[inside]):
        share = bounds(float(truth.y[inside][0]), by_unit(of_observed, own, units), "share")
        between = Interval(share.low - predicted, share.high - predicted)
    return GroupMeans(level, int(inside.sum()), predicted, known, observed, apart, between)


def _ledger(rows: Decomposed, name: str, contrast: Contrast) -> Ledger:
    """Add an association up from what runs through each component."""
    dec, inside = rows.dec, contrast.inside
    components, predictions = rows.components[inside], rows.predictions[inside]
    mass, units = rows.aside.mass[inside] / rows.aside.mass[inside].sum(), rows.aside.unit_codes[inside]
    own = input_of(dec, name)
    direct = np.array([own in term for term in dec.terms], dtype=bool)
    errors = _errors(rows, contrast, contrast.h)

    def entry(label: str, values: Floats, moved: Floats, *, is_direct: bool = False) -> Entry:
        found, pull = contrast.measured(values, mass)
        reach = _reach(by_unit(pull, mass, units), moved)
        return Entry(label, (), found, Interval(found - reach, found + reach), is_direct)

    entries = [
        replace(entry(dec.label(term), components[:, at], errors[at], is_direct=bool(direct[at])), term=term)
        for at, term in enumerate(dec.terms)
    ]
    if dec.uncertainty is not None and any(len(term) > 1 for term in dec.terms):
        entries = _narrowed(rows, contrast, entries)
    residual = predictions - dec.expansion.mean[rows.output] - components.sum(axis=1)
    return Ledger(
        name,
        contrast.level,
        rows.output,
        int(inside.sum()),
        # The predictions are known; what components err by, the residual errs by on the other side.
        entry("in all", predictions, np.zeros(1)),
        tuple(sorted(entries, key=lambda item: -abs(item.value))),
        entry("residual", residual, -errors.sum(axis=0)),
        entry("directly", components[:, direct].sum(axis=1), errors[direct].sum(axis=0), is_direct=True),
        entry("through other columns", components[:, ~direct].sum(axis=1), errors[~direct].sum(axis=0)),
    )


def _reach(sampled: Floats, moved: Floats) -> float:
    """Return half the width of an interval: rows vary, by units, and so do components, by jackknife groups."""
    every = np.r_[sampled, moved]
    return float(certain_quantile(LEVEL, every) * standard_error(every))


def _narrowed(rows: Decomposed, contrast: Contrast, entries: list[Entry]) -> list[Entry]:
    """Narrow the intervals of interactions by what is known of their components.

    Under the law an interaction has nothing in common with functions g of its single features: E[g ν_S] = 0. So
    E[h ν_S] = E[(h − g) ν_S], whatever g is, and where g is the best fit of the contrast h, errors of the fit hardly
    count. What the component of these rows has in common with g is an error, of known size and sign: the interval leans
    away from it, and holds the estimate in any case.
    """
    inside = contrast.inside
    mass, units = rows.aside.mass[inside] / rows.aside.mass[inside].sum(), rows.aside.unit_codes[inside]
    alone, components = _alone(rows, contrast, mass), rows.components[inside]
    errors, found = _errors(rows, contrast, alone), []
    for at, entry in enumerate(entries):
        if len(entry.term) == 1:
            found.append(entry)
            continue
        value, pull = average(alone[:, at] * components[:, at], mass)
        reach = _reach(by_unit(pull, mass, units), errors[at])
        known = Interval(min(value - reach, entry.value), max(value + reach, entry.value))
        found.append(replace(entry, interval=known))
    return found


def _alone(rows: Decomposed, contrast: Contrast, mass: Floats) -> Floats:
    """Take the best fit by functions of single features off the contrast, for interactions: (n_rows, n_terms)."""
    values, reference = rows.values[contrast.inside], rows.dec.expansion.reference
    most = min(MOST_FUNCTIONS, int(1 / float(mass @ mass) / FUNCTION_ROWS))
    interactions = [(at, term) for at, term in enumerate(rows.dec.terms) if len(term) > 1]
    size = 1 + most * max(len(term) for _, term in interactions)
    grams, products = np.zeros((len(interactions), size, size)), np.zeros((len(interactions), size))

    def designs(block: slice) -> Iterator[Floats]:
        families = reference.families(values[block])
        for _, term in interactions:
            own = [families(feature)[:, 1 : 1 + most] for feature in term]
            yield np.column_stack([np.ones(len(own[0])), *own])

    for block in row_blocks(len(values)):
        for gram, product, design in zip(grams, products, designs(block), strict=True):
            width = design.shape[1]  # a feature may have fewer functions
            gram[:width, :width] += (design * mass[block, None]).T @ design
            product[:width] += design.T @ (mass[block] * contrast.h[block])
    solved = [np.linalg.lstsq(gram, product, rcond=None)[0] for gram, product in zip(grams, products, strict=True)]
    found = np.tile(contrast.h[:, None], len(rows.dec.terms))
    for block in row_blocks(len(values)):
        for (at, _), design, own in zip(interactions, designs(block), solved, strict=True):
            found[block, at] -= design @ own[: design.shape[1]]
    return found


def _errors(rows: Decomposed, contrast: Contrast, h: Floats) -> Floats:
    """Average what jackknife groups contribute to components, times the contrast, shape (n_terms, n_groups).

    `h` is the contrast on rows that count, (n_rows,), or what is left of it for each term, (n_rows, n_terms).
    """
    if rows.dec.uncertainty is None:
        return np.zeros((len(rows.dec.terms), 1))
    chosen = np.flatnonzero(contrast.inside)
    if len(chosen) > TRACED_ROWS:
        drawn = np.sort(stream(rows.seed, "protected").choice(len(chosen), TRACED_ROWS, replace=False))
        chosen, h = chosen[drawn], h[drawn]
    mass = rows.aside.mass[chosen] / rows.aside.mass[chosen].sum()
    return rows.dec.uncertainty.components[rows.output].sums(rows.values[chosen], (mass * h.T).T)
