"""Columns that are held against predictions: the truth, which rows a model was trained on, protected columns."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.input.exposure import read_exposure
from anova_report.core.input.table import FrameTable, open_table
from anova_report.core.input.units import GivenUnits, read_units
from anova_report.core.input.weights import RowWeights, kept, read_weights
from anova_report.core.large.parts import open_parts
from anova_report.core.result.cohorts import cohort_rows
from anova_report.errors import InputError, listing
from anova_report.measures.kept_aside import KeptAside, given_weights
from anova_report.measures.protected import require_enough
from anova_report.report.jobs.options import Job

Columns = dict[str, Any]  # of `KeptAside.read`: targets, split, protected


def of_table(model: Any, X: Any, target: Any, split: Any, protected: Any) -> tuple[Any, Columns]:
    """Take columns out of a table, or as they are passed; returned are the columns that the model gets, and these.

    Parameters
    ----------
    model : object
        A protected column that a model does not have among the names of its columns is taken out, too.
    X : table of shape (n_rows, n_features)
    target, split, protected
        As `audit` takes them.
    """
    if target is None and split is None and not len(protected or ()):
        return X, {}
    if open_parts(X) is not None:
        raise InputError(
            "target, split and protected are held against predictions row by row, and X is a table in parts. Pass a "
            "table in memory."
        )
    named = _target_names(X, target)
    targets = _named(X, "target", named) if named else _passed(target)
    sides = _named(X, "split", [split]) if isinstance(split, str) else {}
    aside, unread = _protected(model, X, protected)
    columns = {"targets": targets, "split": sides[split] if isinstance(split, str) else split, "protected": aside}
    return _without(X, [*named, *sides, *unread]), columns


def read_aside(
    columns: Columns,
    X: Any,
    *,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
    time: Any = None,
    where: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> KeptAside | None:
    """Read columns for the rows that count, those of a cohort if there is one; None where there are none.

    The words are those of `explain`.
    """
    if not columns:
        return None
    n_rows = open_table(X).shape[0]
    if exposure is not None:
        numbers = next(iter(_named(X, "exposure", [exposure]).values())) if isinstance(exposure, str) else exposure
        sample_weight = read_exposure(numbers, n_rows)
    weights = read_weights(sample_weight, n_rows)
    at = None if weights is None else weights.positions
    n_counting = n_rows if at is None else len(at)

    def counting(name: str, column: Any) -> Any:
        return kept(name, column, at, n_rows)

    units = read_units(counting("groups", groups), counting("time", time), n_counting, weights)
    aside = KeptAside.read(
        n_counting,
        targets={name: counting("target", column) for name, column in columns["targets"].items()},
        split=counting("split", columns["split"]),
        protected={
            name: counting(f"The protected column {name!r}", column) for name, column in columns["protected"].items()
        },
        weights=given_weights(sample_weight, weights),
        units=units,
    ).labelled(labels or {})
    if exposure is not None:
        aside = aside.over(counting("exposure", sample_weight), exposure if isinstance(exposure, str) else "exposure")
    return require_enough(aside if where is None else aside.at(cohort_rows(where, counting("X", X))))


def names_of(columns: Columns) -> tuple[str, ...]:
    """Name the columns that were taken."""
    return (*columns.get("targets", ()), *columns.get("protected", ()))


def of_job(
    job: Job,
    frame: pd.DataFrame,
    weights: RowWeights | None,
    units: GivenUnits | None,
    cohort: NDArray[np.intp] | None,
) -> KeptAside | None:
    """Read the columns that a job names, of rows that all count, or of a cohort of them."""
    if not (job.target or job.split or job.protected):
        return None
    found = KeptAside.read(
        len(frame),
        targets={name: frame[name] for name in job.target},
        split=None if job.split is None else frame[job.split],
        protected={name: frame[name] for name in job.protected},
        weights=None if job.counted_by is None else given_weights(frame[job.counted_by], weights),
        units=units,
    ).labelled(dict(job.labels))
    found = found if job.exposure is None else found.over(frame[job.exposure].to_numpy(dtype=float), job.exposure)
    return require_enough(found if cohort is None else found.at(cohort))


def _target_names(X: Any, target: Any) -> list[str]:
    """Tell which columns of X hold the truth; none where values are passed."""
    if isinstance(target, str):
        return [target]
    if not isinstance(target, list | tuple) or not all(isinstance(name, str) for name in target):
        return []
    table = open_table(X)
    # Text may also be the truth of every row.
    return list(target) if len(target) != table.shape[0] or set(target) <= set(table.names or ()) else []


def _passed(target: Any) -> Columns:
    """Name the columns of a truth that is passed as values."""
    if target is None:
        return {}
    held: Any = nw.from_native(target, allow_series=True, pass_through=True)
    if isinstance(held, nw.DataFrame):
        return {name: held[name] for name in held.columns}
    if not isinstance(held, nw.Series) and np.ndim(target) == 2:
        return {f"target {at}": column for at, column in enumerate(np.asarray(target).T)}
    return {(held.name if isinstance(held, nw.Series) else "") or "target": target}


def _protected(model: Any, X: Any, protected: Any) -> tuple[Columns, list[str]]:
    """Find protected columns, and which of X the model does not get."""
    if isinstance(protected, Mapping):
        there = [name for name in protected if name in (open_table(X).names or ())]
        if there:
            raise InputError(
                f"protected brings a column {there[0]!r}, and X has one of that name. Name it alone, in a list, or "
                "give it another name."
            )
        return dict(protected), []
    found = _named(X, "protected", [protected] if isinstance(protected, str) else list(protected or ()))
    known = getattr(model, "feature_names_in_", None)
    return found, [] if known is None else [name for name in found if name not in list(known)]


def _named(X: Any, option: str, wanted: Sequence[str]) -> Columns:
    """Take columns of a frame by their names."""
    if not wanted:
        return {}
    table = open_table(X)
    names = table.names or ()
    for name in wanted:
        if not isinstance(table, FrameTable) or name not in names:
            near = difflib.get_close_matches(str(name), names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(names)}." if names else ""
            raise InputError(
                f"{option} names a column of X, and there is no column {name!r}. {hint or 'It has no names.'}"
            )
    return {name: table.frame[name] for name in wanted} if isinstance(table, FrameTable) else {}


def _without(X: Any, names: Sequence[str]) -> Any:
    table = open_table(X)
    return nw.to_native(table.frame.drop(*dict.fromkeys(names))) if names and isinstance(table, FrameTable) else X
