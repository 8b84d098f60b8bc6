"""Tables as plain arrays of numbers, for what can take nothing else."""

from collections.abc import Sequence

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.columns import Feature, encode
from anova_report.core.data import Table
from anova_report.errors import InputError, listing

NUMBERS = ("numeric", "boolean")  # kinds of columns that are numbers as they are


def only_numbers(columns: Sequence[Feature]) -> bool:
    """Tell whether all columns hold numbers."""
    return all(column.kind in NUMBERS for column in columns)


def numbers_of(table: Table, columns: Sequence[Feature], user: str) -> Floats:
    """Write a table as an array of numbers, columns in its own order.

    Raises
    ------
    InputError
        If a column holds anything else.
    """
    others = [column.name for column in columns if column.kind not in NUMBERS]
    if others:
        raise InputError(
            f"{user} takes columns of numbers only, and these hold other things: {listing(others)}. Use pdp or "
            "kernelshap, which ask the model in the table's own form."
        )
    return np.column_stack([encode(column, table.column(index)) for index, column in enumerate(columns)])


def require_complete(numbers: Floats, user: str) -> None:
    """Refuse rows that lack a value."""
    absent = int(np.isnan(numbers).any(axis=1).sum())
    if absent:
        raise InputError(
            f"{user} takes complete rows only, and {absent} of {len(numbers)} lack a value. Fill them, or drop these "
            "rows."
        )
