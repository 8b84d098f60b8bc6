"""Types of arrays that every room shares, in a module of their own because they belong to no room."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Reals: TypeAlias = NDArray[Any]  # floats of either precision


def read_only(*arrays: NDArray[np.generic] | None) -> None:
    """Make arrays of an immutable result refuse assignment."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
