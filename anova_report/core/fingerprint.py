"""What a decomposition remembers of the rows and answers it was made from, to know them again."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from anova_report.core.arrays import EvenRows, Floats, read_only

MOST_ANSWERS = 128  # answers that are kept to say how far others are from them


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Digests of encoded rows and of their answers, and a few of the answers themselves.

    Examples
    --------
    >>> import numpy as np
    >>> rows, answers = np.eye(3), np.arange(3.0)[:, None]
    >>> known = Fingerprint.of(rows, answers)
    >>> known.is_of_rows(rows.copy()), known.is_of_answers(answers + 1)
    (True, False)
    """

    n_rows: int
    inputs: str
    answers: str
    step: int  # every so manyth answer is kept, from the first
    kept: Floats  # shape (n_kept, n_outputs)

    def __post_init__(self) -> None:
        read_only(self.kept)

    @staticmethod
    def of(values: Floats, answers: Floats) -> "Fingerprint":
        """Take the fingerprint of rows and answers that are all in memory."""
        made = Fingerprinting()
        made.add(values, answers)
        return made.finish()

    def is_of_rows(self, values: Floats) -> bool:
        """Tell whether encoded rows are these rows, in the same order."""
        return len(values) == self.n_rows and _digest(values) == self.inputs

    def is_of_answers(self, answers: Floats) -> bool:
        """Tell whether answers are these answers, to the last bit."""
        return _digest(answers) == self.answers


@dataclass(eq=False)
class Fingerprinting:
    """A fingerprint in the making, from rows that come block by block."""

    n_rows: int = 0
    _inputs: Any = field(default_factory=lambda: blake2b(digest_size=16))
    _answers: Any = field(default_factory=lambda: blake2b(digest_size=16))
    _kept: EvenRows = field(default_factory=lambda: EvenRows(MOST_ANSWERS))

    def add(self, values: Floats, answers: Floats) -> None:
        """Take in the next row block."""
        self.n_rows += len(values)
        self._inputs.update(values.tobytes())
        self._answers.update(answers.tobytes())
        self._kept.add(answers)

    def finish(self) -> Fingerprint:
        """Return the fingerprint of all rows so far."""
        kept = self._kept
        return Fingerprint(self.n_rows, self._inputs.hexdigest(), self._answers.hexdigest(), kept.step, kept.rows())


def _digest(array: Floats) -> str:
    return blake2b(array.tobytes(), digest_size=16).hexdigest()
