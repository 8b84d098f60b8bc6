"""Which columns and rows of a table are explained, and what is said on the page about the others."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.input.features import recognize
from anova_report.core.input.table import LeftOut, left_out_words
from anova_report.core.randomness import stream
from anova_report.errors import InputError, InputTypeError, listing

ROW_NUMBERS = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # what an index becomes in a CSV or Parquet file
NUMBERS = "row numbers without a name"


def choose_inputs(
    frame: pd.DataFrame, *, left_out: Sequence[str] = (), features: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[LeftOut, ...]]:
    """Choose the columns that may be inputs, and say which are not.

    Columns that cannot be read are left out: they would otherwise end the run. Those that tell nothing are left out by
    the fit.

    Parameters
    ----------
    left_out : sequence of str
        Columns that are no inputs: predictions, target, identifiers.
    features : sequence of str
        The only columns to keep, in this order; all that are left by default.

    Raises
    ------
    InputError
        If a name is unknown, or no column is left.
    """
    require_columns(frame.columns, (*left_out, *features))
    both = [name for name in features if name in left_out]
    if both:
        raise InputError(f"{listing(both)} cannot be a feature and be left out at once. Name it in one place only.")
    wanted = list(dict.fromkeys(features)) or [name for name in frame.columns if name not in left_out]
    found = [LeftOut(name, at, _reason(name, frame[name], name in features)) for at, name in enumerate(wanted)]
    kept, dropped = ([column for column in found if bool(column.reason) is so] for so in (False, True))
    if not kept:
        why = " ".join(left_out_words(dropped)) or "All are left out by name."
        raise InputError(f"No column is left to explain. {why} Pass a table with the model's inputs.")
    return frame[[column.name for column in kept]], tuple(dropped)


def require_columns(columns: Iterable[object], names: Iterable[str]) -> None:
    """Refuse names of columns that a table does not have."""
    known = [str(name) for name in columns]
    unknown = [name for name in names if name not in known]
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0].strip(), known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"There is no column {unknown[0]!r}; the columns are {listing(known, limit=20)}.{hint}")


def sample_rows(n_rows: int, wanted: int | None, *, seed: int, keep: Sequence[int] = ()) -> NDArray[np.intp]:
    """Draw rows without replacement, in the order of the table, rows to `keep` among them.

    Examples
    --------
    >>> sample_rows(5, None, seed=0).tolist()
    [0, 1, 2, 3, 4]
    >>> len(sample_rows(1000, 10, seed=0, keep=[999]))
    10
    """
    if wanted is None or wanted >= n_rows:
        return np.arange(n_rows)
    first = np.unique(np.asarray(keep, dtype=np.intp))
    size = max(wanted - len(first), 0)
    drawn = stream(seed, "sampled rows").choice(n_rows - len(first), size=size, replace=False, shuffle=False)
    for kept in first:  # those drawn are counted among the others
        drawn += drawn >= kept
    return np.sort(np.concatenate([first, drawn]))


def _reason(name: str, column: Any, asked_for: bool) -> str:
    """Why a column cannot be explained; empty if it can."""
    try:
        recognize(name, nw.from_native(column, series_only=True))
    except (InputTypeError, TypeError):
        return "neither numbers, text nor dates"
    return NUMBERS if ROW_NUMBERS.fullmatch(name) and not asked_for else ""
