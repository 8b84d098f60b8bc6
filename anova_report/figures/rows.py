"""The rows a figure is drawn from, encoded once and evaluated only where a figure needs it, and effects with bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.errors import InputError
from anova_report.figures.axes import effects_axis, rounded
from anova_report.figures.geometry import Axis, Numbers
from anova_report.figures.ticks import bound_text, effect_text
from anova_report.measures.intervals import encoded_bands
from anova_report.measures.local import RowExplanation, encoded_explanation, given_predictions
from anova_report.measures.near_rows import Reach

SAMPLE_ROWS = 2000  # rows on which all components are evaluated: enough for pictures, fluid with hundreds of terms
LOOKED_AT_ROWS = 20_000  # rows on which one component is evaluated for a sentence about it: a budget of time


@dataclass(frozen=True, eq=False)
class Effect:
    """A component at some points; without bounds where the estimator keeps no track of uncertainty."""

    value: Floats
    lower: Floats | None
    upper: Floats | None

    def __getitem__(self, points: Any) -> "Effect":
        """Choose some of the points."""
        if self.lower is None or self.upper is None:
            return Effect(self.value[points], None, None)
        return Effect(self.value[points], self.lower[points], self.upper[points])


@dataclass(frozen=True, eq=False)
class Rows:
    """A decomposition and the rows, and perhaps predictions, that are shown with it."""

    dec: Decomposition
    values: Floats  # shape (n_rows, n_features); as `Decomposition.encode` gives them
    predictions: Floats | None = None  # shape (n_rows, n_outputs)
    seed: int = 0  # decides which rows are drawn where not all are
    note: str = ""  # what is odd about the predictions
    names: Sequence[object] | None = None  # what each row is called; by default a row is its position

    @classmethod
    def of(
        cls, dec: Decomposition, X: Any, predictions: Any = None, seed: int = 0, names: Sequence[object] | None = None
    ) -> Self:
        """Read a table, and the predictions for its rows where they are known.

        Parameters
        ----------
        dec : Decomposition
        X : table of shape (n_rows, n_features)
        predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        seed : int
        names : sequence, optional
            What each row is called.
        """
        values = dec.encode(X)
        if not len(values):
            raise InputError("The table has no rows, so there is nothing to draw. Pass at least one.")
        if names is not None and len(names) != len(values):
            raise InputError(f"There are {len(names)} names for {len(values):,} rows. Pass one name per row, or none.")
        given, note = (None, "") if predictions is None else given_predictions(dec, predictions, values)
        return cls(dec, values, given, seed, note, names)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def sample(self) -> NDArray[np.intp]:
        """Positions of the rows that stand for all, ascending."""
        return self.draw(SAMPLE_ROWS)

    @cached_property
    def explained(self) -> Floats:
        """Explanations of the rows of `sample`, shape (n_sample, n_outputs)."""
        return self.dec.expansion.predict(self.values[self.sample])

    @cached_property
    def looked_at(self) -> NDArray[np.intp]:
        """Positions of the rows about which sentences speak, ascending: all of them, or very many."""
        return self.draw(LOOKED_AT_ROWS)

    def looked_columns(self, term: Term) -> list[Floats]:
        """Return the values of these rows in the features of a term."""
        return [self.values[self.looked_at, index] for index in term]

    def ends(self, effect: Floats) -> dict[str, float]:
        """State the range of an effect over these rows."""
        looked = {"n_looked": float(len(self.looked_at)), "n_rows": float(len(self))}
        return {"low": float(effect.min()), "high": float(effect.max())} | looked

    @cached_property
    def reach(self) -> Reach:
        """How many rows must lie how close to a place, so that an effect is drawn there."""
        return Reach.of(len(self))

    def draw(self, most: int) -> NDArray[np.intp]:
        """Draw at most so many rows, always the same; ascending."""
        if len(self) <= most:
            return np.arange(len(self))
        return np.sort(stream(self.seed, "drawn rows").choice(len(self), size=most, replace=False))

    def name(self, row: int) -> str:
        """Say what a row is called, in every heading, figure and sentence."""
        return f"row {self.position(row):,}" if self.names is None else str(self.names[self.position(row)])

    def predictions_of(self, output: int) -> Floats:
        """Return the predictions of one output, or say that they are needed."""
        if self.predictions is None:
            raise InputError("This figure needs the predictions, and none were given. Pass predictions= with the rows.")
        return self.predictions[:, output]

    def effect(self, term: Term, columns: Sequence[Floats], output: int) -> Effect:
        """Evaluate a component, with its band if there is one, at points given by the values of its features."""
        points = self._points(term, columns)
        if self.dec.uncertainty is None:
            return Effect(self.dec.expansion.evaluate(points, [term])[:, 0, output], None, None)
        band = encoded_bands(self.dec, term, points, output)
        return Effect(band.value, band.lower, band.upper)

    def component(self, term: Term, columns: Sequence[Floats], output: int, *, joint: bool = False) -> Floats:
        """Evaluate a component, or the joint effect of its features, without a band."""
        terms = [own for own in self.dec.terms if set(own) <= set(term)] if joint else [term]
        return np.asarray(self.dec.expansion.evaluate(self._points(term, columns), terms)[:, :, output].sum(axis=1))

    def explanation(self, row: int, output: int) -> RowExplanation:
        """Take the prediction of one row apart."""
        at = self.position(row)
        prediction = None if self.predictions is None else float(self.predictions[at, output])
        return encoded_explanation(self.dec, self.values[at : at + 1], prediction, output)

    def position(self, row: int) -> int:
        """Check the position of a row."""
        if not 0 <= row < len(self):
            raise InputError(f"There is no row {row!r}; the positions of the {len(self):,} rows begin with 0.")
        return int(row)

    def feature(self, feature: str | int) -> int:
        """Find a feature by name or position."""
        return self.dec.feature_index(feature)

    def _points(self, term: Term, columns: Sequence[Floats]) -> Floats:
        # A component does not depend on the other columns, so any row serves for them.
        points = np.repeat(self.values[:1], len(columns[0]), axis=0)
        for index, column in zip(term, columns, strict=True):
            points[:, index] = column
        return points


def term_of_order(dec: Decomposition, term: object, order: int) -> Term:
    """Find a term that must have so many features."""
    found = dec.resolve(term)
    if len(found) != order:
        raise InputError(f"A term of {order} feature(s) is drawn here, and {dec.label(found)} has {len(found)}.")
    return found


def two_features(dec: Decomposition, features: Sequence[object]) -> Term:
    """Find two different features, whether or not they have a component of their own."""
    found = tuple(sorted({dec.feature_index(feature) for feature in features}))
    if len(found) != 2:
        raise InputError(f"The joint effect of two features is drawn here; got {features!r}.")
    return found


def bounds(effect: Effect) -> tuple[Numbers, Numbers]:
    """Round the bounds as finely as the effect; empty where none are known."""
    size = float(np.abs(effect.value).max()) or None
    lower, upper = (() if bound is None else rounded(bound, size) for bound in (effect.lower, effect.upper))
    return lower, upper


def effect_axis(dec: Decomposition, effect: Effect, output: int) -> Axis:
    """Hold the effect and its band; where the band runs wild it may leave the picture, the effect may not."""
    value = effect.value
    if effect.lower is None or effect.upper is None:
        return effects_axis(dec, output, value)
    reach = np.ptp(value) or np.inf
    band = np.r_[effect.lower, effect.upper].clip(value.min() - reach, value.max() + reach)
    return effects_axis(dec, output, value, band)


def effect_head(effect: Effect) -> tuple[str, ...]:
    """Name the columns of a table of effects."""
    return ("effect",) if effect.lower is None else ("effect", "95% from", "95% to")


def effect_columns(effect: Effect, y: Axis) -> list[list[str]]:
    """Write effects and, where they are known, their bounds, as along an axis."""
    series = (effect.value, effect.lower, effect.upper)
    writes = (effect_text, bound_text, bound_text)
    return [
        [write(y, value) for value in column.tolist()]
        for write, column in zip(writes, series, strict=True)
        if column is not None
    ]
