"""Exposure: over how much time, area or value each row was observed, so that what is explained is a rate.

A model that takes the exposure as a column is asked at an exposure of 1 in every row. With an offset, log μ = f(x) +
log exposure, that is μ / exposure, the rate; a model of rates, which does not take the column, gives its rate in any
case. Rows are weighted by their exposure, since a rate that was observed for longer is known better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.predictions import real_numbers
from anova_report.core.input.table import FrameTable, open_table
from anova_report.errors import InputError, InputTypeError, listing


@dataclass(frozen=True, eq=False)
class AtUnitExposure:
    """A model that takes an exposure as a column of frames, asked at an exposure of 1."""

    inside: Any
    column: str
    names: tuple[str, ...]  # of the columns that the model is given, this one included

    @property
    def feature_names_in_(self) -> tuple[str, ...]:
        """The columns of the rows that it is asked about."""
        return tuple(name for name in self.names if name != self.column)

    def predict(self, rows: Any) -> Any:
        """Ask the model about rows that lack the column."""
        from anova_report.core.input.model_forms import askable, takes_arrays  # noqa: PLC0415 which knows this form

        frame = nw.from_native(rows, eager_only=True).with_columns(nw.lit(1.0).alias(self.column))
        asked, given = askable(self.inside), frame.select(self.names).to_native()
        return getattr(asked, "predict", asked)(np.asarray(given) if takes_arrays(self.inside) else given)


def split_exposure(model: Any, X: Any, exposure: Any) -> tuple[Any, Any, Floats]:
    """Take the exposure out of a table: returned are the model as it is asked, the table without it, and its values.

    Parameters
    ----------
    model : object
    X : table of shape (n_rows, n_features)
    exposure : str or array-like of shape (n_rows,)
        A column of X, or numbers that the model does not get.
    """
    if model is not None and (hasattr(model, "predict_proba") or hasattr(model, "decision_function")):
        raise InputError(
            f"exposure turns counts and amounts into rates, and {type(model).__name__} predicts classes. Leave it out."
        )
    table = open_table(X)
    if not isinstance(exposure, str):
        return model, X, read_exposure(exposure, table.shape[0])
    names = table.names or ()
    if not isinstance(table, FrameTable) or exposure not in names:
        raise InputError(
            f"exposure names the column {exposure!r}, which X does not have. "
            + (f"There are {listing(list(names), limit=12)}." if names else "X names no columns: pass the numbers.")
        )
    values = read_exposure(table.frame[exposure].to_numpy(), table.shape[0], f"Column {exposure!r}")
    return at_unit_exposure(model, exposure, names), nw.to_native(table.frame.drop(exposure)), values


def exposure_words(exposure: Any, *, divided: bool = False) -> str:
    """Say what is explained; `divided` where predictions were divided by the exposure.

    Examples
    --------
    >>> exposure_words("years")
    "The rate is explained, the prediction at an exposure of 1 ('years'); rows are weighted by their exposure."
    """
    named = f" ({exposure!r})" if isinstance(exposure, str) else ""
    rate = f"prediction over the exposure{named}" if divided else f"prediction at an exposure of 1{named}"
    return f"The rate is explained, the {rate}; rows are weighted by their exposure."


def at_unit_exposure(model: Any, column: str, columns: Sequence[str]) -> Any:
    """Ask a model at an exposure of 1, if it takes the column: by the names it knows, else by their number."""
    named, width = known_columns(model), getattr(model, "n_features_in_", None)
    names = tuple(columns) if named is None else named
    takes = column in names and (named is not None or width in (None, len(names)))
    return AtUnitExposure(model, column, names) if takes else model


def known_columns(model: Any) -> tuple[str, ...] | None:
    """List the columns by whose names a model was trained, as its library keeps them; None where it keeps none."""
    for kept in ("feature_names_in_", "feature_names_", "feature_names", "feature_name"):
        names = getattr(model, kept, None)
        names = names() if callable(names) else names
        if names is not None and len(names):
            return tuple(map(str, names))
    return None


def read_exposure(exposure: Any, n_rows: int, name: str = "exposure") -> Floats:
    """Check exposures, one for every row, all above zero; `name` is what messages call them.

    Examples
    --------
    >>> read_exposure([1, 0.5], n_rows=2).tolist()
    [1.0, 0.5]
    """
    try:
        values = real_numbers(np.asarray(exposure))
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} must hold numbers, and cannot be read as such: {error}.") from error
    if values.shape != (n_rows,):
        held = f"{len(values):,} values" if values.ndim == 1 else f"an array of shape {values.shape}"
        raise InputError(f"{name} holds {held} for {n_rows:,} rows. Pass one exposure for every row.")
    bad: NDArray[np.intp] = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if bad.size:
        raise InputError(
            f"{name} is missing, zero, negative or infinite in {bad.size:,} row(s), first at position "
            f"{listing(bad.tolist())}. A rate needs an exposure above zero: drop these rows, or correct them."
        )
    return values
