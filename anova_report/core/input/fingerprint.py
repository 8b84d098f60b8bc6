"""What a decomposition remembers of the rows and predictions it was made from, to know them again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from anova_report.core.arrays import BLOCK_ROWS, EvenRows, Floats, read_only

# Budgets of memory.
MOST_PREDICTIONS = 128  # that are kept to say how far others are from them: some kilobytes of the file
MOST_AT_ONCE = 262_144  # rows that are digested together, and read whole: a gigabyte of 500 columns; of more, blocks

_hash = partial(blake2b, digest_size=16)  # bytes: two different tables have the same digest once in 2^64 tables


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Digests of encoded rows and of their predictions, and a few of the predictions themselves.

    Examples
    --------
    >>> import numpy as np
    >>> rows, predictions = np.eye(3), np.arange(3.0)[:, None]
    >>> known = Fingerprint.of(rows, predictions)
    >>> known.is_of_rows(rows.copy()), known.is_of_predictions(predictions + 1)
    (True, False)
    """

    n_rows: int
    inputs: str
    predictions: str
    step: int  # every so manyth prediction is kept, from the first
    kept: Floats  # shape (n_kept, n_outputs)

    def __post_init__(self) -> None:
        read_only(self.kept)

    @staticmethod
    def of(values: Floats, predictions: Floats) -> "Fingerprint":
        """Take the fingerprint of rows and predictions that are all in memory."""
        made = Fingerprinting()
        made.add(values, predictions)
        return made.finish()

    def is_of_rows(self, values: Floats) -> bool:
        """Tell whether encoded rows are these rows, in the same order."""
        return len(values) == self.n_rows and _digest(values) == self.inputs

    def is_of_predictions(self, predictions: Floats) -> bool:
        """Tell whether predictions are these predictions, to the last bit."""
        return _digest(predictions) == self.predictions


@dataclass(eq=False)
class Fingerprinting:
    """A fingerprint in the making, from rows that come block by block."""

    n_rows: int = 0
    _inputs: Any = field(default_factory=_hash)
    _predictions: Any = field(default_factory=_hash)
    _kept: EvenRows = field(default_factory=lambda: EvenRows(MOST_PREDICTIONS))

    def add(self, values: Floats, predictions: Floats) -> None:
        """Take in the next row block."""
        self.n_rows += len(values)
        self._inputs.update(values.tobytes())
        self._predictions.update(predictions.tobytes())
        self._kept.add(predictions)

    def finish(self) -> Fingerprint:
        """Return the fingerprint of all rows so far."""
        kept = self._kept
        return Fingerprint(self.n_rows, self._inputs.hexdigest(), self._predictions.hexdigest(), kept.step, kept.rows())


def digest_of_digests(digests: Iterable[bytes]) -> str:
    """Digest row blocks that were digested one by one, on several machines perhaps."""
    return _hash(b"".join(digests)).hexdigest()


def digest_block(array: Floats) -> bytes:
    """Digest the rows of one block."""
    return _hash(array.tobytes()).digest()


def _digest(array: Floats) -> str:
    if len(array) <= MOST_AT_ONCE:
        return digest_block(array).hex()
    blocks = (array[start : start + BLOCK_ROWS] for start in range(0, len(array), BLOCK_ROWS))
    return digest_of_digests(map(digest_block, blocks))
