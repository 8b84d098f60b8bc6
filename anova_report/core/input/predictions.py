"""The answers that are to be decomposed: one column per output, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.errors import InputError, InputTypeError, listing


@dataclass(frozen=True, eq=False)
class Answers:
    """What the black box returned, row by row."""

    values: Floats  # shape (n_rows, n_outputs)
    names: tuple[str, ...]  # names of the outputs
    single: bool  # whether results should leave out the axis of outputs, as for answers of shape (n_rows,)
    scale: str = "identity"  # what one unit means: "identity", "logit", "probability" or "margin"


def scales_differ(first: str, second: str) -> bool:
    """Tell whether answers are known to be in different units; answers given as plain numbers may be in any.

    Examples
    --------
    >>> scales_differ("logit", "probability"), scales_differ("logit", "identity")
    (True, False)
    """
    return first != second and "identity" not in (first, second)


def read_answers(answers: Any, n_rows: int) -> Answers:
    """Check answers given by the user for a table of `n_rows` rows; a frame's column names become those of the outputs.

    Examples
    --------
    >>> read_answers([1.0, 2.0, 4.0], n_rows=3).names
    ('answer',)
    """
    if answers is None:
        raise InputError(
            "This estimator requires y to be passed, but the target y is None. Pass the model's answers, one per row."
        )
    values = _as_floats(answers)
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise InputError(f"The answers must have shape (rows,) or (rows, outputs); they have shape {values.shape}.")
    if len(values) != n_rows:
        raise InputError(f"There are {len(values)} answers for {n_rows} rows. Pass one answer per row of X.")
    single = values.ndim == 1
    table = values.reshape(n_rows, -1)
    names = _output_names(answers, table.shape[1], single)
    bad = ~np.isfinite(table)
    if bad.any():
        rows, outputs = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
        where = "" if len(names) == 1 else f" of {listing([names[output] for output in outputs])}"
        raise InputError(
            f"Input y contains NaN or infinity: the answers{where} are not finite in {rows.size} row(s), first at "
            f"position {listing(rows.tolist())}. Drop these rows from X and from the answers, or correct the model."
        )
    return Answers(table, names, single)


def require_variation(answers: Answers) -> None:
    """Refuse answers of which no output ever changes: there is nothing to decompose."""
    if np.ptp(answers.values, axis=0).any():
        return
    raise InputError(
        f"The answers are constant: {listing(answers.values[0].tolist())} in all {len(answers.values)} rows, so there "
        "is nothing to decompose. Check that the right column was passed."
    )


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


def _as_floats(answers: Any) -> Floats:
    try:
        array = np.asarray(answers)
    except ValueError as error:
        raise InputError(
            "The answers must have shape (rows,) or (rows, outputs); their rows are of unequal length."
        ) from error
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported. Pass the real and imaginary parts as two outputs.")
    try:
        return real_numbers(array)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"The answers must be numbers, and cannot be read as such: {error}. For a classifier pass its logits or "
            "probabilities, not its labels."
        ) from error


def _output_names(answers: Any, n_outputs: int, single: bool) -> tuple[str, ...]:
    # pyarrow keeps the columns themselves under the name that holds their names elsewhere.
    columns: Sequence[Any] | None = getattr(answers, "column_names", getattr(answers, "columns", None))
    if columns is not None and not single:
        names = tuple(str(column) for column in columns)
        if len(set(names)) < len(names):
            raise InputError(f"The outputs must have distinct names, and are called {listing(names)}.")
        return names
    name = getattr(answers, "name", None)
    if n_outputs == 1:
        return ("answer" if name is None or name == "" else str(name),)
    return tuple(f"answer {index}" for index in range(n_outputs))
