"""Which columns and rows of a table are explained, and what is said on the page about the others."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.input.features import recognise
from anova_report.core.randomness import stream
from anova_report.errors import InputError, InputTypeError, listing

ROW_NUMBERS = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # what an index becomes in a CSV or Parquet file
NAMES_SHOWN = 8


def choose_inputs(
    frame: pd.DataFrame, *, left_out: Sequence[str] = (), features: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Choose the columns that may be inputs, and say in sentences which are not.

    Columns that cannot be read are left out with a note: they would otherwise end the run. Those that tell nothing are
    left out by the fit.

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
    require_columns(frame, (*left_out, *features))
    both = [name for name in features if name in left_out]
    if both:
        raise InputError(f"{listing(both)} cannot be a feature and be left out at once. Name it in one place only.")
    wanted = list(dict.fromkeys(features)) or [name for name in frame.columns if name not in left_out]
    reasons = {name: reason for name in wanted if (reason := _reason(name, frame[name], name in features))}
    kept = [name for name in wanted if name not in reasons]
    if not kept:
        raise InputError(
            f"No column is left to explain: {'; '.join(_grouped(reasons)) or 'all are left out by name'}. Pass a table "
            "with the model's inputs."
        )
    return frame[kept], tuple(f"Left out: {words}." for words in _grouped(reasons))


def require_columns(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse names of columns that the table does not have."""
    known = [str(name) for name in frame.columns]
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
    others = np.setdiff1d(np.arange(n_rows), first)
    drawn = stream(seed, "sampled rows").choice(others, size=max(wanted - len(first), 0), replace=False)
    return np.sort(np.concatenate([first, drawn]))


def _reason(name: str, column: Any, asked_for: bool) -> str:
    """Why a column cannot be explained, for several such columns; empty if it can."""
    try:
        recognise(name, nw.from_native(column, series_only=True))
    except (InputTypeError, TypeError):
        return "neither numbers, text nor dates"
    return "row numbers without a name" if ROW_NUMBERS.fullmatch(name) and not asked_for else ""


def _grouped(reasons: dict[str, str]) -> list[str]:
    """One phrase per reason, with the columns it holds for."""
    return [
        f"{listing([name for name in reasons if reasons[name] == reason], NAMES_SHOWN)} ({reason})"
        for reason in dict.fromkeys(reasons.values())
    ]
