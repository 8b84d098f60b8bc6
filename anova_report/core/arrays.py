"""Types of arrays, and how many rows are read or looked at, that every room shares; they belong to no room."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Reals: TypeAlias = NDArray[Any]  # floats of either precision

# Budgets of memory and time.
# Of a row block: enough rows for fast products, few enough for bounded memory. Division into groups, sums and digests
# go by row blocks, so that another value is another result.
BLOCK_ROWS = 8192
LOOKED_AT_ROWS = 20_000  # that a diagnostic or a page looks at one by one: a share of them is known to ± .004
LOOKED_AT_FEATURES = 100  # that a diagnostic compares with each other
AT_ONCE = 100  # vectors of one number for each row that are in memory together

# Shares of a variance that are rounding.
ROUNDING = 1e-6  # relative, of sums in single precision
NEGLIGIBLE = 1e-8  # of a mean square that is made of such sums
DOUBLE_ROUNDING = 1e-9  # of sums in double precision


def read_only(*arrays: NDArray[np.generic] | None) -> None:
    """Make arrays of an immutable result refuse assignment."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


@dataclass(eq=False)
class EvenRows:
    """At most so many rows at equal steps, from row blocks that come one after the other.

    Steps double when there are too many rows, so what is kept depends on how many rows there are and not on the blocks.

    Examples
    --------
    >>> kept = EvenRows(3)
    >>> for block in (np.arange(4), np.arange(4, 9)):
    ...     kept.add(block)
    >>> kept.rows().tolist(), kept.step
    ([0, 4, 8], 4)
    """

    most: int
    step: int = field(default=1, init=False)
    _seen: int = field(default=0, init=False)
    _pieces: list[NDArray[Any]] = field(default_factory=list, init=False)

    def add(self, block: NDArray[Any]) -> None:
        """Take every so manyth row of the next row block."""
        self._pieces.append(block[-self._seen % self.step :: self.step].copy())
        self._seen += len(block)
        while -(-self._seen // self.step) > self.most:
            self._pieces = [self.rows()[::2]]
            self.step *= 2

    def rows(self) -> NDArray[Any]:
        """Return the rows that are kept."""
        return np.concatenate(self._pieces)
