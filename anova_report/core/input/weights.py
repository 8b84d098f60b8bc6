"""How much each row counts: weights are checked here, and rows that count nothing are left out before anything else.

Weights are relative: only their ratios matter. They are scaled so that they add up to the effective number of rows,
(Σw)² / Σw², that of equally weighted rows which would tell as much. So whatever divides by a number of rows, or asks
whether there are enough of them, takes the sum of the weights, and needs no other number.
"""

from dataclasses import dataclass
from math import fsum
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import LARGEST
from anova_report.core.input.predictions import real_numbers
from anova_report.errors import InputError, InputTypeError, listing


@dataclass(frozen=True, eq=False)
class RowWeights:
    """How much each row of a fit counts, and which rows of the user's table these are, of shape (n_rows,) each."""

    values: Floats | None  # above zero, adding up to the effective number of rows; None where all count the same
    positions: NDArray[np.intp]  # in the table that was passed, of which some rows count nothing and some are copies
    copies: NDArray[np.intp]  # how many rows of that table each stands for
    total: float  # sum of the weights as they were given

    @classmethod
    def of(
        cls, given: Floats, positions: NDArray[np.intp], copies: NDArray[np.intp] | None = None, total: float = 0.0
    ) -> Self:
        """Scale weights above zero; the total is theirs unless another is known."""
        ratios = given / given.max()  # whose squares neither overflow nor vanish together
        values: Floats | None = None
        if (ratios < 1).any():
            values = ratios * (fsum(ratios) / fsum(ratios**2))
            step = 2.0**-30  # weights are about 1, and sums of its multiples exact, whatever the order of the rows
            values = np.maximum(np.round(values / step), 1.0) * step
        copies = np.ones(len(given), dtype=np.intp) if copies is None else copies
        return cls(values, positions, copies, total or float(given.sum()))

    @property
    def effective(self) -> float:
        """How many rows of equal weight would tell as much (Kish)."""
        return float(len(self.positions) if self.values is None else self.values.sum())


def read_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> RowWeights | None:
    """Check weights, one for every row of a table, and leave out those that are zero; None where nothing is weighted.

    `name` is what messages call them.

    Examples
    --------
    >>> weights = read_weights([2, 0, 1, 1], n_rows=4)
    >>> weights.positions.tolist(), round(weights.effective, 2)
    ([0, 2, 3], 2.67)
    """
    if sample_weight is None:
        return None
    values = _numbers(sample_weight, name)
    if values.ndim == 0:
        values = np.full(n_rows, float(values))
    if values.shape != (n_rows,):
        held = f"{len(values):,} values" if values.ndim == 1 else f"an array of shape {values.shape}"
        raise InputError(f"{name} holds {held} for {n_rows:,} rows. Pass one weight for every row.")
    for wrong, words, cure in (
        (~np.isfinite(values), "is missing or infinite", "Say how much these rows count, or drop them."),
        (values > LARGEST, f"is beyond {LARGEST:.0e}", "Only ratios count: divide all weights by the same number."),
        (values < 0, "is negative", "A row cannot count less than nothing: pass 0 to leave it out."),
    ):
        rows = np.flatnonzero(wrong)
        if rows.size:
            where = f"first at position {listing(rows.tolist())}"
            raise InputError(f"{name} {words} in {rows.size:,} row(s), {where}. {cure}")
    positions = np.flatnonzero(values)
    if not positions.size:
        raise InputError(
            f"{name} is zero in all {n_rows:,} rows, so no row counts. Pass weights above zero for the rows that are "
            "to be explained, or leave the weights out."
        )
    weights = RowWeights.of(values[positions], positions)
    return None if weights.values is None and len(positions) == n_rows else weights


def kept(name: str, given: Any, at: NDArray[np.intp] | None, n_rows: int) -> Any:
    """Keep only the rows of a table or column that count; `name` is what messages call it."""
    if given is None or at is None or len(at) == n_rows:
        return given
    frame: Any = nw.from_native(given, allow_series=True, pass_through=True)
    framed = isinstance(frame, nw.DataFrame | nw.Series)
    found: Any = frame if framed else given if isinstance(given, np.ndarray) else list(given)
    if len(found) != n_rows:
        raise InputError(f"{name} holds {len(found):,} values for {n_rows:,} rows. Pass one value for every row.")
    if isinstance(found, list):
        return [found[position] for position in at.tolist()]
    return found[at].to_native() if framed else found[at]


def _numbers(sample_weight: Any, name: str) -> Floats:
    try:
        return real_numbers(np.asarray(sample_weight))
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"{name} must hold numbers, and cannot be read as such: {error}. Pass one weight for every row."
        ) from error
