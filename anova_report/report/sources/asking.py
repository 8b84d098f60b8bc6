"""Where the predictions of an audit come from: columns of the table, or a model that is asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from anova_report.core.arrays import Floats
from anova_report.core.fit.asking import Questions
from anova_report.core.input.black_box import ask, ask_where_possible
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Predictions, read_predictions, real_numbers
from anova_report.core.input.recombination import Recombination
from anova_report.core.input.table import open_table
from anova_report.errors import InputError, InputTypeError, listing
from anova_report.report.sources.inputs import require_columns

ROWS_SHOWN = 5
BATCH = 8192  # rows per call of the model, as of `explain`


@dataclass(frozen=True, eq=False)
class ModelColumns:
    """Which columns of a table a model is given, in its order: as the table names them, and as the model does."""

    table: tuple[str, ...]
    model: tuple[str, ...]


def predictions_in_columns(
    frame: pd.DataFrame, names: Sequence[str], scale: str | None = None, exposure: str | None = None
) -> Predictions:
    """Take the predictions from columns of the table, one output per column.

    Parameters
    ----------
    frame : DataFrame
        Its index holds the number of each row in the file, from 0.
    scale : {"identity", "log", "logit", "probability"}, optional
        "logit" turns probabilities into logits, "log" takes logarithms; the others take the numbers as they are.
    exposure : str, optional
        Column by which predictions, of counts or amounts, are divided.

    Raises
    ------
    InputError
        If a column is missing, holds no numbers, or gaps, or no probabilities where logits are asked for.
    """
    require_columns(frame.columns, names)
    columns = {name: _numbers(name, frame[name], scale) for name in names}
    if exposure is not None:
        columns = {name: values / frame[exposure].to_numpy(dtype=float) for name, values in columns.items()}
    if scale == "log":
        columns = {name: np.log(values) for name, values in columns.items()}
    if scale == "logit":
        columns = {name: np.log(values) - np.log1p(-values) for name, values in columns.items()}
    given = pd.DataFrame(columns)
    found = read_predictions(given[names[0]] if len(names) == 1 else given, len(given))
    return Predictions(found.values, found.names, found.single, scale or "identity")


def predictions_of_model(
    model: Any,
    frame: pd.DataFrame,
    columns: ModelColumns,
    *,
    scale: str | None = None,
    output: str | int | None = None,
    progress: bool = True,
) -> Predictions:
    """Ask a model about every row, as `explain` does."""
    table = open_table(model_rows(model, frame, columns))
    chosen = _chosen_output(model, output)
    return ask(model, table, scale=scale or "auto", output=chosen, progress=progress)  # type: ignore[arg-type]  # ask checks it


def questions_to_model(
    model: Any,
    frame: pd.DataFrame,
    columns: ModelColumns,
    explained: Sequence[Feature],
    n_asked: int,
    *,
    scale: str,
    output: str | int | None = None,
    progress: bool = True,
) -> Questions | None:
    """Say how a model is asked at recombined rows of a table, in which explained features change; None for never.

    The scale is that of the predictions for the rows themselves.
    """
    if not n_asked:
        return None
    rows = frame[list(dict.fromkeys((*columns.table, *(name for feature in explained for name in feature.sources))))]
    places = [rows.columns.get_indexer(list(feature.sources)).tolist() for feature in explained]
    known: dict[str, Any] = {"output": _chosen_output(model, output), "batch_size": BATCH, "progress": progress}

    def ask_at(plan: Recombination) -> tuple[Floats, NDArray[np.bool_]]:
        table = open_table(model_rows(model, plan.table(rows, places), columns))
        return ask_where_possible(model, table, scale=scale, **known)

    return Questions(ask_at, n_asked)


def refuse_classes(model: Any) -> None:
    """Refuse a model of classes where an exposure turns predictions into rates."""
    if hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
        raise InputError("exposure turns counts and amounts into rates, and the model predicts classes. Leave it out.")


def at_exposure_of_1(frame: pd.DataFrame, exposure: str) -> pd.DataFrame:
    """Set the exposure of every row to 1; its column may have any name."""
    made = frame.copy(deep=False)
    made[exposure] = 1.0
    return made


def _chosen_output(model: Any, output: str | int | None) -> str | int | None:
    """Read what was typed as a position, where a model names no classes."""
    if isinstance(output, str) and not len(getattr(model, "classes_", ())) and re.fullmatch(r"\d+", output):
        return int(output)
    return output


def model_rows(model: Any, frame: pd.DataFrame, columns: ModelColumns) -> Any:
    """Return the rows as a model takes them: its columns, under its names, or an array if it has none."""
    rows = frame[list(columns.table)].set_axis(list(columns.model), axis=1)
    unnamed = isinstance(model, BaseEstimator) and not hasattr(model, "feature_names_in_")
    unnamed = getattr(model, "takes_arrays", unnamed)
    # scikit-learn warns when a model that was trained on an array is given names.
    return rows.to_numpy() if unnamed else rows


def model_columns(model: Any, frame: pd.DataFrame, others: Sequence[str], exposure: str | None = None) -> ModelColumns:
    """Find the columns a model takes: by its own names if it has any, else the `others`; refuse too few or too many.

    A model without names gets the exposure, too, unless the number of its columns says that it takes none.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        width = getattr(model, "n_features_in_", None)
        if exposure is not None and width != len(others):
            others = [str(name) for name in frame.columns if name in (*others, exposure)]
        if width is not None and width != len(others):
            raise InputError(
                f"The model takes {width:,} columns, but {len(others)} are left of the table: {listing(others, 20)}. "
                "Name the others with --target, --id or --exclude, or the model's inputs with --features."
            )
        return ModelColumns(tuple(others), tuple(others))
    wanted = tuple(str(name) for name in names)
    # LightGBM writes blanks in names as underscores.
    similar = {re.sub(r"\s", "_", str(name)): str(name) for name in frame.columns}
    found = [name if name in frame.columns else similar.get(name) for name in wanted]
    lacking = [name for name, column in zip(wanted, found, strict=True) if column is None]
    if lacking:
        raise InputError(f"The model needs the column(s) {listing(lacking)}, which the table does not have.")
    return ModelColumns(tuple(name for name in found if name is not None), wanted)


