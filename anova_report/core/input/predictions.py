"""The predictions that are to be decomposed: one column per output, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import LARGEST
from anova_report.errors import InputError, InputTypeError, listing


@dataclass(frozen=True, eq=False)
class Predictions:
    """What the black box returned, row by row."""

    values: Floats  # shape (n_rows, n_outputs)
    names: tuple[str, ...]  # names of the outputs
    single: bool  # whether results should leave out the axis of outputs, as for predictions of shape (n_rows,)
    scale: str = "identity"  # what one unit means: "identity", "logit", "probability" or "margin"
    note: str = ""  # why it is this scale, where that was not asked for
    n_sure: int = 0  # rows with a probability of exactly 0 or 1, where that is why

    def __post_init__(self) -> None:
        largest = float(np.abs(self.values).max(initial=0.0))
        if largest > LARGEST:
            raise InputError(
                f"The predictions go up to {largest:.0e}, whose fourth powers are beyond all floats. Divide them by a "
                "power of ten."
            )


def scales_differ(first: str, second: str) -> bool:
    """Tell whether predictions are known to be in different units; predictions given as plain numbers may be in any.

    Examples
    --------
    >>> scales_differ("logit", "probability"), scales_differ("logit", "identity")
    (True, False)
    """
    return first != second and "identity" not in (first, second)


def read_predictions(predictions: Any, n_rows: int) -> Predictions:
    """Check predictions that the user gave for `n_rows` rows; a frame's column names become those of the outputs.

    Examples
    --------
    >>> read_predictions([1.0, 2.0, 4.0], n_rows=3).names
    ('prediction',)
    """
    if predictions is None:
        raise InputError(
            "This estimator requires y to be passed, but the target y is None. Pass the predictions, one per row."
        )
    values = _as_floats(predictions)
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise InputError(f"The predictions must have shape (rows,) or (rows, outputs); they have shape {values.shape}.")
    if len(values) != n_rows:
        raise InputError(
            f"There are {len(values):,} predictions for {n_rows:,} rows. Pass one prediction per row of X."
        )
    single = values.ndim == 1
    table = values.reshape(n_rows, -1)
    names = _output_names(predictions, table.shape[1], single)
    bad = ~np.isfinite(table)
    if bad.any():
        rows, outputs = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
        where = "" if len(names) == 1 else f" of {listing([names[output] for output in outputs])}"
        raise InputError(
            f"Input y contains NaN or infinity: the predictions{where} are not finite in {rows.size:,} row(s), first "
            f"at position {listing(rows.tolist())}. Drop these rows from X and from the predictions, or correct the "
            "model."
        )
    return Predictions(table, names, single)


def require_variation(predictions: Predictions) -> None:
    """Refuse predictions of which no output ever changes: there is nothing to decompose."""
    if np.ptp(predictions.values, axis=0).any():
        return
    raise InputError(
        f"The predictions are constant: {listing(predictions.values[0].tolist())} in all {len(predictions.values):,} "
        "rows, so there is nothing to decompose. Check that the right column was passed."
    )


def require_spread(n_rows: int, spread: Floats) -> None:
    """Refuse predictions of many rows of which no output has any spread."""
    if n_rows > 1 and not spread.any():
        raise InputError(f"The predictions are constant in all {n_rows:,} rows, so there is nothing to decompose.")


def real_numbers(array: NDArray[Any]) -> Floats:
    """Write an array as floats; anything but numbers is a TypeError or ValueError, even text that looks like a number.

    Examples
    --------
    >>> real_numbers(np.array([True, None])).tolist()
    [1.0, nan]
    """
    refused = [] if array.dtype.kind in "biufO" else array.ravel().tolist()
    if array.dtype.kind == "O":
        refused = [value for value in array.flat if isinstance(value, str)]
    if refused:
        raise TypeError(f"{refused[0]!r} is not a number")
    return array.astype(np.float64)


def _as_floats(predictions: Any) -> Floats:
    if isinstance(predictions, np.ma.MaskedArray):
        predictions = np.ma.filled(predictions.astype(np.float64), np.nan)
    try:
        array = np.asarray(predictions)
    except ValueError as error:
        raise InputError(
            "The predictions must have shape (rows,) or (rows, outputs); their rows are of unequal length."
        ) from error
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported. Pass the real and imaginary parts as two outputs.")
    try:
        return real_numbers(array)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"The predictions must be numbers, and cannot be read as such: {error}. For a classifier pass its logits "
            "or probabilities, not its labels."
        ) from error


def _output_names(predictions: Any, n_outputs: int, single: bool) -> tuple[str, ...]:
    # pyarrow keeps the columns themselves under the name that holds their names elsewhere.
    columns: Sequence[Any] | None = getattr(predictions, "column_names", getattr(predictions, "columns", None))
    if columns is not None and not single:
        names = tuple(str(column) for column in columns)
        if len(set(names)) < len(names):
            raise InputError(f"The outputs must have distinct names, and are called {listing(names)}.")
        return names
    name = getattr(predictions, "name", None)
    if n_outputs == 1:
        return ("prediction" if name is None or name == "" else str(name),)
    return tuple(f"prediction {index}" for index in range(n_outputs))
