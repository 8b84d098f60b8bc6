"""Columns beside the inputs: the truth, which rows the model was trained on, protected columns, weights, units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature, encode, recognize
from anova_report.core.input.predictions import real_numbers
from anova_report.core.input.units import GivenUnits
from anova_report.core.input.weights import RowWeights
from anova_report.errors import InputError, InputTypeError, listing

Held: TypeAlias = tuple[Feature, Floats]  # a column that has been read: what it is, and its values or codes
Mask: TypeAlias = NDArray[np.bool_]

HELD_OUT = ("test", "held out", "held-out", "holdout", "validation", "valid", "evaluation", "oot")
TRAINED = ("train", "training", "fit", "development", "dev")


@dataclass(frozen=True, eq=False)
class KeptAside:
    """What is known of the rows beside inputs and predictions.

    Parameters
    ----------
    targets : tuple of (Feature, array)
        The truth: one column, or one for each output.
    held_out : array of bool or None
        Which rows the model was not trained on, where that is known.
    protected : tuple of (Feature, array)
    weights : array or None
        How much each row counts; None where all count the same.
    units : array or None
        Which rows belong together; None where each row is a unit of its own.
    """

    n_rows: int
    targets: tuple[Held, ...] = ()
    held_out: Mask | None = None
    protected: tuple[Held, ...] = ()
    weights: Floats | None = None
    units: NDArray[np.intp] | None = None

    @classmethod
    def read(
        cls,
        n_rows: int,
        *,
        targets: Mapping[str, Any] | None = None,
        split: Any = None,
        protected: Mapping[str, Any] | None = None,
        weights: Floats | None = None,
        units: GivenUnits | None = None,
    ) -> Self:
        """Read columns of the rows that count, by their names, and refuse what cannot be used.

        Raises
        ------
        InputError
            If a target has missing values, a split has one side only, or a protected column never changes.
        """
        truth = tuple(_target(*item, n_rows) for item in (targets or {}).items())
        if split is not None and not truth:
            raise InputError(
                "split says on which rows the model was trained, for metrics on both sides, and no target is given. "
                "Name the column with the truth (target), or leave split out."
            )
        aside = tuple(
            _read(name, column, n_rows, f"The protected column {name!r}") for name, column in (protected or {}).items()
        )
        return cls(
            n_rows,
            truth,
            None if split is None else _held_out(split, n_rows),
            aside,
            weights,
            None if units is None else units.codes,
        ).checked()

    def checked(self) -> Self:
        """Refuse a split with one side only, and protected columns that never change."""
        found = self.held_out
        if found is not None and (found.all() or not found.any()):
            side = "held out of" if found.all() else "used in"
            raise InputError(
                f"By split all {self.n_rows:,} rows were {side} training, so there is nothing to compare. Pass rows of "
                "both sides, or leave split out."
            )
        for feature, values in self.protected:
            if len(np.unique(values)) < 2:  # which counts a missing value once
                raise InputError(
                    f"The protected column {feature.name!r} is the same in all {self.n_rows:,} rows, so it goes with "
                    "nothing. Leave it out."
                )
        return self

    def at(self, rows: NDArray[np.intp]) -> Self:
        """Keep some rows."""
        return replace(
            self,
            n_rows=len(rows),
            targets=tuple((feature, values[rows]) for feature, values in self.targets),
            held_out=None if self.held_out is None else self.held_out[rows],
            protected=tuple((feature, values[rows]) for feature, values in self.protected),
            weights=None if self.weights is None else self.weights[rows],
            units=None if self.units is None else self.units[rows],
        ).checked()

    def over(self, exposure: Floats, name: str = "exposure") -> Self:
        """Turn targets, counts or amounts, into rates, and call them so."""
        return replace(
            self,
            targets=tuple(
                (feature, values)
                if feature.has_levels
                else (replace(feature, label=f"{feature.title} / {name}"), values / exposure)
                for feature, values in self.targets
            ),
        )

    def labelled(self, labels: Mapping[str, str]) -> Self:
        """Say how readers see columns."""
        targets, protected = (
            tuple((replace(feature, label=labels.get(feature.name, "")), values) for feature, values in held)
            for held in (self.targets, self.protected)
        )
        return replace(self, targets=targets, protected=protected)

    @cached_property
    def mass(self) -> Floats:
        """Weight of each row; all together 1."""
        given = np.ones(self.n_rows) if self.weights is None else self.weights
        return np.asarray(given / given.sum())

    @cached_property
    def unit_codes(self) -> NDArray[np.intp]:
        """The unit of every row."""
        return np.arange(self.n_rows) if self.units is None else self.units


def given_weights(sample_weight: Any, weights: RowWeights | None) -> Floats | None:
    """Return the weights of the rows that count as they were given; those of a fit are scaled, and rounded."""
    if weights is None or weights.values is None:
        return None
    return real_numbers(np.asarray(sample_weight))[weights.positions]


def columns_named(table: Any, names: Sequence[str], option: str) -> dict[str, Any]:
    """Take columns of a frame by their names; `option` is what asks for them."""
    frame = nw.from_native(table, pass_through=True)
    known = list(frame.columns) if isinstance(frame, nw.DataFrame) else []
    for name in names:
        if name not in known:
            there = f"the columns are {listing(known, limit=20)}" if known else "the columns of X have no names"
            raise InputError(f"{option} names the column {name!r}, and there is none: {there}.")
    return {name: frame[name] for name in names}


def _read(name: str, column: Any, n_rows: int, option: str) -> Held:
    """Read any column of the rows."""
    series: Any = nw.from_native(column, series_only=True, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        if isinstance(column, str) or not hasattr(column, "__len__"):
            raise InputTypeError(f"{option} must hold one value for every row; got {column!r}.")
        series = np.asarray(column)
        if series.ndim != 1:
            raise InputError(f"{option} must be one column; got an array of shape {series.shape}.")
    if len(series) != n_rows:
        raise InputError(f"{option} holds {len(series):,} values for {n_rows:,} rows. Pass one value for every row.")
    feature = recognize(name, series)
    return feature, encode(feature, series)


def _target(name: str, column: Any, n_rows: int) -> Held:
    feature, values = _read(name, column, n_rows, "target")
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise InputError(
            f"The target {name!r} is missing in {missing.size:,} of {n_rows:,} rows, first at position "
            f"{listing(missing.tolist())}. Drop these rows, or fill them."
        )
    return feature, values


def _held_out(column: Any, n_rows: int) -> Mask:
    """Find the rows that the model was not trained on: true or 1, or a word for it."""
    feature, values = _read("split", column, n_rows, "split")
    if feature.has_levels:
        words = [level.strip().lower() for level in feature.levels]
        strange = [level for level, word in zip(feature.levels, words, strict=True) if word not in HELD_OUT + TRAINED]
        if strange:
            raise InputError(
                f"split holds {strange[0]!r}, which says neither trained on nor held out. Write 'train' and 'test', or "
                "true where a row was held out of training."
            )
        values = np.where(np.isnan(values), np.nan, np.isin(words, HELD_OUT)[np.nan_to_num(values).astype(np.intp)])
    known = np.isin(values, (0.0, 1.0))
    if not known.all():
        raise InputError(
            f"split must be true where a row was held out of training, or hold 'train' and 'test'; it does not in "
            f"{(~known).sum():,} row(s), first at position {listing(np.flatnonzero(~known).tolist())}."
        )
    return np.asarray(values == 1.0)