def _numbers(name: str, column: Any, scale: str | None) -> Floats:
    """Read one column of predictions, and refuse what cannot be meant."""
    what = f"The prediction column {name!r}"
    try:
        values = real_numbers(column.to_numpy(dtype=object, na_value=np.nan))
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"{what} must hold numbers: {error}. For a classifier pass probabilities or logits, not labels."
        ) from error
    bad = ~np.isfinite(values)
    if bad.any():
        where = f"{bad.sum():,} row(s), first in row(s) {_rows(column.index[bad])}"
        raise InputError(f"{what} is missing or infinite in {where}. Drop these rows, or fix the model.")
    if scale in ("logit", "probability") and ((values < 0) | (values > 1)).any():
        raise InputError(
            f"{what} goes from {values.min():g} to {values.max():g}, so it holds no probabilities. Leave out --scale "
            "to take the numbers as they are."
        )
    if scale == "log" and (values <= 0).any():
        raise InputError(
            f"{what} is zero or negative in {(values <= 0).sum():,} row(s), first in row(s) "
            f"{_rows(column.index[values <= 0])}, and has no logarithm there. Use --scale identity."
        )
    sure = (values == 0) | (values == 1)
    if scale == "logit" and sure.any():
        raise InputError(
            f"{what} is exactly 0 or 1 in {sure.sum():,} row(s), first in row(s) {_rows(column.index[sure])}, where "
            "the logit is infinite. Use --scale probability."
        )
    return values


def _rows(index: Any) -> str:
    """Numbers of rows as a reader of the file counts them: the first row of data is row 1."""
    return listing([int(number) + 1 for number in index], ROWS_SHOWN)
