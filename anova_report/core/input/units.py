"""Rows that the user says belong together: groups, or blocks of time."""

import re
from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.input.features import Column, as_list, encode, is_missing, recognize
from anova_report.core.input.weights import RowWeights
from anova_report.errors import InputError, InputTypeError, listing

# Statistics (`make verdicts`).
FEWEST_UNITS = 5  # some to learn from, some to tune on, some to hold out, and enough of them to show how they vary
TIME_BLOCKS = 20  # few enough to be long against what neighbors in time share, enough to show how they vary
YEAR_FIRST = re.compile(r"\d{4}(\D|\d{2}\b|\d{4}|$)")  # 2024, 2024-05, 2024Q2, 202405, 20240531


@dataclass(frozen=True, eq=False)
class GivenUnits:
    """Which rows belong together by what the user says."""

    kind: Literal["group", "time block"]
    codes: NDArray[np.intp]  # the unit of every row, numbered from 0

    @property
    def n_units(self) -> int:
        """How many there are."""
        return int(self.codes.max()) + 1


def read_units(groups: Any, time: Any, n_rows: int, weights: RowWeights | None = None) -> GivenUnits | None:
    """Read the arguments `groups` and `time`, of which one may be given, for rows that have perhaps weights.

    Examples
    --------
    >>> read_units(["a", "b", "a", "c", "d", "e"], None, 6).codes.tolist()
    [0, 1, 0, 2, 3, 4]
    """
    if groups is not None and time is not None:
        raise InputError(
            "Both groups and time are given, and rows can be held out by one of them only. Pass groups if rows of one "
            "group resemble each other, time if rows that are near in time do."
        )
    if groups is not None:
        return _read_groups(_column("groups", groups, n_rows))
    counted = None if weights is None else weights.values
    return None if time is None else _read_time(_column("time", time, n_rows), counted)


def _read_groups(column: Column) -> GivenUnits:
    numbers: dict[Any, int] = {}
    labels = as_list(column)
    try:
        codes = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)
    except TypeError as error:
        raise InputTypeError(
            f"groups holds values of type {type(labels[0]).__name__}, which cannot be distinguished as labels. Pass "
            "numbers or text."
        ) from error
    if len(numbers) < FEWEST_UNITS:
        few = "is only 1 group" if len(numbers) == 1 else f"are only {len(numbers)} groups"
        raise InputError(
            f"There {few} in groups: {listing([str(label) for label in numbers])}. To learn from "
            f"some, tune on others and hold out yet others takes at least {FEWEST_UNITS}. Pass smaller groups, or "
            "leave groups out."
        )
    return GivenUnits("group", codes)


def _read_time(column: Column, weights: Floats | None) -> GivenUnits:
    feature = recognize("time", column)
    late = next((level for level in feature.levels if not YEAR_FIRST.match(level)), None)
    if feature.kind == "nominal" and late is not None:
        raise InputError(
            f"time holds the text {late!r}, whose order in time is not known. Pass dates or numbers, or text that "
            "begins with the year: 2024-05-31."
        )
    values = encode(feature, column)
    codes = time_blocks(values, weights)
    n_blocks = int(codes.max()) + 1
    if n_blocks < FEWEST_UNITS:
        raise InputError(
            f"time holds {len(np.unique(values))} different times for {len(values):,} rows, which make {n_blocks} "
            f"block(s) of time; at least {FEWEST_UNITS} are needed. Pass finer times, or leave time out."
        )
    return GivenUnits("time block", codes)


def time_blocks(values: Floats, weights: Floats | None = None) -> NDArray[np.intp]:
    """Cut rows, sorted by time, into blocks of about equal size or weight; rows of one time stay together.

    Examples
    --------
    >>> np.bincount(time_blocks(np.arange(100.0))).tolist() == [5] * 20
    True
    """
    _, at = np.unique(values, return_inverse=True)
    counts = np.bincount(at, weights=weights)
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()  # of the rows of each time, among all rows
    # Where a block ends in the very middle of a time, rounding must not decide.
    _, codes = np.unique((middle * TIME_BLOCKS + ROUNDING).astype(np.intp), return_inverse=True)
    return np.asarray(codes[at])


def _column(name: str, given: Any, n_rows: int) -> Column:
    if isinstance(given, str) or not hasattr(given, "__len__"):
        got = f"the text {given!r}" if isinstance(given, str) else type(given).__name__
        raise InputTypeError(f"{name} must hold one value for every row; got {got}. Pass the column itself.")
    column: Any = nw.from_native(given, series_only=True, pass_through=True)
    if not isinstance(column, nw.Series):
        column = np.asarray(given) if isinstance(given, np.ndarray) else np.array([*given], dtype=object)
        if column.ndim != 1:
            raise InputError(f"{name} must be one column; got an array of shape {column.shape}.")
    if len(column) != n_rows:
        raise InputError(f"{name} holds {len(column):,} values for {n_rows:,} rows. Pass one value for every row.")
    missing = [at for at, value in enumerate(as_list(column)) if is_missing(value)]
    if missing:
        raise InputError(
            f"{name} is missing in {len(missing):,} row(s), first at position {listing(missing)}. Say where these rows "
            "belong, or drop them."
        )
    found: Column = column
    return found
